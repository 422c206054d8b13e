"""The report on a program as plain data, which `weft explain` prints, draws and writes as JSON.

Barriers are numbered in source order, parallel regions as in the IR (`region.2.x` is a loop of region 2).
"""

from typing import Any

from weft.dataclasses import asdict, dataclass, field, replace
from weft.ir.debug import Location
from weft.kernel import LocalSize
from weft.remarks import Remark

# Incremented when a member of the JSON report is renamed or removed.
JSON_VERSION = 2


@dataclass(frozen=True)
class Barrier:
    """A barrier; `why` explains it.

    `kind` is entry, exit, written, decision, interchange, group, merge or gather.
    """

    number: int
    kind: str
    place: Location | None
    why: str


@dataclass(frozen=True)
class Choice:
    """How the work-items of a region run, and why.

    `kind` is lanes (`lanes` work-items at once, by Weft's vectorizer), llvm (left to LLVM's vectorizer) or
    serial. The costs are the cost model's estimates for as many work-items as there would be lanes; None if
    it was not used.
    """

    kind: str
    lanes: int = 1
    reason: str = ""
    cost_in_lanes: float | None = None
    cost_one_by_one: float | None = None

    def __str__(self) -> str:
        words = {
            "lanes": f"{self.lanes} lanes",
            "llvm": "left to LLVM",
            "serial": "one work-item after the other",
        }
        text = words[self.kind] + (f": {self.reason}" if self.reason else "")
        if self.cost_in_lanes is None or self.cost_one_by_one is None:
            return text
        return f"{text} (cost {self.cost_in_lanes:.0f} in lanes, {self.cost_one_by_one:.0f} one by one)"


@dataclass(frozen=True)
class Region:
    """A parallel region: the code from one barrier to the next ones, run for all work-items.

    `kind` is loops, first (only the first work-item does something) or empty. `replicated` are the blocks
    that other regions also contain. `lanes` is the number of work-items that LLVM runs at once, if requested.
    `choice` is Weft's choice for the work-item loops, None if there are none. `interchanged` is the location
    of the kernel's loop around the region. `bounds` are guards that became bounds of the work-item loops.
    `split`: the other work-items run in loops of their own.
    """

    number: int
    start: int
    ends: tuple[int, ...]
    kind: str
    lines: tuple[tuple[int, int], ...]
    instructions: int
    blocks: tuple[str, ...]
    replicated: tuple[str, ...]
    lanes: int | None = None
    choice: Choice | None = None
    interchanged: Location | None = None
    bounds: tuple[str, ...] = ()
    split: bool = False

    @property
    def remarks(self) -> tuple[str, ...]:
        """Remarks on the work-item loops."""
        result = ["the first work-item only"] if self.kind == "first" else []
        if self.bounds:
            where = " && ".join(self.bounds)
            result.append(
                f"split loops: one where {where}, others elsewhere"
                if self.split
                else f"loops only where {where}"
            )
        if self.interchanged is not None:
            result.append(f"interchanged with the loop at {self.interchanged}")
        if self.choice is not None:
            result.append(str(self.choice))
        if self.lanes is not None:
            result.append(f"LLVM: {self.lanes} lanes" if self.lanes > 1 else "LLVM: not vectorized")
        return tuple(result)


@dataclass(frozen=True)
class Tail:
    """Blocks reachable from several barriers, which are copied to several regions."""

    regions: tuple[int, ...]
    blocks: tuple[str, ...]
    lines: tuple[tuple[int, int], ...]
    instructions: int


@dataclass(frozen=True)
class Variable:
    """A value that is live across regions: `kept` is recomputed, uniform or context; bytes per work-item."""

    name: str
    type: str
    kept: str
    bytes: int
    place: Location | None
    reason: str
    computed_in: tuple[int, ...]
    used_in: tuple[int, ...]


@dataclass(frozen=True)
class PrivateMemory:
    """Private memory: `kept` is shared (one copy, used by one work-item after the other) or context (one copy
    each)."""

    name: str
    type: str
    kept: str
    bytes: int
    place: Location | None
    reason: str


@dataclass(frozen=True)
class Promotion:
    """A location that a loop stores to: `kept` is register or memory."""

    place: Location | None
    kept: str
    reason: str


