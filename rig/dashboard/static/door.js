// The door: what this session may do, the code that opens it, and how a tap is sent so that it counts.

import { made } from "./feed.js";
import { either, word } from "./words.js";

export const door = { role: "sees", token: "", pictures: true, state: "", changed: () => {}, stale: () => {} };
const RANK = { sees: 0, table: 1, host: 2 };

export const may = (role) => RANK[door.role] >= RANK[role];

function take(me) {
  Object.assign(door, { role: me.role, token: me.token, pictures: me.pictures });
  door.changed();
}

// Who we are; a code in the address (#code=…) is given at once and taken out of the address.
export async function enter() {
  const given = /[#&]code=([^&]+)/.exec(location.hash)?.[1];
  if (given) {
    history.replaceState(null, "", location.pathname + location.search);
    if (await join(decodeURIComponent(given)) === "") return;
  }
  try { take(await (await fetch("/me")).json()); } catch { /* the page says by itself that the line is down */ }
}

// "" if the code opened the door, else why not.
export async function join(code) {
  const answer = await send("/join", { code });
  if (answer === null) return word("full");
  if (!answer.ok) return either(answer.told, "sentence", "german");
  take(answer.told);
  return "";
}

async function send(path, body) {
  try {
    const answer = await fetch(path, {
      method: "POST", headers: { "Content-Type": "application/json", "X-Paletti-Token": door.token }, body: JSON.stringify(body),
    });
    return { ok: answer.ok, status: answer.status, told: await answer.json() };
  } catch {
    return null;
  }
}

// "" if it was heard, null if nobody answered, else why not in a sentence; what breaks a rule and can still be told comes back whole. Every
// tap says on which state it was made: one made on a state that is gone is refused, and the new state is fetched.
export async function say(path, body) {
  const answer = await send(path, { ...body, state: door.state });
  if (answer === null) return null;
  if (answer.ok) return "";
  if (answer.told.stale) { door.stale(); return either(answer.told, "sentence", "german"); }
  if (answer.status === 409) return answer.told;
  if (answer.status === 401 || answer.status === 403) enter();
  return `${either(answer.told, "sentence", "german")} ${answer.told.hint ?? ""}`.trim();
}

// The form that asks for the code.
export function codeForm() {
  const input = Object.assign(made("input"), { type: "text", autocomplete: "off", autocapitalize: "none", spellcheck: false, maxLength: 40, required: true });
  input.setAttribute("aria-label", word("code"));
  input.placeholder = word("code");
  const wrong = made("p", "wrong");
  wrong.setAttribute("role", "alert");
  const form = made("form", "code", made("p", "", word("code_why")), made("div", "row", input, Object.assign(made("button", "main", word("code_give")), { type: "submit" })), wrong);
  form.addEventListener("submit", async (event) => { event.preventDefault(); wrong.textContent = await join(input.value); });
  return form;
}
