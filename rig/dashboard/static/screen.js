// Puts the state on the screen. The state comes whole at first and then in changes; this file says where each part of it is shown.

import { Desk } from "./desk.js";
import { door, enter } from "./door.js";
import { Feed, made } from "./feed.js";
import { Lines } from "./lines.js";
import * as pieces from "./pieces.js";
import { Stream } from "./stream.js";
import * as tower from "./tower.js";
import { POINTS, apply, clock, either, language, lock, phrase, speak, word } from "./words.js";

const id = (name) => document.getElementById(name);
const live = document.body.dataset.mode === "live";
const state = { view: null, ask: null, rulings: [], facts: [], sources: {}, link: null, info: {}, set: null, steps: [], cameras: {}, t_s: 0 };
const facts = new Map();
const feed = new Feed(id("feed"), facts, id("spoken"));
const desk = new Desk(state);
const weight = new Lines(id("weight"));
const tilt = new Lines(id("tilt"));
const images = new Map();
feed.amends = (ruling) => desk.amends(ruling);
desk.heading = () => doing(state.view);
desk.pictures = () => { for (const entry of images.values()) entry.shown = null; render(); };
let stream = null;
let told = "";       // why the stream is over, if it is
let closedVerdict = "";
weight.setUp([[1, "--brass"]], 40, 0, " g");
tilt.setUp([[1, "--brass"], [2, "--blue"]], 0.2, 2, "°");

function whole(next) {
  Object.assign(state, next);
  facts.clear();
  for (const fact of state.facts) facts.set(fact.id, fact);
  weight.reset(next.weight, next.steps.map(mark));
  tilt.reset(next.tilt);
  told = "";
  lock(state.view);
  feed.reset(state.rulings);
  desk.refresh();
  for (const camera of images.keys()) if (!(camera in state.cameras)) images.delete(camera);
  id("cameras").hidden = Boolean(state.info.private);
  id("cameras").replaceChildren(...[...images.values()].map((entry) => entry.figure));
  for (const [camera, t_s] of Object.entries(state.cameras)) picture(camera, t_s);
  render();
}

function heard(kind, data) {
  if (kind === "view") { state.view = data; state.ask = data.ask; state.t_s = Math.max(state.t_s, data.t_s); render(); }
  else if (kind === "ruling") { state.rulings.push(data); feed.add(data); desk.refresh(); }
  else if (kind === "fact") { facts.set(data.id, data); state.facts.push(data); render(); }
  else if (kind === "ask") { state.ask = data; render(); }
  else if (kind === "weight") { weight.add(data); state.t_s = Math.max(state.t_s, data.at(-1)[0]); }
  else if (kind === "tilt") tilt.add(data);
  else if (kind === "step") weight.mark(mark(data));
  else if (kind === "source") { state.sources[data.source] = data; render(); }
  else if (kind === "link") { state.link = data; alarms(); render(); }
  else if (kind === "tared") desk.tared(data);
  else if (kind === "info") { state.info = data; render(); }
  else if (kind === "set") { state.set = data; render(); }
  else if (kind === "picture") { state.cameras[data.camera] = data.t_s; picture(data.camera, data.t_s); }
  else if (kind === "beat") state.t_s = Math.max(state.t_s, data.t_s);
  if (stream) Object.assign(document.body.dataset, { events: stream.events, holes: stream.holes, last: stream.last ?? "" });
}

function mark(step) {
  const grams = Math.round(step.delta_g);
  const text = step.kind === "lifted" || step.kind === "set down" ? `${grams > 0 ? "+" : "−"}${Math.abs(grams)} g` : step.kind === "knock" ? "⚡" : "~";
  return { t_s: step.end_t_s, text };
}

// ---------------------------------------------------------------- what hangs on the view

function render() {
  const view = state.view;
  document.body.dataset.state = view?.state ?? "";
  if (lock(view)) feed.reset(state.rulings);
  id("state-word").textContent = view ? word(view.state, "states") : word(live ? "waiting" : "loading");
  turn(view);
  seats(view);
  seal(view);
  tower.draw(id("tower"), view, state.set, lastColumn());
  tower.outside(id("outside-row"), view?.removed ?? [], state.set);
  id("outside").hidden = !view?.removed.length;
  desk.render();
  senses(view);
  const ask = state.ask && (!view || view.outcome === null) ? state.ask : null;
  desk.question(ask, ask ? either(ask, "question_english", "question_german") : "");
  verdict(view);
  about();
  alarms();
}

