"""A tare in mid-session: the desk's word reaches the scale, and no remembered weight is off by it."""

from __future__ import annotations

import json
import queue

import pytest

from rig.bench.base_scenario import PROFILE, chunks, of, resting
from rig.cli.screen import DeskActions, ScreenListener
from rig.dashboard.hub import Hub
from rig.engine.fold import Fold
from rig.engine.sequencer import Sequencer
from rig.messages import BaseBytes, Input, LinkNews, ProfileSet, Reading, StepKind, Stepped, Tare, Weighed
from rig.profile import to_json
from rig.referee.senses import Senses


def run(*parts: tuple[float, list[tuple[float, bytes]], Input | None]) -> list[Reading]:
    """Feeds each part's bytes, then its word, to one fold."""
    fold, sequencer, found = Fold(), Sequencer(), list[Reading]()
    fold.step(sequencer.enter(0.0, "profile", ProfileSet(profile_json=to_json(PROFILE))))
    for until_s, stream, word in parts:
        for t_s, data in stream:
            found += fold.step(sequencer.enter(t_s, "base", BaseBytes(data=data))).readings
        if word is not None:
            found += fold.step(sequencer.enter(until_s, "desk", word)).readings
    return found


def test_desk_tares_and_takes_it_back() -> None:
    stream = list(chunks(resting(640), 9))
    found = run((3.0, stream[:300], Tare()), (6.0, stream[300:600], Tare(back=True)), (9.0, stream[600:], None))
    zeroed = [news.zeroed_g for news in of(LinkNews, found) if news.zeroed_g]
    assert zeroed == [pytest.approx(640, abs=0.3), pytest.approx(-640, abs=0.3)]
    weights = {round(weighed.t_s, 1): weighed.weight_g for weighed in of(Weighed, found)}
    assert weights[5.5] == pytest.approx(0, abs=0.3)
    assert weights[8.5] == pytest.approx(640, abs=0.3)


def test_what_cannot_be_tared_is_told_in_a_sentence() -> None:
    found = run((0.5, [], Tare()), (0.6, [], Tare(back=True)))
    assert ["not still" in news.sentence or "no tare to take back" in news.sentence for news in of(LinkNews, found)] == [True, True]


def test_remembered_weights_follow_a_tare() -> None:
    senses = Senses((1,))
    senses.hear_weighed(Weighed(t_s=1.0, weight_g=18.0, cop_x_mm=1.0, cop_y_mm=2.0, noise_g=0.1, quiet=True))
    senses.note_settled()
    lifted = Stepped(kind=StepKind.LIFTED, start_t_s=2.0, end_t_s=2.1, before_g=None, after_g=None, delta_g=-11.0, sigma_g=0.2)
    action = senses.rezero(18.0, senses.hear_stepped(lifted, None))
    assert action is not None
    assert senses.weighed is not None
    assert (senses.weighed.weight_g, senses.settled_weight_g, action.weight_before_g) == (0.0, 0.0, 0.0)
    assert action.cop_before_mm is None


def test_bases_answer_to_a_tare_reaches_the_page() -> None:
    fold, sequencer, hub = Fold(), Sequencer(), Hub()
    fold.step(sequencer.enter(0.0, "profile", ProfileSet(profile_json=to_json(PROFILE))))
    for t_s, data in chunks(resting(640), 3):
        fold.step(sequencer.enter(t_s, "base", BaseBytes(data=data)))
    before = hub.state()["last"]
    inbox = queue.SimpleQueue[tuple[str, Input]]()
    DeskActions(inbox).tare(Tare())
    told = sequencer.enter(3.0, *inbox.get())
    ScreenListener(hub).heard(told, fold.step(told))
    events = {event.kind: json.loads(event.data) for event in hub.catch_up(before)[1]}
    assert events["tared"]["zeroed_g"] == pytest.approx(640, abs=0.3)
