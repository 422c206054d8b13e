"""The ways to run a kernel, which must all do the same.

The interpreter takes what the front end gives; the others take the work-group function that the compiler
makes of it: for the very local size or for any, with ids of 32 or 64 bits, by each work-group method,
optimized or not, called here group by group, or by the devices.
"""

import ctypes
import re
import struct
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import product
from math import prod
from typing import Any

import numpy as np
import pytest
from kernel_case import KernelCase, Range

from weft import abi, ir
from weft.abi import baseline_symbol, tier_state_symbol, work_group_symbol
from weft.builtins.library import link_in
from weft.codegen.binding import llvm
from weft.codegen.host import host_target
from weft.codegen.load import load as load_code
from weft.compiler.builtin_flags import builtin_flags
from weft.compiler.compile_work_group import CompiledWorkGroup, compile_work_group
from weft.compiler.pipeline import Contracts
from weft.device.argument_table import ArgumentTable, MemoryArgument
from weft.device.base import KINDS, Launch
from weft.device.base import device as device_of_kind
from weft.device.memories import DeviceFunction, HostMemory
from weft.device.residency import HOME_READ, Residency
from weft.frontend.compile import compile_source
from weft.frontend.options import parse_options
from weft.group_code import KernelOfDevice
from weft.interp.memory import Local
from weft.interp.ndrange import run_ndrange
from weft.ir.types import align_up
from weft.kernel import CodeOptions, KernelCode
from weft.launch_form import LaunchForm
from weft.program import Kernel, Program, build
from weft.trace import Trace
from weft.transform.workgroup.context_arrays import capacity
from weft.tta.errors import Refused

GUARD = 256
GARBAGE = 0xA5

_WORK_GROUP_FUNCTION = ctypes.CFUNCTYPE(
    None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, *[ctypes.c_uint64] * 3
)


class Memory:
    """Bytes at a multiple of 128 between two guards, which hold garbage; so do the bytes at first."""

    def __init__(self, nbytes: int, allocate: Callable[[int], np.ndarray] | None = None) -> None:
        size = nbytes + 2 * GUARD + 128
        whole = np.empty(size, np.uint8) if allocate is None else allocate(size)
        whole[:] = GARBAGE
        start = GUARD + -(whole.ctypes.data + GUARD) % 128
        self.before = whole[:start]
        self.data = whole[start : start + nbytes]
        self.after = whole[start + nbytes :]

    @property
    def address(self) -> int:
        return int(self.before.ctypes.data + len(self.before))

    def check(self, name: str) -> None:
        """Asserts that nobody wrote to the guards."""
        assert (self.before == GARBAGE).all(), f"a write in front of {name}"
        assert (self.after == GARBAGE).all(), f"a write behind {name}"


# The programs that were built: one way after the other takes them.
PROGRAMS: dict[tuple[str, str], Program] = {}


def built(source: str, options: str) -> Program:
    """The program, built once for all ways."""
    if (source, options) not in PROGRAMS:
        PROGRAMS[source, options] = build(source, options)
    return PROGRAMS[source, options]


