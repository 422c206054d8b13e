"""Which loops get a version for lanes in line when they enter it, and how that accesses memory."""

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

T = TypeVar("T")

KERNEL = """kernel void k(global const float *pattern, global const float *window, global float *out,
                          global const int *starts, int c, int t, int w) {{
    int e = get_global_id(0), row = e % c;
    float sum = 0;
    for (int y = {start}; y <= min(row, t); y++) sum += pattern[y] * window[row - y];
    out[e] = sum;
}}"""


class _Vectorized(Exception):
    """Nothing behind the vectorizer is of interest."""


class _Watch(Trace):
    """Keeps what the vectorizer made."""

    text = ""

    def run(self, name: str, module: ir.Module, change: Callable[[], T]) -> T:
        """Runs a step, and ends the compilation behind the vectorizer."""
        result = super().run(name, module, change)
        if name == "vectorize-work-items":
            self.text = ir.print_module(module)
            raise _Vectorized
        return result


def _vectorized(start: str, strategy: str) -> str:
    build = parse_options("")
    (kernel,) = compile_program(KERNEL.format(start=start), build).kernels
    watch = _Watch("k", None, "", None)
    options = replace(CodeOptions.of(build), divergent=strategy, lanes=8)
    with pytest.raises(_Vectorized):
        compile_work_group(kernel, options, LaunchForm((64, 1, 1)), trace=watch)
    return watch.text


def _loads(text: str, first: str) -> set[str]:
    """How floats are loaded from a block to where both versions of a loop end: the types and calls."""
    blocks = {b.name: b for b in ir.parse(text).function("weft.workgroup.k").blocks}
    found, stack = {blocks["simd.exit"]}, [blocks[first]]
    how = set()
    while stack:
        block = stack.pop()
        if block not in found:
            found.add(block)
            stack += block.successors()
            how.update(str(i.type) for i in block.instructions if i.opcode == "load")
            called = (i.called_function for i in block.instructions if i.opcode == "call")
            how.update(
                (f.name or "").split(".")[2] for f in called if f is not None and "masked" in (f.name or "")
            )
    return how


@pytest.mark.parametrize("strategy", ["masked", "dvec-s"])
def test_coherent_lanes_load_consecutive_elements(strategy: str) -> None:
    text = _vectorized("max(row - w, 0)", strategy)
    side_by_side = {"masked": {"load"}, "dvec-s": {"load", "<8 x float>"}}[strategy]
    assert _loads(text, "simd.coherent") == {"float", *side_by_side}
    # The other case: y differs from lane to lane as row does, unless it wraps, and row - y is the same.
    assert _loads(text, "simd.coherent.1") == {"float", "gather", *side_by_side}
    assert _loads(text, "simd.incoherent.1") == {"gather"}


def test_loaded_values_are_not_expected_to_be_consecutive() -> None:
    assert "simd.coherent" not in _vectorized("starts[e]", "masked")


@pytest.mark.parametrize("strategy", ["serial", "dvec"])
def test_serial_loops_are_not_versioned(strategy: str) -> None:
    assert "simd.coherent" not in _vectorized("max(row - w, 0)", strategy)
