"""The bound on code that is there several times: what it refuses, to which loops, and how long code becomes.

Instructions are counted; nothing is timed. Random kernels, and golden files with `--limit versions=0`, check
that the code computes the same.
"""

from pathlib import Path

import pytest
from kernel_case import load

from weft.compiler.build_program import compile_program
from weft.compiler.compilation_unit import CompilationUnit, Limits
from weft.compiler.pipeline import run_pipeline
from weft.frontend.options import parse_options
from weft.kernel import CodeOptions
from weft.launch_form import LaunchForm
from weft.remarks import Message
from weft.target import x86
from weft.trace import Trace
from weft.transform.cost_model.code_size import MOST_VERSIONS, TooLong

KERNELS = Path(__file__).parent.parent / "kernels"
UNBOUNDED = 10**9
# Nested loops with divergent trip counts; their loads are gathers of 16 bits, which cost much.
STEPS = """
    for (uint j = 0; j < in[i + {n}u] % 9u; j++) {{
        a = a * 3u + in[a % 64u];
        for (uint k = 0; k < (a & 7u); k++) {{
            if (in[(a + k) % 64u] > a) {{ a ^= in[k * 7u % 64u]; continue; }}
            for (uint l = 0; l < (a >> 8) % 5u; l++)
                if ((a = rotate(a, l) + in[a % 32u] / (l | 1u)) == 77u) break;
        }}
    }}
"""


def steps(regions: int) -> str:
    """A kernel with such steps in each of several regions."""
    body = "barrier(CLK_LOCAL_MEM_FENCE);".join(STEPS.format(n=n) for n in range(regions))
    return f"""
kernel void k(global uint *out, global const ushort *in) {{
    uint i = get_global_id(0), a = in[i];
    {body}
    out[i] = a;
}}
"""


def unit_of(source: str, versions: int, options: str = "") -> CompilationUnit:
    """The first kernel of a program, vectorized within a bound."""
    build = parse_options(options)
    kernel = compile_program(source, build).kernels[0]
    unit = CompilationUnit.of_kernel(kernel, CodeOptions.of(build), LaunchForm(None), x86.for_lanes(16))
    unit.limits = Limits(versions=versions)
    run_pipeline(unit, Trace(kernel.info.name, None, "", None))
    return unit


def length_of(unit: CompilationUnit) -> int:
    return sum(1 for _ in unit.function.instructions())


def refused(unit: CompilationUnit) -> set[Message]:
    return {reason.message for outcome in unit.outcomes for reason in outcome.left_out}


def test_code_of_many_regions_is_bounded() -> None:
    few, many, bound = 1, 6, 1500
    shortest, bounded, everything = (
        {n: length_of(unit_of(steps(n), versions)) for n in (few, many)} for versions in (0, bound, UNBOUNDED)
    )
    assert bounded[few] == everything[few] > 2 * shortest[few]
    # An instruction of a work-item becomes a few, with masks and what is done lane by lane.
    assert shortest[many] < bounded[many] < shortest[many] + 2 * bound
    assert everything[many] > shortest[many] + 2 * bound


def test_hottest_loops_have_their_code_first() -> None:
    one, repeated = STEPS.format(n=0), STEPS.format(n=1)
    source = f"""
kernel void k(global uint *out, global const ushort *in, uint n) {{
    uint i = get_global_id(0), a = in[i];
    {one}
    for (uint r = 0; r < n; r++) {{
        barrier(CLK_LOCAL_MEM_FENCE);
        {repeated}
        barrier(CLK_LOCAL_MEM_FENCE);
    }}
    out[i] = a;
}}
"""
    everything = unit_of(source, UNBOUNDED)
    tried = [o for o in everything.outcomes if o.divergent is not None]
    assert len({o.block for o in tried}) > len({o.header for o in tried}) == 2
    (cold, hot) = dict.fromkeys(o.header for o in tried)
    for versions in range(200, MOST_VERSIONS, 200):
        found = {o.header: o for o in unit_of(source, versions).outcomes}
        if TooLong.STRATEGIES not in {reason.message for reason in found[hot].left_out}:
            break
    assert TooLong.STRATEGIES in {reason.message for reason in found[cold].left_out}


@pytest.mark.parametrize(
    ("name", "reasons"),
    [
        ("divergent/rows_of_unknown_length", {TooLong.STRATEGIES, TooLong.UNMASKED}),
        ("divergent/begins_with_a_remainder", {TooLong.COHERENT}),
        ("simd/clamped_neighbours", {TooLong.FAST_PATH}),
        ("simd/rows_by_division", {TooLong.CASE}),
    ],
)
def test_what_is_refused_is_told(name: str, reasons: set[Message]) -> None:
    case = load(KERNELS / f"{name}.cl")
    assert not refused(unit_of(case.source, MOST_VERSIONS, case.options))
    assert reasons <= refused(unit_of(case.source, 0, case.options))
