"""A scripted game for the page: the nominal set, a tower with everything on it that a screen must show, and a picture."""

from __future__ import annotations

import functools
import math

import cv2
import numpy as np

from rig import messages as m
from rig.pieces import STANDARD_SET, Colour, Column, Floor, Shape
from rig.profile import to_json
from rig.profile.nominal import nominal_profile

SEATS = (
    m.SeatView("Ada", (Colour.RED,), 4),
    m.SeatView("Bruno", (Colour.BLUE,), 3),
    m.SeatView("Clémence", (Colour.YELLOW,), 0),
    m.SeatView("Dörte", (Colour.GREEN,), 1),
)
LOCKED = Column(Colour.BLUE, Shape.THICK)
OUT = Column(Colour.GREEN, Shape.THIN, 3)
LAST = Column(Colour.RED, Shape.THICK)


def profile_set() -> m.ProfileSet:
    return m.ProfileSet(profile_json=to_json(nominal_profile()))


def tower(floors: int = 3) -> m.Tower:
    """All columns but one; the first ones have climbed to the top floor, plateau `floors` (1 blue, 2 green, …)."""
    profile = nominal_profile()
    columns = [column for column in STANDARD_SET.columns if column != OUT]
    climbed = [LAST, Column(Colour.BLUE, Shape.HEX), Column(Colour.RED, Shape.THIN, 1), Column(Colour.GREEN, Shape.THIN, 1)]
    order = [*[column for column in columns if column not in climbed], *climbed]
    shares = [7, 5, 4, 4, 4, 4][: floors + 1]
    per_floor = [*shares[:-1], 4]
    while sum(per_floor) > len(order):
        per_floor[per_floor.index(max(per_floor))] -= 1
    per_floor[0] += len(order) - sum(per_floor)
    plateaus, standing, start = [], [], 0
    for number, count in enumerate(per_floor):
        floor = Floor(number)
        z_mm = number * 105.0
        if number:
            plateaus.append(m.Laid(floor, 4.0 * number, -2.0 * number, z_mm - 5.0, 7.0 * number, tilt_x_deg=0.2))
        reach = 96.0 if not number else 60.0 - 6.0 * number
        for k, column in enumerate(order[start : start + count]):
            angle = 2 * math.pi * (k + 0.37 * number) / count
            radius = reach * (0.55 if k % 3 == 2 else 1.0)
            standing.append(m.Standing(column, floor, radius * math.cos(angle), radius * math.sin(angle), z_mm, 17.0 * k))
        start += count
    assert set(profile.plateaus) >= {laid.plateau for laid in plateaus}
    return m.Tower(tuple(standing), tuple(plateaus))


def view(t_s: float = 412.0, floors: int = 3, *, ask: m.Ask | None = None, outcome: m.OutcomeView | None = None, turn: int = 2) -> m.View:
    return m.View(
        t_s=t_s,
        state=m.RefereeState.OVER if outcome else m.RefereeState.ASKING if ask else m.RefereeState.HANDS_IN,
        phase="over" if outcome else "build",
        turn=None if outcome else turn,
        seats=SEATS,
        holder=0,
        face=Colour.BLUE,
        tower=tower(floors),
        locked=(LOCKED,),
        removed=(OUT,),
        next_plateau=Floor(floors + 1) if floors < 5 else None,
        doing="Watching Clémence's hands; the weight of one thin column is in the air.",
        doing_german="Sieht Clémence zu; eine dünne Säule ist in der Luft.",
        ask=ask,
        outcome=outcome,
        health={},
    )


def ask() -> m.Ask:
    return m.Ask(
        id=5, t_s=413.0, question_english="Which column did Clémence raise?", question_german="Welche Säule hat Clémence umgesetzt?",
        choices=("yellow-thin-1", "yellow-thin-2", "none of these"), reason="Her hand hid both while they were lifted.",
    )  # fmt: skip


def fact(number: int = 1, t_s: float = 398.0, frames: tuple[int, ...] = (4001,)) -> m.Fact:
    return m.Fact(
        id=number, t_s=t_s, kind=m.FactKind.RAISED, seat=0, column=LAST, floor=Floor.YELLOW, confidence=0.9931,
        evidence=(
            m.Evidence("camera", "It stands on yellow in both pictures and is gone from blue.", 7.2, frames),
            m.Evidence("scale", "39.8 g left the tower and came back.", 3.1),
            m.Evidence("call", "Red's turn.", 0.4),
        ),
        details={"overhang_mm": 0.0},
    )  # fmt: skip


