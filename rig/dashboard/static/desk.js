// The desk: what may be told now, the seat buttons' words, answers to the referee's questions, and who plays which colour. How a thing is
// told in detail is in tell.js, how it is put right in correct.js.

import { Corrector } from "./correct.js";
import { made } from "./feed.js";
import { glyph } from "./pieces.js";
import { Sheet, button, tell } from "./sheet.js";
import { codeForm, door, may, say } from "./door.js";
import { Teller, told } from "./tell.js";
import { choice, either, phrase, word } from "./words.js";

const COLOURS = ["red", "blue", "yellow", "green"];
const ALWAYS = ["abort", "settled"];
const BY_PHASE = {
  build: ["request", "abort", "build nothing", "pass"], retry: ["abort", "pass"], own: ["abort", "pass"], proof: ["challenge", "give up"],
  claim: ["challenge", "unchallenged"], challenge: ["give up", "abort"], penalty: ["waive", "abort"], lay: ["cannot lay"],
};

export class Desk {
  constructor(state) {
    this.state = state;
    this.root = document.getElementById("desk");
    this.seat = null;
    this.shown = "";
    if (!this.root) return;
    this.told = document.getElementById("desk-word");
    this.books = null;
    this.sheet = new Sheet();
    this.teller = new Teller(this.sheet);
    this.teller.books = () => this.books;
    this.teller.told = () => { this.mine = (this.books?.log.at(-1)?.number ?? 0) + 1; };
    this.corrector = new Corrector(this.sheet, this.teller, () => this.books);
    this.corrector.draw = () => this.openDraw();
    this.offers = document.getElementById("offers");
    this.offers.addEventListener("click", (event) => { this.hand = event.target.closest("button")?.dataset ?? null; });
    const openTell = document.getElementById("open-tell");
    openTell.addEventListener("click", () => {
      this.offers.hidden = !this.offers.hidden;
      openTell.setAttribute("aria-expanded", String(!this.offers.hidden));
    });
    document.getElementById("open-draw").addEventListener("click", () => this.openDraw());
    this.openNames = document.getElementById("open-names");
    this.openNames.addEventListener("click", () => this.names());
    document.getElementById("undo").addEventListener("click", () => this.undo());
    door.changed = () => { this.shown = ""; this.render(); this.pictures?.(); };
    door.stale = () => this.refresh();
    this.openTare = document.getElementById("open-tare");
    this.openTare.addEventListener("click", () => this.tare());
    document.getElementById("draw-cancel").addEventListener("click", () => document.getElementById("draw").close());
    document.getElementById("draw-count").addEventListener("change", () => this.rows());
    document.getElementById("draw-form").addEventListener("submit", (event) => this.sendDraw(event));
  }

  // Whether this page may speak; without the code it only shows, and asks for it.
  get open() {
    return Boolean(this.root) && may("table") && !this.state.info.demo;
  }

  // The books have moved on: fetch what may be told now. Many rulings of one moment are one fetch.
  refresh() {
    if (!this.open || this.fetching) return;
    this.fetching = setTimeout(async () => {
      this.fetching = null;
      try {
        const answer = await fetch("/desk.json");
        if (answer.ok) this.books = await answer.json();
        door.state = this.books?.state ?? "";
        this.lately();
      } catch { /* the page says by itself that the line is down */ }
      this.offer();
    }, 40);
  }

  // The desk keeps score alone: it stands open beside the rulings, in place of the senses.
  alone() {
    if (!this.root || document.body.dataset.alone === String(Boolean(this.state.info.desk_alone))) return;
    document.body.dataset.alone = String(Boolean(this.state.info.desk_alone));
    if (!this.state.info.desk_alone) return;
    document.getElementById("talk").prepend(this.root);
    this.root.open = true;
    this.offers.hidden = false;
  }

  // What the game waits for, in a sentence: the headline under the name.
  headline() {
    const books = this.books, alone = Boolean(this.state.info.desk_alone);
    if (!alone || !books || books.phase === "over") return "";
    const raises = books.offers.filter((line) => line.startsWith("raise ")), own = new Set((this.state.view?.seats ?? []).flatMap((seat) => seat.colours));
    if (books.phase === "build" && books.names.length === 3 && raises.length && raises.every((line) => !own.has(line.split(" ")[1].split("-")[0]))) return word("first_neutral");
    return word(books.phase, "phases");
  }

  // Under the name: what became of the last tap, with the way back.
  lately() {
    const entry = this.books?.log.at(-1), box = document.getElementById("last"), undo = document.getElementById("undo");
    box.hidden = !this.open || !entry || !this.state.info.desk_alone;
    if (box.hidden) return;
    const text = entry.line ? either(entry) || this.teller.inWords(entry.line) : tell("struck");
    const node = document.getElementById("last-word");
    if (node.textContent !== text) node.textContent = text;
    undo.hidden = !entry.line;
  }

