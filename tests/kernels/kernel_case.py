"""The kernel tests' files: a kernel, its launches and what they must do, in one `.cl` file.

The comment at the head of a file says what it tests; the lines that start with `//!` are directives
and those that start with `//|` are the reference, in Python:

    // Every work-item adds its neighbour's value, which it can see only behind a barrier.
    //! options: -cl-std=CL3.0
    //! launch: 64 / 16
    //! launch: (8, 6) / (4, 3) + (1, 0)
    //! arg a: small_ints(G[0])
    //! arg n: 3
    //! arg tile: L[0] * 4
    //| for group in a.reshape(-1, L[0]):
    //|     group += np.roll(group, -1)

`launch` gives global size / local size, optionally + offset; each launch is a test of its own, with
fresh arguments. `sizes` names further local sizes that the kernel and its reference are made for, or `any`
(see `kernel_sizes.py`). An `arg` is a numpy expression: an array for a global or constant pointer, a
number of bytes for a local pointer, a number, array or bytes for a value, None for a null pointer, `pipe(…)`
for a pipe, whose memory is not compared. It sees
numpy's names (but `sum` and its like are Python's), G, L, O and N (global size, local size, offset and
number of groups, in the launch's dimensions), the helpers of `expression_names` and the arguments before
it. The reference changes the arrays as the kernel must; then all arrays must be equal, those that the
kernel may not touch as well. `tolerance` allows floating point results a relative error. `kernel` names the
kernel where the file has several. A file with `error` must not build, and its log must contain the text.
"""

import builtins
import struct
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from weft import abi
from weft.pipe_layout import header, packets_offset

FOLDER = Path(__file__).parent

Sizes = tuple[int, ...]


