"""What the screen knows, and how it travels: nothing missed, nothing flooded, bad input answered with a sentence."""

from __future__ import annotations

import http.client
import json
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from flask import Flask
from werkzeug.test import TestResponse

from rig import messages as m
from rig.base.cell import CellState
from rig.base.weight import fault_sentence
from rig.bench import page_scene as scene
from rig.dashboard import Access, Hub, Limits, Server, create_app
from rig.dashboard.hub import FRAMES_KEPT
from rig.dashboard.journal import Journal
from rig.errors import PalettiError
from rig.pieces import Colour, Column, Floor
from rig.recording import Recorder
from rig.rules import Aborted, AllPlaced, ColoursAssigned, Corrected, Game, PlateauLaid, Raised
from rig.rules.notation import print_event


class Clock:
    """A wall clock that stands still until told."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


class Spoken:
    """A desk that only listens."""

    def __init__(self) -> None:
        self.said: list[Any] = []
        self.books: Game | None = None

    def call(self, call: m.Call) -> None:
        if call.word is m.CallWord.PASS:
            raise PalettiError("No free pass (E6).")
        self.said.append(call)

    def answer(self, answered: m.Answered) -> None:
        self.said.append(answered)

    def drew(self, drew: m.Drew) -> None:
        self.said.append(drew)

    def told(self, told: m.Told) -> None:
        self.said.append(told)

    def tare(self, tare: m.Tare) -> None:
        self.said.append(tare)

    def put_right(self, places: tuple[m.PutRight, ...]) -> None:
        self.said += places

    def new_game(self) -> None:
        self.said.append("new")

    def back(self) -> None:
        self.said.append("back")

    def rename(self, names: tuple[str, ...]) -> None:
        self.said.append(names)

    def game(self) -> Game | None:
        return self.books

    def state(self) -> str:
        return "1.0" if self.books is None else f"1.{len(self.books.log)}"

    def can_go_back(self) -> bool:
        return False


class Phone:
    """A browser that has given a code; its taps carry the state that stands, unless they say another."""

    def __init__(self, app: Flask, desk: Spoken, code: str = "host12") -> None:
        self.client, self.desk = app.test_client(), desk
        self.token = self.client.post("/join", json={"code": code}).get_json().get("token", "")

    def post(self, path: str, json: dict[str, Any] | None = None, **options: Any) -> TestResponse:
        body = {"state": self.desk.state(), **(json or {})}
        options.setdefault("headers", {})["X-Paletti-Token"] = self.token
        return self.client.post(path, **({"json": body} if "data" not in options else {}), **options)

    def get(self, path: str) -> TestResponse:
        return self.client.get(path)


@pytest.fixture
def desk() -> Spoken:
    return Spoken()


@pytest.fixture
def hub() -> Hub:
    return Hub()


@pytest.fixture
def app(hub: Hub, desk: Spoken) -> Flask:
    return create_app(hub, desk, access=Access("table1", "host12"))


@pytest.fixture
def phone(app: Flask, desk: Spoken) -> Phone:
    return Phone(app, desk)


@pytest.fixture
def server(app: Flask, hub: Hub) -> Iterator[Server]:
    with Server(app, hub, port=0, limits=Limits(burst=10_000)) as server:
        yield server


# ---------------------------------------------------------------- the hub


def test_a_page_that_comes_late_gets_everything_so_far(hub: Hub) -> None:
    for ruling in scene.rulings():
        hub.publish(ruling, ruling.t_s)
    hub.publish(scene.fact(), 398.0)
    hub.publish(scene.profile_set(), 0.0)
    hub.publish(scene.view(), 412.0)
    state = hub.state()
    assert [ruling["english"] for ruling in state["rulings"]] == [told[2] for told in scene.TOLD]
    assert state["facts"][0]["evidence"][1]["sense"] == "scale"
    assert state["view"]["locked"] == [{"colour": "blue", "shape": "thick", "number": 1}]
    assert len(state["set"]["plateaus"]["green"]["outline_mm"]) > 20
    assert state["t_s"] == 412.0
    json.dumps(state, allow_nan=False)


def test_readings_at_full_speed_become_25_sendings_a_second() -> None:
    clock = Clock()
    hub = Hub(clock)
    before, view = hub.catch_up(None)[2], scene.view()
    for step in range(2000):  # one second of the wall, a hundred of the game
        clock.now = 100.0 + step / 2000
        hub.publish(scene.weighed(step / 20), step / 20)
        hub.publish(view, step / 20)
        hub.picture(1, b"jpeg", step / 20)
    clock.now = 101.2
    _, _, number = hub.catch_up(None)
    events = hub.since(before)
    assert events is not None and number == events[-1].number
    kinds = [event.kind for event in events]
    assert 20 <= kinds.count("view") <= 26
    assert 20 <= kinds.count("weight") <= 26
    assert 3 <= kinds.count("picture") <= 6
    points = [point for event in events if event.kind == "weight" for point in json.loads(event.data)]
    assert [point[0] for point in points] == sorted(point[0] for point in points)
    assert points[-1][0] == pytest.approx(99.95)
    assert json.loads(events[-1].data if kinds[-1] == "view" else events[kinds.index("view")].data)


def test_rulings_are_never_gathered_or_dropped() -> None:
    hub = Hub(Clock())
    before = hub.catch_up(None)[2]
    for ruling in scene.rulings():
        hub.publish(ruling, ruling.t_s)
    events = hub.since(before)
    assert events is not None
    assert [json.loads(event.data)["id"] for event in events] == [ruling.id for ruling in scene.rulings()]


def test_missing_weight_is_missing_and_never_zero(hub: Hub) -> None:
    hub.publish(m.Weighed(t_s=1.0, weight_g=None, cop_x_mm=None, cop_y_mm=None, noise_g=0.0, quiet=False, fault="Cell 3 is missing."), 1.0)
    hub.publish(m.Weighed(t_s=1.1, weight_g=float("nan"), cop_x_mm=None, cop_y_mm=None, noise_g=0.0, quiet=False), 1.1)
    assert [point[1] for point in hub.state()["weight"]] == [None, None]
    assert hub.state()["weight"][0][5] == "Cell 3 is missing."


def test_who_comes_back_gets_what_was_missed_and_who_was_away_too_long_begins_anew() -> None:
    journal = Journal("run", keep=5)
    for k in range(12):
        journal.add("ruling", k)
    assert [event.number for event in journal.since(9) or ()] == [10, 11, 12]
    assert journal.since(12) == []
    assert journal.since(6) is None
    assert journal.since(13) is None
    assert journal.number("run-9") == 9
    assert [journal.number(name) for name in ("other-9", "run-", "run-x", "run--9", "", "run-" + "9" * 30)] == [None] * 6


def test_the_pictures_that_prove_a_fact_are_kept_longer_than_the_others(hub: Hub) -> None:
    hub.picture(1, b"proof", 1.0, n=7)
    hub.publish(scene.fact(frames=(7, 8)), 1.0)
    for n in range(100, 101 + FRAMES_KEPT):
        hub.picture(1, b"other", 2.0, n=n)
    assert hub.frame(7) == b"proof"
    assert hub.frame(100) is None
    assert hub.frame(101) == b"other"


def test_a_question_goes_when_the_view_no_longer_asks_it(hub: Hub) -> None:
    hub.publish(scene.ask(), 1.0)
    assert hub.ask() is not None
    hub.publish(scene.view(), 2.0)
    assert hub.ask() is None


# ---------------------------------------------------------------- the desk


def test_what_is_said_at_the_desk_goes_through_as_messages(phone: Phone, hub: Hub, desk: Spoken) -> None:
    client = phone
    hub.publish(scene.ask(), 1.0)
    assert client.post("/call", json={"word": "challenge", "seat": 1}).status_code == 200
    assert client.post("/answer", json={"ask": 5, "choice": "yellow-thin-2"}).status_code == 200
    seats = [{"name": " Ada ", "colours": ["red", "blue"]}, {"name": "Bo", "colours": ["yellow", "green"]}]
    assert client.post("/drew", json={"seats": seats, "first": 1}).status_code == 200
    assert desk.said == [
        m.Call(word=m.CallWord.CHALLENGE, seat=1),
        m.Answered(ask=5, choice="yellow-thin-2"),
        m.Drew(seats=(m.SeatColours("Ada", (Colour.RED, Colour.BLUE)), m.SeatColours("Bo", (Colour.YELLOW, Colour.GREEN))), first=1),
    ]


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/call", {"word": "shout", "seat": 0}),
        ("/call", {"word": "pass", "seat": 0}),
        ("/call", {"word": "abort", "seat": 9}),
        ("/call", {"word": "abort", "seat": "nan"}),
        ("/call", []),
        ("/call", "{"),
        ("/answer", {"ask": 4, "choice": "yellow-thin-2"}),
        ("/answer", {"ask": 5, "choice": "red-thin-1"}),
        ("/drew", {"seats": [{"name": "Ada", "colours": ["red"]}], "first": 0}),
        ("/drew", {"seats": [{"name": "Ada", "colours": ["red"]}, {"name": "Bo", "colours": ["blue"]}], "first": 0}),
        ("/drew", {"seats": [{"name": n, "colours": [c]} for n, c in (("A", "red"), ("B", "red"), ("C", "blue"))], "first": 0}),
        ("/drew", {"seats": [{"name": n, "colours": [c]} for n, c in (("A", "red"), ("A", "green"), ("C", "blue"))], "first": 0}),
        ("/drew", {"seats": [{"name": n, "colours": [c]} for n, c in (("", "red"), ("B", "green"), ("C", "blue"))], "first": 0}),
        ("/drew", {"seats": [{"name": n, "colours": [c]} for n, c in (("A", "red"), ("B", "green"), ("C", "blue"))], "first": 3}),
        ("/drew", {"seats": [{"name": "A", "colours": ["mauve"]}], "first": 0}),
    ],
)  # fmt: skip
def test_what_cannot_be_meant_gets_a_sentence(phone: Phone, hub: Hub, desk: Spoken, path: str, body: object) -> None:
    hub.publish(scene.ask(), 1.0)
    data = body if isinstance(body, str) else json.dumps({"state": "1.0", **body} if isinstance(body, dict) else body)
    answer = phone.post(path, data=data, content_type="application/json")
    assert answer.status_code == 400
    assert answer.get_json()["sentence"].endswith(".")
    assert desk.said == []


def test_a_form_of_another_site_cannot_speak_at_the_desk(phone: Phone, desk: Spoken) -> None:
    assert phone.post("/call", data={"state": "1.0", "word": "abort", "seat": 0}).status_code == 400
    assert desk.said == []


def test_without_actions_the_desk_is_shut(hub: Hub) -> None:
    client = create_app(hub).test_client()
    assert client.post("/call", json={"word": "abort", "seat": 0}).status_code == 400
    assert b'id="desk"' not in client.get("/").data


def test_addresses_that_do_not_exist_get_a_sentence(app: Flask) -> None:
    client = app.test_client()
    for path in ("/nowhere", "/camera/9.jpg", "/frame/12.jpg", "/camera/x.jpg"):
        answer = client.get(path)
        assert answer.status_code == 404 and answer.get_json()["sentence"]
    assert client.get("/call").status_code == 405


def test_the_page_loads_nothing_from_elsewhere(app: Flask) -> None:
    client = app.test_client()
    pages = [client.get("/").text, *(path.read_text() for path in (Path(app.root_path) / "static").glob("*.[cj]s*"))]
    assert len(pages) > 8
    for text in pages:
        assert "https://" not in text
        assert "http://" not in text.replace("http://www.w3.org/", "")
    assert "default-src 'none'" in client.get("/").headers["Content-Security-Policy"]


# ---------------------------------------------------------------- the server and its streams


def test_a_port_in_use_gets_a_sentence_that_names_it(server: Server, hub: Hub, app: Flask, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(PalettiError, match=f"Port {server.port} .*in use.*--port"):
        Server(app, hub, port=server.port)
    with pytest.raises(PalettiError, match="no port 70000"):
        Server(app, hub, port=70000)
    with pytest.raises(PalettiError, match="address called"):
        Server(app, hub, host="no.such.host.invalid", port=0)
    assert capsys.readouterr() == ("", "")


def test_the_address_for_a_phone_is_told_only_where_phones_are_let_in(app: Flask, hub: Hub) -> None:
    with Server(app, hub, port=0) as server:
        assert server.url_from_elsewhere is None
    with Server(app, Hub(), host="0.0.0.0", port=0) as server:
        assert server.url == f"http://127.0.0.1:{server.port}/"
        elsewhere = server.url_from_elsewhere
        assert elsewhere is None or elsewhere.endswith(f":{server.port}/")


class Listener:
    """A stream read by hand, byte by byte as the wire brings it."""

    def __init__(self, server: Server, headers: dict[str, str] | None = None) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
        self.connection.request("GET", "/events", headers=headers or {})
        self.answer = self.connection.getresponse()

    def events(self) -> Iterator[tuple[str, str, Any]]:
        kind = name = data = ""
        while line := self.answer.readline().decode():
            field, _, value = line.rstrip("\n").partition(": ")
            if field == "event":
                kind = value
            elif field == "id":
                name = value
            elif field == "data":
                data = value
            elif not line.strip() and kind:
                yield name, kind, json.loads(data)
                kind = name = data = ""

    def close(self) -> None:
        self.connection.close()


def number(name: str) -> int:
    return int(name.rpartition("-")[2])


def told(events: Iterator[tuple[str, str, Any]], until: int) -> list[tuple[str, int]]:
    """(event id, ruling id) of all the rulings heard up to ruling `until`; every event's number follows the one before."""
    heard, last = [], None
    for name, kind, data in events:
        if kind == "beat":
            continue
        assert kind != "state", "the changes are enough for who has the state already"
        assert last is None or number(name) == last + 1
        last = number(name)
        if kind == "ruling":
            heard.append((name, data["id"]))
            if data["id"] == until:
                break
    return heard


