"""Measures the kernels of a bundle on one platform. Imports nothing that a bare machine lacks."""

import datetime
from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from bench.maps.subjects import N, Subject, subjects
from weft.source.devices import ROWS, Candidate
from weft.source.results import difference
from weft.source.worker_process import CandidateFailed, PlatformProcess

# Pattern -> candidate, as text -> program, or why there is none.
Bundle = Mapping[str, Mapping[str, str]]
REFUSED = "refused: "
_SECONDS = 0.015
_ROUNDS = 7


class Maps:
    """Measures one platform; `begin` and `step` are told how far it is."""

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
        """Candidates that have no gain, with the reason."""

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
        subject = self.subjects[pattern]
        self.begin(f"{platform}: {pattern}")
        self.scratch.joinpath("a").write_bytes(
            np.random.default_rng(1).random(subject.read, np.float32).tobytes()
        )
        self.scratch.joinpath("c").write_bytes(bytes(4 * subject.written))
        expected = self._open("naive", subject, Candidate(), subject.text)
        found: dict[str, Any] = {"bandwidth": 0.0}
        best = float(self.process.ask("warm", "naive", seconds=_SECONDS)["seconds"])
        for candidate in subject.points():
            text = self.bundle[pattern].get(str(candidate), f"{REFUSED}not in the bundle")
            try:
                if text.startswith(REFUSED):
                    raise CandidateFailed(text.removeprefix(REFUSED))
                gain, seconds = self._gain(subject, candidate, text, expected)
                factor = str(max(candidate.inter, candidate.intra))
                found.setdefault(candidate.way, {})[factor] = round(gain, 2)
                best = min(best, seconds)
            except CandidateFailed as error:
                self.failed.append(f"{platform}, {pattern}, {candidate}: {error}")
            self.step()
        found["bandwidth"] = round(4e-9 * subject.accesses / best, 2)
        self.process.ask("close", "naive")
        return found

    def _gain(
        self, subject: Subject, candidate: Candidate, text: str, expected: np.ndarray
    ) -> tuple[float, float]:
        """By how much a candidate is faster, and the best time of the kernel as written meanwhile."""
        wrong = difference(expected, self._open("candidate", subject, candidate, text))
        if wrong:
            raise CandidateFailed(f"wrong result, {wrong}")
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
            **{"global": (x // max(candidate.inter, 1), *rest), "local": None},
        )
        self.process.ask("run", name)
        return np.frombuffer(result.read_bytes(), np.float32)
