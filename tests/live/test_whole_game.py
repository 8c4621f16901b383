"""One short whole game: the firmware's own binary, pixels, referee, rules, recording and the live page, held to what really happened."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.sync_api import expect, sync_playwright

from rig.base.firmware_tool import has_simulator
from rig.bench.chromium import CHROMIUM, FLAGS
from rig.cli import main
from rig.cli.screen import Screen, ScreenListener
from rig.dashboard.hub import Hub
from rig.messages import FactKind
from rig.recording import read
from tests.live import short_game
from tests.live.short_game import Played, Short

GAME = Short(seed=4, max_raises=1, frame_rate=4.0)
HAS_CHROMIUM = os.access(CHROMIUM, os.X_OK)


class Evening(NamedTuple):
    """The game as played, what was kept of it, and what the page showed at its end."""

    played: Played
    recording: Path
    rulings: Path
    headline: str
    reason: str
    feed: str
    pictures: int


@pytest.fixture(scope="module")
def evening(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Evening]:
    folder = tmp_path_factory.mktemp("evening")
    recording, rulings = folder / "game.mcap", folder / "game.jsonl"
    hub = Hub()
    screen = Screen(hub, None, 0)
    try:
        if not HAS_CHROMIUM:
            yield Evening(short_game.play(GAME, recording, rulings, [ScreenListener(hub)]), recording, rulings, "", "", "", 0)
            return
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
            page = browser.new_page(locale="en-GB")
            page.goto(screen.url)
            played = short_game.play(GAME, recording, rulings, [ScreenListener(hub)])
            if played.outcome is not None:
                expect(page.locator("#verdict")).to_be_visible(timeout=20_000)
            headline, reason = page.locator("#verdict-who").inner_text(), page.locator("#verdict-why").inner_text()
            feed = page.locator("#feed").inner_text()
            pictures = page.evaluate("[...document.images].filter(image => image.complete && image.naturalWidth > 0).length")
            browser.close()
        yield Evening(played, recording, rulings, headline, reason, feed, pictures)
    finally:
        screen.close()


def test_the_bytes_come_from_the_firmware_where_it_can_be_built(evening: Evening) -> None:
    assert evening.played.real_firmware == has_simulator()


def test_every_deed_of_the_game_is_told_as_it_was(evening: Evening) -> None:
    assert evening.played.result.wrong == ()
    assert evening.played.result.raises.n >= GAME.max_raises
    assert [fact.kind for fact in evening.played.facts][:21] == [FactKind.STOOD] * 20 + [FactKind.LAID]


def test_the_game_ends_with_the_collapse_that_really_was(evening: Evening) -> None:
    played = evening.played
    assert FactKind.COLLAPSED in [truth.kind for truth in played.truths]
    assert played.outcome is not None
    assert played.true_outcome is not None
    assert (played.outcome.winners, played.outcome.culprit) == (played.true_outcome.winners, played.true_outcome.culprit)
    assert "collapse" in [ruling.kind for ruling in short_game.told(evening.rulings)]


@pytest.mark.skipif(not HAS_CHROMIUM, reason="The live page is tested in Chromium, which is not installed here.")
def test_the_page_shows_the_verdict_the_rulings_and_the_pictures(evening: Evening) -> None:
    outcome = evening.played.outcome
    assert outcome is not None
    assert (evening.headline == "Nobody wins") == (outcome.winners == ())
    assert ("Nobody wins" in evening.reason) == (outcome.winners == ())
    assert short_game.told(evening.rulings)[-1].english in evening.feed
    assert evening.pictures >= GAME.cameras


@pytest.mark.parametrize("eyes", [(), ("--recorded-eyes",)], ids=["re-seen", "recorded eyes"])
def test_a_replay_gives_the_same_rulings_to_the_byte(evening: Evening, tmp_path: Path, eyes: tuple[str, ...]) -> None:
    again = tmp_path / "again.jsonl"
    assert read(evening.recording).damage == ""
    assert main(["replay", str(evening.recording), "--rulings", str(again), *eyes]) == 0
    assert again.read_bytes() == evening.rulings.read_bytes()
    assert again.stat().st_size > 0
