"""Draws wiring and mechanics of the sensing base as SVG: `python firmware/drawings.py` writes wiring.svg and mechanics.svg beside it.

The sizes are those of the nominal rig in `rig.profile`, the pins those of the sketch's headers, so a change there shows here; a test holds
the committed drawings to it.
"""

from __future__ import annotations

from pathlib import Path

from rig.base.code_light import PLACE_MM
from rig.profile.nominal import nominal_profile

HERE = Path(__file__).resolve().parent

INK, THIN, WOOD, CARD, METAL = "#222", "#777", "#e8d9b8", "#cbb98a", "#b9c2cc"
WIRE = {"signal": "#1f5fa8", "clock": "#b5521b", "power": "#a11", "ground": "#222"}

PINS = (
    ("A0", "DT of HX711 1", "signal"), ("D4", "SCK of HX711 1", "clock"),
    ("A1", "DT of HX711 2", "signal"), ("D5", "SCK of HX711 2", "clock"),
    ("A2", "DT of HX711 3", "signal"), ("D6", "SCK of HX711 3", "clock"),
    ("A3", "DT of HX711 4", "signal"), ("D7", "SCK of HX711 4", "clock"),
    ("A4", "SDA of MPU-6050", "signal"), ("A5", "SCL of MPU-6050", "clock"), ("D2", "INT of MPU-6050", "signal"),
    ("D8", "button of seat 1 (to ground)", "signal"), ("D9", "button of seat 2 (to ground)", "signal"),
    ("D10", "button of seat 3 (to ground)", "signal"), ("D11", "button of seat 4 (to ground)", "signal"),
    ("D12", "330 ohm, go light, ground", "signal"), ("D3", "330 ohm, code light, ground", "signal"),
    ("5V", "VCC of all boards; RATE (pin 15) of each HX711", "power"), ("GND", "GND of all boards", "ground"),
)  # fmt: skip
"""Board pin, what it goes to, kind of wire. The sketch's side: cells.h, motion.h, panel.h."""


