"""Runs benches one after the other, then writes the pages of figures: `python -m rig.bench [link rules …]`; without names all of them.

Each bench is a process of its own, so that one that fails (an extra that is not installed) does not keep the others from running. Exit
code 1 if one failed.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from rig.bench import write_results

ROWS_ONLY = ("senses",)
"""Writes rows that the exam's models are fitted on, and no figures."""
BENCHES = tuple(
    sorted(name for path in Path(__file__).parent.glob("bench_*.py") if (name := path.stem.removeprefix("bench_")) not in ROWS_ONLY)
)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m rig.bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(BENCHES)}")
    names = parser.parse_args(arguments).names or BENCHES
    unknown = [name for name in names if name not in BENCHES]
    if unknown:
        parser.error(f"there is no bench {unknown[0]!r}; there are {', '.join(BENCHES)}")
    failed = []
    for name in names:
        print(f"== {name}", flush=True)
        one_core = os.environ | {"OMP_NUM_THREADS": "1"}
        if subprocess.run([sys.executable, "-m", f"rig.bench.bench_{name}"], env=one_core, check=False).returncode:
            failed.append(name)
    if failed:
        print(f"These did not come to their end, and their last figures stand: {', '.join(failed)}", file=sys.stderr)
    return write_results.main([]) or int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
