// Telling what happened, by tap: which column and what became of it, a plateau, a fall. Each page ends in one line of the rules' notation,
// which goes to the desk, or, while an earlier event is put right, into the list of what really happened.

import { made } from "./feed.js";
import { glyph } from "./pieces.js";
import { button, radios, select, tell, tick } from "./sheet.js";
import { say } from "./door.js";
import { FLOORS, column as columnWord, either, phrase, word } from "./words.js";

export const piece = (text) => {
  const [colour, shape, number] = text.split("-");
  return { colour, shape, number: Number(number) };
};
// Wooden columns bear no numbers: a column is called by one only where that tells it from its like, because it is locked.
export const nameOf = (text, books) => columnWord(piece(text), Boolean(books?.columns.find((one) => one.column === text)?.locked));
export const named = (text, books) => [glyph(piece(text).colour), ` ${nameOf(text, books)}`];
export const told = (key, values) => tell(key).replace(/\{(\w+)\}/g, (_, name) => values[name]);
const quoted = (name) => `"${name}"`;

export class Teller {
  // `books()` is the moment that is told about; `put(line)`, while an event is put right, takes the line instead of the desk.
  constructor(sheet) {
    Object.assign(this, { sheet, books: () => null, put: null, by: null, alike: false, told: () => {} });
  }

  async tell(line) {
    if (this.put) { this.put(line); return; }
    const wrong = await this.once(() => this.send(line, false));
    if (wrong === "") { this.told(); this.sheet.home(); }
    else if (wrong !== undefined) this.complain(wrong);
    return wrong;
  }

  // One thing at a time: the second tap of a double tap tells nothing.
  async once(act) {
    if (this.busy) return undefined;
    this.busy = true;
    try { return await act(); } finally { this.busy = false; }
  }

  complain(wrong) {
    if (this.sheet.pages.length) this.sheet.say(wrong);
    else this.sheet.push([tell("no")], () => [made("p", "", wrong), button(word("cancel"), () => this.sheet.home())]);
  }

  // "" if it was taken, the sentence if not; undefined if it breaks a rule and is asked about once more.
  async send(line, sure, keep = 0) {
    const answer = await say("/told", { line, sure });
    if (typeof answer === "string" || answer === null) return answer === null ? word("full") : answer;
    this.sheet.push([either(answer, "sentence", "german")], () => [
      made("p", "dim", tell("against")), made("p", "", tell("really")),
      button(tell("no_mistake"), () => this.sheet.home(keep), "main"),
      button(tell("it_happened"), async () => {
        const wrong = await this.once(() => this.send(line, true));
        if (wrong === "") { this.told(); this.sheet.home(keep); }
        else if (wrong !== undefined) this.sheet.say(wrong);
      }, "grave"),
    ]);
    return undefined;
  }

  legal(start) {
    return (this.books()?.offers ?? []).filter((line) => line === start || line.startsWith(`${start} `));
  }

  // ---------------------------------------------------------------- columns

  // Buttons for these columns, floor by floor from the top; those that nobody can tell apart are one button ("thin ×3").
  chips(columns, act) {
    const floors = FLOORS.filter((floor) => columns.some((one) => one.floor === floor)).reverse();
    return floors.map((floor) => made("div", "floor", made("h3", "label", word(floor)), made("div", "chips", ...this.groups(columns.filter((one) => one.floor === floor)).map((alike) => {
      const one = alike[0], { colour, shape, number } = piece(one.column);
      const text = alike.length > 1 ? `${word(shape)} ×${alike.length}` : one.locked || !this.alike ? `${word(shape)} ${number}` : word(shape);
      const chip = button([glyph(colour), made("span", "", text), ...(one.locked ? [made("small", "", word("locked"))] : [])], () => act(one.column));
      chip.dataset.pick = one.column;
      chip.setAttribute("aria-label", `${text}, ${columnWord(piece(one.column), one.locked || !this.alike)}${one.locked ? `, ${word("locked")}` : ""}`);
      return chip;
    }))));
  }

  groups(columns) {
    const groups = new Map();
    for (const one of columns) {
      const { colour, shape } = piece(one.column), key = this.alike && !one.locked ? `${colour} ${shape}` : one.column;
      groups.set(key, [...(groups.get(key) ?? []), one]);
    }
    return [...groups.values()];
  }

  pick() {
    this.sheet.push([tell("which")], () => this.chips(this.books().columns.filter((one) => one.floor), (column) => this.piece(column)));
  }

