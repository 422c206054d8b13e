"""A benchmark as a program without Python: its kernels as libraries, its buffers and launches in a file.

`native.c` runs it. Valgrind can count the events of such a program reproducibly; kernels are compiled for a
level of the processor that valgrind supports (WEFT_CPU).
"""

import struct
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import weft.device
from bench.case import Case, Launch, Local
from weft.abi import ARENA_ALIGNMENT, LOOP_RECORD_SIZE, loop_records_symbol, work_group_symbol
from weft.compiler.compile_work_group import CompiledWorkGroup, compile_work_group
from weft.group_code import compile_function
from weft.icd.toolchain import compile_c
from weft.kernel import LocalSize
from weft.launch_form import LaunchForm
from weft.profile import KernelProfile, Recorded, read
from weft.program import Kernel, Program, build
from weft.tile_policy import NDRange, choose_tiles, tile_size

SOURCE = Path(__file__).with_name("native.c")
# Kernels call the functions in it to select versions of loops.
LOOP_CHOICE = Path(weft.device.__file__).with_name("loop_choice.c")
_SYMBOL_BYTES = 128
_POINTER = struct.Struct("<Q")


class RunFailed(Exception):
    """A native program ended with an error."""


def compile_runner(folder: Path) -> Path:
    """Compile the program that runs plans."""
    path = folder / "native"
    compile_c([SOURCE, LOOP_CHOICE], path, shared=False, arguments=["-ldl", "-rdynamic"])
    return path


@dataclass(frozen=True)
class Library:
    """A kernel compiled for a launch form, and the loops that its records describe."""

    path: Path
    kernel: str
    loops: Sequence[Recorded]


@dataclass(frozen=True)
class NativeCase:
    """The files of one benchmark."""

    folder: Path
    libraries: Sequence[Library]
    case: Case

    @property
    def plan(self) -> Path:
        """The file with buffers and launches."""
        return self.folder / "plan"

    @property
    def records(self) -> Path:
        """The file that keeps the records of loops from one run to the next."""
        return self.folder / "records"

    def run(self, runner: Path, rounds: int = 1, under: Sequence[str] = ()) -> str:
        """Run the launches `rounds` times and check the buffers; return the output on standard error.

        `under` is a command that runs the program. Raise RunFailed, or AssertionError for a wrong result.
        """
        result = self.folder / "result"
        libraries = [library.path for library in self.libraries]
        command = [*under, *map(str, (runner, self.plan, result, rounds, self.records, *libraries))]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            last = done.stderr.strip().splitlines()[-1:]
            raise RunFailed(f"{self.folder.name}: status {done.returncode}: {' '.join(last)}")
        self.check(result)
        return done.stderr

    def profiles(self) -> list[KernelProfile]:
        """Return the profiles of the loops of each library in the runs so far."""
        content = self.records.read_bytes()
        result = []
        start = 0
        for library in self.libraries:
            end = start + len(library.loops) * LOOP_RECORD_SIZE
            result.append(read(library.kernel, content[start:end], library.loops))
            start = end
        return result

    def check(self, result: Path) -> None:
        """Raise AssertionError if the buffers after a run are not as the benchmark expects."""
        content = result.read_bytes()
        start = 0
        for name, array in self.case.buffers.items():
            if name in self.case.expected:
                expected = self.case.expected[name]
                actual = np.frombuffer(content, expected.dtype, expected.size, start).reshape(expected.shape)
                self.case.compare(name, actual)
            start += array.nbytes


@dataclass(frozen=True)
class _Code:
    """The library and function of a launch, and the number of work-items per call."""

    library: int
    size: LocalSize
    context_bytes: int