def test_two_clients_see_every_event_and_one_that_was_away_misses_none(server: Server, hub: Hub) -> None:
    rulings = [m.Ruling(id=k, t_s=float(k), kind="turn", rule_ids=(), facts=(), english=str(k), german=str(k)) for k in range(300)]
    faithful, leaving = Listener(server), Listener(server)
    streams = [faithful.events(), leaving.events()]
    assert [next(events)[1] for events in streams] == ["state", "state"]
    heard: list[list[tuple[str, int]]] = [[], []]
    threads = [
        threading.Thread(target=lambda k=k, until=until: heard[k].extend(told(streams[k], until))) for k, until in ((0, 299), (1, 99))
    ]
    for thread in threads:
        thread.start()
    for ruling in rulings:
        hub.publish(ruling, ruling.t_s)
        hub.publish(scene.weighed(ruling.t_s), ruling.t_s)
    for thread in threads:
        thread.join(20)
    leaving.close()
    back = Listener(server, {"Last-Event-ID": heard[1][-1][0]})
    rest = told(back.events(), 299)
    assert heard[0] == heard[1] + rest
    assert [ruling for _, ruling in heard[0]] == list(range(300))
    faithful.close()
    back.close()


def test_a_silent_session_still_shows_signs_of_life_and_says_how_long_it_is_silent() -> None:
    clock = Clock()
    hub = Hub(clock)
    hub.publish(scene.view(), 412.0)
    clock.now += 3.0
    assert hub.beat() == {"t_s": 412.0, "silent_s": 3.0}


