// The believed tower put right, column by column: what the table sees is sent at once, as it stands. A column is tapped, then the floor it
// really stands on. Wooden columns bear no numbers, so those that nobody can tell apart are one button.

import { made } from "./feed.js";
import { button, tell } from "./sheet.js";
import { say } from "./door.js";
import { piece, told } from "./tell.js";
import { glyph } from "./pieces.js";
import * as tower from "./tower.js";
import { FLOORS, column as columnWord, phrase, word } from "./words.js";

const OUT = null;
const key = (column) => `${column.colour}-${column.shape}-${column.number}`;

export class Places {
  constructor(sheet, teller, state) {
    Object.assign(this, { sheet, teller, state });
  }

  open() {
    const standing = this.state.view.tower;
    this.floors = new Map(this.teller.books().columns.map((one) => [one.column, OUT]));
    for (const one of standing.columns) this.floors.set(key(one.column), FLOORS[one.floor]);
    this.believed = new Map(this.floors);
    this.laid = ["ground", ...standing.plateaus.map((one) => FLOORS[one.plateau])];
    this.chosen = null;
    this.sheet.push([tell("tower_right")], () => this.page());
  }

  // The columns that stand elsewhere than believed.
  get moved() {
    return [...this.floors].filter(([column, floor]) => this.believed.get(column) !== floor);
  }

  page() {
    const moved = this.moved;
    const chips = made("div", "places", ...[...this.laid].reverse().concat(OUT).map((floor) => this.floor(floor)));
    const picture = tower.picture(this.drawn(), this.state.set, this.chosen);
    picture.addEventListener("click", (event) => {
      const column = tower.nearest(picture, event);
      if (column) this.choose(column);
    });
    const send = button(moved.length ? told("so_it_stands", { n: moved.length }) : tell("as_believed"), () => this.send(), this.chosen ? "" : "main");
    send.dataset.done = "";
    const ways = this.chosen ? this.where() : [send];
    return [
      made("div", "sight", picture), made("p", "dim", this.chosen ? "" : tell("tap_wrong")), chips,
      made("div", "reach", ...(this.chosen ? [made("p", "label", phrase("where_stands", { column: this.name(this.chosen) }, "tell"))] : []), made("div", "ways two", ...ways)),
    ];
  }

  floor(floor) {
    const groups = new Map(), locked = new Set(this.teller.books().columns.filter((one) => one.locked).map((one) => one.column));
    for (const [column, here] of this.floors) {
      if (here !== floor) continue;
      const { colour, shape } = piece(column), alike = locked.has(column) ? column : `${colour} ${shape}`;
      groups.set(alike, [...(groups.get(alike) ?? []), column]);
    }
    if (floor === OUT && !groups.size) return "";
    return made("div", "floor", made("h3", "label", floor === OUT ? tell("nowhere") : word(floor)), made("div", "chips", ...[...groups.values()].map((alike) => this.chip(alike, locked.has(alike[0])))));
  }

  chip(alike, locked) {
    const { colour, shape, number } = piece(alike[0]), changed = alike.some((one) => this.believed.get(one) !== this.floors.get(one));
    const text = `${word(shape)}${alike.length > 1 ? ` ×${alike.length}` : locked ? ` ${number}` : ""}`;
    const node = button([glyph(colour), made("span", "", text), ...(changed ? [made("span", "spoken", tell("changed"))] : [])], () => this.choose(alike.includes(this.chosen) ? null : this.likely(alike)), changed ? "changed" : "");
    node.dataset.place = alike[0];
    node.setAttribute("aria-pressed", String(alike.includes(this.chosen)));
    node.setAttribute("aria-label", `${text}, ${columnWord(piece(alike[0]), locked)}`);
    return node;
  }

  choose(column) {
    this.chosen = column;
    this.again();
  }

  // Of those that look the same, one that was already put elsewhere: so a wrong tap is taken back by another.
  likely(alike) {
    return alike.find((one) => this.believed.get(one) !== this.floors.get(one)) ?? alike.at(-1);
  }

  name(column) {
    return columnWord(piece(column), false);
  }

  // The floors it may stand on, in reach of the thumb.
  where() {
    const here = this.floors.get(this.chosen), place = (floor) => () => {
      this.floors.set(this.chosen, floor);
      this.choose(null);
    };
    const ways = [...this.laid].reverse().filter((floor) => floor !== here).map((floor) => button(word(floor), place(floor)));
    if (here !== OUT) ways.push(button(tell("nowhere"), place(OUT)));
    for (const [k, floor] of [...[...this.laid].reverse().filter((one) => one !== here), ...(here !== OUT ? ["out"] : [])].entries()) ways[k].dataset.floor = floor;
    return ways;
  }

  // Drawn anew in its place: the sheet does not jump under the thumb.
  again() {
    const at = this.sheet.node.scrollTop;
    this.sheet.show();
    this.sheet.node.scrollTop = at;
  }

  // The tower as it is being put right: what was moved stands in a row in front of the floor's other columns.
  drawn() {
    const standing = this.state.view.tower, known = new Map(standing.columns.map((one) => [key(one.column), one]));
    const lying = new Map(standing.plateaus.map((one) => [FLOORS[one.plateau], one])), front = new Map();
    const columns = [...this.floors].filter(([, floor]) => floor !== OUT).map(([column, floor]) => {
      const before = known.get(column);
      if (before && FLOORS[before.floor] === floor) return before;
      const laid = lying.get(floor), count = front.get(floor) ?? 0;
      front.set(floor, count + 1);
      const across = (count % 2 ? 1 : -1) * Math.ceil(count / 2) * 30;
      return { column: piece(column), floor: FLOORS.indexOf(floor), x_mm: (laid?.x_mm ?? 0) + across, y_mm: (laid?.y_mm ?? 0) - (laid ? 45 : 80), z_mm: laid ? laid.z_mm + 5 : 0, yaw_deg: 0 };
    });
    return { ...this.state.view, tower: { columns, plateaus: standing.plateaus } };
  }

  async send() {
    const places = this.moved.map(([column, floor]) => ({ column, floor }));
    const wrong = await this.teller.once(() => say("/put-right", { places }));
    if (wrong === "") this.sheet.home();
    else if (wrong !== undefined) this.sheet.say(wrong ?? word("full"));
  }
}
