"""Symbols as clang mangles them, read back into names and types."""

import pytest

from weft.builtins.demangle import demangle

READ = {
    "_Z3sinDv8_f": "sin(float8)",
    "_Z5clampDv4_fS_S_": "clamp(float4, float4, float4)",
    "_Z10atomic_addPU8CLglobalVii": "atomic_add(global int *, int)",
    "_Z6vload4mPU8CLglobalKf": "vload4(ulong, global float *)",
    "_Z6vload2mPU9CLprivateKh": "vload2(ulong, private uchar *)",
    "_Z6sincosDv4_fPU9CLprivateS_": "sincos(float4, private float4 *)",
    "_Z16convert_int4_satDv4_d": "convert_int4_sat(double4)",
    "_Z6selectDv2_fS_Dv2_j": "select(float2, float2, uint2)",
    "_Z12get_work_dimv": "get_work_dim()",
    "_Z10vload_halfmPU8CLglobalKDh": "vload_half(ulong, global half *)",
    "_Z11read_imagef14ocl_image2d_ro11ocl_samplerDv2_i": "read_imagef(ocl_image2d_ro, ocl_sampler, int2)",
    "_Z39atomic_compare_exchange_strong_explicitPU8CLglobalVU7_AtomiciPU9CLprivateii"
    "12memory_orderS4_12memory_scope": (
        "atomic_compare_exchange_strong_explicit"
        "(global atomic_int *, private int *, int, memory_order, memory_order, memory_scope)"
    ),
}


@pytest.mark.parametrize("symbol", READ)
def test_a_built_in_symbol_is_read(symbol: str) -> None:
    assert str(demangle(symbol)) == READ[symbol]


@pytest.mark.parametrize(
    "symbol",
    [
        "main",
        "",
        "_Z",
        "_Z3f",
        "_Z3sin",
        "_Z3sinS_",
        "_Z3sinDv4f",
        "_Z9sin",
        "_Z3sinf?",
        "_Z3sinDv4_fS9_",
        "_ZN3fooE",
    ],
)
def test_other_symbols_are_not_built_ins(symbol: str) -> None:
    assert demangle(symbol) is None
