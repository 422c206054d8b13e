"""Machine code that runs work-groups, from a kernel to memory: compiled, as bytes, loaded.

The bytes are what the cache holds and what another process can be asked for; `weft/program.py` decides which
code a launch gets.
"""

import json
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING

from weft.abi import (
    ITEM_ROUNDING,
    Extents,
    GroupBlock,
    first_tier_symbol,
    loop_records_symbol,
    tier_state_symbol,
    work_group_symbol,
)
from weft.errors import UnsuitableTile
from weft.kernel import CodeOptions, KernelCode, LocalSize
from weft.profile import Recorded, watch

if TYPE_CHECKING:
    from weft.codegen.jit import LoadedCode

KnownArguments = tuple[tuple[int, ...], ...]

# What precedes the object code: bytes of context arena per work-item and per work-group, and of the text
# that says what the records of loops are about; whether buffers must not overlap; whether better code is to
# follow; the blocks in which groups are run, 0 for rows.
_HEAD = struct.Struct("<QQQ??HH")
# What stands in place of code for tiles that do not suit a kernel.
UNSUITABLE = b"unsuitable"
# Bytes of a work-group's context arena that first code does not need, and the code that follows it may.
_ROOM = 1 << 14


@dataclass(frozen=True)
class Form:
    """What the code of a work-group function counts on: as `compile_work_group` takes it."""

    local_size: LocalSize | None
    wide: bool
    known: KnownArguments = ()
    tile: Extents | None = None
    apart: bool = False


@dataclass(frozen=True)
class WorkGroupFunction:
    """Machine code that runs a work-group or a tile, and what it needs of its arenas.

    `loops` has for each record of a loop, at `code.data_address`, the loop's name, the ways it was
    compiled in and its source line (docs/divergence-design.md). `counts_on_apart`: it is not for launches
    with buffers that overlap. `block`: the order in which groups are best run (`analysis/group_order.py`).
    `first`: better code is to follow, and its state (`TIER_BETTER`) is at `code.data_address`.
    """

    address: int
    local_bytes: int
    item_bytes: int
    group_bytes: int
    code: "LoadedCode"
    loops: tuple[Recorded, ...] = ()
    counts_on_apart: bool = False
    block: GroupBlock | None = None
    first: bool = False

    def context_bytes(self, size: LocalSize) -> int:
        """The context arena's bytes for so many work-items in each dimension."""
        items = size[0] * size[1] * size[2]
        return self.item_bytes * -(-items // ITEM_ROUNDING) * ITEM_ROUNDING + self.group_bytes

    def can_follow(self, first: "WorkGroupFunction") -> bool:
        """Whether it can run in the arenas of any launch that has started with `first`."""
        return self.item_bytes <= first.item_bytes and self.group_bytes <= first.group_bytes


def compile_form(code: KernelCode, options: CodeOptions, form: Form) -> bytes:
    """A kernel's work-group function in a form, or UNSUITABLE."""
    from weft import compiler  # and LLVM with it, which processes that find all code in the cache never need

    try:
        made = compiler.compile_work_group(
            code,
            options,
            form.local_size,
            form.wide,
            known=form.known,
            tile=form.tile,
            insist=False,
            apart=form.apart,
        )
    except UnsuitableTile:
        return UNSUITABLE
    about = json.dumps([(loop.name, loop.ways, loop.line) for loop in made.loops]).encode()
    room = _ROOM if made.first else 0
    sizes = made.item_bytes, made.group_bytes + room, len(about)
    head = _HEAD.pack(*sizes, made.counts_on_apart, made.first, *(made.block or (0, 0)))
    return head + about + made.object_code


def load_compiler() -> None:
    """Has the compiler in memory before `compile_form` needs it."""
    from weft import compiler  # noqa: F401


def load_form(code: KernelCode, data: bytes) -> WorkGroupFunction | None:
    """What `compile_form` gave, ready to run; None for UNSUITABLE."""
    from weft.codegen import jit  # LLVM: see above

    if data == UNSUITABLE:
        return None
    item_bytes, group_bytes, length, apart, first, *block = _HEAD.unpack_from(data)
    start = _HEAD.size + length
    about = json.loads(data[_HEAD.size : start])
    loops = tuple((name, tuple(ways), line) for name, ways, line in about)
    name = code.info.name
    if first:
        loaded = jit.load(data[start:], first_tier_symbol(name), data=tier_state_symbol(name))
    else:
        records = loop_records_symbol(name) if loops else None
        loaded = jit.load(data[start:], work_group_symbol(name), data=records)
        watch(name, loaded, loaded.data_address, loops)
    order = (block[0], block[1]) if block[0] else None
    return WorkGroupFunction(
        loaded.address, code.local_bytes, item_bytes, group_bytes, loaded, loops, apart, order, first
    )
