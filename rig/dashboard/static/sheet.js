// One dialog for all that the desk asks: pages are laid on one another, and each is left by its button, by Back, or all at once by Cancel.

import { made } from "./feed.js";
import { word } from "./words.js";

export class Sheet {
  constructor() {
    this.node = document.getElementById("sheet");
    this.pages = [];
    this.back = document.getElementById("sheet-back");
    this.back.addEventListener("click", () => this.pop());
    document.getElementById("sheet-close").addEventListener("click", () => this.node.close());
    this.node.addEventListener("close", () => { this.pages = []; this.closed?.(); });
  }

  // `build()` gives the page's nodes, anew whenever it comes to the top.
  push(title, build) {
    this.pages.push({ title, build });
    this.show();
    if (!this.node.open) this.node.showModal();
  }

  pop() {
    this.pages.pop();
    if (this.pages.length) this.show();
    else this.node.close();
  }

  // Back to the page that was laid first, or to nothing.
  home(keep = 0) {
    this.pages.length = Math.min(this.pages.length, keep);
    if (this.pages.length) this.show();
    else this.node.close();
  }

  show() {
    const page = this.pages.at(-1);
    document.getElementById("sheet-title").replaceChildren(...page.title);
    document.getElementById("sheet-body").replaceChildren(...page.build());
    this.back.hidden = this.pages.length < 2;
    this.say("");
    this.node.scrollTop = 0;
  }

  say(text) {
    document.getElementById("sheet-word").textContent = text;
  }
}

export function button(label, act, className = "") {
  const node = made("button", className, ...[label].flat());
  node.type = "button";
  node.addEventListener("click", act);
  return node;
}

export function tick(label, name) {
  const input = Object.assign(made("input"), { type: "checkbox", name });
  return { node: made("label", "tick", input, made("span", "", label)), input };
}

export function radios(legend, name, options, chosen, changed) {
  const labels = options.map(({ value, nodes }) => {
    const input = Object.assign(made("input"), { type: "radio", name, value: String(value), checked: value === chosen });
    input.addEventListener("change", () => changed(value));
    return made("label", "", input, ...nodes);
  });
  return made("fieldset", "", made("legend", "", legend), ...labels);
}

export function select(label, options, chosen = "") {
  const input = made("select", "", ...options.map(([value, text]) => Object.assign(made("option"), { value, textContent: text })));
  input.value = chosen;
  return { node: made("label", "pick", made("span", "", label), input), input };
}

export const tell = (key) => word(key, "tell");