TOLD = (
    (
        "set_up",
        ("U1", "U2"),
        "The set-up is complete: 20 columns and the blue plateau.",
        "Der Aufbau steht: 20 Säulen und das blaue Plateau.",
    ),
    (
        "turn",
        ("U4",),
        "Ada to play.",
        "Ada ist am Zug.",
    ),
    (
        "laid",
        ("A2", "A3"),
        "Dörte lays the green plateau; it covers five columns.",
        "Dörte legt das grüne Plateau; es deckt fünf Säulen.",
    ),
    (
        "seal",
        ("S1",),
        "Bruno is first on green and takes the Chief Builder's Seal.",
        "Bruno steht zuerst auf Grün und nimmt das Baumeistersiegel.",
    ),
    (
        "aborted",
        ("B10",),
        "Bruno puts the thick blue column back; it is locked for the rest of the game.",
        "Bruno stellt die dicke blaue Säule zurück; sie ist für den Rest des Spiels gesperrt.",
    ),
    (
        "refused",
        ("B11",),
        "No request after an abort: Bruno's turn is over.",
        "Nach einem Abbruch keine Forderung: Brunos Zug ist vorbei.",
    ),
    (
        "claim_upheld",
        ("C4",),
        "Dörte's challenge failed; Ada takes one of the thin green columns out.",
        "Dörtes Einspruch ist gescheitert; Ada nimmt eine dünne grüne Säule heraus.",
    ),
    (
        "laid",
        ("A2", "A3", "S4"),
        "Ada lays the yellow plateau; all scores begin anew.",
        "Ada legt das gelbe Plateau; alle Punkte beginnen von vorn.",
    ),
    (
        "raised",
        ("B1", "B9"),
        "Bruno raises the blue hexagon from the ground to yellow: 2 points.",
        "Bruno setzt die blaue sechseckige Säule vom Boden auf Gelb: 2 Punkte.",
    ),
    (
        "raised",
        ("B1", "B9"),
        "Ada raises the thick red column from blue to yellow: 3 points.",
        "Ada setzt die dicke rote Säule von Blau auf Gelb: 3 Punkte.",
    ),
    (
        "seal",
        ("S3",),
        "Ada has 4 points, Bruno 3: the seal passes to Ada and shows blue.",
        "Ada hat 4 Punkte, Bruno 3: Das Siegel geht an Ada und zeigt Blau.",
    ),
    (
        "turn",
        ("U4",),
        "Clémence to play.",
        "Clémence ist am Zug.",
    ),
)


def rulings() -> list[m.Ruling]:
    return [
        m.Ruling(
            id=k + 1, t_s=40.0 + 33.0 * k, kind=kind, rule_ids=rules, facts=(1,) if kind == "raised" else (), english=english, german=german
        )
        for k, (kind, rules, english, german) in enumerate(TOLD)
    ]


def outcome() -> m.OutcomeView:
    return m.OutcomeView(
        winners=(1,), culprit=0,
        english="Ada holds the seal and brought the villa down. The seal shows blue, so Bruno wins (E2).",
        german="Ada hält das Siegel und hat die Villa zum Einsturz gebracht. Das Siegel zeigt Blau, also gewinnt Bruno (E2).",
    )  # fmt: skip


@functools.cache
def picture(number: int) -> bytes:
    """A portrait JPEG, told apart by a number."""
    shade = np.linspace(70, 20, 640, dtype=np.uint8)[:, None, None]
    image = np.broadcast_to(shade, (640, 360, 3)).copy()
    cv2.circle(image, (180, 420), 130, (150, 190, 210), -1)
    for k, colour in enumerate(((40, 50, 200), (190, 90, 40), (40, 180, 230), (60, 130, 40))):
        cv2.rectangle(image, (100 + 45 * k, 300), (122 + 45 * k, 420), colour, -1)
    cv2.rectangle(image, (80, 285), (290, 300), (190, 120, 60), -1)
    cv2.putText(image, str(number), (20, 60), cv2.FONT_HERSHEY_SIMPLEX, 1.6, (230, 230, 230), 3)
    done, jpeg = cv2.imencode(".jpg", image)
    assert done
    return bytes(jpeg.tobytes())


def weighed(t_s: float) -> m.Weighed:
    lifted = 30.0 if 385 < t_s < 394 else 0.0
    grams = 812.0 - lifted + 0.5 * math.sin(7.3 * t_s) + (6.0 * math.sin(3 * t_s) if 383 < t_s < 386 else 0.0)
    return m.Weighed(t_s=t_s, weight_g=grams, cop_x_mm=3.0, cop_y_mm=-1.0, noise_g=0.3, quiet=not lifted)


def tilted(t_s: float) -> m.Tilted:
    return m.Tilted(t_s=t_s, tilt_x_deg=0.02 + 0.006 * math.sin(1.7 * t_s), tilt_y_deg=-0.03 + 0.004 * math.sin(2.9 * t_s), shock_mps2=0.01)


def link(zeroed_g: float) -> m.LinkNews:
    """The base is well; after a tare with what it took off."""
    return m.LinkNews(
        health=m.Health.GOOD, sentence="The base is well.", frames=900, samples=9000, lost_frames=0, bad_frames=0, rejected_samples=0,
        resets=0, zeroed_g=zeroed_g,
    )  # fmt: skip