@lru_cache(maxsize=8)
def built_with_calls(source: str, options: str) -> Program:
    """The program in which functions stay functions."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WEFT_INLINE", "0")
        return build(source, options)


def the_kernel(case: KernelCase, calls: bool = False) -> Kernel:
    """The kernel that a case runs; `calls`: as it is if functions stay functions."""
    kernels = (built_with_calls if calls else built)(case.source, case.options).kernels
    if case.kernel is not None:
        return kernels[case.kernel]
    (kernel,) = kernels.values()
    return kernel


_TYPES = {
    "char": "i1", "uchar": "u1", "short": "i2", "ushort": "u2", "int": "i4", "uint": "u4", "long": "i8",
    "ulong": "u8", "float": "f4", "double": "f8", "half": "f2", "bool": "u1",
}  # fmt: skip


def value_bytes(value: Any, type_name: str, size: int) -> bytes:
    """A value argument as clSetKernelArg takes it."""
    if isinstance(value, bytes):
        data = value
    elif isinstance(value, int | float):
        data = np.dtype(_TYPES[type_name]).type(value).tobytes()
    else:
        data = np.asarray(value).tobytes()
    assert len(data) <= size, f"{len(data)} bytes for an argument of {size}"
    return data.ljust(size, b"\0")


class Bound:
    """The arguments of a launch, packed for a work-group function."""

    def __init__(
        self,
        kernel: Kernel,
        arguments: Mapping[str, Any],
        allocate: Callable[[int], np.ndarray] | None = None,
    ) -> None:
        self._allocate = allocate
        assert [a.name for a in kernel.info.arguments] == list(arguments), "the file must give each argument"
        self.block = Memory(kernel.argument_bytes)
        self.buffers: dict[str, tuple[np.ndarray, Memory]] = {}
        self.local_bytes = kernel.local_bytes
        layouts = zip(kernel.arguments, kernel.info.arguments, arguments.values(), strict=True)
        for layout, described, value in layouts:
            if layout.kind == "value":
                data = value_bytes(value, described.type_name, layout.size)
            elif layout.kind == "local":
                start = align_up(self.local_bytes, abi.ARENA_ALIGNMENT)
                self.local_bytes = start + value
                data = struct.pack("<Q", start)
            else:
                data = struct.pack("<Q", self._address(described.name, value))
            self.block.data[layout.offset : layout.offset + len(data)] = np.frombuffer(data, np.uint8)

    def _address(self, name: str, value: np.ndarray | None) -> int:
        if value is None:
            return 0
        memory = Memory(value.nbytes, self._allocate)
        memory.data[:] = np.ascontiguousarray(value).reshape(-1).view(np.uint8)
        self.buffers[name] = value, memory
        return memory.address

    def results(self) -> dict[str, np.ndarray]:
        """The arrays after the launch."""
        for name, (_, memory) in self.buffers.items():
            memory.check(name)
        return {
            name: memory.data.view(array.dtype).reshape(array.shape)
            for name, (array, memory) in self.buffers.items()
        }


def _divides(tile: abi.Extents | None, launch: Range) -> bool:
    """Whether a range is made of whole tiles where their size is known."""
    sizes = zip(launch.triple(launch.global_size), tile or (), strict=False)
    return all(size is None or whole % size == 0 for whole, size in sizes)


@dataclass(frozen=True)
class CompiledWay:
    """Compiles the work-group function in one variant and calls it for each group.

    With a `tile` it is called for each tile of `tile_size` instead, if the kernel cannot tell the difference.
    Code of the `first` tier gives way to other after half of the calls.
    """

    any_size: bool = False
    wide: bool = False
    level: int = 3
    method: str = "auto"
    lanes: int = 0
    divergent: str = "auto"
    verify: bool = True  # after every pass
    tile: abi.Extents | None = None
    tile_size: tuple[int, int, int] = (1, 1, 1)
    first: bool = False
    calls: bool = False  # functions stay functions

    def run(self, case: KernelCase, launch: Range, arguments: Mapping[str, Any]) -> dict[str, np.ndarray]:
        kernel = the_kernel(case, self.calls)
        options = replace(
            kernel.options,
            level=self.level,
            method=self.method,
            lanes=self.lanes,
            divergent=self.divergent,
        )
        local_size = launch.triple(launch.local_size)
        size = None if self.any_size or launch.non_uniform else local_size
        id_bits = abi.WIDE_IDS if self.wide else launch.id_bits
        tile = (
            self.tile
            if kernel.traits.shares_nothing
            and not (kernel.traits.queries_group and (any(launch.offset) or launch.non_uniform))
            and _divides(self.tile, launch)
            else None
        )
        if tile is not None:
            local_size = self.tile_size
        # No two arrays overlap. Code for any size is made for buffers that may, as at launches.
        form = LaunchForm(
            size,
            id_bits,
            tile=tile,
            noalias=not self.any_size,
            non_uniform=launch.non_uniform and tile is None,
        )
        made = compiled(compile_work_group, kernel.code, options, form, self.verify)
        load = kernel.code.loader.load if isinstance(kernel.code, KernelOfDevice) else load_code
        loaded = load(made.object_code, work_group_symbol(kernel.name))
        function = _WORK_GROUP_FUNCTION(loaded.address)
        bound = Bound(kernel, arguments)
        before = bytes(bound.block.data)
        items = capacity(local_size[0] * local_size[1] * local_size[2])
        needed = made.item_bytes * items + made.group_bytes
        calls = list(product(*map(range, reversed(pieces(launch, local_size)))))
        if self.first:
            better = loaded
            made = compiled(compile_work_group, kernel.code, options.baseline_tier(), form, self.verify)
            symbols = baseline_symbol(kernel.name), tier_state_symbol(kernel.name)
            loaded = load(made.object_code, symbols[0], data=symbols[1])
            function = _WORK_GROUP_FUNCTION(loaded.address)
            needed = max(needed, made.item_bytes * items + made.group_bytes)
            state = ctypes.c_uint64.from_address(loaded.data_address + abi.TIER_BETTER)
        context = Memory(needed)
        local = Memory(bound.local_bytes)
        header = Memory(abi.LAUNCH_SIZE)
        header.data[:] = np.frombuffer(packed_launch(launch, local_size, bound.local_bytes), np.uint8)
        for number, (z, y, x) in enumerate(calls):
            if self.first and number == (len(calls) + 1) // 2:
                state.value = better.address
            function(header.address, bound.block.address, local.address, context.address, x, y, z)
        context.check("the context arena")
        local.check("the local arena")
        assert bytes(bound.block.data) == before, "the arguments were changed"
        return bound.results()


@lru_cache(maxsize=32)
def compiled(
    compile_work_group: Callable[..., CompiledWorkGroup],
    code: KernelCode,
    options: CodeOptions,
    form: LaunchForm,
    verify: bool,
) -> CompiledWorkGroup:
    """The code of a kernel, which launches share; who changes the compiler clears the cache."""
    name = code.info.name
    trace = Trace(name, None, "", Contracts(name) if verify else None)
    return compile_work_group(code, options, form, trace=trace)


def pieces(launch: Range, size: tuple[int, int, int]) -> tuple[int, ...]:
    """How many groups or tiles of that size a launch has in each dimension."""
    return tuple(-(-g // s) for g, s in zip(launch.triple(launch.global_size), size, strict=True))


def packed_launch(launch: Range, size: tuple[int, int, int] | None = None, local_bytes: int = 0) -> bytes:
    """The weft_launch of a launch, in groups or in tiles of a size."""
    size = size or launch.triple(launch.local_size)
    words = (
        *launch.triple(launch.global_size),
        *launch.triple(launch.offset, 0),
        *size,
        *pieces(launch, size),
    )
    return struct.pack("<12QIxxxxQ", *words, len(launch.global_size), local_bytes)


@lru_cache(maxsize=16)
def with_method(kernel: Kernel, method: str) -> Kernel:
    """The kernel for another work-group method; it keeps what was compiled, for all devices."""
    return Kernel(kernel.code, replace(kernel.options, method=method), kernel.variables)


@dataclass(frozen=True)
class DeviceWay:
    """Runs the launch on a device's queue."""

    kind: str
    method: str = "auto"

    def run(self, case: KernelCase, launch: Range, arguments: Mapping[str, Any]) -> dict[str, np.ndarray]:
        device = device_of_kind(self.kind)
        kernel = with_method(the_kernel(case), self.method)
        size = launch.triple(launch.local_size)
        if prod(size) > device.info.max_work_group_size:
            raise Refused(
                f"the device {self.kind} cannot compute with work-groups of {prod(size)} work-items"
            )
        function: DeviceFunction
        if device.memory.compiler is not None:
            if launch.non_uniform:
                raise Refused(f"the device {self.kind} has no work-groups of different sizes")
            function = kernel.compiled_by(device.memory.compiler, size, launch.id_bits)
            context = 0
        else:
            kernel = kernel.on(device.memory)
            function = code = kernel.work_group_function(
                None if launch.non_uniform else size,
                launch.id_bits,
                non_uniform=launch.non_uniform,
            )
            context = code.context_bytes(size)
        taken: dict[int, int] = {}
        copies = device.memory.copies
        home = device.memory if copies is None else HostMemory()

        def allocate(nbytes: int) -> np.ndarray:
            place = home.allocate(nbytes, 128)
            taken[place] = nbytes
            return np.frombuffer((ctypes.c_uint8 * nbytes).from_address(place), np.uint8)

        bound = Bound(kernel, arguments, allocate)
        device.memory.reserve_arenas(bound.local_bytes, context)
        queue, residency = device.new_queue(), Residency()
        for place, nbytes in taken.items():
            residency.add(place, nbytes)
        tracked = None if copies is None else queue.track(residency, copies)
        command = queue.ndrange(
            function.address,
            Launch(launch.global_size, launch.local_size, launch.offset, clipped=launch.non_uniform),
            bytes(bound.block.data) if tracked is None else with_table(kernel, bound),
            bound.local_bytes,
            context,
        )
        if tracked is not None:
            for place, nbytes in taken.items():
                queue.migrate(place, nbytes, HOME_READ)
        queue.finish()
        assert command.status == 0
        found = {name: array.copy() for name, array in bound.results().items()}
        for place, nbytes in taken.items():
            residency.remove(place, nbytes)
            home.free(place)
        return found


