"""The desk in one hand and the page for everybody: what a tap does, how few are needed, names, the way back, what screen readers get."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from rig import messages as m
from rig.bench import page_scene as scene
from rig.bench.chromium import CHROMIUM, FLAGS
from tests.dashboard.desk_alone import TABLE_CODE, DeskAlone
from tests.dashboard.test_browser import Played

pytestmark = pytest.mark.skipif(shutil.which(CHROMIUM) is None and not Path(CHROMIUM).exists(), reason="needs Chromium")
PHONE = {"width": 390, "height": 844}
SET_UP = ("place-all", "lay plateau blue", 'colours red blue yellow green starts "Anna"')


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    expect.set_options(timeout=60_000)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        yield browser
        browser.close()
    expect.set_options(timeout=5_000)


class Hand:
    """A phone at the desk that counts its taps."""

    def __init__(self, browser: Browser, table: DeskAlone, url: str | None = None) -> None:
        self.page: Page = browser.new_context(viewport=PHONE, locale="en-GB", has_touch=True).new_page()  # type: ignore[arg-type]
        self.page.set_default_timeout(90_000)
        self.page.goto(url or table.url)
        self.taps = 0

    def tap(self, where: str) -> None:
        self.taps += 1
        self.page.locator(where).first.tap()

    def says(self, name: str, where: str = "#offers") -> None:
        self.taps += 1
        self.page.locator(where).get_by_role("button", name=name, exact=True).tap()

    def close(self) -> None:
        self.page.context.close()


@pytest.fixture
def table() -> Iterator[DeskAlone]:
    table = DeskAlone()
    for line in SET_UP:
        table.tell(line)
    yield table
    table.close()


@pytest.fixture
def hand(browser: Browser, table: DeskAlone) -> Iterator[Hand]:
    hand = Hand(browser, table)
    yield hand
    hand.close()


def test_few_taps_are_enough(hand: Hand, table: DeskAlone) -> None:
    """A raise takes two, a plateau three, a failed challenge to the laid plateau six, a correction five."""
    page = hand.page
    for colour in ("red", "blue", "yellow", "green"):
        hand.taps = 0
        hand.tap(f'#offers [data-pick="{colour}-thin-1"]')
        hand.tap('#sheet [data-verb="raise"]')
        expect(page.locator("#sheet")).to_be_hidden()
        assert hand.taps <= 2
    expect(page.locator("#turn-name")).to_have_text("Anna")
    hand.taps = 0
    hand.says("Next plateau, please")
    hand.says("No challenge")
    hand.says("Green lies")
    expect(page.locator("#turn-name")).to_have_text("Ben")
    assert hand.taps <= 3
    for line in ("raise blue-thin-2 onto green", "raise yellow-thin-2 onto green", "raise green-thin-2 onto green"):
        table.tell(line)
    expect(page.locator("#turn-name")).to_have_text("Anna")
    hand.taps = 0
    hand.says("Next plateau, please")
    hand.says("Ben challenges")
    hand.says("I give up")
    hand.tap('#offers [data-pick="blue-hex-1"]')
    hand.tap('#sheet [data-verb="take-out"]')
    hand.says("Yellow lies")
    assert hand.taps <= 6
    expect(page.locator("#turn-name")).to_have_text("Ben")
    hand.taps = 0
    hand.says("Put right what was ruled")
    hand.tap('#sheet [data-correct="4"]')
    hand.says("It was something else…", "#sheet")
    hand.tap('#sheet [data-pick="red-thick-1"]')
    hand.tap('#sheet [data-verb="raise"]')
    expect(page.locator("#sheet")).to_be_hidden()
    assert hand.taps <= 5
    expect(page.locator('#feed [data-kind="corrected"]')).to_have_count(1)


def test_the_last_tap_is_told_under_the_name_and_can_be_undone(hand: Hand, table: DeskAlone) -> None:
    page = hand.page
    hand.tap('#offers [data-pick="red-hex-1"]')
    hand.tap('#sheet [data-verb="raise"]')
    expect(page.locator("#last-word")).to_contain_text("Anna raises red's hexagonal column")
    expect(page.locator("#turn-name")).to_have_text("Ben")
    page.locator("#undo").tap()
    expect(page.locator("#turn-name")).to_have_text("Anna")
    assert str(table.game.where(next(c for c in table.game.pieces.columns if str(c) == "red-hex-1")).word) == "ground"  # type: ignore[union-attr]


def test_names_are_put_right_in_mid_game_and_what_was_told_follows(hand: Hand, table: DeskAlone) -> None:
    page = hand.page
    hand.tap('#offers [data-pick="red-hex-1"]')
    hand.tap('#sheet [data-verb="raise"]')
    expect(page.locator("#turn-name")).to_have_text("Ben")
    page.locator("#open-names").tap()
    page.locator('#sheet input[type="text"]').nth(0).fill("Annika")
    page.locator("#sheet").get_by_role("button", name="Save").tap()
    expect(page.locator("#seats .who").first).to_have_text("Annika")
    expect(page.locator("#feed")).to_contain_text("Annika raises red's hexagonal column")
    assert table.game.table.names == ("Annika", "Ben", "Cleo", "Dan")
    assert len(table.game.log) == 4


def test_a_new_game_in_mid_game_is_asked_about_and_has_a_way_back(hand: Hand, table: DeskAlone) -> None:
    page = hand.page
    log = table.game.log
    hand.says("New game")
    expect(page.locator("#sheet .main")).to_have_text("Cancel")
    hand.says("Begin", "#sheet")
    expect(page.locator("#turn-name")).to_have_text("All build together")
    hand.says("Back to the game before")
    expect(page.locator("#turn-name")).to_have_text("Anna")
    assert table.game.log == log


def test_a_phone_with_the_tables_code_tells_and_does_not_rule(browser: Browser, table: DeskAlone) -> None:
    hand = Hand(browser, table, f"{table.plain_url}")
    page = hand.page
    expect(page.locator("#offers button")).to_have_count(0)
    page.locator("#door input").fill("wrong1")
    page.locator("#door button").tap()
    expect(page.locator("#door .wrong")).to_contain_text("not the code")
    page.locator("#door input").fill(TABLE_CODE.upper())
    page.locator("#door button").tap()
    expect(page.locator('#offers [data-pick="red-thin-1"]')).to_be_visible()
    for name in ("The villa collapsed", "Put right what was ruled", "New game"):
        expect(page.locator("#offers").get_by_role("button", name=name)).to_have_count(0)
    page.reload()
    expect(page.locator('#offers [data-pick="red-thin-1"]')).to_be_visible()
    hand.close()


def test_one_button_of_a_sheet_is_gold_and_the_safe_one_where_a_rule_would_be_broken(hand: Hand) -> None:
    page = hand.page
    hand.tap('#offers [data-pick="red-thin-1"]')
    expect(page.locator("#sheet .main")).to_have_count(1)
    page.locator("#sheet .flaws summary").tap()
    page.get_by_label("A plateau was held while it was set down").check()
    hand.tap('#sheet [data-verb="raise"]')
    expect(page.locator("#sheet-title")).to_contain_text("A plateau was held")
    expect(page.locator("#sheet .main")).to_have_text("No, a wrong tap")


def test_columns_that_nobody_can_tell_apart_are_one_button(hand: Hand, table: DeskAlone) -> None:
    page = hand.page
    expect(page.locator('#offers [data-pick="red-thin-1"]')).to_contain_text("thin ×3")
    for line in ("abort red-thin-2", "raise blue-thin-1 onto blue", "raise yellow-thin-1 onto blue", "raise green-thin-1 onto blue"):
        table.tell(line)
    expect(page.locator('#offers [data-pick="red-thin-1"]')).to_contain_text("thin ×2")
    page.locator("#offers").get_by_role("button", name="Another column…").tap()
    expect(page.locator('#sheet [data-pick="red-thin-2"]')).to_contain_text("thin 2")


def test_the_focus_stays_where_the_hand_is(hand: Hand) -> None:
    page = hand.page
    page.locator("#offers").get_by_role("button", name="Next plateau, please").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#doing")).to_contain_text("Does anyone challenge")
    assert page.evaluate("document.activeElement.closest('#offers') !== null")


def test_three_players_are_told_that_a_neutral_comes_first(browser: Browser) -> None:
    table = DeskAlone(players=("Anna", "Ben", "Cleo"))
    for line in ("place-all", "lay plateau blue", 'colours red blue yellow starts "Anna"'):
        table.tell(line)
    hand = Hand(browser, table)
    expect(hand.page.locator("#doing")).to_have_text("First a neutral column")
    table.tell("raise green-thin-1 onto blue")
    expect(hand.page.locator("#doing")).to_have_text("An own column may be raised")
    hand.close()
    table.close()


@pytest.mark.parametrize("size", [(390, 844), (1920, 1080)])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(browser: Browser, size: tuple[int, int], scheme: Any) -> None:
    """axe-core's rules on the live page, the desk, an open sheet and the verdict."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    played = Played()
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]}, color_scheme=scheme, bypass_csp=True, reduced_motion="reduce"
    )
    page = context.new_page()
    try:
        page.goto(played.server.url + "#code=host12")
        page.wait_for_selector("#seats li")
        page.locator("#desk summary").click()
        found = [axe.run(page)]
        played.hub.publish(scene.view(415.0, outcome=scene.outcome()), 415.0)
        page.wait_for_selector("#verdict[open]")
        found.append(axe.run(page))
        for one in found:
            wrong = one.response["violations"]
            assert not wrong, json.dumps([(v["id"], [n["html"][:90] for n in v["nodes"]][:4]) for v in wrong], indent=1)
    finally:
        context.close()
        played.close()


