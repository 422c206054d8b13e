"""Halves become shorts with saturation: the nearest short, zero for NaN."""

import ctypes

import numpy as np
import pytest

from weft.codegen.host import host_target
from weft.codegen.jit import load
from weft.codegen.optimise import emit_object
from weft.codegen.saturated_halves import widen_saturated_halves

EVERY_HALF = np.arange(1 << 16, dtype=np.uint16).view(np.float16)


def module(lanes: int, name: str = "%r", tail: str = "") -> str:
    """Convert `lanes` halves at the first address to shorts at the second."""
    halves, shorts, suffix = (
        (f"<{lanes} x half>", f"<{lanes} x i16>", f"v{lanes}i16.v{lanes}f16")
        if lanes > 1
        else ("half", "i16", "i16.f16")
    )
    return f"""
define void @f(ptr %from, ptr %to) {{
  %x = load {halves}, ptr %from, align 2
  {name} = {tail}call {shorts} @llvm.fptosi.sat.{suffix}({halves} %x)
  store {shorts} {name}, ptr %to, align 2
  ret void
}}
declare {shorts} @llvm.fptosi.sat.{suffix}({halves})
"""


@pytest.mark.parametrize("level", [0, 2])
@pytest.mark.parametrize("lanes", [1, 2, 3, 8, 16, 32])
def test_every_half_saturates(lanes: int, level: int) -> None:
    code = load(emit_object(module(lanes), host_target(), level), "f")
    convert = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(code.address)
    padded = np.resize(EVERY_HALF, -(-len(EVERY_HALF) // lanes) * lanes)
    found = np.empty(len(padded), np.int16)
    for at in range(0, len(padded), lanes):
        convert(padded[at:].ctypes.data, found[at:].ctypes.data)
    whole = np.trunc(np.where(np.isnan(padded), 0, padded).astype(np.float64))
    np.testing.assert_array_equal(found, np.clip(whole, -(1 << 15), (1 << 15) - 1).astype(np.int16))


@pytest.mark.parametrize("name", ["%r", "%7", '%"a name"'])
@pytest.mark.parametrize("lanes", [1, 16])
def test_no_conversion_from_half_is_left(lanes: int, name: str) -> None:
    text = module(lanes, name, "tail ")
    changed = widen_saturated_halves(text)
    calls = [line for line in changed.splitlines() if "call" in line]
    assert [".f16" in line or "f16(" in line for line in calls] == [False]
    assert changed.count("fpext") == 1
    assert widen_saturated_halves(changed) == changed


def test_other_conversions_stay() -> None:
    text = module(4).replace("i16", "i32")
    assert widen_saturated_halves(text) == text