def with_table(kernel: Kernel, bound: Bound) -> bytes:
    """The argument block of a launch on a device that works on copies, of buffers with their guards."""
    table = ArgumentTable(kernel.argument_bytes, len(kernel.arguments))
    table.block[: kernel.argument_bytes] = bytes(bound.block.data)
    for index, layout in enumerate(kernel.arguments):
        if layout.kind in ("global", "constant"):
            (address,) = struct.unpack_from("<Q", table.block, layout.offset)
            table.set(index, MemoryArgument(layout.offset, address, None, writes=True) if address else None)
    return bytes(table.block)


@cache
def linked(source: str, options: str) -> str:
    """The front end's module with the built-ins that its kernels call."""
    kernels = built(source, options).kernels
    target = host_target()
    translation = compile_source(source, parse_options(options), target)
    symbols = re.findall(r"^declare [^@\n]*@(_Z\w+)\(", translation.ir, re.MULTILINE)
    flags = builtin_flags(next(iter(kernels.values())).options)
    return link([translation.ir, *link_in(symbols, target, flags).modules])


def variables(kernel: Kernel) -> list[str]:
    """The module that defines the variables of a kernel's program, if there is one."""
    return [kernel.variables.text] if kernel.variables else []


def link(modules: list[str]) -> str:
    """Modules as one, otherwise unchanged."""
    context = llvm().create_context()
    first, *rest = (llvm().parse_assembly(text, context) for text in modules)
    for module in rest:
        first.link_in(module)
    return str(first)


