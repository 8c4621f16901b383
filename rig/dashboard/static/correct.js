// Putting right what was ruled: every event can be struck, be another, or be several, and the table says what becomes of a broken rule.

import { made } from "./feed.js";
import { button, tell } from "./sheet.js";
import { told } from "./tell.js";
import { either, word } from "./words.js";

export class Corrector {
  // `now()` is the books as they stand; `draw` opens the dialog of who plays which colour.
  constructor(sheet, teller, now) {
    Object.assign(this, { sheet, teller, now, draw: () => {} });
  }

  // All events, the latest first.
  history() {
    this.sheet.push([tell("history")], () => {
      const log = [...(this.now()?.log ?? [])].reverse();
      return log.length ? [made("ol", "log", ...log.map((entry) => this.entry(entry)))] : [made("p", "", tell("nothing_yet"))];
    });
  }

  entry(entry) {
    const text = entry.line ? either(entry) || this.teller.inWords(entry.line) : tell("struck");
    const change = button(tell("put_right"), () => this.open(entry.number));
    change.dataset.correct = entry.number;
    return made("li", "", made("span", "number", String(entry.number)), made("div", "", made("p", entry.line ? "" : "dim", text), ...(entry.corrected ? [made("small", "dim", tell("was_corrected"))] : []),
      made("div", "row", change, ...this.choices(entry))));
  }

  // What the table may make of a violation or an incident.
  choices(entry, keep = 0) {
    return entry.choices.filter((choice) => choice !== entry.choice).map((choice) => {
      const node = button(tell(`table_${choice}`), async () => {
        const wrong = await this.teller.once(() => this.teller.send(`rule ${choice} event ${entry.number}`, false));
        if (wrong === "") this.sheet.home(keep);
        else if (wrong !== undefined) this.teller.complain(wrong);
      });
      node.dataset.rule = choice;
      return node;
    });
  }

  async open(number) {
    let books;
    try {
      const answer = await fetch(`/desk.json?event=${number}`);
      books = await answer.json();
      if (!answer.ok) { this.teller.complain(books.sentence); return; }
    } catch { this.teller.complain(tell("no_answer")); return; }
    const entry = this.now().log.find((one) => one.number === number);
    const lines = [...books.lines];
    let place = lines.length;
    const keep = this.sheet.pages.length + 1;
    this.teller.books = () => books;
    this.teller.put = () => {};
    this.sheet.closed = () => this.leave();
    const send = async (chosen) => {
      const wrong = await this.teller.once(() => this.teller.send(`correct ${number}: ${chosen.join("; ")}`.trim(), true));
      if (wrong === "") this.sheet.home();
      else if (wrong !== undefined) this.sheet.say(wrong);
    };
    const add = (at, replacing) => () => {
      place = at;
      // One thing in the place of one thing is complete with it, and sent at once; it can be put right again.
      this.teller.put = replacing ? (line) => send([line]) : (line) => { lines.splice(place, 0, line); this.sheet.home(keep); };
      this.kinds();
    };
    this.sheet.push([told("event", { number })], () => {
      const rows = lines.map((line, k) => {
        const off = button("×", () => { lines.splice(k, 1); this.sheet.show(); }, "small");
        off.setAttribute("aria-label", tell("take_off"));
        return made("li", "", made("span", "number", String(k + 1)), made("p", "", this.teller.inWords(line)), off);
      });
      const same = lines.length === books.lines.length && lines.every((line, k) => line === books.lines[k]);
      const done = button(lines.length ? tell("so_it_was") : tell("strike"), () => send(lines), "main");
      done.disabled = same;
      done.dataset.done = "";
      const nothing = button(tell("nothing_happened"), () => send([]), lines.length ? "" : "main");
      nothing.dataset.nothing = "";
      const ways = same
        ? [button(tell("something_else"), add(0, true)), ...(lines.length ? [nothing, button(tell("missed_before"), add(0)), button(tell("missed_after"), add(lines.length))] : [])]
        : [done, button(tell("add"), add(lines.length)), button(tell("as_it_was"), () => { lines.splice(0, lines.length, ...books.lines); this.sheet.show(); })];
      return [
        made("p", "dim", told("ruled", { what: either(entry) || tell("struck") })), made("p", "label", same ? tell("taken_for") : tell("really_was")),
        rows.length ? made("ol", "log", ...rows) : made("p", "", tell("nothing")), made("div", "ways", ...ways),
      ];
    });
  }

  // What kind of thing really happened.
  kinds() {
    this.sheet.push([tell("what")], () => {
      const books = this.teller.books();
      const early = books.phase === "set_up";
      const columns = early || books.phase === "draw" ? [] : this.teller.chips(books.columns.filter((one) => one.floor), (column) => this.teller.piece(column));
      return [
        ...(columns.length ? [made("p", "label", tell("a_column"))] : []), ...columns,
        made("div", "ways", ...(books.phase === "draw" ? [button(word("who_plays"), () => this.draw(), "main")] : []), ...(books.next ? [button(told("lay", { floor: word(books.next) }), () => this.teller.lay())] : []),
          ...(early ? [] : [button(tell("fell"), () => this.teller.fell())]), button(tell("collapse"), () => this.teller.collapse())),
        made("p", "label", tell("said")), made("div", "ways two", ...this.teller.words()),
      ];
    });
  }

  leave() {
    this.teller.put = null;
    this.teller.books = this.now;
    this.sheet.closed = null;
  }
}