def test_rulings_that_are_only_probable_are_lighter_and_revisions_are_marked(browser: Browser) -> None:
    played = Played()
    page = browser.new_page(viewport={"width": 1920, "height": 1080}, locale="en-GB")
    try:
        page.goto(played.server.url)
        page.wait_for_selector("#seats li")
        told = m.Ruling(id=90, t_s=420.0, kind="raised", rule_ids=("B1",), facts=(), english="Ada raises it.", german="Ada.", probable=True)
        played.hub.publish(told, 420.0)
        expect(page.locator('#feed li:has([data-ruling="90"])')).to_contain_text("probably")
        assert page.locator('#feed li:has([data-ruling="90"]) .sentence').evaluate("node => Number(getComputedStyle(node).opacity)") < 1
        better = msgspec.structs.replace(told, id=91, english="Bruno raised it.", probable=False, revises=90)
        played.hub.publish(better, 421.0)
        expect(page.locator('#feed li:has([data-ruling="91"])')).to_contain_text("revised")
        expect(page.locator('#feed li.void [data-ruling="90"]')).to_have_count(1)
        page.locator('#feed details[data-ruling="91"] summary').click()
        expect(page.locator('#feed details[data-ruling="91"] .why')).to_contain_text("one raises one own column")
        expect(page.locator("#feed .recent")).to_have_count(3)
    finally:
        page.close()
        played.close()


def test_one_pulled_plug_is_one_alarm_and_the_senses_show_it(browser: Browser) -> None:
    played = Played()
    page = browser.new_page(viewport={"width": 1920, "height": 1080}, locale="en-GB")
    try:
        page.goto(played.server.url)
        page.wait_for_selector("#seats li")
        for source, health in (("base", m.Health.LOST), ("scale", m.Health.STALE), ("cells", m.Health.FAULT), ("imu", m.Health.STALE)):
            played.hub.publish(m.SourceNews(source=source, health=health, sentence=f"The {source} is silent."), 413.0)
        expect(page.locator("#alarm-text")).to_have_text("The base is silent.")
        expect(page.locator("#senses-now li.lost")).to_have_text("✕Scale")
        expect(page.locator("#senses-now li.good")).to_have_count(2)
    finally:
        page.close()
        played.close()
