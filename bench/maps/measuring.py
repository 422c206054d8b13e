"""Measures the kernels of a bundle on one platform. Imports only modules that a machine without Weft has."""

import datetime
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from bench.maps.subjects import IDS, N, Subject, subjects
from weft.source.devices import ROWS, WIDE, Candidate
from weft.source.results import difference
from weft.source.worker_process import CandidateFailed, PlatformProcess

# Pattern -> type of ids -> candidate as text -> program, or the reason why there is none.
Bundle = Mapping[str, Mapping[str, Mapping[str, str]]]
REFUSED = "refused: "
_SECONDS = 0.015
_ROUNDS = 7


@contextmanager
def on_cores(count: int) -> Iterator[None]:
    """Make processes that are started within the context use `count` cores, 0 for all."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(before)[:count] if count else before)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


class Maps:
    """Measures one platform; `begin` and `step` report the progress."""

    def __init__(
        self,
        process: PlatformProcess,
        bundle: Bundle,
        scratch: Path,
        scale: int = 1,
        begin: Callable[[str], None] = lambda label: None,
        step: Callable[[], None] = lambda: None,
    ) -> None:
        self.process, self.bundle, self.scratch = process, bundle, scratch
        self.subjects = subjects(scale)
        self.begin, self.step = begin, step
        self.failed: list[str] = []
        """Candidates without a gain, with the reason."""

    def row(self, name: str) -> dict[str, Any]:
        """Return the device's row of the table."""
        greeting = self.process.greeting
        return {
            "name": name,
            "platform": greeting["platform"],
            "device": greeting["device"],
            "version": greeting["version"],
            "units": greeting["units"],
            "measured": datetime.date.today().isoformat(),
            "patterns": {pattern: self._pattern(name, pattern) for pattern in ROWS if pattern in self.bundle},
        }

    def _pattern(self, platform: str, pattern: str) -> dict[str, Any]:
        subject = self.subjects[pattern]
        self.begin(f"{platform}: {pattern}")
        self.scratch.joinpath("a").write_bytes(
            np.random.default_rng(1).random(subject.read, np.float32).tobytes()
        )
        self.scratch.joinpath("c").write_bytes(bytes(4 * subject.written))
        entry: dict[str, Any] = {"bandwidth": 0.0}
        for ids in IDS:
            gains, best = self._gains(platform, pattern, ids)
            if ids == WIDE:
                entry[WIDE] = gains
            else:
                entry |= gains
                entry["bandwidth"] = round(4e-9 * subject.accesses / best, 2)
        return entry

    def _gains(self, platform: str, pattern: str, ids: str) -> tuple[dict[str, Any], float]:
        """Return the gains of candidates with a type of ids, and the best time of the original kernel."""
        subject = self.subjects[pattern]
        expected = self._open("naive", subject, Candidate(), subject.text(ids))
        best = float(self.process.ask("warm", "naive", seconds=_SECONDS)["seconds"])
        gains: dict[str, Any] = {}
        texts = self.bundle[pattern][ids]
        for candidate in (c for c in subject.points() if str(c) in texts):
            text = texts[str(candidate)]
            try:
                if text.startswith(REFUSED):
                    raise CandidateFailed(text.removeprefix(REFUSED))
                gain, seconds = self._gain(subject, candidate, text, expected)
                factor = str(max(candidate.inter, candidate.intra))
                gains.setdefault(candidate.method, {})[factor] = round(gain, 2)
                best = min(best, seconds)
            except CandidateFailed as error:
                self.failed.append(f"{platform}, {pattern} with {ids} ids, {candidate}: {error}")
            self.step()
        self.process.ask("close", "naive")
        return gains, best

    def _gain(
        self, subject: Subject, candidate: Candidate, text: str, expected: np.ndarray
    ) -> tuple[float, float]:
        """Return the speed-up of a candidate, and the best time of the original kernel in the same period.

        They run in turn, and the best of each counts: disturbances only make a sample longer.
        """
        wrong = difference(expected, self._open("candidate", subject, candidate, text))
        if wrong:
            raise CandidateFailed(f"wrong result, {wrong}")
        self.process.ask("warm", "candidate", seconds=_SECONDS)
        best = {"naive": float("inf"), "candidate": float("inf")}
        for _ in range(_ROUNDS):
            for name in best:
                best[name] = min(best[name], self.process.ask("sample", name, seconds=_SECONDS)["seconds"])
        self.process.ask("close", "candidate")
        return best["naive"] / best["candidate"], best["naive"]

    def _open(self, name: str, subject: Subject, candidate: Candidate, text: str) -> np.ndarray:
        """Open a kernel, run it once and return its result."""
        result = self.scratch / "c.result"
        x, *rest = subject.range
        self.process.ask(
            "open",
            name,
            source=text,
            options="",
            kernel="k",
            arguments=[
                {"buffer": str(self.scratch / "a"), "result": None},
                {"buffer": str(self.scratch / "c"), "result": str(result)},
                {"scalar": np.array([N], np.int32).tobytes().hex()},
            ],
            processor_time=True,
            **{"global": (x // max(candidate.inter, 1), *rest), "local": None},
        )
        self.process.ask("run", name)
        return np.frombuffer(result.read_bytes(), np.float32)
