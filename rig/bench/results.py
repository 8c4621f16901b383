"""Figures that say where they are from: every bench prints them for people and writes them, stamped, as one JSON file.

    with measured(options.json, seeds="none", about=__doc__) as results:
        results.number("frames decoded a second", rate, "frames/s", n=rounds)

`rig/bench/write_results.py` turns the files of `rig/bench/results/` into `RESULTS.md` and into the table of the top README. A bench that
fails, or is interrupted, writes nothing: the file then still holds the figures of the last whole run.
"""

from __future__ import annotations

import argparse
import os
import platform
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import msgspec
import numpy as np

from rig.errors import PalettiError
from rig.exam.counts import Tally

FOLDER = Path(__file__).parent / "results"
PACKAGES = ("numpy", "opencv-python", "scipy", "numba", "mujoco")
"""Whose versions a figure depends on."""


class Machine(msgspec.Struct, frozen=True):
    """Where it was measured. `load`: running processes at the start, averaged over a minute; more than `cores` were in the way."""

    processor: str
    cores: int
    memory_gb: float
    python: str
    packages: dict[str, str]
    load: float


class Figure(msgspec.Struct, frozen=True, omit_defaults=True):
    """One figure. `n`: how many cases it rests on. A share has `right` of `n` and no other value.

    `low` and `high` are what `span` says: for a share Wilson's 95 % interval of the share, for values usually their least and greatest.
    """

    what: str
    n: int
    value: float = 0.0
    unit: str = ""
    right: int | None = None
    low: float | None = None
    high: float | None = None
    span: str = ""


class Measurement(msgspec.Struct, frozen=True):
    """All figures of one run of one bench."""

    name: str
    about: str
    command: str
    commit: str
    """Short hash; with a `+` if files were changed since, other than results."""
    date: str
    seeds: str
    seconds: float
    machine: Machine
    figures: tuple[Figure, ...]


class Results:
    """Collects figures, and prints each as it comes."""

    def __init__(self) -> None:
        self.figures: list[Figure] = []

    def add(self, figure: Figure) -> None:
        """PalettiError if a figure of that name is there already: a name is how the README's table finds it."""
        if any(one.what == figure.what for one in self.figures):
            raise PalettiError(f"The bench gives two figures named {figure.what!r}.", "Name them apart.")
        self.figures.append(figure)
        print(f"{figure.what}: {in_words(figure)}", flush=True)

    def share(self, what: str, right: int, n: int) -> None:
        """`right` of `n`, with Wilson's 95 % interval. Nothing is recorded for n = 0."""
        if not n:
            print(f"{what}: none seen")
            return
        low, high = Tally(right, n).interval()
        self.add(Figure(what, n, right=int(right), low=low, high=high, span="95 % interval"))

    def number(self, what: str, value: float, unit: str, n: int, span: tuple[float, float] | None = None, of_span: str = "") -> None:
        """One value that rests on `n` cases; `span` with the words that say what it is."""
        low, high = (None, None) if span is None else (float(span[0]), float(span[1]))
        self.add(Figure(what, n, float(value), unit, None, low, high, of_span))

    def median(self, what: str, values: Sequence[float], unit: str) -> None:
        """The median of `values`, with their 5th and 95th percentile if there are several. Nothing is recorded of no values."""
        if not len(values):
            print(f"{what}: none")
            return
        low, high = np.percentile(values, (5, 95))
        span = (float(low), float(high)) if len(values) > 1 else None
        self.number(f"{what}, median", float(np.median(values)), unit, len(values), span, "5th to 95th percentile" if span else "")

    def rms(self, what: str, errors: Sequence[float], unit: str) -> None:
        """The root mean square of `errors`, with the least and greatest. Nothing is recorded of no values."""
        if not len(errors):
            print(f"{what}: none")
            return
        value = float(np.sqrt(np.mean(np.square(errors))))
        self.number(f"{what}, rms", value, unit, len(errors), (min(errors), max(errors)), "least and greatest")


def number_in_words(value: float) -> str:
    """A number with the digits that matter: three, and whole numbers with commas from a thousand on."""
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.0f}" if float(value).is_integer() else f"{value:.3g}"


def in_words(figure: Figure) -> str:
    """A figure for people: value, unit, span, n."""
    if figure.right is not None:
        share, low, high = 100 * figure.right / figure.n, 100 * (figure.low or 0.0), 100 * (figure.high or 0.0)
        return f"{figure.right:,} of {figure.n:,} = {share:.1f} % ({low:.1f} to {high:.1f})"
    unit = f" {figure.unit}" if figure.unit else ""
    if figure.low is None or figure.high is None or figure.low == figure.high:
        return f"{number_in_words(figure.value)}{unit}, n = {figure.n:,}"
    span = f"{figure.span} {number_in_words(figure.low)} to {number_in_words(figure.high)}"
    return f"{number_in_words(figure.value)}{unit} ({span}), n = {figure.n:,}"


