"""Kernels whose addresses are in order for some inputs are right for all inputs, inside the case and outside.

Each kernel loads from and stores to places that an expression of the work-item and two inputs gives. It is
compiled for several numbers of lanes and ranges, with variants for the cases that are proved, and runs for
inputs that are negative, zero, huge and in between; the interpreter says what is right.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import TypeVar

import numpy as np
import pytest
from kernel_case import FOLDER, KernelCase, Range, parse_launch
from kernel_ways import WAYS, Bound, Memory, packed_launch, the_kernel
from test_guards import SIGNATURE

from weft import abi, ir
from weft.abi import work_group_symbol
from weft.codegen.load import load as load_code
from weft.compiler.compile_work_group import compile_work_group
from weft.compiler.pipeline import Contracts
from weft.launch_form import LaunchForm
from weft.trace import Trace
from weft.transform.simd.outcome import Outcome

T = TypeVar("T")
Numbers = tuple[int, ...]
PLACES = 1024
# Launch, lanes, and whether the local size is not known: groups and offsets that lanes divide, and others.
WAYS_TO_COMPILE = (
    ("32 / 16", 16, False),
    ("32 / 16", 8, True),
    ("40 / 20", 8, False),
    ("24 / 8 + 8", 4, False),
    ("24 / 8 + 8", 8, True),
    ("13 / 13 + 3", 4, False),
)
SHIFTS: Numbers = (0, 1, 2, 3, 4, 5, 6, 31, 32, 35, 2**31, 2**32 - 1)
DIVISORS: Numbers = (1, 2, 3, 4, 7, 8, 12, 16, 24, 32, 48, 64, 100, 2**30, 2**31 - 16, 2**31 - 1)
LARGE: Numbers = (2**31, 2**31 + 8, 2**32 - 64, 2**32 - 32, 2**32 - 8, 2**32 - 1)
# Signed numbers must not overflow: twice a divisor or 70 times a factor has to fit.
SIGNED_DIVISORS: Numbers = (1, 2, 3, 4, 7, 8, 12, 16, 24, 32, 48, 64, 100, 2**29, 2**30 - 16, 2**30 - 1)
NEGATIVE: Numbers = (-1, -2, -4, -8, -16, -32, -100, -(2**24))
SMALL: Numbers = (1, 2, 3, 4, 7, 8, 12, 16, 24, 32, 48, 64, 100)
ANY: Numbers = (0, 1, 2, 3, 4, 6, 8, 15, 16, 17, 32, 40, 64, 1000)


@dataclass(frozen=True)
class Places:
    """An expression of the work-item `i` and the inputs `s` and `m`, in numbers of a type."""

    text: str
    type: str
    inputs: Numbers
    conditional: bool = True  # whether there is a case that only some inputs are in
    anywhere: bool = True  # whether its numbers may be too large for a place, and are cut off

    @property
    def source(self) -> str:
        place = f"at & {PLACES - 1}" if self.anywhere else "at"
        return f"""\