def interpret(
    module: ir.Module,
    case: KernelCase,
    launch: Range,
    arguments: Mapping[str, Any],
    observers: tuple[object, ...] = (),
) -> dict[str, np.ndarray]:
    """Runs a launch of a module's kernel on the interpreter."""
    kernel = the_kernel(case)
    values, buffers = [], {}
    layouts = zip(kernel.arguments, kernel.info.arguments, arguments.values(), strict=True)
    for layout, described, value in layouts:
        if layout.kind == "value":
            values.append(value_bytes(value, described.type_name, layout.size))
        elif layout.kind == "local":
            values.append(Local(value))
        else:
            values.append(value)
            if value is not None:
                buffers[described.name] = value
    run_ndrange(
        module,
        kernel.name,
        launch.global_size,
        launch.local_size,
        values,
        global_offset=launch.offset,
        observers=observers,
        sub_group_size=kernel.code.sub_group_size or 1,
    )
    return buffers


@dataclass(frozen=True)
class InterpreterWay:
    """Interprets the front end's module."""

    def run(self, case: KernelCase, launch: Range, arguments: Mapping[str, Any]) -> dict[str, np.ndarray]:
        return interpret(ir.parse(linked(case.source, case.options)), case, launch, arguments)


@dataclass(frozen=True)
class InLanes:
    """Forces a number of lanes, another one for each launch, for the very local size or for any."""

    calls: bool = False  # functions stay functions

    def run(self, case: KernelCase, launch: Range, arguments: Mapping[str, Any]) -> dict[str, np.ndarray]:
        turn = zlib.crc32(f"{case.name} {launch.text}".encode())
        lanes = (2, 4, 8, 16, 32)[turn % 5]
        any_size = turn % 2 == 0
        way = CompiledWay(any_size=any_size, method="simd", level=2, lanes=lanes, calls=self.calls)
        return way.run(case, launch, arguments)


