// The page that connects phones: the QR code, and what each phone says.

import { codeForm, door, enter } from "./door.js";
import { made } from "./feed.js";
import { applyHere, say } from "./phone_words.js";
import { apply, either, language, speak } from "./words.js";

const at = (id) => document.getElementById(id);
let told = null;

export function phoneRow(phone) {
  const row = made("li", phone.good ? "good" : "", made("b", "", say("camera", { n: phone.camera })), made("span", "", either(phone)));
  const line = [phone.lag_ms == null ? "" : `${say("delay")} ${phone.lag_ms} ms`, phone.per_s ? `${phone.per_s} ${say("pictures")}` : ""].filter(Boolean).join(" · ");
  if (line) row.append(made("small", "", line));
  return row;
}

function show() {
  apply();
  applyHere();
  if (told === null) return;
  at("address").textContent = told.url;
  at("fingerprint").textContent = told.fingerprint;
  at("phones").replaceChildren(...(told.phones.length ? told.phones.map(phoneRow) : [made("li", "", say("none_yet"))]));
}

async function ask() {
  const answer = await fetch("/phones.json").catch(() => null);
  if (answer?.ok) {
    told = await answer.json();
    at("door").replaceChildren();
    if (!at("qr").src) at("qr").src = "/phones/qr.svg";
  } else if (answer?.status === 401 && !at("door").children.length) {
    at("door").replaceChildren(made("p", "", say("need_code")), codeForm());
  }
  at("qr").hidden = told === null;
  show();
  setTimeout(ask, 1000);
}

if (at("qr")) {
  door.changed = () => show();
  at("language").addEventListener("click", () => { speak(language === "de" ? "en" : "de"); show(); });
  await enter();
  ask();
}