  async undo() {
    const entry = this.books?.log.at(-1);
    if (!entry) return;
    const wrong = await this.teller.once(() => this.teller.send(`correct ${entry.number}:`, true));
    if (wrong) this.teller.complain(wrong);
  }

  offer() {
    this.lately();
    this.heading?.();
    const books = this.open ? this.books : null;
    if (!books) { this.offers.replaceChildren(); this.offered = ""; return; }
    this.teller.alike = Boolean(this.state.info.desk_alone);
    const now = JSON.stringify([books, document.documentElement.lang, door.role]);
    if (now === this.offered) return;
    this.offered = now;
    const focused = document.activeElement, lost = focused === document.body || !focused;
    const hand = this.offers.contains(focused) ? focused.dataset : lost ? this.hand : null;  // a button that was tapped and is gone
    this.hand = null;
    this.offers.replaceChildren(...this.ways(books));
    if (hand) this.focus(hand);
  }

  // After a tap the focus stays where the hand is: on the same button if it is still there, else on the first.
  focus(hand) {
    const same = hand.line ? `[data-line="${CSS.escape(hand.line)}"]` : hand.pick ? `[data-pick="${CSS.escape(hand.pick)}"]` : null;
    ((same && this.offers.querySelector(same)) || this.offers.querySelector("button"))?.focus({ preventScroll: true });
  }

  ways(books) {
    const teller = this.teller, nodes = [], playing = !["set_up", "draw", "over"].includes(books.phase);
    const flagged = books.log.at(-1);
    if (flagged?.choices.length && flagged.choice === "stand" && may("host")) {
      nodes.push(made("div", "flagged", made("p", "", either(flagged)), made("div", "ways two", ...this.corrector.choices(flagged))));
    }
    const words = teller.words();
    if (books.phase === "draw") words.push(button(word("who_plays"), () => this.openDraw(), "main"));
    const lay = books.next && (teller.legal("lay").length || books.phase === "claim" || books.phase === "set_up");
    if (lay && teller.legal("lay").length) {
      const floor = word(books.next);
      const lies = button(told("lies", { floor }), () => teller.tell(`lay plateau ${books.next}`), books.phase === "set_up" && words.length ? "" : "main");
      lies.dataset.line = "lay";
      nodes.push(made("div", "ways two", lies, button(told("lies_but", { floor }), () => teller.lay())));
    } else if (lay) words.push(button(told("lies_but", { floor: word(books.next) }), () => teller.lay()));
    const legal = books.columns.filter((one) => teller.legal(`raise ${one.column}`).length || teller.legal(`take-out ${one.column}`).length);
    if (legal.length) nodes.push(made("p", "label", tell("which_now")), ...teller.chips(legal, (column) => teller.piece(column)));
    if (words.length) nodes.push(...(legal.length ? [made("p", "label", tell("or_said"))] : []), made("div", "ways two", ...words));
    const fallen = playing && books.phase !== "decision" ? [button(tell("another"), () => teller.pick()), button(tell("fell"), () => teller.fell())] : [];
    if (books.phase !== "over" && books.phase !== "decision" && may("host")) fallen.push(button(tell("collapse"), () => teller.collapse(), "grave"));
    if (fallen.length) nodes.push(made("div", "ways two rare", ...fallen));
    if (may("host")) {
      if (books.back) nodes.push(button(tell("back_to"), () => this.backToLast(), "wide"));
      if (books.log.length) nodes.push(button(tell("history"), () => this.corrector.history(), "history"));
      if (books.log.length) nodes.push(button(tell("new_game"), () => this.anew(), books.phase === "over" ? "main wide" : "wide"));
    }
    return nodes;
  }

  // The same players play again; asked once, because a game under way ends.
  anew() {
    const over = this.books?.phase === "over";
    this.sheet.push([tell("new_game")], () => [
      made("p", "", tell(this.state.info.desk_alone ? "new_alone" : "new_watched")), ...(over ? [] : [made("p", "grave", tell("new_sure"))]),
      ...(over ? [] : [button(word("cancel"), () => this.sheet.home(), "main")]),
      button(tell("begin"), async () => {
        const wrong = await this.teller.once(() => say("/new", { sure: true }));
        if (wrong === "") this.sheet.home();
        else if (wrong !== undefined) this.sheet.say(wrong ?? word("full"));
      }, over ? "main" : "grave"),
    ]);
  }

