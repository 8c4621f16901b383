"""`paletti doctor --watch`: the base's channels as a live table, to be kept open while soldering.

What it shows is `rig.base.doctor.watch`'s; here it is drawn.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from rig.base.command import TwoWay
from rig.base.doctor.watch import Condition, Glance, LiveWatch
from rig.errors import PalettiError

REDRAW_S = 0.25
RETRY_S = 0.5
COLOURS = {Condition.WELL: "green", Condition.DOUBTFUL: "yellow", Condition.ILL: "bold red"}


def watch(
    port: TwoWay,
    seconds: float | None,
    console: Console | None = None,
    clock: Callable[[], float] = time.monotonic,
    pause: Callable[[float], object] = time.sleep,
) -> int:
    """Shows the table until Ctrl-C, or for `seconds`; a base that is pulled out is shown as gone and watched again once it is back.

    Returns 0 if all channels were well at the end, else 1.
    """
    patient, started_s, drawn_s = LiveWatch(), clock(), -REDRAW_S
    glance = patient.look(0.0)
    with Live(table(glance), console=console or Console(), auto_refresh=False) as live:
        with contextlib.suppress(KeyboardInterrupt):
            while seconds is None or clock() - started_s < seconds:
                gone = _read(port, patient, clock, started_s)
                now_s = clock() - started_s
                if gone or now_s - drawn_s >= REDRAW_S:
                    drawn_s, glance = now_s, patient.look(now_s)
                    live.update(table(glance), refresh=True)
                if gone:
                    pause(RETRY_S)
        live.update(table(glance), refresh=True)
    ill = any(channel.condition is Condition.ILL for channel in glance.channels) or glance.link_condition is Condition.ILL
    return 1 if ill else 0


def _read(port: TwoWay, patient: LiveWatch, clock: Callable[[], float], started_s: float) -> bool:
    """Hears what has come in; is the port gone?"""
    try:
        data = port.read()
    except PalettiError as error:
        patient.lose(error.sentence)
        return True
    patient.hear(clock() - started_s, data)
    return False


def table(glance: Glance) -> Group:
    """The glance as a table with colours and words, the link and the latest changes below it."""
    out = Table(title=f"the base, {glance.t_s:.1f} s", title_justify="left")
    out.add_column("channel", no_wrap=True)
    for head in ("samples/s", "noise", "last value"):
        out.add_column(head, justify="right", no_wrap=True)
    out.add_column("state")
    out.add_column("since", justify="right", no_wrap=True)
    for channel in glance.channels:
        colour = COLOURS[channel.condition]
        last = "" if channel.last is None else f"{channel.last:.0f}"
        state = Text(channel.state, style=colour)
        out.add_row(channel.name, f"{channel.rate_hz:.0f}", f"{channel.noise:.1f}", last, state, f"{channel.since_s:.1f} s")
    link = Text("link: ") + Text(glance.link, style=COLOURS[glance.link_condition])
    return Group(out, link, *(Text(change, style="dim") for change in glance.changes))