def write_case(case: Case, folder: Path) -> NativeCase:
    """Compile the kernels of a case under the settings of this process, and write the plan."""
    folder.mkdir(parents=True, exist_ok=True)
    program = build(case.source, case.options)
    numbers = {name: number for number, name in enumerate(case.buffers)}
    plan = [_POINTER.pack(len(numbers))]
    for array in case.buffers.values():
        plan += [_POINTER.pack(array.nbytes), np.ascontiguousarray(array).tobytes()]
    libraries = _Libraries(program, folder)
    launches = [
        _launch(program.kernels[launch.kernel], launch, libraries.code(launch), numbers)
        for launch in case.launches
    ]
    for library in libraries.libraries:
        symbol = loop_records_symbol(library.kernel)
        plan += [_POINTER.pack(len(library.loops) * LOOP_RECORD_SIZE), _symbol(symbol)]
    native = NativeCase(folder, libraries.libraries, case)
    native.plan.write_bytes(b"".join([*plan, _POINTER.pack(len(launches)), *launches]))
    native.records.write_bytes(b"")
    return native


class _Libraries:
    """The libraries of a program's kernels, one for each launch form."""

    def __init__(self, program: Program, folder: Path) -> None:
        self.program = program
        self.folder = folder
        self.libraries: list[Library] = []
        self._known: dict[tuple[str, LocalSize, LocalSize | None], _Code] = {}

    def code(self, launch: Launch) -> _Code:
        """Return the code for a launch that the runtime would choose with one thread."""
        kernel = self.program.kernels[launch.kernel]
        global_size = _three(launch.global_size)
        local_size = None if launch.local_size is None else _three(launch.local_size)
        key = (launch.kernel, global_size, local_size)
        if key not in self._known:
            self._known[key] = self._compile(kernel, global_size, local_size)
        return self._known[key]

    def _compile(self, kernel: Kernel, global_size: LocalSize, local_size: LocalSize | None) -> _Code:
        form_size = local_size if kernel.traits.queries_group else None
        launch = NDRange(global_size, local_size)
        for tile in choose_tiles(kernel.traits, kernel.options, launch, threads=1).tiles[:1]:
            form = LaunchForm(form_size, tile=tile.extents, if_serial=tile.if_serial)
            compiled, extents = compile_function(kernel.code, kernel.options, form)
            assert extents is not None
            size = tile_size(extents, global_size, threads=1, item_bytes=compiled.item_bytes)
            return self._link(kernel, compiled, size)
        assert local_size is not None, "the study's launches have a local size"
        return self._link(
            kernel, compile_work_group(kernel.code, kernel.options, LaunchForm(local_size)), local_size
        )

    def _link(self, kernel: Kernel, compiled: CompiledWorkGroup, size: LocalSize) -> _Code:
        number = len(self.libraries)
        object_file = self.folder / f"{number}.o"
        object_file.write_bytes(compiled.object_code)
        library = self.folder / f"{number}.so"
        compile_c([object_file], library, arguments=["-lm"])
        loops = [(loop.name, loop.strategies, loop.line) for loop in compiled.loops]
        self.libraries.append(Library(library, kernel.name, loops))
        items = -(-size[0] * size[1] * size[2] // ARENA_ALIGNMENT) * ARENA_ALIGNMENT
        return _Code(number, size, items * compiled.item_bytes + compiled.group_bytes)


def _launch(kernel: Kernel, launch: Launch, code: _Code, numbers: dict[str, int]) -> bytes:
    """Encode a launch for `native.c`."""
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
            assert isinstance(argument, np.generic), "no case has a sampler"
            block[layout.offset : layout.offset + layout.size] = argument.tobytes()
    global_size = _three(launch.global_size)
    groups = [-(-whole // part) for whole, part in zip(global_size, code.size, strict=True)]
    words = [*global_size, 0, 0, 0, *code.size, *groups, len(launch.global_size)]
    return b"".join(
        [
            _POINTER.pack(code.library),
            _symbol(work_group_symbol(launch.kernel)),
            struct.pack(f"<{len(words)}Q", *words),
            struct.pack("<Q", len(block)) + bytes(block),
            struct.pack(f"<{1 + len(places)}Q", len(places) // 2, *places),
            struct.pack("<QQ", end, code.context_bytes),
        ]
    )


def _symbol(name: str) -> bytes:
    return name.encode().ljust(_SYMBOL_BYTES, b"\0")


def _three(size: Sequence[int]) -> LocalSize:
    x, y, z = (*size, 1, 1)[:3]
    return x, y, z