  async backToLast() {
    const wrong = await this.teller.once(() => say("/back", {}));
    if (wrong) this.teller.complain(wrong);
  }

  // The players' names, at any time.
  names() {
    this.sheet.push([word("names")], () => {
      const fields = (this.books?.names ?? []).map((name, k) => {
        const input = Object.assign(made("input"), { type: "text", maxLength: 24, value: name, required: true });
        input.setAttribute("aria-label", `${word("name")} ${k + 1}`);
        return input;
      });
      const save = button(tell("save"), async () => {
        const wrong = await this.teller.once(() => say("/names", { names: fields.map((field) => field.value) }));
        if (wrong === "") this.sheet.home();
        else if (wrong !== undefined) this.sheet.say(wrong ?? word("full"));
      }, "main");
      return [made("p", "dim", tell("names_why")), ...fields.map((field) => made("label", "pick", field)), save];
    });
  }

  // The scale's zero; asked once, because a tower that stands would count as nothing.
  tare() {
    const send = async (back) => {
      this.taring = { back };  // before it is said: the scale may answer sooner than the desk
      const wrong = await this.teller.once(() => say("/tare", { back }));
      if (wrong === "") this.sheet.home();
      else if (wrong !== undefined) {
        this.taring = null;
        this.sheet.say(wrong ?? word("full"));
      }
    };
    this.sheet.push([tell("plate_empty")], () => [
      made("p", "", tell("plate_means")), button(tell("plate_is"), () => send(false), "main"), button(tell("untare"), () => send(true)),
    ]);
  }

  // The base's answer to a tare, which everybody hears and who asked for it is told.
  tared(news) {
    if (!this.root || !this.taring) return;
    const grams = (news.zeroed_g > 0 ? "+" : "") + news.zeroed_g.toFixed(1).replace("-", "−");
    this.tell(told(news.zeroed_g ? this.taring.back ? "tare_back" : "tared" : "not_tared", { grams }));
    this.taring = null;
  }

  // A column of the drawn tower was tapped; a near miss counts, columns are thin and thumbs are not.
  tapped(event) {
    if (!this.open || !this.books) return;
    const near = [...document.querySelectorAll("#tower [data-column]")].map((node) => {
      const box = node.getBoundingClientRect();
      const dx = Math.max(box.left - event.clientX, 0, event.clientX - box.right), dy = Math.max(box.top - event.clientY, 0, event.clientY - box.bottom);
      return { column: node.dataset.column, away: Math.hypot(dx, dy), middle: Math.abs(event.clientX - (box.left + box.right) / 2) };
    }).filter((one) => one.away < 14).sort((a, b) => a.away - b.away || a.middle - b.middle);
    const direct = event.target.closest?.("[data-column]")?.dataset.column;
    if (direct || near.length) this.teller.piece(direct ?? near[0].column);
  }

  // What can be done about a ruling, from where it is read.
  amends(ruling) {
    const entry = may("host") ? this.books?.log.find((one) => one.number === ruling.data?.number) : null;
    if (!entry) return [];
    const change = button(tell("put_right"), () => this.corrector.open(entry.number));
    return [made("div", "row amend", change, ...(["violation", "incident"].includes(ruling.kind) ? this.corrector.choices(entry) : []))];
  }

  render() {
    if (!this.root) return;
    this.root.hidden = Boolean(this.state.info.demo);
    this.root.dataset.role = door.role;
    const ask = document.getElementById("door");
    if (this.open === ask.hidden && this.open) ask.replaceChildren();
    if (!this.open && !ask.childElementCount) ask.replaceChildren(codeForm());
    ask.hidden = this.open;
    for (const name of ["open-tell", "speaker", "calls", "open-draw"]) document.getElementById(name).classList.toggle("shut", !this.open);
    this.openTare.hidden = !this.open || !this.state.link;  // without a base there is nothing to tare
    this.openNames.hidden = !may("host") || !this.books;
    this.alone();
    if (this.state.view?.state === "lost" && this.lost !== "lost") {  // from here on the desk leads
      this.root.open = true;
      this.offers.hidden = false;
    }
    this.lost = this.state.view?.state;
    this.offer();
    const view = this.state.view, seats = view?.seats ?? [];
    const now = JSON.stringify([seats.map((s) => [s.name, s.colours]), view?.turn, view?.phase, document.documentElement.lang, door.role]);
    if (now === this.shown) return;
    this.shown = now;
    this.refresh();
    const speaker = document.getElementById("speaker");
    if (this.seat === null || this.seat >= seats.length || this.turn !== view?.turn) this.seat = view?.turn ?? 0;
    this.turn = view?.turn;
    speaker.replaceChildren(speaker.querySelector("legend"), ...seats.map((seat, k) => {
      const input = Object.assign(made("input"), { type: "radio", name: "seat", value: k, checked: k === this.seat });
      input.addEventListener("change", () => { this.seat = k; });
      return made("label", "", input, ...seat.colours.map(glyph), seat.name);
    }));
    speaker.hidden = !seats.length;
    const words = [...new Set([...(BY_PHASE[view?.phase] ?? []), ...ALWAYS])];
    document.getElementById("calls").replaceChildren(...words.map((call) => {
      const button = made("button", "", word(call, "calls"));
      button.type = "button";
      button.dataset.call = call;
      button.addEventListener("click", async () => this.tell(await say("/call", { word: call, seat: this.seat ?? 0 })));
      return button;
    }));
  }

