"""The device table: the gain of vectors by memory access pattern, measured by `make maps`.

`devices.json` has a row for each measured device. A pattern has the bandwidth of the original kernel, and the
gain in bandwidth for each method (eV, iV, both) and factor. In addition to the five patterns of CLVectorizer,
section 3, there are two more: `RS` is a row per work-item (adjacent work-items are a row apart), which a
transposed column access becomes, and `math` is a call of a math function. Each has the gains with ids of type
`int` and, if measured, of type `size_t`: some compilers recognize consecutive accesses with only one of them,
so a kernel gains from vectors only with the other.

A device without a row uses `DEFAULT`.
"""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from weft.dataclasses import dataclass, field
from weft.source.patterns import BS, CS, NS, RF, SS

TABLE = Path(__file__).with_name("devices.json")
RS, MATH = "RS", "math"
WIDE = "size_t"
"""The other type of ids."""
ROWS = (SS, RF, CS, BS, NS, RS, MATH)


@dataclass(frozen=True)
class Candidate:
    """A rewrite of a kernel: factors of eV and iV (0: unused); `layout`: buffers have another layout."""

    inter: int = 0
    intra: int = 0
    layout: bool = False

    @property
    def method(self) -> str:
        """`eV`, `iV`, `both`, or empty for the original kernel."""
        return "both" if self.inter and self.intra else "eV" if self.inter else "iV" if self.intra else ""

    def __str__(self) -> str:
        parts = ["layout"] * self.layout
        parts += [f"eV {self.inter}"] * bool(self.inter) + [f"iV {self.intra}"] * bool(self.intra)
        return " + ".join(parts) or "as it is"


NAIVE = Candidate()


@dataclass(frozen=True)
class Row:
    """The measurement of a pattern: GB/s of the original kernel, and the gain of each method and factor.

    `wide` holds the gains with ids of type `size_t`.
    """

    bandwidth: float
    gains: Mapping[Candidate, float]
    wide: Mapping[Candidate, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Device:
    """A row of the table. `name` is short (`pocl`); `platform` and `device` are reported by the driver."""

    name: str
    platform: str
    device: str
    measured: str
    rows: Mapping[str, Row]

    def __str__(self) -> str:
        return f"{self.platform}, {self.device}" if self.device else self.platform

    def time(self, pattern: str, candidate: Candidate, looped: bool, least: bool = False) -> float | None:
        """Return the time of a byte, in nanoseconds; None if the candidate was not measured for the pattern.

        `looped`: the access is in a loop, which iV changes. `least`: use the smallest gain of all types of
        ids.
        """
        row = self.rows.get(pattern)
        if row is None:
            return None
        gains = row.gains
        if least:
            gains = {c: min(gain, row.wide.get(c, gain)) for c, gain in gains.items()}
        if not looped:
            candidate = Candidate(candidate.inter)
        gain = 1.0 if candidate == NAIVE else gains.get(candidate)
        if gain is None and pattern == MATH:
            # a vector call costs the same in either method
            gain = gains.get(Candidate(max(candidate.inter, candidate.intra)))
        elif gain is None and not any(c.intra for c in gains):  # the pattern has no loop
            gain = gains.get(Candidate(candidate.inter)) if candidate.inter else 1.0
        return None if gain is None else 1.0 / (row.bandwidth * gain)


def _least(gains: Mapping[str, float]) -> Mapping[str, Row]:
    return {pattern: Row(1.0, {Candidate(4): gain}) for pattern, gain in gains.items()}


# For a device without measurements: the smallest gain of the paper's three devices (Table 1), for its only
# factor.
DEFAULT = Device(
    "default",
    "a device without a row",
    "",
    "the smallest gains of the paper's devices",
    _least({SS: 1.27, RF: 2.62, CS: 0.97, BS: 1.13, NS: 0.81, RS: 0.97, MATH: 1.0}),
)


def find(platform: str) -> tuple[Device, str]:
    """Return the row for a platform, by short name or part of its reported name, and how well it fits."""
    wanted = platform.lower()
    rows = [d for d in devices() if wanted == d.name or wanted in d.platform.lower()]
    if not rows:
        return DEFAULT, f"no row for {platform!r}: using the default; `make maps` on that platform adds a row"
    here = _processor()
    for row in rows:
        if here and here in row.device:
            return row, f"measured {row.measured}"
    return rows[0], f"measured {rows[0].measured} on another processor"


@cache
def devices() -> tuple[Device, ...]:
    """Return the rows of the table."""
    return tuple(_device(row) for row in json.loads(TABLE.read_text())["devices"])


def _device(row: Mapping[str, Any]) -> Device:
    patterns = {}
    for pattern, measured in row["patterns"].items():
        patterns[pattern] = Row(measured["bandwidth"], _gains(measured), _gains(measured.get(WIDE, {})))
    return Device(row["name"], row["platform"], row["device"], row["measured"], patterns)


def _gains(measured: Mapping[str, Any]) -> dict[Candidate, float]:
    gains = {}
    for method in ("eV", "iV", "both"):
        for factor, gain in measured.get(method, {}).items():
            inter, intra = int(factor) * (method != "iV"), int(factor) * (method != "eV")
            gains[Candidate(inter, intra)] = gain
    return gains


@cache
def _processor() -> str:
    """Return the name of this machine's processor, as drivers report it; empty if unknown."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return ""
    return next(
        (" ".join(line.partition(":")[2].split()) for line in lines if line.startswith("model name")), ""
    )
