"""Kernels for the interpreter, and the same functions as machine code to compare with."""

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from weft import ir
from weft.builtins.library import link_in
from weft.codegen.host import host_target
from weft.codegen.jit import load
from weft.codegen.optimise import emit_object, optimise
from weft.frontend.compile import compile_source
from weft.frontend.options import parse_options
from weft.interp import Allocation, run_function

# Straight from clang, every variable in memory; and through LLVM's whole optimizer.
FORMS = ("frontend", "optimised")


@cache
def kernel_text(source: str, form: str, options: str = "") -> str:
    """The LLVM text of OpenCL C."""
    text = compile_source(source, parse_options(options), host_target()).ir
    return text if form == "frontend" else optimise(text, host_target(), 2)


def compile_kernel(source: str, form: str = "optimised", options: str = "") -> ir.Module:
    """A fresh module of OpenCL C."""
    return ir.parse(kernel_text(source, form, options))


def with_built_ins(source: str, form: str) -> str:
    """The LLVM text of OpenCL C with the built-ins that it calls linked in."""
    text = kernel_text(source, "frontend")
    called = [
        f.name
        for f in ir.parse(text).functions
        if f.is_declaration and f.name and not f.name.startswith("llvm.")
    ]
    found = link_in(called, host_target())
    return optimise([text, *found.modules], host_target(), 0 if form == "frontend" else 2)


def native(text: str, symbol: str) -> Callable[..., None]:
    """A void function of pointers and 64-bit integers as machine code, not optimized."""
    code = load(emit_object(text, host_target(), 0), symbol)
    function = ctypes.CFUNCTYPE(None)(code.address)

    def call(*arguments: Any) -> None:
        assert code.address  # keeps the code in memory
        function(
            *[
                ctypes.c_void_p(a.ctypes.data) if isinstance(a, np.ndarray) else ctypes.c_int64(a)
                for a in arguments
            ]
        )

    return call


def both(
    text: str, inputs: list[np.ndarray], output: np.ndarray, *extra: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Runs @f(inputs…, output, extra…) in both ways: the interpreter's output, the machine's, and which
    bytes of the former are defined."""
    expected = output.copy()
    native(text, "f")(*inputs, expected, *extra)
    found = Allocation("output", memoryview(output).cast("B"))
    run_function(ir.parse(text), "f", [*inputs, found, *extra], step_limit=1_000_000)
    defined = (
        np.ones(found.size, bool)
        if found.shadow is None
        else np.frombuffer(bytes(found.shadow), np.uint8) == 0
    )
    return output, expected, defined


def assert_same(found: np.ndarray, expected: np.ndarray, defined: np.ndarray) -> None:
    """All defined elements have equal bits, or are NaN in both."""
    elements = defined.reshape(len(found), -1).all(axis=1)
    assert elements.any(), "nothing was defined, so nothing was tested"
    same = found.view(f"u{found.itemsize}") == expected.view(f"u{found.itemsize}")
    if found.dtype.kind == "f":
        same |= np.isnan(found) & np.isnan(expected)
    wrong = np.flatnonzero(elements & ~same)
    assert not len(wrong), f"at {wrong[:5]}: {found[wrong[:5]]} instead of {expected[wrong[:5]]}"


DTYPES = {"i8": "u1", "i16": "u2", "i32": "u4", "i64": "u8", "half": "f2", "float": "f4", "double": "f8"}


def edge_integers(bits: int, rng: np.random.Generator, count: int) -> np.ndarray:
    """Integers with the limits, their neighbours and small numbers among them."""
    mask = (1 << bits) - 1
    half = 1 << (bits - 1)
    edges = [0, 1, 2, 3, 5, bits - 1, bits, half - 1, half, half + 1, mask, mask - 1, mask // 3]
    numbers = rng.integers(0, mask, count, dtype=np.uint64, endpoint=True)
    small = rng.integers(0, bits, count, dtype=np.uint64)
    numbers = np.where(rng.random(count) < 0.3, small, numbers)
    chosen = rng.random(count) < 0.4
    numbers[chosen] = rng.choice(np.array(edges, np.uint64), chosen.sum())
    return numbers.astype(f"u{bits // 8}")


def edge_floats(kind: str, rng: np.random.Generator, count: int) -> np.ndarray:
    """Floating-point numbers: random bits, ordinary numbers, and all the special ones."""
    dtype = np.dtype(DTYPES[kind])
    info = np.finfo(dtype)
    small = info.smallest_subnormal
    edges = np.array(
        [
            *(0.0, -0.0, 1.0, -1.0, 0.5, 1.5, 2.5, -2.5, np.inf, -np.inf, np.nan, 3.0, 1e-3, 100.25),
            *(info.max, -info.max, info.tiny, small, -small, info.eps, 1 + info.eps),
        ],
        dtype,
    )
    bits = rng.integers(0, 2**64 - 1, count, dtype=np.uint64, endpoint=True)
    wild = bits.astype(f"u{dtype.itemsize}").view(dtype)
    tame = (rng.standard_normal(count) * 10.0 ** rng.integers(-3, 4, count)).astype(dtype)
    kind_of = rng.random(count)
    return np.where(kind_of < 0.35, wild, np.where(kind_of < 0.7, tame, rng.choice(edges, count))).astype(
        dtype
    )
