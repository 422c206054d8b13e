"""Guards of every form and type let the right work-items through, for bounds near and far.

Each kernel has many guards with barriers between them, so that each has a work-item loop of its own, and runs
for many bounds, on the interpreter, on both devices, and compiled in several ways.
"""

import ctypes
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest
from kernel_case import FOLDER, KernelCase, Range, parse_launch
from kernel_ways import WAYS, Bound, Memory, packed_launch, the_kernel

from weft import abi
from weft.abi import work_group_symbol
from weft.codegen.load import load as load_code
from weft.compiler.compile_work_group import compile_work_group
from weft.compiler.pipeline import Contracts
from weft.launch_form import LaunchForm
from weft.trace import Trace
from weft.transform.simd import split_index_sets
from weft.transform.workgroup.context_arrays import capacity

SIGNATURE = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4, *[ctypes.c_uint64] * 3)
LINE = parse_launch("40 / 20")
FIELD = parse_launch("(24, 6) / (12, 3)")
TYPES = {
    "int": (32, True),
    "uint": (32, False),
    "long": (64, True),
    "ulong": (64, False),
    "short": (16, True),
}
# C for the kernel, Python for the expectation; i and l are the global and the local id, m is 7.
GUARDS = (
    "i < n", "i <= n", "i > n", "i >= n", "i == n", "i != n", "n < i", "n >= i", "n == i",
    "l < n", "l >= n", "l == n", "i > 0", "l == 0", "l > 0", "l != 3", "i >= 5 and i < 31",
    "i < n and i >= m", "not (i < n)", "not (i < m or i >= n)", "not (i >= n or l < 3)",
    "2 * i < n", "3 * i + 1 >= n", "39 - i < n", "5 - 2 * l > n", "i + 1 < n", "n > m", "n > m and i < m",
    "a[i] != 0 and i < n", "i < n and a[i] != 0", "i < n and n - i > m", "i > l and i < n", "i < a[3]",
    "i > m and l < a[3]",
)  # fmt: skip
FIELD_GUARDS = (
    "x < w and y < h", "not (x >= w or y >= h)", "x > 0 and x < w - 1 and y > 0 and y < h - 1", "y < h",
    "y == h", "x <= y", "x == w and y >= h", "w > h and x < w", "y > 0 and h > 2", "x + 1 < w and y + 1 < h",
    "x >= y and y < h", "l == 0 and y > h",
)  # fmt: skip


# The other way: it reads and writes, so that no selection will do.
ELSE = "  else {{ o[{0}] = e[{0}] + 2; e[{0}] = 3; }}\n"


def as_c(guard: str) -> str:
    return guard.replace(" and ", " && ").replace(" or ", " || ").replace("not ", "!")


def source(type: str, otherwise: str = "") -> str:
    steps = "".join(
        f"  if ({as_c(guard)}) o[{number} * G + g] = 1;\n{otherwise.format(f'{number} * G + g')}"
        "  barrier(CLK_GLOBAL_MEM_FENCE);\n"
        for number, guard in enumerate(GUARDS)
    )
    return f"""kernel void k(global uchar *o, global const {type} *a, {type} n, {type} m, global uchar *e) {{
  size_t g = get_global_id(0), G = get_global_size(0);
  {type} i = get_global_id(0), l = get_local_id(0);
{steps}}}
"""


def field_source(otherwise: str = "") -> str:
    steps = "".join(
        f"  if ({as_c(guard)}) o[{number} * G + at] = 1;\n{otherwise.format(f'{number} * G + at')}"
        "  barrier(CLK_GLOBAL_MEM_FENCE);\n"
        for number, guard in enumerate(FIELD_GUARDS)
    )
    return f"""kernel void k(global uchar *o, int w, int h, global uchar *e) {{
  size_t G = get_global_size(0) * get_global_size(1);
  int x = get_global_id(0), y = get_global_id(1), l = get_local_id(0);
  size_t at = y * get_global_size(0) + x;
{steps}}}
"""