@dataclass(frozen=True)
class Range:
    """One launch of a case."""

    text: str
    global_size: Sizes
    local_size: Sizes
    offset: Sizes

    @property
    def groups(self) -> Sizes:
        return tuple(-(-g // s) for g, s in zip(self.global_size, self.local_size, strict=True))

    @property
    def non_uniform(self) -> bool:
        """Whether the last groups are smaller than the others."""
        return any(g % s for g, s in zip(self.global_size, self.local_size, strict=True))

    @property
    def id_bits(self) -> int:
        """The bits of global ids that the code is made for."""
        return abi.id_bits(max(g + o for g, o in zip(self.global_size, self.offset, strict=True)))

    def triple(self, sizes: Sizes, missing: int = 1) -> tuple[int, int, int]:
        x, y, z = (*sizes, *(missing,) * (3 - len(sizes)))
        return x, y, z


@dataclass(frozen=True)
class KernelCase:
    """One file."""

    path: Path
    source: str
    options: str = ""
    kernel: str | None = None
    error: str | None = None
    tolerance: float = 0.0
    launches: tuple[Range, ...] = ()
    sizes: str = ""
    arguments: Mapping[str, str] = field(default_factory=dict)
    reference: str = ""

    @property
    def name(self) -> str:
        return str(self.path.relative_to(FOLDER).with_suffix(""))

    def make_arguments(self, launch: Range) -> dict[str, Any]:
        """Fresh arguments for a launch, by name."""
        return evaluate(self.arguments, self.name, launch)

    def apply_reference(self, launch: Range, arguments: Mapping[str, Any]) -> None:
        """Changes the arrays among the arguments as the kernel must."""
        code = compile(self.reference, f"{self.path.name}: reference", "exec")
        exec(code, {**expression_names(self.name, launch), **arguments})

    def compare(self, expected: Mapping[str, Any], found: Mapping[str, np.ndarray]) -> None:
        """Asserts that the arrays behind the kernel's pointers are as expected."""
        for name, array in found.items():
            if array.dtype.kind == "V":
                continue  # a pipe: work-items write packets in any order
            if self.tolerance and array.dtype.kind == "f":
                np.testing.assert_allclose(array, expected[name], rtol=self.tolerance, err_msg=name)
            else:
                np.testing.assert_array_equal(array, expected[name], err_msg=name)


def expression_names(seed: str, launch: Range) -> dict[str, Any]:
    """What expressions may use; random numbers depend on the seed alone."""
    rng = np.random.default_rng(zlib.crc32(seed.encode()))

    def small_ints(shape: Any, dtype: Any = np.int32, low: int = -50, high: int = 50) -> np.ndarray:
        return rng.integers(max(low, 0) if np.dtype(dtype).kind == "u" else low, high, shape).astype(dtype)

    def eighths(shape: Any, dtype: Any = np.float32) -> np.ndarray:
        """Multiples of 1/8, of which sums and products are exact."""
        return (rng.integers(-64, 64, shape) / 8).astype(dtype)

    def pipe(packets: np.ndarray, capacity: int, start: int = 0) -> np.ndarray:
        """The memory of a pipe that holds packets, after so many others went through it."""
        size, count = packets.itemsize, len(packets)
        words = np.zeros(-(-(packets_offset(capacity) + size * capacity) // 8), np.uint64)
        words[:3] = np.frombuffer(header(size, capacity), np.uint64)
        words[[8, 16, 24, 32]] = start + count, start + count, start, start
        for position in range(max(0, start + count - capacity), start + count):
            words[40 + position % capacity] = position + 1 << 1 | 1
        for position in range(max(0, start - capacity), start):
            words[40 + capacity + position % capacity] = position + 1 << 1 | 1
        ring = words.view(np.uint8)[packets_offset(capacity) :]
        for position, packet in enumerate(packets, start):
            place = position % capacity * size
            ring[place : place + size] = np.frombuffer(packet.tobytes(), np.uint8)
        return words.view("V8")

    def ids() -> list[np.ndarray]:
        """The global ids of all work-items as arrays that are indexed [x], [y, x] or [z, y, x]."""
        grids = np.meshgrid(
            *(np.arange(g) + o for g, o in zip(launch.global_size, launch.offset, strict=True)), indexing="ij"
        )
        return [grid.T for grid in grids]

    return {
        **{name: getattr(np, name) for name in np.__all__ if not hasattr(builtins, name)},
        "np": np,
        "struct": struct,
        "rng": rng,
        "G": launch.global_size,
        "L": launch.local_size,
        "O": launch.offset,
        "N": launch.groups,
        "small_ints": small_ints,
        "eighths": eighths,
        "pipe": pipe,
        "ids": ids,
    }


def evaluate(expressions: Mapping[str, str], seed: str, launch: Range) -> dict[str, Any]:
    """The values of named expressions, of which each may use those before it."""
    names = expression_names(seed, launch)
    made: dict[str, Any] = {}
    for name, expression in expressions.items():
        made[name] = names[name] = eval(expression, names)
    return made


def load(path: Path) -> KernelCase:
    """Reads a file; raises ValueError if its directives are wrong."""
    source = path.read_text()
    fields: dict[str, Any] = {"launches": [], "arguments": {}, "reference": ""}
    for line in source.splitlines():
        if line.startswith("//|"):
            fields["reference"] += line[4:] + "\n"
        elif line.startswith("//!"):
            words, colon, value = line[3:].partition(":")
            directive, value = words.split(), value.strip()
            match directive:
                case ["launch"]:
                    fields["launches"].append(parse_launch(value))
                case ["arg", name]:
                    fields["arguments"][name] = value
                case ["tolerance"]:
                    fields["tolerance"] = float(value)
                case ["options"] | ["kernel"] | ["error"] | ["sizes"]:
                    fields[directive[0]] = value
                case _:
                    raise ValueError(f"{path.name}: no such directive: {line}")
            if not colon:
                raise ValueError(f"{path.name}: no colon: {line}")
    fields["launches"] = tuple(fields["launches"])
    case = KernelCase(path, source, **fields)
    if (case.error is None) == (not case.launches):
        raise ValueError(f"{path.name}: needs launches, or an error and none")
    return case


def parse_launch(text: str) -> Range:
    """Reads `global size / local size + offset`."""
    global_size, _, rest = text.partition("/")
    local_size, _, offset = rest.partition("+")
    whole = _sizes(global_size)
    return Range(text, whole, _sizes(local_size), _sizes(offset) if offset else (0,) * len(whole))


def parse_sizes(text: str) -> tuple[Sizes, ...]:
    """Reads `1, 8, (7, 5)`."""
    return tuple(s if isinstance(s, tuple) else (s,) for s in eval(f"[{text}]"))


def _sizes(text: str) -> Sizes:
    value = eval(text)
    return value if isinstance(value, tuple) else (value,)


def all_cases() -> list[KernelCase]:
    """All files, in order."""
    return [load(path) for path in sorted(FOLDER.rglob("*.cl"))]


def sampled(cases: Sequence[KernelCase], one_of: int) -> list[Any]:
    """Parameters of a test: one of so many cases, by name, runs with `make test`; the rest are slow."""
    return [
        pytest.param(case, id=case.name, marks=pytest.mark.slow if left_out else ())
        for case in cases
        for left_out in [zlib.crc32(case.name.encode()) % one_of != 0]
    ]
