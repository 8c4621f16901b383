"""The real binary on a terminal, as a host meets it: opening resets it, a second program is refused, cables are pulled in mid-game.

Real time passes here, but nothing is asserted of it: everything waits for what must happen, and gives up after a generous while.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest

from rig.base import firmware_tool
from rig.base.port import Port
from rig.base.protocol import ResetCause
from rig.bench.terminal_bench import GRAMS, Host, RunningBase
from rig.cli import main
from rig.errors import PalettiError
from rig.messages import Health
from rig.twin.sensors.avr import Reset

pytestmark = pytest.mark.skipif(not firmware_tool.has_simulator(), reason="the AVR tools are missing: `paletti firmware build` was not run")


@pytest.fixture
def bench() -> Iterator[RunningBase]:
    made = RunningBase()
    yield made
    made.close()


@pytest.fixture
def host(bench: RunningBase) -> Iterator[Host]:
    made = Host(Port(bench.terminal.name, ports=bench.ports))
    yield made
    made.close()


def test_opening_the_port_resets_the_base_and_the_host_starts_with_its_new_boot(bench: RunningBase, host: Host) -> None:
    host.wait(lambda: len(host.weights_g()) > 20 and len(host.news) > 1)
    hello = host.fold.hello
    assert hello is not None
    assert hello.reset_cause == ResetCause.EXTERNAL
    assert hello.boot_id & 0xFFFF == bench.terminal.openings == 1
    assert host.weights_g()[-1] == pytest.approx(GRAMS, abs=1)
    assert host.news[-1].resets == 0  # it is the first boot this session has seen
    assert host.news[-1].lost_frames == 0


def test_reset_in_mid_game_is_noticed_by_its_boot_id_and_moves_neither_tare_nor_counts(bench: RunningBase, host: Host) -> None:
    host.wait(lambda: len(host.weights_g()) > 40)
    host.fold.tare(1e9)
    host.wait(lambda: host.news[-1].lost_frames == 0 and abs(host.weights_g()[-1]) < 1)
    before = host.fold.hello
    assert before is not None
    bench.do(lambda: bench.avr.reset(Reset.EXTERNAL))  # what another program's DTR does
    host.wait(lambda: host.news[-1].resets == 1)
    mark = len(host.readings)
    host.wait(lambda: len(host.weights_g(mark)) > 40)
    after = host.fold.hello
    assert after is not None
    assert after.boot_id == before.boot_id + 1
    assert after.frames_before > before.frames_before
    assert any("reset line was pulled" in news.sentence for news in host.news)
    assert all(abs(grams) < 1 for grams in host.weights_g(mark))  # the tare is the host's and outlives the reset
    assert host.steps == []
    assert host.news[-1].lost_frames <= 1  # the frame that the reset tore, at the most


def test_second_program_in_mid_game_is_refused_with_the_holders_name_and_resets_nothing(bench: RunningBase, host: Host) -> None:
    host.wait(lambda: len(host.weights_g()) > 20)
    mark = len(host.readings)
    script = (
        "import json, sys\nfrom rig.base.port import Port\nfrom rig.errors import PalettiError\n"
        "try:\n    Port(sys.argv[1]).open()\nexcept PalettiError as error:\n    print(json.dumps([error.sentence, error.hint]))\n"
    )
    second = subprocess.run([sys.executable, "-c", script, bench.terminal.name], capture_output=True, text=True, check=True)
    sentence, hint = json.loads(second.stdout)
    assert f"in use by python (process {os.getpid()})" in sentence.replace("python3", "python")
    assert hint == "Close that program first."
    host.wait(lambda: len(host.weights_g(mark)) > 40 and len(host.news) > 2)
    assert (host.news[-1].resets, host.news[-1].lost_frames, host.news[-1].bad_frames) == (0, 0, host.news[0].bad_frames)
    assert bench.terminal.openings == 1


def test_base_replugged_under_another_name_goes_on_with_its_tare(bench: RunningBase, host: Host) -> None:
    host.wait(lambda: len(host.weights_g()) > 40)
    first = bench.terminal.name
    bench.do(bench.terminal.unplug)
    host.wait(lambda: any(news.health is Health.LOST and "has gone" in news.sentence for news in host.told))
    keep = _occupied_terminal()  # so that the old name is not given out again
    bench.do(bench.terminal.plug_in)
    assert bench.terminal.name != first
    host.wait(lambda: host.told[-1].health is Health.GOOD)
    mark = len(host.readings)
    host.wait(lambda: len(host.weights_g(mark)) > 40 and host.news[-1].resets >= 1)
    assert host.weights_g()[-1] == pytest.approx(GRAMS, abs=1)
    assert host.steps == []
    keep()


def test_doctor_finds_the_base_well_and_lets_it_test_itself(bench: RunningBase, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--base", bench.terminal.name, "--seconds", "2.5", "--identify", "1", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert [round(channel["rate_hz"], -1) for channel in report["channels"]] == [80] * 4
    assert report["notes"][-1].startswith("self-test: supply")


def test_unplugged_base_is_told_when_nobody_names_a_port(bench: RunningBase) -> None:
    bench.do(bench.terminal.unplug)
    with pytest.raises(PalettiError, match="No base is connected"):
        Port("", ports=bench.ports).open()


def _occupied_terminal() -> Callable[[], None]:
    ours, theirs = os.openpty()

    def free() -> None:
        os.close(ours)
        os.close(theirs)

    return free
