"""Random kernels with their launches, as cases of the kernel tests."""

from collections.abc import Sequence
from typing import Any

from fuzz_calls import LIBRARY_HELPERS
from fuzz_expressions import CONSTANT_TABLE, UNIFORM_TABLE, Choices, Expressions, Scope, Variable
from fuzz_functions import several_calls, tail_calls, tail_function
from fuzz_narrow import input_length
from fuzz_places import Budget, Helper, Place
from fuzz_shapes import FLAT, FLAT_LENGTH, GUARDED_QUOTIENT, NARROW_INDEX, SHAPES, TOUCH_RECORD
from fuzz_statements import COUNTERS, INDENT, Statements
from hypothesis import strategies as st
from kernel_case import FOLDER, KernelCase, Range

LOCAL_SIZES = ((1,), (1,), (3,), (8,), (2, 3), (64,), (7, 5), (4, 4, 4), (1, 5), (16,), (1, 1, 6))
LARGEST_GROUP = 64

# What kernels are made of beside the statements of `fuzz_statements.py`.
ALL_SHAPES = (*SHAPES, "tails", "functions")

# Statements that all work-items of a launch together may run, which bounds the interpreter's time.
RUNS = 12_000

_HEAD = """\
#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#endif

struct record {
    uint first;
    short second;
    uint several[3];
};

struct record make_record(uint a, uint b) {
    struct record made = {a, (short)(b), {b, a ^ b, 5u}};
    return made;
}

union bits {
    uint whole;
    float number;
    uchar4 bytes;
    ushort2 halves;
    uchar byte[4];
};

union parts {
    ulong whole;
    uint2 pair;
    double number;
    struct {
        ushort low;
        uchar middle;
        uint high;
    } fields;
};
"""

_HELPER_PARAMETERS = (
    "uint a, uint u, __global const uint *in, __global const char *in8, __global const short *in16, "
    "__global const int *uni, __constant uint *table, uint n, uint m, uint lid, uint gid, uint size"
)

_KERNEL_HEAD = f"""
__kernel void k(__global uint *out, __global const uint *in, __global const char *in8,
                __global const short *in16, __global const int *uni, __constant uint *table,
                __global uint *counters, __global uint *scratches, __global uchar *narrow,
                __global char *out8, __global ushort *out16, __global ulong *wide, __global uint4 *quads,
                __global const uint *flat, __local uint *tile0, uint n, uint m, struct record given) {{
    __local uint tile1[{LARGEST_GROUP}], tile2[{LARGEST_GROUP}];
    uint lid = get_local_id(0) + get_local_size(0) * (get_local_id(1) + get_local_size(1) * get_local_id(2));
    uint size = get_local_size(0) * get_local_size(1) * get_local_size(2);
    uint group =
        get_group_id(0) + get_num_groups(0) * (get_group_id(1) + get_num_groups(1) * get_group_id(2));
    uint gid = group * size + lid;
    __global uint *scratch = scratches + group * size;
    uint v = in[gid];"""


class RandomCase(KernelCase):
    """A case that shows itself as a file of the kernel tests, without the reference."""

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(f"\n{self}\n")

    def __str__(self) -> str:
        lines = [f"//! options: {self.options}"] if self.options else []
        lines += [f"//! launch: {launch.text}" for launch in self.launches]
        lines += [f"//! arg {name}: {value}" for name, value in self.arguments.items()]
        return "\n".join([*lines, self.source])


@st.composite
def launches(draw: Any) -> Range:
    """Launches of a few small groups."""
    c = Choices(draw)
    local = c.pick(LOCAL_SIZES)
    groups = [c.number(1, 2) for _ in local]
    offset = tuple(c.pick((0, 0, 5)) for _ in local)
    whole = tuple(n * s for n, s in zip(groups, local, strict=True))
    text = f"{whole} / {local}" + (f" + {offset}" if any(offset) else "")
    return Range(text, whole, local, offset)


