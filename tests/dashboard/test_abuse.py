"""A game under way, attacked from outside by ten thousand requests: nothing answers with a fault, nothing changes, and the rulings are
those of an undisturbed game."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import random
import socket
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from playwright.sync_api import sync_playwright
from schemathesis.generation import GenerationMode

from rig.bench.chromium import CHROMIUM
from rig.dashboard import Limits
from rig.dashboard.openapi import document
from tests.dashboard.desk_alone import HOST_CODE, TABLE_CODE, DeskAlone

GAME = (
    "place-all", "lay plateau blue", 'colours red blue yellow green starts "Anna"', "raise red-thin-1 onto blue", "abort blue-thin-2",
    "raise yellow-thin-1 onto blue", "raise green-hex-1 onto blue", "request", "unchallenged", "lay plateau green covers 3",
    "raise blue-thick-1 onto green",
)  # fmt: skip
REQUESTS = 10_000
OPEN = Limits(burst=1_000_000, per_second=1e6)
"""The floods' own test has the real limits; here what is behind them is attacked."""

METHODS = ("GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD", "TRACE")
PATHS = (
    "/", "/state.json", "/me", "/desk.json", "/openapi.json", "/call", "/answer", "/drew", "/told", "/tare", "/new", "/back", "/names",
    "/join", "/leave", "/camera/1.jpg", "/frame/1.jpg", "/static/../app.py", "/static/%2e%2e/app.py", "/archive", "/desk.json?event=-1",
    "/desk.json?event=%00", "/%ff", "//",
)  # fmt: skip


@pytest.fixture(scope="module")
def table() -> Iterator[DeskAlone]:
    table = DeskAlone(limits=OPEN)
    for line in GAME[:5]:
        table.tell(line)
    yield table
    table.close()


@pytest.fixture(scope="module")
def undisturbed() -> list[str]:
    """The rulings of the same game when nobody disturbs it."""
    quiet = DeskAlone()
    for line in GAME:
        quiet.tell(line)
    quiet.close()
    return quiet.told


