"""The live page in a real Chromium over a scripted game."""

from __future__ import annotations

import contextlib
import os
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, expect, sync_playwright

from rig import messages as m
from rig.bench import page_scene as scene
from rig.bench.chromium import CHROMIUM, FLAGS
from rig.dashboard import Access, Hub, Limits, Server, create_app
from rig.errors import PalettiError
from rig.recording import Recorder
from rig.rules import Game
from rig.rules.notation import parse_event

pytestmark = pytest.mark.skipif(
    not os.access(CHROMIUM, os.X_OK), reason="The live page is tested in Chromium, which is not installed here."
)


class Desk:
    """Hears what the page says, and has the question answered as the referee would: with a new view."""

    def __init__(self, hub: Hub) -> None:
        self.hub = hub
        self.said: list[m.Call | m.Answered | m.Drew | m.Told | m.Tare] = []
        self.game_now: Game | None = None

    def call(self, call: m.Call) -> None:
        if call.word is m.CallWord.REQUEST:
            raise PalettiError("After an abort no plateau can be requested (B11).")
        self.said.append(call)

    def answer(self, answered: m.Answered) -> None:
        self.said.append(answered)
        self.hub.publish(scene.view(414.0), 414.0)

    def drew(self, drew: m.Drew) -> None:
        self.said.append(drew)

    def told(self, told: m.Told) -> None:
        self.said.append(told)

    def tare(self, tare: m.Tare) -> None:
        """A base that rests: what lies there counts as nothing, or as much again as before."""
        self.said.append(tare)
        self.hub.tared(scene.link(-18.4 if tare.back else 18.4), 415.0)

    def new_game(self) -> None:
        pass

    def back(self) -> None:
        pass

    def rename(self, names: tuple[str, ...]) -> None:
        pass

    def game(self) -> Game | None:
        return self.game_now

    def state(self) -> str:
        return "" if self.game_now is None else f"1.{len(self.game_now.log)}"

    def can_go_back(self) -> bool:
        return False


class Played:
    """A hub with a scripted game and its server; readings and pictures go on by themselves, as from a live rig."""

    def __init__(self, recordings: Path | None = None) -> None:
        self.hub = Hub()
        self.desk = Desk(self.hub)
        self.app = create_app(self.hub, self.desk, recordings, Access("table1", "host12"))
        self.server = Server(self.app, self.hub, port=0, limits=Limits(burst=100_000))
        self.silent = threading.Event()
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._go_on, daemon=True)
        self.hub.info({"recording": "game.mcap", "speed_factor": 0.5, "real": ["firmware in its simulator"], "stand_ins": ["the players"]})
        self.hub.publish(scene.profile_set(), 0.0)
        self.hub.picture(1, scene.picture(1), 398.0, n=4001)
        self.hub.publish(scene.fact(), 398.0)
        for ruling in scene.rulings():
            self.hub.publish(ruling, ruling.t_s)
        self.hub.publish(scene.view(), 412.0)
        self._thread.start()

    def _go_on(self) -> None:
        t_s = 412.0
        while not self._end.wait(0.05):
            if not self.silent.is_set():
                t_s += 0.05
                self.hub.publish(scene.weighed(t_s), t_s)
                self.hub.publish(scene.tilted(t_s), t_s)
                for camera in (1, 2):
                    self.hub.picture(camera, scene.picture(camera), t_s)

    def rule(self, number: int, english: str, german: str = "", kind: str = "raised") -> None:
        ruling = m.Ruling(id=number, t_s=420.0, kind=kind, rule_ids=("B1",), facts=(1,), english=english, german=german or english)
        self.hub.publish(ruling, 420.0)

    def close(self) -> None:
        self._end.set()
        self._thread.join()
        self.server.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        yield browser
        browser.close()


@pytest.fixture
def played() -> Iterator[Played]:
    played = Played()
    yield played
    played.close()