class Drawing:
    """An SVG in the making; millimetres (or plain units) as given."""

    def __init__(self, width: float, height: float, title: str) -> None:
        self._head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" height="{height:g}" '
            f'font-family="sans-serif" font-size="11">\n<title>{title}</title>\n<rect width="100%" height="100%" fill="#fff"/>\n'
        )
        self._parts: list[str] = []

    def rect(self, x: float, y: float, w: float, h: float, fill: str = "none", stroke: str = INK, radius: float = 0) -> None:
        self._parts.append(f'<rect x="{x:g}" y="{y:g}" width="{w:g}" height="{h:g}" rx="{radius:g}" fill="{fill}" stroke="{stroke}"/>')

    def circle(self, x: float, y: float, r: float, fill: str = "none", stroke: str = INK, dash: str = "none") -> None:
        self._parts.append(f'<circle cx="{x:g}" cy="{y:g}" r="{r:g}" fill="{fill}" stroke="{stroke}" stroke-dasharray="{dash}"/>')

    def line(self, x0: float, y0: float, x1: float, y1: float, stroke: str = INK, width: float = 1.0, dash: str = "none") -> None:
        self._parts.append(
            f'<line x1="{x0:g}" y1="{y0:g}" x2="{x1:g}" y2="{y1:g}" stroke="{stroke}" stroke-width="{width:g}" stroke-dasharray="{dash}"/>'
        )

    def text(self, x: float, y: float, words: str, anchor: str = "start", size: float = 11, fill: str = INK) -> None:
        self._parts.append(f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" font-size="{size:g}" fill="{fill}">{words}</text>')

    def dimension(self, x0: float, x1: float, y: float, words: str) -> None:
        """A horizontal dimension line with its figure above."""
        self.line(x0, y, x1, y, THIN)
        for x in (x0, x1):
            self.line(x, y - 4, x, y + 4, THIN)
        self.text((x0 + x1) / 2, y - 4, words, "middle", 10, THIN)

    def svg(self) -> str:
        return self._head + "\n".join(self._parts) + "\n</svg>\n"


def wiring() -> str:
    """The board on the left, one wire a row, the part's pin on the right."""
    step, top = 24, 70
    height = top + step * len(PINS) + 40
    drawing = Drawing(680, height, "Wiring of the sensing base")
    drawing.text(20, 30, "Wiring of the sensing base", size=16)
    drawing.rect(40, top - 24, 150, step * len(PINS) + 24, "#dfe9ee", radius=8)
    drawing.text(60, top, "Uno")
    drawing.text(60, top + 16, "or Nano")
    for row, (pin, goes_to, kind) in enumerate(PINS):
        y = top + row * step
        drawing.circle(190, y, 4, WIRE[kind], WIRE[kind])
        drawing.text(178, y + 4, pin, "end")
        drawing.line(190, y, 360, y, WIRE[kind], 2)
        drawing.circle(360, y, 3, "#fff", WIRE[kind])
        drawing.text(372, y + 4, goes_to)
    first, last = top + step * 7.5, top + step * 10.5
    for y in (first, last):
        drawing.line(210, y, 660, y, THIN, 0.5, "4 3")
    drawing.text(372, height - 14, "below the second dashed line: optional, but for power", size=10, fill=THIN)
    return drawing.svg()


def mechanics() -> str:
    """From above, and cut through the middle of two cells."""
    profile = nominal_profile()
    base, cells = profile.base, profile.cells
    margin, title = 60.0, 40.0
    half = base.apron_outer_mm
    cx, cy = margin + half, title + margin + half
    side_top = cy + half + 90
    drawing = Drawing(2 * (margin + half), side_top + 170, "Mechanics of the sensing base")
    drawing.text(20, 26, "The sensing base (nominal rig, mm): from above, and cut through cells 1 and 2", size=13)
    drawing.rect(cx - half, cy - half, 2 * half, 2 * half, "#eee")
    inner = base.apron_inner_mm
    drawing.rect(cx - inner, cy - inner, 2 * inner, 2 * inner, "#fff")
    plate = base.plate_half_mm
    drawing.rect(cx - plate, cy - plate, 2 * plate, 2 * plate, WOOD)
    drawing.circle(cx, cy, base.radius_mm + 3, "none", INK)
    drawing.circle(cx, cy, base.radius_mm, CARD)
    drawing.circle(cx, cy, base.site_radius_mm, "none", THIN, "5 4")
    for number, cell in enumerate(cells, 1):
        x, y = cx + cell.x_mm, cy - cell.y_mm
        drawing.rect(x - 40, y - 6.5, 80, 13, METAL, radius=2)
        drawing.circle(x, y, 3, INK)
        drawing.text(x, y + 22, f"cell {number} at ({cell.x_mm:+g}, {cell.y_mm:+g})", "middle", 10)
    for marker in profile.markers.markers:
        (x0, y0, z0), (x1, y1, z1) = marker.corners_mm[0], marker.corners_mm[2]
        if abs(z0 - z1) < 1:  # those on the rim lie flat
            drawing.rect(cx + min(x0, x1), cy - max(y0, y1), abs(x1 - x0), abs(y1 - y0), "#444", "none")
    light_x, light_y = cx + PLACE_MM[0], cy - PLACE_MM[1]
    drawing.circle(light_x, light_y, 4, "#fff", WIRE["power"])
    drawing.text(light_x, light_y - 30, f"code light at ({PLACE_MM[0]:+g}, {PLACE_MM[1]:+g})", "middle", 10)
    drawing.line(light_x, light_y - 26, light_x, light_y - 5, WIRE["power"])
    drawing.text(cx, cy, "game's base, in its locating ring", "middle")
    drawing.text(cx, cy + 16, "dashed: building site", "middle", 10, THIN)
    drawing.text(cx, cy + half + 18, "front: the side of camera 1", "middle")
    drawing.dimension(cx - plate, cx + plate, cy + half + 44, f"sensing plate {2 * plate:g} square")
    drawing.dimension(cx - half, cx + half, cy + half + 68, f"apron {2 * half:g} square, gap {inner - plate:g} to the plate")
    _section(drawing, cx, side_top + 30)
    return drawing.svg()


def _section(drawing: Drawing, cx: float, top: float) -> None:
    """Cut through the middle; z = 0 (the base's upper face) is at `top`."""
    profile = nominal_profile()
    base, cells = profile.base, profile.cells
    plate_top, table = top + base.thickness_mm, top - base.table_z_mm
    drawing.rect(cx - base.radius_mm, top, 2 * base.radius_mm, base.thickness_mm, CARD)
    drawing.rect(cx - base.plate_half_mm, plate_top, 2 * base.plate_half_mm, 12, WOOD)
    for side in (-1, 1):
        x = cx + side * abs(cells[0].x_mm)
        drawing.rect(x - 40, plate_top + 17, 80, 13, METAL, radius=2)
        drawing.rect(x + side * 22 - 6, plate_top + 12, 12, 5, INK)
        drawing.rect(x - side * 22 - 6, plate_top + 30, 12, table - plate_top - 30, INK)
        drawing.line(x + side * 34, plate_top + 32, x + side * 34, table, WIRE["clock"], 3)
        left = cx + (base.apron_inner_mm if side > 0 else -base.apron_outer_mm)
        drawing.rect(left, top - base.rim_z_mm, base.apron_outer_mm - base.apron_inner_mm, table - top + base.rim_z_mm, "#eee")
    drawing.line(cx - base.apron_outer_mm - 30, table, cx + base.apron_outer_mm + 30, table, INK, 2)
    drawing.text(
        cx,
        table + 18,
        "table. Each bar cell: one end under the plate, the other on its foot; red-brown: overload stop, 0.5 below the",
        "middle",
    )
    drawing.text(
        cx, table + 34, "free end. The apron stands on the table by itself: a leaning hand is not weighed. Cells of 1 to 3 kg.", "middle"
    )


def main() -> None:
    (HERE / "wiring.svg").write_text(wiring(), encoding="utf-8")
    (HERE / "mechanics.svg").write_text(mechanics(), encoding="utf-8")


if __name__ == "__main__":
    main()
