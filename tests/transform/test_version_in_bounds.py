"""Which loops get a fast path for in-bounds accesses, and how that accesses memory."""

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

import pytest

from weft import ir
from weft.compiler.build_program import compile_program
from weft.compiler.compile_work_group import compile_work_group
from weft.frontend.options import parse_options
from weft.kernel import CodeOptions
from weft.launch_form import LaunchForm
from weft.trace import Trace
from weft.transform.simd.outcome import Outcome

T = TypeVar("T")

KERNEL = """kernel void k(global const float *s, global const int *index, global float *out,
                          int w, int h, int r) {{
    int x = get_global_id(0), y = get_global_id(1);
    float sum = 0;
    {body}
    out[y * w + x] = sum;
}}"""

# Indices of which the fast path is rid, and others.
IN_LINE = {
    "clamp": "sum = s[clamp(x - 1, 0, w - 1)] + s[clamp(x + 1, 0, w - 1)];",
    "min and max": "sum = s[y * w + max(x - 2, 0)] + s[y * w + min(x + 2, w - 1)];",
    "one of them": "sum = s[max(x - 1, 0)];",
    "backwards": "sum = s[y * w + max(w - 2 - x, 0)];",
    "every other": "sum = s[min(2 * x + 1, w - 1)];",
    "a long loop": "for (int d = -9; d <= 9; d++) sum += s[y * w + clamp(x + d, 0, w - 1)];",
    "a loop downwards": "for (int d = 9; d > -9; d--) sum += s[y * w + clamp(x + d, 0, w - 1)];",
    "as far as told": "for (int d = -r; d <= r; d++) sum += s[y * w + clamp(x + d, 0, w - 1)];",
    "64 bits": "sum = s[min(get_global_id(0) + 1, (size_t)(uint)w)];",
    "a ring": "sum = s[(x + 1) % w] - s[(x - 1 + w) % w];",
}
ELSE = {
    "by data": "sum = s[clamp(index[x], 0, w - 1)];",
    "far apart": "sum = s[clamp(7 * x + 1, 0, w - 1)];",
    "a small table": "sum = s[min(x, 3)];",
    "rows": "sum = s[x % w];",
    "may wrap": "sum = s[min((uint)x + (uint)r, (uint)w)];",
    "two that move": "sum = s[min(x + 1, w - x)];",
    "no address": "sum = s[x] * clamp(x + 1, 0, w - 1);",
}


class _Vectorized(Exception):
    """Nothing behind the vectorizer is of interest."""


class _Watch(Trace):
    """Keeps what the vectorizer did, and the code."""

    outcomes: list[Outcome]
    text = ""

    def run(self, name: str, module: ir.Module, change: Callable[[], T]) -> T:
        """Runs a step, and ends the compilation behind the vectorizer."""
        result = super().run(name, module, change)
        if name == "vectorize-work-items":
            self.outcomes = result  # type: ignore[assignment]
            self.text = ir.print_module(module)
            raise _Vectorized
        return result


def _vectorized(body: str, size: tuple[int, int, int] = (64, 1, 1), lanes: int = 0) -> _Watch:
    build = parse_options("")
    (kernel,) = compile_program(KERNEL.format(body=body), build).kernels
    watch = _Watch("k", None, "", None)
    with pytest.raises(_Vectorized):
        compile_work_group(kernel, replace(CodeOptions.of(build), lanes=lanes), LaunchForm(size), trace=watch)
    return watch


def _loads(outcome: Outcome) -> tuple[set[str], set[str]]:
    """How floats are loaded on the fast path, and elsewhere."""
    how = [how[0] for i, how in outcome.accesses if i.opcode == "load" and str(i.type) == "float"]
    inside, edge = ({str(replace(h, edge=False)) for h in how if h.edge is edge} for edge in (False, True))
    return inside, edge


@pytest.mark.parametrize("lanes", (0, 8))
@pytest.mark.parametrize("body", IN_LINE.values(), ids=IN_LINE)
def test_loads_on_the_fast_path_are_vector_loads(body: str, lanes: int) -> None:
    (outcome,) = _vectorized(body, lanes=lanes).outcomes
    inside, edge = _loads(outcome)
    assert inside <= {"vector load", "reversed vector load", "vector loads and shuffles, stride 2"}
    assert inside and "gather" in edge


@pytest.mark.parametrize("body", ELSE.values(), ids=ELSE)
def test_what_has_no_fast_path_stays_as_it_is(body: str) -> None:
    assert not any(_loads(outcome)[1] for outcome in _vectorized(body, lanes=8).outcomes)


def test_all_work_items_of_a_small_group_are_lanes_of_the_fast_path() -> None:
    (outcome,) = _vectorized(IN_LINE["clamp"], (16, 1, 1)).outcomes
    assert outcome.width == 16 and _loads(outcome) == ({"vector load"}, {"gather"})


def test_the_first_and_the_last_lane_decide_for_all() -> None:
    """x - 1 >= 0 is asked of the first lane, x + 1 <= w - 1 of the last of eight."""
    text = _vectorized(IN_LINE["clamp"], lanes=8).text
    assert "icmp sge <8 x i64>" not in text
    asked = [line for line in text.splitlines() if "icmp sge i64" in line]
    assert len(asked) == 2
    assert any(line.rstrip().endswith(", -7") for line in text.splitlines() if "add i64" in line)


def test_the_remainder_has_no_fast_path() -> None:
    """Work-items that the lanes leave over run under a mask, by the slow path alone."""
    watch = _vectorized(IN_LINE["clamp"], (60, 1, 1), lanes=8)
    assert watch.text.count("= call <8 x float> @llvm.masked.gather") == 2 * 2
    assert "weft.every" not in watch.text
