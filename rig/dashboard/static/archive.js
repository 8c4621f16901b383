// The list of recordings: what each holds, how it ended, and how much of it is good.

import { made } from "./feed.js";
import { apply, clock, decimal, either, language, speak, word } from "./words.js";

let recordings = [];

function show() {
  apply();
  document.getElementById("recordings").replaceChildren(...recordings.map((one) => {
    const name = made(one.readable ? "a" : "span", one.readable ? "" : "name", one.name);
    if (one.readable) name.href = `/archive/${encodeURIComponent(one.name)}`;
    const item = made("li", "", name);
    const told = one.outcome ?? one.last;
    if (told) item.append(made("p", "how", either(told)));
    const day = new Date(one.changed_at * 1000).toLocaleString(language, { dateStyle: "long", timeStyle: "short" });
    const parts = [day, `${decimal(one.bytes / 1e6, 1)} MB`];
    if (one.readable) parts.unshift(one.players.join(", ") || "–", clock(one.seconds), `${one.rulings} ${word("rulings")}`);
    item.append(made("p", "", parts.join(" · ")));
    if (one.running) item.append(made("p", "how", word("running")));
    if (one.damage) item.append(made("p", "damage", one.damage));
    return item;
  }));
  document.getElementById("told").textContent = recordings.length ? "" : "–";
}

document.getElementById("language").addEventListener("click", () => { speak(language === "de" ? "en" : "de"); show(); });
apply();
recordings = await (await fetch("/archive.json")).json();
show();