def interval(right: int, n: int) -> str:
    """`right / n`, the share and its Wilson interval at 95 %, for lines that are printed only."""
    if not n:
        return "0 / 0"
    low, high = Tally(right, n).interval()
    return f"{right} / {n} = {100 * right / n:.1f} % ({100 * low:.1f} to {100 * high:.1f})"


def spread(values: Sequence[float]) -> str:
    """Median, 95th percentile and greatest of `values`, for lines that are printed only."""
    return f"median {np.median(values):.2f}, p95 {np.quantile(values, 0.95):.2f}, worst {max(values):.2f}" if len(values) else "none"


# ---------------------------------------------------------------- the file


def add_json(parser: argparse.ArgumentParser, name: str) -> None:
    """`--json FILE`, by default `rig/bench/results/NAME.json`, and `--no-json` (options.json is None)."""
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--json", type=Path, default=FOLDER / f"{name}.json", metavar="FILE", help=f"default rig/bench/results/{name}.json")
    where.add_argument("--no-json", dest="json", action="store_const", const=None, help="print the figures only")


def variant(path: Path | None, name: str) -> Path | None:
    """The default file of a bench's variant `name`; a file that was named by `--json` stays."""
    return path.with_name(f"{name}.json") if path is not None and path.parent == FOLDER else path


@contextmanager
def measured(path: Path | None, seeds: range | str, about: str | None, command: str | None = None) -> Iterator[Results]:
    """Collects figures and writes them to `path` (None: prints only) at the end, if nothing was raised.

    `seeds`: all that were drawn from. `about`: the bench's docstring, of which the first paragraph is kept. `command`: how the figures are
    reproduced, by default the command line of this process without `--json`.
    """
    began, machine, results = time.monotonic(), this_machine(), Results()
    commit = this_commit()
    yield results
    if path is None:
        return
    measurement = Measurement(
        name=path.stem,
        about=" ".join((about or "").split("\n\n")[0].split()),
        command=command or this_command(),
        commit=commit,
        date=datetime.now(UTC).date().isoformat(),
        seeds=f"{seeds.start} to {seeds.stop - 1}" if isinstance(seeds, range) else seeds,
        seconds=round(time.monotonic() - began, 1),
        machine=machine,
        figures=tuple(results.figures),
    )
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(msgspec.json.format(msgspec.json.encode(measurement), indent=1) + b"\n")
    except OSError as error:
        raise PalettiError(f"{path} cannot be written: {error.strerror}.", "Name another file with --json.") from error


def read(path: Path) -> Measurement:
    """A bench's file; PalettiError if it is none."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Measurement)
    except (OSError, msgspec.MsgspecError) as error:
        raise PalettiError(f"{path} cannot be read as a bench's figures: {error}.", "Run the bench again; it writes the file.") from error


def this_command() -> str:
    """The command line of this process, with the module's name instead of its path, and without `--json`."""
    words, given = [], iter(sys.argv[1:])
    for word in given:
        if word == "--json":
            next(given, None)
        elif word != "--no-json" and not word.startswith("--json="):
            words.append(word)
    return shlex.join(["python", "-m", f"rig.bench.{Path(sys.argv[0]).stem}", *words])


def this_commit() -> str:
    """The short hash of the checkout's commit, with `+` if a tracked file differs from it, results apart; `unknown` outside git."""

    def git(*words: str) -> str:
        done = subprocess.run(["git", *words], cwd=FOLDER.parent, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    try:
        changed = git("status", "--porcelain", "--untracked-files=no", "--", ":/", ":(exclude,top)rig/bench/results")
        return git("rev-parse", "--short", "HEAD") + ("+" if changed else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def this_machine() -> Machine:
    """Processor, cores, memory and versions of the machine that this process runs on."""
    packages = {}
    for name in PACKAGES:
        try:
            packages[name] = version(name)
        except PackageNotFoundError:
            continue
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 0
    return Machine(
        processor=_processor(),
        cores=os.cpu_count() or 1,
        memory_gb=round(memory / 2**30, 1),
        python=platform.python_version(),
        packages=packages,
        load=round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else 0.0,
    )


def _processor() -> str:
    """The processor's name as Linux tells it, else what the platform says."""
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text(encoding="utf-8").splitlines():
            if line.startswith(("model name", "Model")):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