class Line:
    """A wire between page and server that can be cut: every connection through it is broken, and new ones get through."""

    def __init__(self, port: int) -> None:
        self._to = port
        self._sockets: list[socket.socket] = []
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        self._accepting = threading.Thread(target=self._accept, daemon=True)
        self._accepting.start()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listening.accept()
                far = socket.create_connection(("127.0.0.1", self._to))
            except OSError:
                return
            self._sockets += [near, far]
            for source, sink in ((near, far), (far, near)):
                threading.Thread(target=self._carry, args=(source, sink), daemon=True).start()

    @staticmethod
    def _carry(source: socket.socket, sink: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                sink.sendall(data)
        with contextlib.suppress(OSError):
            sink.shutdown(socket.SHUT_WR)

    def cut(self) -> None:
        wires, self._sockets = self._sockets, []
        for wire in wires:
            with contextlib.suppress(OSError):
                wire.shutdown(socket.SHUT_RDWR)
            wire.close()

    def close(self) -> None:
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        self._accepting.join()
        self.cut()


Open = Callable[..., Page]


@pytest.fixture
def open_page(browser: Browser, played: Played) -> Iterator[Open]:
    """Opens the page in a browser of its own (own cookies); whatever goes wrong inside it fails the test."""
    contexts, wrong = [], []

    def hear(message: ConsoleMessage) -> None:
        if message.type == "error" and not any(known in message.text for known in ("ERR_", "status of 400")):
            wrong.append(message.text)

    def opened(path: str = "", port: int | None = None, **options: Any) -> Page:
        options.setdefault("viewport", {"width": 1920, "height": 1080})
        options.setdefault("locale", "en-GB")
        context = browser.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(90_000)  # a machine with other work stops a browser for half a minute
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", hear)
        page.goto(f"http://127.0.0.1:{port or played.server.port}/{path}#code=host12")
        page.wait_for_selector("#seats li")
        return page

    yield opened
    for context in contexts:
        context.close()
    assert wrong == []


def until(page: Page, true: str) -> None:
    """Wait until this expression is true in the page (Playwright's own way of waiting needs `eval`, which the page's policy forbids)."""
    for _ in range(100):
        if page.evaluate(true):
            return
        page.wait_for_timeout(50)
    pytest.fail(f"never became true: {true}")


def test_the_tower_is_drawn_as_the_referee_believes_it(open_page: Open, played: Played) -> None:
    page = open_page()
    standing = scene.tower().columns
    expect(page.locator("#tower .column")).to_have_count(len(standing))
    for one in standing:
        assert page.locator(f'#tower [data-column="{one.column}"]').count() == 1
    expect(page.locator("#tower .plateau")).to_have_count(3)
    assert page.locator("#tower .last").count() == 1
    assert page.locator(f'#tower [data-column="{scene.LAST}"] .last').count() == 1
    expect(page.locator(f'#outside-row [data-column="{scene.OUT}"]')).to_be_visible()
    widths = [page.locator(f'#tower [data-column="{name}"]').bounding_box() for name in ("green-thick-1", "green-hex-1", "blue-thin-1")]
    thick, hexagon, thin = (box["width"] if box else 0.0 for box in widths)
    assert thick > 1.1 * hexagon > 1.1 * 1.2 * thin > 15
    assert "locked: blue thick column 1" in (page.locator("#tower").get_attribute("aria-label") or "")
    played.hub.publish(scene.view(413.0, floors=5), 413.0)
    expect(page.locator("#tower .plateau")).to_have_count(5)


def test_turn_scores_and_seal_are_readable_from_three_metres(open_page: Open) -> None:
    page = open_page()
    expect(page.locator("#turn-name")).to_have_text("Clémence")
    assert page.locator("#seats .score").all_text_contents() == ["4", "3", "0", "1"]
    expect(page.locator('#seats [aria-current="true"] .who')).to_have_text("Clémence")
    expect(page.locator("#seal-holder")).to_have_text("Ada")
    expect(page.locator("#seal-face")).to_have_text("shows Blue")
    expect(page.locator("#state-word")).to_have_text("Hands in")
    expect(page.locator("#recording")).to_be_visible()

    def size(where: str) -> float:
        return float(page.locator(where).first.evaluate("element => parseFloat(getComputedStyle(element).fontSize)"))

    # 1/250 of the distance is comfortable: 12 mm at 3 m, about 21 px on a television of 50 inches
    assert size("#turn-name") > 60
    assert min(size("#seats .who"), size("#seats .score"), size("#feed .lead .sentence"), size("#doing")) >= 21


def test_a_ruling_appears_and_opens_to_its_evidence(open_page: Open, played: Played) -> None:
    page = open_page()
    expect(page.locator("#feed > li")).to_have_count(len(scene.TOLD))
    played.rule(50, "Clémence raises a thin yellow column: 1 point.")
    newest = page.locator("#feed > li").first
    expect(newest).to_contain_text("Clémence raises a thin yellow column")
    expect(newest).to_contain_text("B1")
    expect(page.locator("#feed .lead")).to_contain_text("Clémence raises")
    newest.locator("summary").click()
    expect(newest.locator(".evidence")).to_contain_text("39.8 g left the tower and came back.")
    expect(newest.locator(".evidence")).to_contain_text("99.3 % sure")
    image = newest.locator(".shots img")
    expect(image).to_be_visible()
    until(page, "document.querySelector('.shots img').naturalWidth > 0")


def test_a_name_cannot_smuggle_in_markup(open_page: Open, played: Played) -> None:
    page = open_page()
    played.rule(51, "<img src=x onerror=document.title='owned'><b>bold</b>")
    expect(page.locator("#feed > li").first).to_contain_text("<b>bold</b>")
    assert page.title() == "Villa Paletti"


def test_a_question_is_answered_with_one_tap(open_page: Open, played: Played) -> None:
    page = open_page()
    played.hub.publish(scene.view(413.0, ask=scene.ask()), 413.0)
    expect(page.locator("#question-text")).to_have_text("Which column did Clémence raise?")
    expect(page.locator("#choices [data-choice]")).to_have_count(3)
    page.get_by_role("button", name="yellow thin column 2").click()
    expect(page.locator("#question")).to_be_hidden()
    assert played.desk.said == [m.Answered(ask=5, choice="yellow-thin-2")]


def test_the_desk_speaks_for_each_seat_and_shows_why_it_was_refused(open_page: Open, played: Played) -> None:
    page = open_page()
    page.locator("#desk summary").click()
    page.locator("#speaker label", has_text="Dörte").click()
    page.get_by_role("button", name="I break off").click()
    page.get_by_role("button", name="Next plateau, please").click()
    expect(page.locator("#desk-word")).to_contain_text("B11")
    assert played.desk.said == [m.Call(word=m.CallWord.ABORT, seat=3)]


def test_the_draw_is_told_at_the_desk(open_page: Open, played: Played) -> None:
    page = open_page()
    page.locator("#desk summary").click()
    page.get_by_role("button", name="Who plays which colour?").click()
    page.locator("#draw-count").select_option("3")
    page.locator('#draw-rows [type="radio"]').nth(2).check()
    page.locator("#draw-rows select").nth(0).select_option("blue")
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.locator("#draw-word")).to_contain_text("same colour")
    page.locator("#draw-rows select").nth(1).select_option("green")
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.locator("#draw")).to_be_hidden()
    (drew,) = played.desk.said
    assert isinstance(drew, m.Drew)
    assert [(seat.name, seat.colours[0].value) for seat in drew.seats] == [("Ada", "blue"), ("Bruno", "green"), ("Clémence", "yellow")]
    assert drew.first == 2