function names(view, numbers) {
  return numbers.map((k) => view.seats[k]?.name ?? `#${k + 1}`).join(word("and"));
}

function turn(view) {
  const player = view && view.turn !== null && view.state !== "over" ? view.seats[view.turn] : null;
  const common = !view ? "waiting" : view.outcome || view.state === "over" ? "game_over" : view.phase === "draw" ? "draw_colours" : "all_build";
  id("turn-label").textContent = player ? word("your_turn") : "";
  const name = player ? player.name : word(common);
  id("turn-name").classList.toggle("long", name.length > 11);
  replaceIfChanged(id("turn-name"), `${name}|${player?.colours}`, () => [...(player?.colours ?? []).map(pieces.glyph), name]);
  const next = player && view.seats.length > 1 && view.phase !== "set_up" ? view.seats[(view.turn + 1) % view.seats.length] : null;
  setText(id("next-up"), next ? phrase("next_up", { who: next.name }) : "");
  doing(view);
}

// What is going on, or what the game waits for. While a sense is out, that is what is said: a dead camera does not see hands.
function doing(view) {
  const leans = view && !view.outcome && view.leaning_deg > 0, blind = troubles(view).find((one) => one.source.startsWith("camera"));
  id("doing").classList.toggle("leans", Boolean(leans));
  let text = "";
  if (leans) text = phrase("leans", { n: view.leaning_deg });
  else if (view && !view.outcome) text = (view.state !== "asking" && blind && says(blind)) || desk.headline() || either({ english: view.doing, german: view.doing_german }) || word(view.phase, "phases");
  setText(id("doing"), text);
}

// The sources that are not well, the worst word of each once: a pulled plug is one sentence, however many senses miss it.
const RANKS = ["stale", "fault", "lost"];
const FAMILY = (source) => (/^(base|scale|link|imu|cell|motion|tilt)/.test(source) ? "base" : source);
function troubles(view) {
  const link = state.link && state.link.health !== "good" ? [{ ...state.link, source: "base" }] : [];
  const worst = new Map();
  for (const one of [...Object.values(state.sources), ...Object.values(view?.health ?? {}), ...link]) {
    if (one.health === "good") continue;
    const family = FAMILY(one.source), known = worst.get(family);
    if (!known || RANKS.indexOf(one.health) > RANKS.indexOf(known.health)) worst.set(family, { ...one, source: family });
  }
  return [...worst.values()];
}

const says = (one) => either(one, "sentence", "german");

// Every sense and how it is, at a glance.
function senses(view) {
  const bad = new Map(troubles(view).map((one) => [one.source, one.health]));
  const known = [...new Set([...Object.keys(state.cameras).map((k) => `camera ${k}`), ...(state.link || weight.points.length ? ["base"] : []), ...bad.keys()])].sort();
  replaceIfChanged(id("senses-now"), JSON.stringify([known, [...bad], language]), () => known.map((source) => {
    const name = source.startsWith("camera") ? `${word("camera")} ${source.split(" ")[1]}` : source === "base" ? word("scale", "senses") : source;
    const item = made("li", bad.get(source) ?? "good", made("span", "mark", bad.has(source) ? "✕" : "✓"), name);
    item.dataset.source = source;
    return item;
  }));
}

function seats(view) {
  const now = JSON.stringify([view?.seats, view?.turn, view?.holder, view?.face, language]);
  replaceIfChanged(id("seats"), now, () => (view?.seats ?? []).map((seat, k) => {
    const chips = made("span", "chips", ...seat.colours.map(pieces.glyph));
    const holds = made("span", "holds");
    if (view.holder === k) {
      const bar = pieces.node("svg", { viewBox: "0 0 132 74", "aria-hidden": "true" });
      bar.append(...pieces.seal(view.face));
      holds.append(bar, made("span", "spoken", word("holder")));
    }
    const score = made("span", seat.probable ? "score probable" : "score", String(seat.score));
    score.setAttribute("aria-label", `${seat.score} ${word(seat.score === 1 ? "point" : "points")}`);
    const item = made("li", view.turn === k && view.state !== "over" ? "turn" : "", chips, made("span", "who", seat.name), holds, score);
    item.dataset.seat = k;
    if (view.turn === k) item.setAttribute("aria-current", "true");
    return item;
  }));
}

