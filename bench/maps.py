"""Measure what vectors gain by memory access pattern, on each installed platform: `make maps`.

For each pattern of CLVectorizer, section 3, there is a small kernel with accesses of that pattern and little
else, which `weft vectorize` rewrites with each factor (eV; iV and both where it has a loop). The rows of the
devices of this machine in `weft/source/devices.json`, by which `weft vectorize --auto` chooses, are replaced;
others stay.
"""

import argparse
import datetime
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from bench.platforms import Platform, find_platforms
from bench.progress import Progress
from bench.registry import Caches
from weft.frontend.options import parse_options
from weft.source.devices import MATH, ROWS, RS, TABLE, Candidate
from weft.source.measure import difference
from weft.source.patterns import BS, CS, NS, RF, SS
from weft.source.refusal import Refused
from weft.source.rewrite import Request, vectorize
from weft.source.worker_process import CandidateFailed, PlatformProcess

_FACTORS = (2, 4, 8, 16)
_BOTH = (2, 4)
_SECONDS = 0.015
_ROUNDS = 7
_LIMIT = 60.0


@dataclass(frozen=True)
class Subject:
    """A kernel with one pattern: its body, its range, the floats of its buffers, and its accesses."""

    body: str
    range: tuple[int, ...]
    read: int
    written: int
    accesses: int
    looped: bool = False

    @property
    def text(self) -> str:
        """The program."""
        head = "__kernel void k(__global const float *a, __global float *c, int n)"
        return f"{head} {{\n{self.body}\n}}\n"


_N, _ROWS_OF = 1024, 4
_SUM = """    int x = get_global_id(0), y = get_global_id(1);
    float sum = 0.0f, own = 0.5f + x;
    for (int k = 0; k < n; k++)
        sum += a[{}] * own;
    c[y * n + x] = sum;"""
_BLOCK = """    int x = get_global_id(0), y = get_global_id(1);
    float sum = 0.0f;
    for (int j = 0; j < 4; j++)
        for (int i = 0; i < 16; i++)
            sum += a[(y + j) * n + x + i];
    c[y * n + x] = sum;"""
_NEIGHBOURS = """    int at = (get_global_id(1) + 1) * n + get_global_id(0) + 1;
    c[at] = 0.25f * (a[at - 1] + a[at + 1] + a[at - n] + a[at + n]);"""
_SINGLE = """    int i = get_global_id(0);
    c[i] = a[i] + 1.0f;"""
_MATH = """    int i = get_global_id(0);
    c[i] = exp(-a[i]) + log(a[i] + 1.0f);"""