def test_scale_is_tared_at_the_desk_once_the_plate_is_said_to_be_empty(open_page: Open, played: Played) -> None:
    page = open_page()
    page.locator("#desk summary").click()
    tare = page.get_by_role("button", name="Tare the scale")
    expect(tare).to_be_hidden()  # no base has spoken yet
    played.hub.publish(scene.link(0.0), 412.5)
    tare.click()
    expect(page.locator("#sheet-title")).to_have_text("Is the plate empty?")
    assert played.desk.said == []
    page.get_by_role("button", name="Yes, it is empty").click()
    expect(page.locator("#desk-word")).to_have_text("The scale is at zero: +18.4 g count as nothing now.")
    tare.click()
    page.get_by_role("button", name="Take the last tare back").click()
    expect(page.locator("#desk-word")).to_have_text("The last tare was taken back: −18.4 g.")
    assert played.desk.said == [m.Tare(), m.Tare(back=True)]


def test_tare_is_refused_while_a_tower_stands_by_the_books_in_both_languages(open_page: Open, played: Played) -> None:
    game = Game.new(players=("Ada", "Bruno", "Clémence", "Dörte"))
    played.desk.game_now = game.apply(parse_event("place-all", game.table.names))
    played.hub.publish(scene.link(0.0), 412.5)
    page = open_page()
    page.locator("#desk summary").click()
    for language, ask, yes, said in (
        ("EN", "Tare the scale", "Yes, it is empty", "20 columns stand on the plate"),
        ("DE", "Waage auf null stellen", "Ja, sie ist leer", "20 Säulen auf der Platte"),
    ):
        if language == "DE":
            page.get_by_role("button", name="Deutsch").click()
        page.get_by_role("button", name=ask).click()
        page.get_by_role("button", name=yes).click()
        expect(page.locator("#sheet-word")).to_contain_text(said)
        page.locator("#sheet-close").click()
    assert played.desk.said == []


