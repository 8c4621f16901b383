// The set-up: one step at a time, with live pictures; it moves on by itself where the program says that a step is good.

import { codeForm, door, enter } from "./door.js";
import { made } from "./feed.js";
import { say as sayPhone } from "./phone_words.js";
import { phoneRow } from "./phones.js";
import { say } from "./setup_words.js";
import { apply, either, language, speak } from "./words.js";

const at = (id) => document.getElementById(id);
let state = null, phones = null, drawn = "", leaving = false;

async function send(path, body) {
  const answer = await fetch(path, { method: "POST", headers: { "Content-Type": "application/json", "X-Paletti-Token": door.token }, body: JSON.stringify(body) }).catch(() => null);
  if (!answer) { at("told").textContent = say("lost"); return null; }
  const told = await answer.json();
  if (answer.ok) return told;
  if (answer.status === 401) await enter();
  at("told").textContent = `${either(told, "sentence", "german")} ${told.hint ?? ""}`.trim();
  return null;
}

async function act(name, value = "") {
  const told = await send("/setup/act", { act: name, value });
  if (told) { state = told; show(); }
}

const button = (key, deed, main = false) => Object.assign(made("button", main ? "main" : "", say(key)), { type: "button", onclick: deed });
const lead = (key) => made("p", "", say(key));

// Each step: what stands in its body, its buttons, and whether its pictures are shown.
const STEPS = {
  have: () => ({ body: [...[1, 2, 3, 0].map((n) => {
    const one = button(`phones_${n}`, () => act("have", String(n)));
    one.className = "choice";
    one.append(made("small", "", say(`rung_${n}`)));
    return one;
  })] }),
  print: () => {
    const a4 = Object.assign(made("a", "button main", say("open_a4")), { href: "/setup/sheet-a4.pdf", target: "_blank", rel: "noopener" });
    const letter = Object.assign(made("a", "quiet", say("open_letter")), { href: "/setup/sheet-letter.pdf", target: "_blank", rel: "noopener" });
    const ruler = Object.assign(made("input"), { id: "ruler", inputMode: "decimal", autocomplete: "off", maxLength: 6, placeholder: "100" });
    const label = made("label", "field", made("span", "", say("ruler")), ruler);
    return { body: [made("div", "row", a4, letter), lead("print_check"), label], buttons: [button("printed", () => act("printed", ruler.value.trim() || "100"), true)], art: "sheet" };
  },
  lay: () => ({ body: [lead("lay_where")], buttons: [button("laid", () => act("laid"), true)], art: "table" }),
  connect: () => {
    const qr = Object.assign(made("img"), { id: "qr", src: "/phones/qr.svg", alt: "QR" });
    return { body: [made("p", "small", sayPhone("same_net")), made("p", "small", sayPhone("warn")), made("ul", "", "")], show: [qr] };
  },
  lens: () => ({ buttons: [button("usual", () => act("usual"))], pictures: true }),
  pose: () => ({ buttons: [button("empty", () => act("empty"), true)], pictures: true }),
  colours: () => ({ buttons: [button("stand", () => act("stand"), true)], pictures: true }),
  plateau: () => ({ buttons: [button("lies", () => act("lies"), true), button("skip", () => act("skip"))], pictures: true }),
  check: () => ({ pictures: true }),
  names: () => ({ body: [namesForm()] }),
  play: () => ({ body: [namesForm()] }),
};

function namesForm() {
  const form = made("form", "names");
  for (let n = 1; n <= 4; n += 1) {
    const input = Object.assign(made("input"), { name: "name", maxLength: 30, autocomplete: "off", required: n <= 2, placeholder: say("player", { n }) });
    input.setAttribute("aria-label", say("player", { n }));
    form.append(input);
  }
  const rules = made("select");
  rules.setAttribute("aria-label", say("rules"));
  for (const name of state.rules ?? ["rulebook"]) rules.append(Object.assign(made("option", "", name === "rulebook" ? say("rulebook") : name), { value: name }));
  form.append(made("label", "field", made("span", "", say("rules")), rules), Object.assign(made("button", "main", say("play")), { type: "submit" }));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const names = [...form.querySelectorAll("input")].map((input) => input.value.trim()).filter(Boolean);
    const told = await send("/setup/play", { names, rules: rules.value });
    if (told) leave(told.url);
  });
  return form;
}