function seal(view) {
  id("seal").hidden = !view?.seats.length;
  if (!view) return;
  const holder = view.holder === null ? null : view.seats[view.holder];
  replaceIfChanged(id("seal-bar"), String(holder && view.face), () => pieces.seal(holder ? view.face : null));
  setText(id("seal-holder"), holder ? holder.name : word("nobody_yet"));
  const own = holder && view.face && holder.colours.includes(view.face);
  setText(id("seal-face"), !holder ? "" : own || !view.face ? word("no_predecessor") : `${word("shows")} ${word(view.face)}`);
}

function lastColumn() {
  for (let k = state.facts.length - 1; k >= 0; k -= 1) if (state.facts[k].column) return state.facts[k].column;
  return null;
}

function verdict(view) {
  const outcome = view?.outcome, dialog = id("verdict");
  const now = outcome ? JSON.stringify([outcome, language]) : "";
  if (dialog.dataset.shown === now) return;
  dialog.dataset.shown = now;
  if (!outcome) { dialog.close(); return; }
  const winners = outcome.winners;
  id("verdict-label").textContent = word("the_end");
  const glyphs = winners.flatMap((k) => view.seats[k]?.colours ?? []).map(pieces.glyph);
  id("verdict-who").replaceChildren(...glyphs, winners.length ? phrase(winners.length > 1 ? "win" : "wins", { who: names(view, winners) }) : word("nobody"));
  id("verdict-why").textContent = because(view, outcome) || either(outcome);
  id("verdict-culprit").textContent = outcome.culprit === null ? "" : phrase("toppled", { who: names(view, [outcome.culprit]) });
  id("verdict-scores").replaceChildren(...view.seats.map((seat) => made("li", "", ...seat.colours.map(pieces.glyph), seat.name, made("b", "", String(seat.score)))));
  const event = JSON.stringify(outcome);
  if (closedVerdict !== event && !dialog.open) dialog.showModal();
  dialog.onclose = () => { closedVerdict = event; };
}

// Why it ended so, by the rules of the seal (E2 to E4).
function because(view, outcome) {
  const { winners, culprit } = outcome, holder = view.holder, name = (k) => view.seats[k]?.name ?? "";
  const own = holder !== null && view.face && view.seats[holder].colours.includes(view.face);
  if (!winners.length) return culprit === null ? "" : holder === null ? word("none", "why") : phrase("first", { culprit: name(culprit) }, "why");
  if (winners.length > 1) return "";
  const who = name(winners[0]);
  if (culprit === null) return winners[0] === holder ? phrase("end", { who }, "why") : "";
  if (winners[0] === holder && culprit !== holder) return phrase("holder", { who, culprit: name(culprit) }, "why");
  if (culprit === holder && view.face && !own) return phrase("face", { who, face: word(view.face), holder: name(holder) }, "why");
  return "";
}

function about() {
  const info = state.info, lines = [];
  const listed = (parts) => parts.map((part) => part.replace(/\.$/, "")).join(", ");
  if (info.rung) lines.push(either(info.rung));
  if (info.real?.length) lines.push(`${word("real")}: ${listed(info.real)}.`);
  if (info.stand_ins?.length) lines.push(`${word("stands_in")}: ${listed(info.stand_ins)}.`);
  if (state.about) lines.push(`${state.about.name}: ${Object.entries(state.about.header).filter(([key]) => key !== "lock").map(([key, value]) => `${key} ${value}`).join(", ")}.`);
  setText(id("parts"), lines.join(" "));
  id("recording").hidden = !info.recording;
  id("recording").title = info.recording ?? "";
  const factor = info.speed_factor;
  id("speed").hidden = typeof factor !== "number" || Math.abs(factor - 1) < 0.03;
  if (typeof factor === "number") id("speed").textContent = `${factor.toFixed(factor < 1 ? 2 : factor < 10 ? 1 : 0)}${word("times")}`;
}

// ---------------------------------------------------------------- pictures, lines, age