@st.composite
def kernel_cases(draw: Any, *, hidden: bool = True, shapes: Sequence[str] = ALL_SHAPES) -> RandomCase:
    """Random kernels; `hidden`: also such that not every implementation takes or gets right.

    They are legal only because of the values they compute, or use what is optional. Of the statements of
    `fuzz_shapes.py` and the functions of `fuzz_functions.py` the kernels have those that `shapes` names.
    """
    launch = draw(launches())
    c = Choices(draw)
    options = c.pick(("", "-cl-std=CL3.0"))
    items = 1
    for size in launch.global_size:
        items *= size
    budget = Budget(RUNS // items, 24)
    expressions = Expressions(c, hidden)
    parts = [_HEAD, GUARDED_QUOTIENT, NARROW_INDEX, TOUCH_RECORD, LIBRARY_HELPERS]
    # Intel's runtime takes the wrong branch after some quotients by zero.
    usable = [shape for name, shape in SHAPES.items() if name in shapes and (hidden or name != "guards")]
    if hidden and "tails" in shapes and c.chance(30):
        tails = tuple(tail_function(c, f"tail{number}") for number in range(c.number(1, 2)))
        parts += [function.text for function in tails]
        usable.append(tail_calls(tails))
    helpers: list[Helper] = []
    for _ in range(c.pick((0, 0, 1, 2))):
        helper = Helper(f"helper{len(helpers)}", waits=c.chance(50))
        large = "functions" in shapes and c.chance(30)
        statements = Statements(
            c, expressions, Budget(150, 40) if large else Budget(40, 6), outputs=False, hidden=hidden
        )
        if large:
            statements.helpers, statements.shapes = tuple(helpers), tuple(usable)
        parts.append(_helper(helper, statements, 20 if large else 4))
        helpers.append(helper)
    if helpers and "functions" in shapes:
        usable.append(several_calls)
    # Work-group functions are a choice of implementations in OpenCL 3.0.
    collectives = bool(options) and hidden
    kernel = Statements(
        c, expressions, budget, tuple(helpers), hidden=hidden, collectives=collectives, shapes=tuple(usable)
    )
    # pocl lets work-items share a structure argument that they change.
    given = Variable("given", "record", uniform=False, fixed=not hidden)
    scope = Scope([Variable("v", "uint", False), given])
    place = Place(uniform=True, barriers=True, tiles=("tile0", "tile1", "tile2"), returns="")
    _body(kernel, scope, place)
    parts.append("\n".join([_KERNEL_HEAD, *(INDENT + array for array in kernel.locals), *kernel.text, "}\n"]))
    arguments = {
        "out": f"arange({4 * items}, dtype=uint32)",
        "in": f"rng.integers(0, 2**32, {max(4 * items, 64)}, uint32)",
        "in8": f"rng.integers(-128, 128, {input_length(items)}, int8)",
        "in16": f"rng.integers(-2**15, 2**15, {input_length(items)}, int16)",
        "uni": f"array({list(UNIFORM_TABLE)}, int32)",
        "table": f"array({list(CONSTANT_TABLE)}, uint32)",
        "counters": f"array({list(COUNTERS)}, uint32)",
        "scratches": f"zeros({items}, uint32)",
        "narrow": f"arange({items}).astype(uint8)",
        "out8": f"(arange({5 * items}) * 37).astype(int8)",
        "out16": f"(arange({3 * items}) * 4099).astype(uint16)",
        "wide": f"rng.integers(0, 2**63, {items}, uint64)",
        "quads": f"arange({4 * items}, dtype=uint32)",
        "flat": f"full({FLAT_LENGTH}, {FLAT}, uint32)",
        "tile0": str(4 * LARGEST_GROUP),
        "n": str(c.pick((3, 0, 1, 7, 64, 2**31))),
        "m": str(c.pick((5, 0, 2, 2**32 - 1))),
        "given": "array([9, 4, 3, 2, 1], uint32)",
    }
    path = FOLDER / "random_kernel.cl"
    return RandomCase(path, "\n".join(parts), options, launches=(launch,), arguments=arguments)


def _body(kernel: Statements, scope: Scope, place: Place) -> None:
    c = kernel.choices
    if c.chance(20):  # some passes change a kernel only if it does nothing but what they look for
        for _ in range(c.number(1, 2)):
            kernel.narrow_loop(scope, place, plain=True)
        kernel.store_narrow(scope, place)
        _output(kernel, scope)
        return
    if kernel.shapes and c.chance(25):
        for _ in range(c.number(1, 3)):
            c.pick(kernel.shapes)(kernel, scope, place)
        _output(kernel, scope)
        return
    for _ in range(c.number(0, 3)):
        kernel.declare(scope, place)
    for _ in range(c.number(1, 6)):
        kernel.statement(scope, place)
    _output(kernel, scope)
    if c.chance(50):  # nobody waits from here on, so that work-items may return on their own
        kernel.block(scope, Place(uniform=True, barriers=False, tiles=(), returns=""))


def _output(kernel: Statements, scope: Scope) -> None:
    for variable in scope.readable(False):
        kernel.line(f"out[gid * 4u] = out[gid * 4u] * 31u + {kernel.expressions.read(variable, scope)};")


def _helper(helper: Helper, statements: Statements, most: int) -> str:
    scope = Scope([Variable("a", "uint", False), Variable("u", "uint", helper.waits)])
    place = Place(helper.waits, helper.waits, ("tile",) if helper.waits else (), returns="a", depth=2)
    statements.block(scope, place, most)
    tile = ", __local uint *tile" if helper.waits else ""
    head = f"uint {helper.name}({_HELPER_PARAMETERS}{tile}) {{"
    return "\n".join([head, *statements.text, "    return a ^ u;", "}\n"])
