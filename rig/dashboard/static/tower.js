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
  const { parts, height } = build(tower, view, set, last ? key(last) : "");
  svg.replaceChildren(...parts);
  svg.setAttribute("aria-label", spoken(tower, view));
  show(svg, frame(height));
}

// A tower by itself, for a dialog: `chosen` (a column's name, or several) is bright, and then all else is pale.
export function picture(view, set, chosen = null) {
  const bright = new Set([chosen ?? []].flat());
  const { parts, height } = build(view.tower, view, set, "");
  const svg = node("svg", { class: "tower", role: "img", viewBox: frame(height).join(" "), "aria-label": spoken(view.tower, view) }, ...parts);
  if (bright.size) for (const column of svg.querySelectorAll("[data-column]")) column.classList.add(bright.has(column.dataset.column) ? "bright" : "pale");
  return svg;
}

// What stands, drawn from the bottom, and how high it reaches (mm).
function build(tower, view, set, lastKey) {
  const locked = new Set((view?.locked ?? []).map(key));
  const probable = new Set((view?.probable ?? []).map(key));
  const parts = [pieces.paints(), pieces.base(set)];
  const top = tower.plateaus.length ? tower.plateaus.at(-1).plateau : 0;
  const levels = [{ floor: 0, z: 0, group: null }, ...tower.plateaus.map((laid) => ({ floor: laid.plateau, z: laid.z_mm, laid }))];
  let height = 100;
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
  return { parts, height };
}

function frame(height) {
  const [, roof] = pieces.project(0, 0, height);
  return [-232, roof - 34, 424, -roof + 34 + 56];
}

function label(level, name, left, count, scoring) {
  const [, y] = pieces.project(0, 0, level.z + 50);
  const x = -228;
  const group = node("g", {});
  group.append(node("text", { x, y, class: "floor-name" }, `${word(name)}`));
  group.append(node("text", { x, y, dy: "1.15em", class: scoring ? "counts" : "", "font-size": 10.5 }, scoring ? `${count} · ${word("counts")}` : `${count}`));
  return group;
}

// How many mm of the tower a pixel is, so that labels keep their size on the screen, whatever the tower's.
const measured = new ResizeObserver((entries) => entries.forEach((entry) => measure(entry.target)));
function measure(svg) {
  const scale = svg.getScreenCTM()?.a;
  if (scale) svg.style.setProperty("--mm", (1 / scale).toFixed(3));
}

function show(svg, next) {
  measured.observe(svg);
  cancelAnimationFrame(moving);
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const from = box;
  if (!from || still) {
    box = next;
    svg.setAttribute("viewBox", next.join(" "));
    measure(svg);
    return;
  }
  const start = performance.now();
  const step = (now) => {
    const t = Math.max(0, Math.min(1, (now - start) / 700)), eased = 1 - (1 - t) ** 3;
    box = from.map((value, k) => value + (next[k] - value) * eased);
    svg.setAttribute("viewBox", box.map((v) => v.toFixed(2)).join(" "));
    measure(svg);
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

// The column of the drawn tower that a tap was meant for; a near miss counts, columns are thin and thumbs are not.
export function nearest(svg, event, which = "", reach = 14) {
  const direct = event.target.closest?.(`[data-column]${which}`)?.dataset.column;
  if (direct) return direct;
  const near = [...svg.querySelectorAll(`[data-column]${which}`)].map((one) => {
    const box = one.getBoundingClientRect();
    const dx = Math.max(box.left - event.clientX, 0, event.clientX - box.right), dy = Math.max(box.top - event.clientY, 0, event.clientY - box.bottom);
    return { column: one.dataset.column, away: Math.hypot(dx, dy), middle: Math.abs(event.clientX - (box.left + box.right) / 2) };
  }).filter((one) => one.away < reach).sort((a, b) => a.away - b.away || a.middle - b.middle);
  return near[0]?.column ?? null;
}
