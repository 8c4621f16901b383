// The rulings, newest first; each opens to the facts it rests on and what every sense said.

import { RULES } from "./rule_words.js";
import { FLOORS, clock, column, either, language, word } from "./words.js";

const MINOR = new Set(["turn", "starts", "touched", "unchallenged", "set_aside", "passed", "stopped"]);
const GRAVE = new Set(["violation", "refused", "collapse", "incident", "outside"]);
const AMENDS = new Set(["corrected", "table_ruled"]);
const BRIGHT = new Set(["seal", "laid", "over", "drew"]);

function made(tag, className, ...children) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.append(...children);
  return element;
}

export class Feed {
  constructor(list, facts, spoken) {
    Object.assign(this, { list, facts, spoken, rulings: [] });
    list.addEventListener("keydown", (event) => this.arrow(event));
  }

  // All rulings are one stop of the tab key; the arrows lead from one to the next.
  arrow(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key], here = event.target.closest?.("summary");
    if (!step || !here) return;
    const all = [...this.list.querySelectorAll("summary")].filter((one) => one.offsetParent), next = all[all.indexOf(here) + step];
    event.preventDefault();
    if (!next) return;
    here.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  }

  reset(rulings) {
    this.rulings = rulings.slice();
    const open = new Set([...this.list.querySelectorAll("details[open]")].map((details) => details.dataset.ruling));
    this.list.replaceChildren(...this.rulings.map((ruling) => this.item(ruling, open.has(String(ruling.id)))).reverse());
    this.lead();
    this.strike();
    if (!this.rulings.length) this.list.append(made("li", "empty", word("no_rulings")));
  }

  add(ruling) {
    if (!this.rulings.length) this.list.replaceChildren();
    this.rulings.push(ruling);
    const item = this.item(ruling, false);
    item.classList.add("new");
    const stay = this.list.scrollTop > 40;
    const before = this.list.scrollHeight;
    this.list.prepend(item);
    this.lead();
    this.strike();
    if (!MINOR.has(ruling.kind) && this.spoken) this.spoken.replaceChildren(made("p", "", either(ruling)));
    if (stay) this.list.scrollTop += this.list.scrollHeight - before;  // whoever reads further down is left there
  }

  // A correction, or the table's ruling, voids what was ruled before from that event on; what still holds is told anew after it.
  strike() {
    let from = Infinity;
    const revised = new Set(this.rulings.map((ruling) => ruling.revises).filter((one) => one !== null && one !== undefined));
    for (const one of revised) this.list.querySelector(`details[data-ruling="${one}"]`)?.closest("li").classList.add("void");
    for (const ruling of [...this.rulings].reverse()) {
      const number = ruling.data?.number;
      if (number >= from) this.list.querySelector(`details[data-ruling="${ruling.id}"]`)?.closest("li").classList.add("void");
      if (AMENDS.has(ruling.kind)) from = Math.min(from, ruling.data?.event ?? Infinity);
    }
  }

  // The newest ruling that changes something is the one to be read from afar.
  lead() {
    this.list.querySelector(".lead")?.classList.remove("lead");
    this.list.querySelector("li:not(.minor)")?.classList.add("lead");
    for (const old of this.list.querySelectorAll(".recent")) old.classList.remove("recent");
    for (const one of [...this.list.querySelectorAll("li:not(.minor)")].slice(0, 3)) one.classList.add("recent");
    const all = [...this.list.querySelectorAll("summary")], first = all.find((one) => one.offsetParent) ?? all[0];
    for (const one of all) one.tabIndex = one === first ? 0 : -1;
  }

  item(ruling, open) {
    const rules = made("span", "rules", ...ruling.rule_ids.map((id) => made("span", "", id)));
    if (ruling.probable) rules.prepend(made("b", "tag", word("probably")));
    if (ruling.revises !== null && ruling.revises !== undefined) rules.prepend(made("b", "tag", word("revised")));
    const more = made("span", "more", word("evidence"));
    if (ruling.facts.length) rules.append(more);
    const time = made("time", "", clock(ruling.t_s));
    const details = made("details", "", made("summary", "", time, made("span", "sentence", either(ruling)), rules));
    details.dataset.ruling = ruling.id;
    const show = () => {
      if (!details.open) return;
      for (const old of details.querySelectorAll(".evidence, .amend, .why")) old.remove();
      details.append(...why(ruling.rule_ids), ...this.evidence(ruling), ...(this.amends?.(ruling) ?? []));
    };
    details.addEventListener("toggle", show);
    details.open = open;
    const weight = MINOR.has(ruling.kind) ? "minor" : GRAVE.has(ruling.kind) ? "grave" : BRIGHT.has(ruling.kind) ? "bright" : "";
    const item = made("li", ruling.probable ? `${weight} probable` : weight, details);
    item.dataset.kind = ruling.kind;
    return item;
  }

  evidence(ruling) {
    const facts = ruling.facts.map((id) => this.facts.get(id)).filter(Boolean);
    if (!facts.length) return [made("div", "evidence", word("no_evidence"))];
    return facts.map((fact) => {
      const meter = made("meter");
      Object.assign(meter, { min: 0, max: 1, value: fact.confidence });
      const percent = `${fact.confidence > 0.9995 ? "> 99.9" : (100 * fact.confidence).toFixed(1)} %`;
      const what = [word(fact.kind, "facts"), fact.column && column(fact.column), fact.floor !== null && word(FLOORS[fact.floor])].filter(Boolean).join(" · ");
      const senses = fact.evidence.map((one) => {
        const line = made("li", "", made("b", "", word(one.sense, "senses")), ` ${one.sentence}`);
        if (one.frames.length) line.append(made("div", "shots", ...one.frames.map(shot)));
        return line;
      });
      const numbers = Object.entries(fact.details ?? {}).map(([name, value]) => `${name} ${Number(value).toFixed(2)}`).join(", ");
      const box = made("div", "evidence", made("div", "sure", what, meter, `${percent} ${word("sure")}`), made("ul", "", ...senses));
      if (numbers) box.append(made("small", "", numbers));
      return box;
    });
  }
}

// What the cited rules say, in the language of the screen.
function why(ids) {
  const known = ids.filter((id) => RULES[id]);
  if (!known.length) return [];
  return [made("dl", "why", ...known.flatMap((id) => [made("dt", "", id), made("dd", "", RULES[id][language === "de" ? 1 : 0])]))];
}

function shot(n) {
  const link = made("a");
  link.href = `/frame/${n}.jpg`;
  link.target = "_blank";
  const image = made("img");
  image.alt = `${word("picture")} ${n}`;
  image.loading = "lazy";
  image.onerror = () => link.replaceWith(made("span", "", `${word("picture")} ${n} (${word("not_kept")})`));
  image.src = link.href;
  link.append(image);
  return link;
}

export { made };