def cookie_of(server: Server) -> dict[str, str]:
    """The signed cookie that a browser gets with the page."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=5)
    connection.request("GET", "/")
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return {"Cookie": (answer.headers["Set-Cookie"] or "").split(";")[0]}


def test_many_screens_do_not_starve_the_page(server: Server) -> None:
    listeners = [Listener(server, cookie_of(server)) for _ in range(60)]
    events = [listener.events() for listener in listeners]
    assert all(next(stream)[1] == "state" for stream in events)
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=5)
    connection.request("GET", "/")
    assert connection.getresponse().status == 200
    connection.close()
    for listener in listeners:
        listener.close()


def test_one_client_has_two_streams_at_most_and_the_oldest_is_told(server: Server) -> None:
    cookie = cookie_of(server)
    listeners = []
    for _ in range(50):
        listeners.append(Listener(server, cookie))
        assert server.streams.count() <= 2
    kinds = [(kind, data) for _, kind, data in listeners[0].events()]
    assert kinds[-1] == ("bye", {"why": "elsewhere"})
    for listener in listeners:
        listener.close()


def test_streams_with_invented_cookies_lock_nobody_out(app: Flask, hub: Hub) -> None:
    with Server(app, hub, port=0, limits=Limits(burst=10_000, streams=20)) as server:
        own = Listener(server, cookie_of(server))
        crowd = [Listener(server, {"Cookie": f"paletti=invented-{k}"}) for k in range(60)]
        late = Listener(server, cookie_of(server))
        assert server.streams.count() <= 20
        for listener in (own, late):
            events = listener.events()
            assert next(events)[1] == "state"
            assert next(events)[1] == "beat"
        assert [(kind, data) for _, kind, data in crowd[0].events()][-1] == ("bye", {"why": "crowded"})
        for listener in (own, late, *crowd):
            listener.close()


def test_closing_the_server_ends_the_streams(app: Flask, hub: Hub) -> None:
    server = Server(app, hub, port=0)
    listener = Listener(server)
    events = listener.events()
    next(events)
    server.close()
    assert [kind for _, kind, _ in events][-1] == "bye"
    with pytest.raises(OSError, match="refused"), socket.create_connection(("127.0.0.1", server.port), timeout=2):
        pass
    listener.close()


# ---------------------------------------------------------------- the archive


@pytest.fixture
def recordings(tmp_path: Path) -> Path:
    for name in ("first.mcap", "second.mcap"):
        with Recorder(tmp_path / name, {"code": "0.1.0"}) as recorder:
            recorder.write(m.Message(1, 0.0, "rig", scene.profile_set()))
            for n, ruling in enumerate(scene.rulings(), start=2):
                recorder.write(m.Message(n, ruling.t_s, "camera 1", m.Frame(camera=1, jpeg=scene.picture(n))))
                recorder.write_output(ruling.t_s, n, ruling)
            recorder.write_output(414.0, 20, scene.view(outcome=scene.outcome()))
    cut = (tmp_path / "first.mcap").read_bytes()
    (tmp_path / "cut.mcap").write_bytes(cut[: len(cut) * 3 // 4])
    (tmp_path / "empty.mcap").write_bytes(b"")
    (tmp_path / "notes.txt").write_text("not a recording")
    return tmp_path


def test_the_archive_lists_what_each_recording_holds(hub: Hub, recordings: Path) -> None:
    client = create_app(hub, recordings=recordings).test_client()
    listed = {one["name"]: one for one in client.get("/archive.json").get_json()}
    assert set(listed) == {"first.mcap", "second.mcap", "cut.mcap", "empty.mcap"}
    first = listed["first.mcap"]
    assert first["players"] == ["Ada", "Bruno", "Clémence", "Dörte"]
    assert first["rulings"] == len(scene.TOLD) and first["damage"] == ""
    assert "Bruno" in first["outcome"]["english"]
    assert "good" in listed["cut.mcap"]["damage"]
    assert "empty" in listed["empty.mcap"]["damage"] and not listed["empty.mcap"]["readable"]


def test_a_recording_is_shown_as_it_ended_and_not_touched(hub: Hub, recordings: Path) -> None:
    before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in recordings.iterdir()}
    client = create_app(hub, recordings=recordings).test_client()
    state = client.get("/archive/first.mcap/state.json").get_json()
    assert len(state["rulings"]) == len(scene.TOLD)
    assert state["view"]["outcome"]["winners"] == [1]
    assert state["set"]["columns"]["hex"]["radius_mm"] > 10
    assert client.get("/archive/first.mcap/camera/1.jpg").data == scene.picture(len(scene.TOLD) + 1)
    assert client.get("/archive/first.mcap").status_code == 200
    for bad in ("../secret.mcap", "notes.txt", "missing.mcap", "..%2Ffirst.mcap", "empty.mcap"):
        answer = client.get(f"/archive/{bad}/state.json")
        assert answer.status_code in (400, 404) and answer.get_json()["sentence"]
    assert before == {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in recordings.iterdir()}


def test_an_archive_without_a_folder_is_empty(hub: Hub, tmp_path: Path) -> None:
    assert create_app(hub, recordings=tmp_path / "none").test_client().get("/archive.json").get_json() == []


# ---------------------------------------------------------------- the desk's own facts


@pytest.fixture
def playing(desk: Spoken) -> Game:
    desk.books = Game.new(players=("Ada", "Bo", "Cy", "Di")).play(
        [AllPlaced(), PlateauLaid(), ColoursAssigned(((Colour.RED,), (Colour.BLUE,), (Colour.YELLOW,), (Colour.GREEN,)), 0)]
    )
    return desk.books


@pytest.mark.usefixtures("playing")
def test_what_is_told_reaches_the_session_in_the_rules_notation(phone: Phone, desk: Spoken) -> None:
    answer = phone.post("/told", json={"line": "  raise   red-thin-1 by Ada  onto blue"})
    assert answer.status_code == 200
    assert desk.said == [m.Told(line='raise red-thin-1 onto blue by "Ada"')]


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("raze red-thin-1", "'raze' is no event"),
        ("raise purple-thin-1", "'purple' is no colour"),
        ("raise red-thin-9", "There is no column red-thin-9 in the set. (P3)"),
        ("raise red-thin-1 onto red", "That floor does not exist yet. (P2)"),
        ('raise red-thin-1 by "Eve"', "'Eve' is no player"),
        ("challenge by Bo", "There is nothing to challenge now. (C1)"),
        ("correct 99:", "There is no event of that number to correct. (B13)"),
        ("correct 3: raise red-thin-1 onto red", "That floor does not exist yet. (P2)"),
        ("rule undo", "There is nothing to rule on. (B13)"),
        ("", "an event is missing"),
        ("raise\nred-thin-1", "An event is one line"),
        ("raise " + "x" * 3000, "An event is one line of at most 2000 letters."),
    ],
)
@pytest.mark.usefixtures("playing")
def test_what_cannot_be_told_is_refused_in_a_sentence(phone: Phone, desk: Spoken, line: str, sentence: str) -> None:
    for sure in (False, True):
        answer = phone.post("/told", json={"line": line, "sure": sure})
        assert answer.status_code == 400
        assert sentence in answer.get_json()["sentence"]
    assert desk.said == []


@pytest.mark.usefixtures("playing")
def test_a_deed_that_breaks_rules_is_told_only_by_who_is_sure(phone: Phone, desk: Spoken) -> None:
    client = phone
    answer = client.post("/told", json={"line": "raise blue-thin-1 onto blue plateau-held"})
    assert answer.status_code == 409
    assert answer.get_json()["rules"] == ["B1", "B6"]
    assert "Es ist keine eigene Säule. (B1)" in answer.get_json()["german"]
    assert desk.said == []
    assert client.post("/told", json={"line": "raise blue-thin-1 onto blue plateau-held", "sure": True}).status_code == 200
    assert len(desk.said) == 1


@pytest.mark.parametrize("body", [b"", b"[]", b"\xff", b'{"line": 5}', b"{}", b'{"line": "pass", "sure": "yes"}'])
@pytest.mark.usefixtures("playing")
def test_a_broken_tale_is_refused_in_a_sentence(phone: Phone, desk: Spoken, body: bytes) -> None:
    answer = phone.post("/told", data=body, content_type="application/json")
    assert answer.status_code == 400 and answer.get_json()["sentence"]
    assert desk.said == []


def test_before_there_are_books_nothing_can_be_told(phone: Phone) -> None:
    client = phone
    assert client.get("/desk.json").get_json() is None
    assert client.post("/told", json={"line": "request"}).get_json()["sentence"] == "No game has begun yet."


def test_the_desk_offers_what_the_rules_allow_and_tells_what_is_ruled(phone: Phone, desk: Spoken, playing: Game) -> None:
    desk.books = playing.apply(Raised(Column.parse("green-hex-1"), Floor.BLUE))
    books = phone.get("/desk.json").get_json()
    assert (books["phase"], books["actor"], books["next"]) == ("build", 1, "green")
    assert books["offers"] == [print_event(event, books["names"]) for event in desk.books.legal_actions()]
    assert [entry["number"] for entry in books["log"]] == [1, 2, 3, 4]
    assert books["log"][-1]["choices"] == ["stand", "abort", "undo"]
    assert "Against the rules by Ada (B1)" in books["log"][-1]["english"]


def test_the_moment_before_an_event_is_offered_as_everything_earlier_is_understood_now(phone: Phone, desk: Spoken, playing: Game) -> None:
    raised = [Raised(Column.parse(f"{colour}-thin-1"), Floor.BLUE) for colour in ("red", "blue", "yellow")]
    desk.books = playing.play([*raised, Corrected(4, (Aborted(Column.parse("red-hex-1")),))])
    client = phone
    earlier = client.get("/desk.json?event=5").get_json()
    where = {one["column"]: one["floor"] for one in earlier["columns"]}
    assert (where["red-thin-1"], where["blue-thin-1"]) == ("ground", "ground")
    assert [one["column"] for one in earlier["columns"] if one["locked"]] == ["red-hex-1"]
    assert earlier["lines"] == ["raise blue-thin-1 onto blue"]
    assert client.get("/desk.json?event=4").get_json()["lines"] == ["abort red-hex-1"]
    assert client.get("/desk.json").get_json()["log"][3]["corrected"]
    for bad in ("0", "7", "99", "-1", "x", "1" * 30, "²"):
        answer = client.get(f"/desk.json?event={bad}")
        assert answer.status_code == 400 and "to correct" in answer.get_json()["sentence"]


def test_the_tower_is_put_right_by_the_host_and_by_everybody_once_track_is_lost(app: Flask, hub: Hub, desk: Spoken, playing: Game) -> None:
    desk.books = playing
    table, host = Phone(app, desk, "table1"), Phone(app, desk)
    places = {"places": [{"column": "red-hex-1", "floor": "blue"}, {"column": "green-thin-2", "floor": None}]}
    raised, gone = m.PutRight(column=Column.parse("red-hex-1"), floor=Floor.BLUE), m.PutRight(column=Column.parse("green-thin-2"))
    told = [raised, gone, m.PutRight(done=True)]
    assert table.post("/put-right", json=places).status_code == 403
    assert host.post("/put-right", json=places).status_code == 200
    assert desk.said == told
    hub.publish(msgspec.structs.replace(scene.view(), state=m.RefereeState.LOST), 412.0)
    assert table.post("/put-right", json=places).status_code == 200
    for column, floor, sentence in (
        ("red-hex-9", "blue", "no red-hex-9"),
        ("red-hex-1", "green", "does not lie"),
        ("red-hex-1", "attic", "no floor"),
        ("x", None, "no column"),
    ):
        answer = host.post("/put-right", json={"places": [{"column": column, "floor": floor}]})
        assert answer.status_code == 400 and sentence in answer.get_json()["sentence"]
    assert desk.said == told * 2


def test_what_is_wrong_with_a_sense_is_said_in_german_too(hub: Hub) -> None:
    told = [fault_sentence([CellState.GOOD, state, state, CellState.GOOD]) for state in CellState if state is not CellState.GOOD]
    told += ["Camera 2 has stopped sending pictures; trying again.", "The base has been silent for 1.4 s.", "The motion chip is silent."]
    for sentence in told:
        hub.publish(m.SourceNews(source="base", health=m.Health.FAULT, sentence=sentence), 1.0)
        german = hub.state()["sources"]["base"]["german"]
        assert not any(f" {word} " in f" {german} " for word in ("cell", "cells", "is", "are", "has", "and", "the", "not", "for")), german
    two = fault_sentence([CellState.FROZEN, CellState.GOOD, CellState.FROZEN, CellState.GOOD])
    hub.publish(m.SourceNews(source="base", health=m.Health.FAULT, sentence=two), 1.0)
    assert hub.state()["sources"]["base"]["german"] == "Wägezellen 1 und 3 sind eingefroren."