@dataclass(frozen=True)
class Loop:
    """A loop of the kernel: `verdict` is interchanged, barrier (it contains one), inside or unrolled."""

    place: Location | None
    last_line: int
    depth: int
    verdict: str
    reason: str


@dataclass(frozen=True)
class Access:
    """An access to memory: its operation, its object, and how addresses differ between work-items.

    `shape` is uniform, consecutive, strided or varying, with more information in `detail`. `how` describes
    the code for several work-items at once; `times` is the number of copies from unrolling. `proved` is what
    is proved about varying addresses, possibly with a condition: `consecutive if n % 8 == 0`.
    """

    place: Location | None
    kind: str
    type: str
    bytes: int
    space: str
    object: str
    shape: str
    detail: str
    regions: tuple[int, ...]
    how: str = ""
    times: int = 1
    proved: str = ""


@dataclass(frozen=True)
class Branch:
    """A conditional branch: `kind` is loop, if or switch; `reason` is the origin of divergence.

    `barriers_differ`: the next barrier depends on the branch, so work-items should agree on it.
    """

    place: Location | None
    kind: str
    divergent: bool
    decides: bool
    reason: str
    barriers_differ: bool = False


@dataclass(frozen=True)
class Node:
    """A block in a drawing: its instructions, source lines, regions, and its barrier if it is one."""

    name: str
    text: tuple[str, ...]
    lines: tuple[int, ...]
    regions: tuple[int, ...]
    barrier: str = ""
    divergent: bool = False


@dataclass(frozen=True)
class Edge:
    """An edge between blocks, by index; `label` is its condition (true, false, a case)."""

    source: int
    target: int
    label: str = ""


@dataclass(frozen=True)
class Graph:
    """A control flow graph; the entry is the first node."""

    title: str
    about: str
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]


@dataclass(frozen=True)
class Tile:
    """The part of a range that one call runs if work-items share nothing, independent of work-groups.

    `passed_over` are other tiles, and why they do not suit the kernel.
    """

    size: LocalSize
    global_size: LocalSize
    assumed: bool
    passed_over: tuple[str, ...] = ()


@dataclass(frozen=True)
class Kernel:
    """Everything about one kernel; with an `error`, all else is unknown.

    With a `tile`, the local size affects only what work-items query. `vectors` describes the code for values
    of OpenCL's vector types that differ between work-items; `sub_groups`, that of sub-group functions, if
    any. `block`: the number of groups (or tiles) along x and along y that run before those next to them;
    None: row by row.
    """

    name: str
    signature: str
    local_size: LocalSize | None
    local_size_source: str
    error: str = ""
    method: str = ""
    tile: Tile | None = None
    vectors: str = ""
    sub_groups: str = ""
    block: tuple[int, int] | None = None
    notes: tuple[str, ...] = ()
    local_bytes: int = 0
    item_bytes: int = 0
    context_bytes: int | None = None  # of a group; None if the local size is not fixed
    barriers: tuple[Barrier, ...] = ()
    regions: tuple[Region, ...] = ()
    tails: tuple[Tail, ...] = ()
    variables: tuple[Variable, ...] = ()
    memory: tuple[PrivateMemory, ...] = ()
    loops: tuple[Loop, ...] = ()
    promotions: tuple[Promotion, ...] = ()
    accesses: tuple[Access, ...] = ()
    branches: tuple[Branch, ...] = ()
    graphs: tuple[Graph, ...] = ()
    remarks: tuple[Remark, ...] = ()


@dataclass(frozen=True)
class Report:
    """The report on a program; with an `error`, it could not be built."""

    file: str
    options: str
    source: str
    log: str = ""
    error: str = ""
    kernels: tuple[Kernel, ...] = field(default_factory=tuple)

    @property
    def failed(self) -> bool:
        """Whether the program or a kernel was refused."""
        return bool(self.error) or any(k.error for k in self.kernels)

    def to_json(self) -> dict[str, Any]:
        """Return the report in the form that `json.dumps` takes."""
        kernels = [
            {**asdict(replace(kernel, remarks=())), "remarks": [r.to_json() for r in kernel.remarks]}
            for kernel in self.kernels
        ]
        return {**asdict(replace(self, kernels=())), "version": JSON_VERSION, "kernels": kernels}