def case_of(text: str, launch: Range) -> KernelCase:
    return KernelCase(FOLDER / "guards.cl", text, launches=(launch,))


class Number(int):
    """An integer whose arithmetic wraps, as that of unsigned types of C does."""

    bits = 64

    def _wrapped(self, value: int) -> "Number":
        return type(self)(value % (1 << self.bits))

    def __add__(self, other: int) -> "Number":
        return self._wrapped(int(self) + int(other))

    def __sub__(self, other: int) -> "Number":
        return self._wrapped(int(self) - int(other))

    def __rsub__(self, other: int) -> "Number":
        return self._wrapped(int(other) - int(self))

    def __mul__(self, other: int) -> "Number":
        return self._wrapped(int(self) * int(other))

    __radd__, __rmul__ = __add__, __mul__


class Number32(Number):
    bits = 32


def numbers(type: str) -> Callable[[int], int]:
    return {"uint": Number32, "ulong": Number}.get(type, int)


class CompiledOnce:
    """A work-group function that is compiled once and called for many arguments."""

    def __init__(self, case: KernelCase, launch: Range, any_size: bool, method: str, level: int) -> None:
        kernel = the_kernel(case)
        options = replace(kernel.options, level=level, method=method)
        size = None if any_size else launch.triple(launch.local_size)
        trace = Trace(kernel.name, None, "", Contracts(kernel.name))
        self.made = compile_work_group(kernel.code, options, LaunchForm(size), trace=trace)
        self.loaded = load_code(self.made.object_code, work_group_symbol(kernel.name))
        self.kernel, self.launch = kernel, launch

    def run(self, arguments: dict[str, Any]) -> dict[str, np.ndarray]:
        made = self.made
        bound = Bound(self.kernel, arguments)
        items = int(np.prod(self.launch.local_size))
        context = Memory(made.item_bytes * capacity(items) + made.group_bytes)
        header = Memory(abi.LAUNCH_SIZE)
        header.data[:] = np.frombuffer(packed_launch(self.launch), np.uint8)
        call = SIGNATURE(self.loaded.address)
        for z, y, x in product(*map(range, reversed(self.launch.triple(self.launch.groups)))):
            call(header.address, bound.block.address, 0, context.address, x, y, z)
        return bound.results()


def runners(case: KernelCase, launch: Range) -> Iterator[tuple[str, Callable[[dict[str, Any]], Any]]]:
    for any_size, method, level in (
        (False, "auto", 2),
        (True, "auto", 0),
        (False, "simd", 0),
        (True, "simd", 2),
    ):
        way = CompiledOnce(case, launch, any_size, method, level)
        yield f"{method} {any_size=} {level=}", way.run
    for name in ("pthread", "basic"):
        yield name, lambda arguments, name=name: WAYS[name](case, launch, arguments)  # type: ignore[misc]


def bounds(bits: int, signed: bool) -> list[int]:
    least, most = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)
    near = [-40, -1, 0, 1, 3, 4, 7, 8, 9, 15, 16, 19, 20, 21, 38, 39, 40, 41, 100]
    return [n for n in [least, least + 1, *near, most - 1, most] if least <= n <= most]


@cache
def expected_line(type: str, n: int) -> np.ndarray:
    make = numbers(type)
    values = [make(int(v)) for v in line_arguments(type, n)["a"]]
    found = np.zeros((len(GUARDS), 40), np.uint8)
    for (number, guard), g in product(enumerate(GUARDS), range(40)):
        names = {"i": make(g), "l": make(g % 20), "n": make(n), "m": make(7), "a": values}
        found[number, g] = bool(eval(guard, names))
    return found


@cache
def expected_field(w: int, h: int) -> np.ndarray:
    found = np.zeros((len(FIELD_GUARDS), 6, 24), np.uint8)
    for (number, guard), y, x in product(enumerate(FIELD_GUARDS), range(6), range(24)):
        found[number, y, x] = eval(guard, {"x": x, "y": y, "w": w, "h": h, "l": x % 12})
    return found


