// What people say: the seat buttons' words, answers to the referee's questions, and who plays which colour.

import { made } from "./feed.js";
import { glyph } from "./pieces.js";
import { say } from "./stream.js";
import { choice, word } from "./words.js";

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
    document.getElementById("open-draw").addEventListener("click", () => this.openDraw());
    document.getElementById("draw-cancel").addEventListener("click", () => document.getElementById("draw").close());
    document.getElementById("draw-count").addEventListener("change", () => this.rows());
    document.getElementById("draw-form").addEventListener("submit", (event) => this.sendDraw(event));
  }

  get open() {
    return Boolean(this.root) && !this.state.info.demo;
  }

  render() {
    if (!this.root) return;
    this.root.hidden = !this.open;
    const view = this.state.view, seats = view?.seats ?? [];
    const now = JSON.stringify([seats.map((s) => [s.name, s.colours]), view?.turn, view?.phase, document.documentElement.lang]);
    if (now === this.shown) return;
    this.shown = now;
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
  }

  openDraw() {
    document.getElementById("draw-word").textContent = "";
    const seats = this.state.view?.seats ?? [];
    if (seats.length >= 2) document.getElementById("draw-count").value = String(seats.length);
    this.rows();
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
    if (this.tell(await say("/drew", { seats, first }), document.getElementById("draw-word"))) document.getElementById("draw").close();
  }
}
