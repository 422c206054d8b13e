"""The machine code of work-group functions: compiling it, its form as bytes, and loading it.

The bytes are stored in the cache and exchanged between processes. `weft/program.py` decides which code a
launch runs.
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
from weft.garbage import rare_collections
from weft.kernel import CodeOptions, KernelCode, LocalSize
from weft.launch_form import LaunchForm
from weft.locks import loading
from weft.profile import Recorded, watch
from weft.records import from_json, parse_json, to_json
from weft.target import Target

if TYPE_CHECKING:
    from weft.compiler.compile_work_group import CompiledWorkGroup

# The head of the bytes: the length of the description, which is JSON and precedes the object code.
_LENGTH = struct.Struct("<Q")
# Bytes of the context arena reserved for optimized code, in addition to what baseline code needs.
_ROOM = 1 << 14


class DeviceMemory(Protocol):
    """The interface of a device's memory for code and variables."""

    @property
    def loader(self) -> CodeLoader | None:
        """Loads machine code; None: the compiler's loader does."""


@dataclass(frozen=True, kw_only=True)
class KernelOfDevice(KernelCode):
    """A kernel whose code is loaded by a device. Processes that compile it do not know the device."""

    loader: CodeLoader

    def __reduce__(self) -> tuple[type[KernelCode], tuple[object, ...]]:
        return KernelCode, tuple(getattr(self, field.name) for field in fields(KernelCode))


def for_processor(code: KernelCode, target: Target) -> KernelCode:
    """Return a kernel for another processor.

    Canonical IR is the same for all 64-bit little-endian processors, except for the data layout.
    """
    from weft.frontend.target import with_layout  # imports the IR; only for other processors

    return replace(code, text=with_layout(code.text, target), target=target)


@dataclass(frozen=True)
class WorkGroupFunction:
    """Machine code that runs a work-group or a tile, and the sizes of its arenas.

    `loops` has, for each loop record at `code.data_address`, the loop's name, the strategies that it was
    compiled with and its source line (docs/divergence-design.md). `requires_noalias`: the code is not for
    launches with buffers that overlap. `block`: the best order of groups (`analysis/group_order.py`).
    `provisional`: optimized code will follow, and the state of the entry is at `code.data_address`. `tile`:
    the tile that a call runs; None for a work-group.
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
        """Return the size of the context arena for work-groups or tiles of a size."""
        items = size[0] * size[1] * size[2]
        return self.item_bytes * -(-items // ITEM_ROUNDING) * ITEM_ROUNDING + self.group_bytes

    def can_follow(self, first: "WorkGroupFunction") -> bool:
        """Whether it can run in the arenas of any launch that has started in `first`."""
        fits = self.item_bytes <= first.item_bytes and self.group_bytes <= first.group_bytes
        return fits and self.tile == first.tile


@dataclass(frozen=True)
class _Description:
    """The description that the cache stores with object code: see WorkGroupFunction."""

    item_bytes: int
    group_bytes: int
    loops: tuple[Recorded, ...]
    requires_noalias: bool
    block: GroupBlock | None
    baseline: bool
    tile: Extents | None


@rare_collections()
def compile_function(
    code: KernelCode, options: CodeOptions, form: LaunchForm
) -> "tuple[CompiledWorkGroup, Extents | None]":
    """Compile a kernel's work-group function in a form; return it and the tile that a call of it runs."""
    # Imports LLVM, which processes that find all code in the cache do not need.
    with loading:
        from weft.compiler.compile_work_group import compile_work_group

    in_lanes = form.if_serial is not None
    compiled = compile_work_group(code, options, form, only_in_lanes=in_lanes, target=code.target)
    if compiled.object_code:
        return compiled, form.tile
    serial = replace(form, tile=form.if_serial, if_serial=None)
    return compile_work_group(code, options, serial, target=code.target), serial.tile


def compile_form(code: KernelCode, options: CodeOptions, form: LaunchForm) -> bytes:
    """Compile a kernel's work-group function in a form to bytes for `load_form`."""
    compiled, tile = compile_function(code, options, form)
    about = _Description(
        compiled.item_bytes,
        compiled.group_bytes + (_ROOM if compiled.baseline else 0),
        tuple((loop.name, loop.strategies, loop.line) for loop in compiled.loops),
        compiled.requires_noalias,
        compiled.block,
        compiled.baseline,
        tile,
    )
    text = json.dumps(to_json(about)).encode()
    return _LENGTH.pack(len(text)) + text + compiled.object_code


def prepare_baseline(options: CodeOptions) -> None:
    """Start a clang process for baseline code, which waits for the first kernel."""
    with loading:
        from weft.codegen.backend import prepare  # imports LLVM, as above
        from weft.codegen.host import host_target

    tier = options.baseline_tier()
    with prepare(host_target(), tier.level, tier.baseline):
        """The process waits for the first module."""


def load_compiler() -> None:
    """Import the compiler, with the passes of the optimized tier, before `compile_form` needs it."""
    import weft.compiler.compile_work_group  # noqa: F401
    from weft.deferred import load_deferred

    load_deferred()


def load_builtins() -> None:
    """Compile the built-ins that kernels often need, and keep them in memory."""
    from weft.codegen.host import host_target
    from weft.compiler.common_builtins import compile_common_builtins

    compile_common_builtins(host_target())


def load_form(code: KernelCode, data: bytes) -> WorkGroupFunction:
    """Load the result of `compile_form`; raises some exception if the bytes are not such a result."""
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