kernel void k(global const int *a, global int *b, global int *o, {self.type} s, {self.type} m) {{
    {self.type} i = get_global_id(0);
    {self.type} at = {self.text};
    o[get_global_id(0)] = a[{place}];
    b[{place}] = (int)({place}) * 7;
}}
"""


EXPRESSIONS = (
    Places("i % s + 2 * s * (i / s)", "uint", DIVISORS + LARGE),
    Places("i % s + 2 * s * (i / s) + s", "int", SIGNED_DIVISORS + NEGATIVE),
    Places("i % s + 2 * s * (i / s) + s", "ulong", (*DIVISORS, *LARGE, 2**33, 2**63, 2**64 - 8)),
    Places("i % s * 2 + i / s", "int", SMALL, anywhere=False),
    Places("i / s * m + i % s", "uint", (1, 2, 3, 4, 5, 6, 7, 8, 12), anywhere=False),
    Places("i / s", "uint", DIVISORS + LARGE),
    Places("m + 70 - i % s", "int", SMALL, anywhere=False),
    Places("i % (1u << s) + i / (1u << s) * 2 * (1u << s)", "uint", SHIFTS),
    Places("i >> s", "uint", SHIFTS),
    Places("i ^ s", "uint", ANY + LARGE),
    Places("i ^ 1", "uint", ANY, conditional=False),
    Places("i ^ 7", "int", ANY, conditional=False),
    Places("i * s", "int", ANY + NEGATIVE, conditional=False),
    Places("i * s + m", "uint", (0, 1, 2, 3, 4, 5, 7, 11), conditional=False, anywhere=False),
    Places("s + 100 - i", "int", (*SMALL, -1, -8, -32), conditional=False, anywhere=False),
    Places("i + s", "uint", ANY + LARGE),
    Places("(i + s) % 64", "uint", ANY + LARGE),
    Places("(i + 8 * s) % (8 * m)", "uint", (1, 2, 3, 5, 2**28, 2**29 - 1)),
    Places("min(i, s)", "uint", ANY + LARGE, conditional=False),
    Places("max(i, s)", "int", ANY + NEGATIVE, conditional=False),
    Places("s > 0 ? i : i ^ 3", "int", ANY + NEGATIVE),
    Places("(i & ~7u) | (7 - (i & 7))", "uint", ANY, conditional=False),
)


class _Watch(Trace):
    """Keeps what the vectorizer says."""

    outcomes: tuple[Outcome, ...] = ()

    def run(self, name: str, module: ir.Module, change: Callable[[], T]) -> T:
        result = super().run(name, module, change)
        if name == "vectorize-work-items":
            self.outcomes = tuple(result)  # type: ignore[arg-type]
        return result


def case_of(source: str, launch: Range) -> KernelCase:
    return KernelCase(FOLDER / "proved.cl", source, launches=(launch,))


class CompiledOnce:
    """A work-group function that is compiled once and called for many inputs."""

    def __init__(self, source: str, launch: Range, lanes: int, any_size: bool = False) -> None:
        self.launch, self.kernel = launch, the_kernel(case_of(source, launch))
        options = replace(self.kernel.options, level=2, lanes=lanes)
        trace = _Watch(self.kernel.name, None, "", Contracts(self.kernel.name))
        size = None if any_size else launch.triple(launch.local_size)
        made = compile_work_group(self.kernel.code, options, LaunchForm(size), trace=trace)
        self.conditions = [o.condition for o in trace.outcomes if o.condition]
        self.loaded = load_code(made.object_code, work_group_symbol(self.kernel.name))

    def run(self, arguments: dict[str, np.ndarray | int]) -> dict[str, np.ndarray]:
        bound = Bound(self.kernel, arguments)
        header, context = Memory(abi.LAUNCH_SIZE), Memory(1 << 16)
        header.data[:] = np.frombuffer(packed_launch(self.launch), np.uint8)
        call = SIGNATURE(self.loaded.address)
        for group in range(self.launch.groups[0]):
            call(header.address, bound.block.address, 0, context.address, group, 0, 0)
        return bound.results()


def inputs_of(places: Places, first: int, second: int, launch: Range) -> dict[str, np.ndarray | int]:
    a = np.random.default_rng(1).integers(-1000, 1000, PLACES, np.int32)
    o = np.zeros(launch.global_size[0] + launch.offset[0], np.int32)
    return {"a": a, "b": np.zeros(PLACES, np.int32), "o": o, "s": first, "m": second}


@cache
def expected(places: Places, first: int, second: int, launch: Range) -> dict[str, np.ndarray]:
    arguments = inputs_of(places, first, second, launch)
    return WAYS["interpreter"](case_of(places.source, launch), launch, arguments)


@pytest.mark.parametrize("places", EXPRESSIONS, ids=lambda p: f"{p.type}: {p.text}")
def test_places_for_every_input(places: Places) -> None:
    conditions = set()
    pairs = [(s, places.inputs[(3 * k) % len(places.inputs)]) for k, s in enumerate(places.inputs)]
    for text, lanes, any_size in WAYS_TO_COMPILE:
        launch = parse_launch(text)
        way = CompiledOnce(places.source, launch, lanes, any_size)
        conditions.update(way.conditions)
        for first, second in pairs:
            found = way.run(inputs_of(places, first, second, launch))
            for name, array in expected(places, first, second, launch).items():
                np.testing.assert_array_equal(
                    found[name], array, f"{name}, {lanes} lanes, {text}, s = {first}, m = {second}"
                )
    assert bool(conditions) or not places.conditional