  // What became of a column: the likeliest that the rules allow is gold and first; what was wrong with it stands above the buttons that send it.
  piece(column) {
    const books = this.books(), here = books?.columns.find((one) => one.column === column);
    if (!here) return;
    this.sheet.push(named(column, books), () => {
      const flaws = this.flaws(column, books);
      const act = (verb, rest, key, values = {}) => {
        const legal = this.legal(`${verb} ${column}`).length > 0;
        const node = button(told(key, values), () => this.tell([`${verb} ${column}`, rest(), this.who(books)].filter(Boolean).join(" ")));
        node.dataset.verb = verb;
        return { node, legal };
      };
      const fell = button(tell("fell_off"), () => this.tell(["incident column", column, this.who(books), "fallen", column].filter(Boolean).join(" ")));
      fell.dataset.verb = "incident";
      const ways = [
        act("raise", () => `onto ${flaws.onto()} ${flaws.all()}`.trim(), "raised", { floor: word(books.top) }),
        act("abort", () => flaws.traces(), "aborted"),
        act("take-out", () => flaws.traces(), "taken_out"),
        act("touch", () => "", "touched"),
      ];
      ways.sort((a, b) => b.legal - a.legal);
      if (ways[0].legal) ways[0].node.className = "main";
      ways.splice(3, 0, { node: fell });
      const where = here.floor ? told("stands", { floor: word(here.floor) }) : tell("nowhere");
      return [
        made("p", "dim", `${where}${here.locked ? ` · ${word("locked")}` : ""}`), this.whose(books), flaws.node,
        made("div", "ways", ...ways.map((way) => way.node)),
      ];
    });
  }

  // Who did it, where that is not whom the game waits for.
  whose(books) {
    this.by = books.actor;
    if (books.turn === null) return "";
    return radios(tell("by"), "by", books.names.map((name, k) => ({ value: k, nodes: [name] })), books.actor, (seat) => { this.by = seat; });
  }

  who(books) {
    return this.by === null || this.by === books.actor ? "" : `by ${quoted(books.names[this.by])}`;
  }

  // What was wrong with it: only what differs from a clean deed becomes part of the line.
  flaws(column, books) {
    const standing = books.columns.filter((one) => one.floor && one.column !== column);
    const none = [["", tell("none")]], columns = (list) => [...none, ...list.map((one) => [one.column, nameOf(one.column, books)])];
    const onto = select(tell("onto"), ["ground", ...books.laid].map((floor) => [floor, word(floor)]), books.top);
    const held = tick(tell("held"), "held");
    const over = Object.assign(made("input"), { type: "number", min: 0, max: 50, step: 1, value: 0, inputMode: "numeric" });
    const stacked = select(tell("stacked"), columns(standing.filter((one) => one.floor === books.top)));
    const shifted = select(tell("shifted"), [...none, ...books.laid.map((floor) => [floor, word(floor)])]);
    const nudged = select(tell("nudged"), columns(standing));
    const traces = () => [shifted.input.value && `shifted ${shifted.input.value}`, nudged.input.value && `nudged ${nudged.input.value}`].filter(Boolean).join(" ");
    const all = () => [
      held.input.checked && "plateau-held", Number(over.value) > 0 && `overhang_mm ${Number(over.value)}`, stacked.input.value && `stacked-on ${stacked.input.value}`, traces(),
    ].filter(Boolean).join(" ");
    const node = made("details", "flaws", made("summary", "", tell("but")), held.node, made("label", "pick", made("span", "", tell("overhang")), over), shifted.node, nudged.node, stacked.node, onto.node);
    return { node, onto: () => onto.input.value, traces, all };
  }

  // ---------------------------------------------------------------- plateaus and falls

  // As it should be is gold and one tap; what was special about it stands above the button that sends it.
  lay() {
    const books = this.books();
    if (!books.next) return;
    this.sheet.push([told("lay", { floor: word(books.next) })], () => {
      const on = books.columns.filter((one) => one.floor === books.top).length;
      const covers = select(tell("covers"), [["", tell("enough")], ...[...Array(on + 1).keys()].map((n) => [n, n])]);
      const edge = tick(tell("beyond"), "beyond"), partly = tick(tell("partly"), "partly");
      const nudged = select(tell("made_fit"), [["", tell("none")], ...books.columns.filter((one) => one.floor === books.top).map((one) => [one.column, nameOf(one.column, books)])]);
      const line = () => [
        `lay plateau ${books.next}`, this.who(books), covers.input.value !== "" && `covers ${covers.input.value}`, edge.input.checked && "beyond-edge", partly.input.checked && "partly",
        nudged.input.value && `nudged ${nudged.input.value}`,
      ].filter(Boolean).join(" ");
      const whose = this.whose(books);
      return [
        whose, made("div", "flaws open", covers.node, edge.node, partly.node, nudged.node), button(tell("it_lies"), () => this.tell(line()), "main"),
        ...(this.legal("cannot-lay").length ? [button(word("cannot lay", "calls"), () => this.tell("cannot-lay"))] : []),
      ];
    });
  }

