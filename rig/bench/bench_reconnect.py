"""Figure of the link's mending: seconds from plugging the base in again, under another name, to its first weight in the fold.

The real binary in its simulator on a pseudo terminal at real time, as in `tests/base/test_terminal.py`; the boot loader's second or so of a
real Uno comes on top.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from rig.base.port import Port
from rig.bench.terminal_bench import Bench, Host


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=20)
    times = parser.parse_args().times
    bench, took_s = Bench(), []
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
    print(f"replugged {times} times: first weight after {np.median(took_s):.2f} s (median), {max(took_s):.2f} s at the most")


if __name__ == "__main__":
    main()
