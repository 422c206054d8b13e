"""A benchmark as a program without Python: its kernels as libraries, its buffers and launches in a file.

`native.c` runs it. Valgrind can count what such a program does, again and again with the same result; kernels
are compiled for a level of the processor that valgrind knows (WEFT_CPU).
"""

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from weft import compiler
from weft.abi import ARENA_ALIGNMENT, Extents, work_group_symbol
from weft.bench.case import Case, Launch, Local
from weft.errors import UnsuitableTile
from weft.icd.toolchain import compile_c
from weft.kernel import LocalSize
from weft.program import Kernel, Program, build
from weft.runtime.tiles import choose_extents, choose_tile

SOURCE = Path(__file__).with_name("native.c")
_SYMBOL_BYTES = 128
_POINTER = struct.Struct("<Q")


def compile_runner(folder: Path) -> Path:
    """The program that runs plans."""
    path = folder / "native"
    compile_c([SOURCE], path, shared=False, arguments=["-ldl"])
    return path


@dataclass(frozen=True)
class NativeCase:
    """The files of one benchmark."""

    plan: Path
    libraries: Sequence[Path]
    case: Case

    def check(self, result: Path) -> None:
        """Raises AssertionError if the buffers that a run left are not what the benchmark expects."""
        content = result.read_bytes()
        start = 0
        for name, array in self.case.buffers.items():
            if name in self.case.expected:
                expected = self.case.expected[name]
                found = np.frombuffer(content, expected.dtype, expected.size, start).reshape(expected.shape)
                self.case.compare(name, found)
            start += array.nbytes


@dataclass(frozen=True)
class _Code:
    """What a launch calls, and how many work-items a call runs."""

    library: int
    size: LocalSize
    context_bytes: int


def write_case(case: Case, folder: Path) -> NativeCase:
    """Compiles the kernels of a case under the settings of this process, and writes the plan."""
    folder.mkdir(parents=True, exist_ok=True)
    program = build(case.source, case.options)
    numbers = {name: number for number, name in enumerate(case.buffers)}
    plan = [_POINTER.pack(len(numbers))]
    for array in case.buffers.values():
        plan += [_POINTER.pack(array.nbytes), np.ascontiguousarray(array).tobytes()]
    plan.append(_POINTER.pack(len(case.launches)))
    made = _Libraries(program, folder)
    for launch in case.launches:
        plan.append(_launch(program.kernels[launch.kernel], launch, made.code(launch), numbers))
    path = folder / "plan"
    path.write_bytes(b"".join(plan))
    return NativeCase(path, made.paths, case)


class _Libraries:
    """The libraries of a program's kernels, one for each form that a launch asks for."""

    def __init__(self, program: Program, folder: Path) -> None:
        self.program = program
        self.folder = folder
        self.paths: list[Path] = []
        self._known: dict[tuple[str, LocalSize, LocalSize | None], _Code] = {}

    def code(self, launch: Launch) -> _Code:
        """The code for a launch as the runtime would choose it with one thread."""
        kernel = self.program.kernels[launch.kernel]
        global_size = _three(launch.global_size)
        local_size = None if launch.local_size is None else _three(launch.local_size)
        key = (launch.kernel, global_size, local_size)
        if key not in self._known:
            self._known[key] = self._compile(kernel, global_size, local_size)
        return self._known[key]

    def _compile(self, kernel: Kernel, global_size: LocalSize, local_size: LocalSize | None) -> _Code:
        asks = kernel.asks_for_group
        tiles: Sequence[Extents] = ()
        if kernel.can_be_tiled:
            tiles = choose_extents(global_size, local_size, threads=1, asks_for_group=asks)
        for tile in tiles:
            try:
                told = local_size if asks else None
                made = compiler.compile_work_group(kernel.code, kernel.options, told, tile=tile, insist=False)
            except UnsuitableTile:
                continue
            size = choose_tile(tile, global_size, threads=1, item_bytes=made.item_bytes)
            return self._link(kernel, made, size)
        assert local_size is not None, "the study's launches have a local size"
        return self._link(
            kernel, compiler.compile_work_group(kernel.code, kernel.options, local_size), local_size
        )

    def _link(self, kernel: Kernel, made: compiler.CompiledWorkGroup, size: LocalSize) -> _Code:
        number = len(self.paths)
        object_file = self.folder / f"{number}.o"
        object_file.write_bytes(made.object_code)
        library = self.folder / f"{number}.so"
        compile_c([object_file], library, arguments=["-lm"])
        self.paths.append(library)
        items = -(-size[0] * size[1] * size[2] // ARENA_ALIGNMENT) * ARENA_ALIGNMENT
        return _Code(number, size, items * made.item_bytes + made.group_bytes)


def _launch(kernel: Kernel, launch: Launch, code: _Code, numbers: dict[str, int]) -> bytes:
    """A launch as `native.c` reads it."""
    block = bytearray(kernel.argument_bytes)
    places = []
    end = kernel.local_bytes
    for argument, layout in zip(launch.arguments, kernel.arguments, strict=True):
        if isinstance(argument, str):
            places += [layout.offset, numbers[argument]]
        elif isinstance(argument, Local):
            start = -(-end // ARENA_ALIGNMENT) * ARENA_ALIGNMENT
            _POINTER.pack_into(block, layout.offset, start)
            end = start + argument.nbytes
        else:
            block[layout.offset : layout.offset + layout.size] = argument.tobytes()
    global_size = _three(launch.global_size)
    groups = [-(-whole // part) for whole, part in zip(global_size, code.size, strict=True)]
    words = [*global_size, 0, 0, 0, *code.size, *groups, len(launch.global_size)]
    return b"".join(
        [
            _POINTER.pack(code.library),
            work_group_symbol(launch.kernel).encode().ljust(_SYMBOL_BYTES, b"\0"),
            struct.pack(f"<{len(words)}Q", *words),
            struct.pack("<Q", len(block)) + bytes(block),
            struct.pack(f"<{1 + len(places)}Q", len(places) // 2, *places),
            struct.pack("<QQ", end, code.context_bytes),
        ]
    )


def _three(size: Sequence[int]) -> LocalSize:
    x, y, z = (*size, 1, 1)[:3]
    return x, y, z
