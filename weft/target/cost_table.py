"""The cost table of a microarchitecture: what the cost model knows of a processor, as data.

A file of `weft/target/costs` has a row for each field of `Costs`: the value, and where it comes from. What
`make calibrate` measures says so; other rows were found by measuring kernels, and say which. The unit of
costs is the time of a simple operation (an addition) on one vector register.
"""

import json
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent / "costs"


@dataclass(frozen=True)
class Costs:
    """What the cost model knows of a processor; `weft/target/costs` says where each number comes from."""

    processor: str

    # Instructions, per vector register unless a row says otherwise.
    gather: float
    scatter: float
    first_touch: float
    narrow_access: float
    masked_access: float
    shuffle: float
    selection: float
    division: float
    conversions: float
    call: float
    mask: float
    lane_turn: float

    # Decisions of the vectorizer.
    worth_lanes: float
    worth_variant: float
    lanes_win: float
    serial_wins: float
    crowded_share: float
    loop_trips: int
    temporaries: int
    interleaved_lanes: int

    # Memory and loops: interchange of loops, and the order of groups.
    cache_line: int
    carried_values: int
    group_line: int
    group_page: int
    group_block: int


@cache
def load_costs(processor: str) -> Costs:
    """The table of a microarchitecture, by the name of its file."""
    rows = json.loads((FOLDER / f"{processor}.json").read_text())["rows"]
    names = {field.name for field in fields(Costs)} - {"processor"}
    if rows.keys() != names:
        raise ValueError(f"costs of {processor}: rows that differ: {sorted(rows.keys() ^ names)}")
    return Costs(processor, **{name: row["value"] for name, row in rows.items()})


def costs_of(cpu: str, otherwise: str) -> Costs:
    """The table of a processor, or of another whose costs stand for those of processors without one."""
    return load_costs(cpu if (FOLDER / f"{cpu}.json").is_file() else otherwise)
