// Columns, plateaus and signs as SVG: how a piece of painted wood looks from the front and a little above.

const NS = "http://www.w3.org/2000/svg";
const ELEVATION = (14 * Math.PI) / 180;
const COS = Math.cos(ELEVATION), SIN = Math.sin(ELEVATION);

export const PAINT = { red: "#e0513f", blue: "#5b93ea", yellow: "#f4c544", green: "#57b36a", orange: "#f0913f", ground: "#d8bd8b" };
// From dark edge over the paint to the light that falls from the upper left.
const WOOD = {
  red: ["#7d1c14", "#d8402f", "#f58573", "#8f241b"], blue: ["#1c3f86", "#3f7be0", "#93bbff", "#23498f"],
  yellow: ["#96690a", "#efb92c", "#ffe594", "#a87a12"], green: ["#175429", "#389a50", "#86d596", "#1c5f30"],
};
const PLATE = {
  blue: ["#6a9cec", "#4574c4"], green: ["#6fc07c", "#44915a"], yellow: ["#f8d568", "#d0a52f"],
  orange: ["#f7a95e", "#cf7327"], red: ["#ea6c5a", "#b63d2e"],
};
const SIZES = { thick: { radius_mm: 14, height_mm: 100 }, hex: { radius_mm: 11.5, height_mm: 100 }, thin: { radius_mm: 7.5, height_mm: 100 } };

