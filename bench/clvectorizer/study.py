"""The measurements as plain data, and their summary: gains, choices, goals."""

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from bench.clvectorizer.sources import NAIVE
from bench.clvectorizer.subjects import APPLICATIONS
from weft.errors import WeftError

SLACK = 1.03
"""Times that differ by less are considered equal."""


class BadStudy(WeftError):
    """A file does not contain a record of the study."""


@dataclass(frozen=True)
class Measured:
    """The best seconds of one form and the bytes that its work-items load and store, or the error."""

    seconds: float | None = None
    bytes: int = 0
    error: str = ""
    log: str = ""


@dataclass(frozen=True)
class Chosen:
    """The choice of `--auto`: the name of the form (its own if no other has the same source) and its
    reason."""

    form: str
    reason: str


@dataclass
class OnPlatform:
    """The results of one device, by kernel and form."""

    platform: str
    device: str
    version: str
    is_cpu: bool
    machine: str = ""
    scale: int = 1
    cores: int = 0
    results: dict[str, dict[str, Measured]] = field(default_factory=dict)
    chosen: dict[str, Chosen] = field(default_factory=dict)

    def seconds(self, subject: str, form: str) -> float | None:
        """Return the time of a form."""
        measured = self.results.get(subject, {}).get(form)
        return None if measured is None else measured.seconds

    def gain(self, subject: str, form: str) -> float | None:
        """Return the speed-up of a form over the naive kernel."""
        naive, seconds = self.seconds(subject, NAIVE), self.seconds(subject, form)
        return naive / seconds if naive and seconds else None

    def bandwidth(self, subject: str, form: str) -> float | None:
        """Return the bytes per second that the work-items load and store."""
        measured = self.results.get(subject, {}).get(form)
        return measured.bytes / measured.seconds if measured is not None and measured.seconds else None

    def best(self, subject: str) -> tuple[str, float] | None:
        """Return the fastest rewritten form, and its gain."""
        gains = {f: g for f in self.results.get(subject, {}) if f != NAIVE and (g := self.gain(subject, f))}
        name = max(gains, key=lambda f: gains[f], default=None)
        return None if name is None else (name, gains[name])

    def over_naive(self, subject: str) -> float | None:
        """Return the time of the choice of `--auto`, relative to the naive kernel."""
        chosen = self.chosen.get(subject)
        gain = None if chosen is None else self.gain(subject, chosen.form)
        return 1 / gain if gain else None

    def over_best(self, subject: str) -> float | None:
        """Return the time of the choice of `--auto`, relative to the fastest form including the naive
        kernel."""
        over, best = self.over_naive(subject), self.best(subject)
        return None if over is None or best is None else over * max(best[1], 1.0)

    def wrong(self) -> list[tuple[str, str, str]]:
        """Return kernel, form and error of all failures."""
        return [
            (subject, form, measured.error)
            for subject, forms in self.results.items()
            for form, measured in forms.items()
            if measured.error
        ]

    def count(self) -> int:
        """Return the number of forms that ran."""
        return sum(len(forms) for forms in self.results.values())

    def warnings(self) -> list[tuple[str, str, str]]:
        """Return kernel, form and log of rewritten forms whose build had warnings that the naive kernel's had
        not."""
        return [
            (subject, form, measured.log)
            for subject, forms in self.results.items()
            for form, measured in forms.items()
            if form != NAIVE and "warning" in measured.log.lower()
        ]


@dataclass
class Study:
    """All platforms by name, and the refused forms by kernel."""

    platforms: dict[str, OnPlatform] = field(default_factory=dict)
    refused: dict[str, dict[str, str]] = field(default_factory=dict)

    def verdicts(self) -> list[tuple[str, str, bool]]:
        """Return the goals, the findings, and whether they are met."""
        verdicts = []
        for name, platform in self.platforms.items():
            wrong, total = platform.wrong(), platform.count()
            text = f"{total - len(wrong)} of {total}"
            verdicts.append((f"{name}: all forms of all kernels give numpy's results", text, not wrong))
            noisy = platform.warnings()
            text = ", ".join(f"{s} {f}" for s, f, _ in noisy) or "none"
            verdicts.append((f"{name}: rewriting adds no warnings of the compiler", text, not noisy))
        ratios = [
            (ratio, subject.short, name)
            for name, platform in self.platforms.items()
            for subject in APPLICATIONS
            if (ratio := platform.over_naive(subject.name)) is not None
        ]
        if ratios:
            worst, kernel, name = max(ratios)
            what = f"`--auto` takes at most {SLACK} of the naive kernel's time on each kernel and platform"
            verdicts.append((what, f"worst {worst:.2f} ({kernel} on {name})", worst <= SLACK))
        pocl = self.platforms.get("pocl")
        shares = [r for s in APPLICATIONS if pocl and (r := pocl.over_best(s.name)) is not None]
        if shares:
            within = sum(r <= SLACK for r in shares)
            what = "on pocl, `--auto` is as fast as the best single choice on 3 of 4 applications"
            verdicts.append((what, f"{within} of {len(shares)}, within {SLACK - 1:.0%}", within >= 3))
        return verdicts

    def merge(self, name: str, results: OnPlatform) -> None:
        """Add the results of another machine."""
        self.platforms[name] = results


def mean(values: Iterable[float | None]) -> float | None:
    """Return the geometric mean of the available values."""
    logs = [math.log(v) for v in values if v]
    return math.exp(sum(logs) / len(logs)) if logs else None


def on_platform(fields: Mapping[str, Any], machine: str = "") -> OnPlatform:
    """Read the record of a worker."""
    try:
        results = {
            subject: {form: Measured(**entry) for form, entry in forms.items()}
            for subject, forms in fields["results"].items()
        }
        chosen = {subject: Chosen(**entry) for subject, entry in fields.get("chosen", {}).items()}
        return OnPlatform(
            platform=fields["platform"],
            device=fields["device"],
            version=fields["version"],
            is_cpu=fields["is_cpu"],
            machine=machine or fields.get("machine", ""),
            scale=fields["scale"],
            cores=fields["cores"],
            results=results,
            chosen=chosen,
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise BadStudy(f"not a record of measured kernels: {error!r}") from None


def load(path: Path) -> Study:
    """Read a study from a file; raise BadStudy if it does not contain one."""
    try:
        fields = json.loads(path.read_text())
        platforms = {name: on_platform(entry) for name, entry in fields["platforms"].items()}
        return Study(platforms, fields["refused"])
    except (ValueError, KeyError, TypeError, AttributeError, BadStudy) as error:
        raise BadStudy(f"{path}: holds no record of the study: {error}") from None


def save(study: Study, path: Path) -> None:
    """Write a record."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(asdict(study), indent=1, ensure_ascii=False) + "\n")