def test_in_the_demo_the_desk_is_shut(open_page: Open, played: Played) -> None:
    played.hub.info({"demo": True})
    page = open_page()
    played.hub.publish(scene.view(413.0, ask=scene.ask()), 413.0)
    expect(page.locator("#question")).to_be_visible()
    expect(page.locator("#choices button")).to_have_count(0)
    expect(page.locator("#desk")).to_be_hidden()


def test_the_verdict_says_who_won_why_and_who_did_it(open_page: Open, played: Played) -> None:
    page = open_page()
    played.hub.publish(scene.view(415.0, outcome=scene.outcome()), 415.0)
    expect(page.locator("#verdict-who")).to_have_text("Bruno wins")
    expect(page.locator("#verdict-why")).to_have_text("Bruno wins: the seal shows Blue, and Ada, who held it, toppled the villa.")
    expect(page.locator("#verdict-culprit")).to_have_text("Toppled by Ada")
    page.keyboard.press("Escape")
    expect(page.locator("#verdict")).to_be_hidden()
    played.hub.publish(scene.view(416.0, outcome=scene.outcome()), 416.0)
    page.wait_for_timeout(400)
    expect(page.locator("#verdict")).to_be_hidden()


def test_everything_is_said_in_german_too(open_page: Open, played: Played) -> None:
    page = open_page()
    page.get_by_role("button", name="Deutsch").click()
    expect(page.locator("#feed .lead")).to_contain_text("Das Siegel geht an Ada")
    expect(page.locator("#seal")).to_contain_text("Baumeistersiegel")
    expect(page.locator("#state-word")).to_have_text("Hände im Bild")
    expect(page.locator("#doing")).to_contain_text("dünne Säule")
    page.reload()
    expect(page.locator("#turn-label")).to_have_text("Am Zug")
    played.hub.publish(scene.view(415.0, outcome=scene.outcome()), 415.0)
    expect(page.locator("#verdict-who")).to_have_text("Bruno gewinnt")


def test_a_new_game_clears_the_screen_without_reloading(open_page: Open, played: Played) -> None:
    page = open_page()
    played.hub.publish(scene.view(415.0, outcome=scene.outcome()), 415.0)
    expect(page.locator("#verdict")).to_be_visible()
    played.hub.new_game()
    expect(page.locator("#verdict")).to_be_hidden()
    expect(page.locator("#feed .sentence")).to_have_count(0)
    played.rule(1, "The second game begins.")
    expect(page.locator("#feed .sentence")).to_have_text("The second game begins.")
    assert page.evaluate("document.body.dataset.holes") == "0"


def test_pictures_and_lines_move(open_page: Open) -> None:
    page = open_page()
    expect(page.locator("#cameras figure")).to_have_count(2)
    until(page, "document.querySelector('#cameras img').naturalHeight > 0")
    source = page.locator("#cameras img").first.get_attribute("src")
    until(page, f"document.querySelector('#cameras img').getAttribute('src') !== '{source}'")
    until(page, "/\\d+ g/.test(document.getElementById('weight-now').textContent)")
    page.locator("#lines-box summary").click()
    painted = "document.getElementById('weight').getContext('2d').getImageData(0, 0, 400, 80).data.some(v => v > 0)"
    until(page, painted)


def test_a_silent_session_and_a_lost_line_are_told_at_once(open_page: Open, played: Played) -> None:
    page = open_page()
    expect(page.locator("#alarm")).to_be_hidden()
    played.silent.set()
    expect(page.locator("#alarm")).to_contain_text("Nothing is heard", timeout=5000)
    played.silent.clear()
    expect(page.locator("#alarm")).to_be_hidden()
    page.context.set_offline(True)
    played.server.close()
    expect(page.locator("#alarm")).to_contain_text("program has ended", timeout=3000)