class Wire:
    """One connection that is opened anew when the server closes it."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)

    def ask(self, method: str, path: str, body: bytes | None = None, headers: dict[str, str] | None = None) -> tuple[int, bytes]:
        for _ in range(3):
            try:
                self.connection.request(method, path, body, headers or {})
                answer = self.connection.getresponse()
                data = answer.read()
            except (OSError, http.client.HTTPException):
                self.connection.close()
                continue
            return answer.status, data
        raise AssertionError(f"no answer to {method} {path}")


Dial = Callable[[int], Wire]


@pytest.fixture
def dial() -> Iterator[Dial]:
    """Connections that are closed at the end."""
    wires: list[Wire] = []

    def to(port: int) -> Wire:
        wires.append(Wire(port))
        return wires[-1]

    yield to
    for wire in wires:
        wire.connection.close()


def bodies(chance: random.Random) -> Iterator[bytes]:
    """What an attacker sends: nested, huge, broken, and nearly right."""
    while True:
        yield from (
            b"[" * chance.randrange(1, 9000), b'{"a":' * chance.randrange(1, 3000), b"{" + b'"x":0,' * 3000 + b'"y":1}',
            b"\xff\xfe\x00", b"", b"null", b"1e999",
            b'{"code": ' + json.dumps("9" * chance.randrange(300)).encode() + b"}",
            json.dumps({"state": "1.5", "line": "raise blue-thin-1 onto blue", "sure": True}).encode(),
            json.dumps({"state": "1.5", "word": "abort", "seat": chance.randrange(-3, 9)}).encode(),
            json.dumps({"state": "1.5", "sure": True}).encode(), json.dumps({"state": "1.5", "names": ["A", "B", "C", "D"]}).encode(),
            bytes(chance.randrange(256) for _ in range(chance.randrange(200))),
        )  # fmt: skip


def test_ten_thousand_requests_change_nothing_and_fault_nothing(table: DeskAlone, undisturbed: list[str], dial: Dial) -> None:
    """By hand-made malice, by schemathesis on the published interface, by forged cookies; the players play on between."""
    codes: Counter[int] = Counter()
    before = (table.game, list(table.told))
    chance = random.Random(5)
    made = bodies(chance)
    wire = dial(table.port)

    def sent(code: int, method: str, path: str) -> None:
        codes[code] += 1
        assert code < 500, f"{method} {path}"

    headers = (
        {"Content-Type": "application/json"},
        {"Content-Type": "application/json", "Origin": "http://["},
        {"Content-Type": "application/json", "Origin": "http://elsewhere.example"},
        {"Content-Type": "application/json", "Origin": f"http://127.0.0.1:{table.port}", "Cookie": "paletti=eyJyb2xlIjoyfQ.aaaa.bbbb"},
        {"Content-Type": "application/json", "X-Paletti-Token": "", "Cookie": "paletti=; paletti=x"},
        {"Content-Type": "text/plain"},
        {"Host": "elsewhere.example"},
        {"Host": "["},
    )
    for _ in range(REQUESTS * 19 // 20):
        method, path = chance.choice(METHODS), chance.choice(PATHS)
        body = None if method in ("GET", "HEAD") else next(made)
        sent(wire.ask(method, path, body, chance.choice(headers))[0], method, path)
    by_schema(wire, REQUESTS // 20, sent)
    assert sum(codes.values()) >= REQUESTS
    assert (table.game, table.told) == before
    for line in GAME[5:]:
        table.tell(line)
    assert table.told == undisturbed


def by_schema(wire: Wire, count: int, sent: Any) -> None:
    """Requests that schemathesis makes from the published interface, right and wrong ones, by a phone without the code."""
    schema = schemathesis.openapi.from_dict(document())
    operations = [found.ok() for found in schema.get_all_operations()]
    sent_by_schema = 0
    rules = settings(
        max_examples=count // len(operations), database=None, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck),
        phases=[Phase.generate],
    )  # fmt: skip
    for operation in operations:
        mode = GenerationMode.NEGATIVE if operation.method == "post" else GenerationMode.POSITIVE

        @rules
        @given(case=operation.as_strategy(generation_mode=mode))
        def attack(case: Any) -> None:
            nonlocal sent_by_schema
            body = json.dumps(case.body, default=str).encode("utf-8", "replace") if case.method == "POST" else None
            code, _ = wire.ask(case.method, case.path, body, {"Content-Type": "application/json"})
            sent(code, case.method, case.path)
            sent_by_schema += 1

        attack()
    assert sent_by_schema > count / 3
    for _ in range(count - sent_by_schema):
        sent(wire.ask("POST", "/told", b"{}", {"Content-Type": "application/json"})[0], "POST", "/told")


def test_half_sent_requests_hold_nobody_up(table: DeskAlone, dial: Dial) -> None:
    """Three hundred heads and bodies that never end; the page answers meanwhile, and they are closed."""
    held = []
    for k in range(300):
        half = socket.create_connection(("127.0.0.1", table.port), timeout=20)
        head = f"POST /told HTTP/1.1\r\nHost: 127.0.0.1:{table.port}\r\nContent-Length: 1000\r\n"
        half.sendall((head + ("\r\n{" if k % 2 else "X-Slow: ")).encode())
        held.append(half)
    wire = dial(table.port)
    answered = [wire.ask("GET", "/state.json")[0] for _ in range(20)]
    assert answered == [200] * 20
    closed = 0
    for half in held:
        with contextlib.suppress(OSError):
            while half.recv(4096):
                pass
            closed += 1
        half.close()
    assert closed == 300
    assert wire.ask("GET", "/state.json")[0] == 200


def test_a_flood_is_slowed_and_told_so(dial: Dial) -> None:
    table = DeskAlone(limits=Limits(burst=50, per_second=1.0))
    wire = dial(table.port)
    told = [wire.ask("GET", "/me") for _ in range(120)]
    assert [code for code, _ in told[:50]] == [200] * 50
    assert told[-1][0] == 429 and "wait a moment" in json.loads(told[-1][1])["sentence"]
    table.close()


def test_codes_cannot_be_guessed_in_a_row(table: DeskAlone, dial: Dial) -> None:
    wire = dial(table.port)
    for _ in range(12):
        code, told = wire.ask("POST", "/join", b'{"code": "guess1"}', {"Content-Type": "application/json"})
    assert code == 429 and "wait a minute" in json.loads(told)["sentence"]
    assert wire.ask("POST", "/join", json.dumps({"code": HOST_CODE}).encode(), {"Content-Type": "application/json"})[0] == 429


def test_roles_are_kept_apart_and_a_cookie_alone_does_not_speak(dial: Dial) -> None:
    table = DeskAlone()
    for line in GAME[:5]:
        table.tell(line)
    wire = dial(table.port)
    wire.connection.request("POST", "/join", json.dumps({"code": TABLE_CODE}).encode(), {"Content-Type": "application/json"})
    answer = wire.connection.getresponse()
    me = json.loads(answer.read())
    set_cookie = answer.headers["Set-Cookie"]
    assert "HttpOnly" in set_cookie and "SameSite=Strict" in set_cookie
    own = {"Content-Type": "application/json", "Cookie": set_cookie.split(";")[0]}
    state = json.loads(wire.ask("GET", "/desk.json")[1])["state"]

    def says(path: str, token: str, **body: Any) -> int:
        return wire.ask("POST", path, json.dumps({"state": state, **body}).encode(), {**own, "X-Paletti-Token": token})[0]

    assert says("/told", "", line="touch yellow-thin-1") == 403
    for path, body in (("/new", {"sure": True}), ("/names", {"names": ["A", "B", "C", "D"]}), ("/told", {"line": 'collapse by "Anna"'})):
        assert says(path, me["token"], **body) == 403
    assert says("/told", me["token"], line="correct 4: raise red-hex-1 onto blue") == 403
    assert says("/told", me["token"], line="raise yellow-thin-1 onto blue") == 200
    assert len(table.game.log) == 6
    assert says("/told", me["token"], line="raise green-hex-1 onto blue") == 409, "that state is gone"
    assert len(table.game.log) == 6
    table.close()


def test_the_same_raise_tapped_on_two_phones_at_once_is_heard_once(dial: Dial) -> None:
    table = DeskAlone(limits=OPEN)
    for line in GAME[:3]:
        table.tell(line)
    phones = []
    for _ in range(2):
        wire = dial(table.port)
        wire.connection.request("POST", "/join", json.dumps({"code": TABLE_CODE}).encode(), {"Content-Type": "application/json"})
        answer = wire.connection.getresponse()
        token = json.loads(answer.read())["token"]
        phones.append(
            (wire, {"Content-Type": "application/json", "Cookie": answer.headers["Set-Cookie"].split(";")[0], "X-Paletti-Token": token})
        )
    for line in (
        "raise red-thin-1 onto blue",
        "raise blue-thin-1 onto blue",
        "raise yellow-thin-1 onto blue",
        "raise green-thin-1 onto blue",
    ):
        state = json.loads(phones[0][0].ask("GET", "/desk.json")[1])["state"]
        body, codes = json.dumps({"state": state, "line": line}).encode(), []

        def tap(wire: Wire, headers: dict[str, str], body: bytes = body, codes: list[int] = codes) -> None:
            codes.append(wire.ask("POST", "/told", body, headers)[0])

        taps = [threading.Thread(target=tap, args=phone) for phone in phones]
        for one in taps:
            one.start()
        for one in taps:
            one.join()
        assert sorted(codes) == [200, 409]
    assert not table.game.violations and len(table.game.log) == 7
    table.close()


class _Elsewhere(BaseHTTPRequestHandler):
    """A page of another site that knows where the desk is."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>elsewhere</title>")

    def log_message(self, *_: Any) -> None:
        pass


