"""Figure of the link's mending: seconds from plugging the base in again, under another name, to its first weight in the fold.

The real binary in its simulator on a pseudo terminal at real time, as in `tests/base/test_terminal.py`; the boot loader's second or so of a
real Uno comes on top.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from rig.base.port import Port
from rig.bench.results import add_json, measured
from rig.bench.terminal_bench import Host, RunningBase


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=20)
    add_json(parser, "reconnect")
    options = parser.parse_args()
    with measured(options.json, "1", __doc__) as results:
        results.median("from plugging in to the first weight", replugged(options.times), "s")


def replugged(times: int) -> list[float]:
    """Seconds to the first weight, `times` times."""
    bench, took_s = RunningBase(), list[float]()
    host = Host(Port(bench.terminal.name, ports=bench.ports))
    rng = np.random.default_rng(1)
    for _ in range(times):
        host.wait(lambda: len(host.weights_g()) > 0)
        bench.do(bench.terminal.unplug)
        time.sleep(float(rng.uniform(0.2, 1.5)))
        bench.do(bench.terminal.plug_in)
        started, mark = time.monotonic(), len(host.readings)
        host.wait(lambda mark=mark: len(host.weights_g(mark)) > 0)  # type: ignore[misc]
        took_s.append(time.monotonic() - started)
    host.close()
    bench.close()
    return took_s


if __name__ == "__main__":
    main()
