// The tower as the referee believes it, floor by floor from the bottom, what is farther away first.

import * as pieces from "./pieces.js";
import { FLOORS, column as columnWord, word } from "./words.js";

const { node } = pieces;
const key = (column) => `${column.colour}-${column.shape}-${column.number}`;
let drawn = "";
let box = null;
let moving = 0;

export function draw(svg, view, set, last) {
  const tower = view?.tower ?? { columns: [], plateaus: [] };
  const now = JSON.stringify([tower, view?.locked, view?.probable, last && key(last), Boolean(set), view?.next_plateau, document.documentElement.lang]);
  if (now === drawn) return;
  drawn = now;
  const locked = new Set((view?.locked ?? []).map(key));
  const probable = new Set((view?.probable ?? []).map(key));
  const lastKey = last ? key(last) : "";
  const parts = [pieces.paints(), pieces.base(set)];
  const top = tower.plateaus.length ? tower.plateaus.at(-1).plateau : 0;
  const levels = [{ floor: 0, z: 0, group: null }, ...tower.plateaus.map((laid) => ({ floor: laid.plateau, z: laid.z_mm, laid }))];
  let height = 0;
  levels.forEach((level, k) => {
    const name = FLOORS[level.floor];
    let left = -150;
    if (level.laid) {
      const made = pieces.plateau(name, level.laid, set);
      left = made.left;
      parts.push(made.group);
      height = Math.max(height, level.z + 6);
    }
    const standing = tower.columns.filter((s) => s.floor === level.floor).sort((a, b) => b.y_mm - a.y_mm || a.z_mm - b.z_mm);
    for (const s of standing) parts.push(pieces.shadow(s, pieces.size(s.column.shape, set).radius_mm));
    for (const s of standing) {
      const id = key(s.column);
      const drawn = pieces.column(s.column, s, set, { locked: locked.has(id), last: id === lastKey, under: k < levels.length - 1 });
      if (probable.has(id)) drawn.classList.add("probable");
      parts.push(drawn);
      height = Math.max(height, s.z_mm + pieces.size(s.column.shape, set).height_mm);
    }
    parts.push(label(level, name, left, standing.length, level.floor === top && top > 1));
  });
  svg.replaceChildren(...parts);
  svg.setAttribute("aria-label", spoken(tower, view));
  const [, roof] = pieces.project(0, 0, Math.max(height, 100));
  show(svg, [-232, roof - 34, 424, -roof + 34 + 56]);
}

function label(level, name, left, count, scoring) {
  const [, y] = pieces.project(0, 0, level.z + 50);
  const x = -228;
  const group = node("g", {});
  group.append(node("text", { x, y, class: "floor-name" }, `${word(name)}`));
  group.append(node("text", { x, y: y + 14, class: scoring ? "counts" : "", "font-size": 10.5 }, scoring ? `${count} · ${word("counts")}` : `${count}`));
  return group;
}

function show(svg, next) {
  cancelAnimationFrame(moving);
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const from = box;
  if (!from || still) {
    box = next;
    svg.setAttribute("viewBox", next.join(" "));
    return;
  }
  const start = performance.now();
  const step = (now) => {
    const t = Math.max(0, Math.min(1, (now - start) / 700)), eased = 1 - (1 - t) ** 3;
    box = from.map((value, k) => value + (next[k] - value) * eased);
    svg.setAttribute("viewBox", box.map((v) => v.toFixed(2)).join(" "));
    if (t < 1) moving = requestAnimationFrame(step);
  };
  moving = requestAnimationFrame(step);
}

function spoken(tower, view) {
  const locked = new Set((view?.locked ?? []).map(key));
  const parts = [0, ...tower.plateaus.map((laid) => laid.plateau)].map((floor) => {
    const names = tower.columns.filter((s) => s.floor === floor).map((s) => columnWord(s.column, locked.has(key(s.column))));
    return `${word(FLOORS[floor])}: ${names.join(", ") || "–"}`;
  });
  if (locked.size) parts.push(`${word("locked")}: ${view.locked.map((column) => columnWord(column)).join(", ")}`);
  return parts.join(". ");
}

export function outside(row, removed, set) {
  row.replaceChildren(...removed.map((column) => {
    const made = pieces.alone(column, set);
    made.setAttribute("role", "img");
    made.setAttribute("aria-label", columnWord(column, false));
    return made;
  }));
}

export function legend(list, set, points) {
  list.replaceChildren(...["thin", "hex", "thick"].map((shape) => {
    const item = document.createElement("li");
    item.append(pieces.alone({ colour: "yellow", shape, number: 1 }, set, true), `${word(shape)} ${points[shape]}`);
    return item;
  }));
}