function picture(camera, t_s) {
  let entry = images.get(Number(camera));
  if (!entry) {
    const image = made("img"), caption = made("figcaption");
    image.width = 720;
    image.height = 1280;
    const figure = made("figure", "", image, caption);
    figure.dataset.camera = camera;
    entry = { image, caption, t_s: -1, loading: false, figure };
    images.set(Number(camera), entry);
    id("cameras").replaceChildren(...[...images.keys()].sort((a, b) => a - b).map((k) => images.get(k).figure));
    image.onload = () => { entry.loading = false; if (entry.wanted !== entry.shown) load(camera, entry); };
    image.onerror = () => { entry.loading = false; };
  }
  entry.wanted = t_s;
  entry.image.alt = `${word("camera")} ${camera}`;
  load(camera, entry);
}

function load(camera, entry) {
  if (entry.loading || document.hidden || state.info.private || !door.pictures) return;
  entry.loading = true;
  entry.shown = entry.wanted;
  const stem = live ? "" : `/archive/${encodeURIComponent(document.body.dataset.name)}`;
  entry.image.src = `${stem}/camera/${camera}.jpg?t=${entry.wanted}`;
}

function alarms() {
  const over = state.view?.state === "over" || Boolean(state.view?.outcome);
  let text = told ? word(told) : "";
  let age = 0;
  if (live && stream && !told) {
    const { line, session } = stream.age();
    if (line > 1) [text, age] = [word("no_line"), line];
    else if (session > 1 && !over && state.view) [text, age] = [word("silent"), session];
  }
  document.body.classList.toggle("stale", Boolean(text));
  if (!text) {
    const sentences = [state.info.trouble, state.info.slow, ...troubles(state.view).map(says), state.about?.damage];
    text = [...new Set(sentences.filter(Boolean))].join(" ").replace(/ (?:for|seit) (\d[\d.]*) s\b/, (_, seconds) => { age = Number(seconds); return ""; });
  }
  setText(id("alarm-text"), text);  // spoken once; the seconds that pass are only shown
  setText(id("alarm-age"), age ? `${Math.floor(age)} s` : "");
  id("alarm").hidden = !text;
}

function frame() {
  weight.draw();
  tilt.draw();
  const last = weight.points.at(-1);
  setText(id("weight-now"), weight.now(1) ?? (last?.[5] || "–"));
  setText(id("tilt-now"), tilt.points.length ? `${tilt.now(1) ?? "–"}  ${tilt.now(2) ?? "–"}` : "–");
  setText(id("clock"), clock(state.t_s));
  requestAnimationFrame(frame);
}

function ages() {
  if (live) alarms();
  for (const [camera, entry] of images) {
    const age = live ? state.t_s - state.cameras[camera] : 0;
    replaceIfChanged(entry.caption, `${age > 1.5 ? Math.round(age) : ""}|${language}`, () =>
      age > 1.5 ? [made("span", "old", `${word("camera")} ${camera}, ${Math.round(age)} ${word("old")}`)] : [`${word("camera")} ${camera}`]);
  }
  id("weight").setAttribute("aria-label", `${word("weight")} ${weight.now(1) ?? "–"}`);
  id("tilt").setAttribute("aria-label", `${word("tilt")} ${tilt.now(1) ?? "–"}`);
}

function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

function replaceIfChanged(node, now, build) {
  if (node.dataset.shown === now) return;
  node.dataset.shown = now;
  node.replaceChildren(...build());
}

// ---------------------------------------------------------------- begin

function relabel() {
  apply();
  tower.legend(id("legend"), state.set, POINTS);
  feed.reset(state.rulings);
  render();
}

id("tower").addEventListener("click", (event) => desk.tapped(event));
id("language").addEventListener("click", () => { speak(language === "de" ? "en" : "de"); relabel(); });
id("all-rulings").addEventListener("click", (event) => {
  const all = id("feed").classList.toggle("all");
  event.currentTarget.setAttribute("aria-pressed", String(all));
});
id("lines-box").addEventListener("toggle", () => { weight.dirty = tilt.dirty = true; });
id("verdict-close").addEventListener("click", () => id("verdict").close());
relabel();
requestAnimationFrame(frame);
setInterval(ages, 250);
enter();
if (live) stream = new Stream(heard, whole, (why) => { told = why; alarms(); });
else {
  fetch(document.body.dataset.source).then(async (answer) => {
    const found = await answer.json();
    if (answer.ok) whole(found);
    else { told = `${found.sentence} ${found.hint}`; alarms(); }
  });
}