@pytest.mark.skipif(not os.access(CHROMIUM, os.X_OK), reason="needs Chromium")
def test_a_rebound_name_reaches_neither_desk_nor_cameras_in_a_real_browser(table: DeskAlone) -> None:
    """The attacker's own name leads to this machine: what its page asks of the desk is same-origin to the browser, and refused here."""
    with sync_playwright() as playwright:
        flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--host-resolver-rules=MAP attacker.example 127.0.0.1"]
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=flags)
        page = browser.new_page()
        answer = page.goto(f"http://attacker.example:{table.port}/state.json")
        assert answer is not None and answer.status == 421
        said = "{method: 'POST', headers: {'Content-Type': 'application/json'}, body: '{}'}"
        ask = f"async (path) => {{ try {{ return (await fetch(path, {said})).status }} catch {{ return 0 }} }}"
        assert page.evaluate(ask, "/told") in (0, 421)

        elsewhere = ThreadingHTTPServer(("127.0.0.1", 0), _Elsewhere)
        threading.Thread(target=elsewhere.serve_forever, daemon=True).start()
        page.goto(f"http://localhost:{elsewhere.server_address[1]}/")
        read = "(await (await fetch(url, {credentials: 'include'})).text()).length"
        length = f"async (url) => {{ try {{ return {read} }} catch {{ return -1 }} }}"
        assert page.evaluate(length, f"http://127.0.0.1:{table.port}/state.json") == -1
        elsewhere.shutdown()
        elsewhere.server_close()
        browser.close()