def line_arguments(type: str, n: int) -> dict[str, Any]:
    bits, signed = TYPES[type]
    dtype = np.dtype(f"{'i' if signed else 'u'}{bits // 8}")
    a = (np.arange(40) % 3).astype(dtype)
    a[3] = 11
    o, e = (np.zeros((len(GUARDS), 40), np.uint8) for _ in range(2))
    return {"o": o, "a": a, "n": dtype.type(n), "m": dtype.type(7), "e": e}


def field_arguments(w: int, h: int) -> dict[str, Any]:
    o, e = (np.zeros((len(FIELD_GUARDS), 6, 24), np.uint8) for _ in range(2))
    return {"o": o, "w": w, "h": h, "e": e}


@pytest.mark.parametrize("type", TYPES)
def test_every_form_of_guard(type: str) -> None:
    case = case_of(source(type), LINE)
    for name, run in runners(case, LINE):
        for n in bounds(*TYPES[type]):
            arguments = line_arguments(type, n)
            expected = expected_line(type, n)
            found = run(arguments)["o"]
            for number, guard in enumerate(GUARDS):
                assert found[number].tolist() == expected[number].tolist(), f"{name}: {guard}, n = {n}"


@pytest.mark.parametrize("type", TYPES)
def test_interpreter_agrees(type: str) -> None:
    for n in bounds(*TYPES[type])[::5]:
        arguments = line_arguments(type, n)
        found = WAYS["interpreter"](case_of(source(type), LINE), LINE, arguments)["o"]
        assert found.tolist() == expected_line(type, n).tolist()


def test_guards_of_two_dimensions() -> None:
    case = case_of(field_source(), FIELD)
    ways = [*runners(case, FIELD), ("interpreter", lambda a: WAYS["interpreter"](case, FIELD, a))]
    for name, run in ways:
        near = (24, 7) if name == "interpreter" else (-(2**31) + 1, 0, 1, 5, 12, 13, 24, 2**31 - 1)
        for w, h in product(near, near):
            found = run(field_arguments(w, h))["o"]
            expected = expected_field(w, h)
            for number, guard in enumerate(FIELD_GUARDS):
                assert (found[number] == expected[number]).all(), f"{name}: {guard}, w = {w}, h = {h}"


@pytest.fixture
def split_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loops are split whatever the number of their work-items."""
    monkeypatch.setattr(split_index_sets, "FEWEST", 1)


@pytest.mark.usefixtures("split_all")
@pytest.mark.parametrize(
    "type", [pytest.param(t, marks=() if t in ("int", "ulong") else pytest.mark.slow) for t in TYPES]
)
def test_both_sides_of_every_form(type: str) -> None:
    case = case_of(source(type, ELSE), LINE)
    ways = [*runners(case, LINE), ("interpreter", lambda a: WAYS["interpreter"](case, LINE, a))]
    for name, run in ways:
        for n in bounds(*TYPES[type])[:: 7 if name == "interpreter" else 1]:
            expected = expected_line(type, n)
            found = run(line_arguments(type, n))
            for number, guard in enumerate(GUARDS):
                holds = expected[number].astype(bool)
                message = f"{name}: {guard}, n = {n}"
                assert found["o"][number].tolist() == np.where(holds, 1, 2).tolist(), message
                assert found["e"][number].tolist() == np.where(holds, 0, 3).tolist(), message


@pytest.mark.usefixtures("split_all")
def test_both_sides_in_two_dimensions() -> None:
    case = case_of(field_source(ELSE), FIELD)
    for name, run in runners(case, FIELD):
        for w, h in product((-(2**31) + 1, 0, 1, 5, 12, 13, 24, 2**31 - 1), repeat=2):
            found = run(field_arguments(w, h))
            holds = expected_field(w, h).astype(bool)
            for number, guard in enumerate(FIELD_GUARDS):
                message = f"{name}: {guard}, w = {w}, h = {h}"
                assert (found["o"][number] == np.where(holds[number], 1, 2)).all(), message
                assert (found["e"][number] == np.where(holds[number], 0, 3)).all(), message