def test_a_sick_source_is_told_in_its_own_words(open_page: Open, played: Played) -> None:
    page = open_page()
    played.hub.publish(
        m.SourceNews(source="camera 2", health=m.Health.LOST, sentence="Camera 2 gives no pictures: check its cable."), 413.0
    )
    expect(page.locator("#alarm")).to_have_text("Camera 2 gives no pictures: check its cable.")
    played.hub.publish(m.SourceNews(source="camera 2", health=m.Health.GOOD, sentence="Camera 2 is back."), 414.0)
    expect(page.locator("#alarm")).to_be_hidden()


def test_a_reconnect_has_no_holes(open_page: Open, played: Played) -> None:
    line = Line(played.server.port)
    page = open_page(port=line.port)
    until(page, "Number(document.body.dataset.events) > 3")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    for number in range(60, 64):
        line.cut()
        for part in range(3):
            played.rule(10 * number + part, f"Said while the line was down, number {number}, part {part}.")
        expect(page.locator("#feed > li").first).to_contain_text(f"number {number}, part 2", timeout=8000)
    assert page.evaluate("document.body.dataset.holes") == "0"
    assert not any("state.json" in url for url in asked), "the changes were enough"
    expect(page.locator("#feed > li")).to_have_count(len(scene.TOLD) + 12)
    line.close()


def test_two_browsers_see_every_ruling(open_page: Open, played: Played) -> None:
    pages = [open_page(), open_page(viewport={"width": 390, "height": 844})]
    for number in range(100, 160):
        played.rule(number, f"Ruling {number}.")
    for page in pages:
        expect(page.locator("#feed > li")).to_have_count(len(scene.TOLD) + 60)
        told = page.locator("#feed .sentence").all_text_contents()[:60]
        assert told == [f"Ruling {number}." for number in reversed(range(100, 160))]
        assert page.evaluate("document.body.dataset.holes") == "0"


def test_fifty_reloads_leave_two_streams_at_most(open_page: Open, played: Played) -> None:
    page = open_page()
    streams = played.app.extensions["paletti-streams"]
    for _ in range(50):
        page.reload(wait_until="domcontentloaded")
    page.wait_for_selector("#seats li")
    assert 1 <= streams.count() <= 2


@pytest.mark.parametrize("size", [(390, 844), (320, 640), (844, 390), (1024, 768), (1920, 1080), (3840, 2160)])
def test_no_screen_needs_sideways_scrolling(open_page: Open, played: Played, size: tuple[int, int]) -> None:
    played.hub.publish(scene.view(413.0, ask=scene.ask()), 413.0)
    page = open_page(viewport={"width": size[0], "height": size[1]})
    expect(page.locator("#question")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    for where in ("#turn-name", "#question", "#tower"):
        box = page.locator(where).bounding_box()
        assert box is not None and box["x"] >= 0 and box["x"] + box["width"] <= size[0] + 1


def test_the_keyboard_reaches_rulings_and_language(open_page: Open) -> None:
    page = open_page()
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_focused()
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.closest('#feed') !== null && document.activeElement.tagName === 'SUMMARY'"):
            break
    page.keyboard.press("Enter")
    expect(page.locator("#feed details[open]")).to_have_count(1)


def test_the_archive_shows_a_recording_by_the_same_page(browser: Browser, tmp_path: Path) -> None:
    with Recorder(tmp_path / "evening.mcap", {"code": "0.1.0"}) as recorder:
        recorder.write(m.Message(1, 0.0, "rig", scene.profile_set()))
        for n, ruling in enumerate(scene.rulings(), start=2):
            recorder.write(m.Message(n, ruling.t_s, "camera 1", m.Frame(camera=1, jpeg=scene.picture(1))))
            recorder.write_output(ruling.t_s, n, msgspec.structs.replace(ruling))
        recorder.write_output(414.0, 20, scene.view(outcome=scene.outcome()))
    played = Played(tmp_path)
    page = browser.new_page(viewport={"width": 390, "height": 844}, locale="en-GB")
    try:
        page.goto(played.server.url + "archive")
        expect(page.locator("#recordings li")).to_contain_text("so Bruno wins")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        page.get_by_role("link", name="evening.mcap").click()
        expect(page.locator("#verdict-who")).to_have_text("Bruno wins")
        page.keyboard.press("Escape")
        expect(page.locator("#feed > li")).to_have_count(len(scene.TOLD))
        expect(page.locator("#tower .plateau")).to_have_count(3)
        until(page, "document.querySelector('#cameras img').naturalHeight > 0")
    finally:
        page.close()
        played.close()
