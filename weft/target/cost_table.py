"""The cost table of a microarchitecture: the inputs of the cost model, as data.

A file of `weft/target/costs` has a row for each field of `Costs`: the value and its source. Rows that `make
calibrate` measures say so; other rows were tuned on kernels, which they name. The unit of costs is the time
of a simple operation (an addition) on one vector register.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any

from weft.dataclasses import dataclass, fields

FOLDER = Path(__file__).parent / "costs"


@dataclass(frozen=True)
class Costs:
    """The inputs of the cost model for a processor; `weft/target/costs` gives the source of each number."""

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
    overlap: float

    # Decisions of the vectorizer.
    worth_lanes: float
    worth_variant: float
    lanes_win: float
    serial_wins: float
    crowded_share: float
    loop_trips: int
    temporaries: int
    interleaved_lanes: int
    tested_indices: int

    # Memory and loops: interchange of loops, and the order of groups.
    cache_line: int
    carried_bytes: int
    group_line: int
    group_page: int
    group_block: int


@dataclass(frozen=True)
class Row:
    """A row of a table; `calibrated` is what `make calibrate` measured, if it did."""

    value: float
    unit: str
    source: str
    calibrated: float | None = None


def cost_rows(processor: str) -> dict[str, Row]:
    """Return the rows of a table by name; raise ValueError unless they are the fields of `Costs`."""
    table = json.loads((FOLDER / f"{processor}.json").read_text())
    rows = {name: Row(**row) for name, row in table["rows"].items()}
    names = {field.name for field in fields(Costs)} - {"processor"}
    if rows.keys() != names:
        raise ValueError(f"costs of {processor}: rows that differ: {sorted(rows.keys() ^ names)}")
    return rows


@cache
def load_costs(processor: str) -> Costs:
    """Return the table of a microarchitecture, given the name of its file."""
    values: dict[str, Any] = {name: row.value for name, row in cost_rows(processor).items()}
    return Costs(processor, **values)


def costs_of(cpu: str, otherwise: str) -> Costs:
    """Return the table of a processor, or that of `otherwise` if it has none."""
    return load_costs(cpu if (FOLDER / f"{cpu}.json").is_file() else otherwise)