  tell(wrong, where = this.told) {
    where.textContent = wrong === null ? word("full") : wrong;
    return wrong === "";
  }

  // The question, with its answers as buttons where answers are wanted from this screen.
  question(ask, asked) {
    const box = document.getElementById("question"), choices = document.getElementById("choices"), told = document.getElementById("question-word");
    const id = ask ? `${ask.id} ${asked} ${this.open}` : "";
    if (box.dataset.shown === id) return;
    box.dataset.shown = id;
    box.hidden = !ask;
    told.textContent = "";
    if (!ask) return;
    document.getElementById("question-text").textContent = asked;
    document.getElementById("question-why").textContent = ask.reason;
    this.refresh();
    choices.replaceChildren(...(this.open ? ask.choices : []).map((text) => {
      const said = choice(text);
      const button = made("button", "", ...(said.colour ? [glyph(said.colour), " "] : []), said.text);
      button.dataset.choice = text;
      button.type = "button";
      button.addEventListener("click", async () => {
        for (const other of choices.children) other.disabled = true;
        if (!this.tell(await say("/answer", { ask: ask.id, choice: text }), told)) for (const other of choices.children) other.disabled = false;
      });
      return button;
    }));
    if (!this.open) return;
    const other = button(tell("tell_instead"), () => { if (this.books) this.corrector.kinds(); }, "other");
    choices.append(other);
  }

  openDraw() {
    document.getElementById("draw-word").textContent = "";
    const seats = this.state.view?.seats ?? [];
    const named = this.state.info.players ?? [];
    if (named.length && !seats.some((seat) => seat.colours.length)) document.getElementById("draw-count").value = String(named.length);
    else if (seats.length >= 2) document.getElementById("draw-count").value = String(seats.length);
    this.rows();
    const again = Boolean(this.teller.put);  // the players are the same, only the colours were told wrongly
    for (const field of [document.getElementById("draw-count"), ...document.querySelectorAll('#draw-rows [type="text"]')]) field.disabled = again;
    document.getElementById("draw").showModal();
  }

  rows() {
    const count = Number(document.getElementById("draw-count").value), known = this.state.view?.seats ?? [];
    const box = document.getElementById("draw-rows");
    box.replaceChildren(...[...Array(count).keys()].map((k) => {
      const name = Object.assign(made("input"), { type: "text", maxLength: 24, required: true, value: known[k]?.name ?? "", placeholder: `${word("name")} ${k + 1}` });
      name.setAttribute("aria-label", `${word("name")} ${k + 1}`);
      const pick = (j) => {
        const select = made("select", "", ...COLOURS.map((colour) => Object.assign(made("option"), { value: colour, textContent: word(colour) })));
        select.value = known[k]?.colours[j] ?? COLOURS[(count === 2 ? 2 * k + j : k) % 4];
        select.setAttribute("aria-label", word("who_plays"));
        return select;
      };
      const first = Object.assign(made("input"), { type: "radio", name: "first", value: k, checked: k === 0 });
      return made("div", "", name, made("span", "", ...(count === 2 ? [pick(0), pick(1)] : [pick(0)])), made("label", "", first, ` ${word("starts")}`));
    }));
  }

  async sendDraw(event) {
    event.preventDefault();
    const rows = [...document.getElementById("draw-rows").children];
    const seats = rows.map((row) => ({ name: row.querySelector('[type="text"]').value, colours: [...row.querySelectorAll("select")].map((s) => s.value) }));
    const first = rows.findIndex((row) => row.querySelector('[type="radio"]').checked);
    if (this.teller.put) {
      document.getElementById("draw").close();
      this.teller.tell(`colours ${seats.map((seat) => seat.colours.join("+")).join(" ")} starts "${seats[first].name}"`);
      return;
    }
    if (this.tell(await say("/drew", { seats, first }), document.getElementById("draw-word"))) document.getElementById("draw").close();
  }
}
