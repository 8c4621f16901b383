// Weight and tilt as lines that move, a minute wide. Canvas, because they change ten times a second.

import { decimal } from "./words.js";

const SPAN_S = 60;
const paint = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

export class Lines {
  constructor(canvas) {
    this.canvas = canvas;
    this.points = [];
    this.marks = [];
    this.dirty = true;
    new ResizeObserver(() => { this.dirty = true; this.draw(); }).observe(canvas);
  }

  reset(points, marks = []) {
    this.points = points.slice();
    this.marks = marks.slice();
    this.dirty = true;
  }

  add(points) {
    const last = this.points.length ? this.points.at(-1)[0] : -Infinity;
    for (const point of points) if (point[0] > last) this.points.push(point);
    const from = this.points.length ? this.points.at(-1)[0] - SPAN_S : 0;
    while (this.points.length && this.points[0][0] < from) this.points.shift();
    this.marks = this.marks.filter((mark) => mark.t_s >= from);
    this.dirty = true;
  }

  mark(mark) {
    this.marks.push(mark);
    this.dirty = true;
  }

  // `series`: for each line which entry of a point it shows and its colour; `least`: the smallest height of the window.
  setUp(series, least, digits, unit) {
    Object.assign(this, { series, least, digits, unit });
  }

  draw() {
    if (!this.dirty || document.hidden) return;
    this.dirty = false;
    const ratio = devicePixelRatio || 1, { clientWidth: w, clientHeight: h } = this.canvas;
    if (!w || !h) return;
    if (this.canvas.width !== Math.round(w * ratio) || this.canvas.height !== Math.round(h * ratio)) {
      this.canvas.width = Math.round(w * ratio);
      this.canvas.height = Math.round(h * ratio);
    }
    const pen = this.canvas.getContext("2d");
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, w, h);
    if (!this.points.length) return;
    const end = this.points.at(-1)[0], start = end - SPAN_S;
    let low = Infinity, high = -Infinity;
    for (const point of this.points) for (const [entry] of this.series) if (point[entry] !== null) {
      low = Math.min(low, point[entry]);
      high = Math.max(high, point[entry]);
    }
    if (low === Infinity) return;
    const middle = (low + high) / 2, reach = Math.max(this.least, (high - low) * 1.25) / 2;
    const size = Math.max(11, Math.min(15, w / 24));
    const x = (t) => ((t - start) / SPAN_S) * w, y = (v) => h / 2 - ((v - middle) / reach) * (h / 2 - 3);
    pen.strokeStyle = paint("--line");
    pen.lineWidth = 1;
    pen.beginPath();
    for (let t = Math.ceil(start / 10) * 10; t <= end; t += 10) { pen.moveTo(x(t), 0); pen.lineTo(x(t), h); }
    pen.stroke();
    for (const [entry, colour] of this.series) {
      pen.strokeStyle = paint(colour);
      pen.lineWidth = 2.2;
      pen.lineJoin = "round";
      pen.beginPath();
      let pendown = false, before = 0;
      for (const point of this.points) {
        const value = point[entry];
        if (value === null || point[0] - before > 1.5) pendown = false;  // what is missing is a gap, never a zero
        before = point[0];
        if (value === null) continue;
        if (pendown) pen.lineTo(x(point[0]), y(value));
        else pen.moveTo(x(point[0]), y(value));
        pendown = true;
      }
      pen.stroke();
    }
    pen.font = `600 ${size}px Figtree, sans-serif`;
    pen.fillStyle = paint("--dim");
    pen.textAlign = "center";
    let free = Infinity;  // the newest mark is written first; older ones only where there is room
    for (const mark of [...this.marks].sort((a, b) => b.t_s - a.t_s)) {
      const at = Math.min(x(mark.t_s), w - 22), half = pen.measureText(mark.text).width / 2 + 4;
      if (at < 14 || at + half > free) continue;
      pen.fillText(mark.text, at, size + 1);
      free = at - half;
    }
  }

  now(entry) {
    const value = this.points.length ? this.points.at(-1)[entry] : null;
    return value === null ? null : `${decimal(value, this.digits)}${this.unit}`;
  }
}
