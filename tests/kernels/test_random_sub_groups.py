"""Random kernels of sub-group functions, in loops and branches, do in lanes what the interpreter does."""

import copy
import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from kernel_case import FOLDER, KernelCase, load
from kernel_ways import WAYS, CompiledWay, the_kernel

from weft.compiler.compile_work_group import compile_work_group
from weft.launch_form import LaunchForm
from weft.remarks import Remarks
from weft.transform.workgroup.sub_groups_to_lanes import SubGroups

SEEDS = range(8)
TYPES = {"x": "int", "y": "uint", "z": "float", "w": "long", "h": "short", "b": "uchar"}
# How work-items come to a statement: all of a sub-group by what the compiler knows or by what only the data
# knows, or any of them.
KNOWN, BY_DATA, DIVERGENT = range(3)
KERNEL = """// A random kernel.
//! options: -cl-std=CL3.0
//! launch: {local} / {local}
//! arg a: small_ints(prod(G), int32, -50, 50)
//! arg t: small_ints(prod(G), int32, 0, 9)
//! arg r: zeros((prod(G), 4), int32)
//! arg f: zeros(prod(G), float32)
//! arg sh: 4 * prod(L)
//! arg m: {m}
__attribute__((intel_reqd_sub_group_size({size})))
kernel void k(
    global const int *a, global const int *t, global int *r, global float *f, local int *sh, uint m) {{
    size_t l = get_local_linear_id();
    uint lane = get_sub_group_local_id();
    global const int *of_row = t + l - lane;
    int x = a[l]; uint y = t[l]; float z = a[l] * 0.125f; long w = a[l] * 3; short h = a[l]; uchar b = t[l];
{body}
    r[l * 4] = x + (int)y, r[l * 4 + 1] = (int)w, r[l * 4 + 2] = h, r[l * 4 + 3] = b, f[l] = z;
}}
"""


class Generator:
    """Writes statements; the same seed gives the same kernel."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.size = self.random.choice((4, 8, 16, 16, 32))
        self.lines: list[str] = []

    def kernel(self) -> str:
        """The text of a kernel test."""
        size, pick = self.size, self.random.choice
        for _ in range(self.random.randrange(5, 10)):
            self.statement(1, KNOWN)
        local = pick((f"{size}", f"{2 * size}", f"({size}, 2)", f"({2 * size}, 2)"))
        m = self.random.randrange(12)
        return KERNEL.format(local=local, size=size, m=m, body="\n".join(self.lines))

    def call(self, v: str, by_all: bool) -> str:
        """A function of the sub-group; with `by_all`, one that all of them must call."""
        last, pick = self.size - 1, self.random.choice
        place = pick(("lane", f"x & {last}", f"{last} - lane", f"(lane * 3) & {last}"))
        known = pick((f"{self.random.randrange(self.size)}", f"m & {last}"))
        operation = pick(("add", "min", "max"))
        together = (
            f"sub_group_reduce_{operation}({v})",
            f"sub_group_scan_inclusive_{operation}({v})",
            f"sub_group_scan_exclusive_add({v})",
            f"sub_group_broadcast({v}, {known})",
            f"({TYPES[v]})(sub_group_any({v} > 3) + sub_group_all({v} > -3))",
            f"sub_group_rotate({v}, {known})",
        )
        others = (
            f"sub_group_shuffle({v}, {place})",
            f"sub_group_shuffle_xor({v}, {known})",
            f"sub_group_clustered_reduce_{operation}({v}, {pick((1, 2, 4))})",
            f"({TYPES[v]})sub_group_ballot_exclusive_scan(sub_group_ballot({v} > 1))",
            f"({TYPES[v]})(sub_group_elect() + sub_group_non_uniform_all_equal({v}))",
        )
        return pick(together if by_all else together + others)

    def statement(self, depth: int, way: int) -> None:
        """A statement that work-items come to in a way."""
        pick, indent = self.random.choice, "    " * depth
        v, kind = pick(list(TYPES)), self.random.randrange(10)
        if way != DIVERGENT and kind < 5:
            self.lines.append(f"{indent}{v} = {self.call(v, way == BY_DATA)};")
        elif kind < 6 or depth > 3:
            change = (
                "z * 0.5f + lane" if v == "z" else f"({v} {pick('+-^*')} {pick(('lane', 'x', 'h'))}) % 61"
            )
            self.lines.append(f"{indent}{v} = {change};")
        elif kind < 9:
            data = "of_row[x > 100000]"
            if kind == 6:
                known = pick(("sub_group_any(x > 20)", "get_sub_group_id() == 0", "m > 4"))
                heads = ((known, way), (f"{data} > 3", BY_DATA), ("x & 1", DIVERGENT))
                condition, inside = pick(heads) if way != DIVERGENT else heads[2]
                self.lines.append(f"{indent}if ({condition}) {{")
            else:
                known = pick(("3", "get_sub_group_id() + 1"))
                counts = ((known, way), (f"{data} % 4", BY_DATA), ("y % 5", DIVERGENT))
                count, inside = pick(counts) if way != DIVERGENT else counts[2]
                self.lines.append(f"{indent}for (uint k = 0, n = {count}; k < n; k++) {{")
            for _ in range(self.random.randrange(1, 4)):
                self.statement(depth + 1, max(way, inside))
            self.lines.append(f"{indent}}}")
        elif depth == 1:
            wait = pick(("barrier", "sub_group_barrier")) + "(CLK_LOCAL_MEM_FENCE);"
            self.lines.append(f"{indent}{wait} sh[l] = x; {wait} x += sh[l ^ 1];")


@pytest.fixture(params=SEEDS)
def case(request: pytest.FixtureRequest, tmp_path: Path) -> KernelCase:
    path = tmp_path / "random.cl"
    path.write_text(Generator(request.param).kernel())
    return replace(load(path), path=FOLDER / f"random_sub_groups_{request.param}.cl")


def test_random_kernel_does_in_lanes_what_the_interpreter_does(case: KernelCase) -> None:
    (launch,) = case.launches
    given = case.make_arguments(launch)
    expected = WAYS["interpreter"](case, launch, copy.deepcopy(given))
    for way in ("auto", "masked", "serial"):
        found = CompiledWay(level=2, divergent=way).run(case, launch, copy.deepcopy(given))
        np.testing.assert_array_equal(found["r"], expected["r"])
        np.testing.assert_allclose(found["f"], expected["f"], rtol=1e-4, atol=1e-3)


def test_random_kernel_runs_in_lanes(case: KernelCase) -> None:
    kernel, (launch,) = the_kernel(case), case.launches
    remarks = Remarks(kernel.name)
    form = LaunchForm(launch.triple(launch.local_size))
    compile_work_group(kernel.code, replace(kernel.options, level=0), form, remarks=remarks)
    assert remarks.named(*SubGroups) == remarks.named(SubGroups.IN_LANES) != []