// The game is served at the same address a moment later.
async function leave(url) {
  leaving = true;
  at("told").textContent = "";
  at("lead").textContent = say("beginning");
  at("body").replaceChildren();
  at("buttons").replaceChildren();
  for (;;) {
    await new Promise((done) => setTimeout(done, 700));
    const answer = await fetch("/desk.json").catch(() => null);
    if (answer?.ok && !(await fetch("/setup.json").catch(() => ({ ok: true }))).ok) break;
  }
  location.href = url;
  if (new URL(url, location.href).pathname === location.pathname) location.reload();
}

function show() {
  if (leaving || !state) return;
  apply();
  const key = JSON.stringify([state.step, language, state.phones]);
  if (key !== drawn) { drawn = key; draw(); }
  const told = either(state);
  if (told || !state.refused) at("told").textContent = told;
  if (state.step === "connect" && phones) at("body").querySelector("ul")?.replaceChildren(...phones.map(phoneRow));
  for (const camera of state.cameras) {
    const figure = document.querySelector(`figure[data-camera="${camera.camera}"]`);
    if (!figure) continue;
    figure.className = camera.good ? "good" : "";
    const words = [either(camera), state.step === "lens" && camera.views ? say("views", { n: camera.views }) : ""].filter(Boolean).join(" · ");
    figure.querySelector("figcaption").replaceChildren(made("b", "", sayPhone("camera", { n: camera.camera })), ` ${words}`);
  }
  const empty = [...at("buttons").querySelectorAll("button.main")].at(0);
  if (empty && state.step === "pose") empty.disabled = !state.ready;
}

function draw() {
  const step = STEPS[state.step](), steps = state.steps, here = Math.max(0, steps.indexOf(state.step));
  at("count").textContent = say("count", { n: here + 1, of: steps.length });
  at("dots").replaceChildren(...steps.map((_, k) => made("li", k < here ? "past" : k === here ? "here" : "")));
  at("title").textContent = say(`${state.step === "play" ? "names" : state.step}_title`);
  at("lead").textContent = say(`${state.step === "play" ? "names" : state.step}_lead`);
  at("body").replaceChildren(...(step.body ?? []));
  at("buttons").replaceChildren(...(step.buttons ?? []), ...(here > 0 ? [button("back", () => act("back"))] : []));
  const pictures = step.pictures ? state.cameras.map((camera) => {
    const figure = made("figure", "", Object.assign(made("img"), { alt: "" }), made("figcaption"));
    figure.dataset.camera = camera.camera;
    return figure;
  }) : [];
  at("show").replaceChildren(...(step.show ?? []), ...pictures, ...(step.art ? [Object.assign(made("img", "art"), { src: `/static/setup_${step.art}.svg`, alt: "" })] : []));
  at("show").dataset.step = state.step;
  document.body.dataset.step = state.step;
}

async function poll() {
  for (;;) {
    if (leaving) return;
    const answer = await fetch("/setup.json").catch(() => null);
    if (answer?.ok) { state = await answer.json(); show(); }
    if (answer?.status === 404) { location.href = "/"; return; }
    if (state?.step === "connect") phones = (await (await fetch("/phones.json").catch(() => null))?.json())?.phones ?? phones;
    for (const figure of document.querySelectorAll("figure")) {
      const picture = figure.querySelector("img"), next = new Image();
      next.onload = () => { picture.src = next.src; };
      next.src = `/setup/picture/${figure.dataset.camera}.jpg?${Date.now()}`;
    }
    await new Promise((done) => setTimeout(done, 500));
  }
}

at("language").addEventListener("click", () => { speak(language === "de" ? "en" : "de"); drawn = ""; show(); });
await enter();
if (door.role !== "host") {
  at("lead").textContent = say("need_code");
  at("body").replaceChildren(codeForm());
  await new Promise((done) => { door.changed = () => { if (door.role === "host") done(); }; });
}
poll();