  // Who brought it down. That ends the game, so a name is asked about once more.
  collapse() {
    this.sheet.push([tell("collapse")], () => [
      made("p", "", tell("culprit")),
      made("div", "ways", ...this.books().names.map((name) => button(name, () => this.fallen(told("did", { who: name }), `collapse by ${quoted(name)}`))),
        button(tell("nobody_playing"), () => this.fallen(tell("nobody_did"), "collapse outside"))),
      made("p", "dim", tell("collapse_is")),
    ]);
  }

  fallen(title, line) {
    this.sheet.push([title], () => [
      made("p", "", tell("ends")), button(tell("no_mistake"), () => this.sheet.pop(), "main"), button(tell("it_happened"), () => this.tell(line), "grave"),
    ]);
  }

  // Columns fell while every plateau stayed.
  fell() {
    const books = this.books(), fallen = new Set();
    this.sheet.push([tell("fell")], () => {
      const chips = this.chips(books.columns.filter((one) => one.floor), (column) => {
        fallen[fallen.has(column) ? "delete" : "add"](column);
        for (const chip of this.sheet.node.querySelectorAll("[data-pick]")) chip.setAttribute("aria-pressed", fallen.has(chip.dataset.pick));
        done.disabled = !fallen.size;
      });
      const tried = select(tell("tried"), [["", tell("none")], ...books.columns.filter((one) => one.floor).map((one) => [one.column, nameOf(one.column, books)])]);
      const outside = tick(tell("nobody_playing"), "outside");
      const done = button(tell("these_fell"), () => this.tell([
        "incident", tried.input.value && `column ${tried.input.value}`, outside.input.checked ? "outside" : this.who(books), `fallen ${[...fallen].sort().join(",")}`,
      ].filter(Boolean).join(" ")), "main");
      done.disabled = true;
      return [made("p", "dim", tell("stand_again")), this.whose(books), ...chips, tried.node, outside.node, done];
    });
  }

  // ---------------------------------------------------------------- words

  // A button for each word that the rules allow now; columns, plateaus and falls have pages of their own.
  words() {
    const books = this.books();
    return books.offers.map((line) => [line, this.spoken(line, books)]).filter(([, text]) => text).map(([line, text]) => {
      const node = button(text, async () => { node.disabled = (await this.tell(line)) === ""; }, line === "place-all" ? "main" : "");
      node.dataset.line = line;
      return node;
    });
  }

  spoken(line, books) {
    const [verb, ...rest] = line.split(" "), by = /by "([^"]+)"/.exec(line)?.[1] ?? "";
    if (verb === "challenge") return told("challenges", { who: by });
    if (verb === "proof") return told("proves", { who: by });
    if (verb === "decide") return tell(rest[0]);
    const key = { request: "request", unchallenged: "unchallenged", "give-up": "give up", waive: "waive", "cannot-lay": "cannot lay", "build-nothing": "build nothing", pass: "pass" }[verb];
    if (key) return word(key, "calls");
    return verb === "stop" ? tell("stop") : verb === "place-all" ? tell("place_all") : "";
  }

  // The draw in words: who plays what, and who starts.
  drawn(line) {
    const [, colours, first] = /^colours (.+) starts "?([^"]+)"?$/.exec(line) ?? [];
    if (!colours) return line;
    const names = this.books()?.names ?? [];
    const each = colours.split(" ").map((own, k) => `${names[k] ?? k + 1}: ${own.split("+").map((colour) => word(colour)).join(word("and"))}`);
    return `${each.join(", ")}; ${first} ${word("starts")}`;
  }

  // A line in words, for the list of what really happened.
  inWords(line) {
    const parts = line.split(" "), by = /by "([^"]+)"/.exec(line)?.[1];
    const who = by ? ` (${by})` : "";
    const what = { raise: "line_raise", abort: "line_abort", "take-out": "line_out", touch: "line_touch", place: "line_place" }[parts[0]];
    if (what) return told(what, { column: nameOf(parts[1], this.books()), floor: word(/onto (\w+)/.exec(line)?.[1] ?? this.books()?.top ?? "") }) + who;
    if (parts[0] === "lay") return phrase("plateau_laid", { colour: word(/plateau (\w+)/.exec(line)?.[1] ?? this.books()?.next ?? "") }) + who;
    if (parts[0] === "colours") return this.drawn(line);
    if (parts[0] === "collapse") return tell("collapse") + who;
    if (parts[0] === "incident") return tell("fell") + who;
    return (this.spoken(line, this.books() ?? { names: [], actor: null }) || line) + (["challenge", "proof"].includes(parts[0]) ? "" : who);
  }
}