export function node(name, attributes = {}, ...children) {
  const made = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

export function project(x, y, z) {
  return [x, -z * COS - y * SIN];
}

export function size(shape, set) {
  return set?.columns?.[shape] ?? SIZES[shape];
}

export function paints() {
  const defs = node("defs");
  for (const [colour, stops] of Object.entries(WOOD)) {
    const gradient = node("linearGradient", { id: `wood-${colour}` });
    for (const [offset, stop] of [[0, 0], [0.24, 2], [0.5, 1], [1, 3]]) gradient.append(node("stop", { offset, "stop-color": stops[stop] }));
    defs.append(gradient);
  }
  for (const [floor, [light, dark]] of Object.entries(PLATE)) {
    defs.append(node("linearGradient", { id: `plate-${floor}`, x1: 0, y1: 0, x2: 1, y2: 1 },
      node("stop", { offset: 0, "stop-color": light }), node("stop", { offset: 1, "stop-color": dark })));
  }
  defs.append(node("linearGradient", { id: "under", x1: 0, y1: 0, x2: 0, y2: 1 },
    node("stop", { offset: 0, "stop-color": "#000", "stop-opacity": 0.55 }), node("stop", { offset: 0.3, "stop-color": "#000", "stop-opacity": 0 })));
  defs.append(node("radialGradient", { id: "table-light" },
    node("stop", { offset: 0, "stop-color": "#5a4028", "stop-opacity": 0.85 }), node("stop", { offset: 1, "stop-color": "#5a4028", "stop-opacity": 0 })));
  return defs;
}

const path = (points) => `M${points.map((p) => p.map((v) => v.toFixed(1)).join(",")).join("L")}Z`;

// A sign for each colour, so that nobody needs to tell red from green by hue.
export function sign(colour, cx, cy, r, fill) {
  const attributes = { fill, class: "sign" };
  if (colour === "blue") return node("circle", { cx, cy, r: r * 0.86, ...attributes });
  if (colour === "yellow") return node("rect", { x: cx - r * 0.78, y: cy - r * 0.78, width: r * 1.56, height: r * 1.56, ...attributes });
  const corners = colour === "red" ? [[0, -1], [0.95, 0.72], [-0.95, 0.72]] : [[0, -1.1], [1, 0], [0, 1.1], [-1, 0]];
  return node("path", { d: path(corners.map(([x, y]) => [cx + x * r, cy + y * r])), ...attributes });
}

export function glyph(colour) {
  const box = node("svg", { viewBox: "-1.2 -1.2 2.4 2.4", class: "glyph", "aria-hidden": "true" });
  box.append(sign(colour, 0, 0, 1.05, PAINT[colour]));
  return box;
}

function padlock(cx, cy, s) {
  return node("g", { transform: `translate(${cx} ${cy}) scale(${s})` },
    node("circle", { r: 9.5, fill: "#1a120b", stroke: "#e6b655", "stroke-width": 1.6 }),
    node("path", { d: "M-2.7,-1V-3.2a2.7,2.7 0 0 1 5.4,0V-1", fill: "none", stroke: "#e6b655", "stroke-width": 1.7 }),
    node("rect", { x: -4.4, y: -1.2, width: 8.8, height: 6.4, rx: 1.2, fill: "#e6b655" }));
}

// A column with its foot at (x, y, z) mm. `marks`: {locked, last, under}; under a plateau its head lies in the shade.
export function column(piece, place, set, marks = {}) {
  const { radius_mm: r, height_mm: h } = size(piece.shape, set);
  const [cx, foot] = project(place.x_mm, place.y_mm, place.z_mm);
  const [, head] = project(place.x_mm, place.y_mm, place.z_mm + h);
  const flat = r * SIN;
  const group = node("g", { class: "column", "data-column": `${piece.colour}-${piece.shape}-${piece.number}` });
  let outline;
  if (piece.shape === "hex") {
    const yaw = ((place.yaw_deg ?? 0) * Math.PI) / 180;
    const ring = [...Array(6).keys()].map((k) => [r * Math.cos(yaw + (k * Math.PI) / 3), r * Math.sin(yaw + (k * Math.PI) / 3)]);
    const low = ring.map(([x, y]) => [cx + x, foot - y * SIN]), high = ring.map(([x, y]) => [cx + x, head - y * SIN]);
    const [dark, paint, light] = WOOD[piece.colour];
    ring.forEach(([x, y], k) => {
      const next = (k + 1) % 6, nx = x + ring[next][0], ny = y + ring[next][1];
      if (ny >= -1e-6) return;
      const turn = nx / Math.hypot(nx, ny);
      const fill = turn < -0.25 ? light : turn > 0.25 ? dark : paint;
      group.append(node("path", { d: path([low[k], low[next], high[next], high[k]]), fill, stroke: "#0004", "stroke-width": 0.5 }));
    });
    group.append(node("path", { d: path(high), fill: light, stroke: "#0003", "stroke-width": 0.5 }));
    const left = Math.min(...low.map((p) => p[0])), right = Math.max(...low.map((p) => p[0]));
    outline = `M${left},${foot}L${low.filter((p) => p[1] > foot + 0.01).sort((a, b) => a[0] - b[0]).map((p) => p.join(",")).join("L")}L${right},${foot}V${head}` +
      `L${high.filter((p) => p[1] < head - 0.01).sort((a, b) => b[0] - a[0]).map((p) => p.join(",")).join("L")}L${left},${head}Z`;
  } else {
    outline = `M${cx - r},${foot}A${r},${flat} 0 0 0 ${cx + r},${foot}V${head}A${r},${flat} 0 0 0 ${cx - r},${head}Z`;
    group.append(node("path", { d: outline, fill: `url(#wood-${piece.colour})` }));
    group.append(node("ellipse", { cx, cy: head, rx: r, ry: flat, fill: WOOD[piece.colour][2] }));
    if (piece.shape === "thick") {  // turned grooves, only in the drawing: from afar a thick one must not pass for a hexagon
      for (const share of [0.1, 0.16, 0.84, 0.9]) {
        const y = foot + (head - foot) * share;
        group.append(node("path", { d: `M${cx - r},${y}A${r},${flat} 0 0 0 ${cx + r},${y}`, fill: "none", stroke: "#0000006b", "stroke-width": 1.7 }));
      }
    }
  }
  if (marks.under) group.append(node("path", { d: outline, fill: "url(#under)" }));
  group.append(sign(piece.colour, cx, foot - (foot - head) * 0.2 + flat * 0.6, Math.min(5.6, r * 0.56), "#fffbeed9"));
  if (marks.locked) {
    const middle = foot - (foot - head) * 0.47;
    group.append(node("path", { d: `M${cx - r},${middle - 4}A${r},${flat} 0 0 0 ${cx + r},${middle - 4}V${middle + 4}A${r},${flat} 0 0 1 ${cx - r},${middle + 4}Z`, fill: "#e6b655" }));
    group.append(padlock(cx, middle + flat, 1));
  }
  if (marks.last) group.append(node("path", { d: outline, class: "halo" }), node("path", { d: outline, class: "last" }));
  return group;
}

export function shadow(place, radius) {
  const [cx, cy] = project(place.x_mm + 5, place.y_mm - 3, place.z_mm);
  return node("ellipse", { cx, cy, rx: radius * 1.35, ry: radius * 1.35 * SIN + 1, fill: "#0000004d" });
}

// Shapes to fall back on when no profile has been heard: curved, irregular, each smaller than the one below.
function guess(floor) {
  const rank = ["blue", "green", "yellow", "orange", "red"].indexOf(floor);
  return [...Array(40).keys()].map((k) => {
    const a = (k * Math.PI) / 20, r = (118 - rank * 13) * (1 + 0.1 * Math.sin(2 * a + rank) + 0.06 * Math.cos(3 * a + 2 * rank));
    return [r * Math.cos(a), r * 0.82 * Math.sin(a)];
  });
}

export function outline(floor, laid, set) {
  const plateau = set?.plateaus?.[floor];
  const points = plateau?.outline_mm ?? guess(floor);
  const yaw = (laid.yaw_deg * Math.PI) / 180, c = Math.cos(yaw), s = Math.sin(yaw);
  const tx = Math.tan((laid.tilt_x_deg * Math.PI) / 180), ty = Math.tan((laid.tilt_y_deg * Math.PI) / 180);
  return {
    thickness: plateau?.thickness_mm ?? 5,
    ring: points.map(([u, v]) => {
      const x = u * c - v * s, y = u * s + v * c;
      return [laid.x_mm + x, laid.y_mm + y, laid.z_mm + y * tx - x * ty];
    }),
  };
}

export function plateau(floor, laid, set) {
  const { ring, thickness } = outline(floor, laid, set);
  const low = ring.map(([x, y, z]) => project(x, y, z)), high = ring.map(([x, y, z]) => project(x, y, z + thickness));
  const group = node("g", { class: "plateau", "data-plateau": floor });
  const side = [...low, ...high];
  group.append(node("path", { d: path(low), fill: "#6d4d2c" }));
  ring.forEach((_, k) => {
    const next = (k + 1) % ring.length;
    group.append(node("path", { d: path([low[k], low[next], high[next], high[k]]), fill: "#c99f66", stroke: "#c99f66", "stroke-width": 0.6 }));
  });
  group.append(node("path", { d: path(high), fill: `url(#plate-${floor})`, stroke: "#fff4", "stroke-width": 0.8 }));
  return { group, left: Math.min(...side.map((p) => p[0])), front: Math.max(...low.map((p) => p[1])) };
}

export function base(set) {
  const outer = set?.base?.radius_mm ?? 150, site = set?.base?.site_radius_mm ?? 130;
  const group = node("g", { class: "base" });
  group.append(node("ellipse", { cx: 0, cy: 14, rx: outer * 1.26, ry: outer * 1.26 * SIN + 14, fill: "url(#table-light)" }));
  group.append(node("ellipse", { cx: 0, cy: 7, rx: outer, ry: outer * SIN, fill: "#8f7445" }));
  group.append(node("ellipse", { cx: 0, cy: 0, rx: outer, ry: outer * SIN, fill: "#d8bd8b" }));
  group.append(node("ellipse", { cx: 0, cy: 0, rx: site, ry: site * SIN, fill: "#c8aa75", stroke: "#a98a56", "stroke-width": 1 }));
  return group;
}

// One column by itself for those out of the game, or only a stump of it for the legend. Its paints are those of the tower on the same page.
export function alone(piece, set, stump = false) {
  const { radius_mm: r, height_mm: whole } = size(piece.shape, set);
  const h = stump ? 34 : whole;
  const pad = 3;
  const box = node("svg", { viewBox: `${-r - pad} ${-h * COS - r * SIN - pad} ${2 * (r + pad)} ${h * COS + 2 * r * SIN + 2 * pad}` });
  box.append(column(piece, { x_mm: 0, y_mm: 0, z_mm: 0, yaw_deg: 0 }, { columns: { [piece.shape]: { radius_mm: r, height_mm: h } } }));
  return box;
}

// The seal: a four-sided bar lying on the table, its upper face turned to us.
export function seal(face) {
  const paint = face ? PAINT[face] : "#8a7a63";
  const parts = [
    node("path", { d: "M8,34 L34,12 L126,12 L104,34 Z", fill: paint, stroke: "#fff5", "stroke-width": 1 }),
    node("path", { d: "M8,34 L104,34 L104,64 L8,64 Z", fill: "#b98a4f" }),
    node("path", { d: "M104,34 L126,12 L126,42 L104,64 Z", fill: "#8a6232" }),
    node("path", { d: "M12,44h88M12,53h70", stroke: "#9b7240", "stroke-width": 1.2, fill: "none" }),
  ];
  if (face) parts.push(node("g", { transform: "translate(67 23) scale(1 .55)" }, sign(face, 0, 0, 10, "#fffbeee0")));
  return parts;
}