@dataclass(frozen=True)
class DivergentLoops:
    """Runs divergent loops in a way, each launch in other lanes; any way in turn if None."""

    way: str | None = None

    def run(self, case: KernelCase, launch: Range, arguments: Mapping[str, Any]) -> dict[str, np.ndarray]:
        turn = zlib.crc32(f"{case.name} {launch.text}".encode())
        divergent = self.way or DIVERGENT[turn % len(DIVERGENT)]
        lanes = (0, 2, 4, 8, 16)[turn // 7 % 5]
        way = CompiledWay(any_size=turn // 35 % 2 == 0, level=2, lanes=lanes, divergent=divergent)
        return way.run(case, launch, arguments)


METHODS = ("auto", "loops", "horizontal", "simd")
DIVERGENT = ("serial", "masked", "dvec", "dvec-s")
DEVICES = ("pthread", "basic")

Runner = Callable[[KernelCase, Range, Mapping[str, Any]], dict[str, np.ndarray]]

WAYS: dict[str, Runner] = {
    "interpreter": InterpreterWay().run,
    "specialized": CompiledWay().run,
    "specialized-loops-O0": CompiledWay(method="loops", level=0).run,
    "specialized-horizontal-wide": CompiledWay(method="horizontal", wide=True).run,
    "specialized-simd": CompiledWay(method="simd", level=2).run,
    "any-size-simd-O0": CompiledWay(any_size=True, method="simd", level=0).run,
    "any-size": CompiledWay(any_size=True).run,
    "lanes": InLanes().run,
    "divergent-loops": DivergentLoops().run,
    "any-size-loops-wide": CompiledWay(any_size=True, method="loops", wide=True).run,
    "any-size-horizontal-O0": CompiledWay(any_size=True, method="horizontal", level=0).run,
    "lines": CompiledWay(tile=(None, 1, 1), tile_size=(37, 1, 1)).run,
    "four-lines": CompiledWay(tile=(None, 4, 1), tile_size=(37, 4, 1)).run,
    "four-columns": CompiledWay(tile=(8, 32, 1), tile_size=(8, 32, 1)).run,
    "lines-across-simd": CompiledWay(tile=(1, None, 1), tile_size=(1, 20, 1), method="simd").run,
    "boxes-horizontal-wide": CompiledWay(
        tile=(None, None, None), tile_size=(5, 3, 2), method="horizontal", wide=True
    ).run,
    "first": CompiledWay(first=True, level=2).run,
    "any-size-first-wide": CompiledWay(first=True, any_size=True, level=2, wide=True).run,
    "first-boxes": CompiledWay(first=True, level=2, tile=(None, None, None), tile_size=(5, 3, 2)).run,
    "calls": CompiledWay(calls=True, level=2).run,
    "any-size-calls-O0": CompiledWay(calls=True, any_size=True, level=0).run,
    "lanes-calls": InLanes(calls=True).run,
    "first-calls": CompiledWay(calls=True, first=True, level=2).run,
    **{kind: DeviceWay(kind).run for kind in KINDS},
}
