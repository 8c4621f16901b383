"""The desk keeps score alone: a game told by taps in a real Chromium on a phone's screen, put right and judged as the rules say."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from rig.bench.chromium import CHROMIUM, FLAGS
from rig.live.listeners import Rulings
from rig.live.replay import Replay
from rig.pieces import Column, Floor
from rig.recording import read
from rig.rules import Phase
from tests.dashboard.desk_alone import DeskAlone

PHONE = {"width": 390, "height": 844}

pytestmark = pytest.mark.skipif(not os.access(CHROMIUM, os.X_OK), reason="The desk is tested in Chromium, which is not installed here.")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    expect.set_options(timeout=60_000)  # patience, not a measure: it is used up only where something is wrong or the machine is busy
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        yield browser
        browser.close()
    expect.set_options(timeout=5_000)


class Thumb:
    """Somebody at the table with a phone. Whatever goes wrong in the page fails the test at its end."""

    def __init__(self, browser: Browser, table: DeskAlone) -> None:
        self.table = table
        self.wrong: list[str] = []
        self.page: Page = browser.new_context(viewport=PHONE, locale="en-GB", has_touch=True).new_page()  # type: ignore[arg-type]
        self.page.set_default_timeout(120_000)
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on(
            "console", lambda said: self.wrong.append(said.text) if said.type == "error" and "status of 4" not in said.text else None
        )
        self.page.goto(table.url)
        expect(self.page.locator("#offers button").first).to_be_visible()

    def says(self, name: str) -> None:
        self.page.locator("#offers").get_by_role("button", name=name, exact=True).tap()

    def chooses(self, name: str) -> None:
        self.page.locator("#sheet").get_by_role("button", name=name, exact=True).tap()

    def column(self, column: str, verb: str) -> None:
        """From the list of columns that may be handled now."""
        self.page.locator(f'#offers [data-pick="{column}"]').tap()
        self.page.locator(f'#sheet [data-verb="{verb}"]').tap()
        expect(self.page.locator("#sheet")).to_be_hidden()

    def turn(self, name: str) -> None:
        expect(self.page.locator("#turn-name")).to_have_text(name)

    def sets_up(self) -> None:
        self.says("All columns stand")
        self.says("Blue lies")
        self.says("Who plays which colour?")
        self.page.get_by_role("button", name="Play", exact=True).tap()
        self.turn("Anna")

    def raises(self, *columns: str) -> None:
        for column in columns:
            self.column(column, "raise")

    def close(self) -> None:
        self.page.context.close()
        assert self.wrong == []


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    return tmp_path / "evening.mcap"


@pytest.fixture
def thumb(browser: Browser, recording: Path) -> Iterator[Thumb]:
    table = DeskAlone(recording)
    thumb = Thumb(browser, table)
    yield thumb
    thumb.close()
    table.close()


def test_a_whole_game_is_told_put_right_and_won_by_tap_alone(browser: Browser, recording: Path) -> None:
    table = DeskAlone(recording)
    thumb = Thumb(browser, table)
    page = thumb.page
    try:
        expect(page.locator("#doing")).to_have_text("Stand all the columns on the building site")
        thumb.sets_up()
        expect(page.locator("#tower .column")).to_have_count(20)
        page.wait_for_timeout(1600)
        expect(page.locator("#alarm")).to_be_hidden()  # nothing is published while nothing happens, and nothing is old for that
        thumb.raises("red-thin-1", "blue-thin-1", "yellow-thin-1", "green-thin-1")
        thumb.says("Next plateau, please")
        thumb.says("No challenge")
        thumb.says("Green lies")
        thumb.turn("Ben")
        thumb.column("blue-thick-1", "raise")
        expect(page.locator("#seal-holder")).to_have_text("Ben")
        thumb.column("yellow-hex-1", "abort")
        thumb.turn("Dan")
        assert table.game.locked == {Column.parse("yellow-hex-1")}

        thumb.says("The villa collapsed")
        thumb.chooses("Dan")
        thumb.chooses("Yes, it happened")
        expect(page.locator("#verdict-who")).to_have_text("Ben wins")
        page.locator("#verdict-close").tap()
        thumb.says("Put right what was ruled")  # it was only a scare
        page.locator("#sheet [data-correct]").first.tap()
        page.locator("#sheet [data-nothing]").tap()
        thumb.turn("Dan")
        expect(page.locator('#feed [data-kind="over"]').first).to_have_class(re.compile("void"))
        thumb.says("The villa collapsed")
        thumb.chooses("Ben")
        thumb.chooses("Yes, it happened")
        expect(page.locator("#verdict-who")).to_have_text("Nobody wins")  # the first holder has no predecessor (E4)
        page.locator("#verdict-close").tap()
        thumb.says("New game")
        thumb.chooses("Begin")
        expect(page.locator("#feed .sentence")).to_have_count(0)
        thumb.sets_up()
        assert table.game.players[1].name == "Ben"
        assert page.evaluate("document.body.dataset.holes") == "0"
    finally:
        thumb.close()
        table.close()
    heard = Rulings()
    Replay(read(recording), [heard]).run()
    assert [ruling.english for ruling in heard.rulings] == table.told


def test_what_breaks_a_rule_is_asked_about_once_more_and_the_table_may_undo_it(thumb: Thumb) -> None:
    page = thumb.page
    thumb.sets_up()
    thumb.says("Another column…")
    page.locator('#sheet [data-pick="green-hex-1"]').tap()
    page.locator('#sheet [data-verb="raise"]').tap()
    expect(page.locator("#sheet")).to_contain_text("It is not the player's own column. (B1)")
    assert thumb.table.game.where(Column.parse("green-hex-1")) is Floor.GROUND
    thumb.chooses("Yes, it happened")
    thumb.turn("Ben")
    expect(page.locator(".flagged")).to_contain_text("Against the rules by Anna")
    place = page.locator('#tower [data-column="green-hex-1"] path').first.get_attribute("d")
    page.locator('.flagged [data-rule="undo"]').tap()
    thumb.turn("Anna")
    assert thumb.table.game.where(Column.parse("green-hex-1")) is Floor.GROUND
    expect(page.locator('#tower [data-column="green-hex-1"] path').first).not_to_have_attribute("d", place or "")


def test_a_wrong_verdict_is_replaced_by_what_really_happened_or_by_several_things(thumb: Thumb) -> None:
    page, game = thumb.page, lambda: thumb.table.game
    thumb.sets_up()
    thumb.raises("red-thin-1", "blue-thin-1")
    thumb.says("Put right what was ruled")
    page.locator('#sheet [data-correct="4"]').tap()  # Anna had put the thick one back
    thumb.chooses("It was something else…")
    page.locator('#sheet [data-pick="red-thick-1"]').tap()
    page.locator('#sheet [data-verb="abort"]').tap()
    expect(page.locator("#sheet")).to_be_hidden()
    expect(page.locator('#feed [data-kind="corrected"]')).to_have_count(1)
    assert game().where(Column.parse("red-thin-1")) is Floor.GROUND
    assert game().locked == {Column.parse("red-thick-1")}
    assert game().where(Column.parse("blue-thin-1")) is Floor.BLUE

    thumb.says("Put right what was ruled")
    page.locator('#sheet [data-correct="5"]').tap()  # nobody noticed that Cleo had moved hers too
    thumb.chooses("Something was missed after…")
    page.locator('#sheet [data-pick="yellow-hex-1"]').tap()
    page.locator("#sheet label", has_text="Cleo").tap()
    page.locator('#sheet [data-verb="raise"]').tap()
    page.locator("#sheet [data-done]").tap()
    thumb.turn("Dan")
    assert game().where(Column.parse("yellow-hex-1")) is Floor.BLUE
    assert not game().violations


def test_a_tap_on_the_drawn_tower_opens_that_column(thumb: Thumb) -> None:
    page = thumb.page
    thumb.sets_up()
    thumb.raises("red-hex-1")
    page.locator('#tower [data-column="red-hex-1"]').scroll_into_view_if_needed()
    page.locator('#tower [data-column="red-hex-1"]').tap()
    expect(page.locator("#sheet-title")).to_contain_text("red hexagonal column")
    expect(page.locator("#sheet-body")).to_contain_text("Stands on Blue")


def test_a_double_tap_tells_a_thing_once(thumb: Thumb) -> None:
    page = thumb.page
    thumb.sets_up()
    page.locator('#offers [data-pick="red-hex-1"]').tap()
    page.locator('#sheet [data-verb="raise"]').evaluate("button => { button.click(); button.click(); }")
    thumb.turn("Ben")
    asked = page.locator("#doing", has_text="Does anyone challenge")
    for _ in range(3):  # a tap on a state that has just gone is refused with a sentence; a person taps again
        page.locator("#offers").get_by_role("button", name="Next plateau, please").evaluate("button => { button.click(); button.click(); }")
        page.wait_for_timeout(1500)
        if asked.count():
            break
    expect(page.locator("#doing")).to_contain_text("Does anyone challenge")
    assert not thumb.table.game.violations
    assert [ruling for ruling in thumb.table.told if "Refused" in ruling] == []


def test_flaws_that_were_seen_are_told_with_the_raise(thumb: Thumb) -> None:
    page = thumb.page
    thumb.sets_up()
    page.locator('#offers [data-pick="red-thin-1"]').tap()
    page.locator("#sheet .flaws summary").tap()
    page.get_by_label("A plateau was held while it was set down").check()
    page.get_by_label("Foot over the edge, mm").fill("6")
    page.locator('#sheet [data-verb="raise"]').tap()
    expect(page.locator("#sheet")).to_contain_text("(B6)")
    expect(page.locator("#sheet")).to_contain_text("(B7)")
    thumb.chooses("Yes, it happened")
    thumb.turn("Ben")
    assert thumb.table.game.violations[-1].rules == ("B6", "B7")


def test_every_button_of_the_desk_is_big_enough_for_a_thumb_and_none_is_off_the_screen(thumb: Thumb) -> None:
    page = thumb.page
    thumb.sets_up()
    for opener in ("Another column…", "Columns fell, the plateaus stay", "The villa collapsed", "Put right what was ruled"):
        thumb.says(opener)
        boxes = page.locator("#sheet button:visible, #sheet select:visible, #sheet label:visible").evaluate_all(
            "nodes => nodes.map(node => node.getBoundingClientRect()).map(box => [box.height, box.left, box.right])"
        )
        assert boxes and all(height >= 44 and left >= 0 and right <= PHONE["width"] for height, left, right in boxes), opener
        page.locator("#sheet-close").tap()
    page.locator("#offers [data-pick]").first.tap()
    page.locator("#sheet .flaws summary").tap()
    for width in (390, 320):
        page.set_viewport_size({"width": width, "height": 640})
        assert page.evaluate("document.getElementById('sheet').scrollWidth <= document.getElementById('sheet').clientWidth")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.locator("#sheet-close").tap()
    heights = page.locator("#offers button").evaluate_all("nodes => nodes.map(node => node.getBoundingClientRect().height)")
    assert min(heights) >= 48


def test_a_challenge_is_told_to_its_end(thumb: Thumb) -> None:
    thumb.sets_up()
    thumb.raises("red-thin-1", "blue-thin-1", "yellow-thin-1", "green-thin-1")
    thumb.says("Next plateau, please")
    thumb.says("Cleo challenges")
    thumb.says("I give up")
    expect(thumb.page.locator('#offers [data-pick="yellow-hex-1"]')).to_be_visible()
    thumb.column("yellow-hex-1", "take-out")
    thumb.says("It cannot be laid")
    thumb.turn("Ben")
    assert thumb.table.game.where(Column.parse("yellow-hex-1")) is None
    assert thumb.table.game.phase is Phase.BUILD
    expect(thumb.page.locator('#outside-row [data-column="yellow-hex-1"]')).to_be_attached()


def test_a_draw_that_was_told_wrongly_is_told_again(thumb: Thumb) -> None:
    page = thumb.page
    thumb.sets_up()
    thumb.raises("red-thin-1")
    thumb.says("Put right what was ruled")
    page.locator('#sheet [data-correct="3"]').tap()
    thumb.chooses("It was something else…")
    thumb.chooses("Who plays which colour?")
    rows = page.locator("#draw-rows > div")
    expect(rows.first.locator("input").first).to_be_disabled()
    rows.nth(2).locator("select").select_option("green")
    rows.nth(3).locator("select").select_option("yellow")
    page.get_by_role("button", name="Play", exact=True).tap()
    expect(page.locator('#feed [data-kind="corrected"]')).to_have_count(1)
    assert [str(player.colours[0]) for player in thumb.table.game.players] == ["red", "blue", "green", "yellow"]
    thumb.turn("Ben")
