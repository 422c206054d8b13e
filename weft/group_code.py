"""The machine code of work-group functions: compiled, as bytes, and loaded.

The bytes are stored in the cache and exchanged between processes; `weft/program.py` decides which code a
launch gets.
"""

import json
import struct
from typing import TYPE_CHECKING, Protocol

from weft.abi import (
    ITEM_ROUNDING,
    Extents,
    GroupBlock,
    baseline_symbol,
    loop_records_symbol,
    tier_state_symbol,
    work_group_symbol,
)
from weft.codegen.load import CodeLoader, LoadedCode
from weft.codegen.load import load as load_code
from weft.dataclasses import dataclass, fields, replace
from weft.kernel import CodeOptions, KernelCode, LocalSize
from weft.launch_form import LaunchForm
from weft.profile import Recorded, watch
from weft.records import from_json, parse_json, to_json
from weft.target import Target

if TYPE_CHECKING:
    from weft.compiler.compile_work_group import CompiledWorkGroup

# What precedes the object code: the length of its description as JSON.
_LENGTH = struct.Struct("<Q")
# Bytes of a work-group's context arena that baseline code does not need, and optimized code may.
_ROOM = 1 << 14


class DeviceMemory(Protocol):
    """The memory of a device, as far as code and variables are put there."""

    @property
    def loader(self) -> CodeLoader | None:
        """What takes machine code there; None: it runs where the compiler's own loader puts it."""


@dataclass(frozen=True, kw_only=True)
class KernelOfDevice(KernelCode):
    """A kernel whose code is loaded by a device. Processes that compile it know it without the device."""

    loader: CodeLoader

    def __reduce__(self) -> tuple[type[KernelCode], tuple[object, ...]]:
        return KernelCode, tuple(getattr(self, field.name) for field in fields(KernelCode))


def for_processor(code: KernelCode, target: Target) -> KernelCode:
    """Return a kernel for another processor.

    Canonical IR is the same for all processors of 64 bits, little-endian, but for the data layout it names.
    """
    from weft.frontend.target import with_layout  # brings the IR, which code for this processor does without

    return replace(code, text=with_layout(code.text, target), target=target)


@dataclass(frozen=True)
class WorkGroupFunction:
    """Machine code that runs a work-group or a tile, and what it needs of its arenas.

    `loops` has for each record of a loop, at `code.data_address`, the loop's name, the strategies it was
    compiled with and its source line (docs/divergence-design.md). `requires_noalias`: it is not for launches
    with buffers that overlap. `block`: the order in which groups are best run (`analysis/group_order.py`).
    `provisional`: optimized code is to follow, and the state of the entry is at `code.data_address`. `tile`:
    what a call runs unless it is a work-group.
    """

    address: int
    local_bytes: int
    item_bytes: int
    group_bytes: int
    code: LoadedCode
    loops: tuple[Recorded, ...] = ()
    requires_noalias: bool = False
    block: GroupBlock | None = None
    provisional: bool = False
    tile: Extents | None = None

    def context_bytes(self, size: LocalSize) -> int:
        """Return the size of the context arena for so many work-items in each dimension."""
        items = size[0] * size[1] * size[2]
        return self.item_bytes * -(-items // ITEM_ROUNDING) * ITEM_ROUNDING + self.group_bytes

    def can_follow(self, first: "WorkGroupFunction") -> bool:
        """Whether it can run in the arenas of any launch that has started with `first`."""
        fits = self.item_bytes <= first.item_bytes and self.group_bytes <= first.group_bytes
        return fits and self.tile == first.tile


@dataclass(frozen=True)
class _Description:
    """What the cache holds beside object code: see WorkGroupFunction."""

    item_bytes: int
    group_bytes: int
    loops: tuple[Recorded, ...]
    requires_noalias: bool
    block: GroupBlock | None
    baseline: bool
    tile: Extents | None


def compile_function(
    code: KernelCode, options: CodeOptions, form: LaunchForm
) -> "tuple[CompiledWorkGroup, Extents | None]":
    """Return a kernel's work-group function in a form, and the tile that a call of it runs."""
    # And LLVM with it, which processes that find all code in the cache never need.
    from weft.compiler.compile_work_group import compile_work_group

    in_lanes = form.if_serial is not None
    made = compile_work_group(code, options, form, only_in_lanes=in_lanes, target=code.target)
    if made.object_code:
        return made, form.tile
    serial = replace(form, tile=form.if_serial, if_serial=None)
    return compile_work_group(code, options, serial, target=code.target), serial.tile


def compile_form(code: KernelCode, options: CodeOptions, form: LaunchForm) -> bytes:
    """Return a kernel's work-group function in a form, as bytes that `load_form` takes."""
    made, tile = compile_function(code, options, form)
    about = _Description(
        made.item_bytes,
        made.group_bytes + (_ROOM if made.baseline else 0),
        tuple((loop.name, loop.strategies, loop.line) for loop in made.loops),
        made.requires_noalias,
        made.block,
        made.baseline,
        tile,
    )
    text = json.dumps(to_json(about)).encode()
    return _LENGTH.pack(len(text)) + text + made.object_code


def prepare_baseline(options: CodeOptions) -> None:
    """Has a clang come up that makes baseline code, and waits for the first kernel."""
    from weft.codegen.backend import prepare  # and LLVM, as above
    from weft.codegen.host import host_target

    tier = options.baseline_tier()
    with prepare(host_target(), tier.level, tier.baseline):
        """It waits for the first module."""


def load_compiler() -> None:
    """Has the compiler in memory before `compile_form` needs it, with the passes of the optimized tier."""
    import weft.compiler.compile_work_group  # noqa: F401
    from weft.deferred import load_deferred

    load_deferred()


def load_form(code: KernelCode, data: bytes) -> WorkGroupFunction:
    """What `compile_form` gave, ready to run; raises an exception of some kind if the bytes are not that."""
    if isinstance(code, KernelOfDevice):
        load = code.loader.load
    else:
        load = load_code
    (length,) = _LENGTH.unpack_from(data)
    start = _LENGTH.size + length
    about = from_json(_Description, parse_json(data[_LENGTH.size : start]))
    name = code.info.name
    if about.baseline:
        loaded = load(data[start:], baseline_symbol(name), data=tier_state_symbol(name))
    else:
        records = loop_records_symbol(name) if about.loops else None
        loaded = load(data[start:], work_group_symbol(name), data=records)
        watch(name, loaded, loaded.data_address, about.loops)
    return WorkGroupFunction(
        address=loaded.address,
        local_bytes=code.local_bytes,
        item_bytes=about.item_bytes,
        group_bytes=about.group_bytes,
        code=loaded,
        loops=about.loops,
        requires_noalias=about.requires_noalias,
        block=about.block,
        provisional=about.baseline,
        tile=about.tile,
    )