_MATRIX, _SOME = _N * _N, _N * _ROWS_OF
SUBJECTS = {
    SS: Subject(_SINGLE, (2 * _MATRIX,), 2 * _MATRIX, 2 * _MATRIX, 4 * _MATRIX),
    RF: Subject(_SUM.format("y * n + k"), (_N, _ROWS_OF), _MATRIX, _SOME, _SOME * _N, True),
    CS: Subject(_SUM.format("k * n + x"), (_N, _ROWS_OF), _MATRIX, _SOME, _SOME * _N, True),
    BS: Subject(_BLOCK, (_N - 16, 32), 36 * _N, 36 * _N, (_N - 16) * 32 * 64, True),
    NS: Subject(_NEIGHBOURS, (_N - 16, _N - 2), _MATRIX, _MATRIX, (_N - 16) * (_N - 2) * 5),
    RS: Subject(_SUM.format("x * n + k"), (_N, _ROWS_OF), _MATRIX, _SOME, _SOME * _N, True),
    MATH: Subject(_MATH, (_MATRIX // 8,), _MATRIX // 8, _MATRIX // 8, _MATRIX // 4),
}


def points(subject: Subject) -> list[Candidate]:
    """The candidates of a kernel."""
    found = [Candidate(inter=f) for f in _FACTORS]
    if subject.looped:
        found += [Candidate(intra=f) for f in _FACTORS] + [Candidate(f, f) for f in _BOTH]
    return found


class Maps:
    """Measures one platform."""

    def __init__(
        self, process: PlatformProcess, scratch: Path, progress: Progress, factors: Sequence[int]
    ) -> None:
        self.process, self.scratch, self.progress, self.factors = process, scratch, progress, factors

    def row(self, name: str) -> dict[str, Any]:
        """The device's row of the table."""
        greeting = self.process.greeting
        return {
            "name": name,
            "platform": greeting["platform"],
            "device": greeting["device"],
            "version": greeting["version"],
            "units": greeting["units"],
            "measured": datetime.date.today().isoformat(),
            "patterns": {pattern: self._pattern(name, pattern) for pattern in ROWS},
        }

    def _pattern(self, platform: str, pattern: str) -> dict[str, Any]:
        subject = SUBJECTS[pattern]
        self.progress.begin(f"{platform}: {pattern}")
        naive = self._open("naive", subject, Candidate(), subject.text)
        found: dict[str, Any] = {"bandwidth": 0.0}
        best = float(self.process.ask("warm", "naive", seconds=_SECONDS)["seconds"])
        for candidate in points(subject):
            if max(candidate.inter, candidate.intra) in self.factors:
                gain, seconds = self._gain(subject, candidate, naive)
                best = min(best, seconds)
                if gain:
                    factor = str(max(candidate.inter, candidate.intra))
                    found.setdefault(candidate.way, {})[factor] = round(gain, 2)
            self.progress.step()
        found["bandwidth"] = round(4e-9 * subject.accesses / best, 2)
        self.process.ask("close", "naive")
        return found

    def _gain(self, subject: Subject, candidate: Candidate, expected: np.ndarray) -> tuple[float, float]:
        """By how much a candidate is faster, and the best time of the kernel as written meanwhile."""
        request = Request(candidate.inter, candidate.intra, exact=True, fast_math=True)
        try:
            text = vectorize(subject.text, parse_options(""), "<kernel>.cl", request).text
            result = self._open("candidate", subject, candidate, text)
        except (Refused, CandidateFailed) as error:
            self.progress.clear()
            print(f"{candidate}: {error}", file=sys.stderr)
            return 0.0, float("inf")
        wrong = difference(expected, result)
        if wrong:
            raise RuntimeError(f"{candidate} gives wrong results on {self.process.platform}: {wrong}\n{text}")
        self.process.ask("warm", "candidate", seconds=_SECONDS)
        ratios, best = [], float("inf")
        for _ in range(_ROUNDS):
            before = self.process.ask("sample", "naive", seconds=_SECONDS)["seconds"]
            after = self.process.ask("sample", "candidate", seconds=_SECONDS)["seconds"]
            ratios.append(before / after)
            best = min(best, before)
        self.process.ask("close", "candidate")
        return median(ratios), best

    def _open(self, name: str, subject: Subject, candidate: Candidate, text: str) -> np.ndarray:
        """Open a kernel, run it once and return its result."""
        source, result = self.scratch / "a", self.scratch / "c.result"
        source.write_bytes(np.random.default_rng(1).random(subject.read, np.float32).tobytes())
        (self.scratch / "c").write_bytes(bytes(4 * subject.written))
        x, *rest = subject.range
        self.process.ask(
            "open",
            name,
            source=text,
            options="",
            kernel="k",
            arguments=[
                {"buffer": str(source), "result": None},
                {"buffer": str(self.scratch / "c"), "result": str(result)},
                {"scalar": np.array([_N], np.int32).tobytes().hex()},
            ],
            **{"global": (x // max(candidate.inter, 1), *rest), "local": None},
        )
        self.process.ask("run", name)
        return np.frombuffer(result.read_bytes(), np.float32)


def measured(platform: Platform, scratch: Path, progress: Progress, factors: Sequence[int]) -> dict[str, Any]:
    """The row of a platform."""
    environment = platform.environment(scratch, Caches.OFF)
    with PlatformProcess(platform.reported, environment, _LIMIT) as process:
        return Maps(process, scratch, progress, factors).row(platform.name)


def store(rows: Sequence[dict[str, Any]], path: Path = TABLE) -> None:
    """Replace the rows of the devices in the table."""
    before = json.loads(path.read_text())["devices"] if path.exists() else []
    new = {(r["platform"], r["device"]) for r in rows}
    kept = [r for r in before if (r["platform"], r["device"]) not in new]
    lines = json.dumps({"written by": "make maps", "devices": [*rows, *kept]}, indent=1)
    path.write_text(_compact(lines) + "\n")


def _compact(text: str) -> str:
    """Gains of one way in one line."""
    made, inside = "", False
    for line in text.split("\n"):
        opens = line.strip().startswith(('"eV": {', '"iV": {', '"both": {'))
        made += line.strip() if inside else f"\n{line}" if made else line
        inside = (inside or opens) and "}" not in line
        made += " " if inside and line.endswith(",") else ""
    return made


def table(rows: Sequence[dict[str, Any]]) -> str:
    """The rows as text."""
    lines = []
    for row in rows:
        lines.append(f"{row['platform']}, {row['device']}")
        for pattern, found in row["patterns"].items():
            gains = [
                f"{way} " + " ".join(f"{factor}:{gain:.2f}" for factor, gain in found[way].items())
                for way in ("eV", "iV", "both")
                if way in found
            ]
            lines.append(f"  {pattern:<5}{found['bandwidth']:>8.2f} GB/s   {'   '.join(gains)}")
    return "\n".join(lines)


def main() -> None:
    """Measure and write the table."""
    parser = argparse.ArgumentParser(prog="make maps", description=__doc__)
    parser.add_argument("--only", default="", help="a platform: weft, intel or pocl; default: all")
    parser.add_argument(
        "--factors", default="2,4,8,16", help="the factors to measure; with others the table is not written"
    )
    given = parser.parse_args()
    factors = [int(f) for f in given.factors.split(",")]
    platforms = [p for p in find_platforms() if not given.only or p.name == given.only]
    steps = len(platforms) * sum(len(points(s)) for s in SUBJECTS.values())
    progress = Progress(len(platforms) * len(SUBJECTS), steps)
    rows = []
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="weft-maps-") as folder:
        for platform in platforms:
            rows.append(measured(platform, Path(folder), progress, factors))
            if factors == list(_FACTORS):
                store(rows)
    progress.clear()
    print(table(rows))
    print(f"{time.monotonic() - started:.0f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
