"""Small forms of the random kernels that were once compiled wrongly."""

import pytest
from fuzz_check import check
from fuzz_kernel import RandomCase
from kernel_case import FOLDER, Range
from kernel_ways import WAYS

from weft.device.emulators import EMULATORS

# The first use of a device in qemu compiles its server.
COMPILED = [
    pytest.param(way, marks=pytest.mark.slow if way in EMULATORS else ())
    for way in WAYS
    if way != "interpreter"
]

_HEAD = """
__kernel void k(__global uint *out, __global const uint *flags, uint n) {
    uint l = get_local_id(0), g = get_global_id(0), v = out[g];
"""

_MUCH = "v = v * 3 + l; v ^= v >> 2; " * 60

# `flags` holds zeros, so that no barrier behind one of them is reached.
KERNELS = {
    # The work-items of the first branch come to the end without a barrier, like those that do not take it:
    # they are not alone where their ways meet, and no barrier may be added there.
    "long_tail_under_divergent_branch": f"""
    if (v & 1) {{
        switch (v % 3) {{
            case 0: if (flags[l & 1]) barrier(CLK_LOCAL_MEM_FENCE); break;
            case 1: if (flags[0]) barrier(CLK_LOCAL_MEM_FENCE); v += 2; break;
        }}
        {_MUCH}
    }}
    out[g] = v;
}}""",
    # Work-items do not come to the inner branch together: no barrier may be added there.
    "barrier_not_reached_under_divergent_branch": """
    if (l < 3) {
        v += 5;
        if (flags[l & 1]) barrier(CLK_LOCAL_MEM_FENCE);
        v *= 3;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = v;
}""",
    # All cases of the switch are there, so that LLVM calls its default unreachable: not a way to return.
    "unreachable_default_of_divergent_switch": """
    switch (v % 4) {
        case 0:
        case 1: if (flags[0]) barrier(CLK_LOCAL_MEM_FENCE);
        case 2: v += 3;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = v;
}""",
    # A variable of the loop is joined at a block that a switch leads to by several cases.
    "switch_cases_join_in_divergent_loop": """
    if (v & 1) {
        for (uint i = 0; i < n; i++) {
            switch ((v ^ i) % 5) {
                case 0:
                    if (flags[l & 1]) barrier(CLK_LOCAL_MEM_FENCE);
                    v += 2;
                case 1:
                case 2:
                    v ^= i << 3;
            }
        }
    }
    out[g] = v;
}""",
    # The same variable passes through the inner loop, from where it must leave by a phi to be vectorized.
    "inner_loop_passed_by_joined_variable": """
    uint i = 0, most = v % 5;
    do {
        i++;
        uint j = 0;
        while (j < i % 5) { j++; v += j; }
        if (flags[l & 1]) barrier(CLK_LOCAL_MEM_FENCE);
    } while (i < most);
    out[g] = v + i;
}""",
    # Of a divergent loop with two exits one leads to code that not all lanes run.
    "divergent_loop_with_two_exits": """
    for (uint i = 0; i < v % 7; i++) {
        if ((v >> i) % 3 == 2) {
            v += 100;
            if (flags[l & 1]) barrier(CLK_LOCAL_MEM_FENCE);
            break;
        }
        for (uint j = 0; j < l % 3; j++) v ^= j + i;
    }
    out[g] = v;
}""",
}


@pytest.mark.parametrize("way", COMPILED)
@pytest.mark.parametrize("name", KERNELS)
def test_kernel_does_the_same_compiled(name: str, way: str) -> None:
    launch = Range("32 / 16", (32,), (16,), (0,))
    arguments = {"out": "arange(7, 39, dtype=uint32)", "flags": "zeros(2, uint32)", "n": "6"}
    case = RandomCase(FOLDER / f"{name}.cl", _HEAD + KERNELS[name], launches=(launch,), arguments=arguments)
    check(case, [way])
