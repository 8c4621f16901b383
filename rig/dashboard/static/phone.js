// The page that makes a phone a camera: what it sees, what the referee says to that, and how good the line is.

import { Camera, locked, stayAwake } from "./phone_camera.js";
import { Link } from "./phone_link.js";
import { applyHere, say } from "./phone_words.js";
import { apply, decimal, either, language, speak } from "./words.js";

const at = (id) => document.getElementById(id);
const code = /[#&]code=([^&]+)/.exec(location.hash)?.[1];
let state = null, link = null, awake = null, battery = null, restarted = 0;

const camera = new Camera(at("picture"), () => show());

function why() {
  if (!window.isSecureContext) return "insecure";
  if (!navigator.mediaDevices?.getUserMedia) return "old";
  return code ? "" : "no_code";
}

// One sentence, the most urgent; whether all is well.
function sentence() {
  const first = why() || camera.trouble;
  if (first) return [say(first), false];
  if (link?.refused) return [either(link.refused), false];
  if (!camera.stream) return [say("starting"), false];
  if (camera.landscape) return [say("landscape"), false];
  if (!link?.open_now) return [say(link?.tries ? "offline" : "connecting"), false];
  return state ? [either(state), state.good] : [say("connecting"), false];
}

function show() {
  apply();
  applyHere();
  const [text, good] = sentence();
  if (at("told").textContent !== text) at("told").textContent = text;
  document.body.dataset.good = good ? "yes" : "no";
  const number = link?.welcome?.camera;
  at("number").textContent = number ? say("camera", { n: number }) : "Villa Paletti";
  at("again").hidden = !["no_permission", "busy", "no_camera"].includes(camera.trouble) || why() !== "";
  at("secure").hidden = why() !== "insecure";
  at("lines").replaceChildren(...lines().map(([name, value, fine]) => {
    const row = document.createElement("div");
    row.append(Object.assign(document.createElement("dt"), { textContent: name }), Object.assign(document.createElement("dd"), { textContent: value }));
    row.className = fine ? "" : "weak";
    return row;
  }));
}

function lines() {
  const rows = [];
  if (state?.lag_ms != null) rows.push([say("delay"), `${state.lag_ms} ms`, state.lag_ms < 400]);
  if (state?.offset_ms != null) rows.push([say("clock"), `${decimal(state.offset_ms / 1000, 3)} s ± ${state.doubt_ms} ms`, true]);
  if (state) rows.push([say("pictures"), decimal(state.per_s, 1), state.per_s >= 4]);
  if (state?.dropped) rows.push([say("dropped"), String(state.dropped), false]);
  if (battery) rows.push([say("battery"), `${Math.round(battery.level * 100)} %`, battery.charging || battery.level > 0.2]);
  for (const [key, held] of Object.entries(locked)) if (camera.stream) rows.push([say(key), say(held ? "locked" : "free"), true]);
  if (awake !== null) rows.push(["☀", say(awake ? "awake" : "may_sleep"), awake]);
  return rows;
}

function heard(told) {
  if (told) {
    state = told;
    if (told.restart > restarted) camera.start();
    restarted = told.restart;
  }
  show();
}

at("language").addEventListener("click", () => { speak(language === "de" ? "en" : "de"); show(); });
at("again").addEventListener("click", () => camera.start());
addEventListener("hashchange", () => location.reload()); // another code was scanned
addEventListener("orientationchange", () => setTimeout(show, 300));
navigator.getBattery?.().then((found) => {
  battery = found;
  const tell = () => { if (link) link.battery = battery.charging ? 1 : battery.level; show(); };
  battery.addEventListener("levelchange", tell);
  battery.addEventListener("chargingchange", tell);
  tell();
}).catch(() => {});
if (!why()) {
  camera.start();
  link = new Link(decodeURIComponent(code), camera, heard);
  if (battery) link.battery = battery.charging ? 1 : battery.level;
  awake = await stayAwake();
}
show();
