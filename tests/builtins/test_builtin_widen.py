"""Vector forms by name, as a vectorizer asks for them."""

import pytest

from weft.builtins.demangle import demangle
from weft.builtins.widen import mangle, widen


@pytest.mark.parametrize(
    "symbol,lanes,expected",
    [
        ("_Z3sinf", 8, "_Z3sinDv8_f"),
        ("_Z3sinf", 1, "_Z3sinf"),
        ("_Z3sinDv4_f", 16, "_Z3sinDv16_f"),
        ("_Z14convert_uchar4Dv4_i", 8, "_Z14convert_uchar8Dv8_i"),
        ("_Z3powdd", 4, "_Z3powDv4_dS_"),
        ("_Z5clampiii", 16, "_Z5clampDv16_iS_S_"),
        ("_Z5ldexpfi", 8, "_Z5ldexpDv8_fDv8_i"),
        ("_Z4pownfi", 2, "_Z4pownDv2_fDv2_i"),
        ("_Z8upsamplech", 4, "_Z8upsampleDv4_cDv4_h"),
        ("_Z9bitselectddd", 4, "_Z9bitselectDv4_dS_S_"),
        ("_Z19convert_int_sat_rtef", 8, "_Z20convert_int8_sat_rteDv8_f"),
        ("_Z13convert_floatj", 16, "_Z15convert_float16Dv16_j"),
        ("_Z3powDhDh", 16, "_Z3powDv16_DhS_"),
        ("_Z16convert_half_rtzd", 8, "_Z17convert_half8_rtzDv8_d"),
        ("_Z15convert_int_satDh", 4, "_Z16convert_int4_satDv4_Dh"),
    ],
)
def test_a_scalar_call_has_a_vector_form(symbol: str, lanes: int, expected: str) -> None:
    assert widen(symbol, lanes) == expected


@pytest.mark.parametrize(
    "symbol",
    [
        "_Z5isnanf",  # 1 becomes -1
        "_Z6selectffi",  # by truth, not by the top bit
        "_Z3anyi",
        "_Z3dotff",
        "_Z6lengthf",
        "_Z6sincosfPU9CLprivatef",
        "_Z10atomic_addPU8CLglobalVii",
        "_Z9mem_fencej",
        "_Z10native_sinDh",  # there is none for half
        "_Z13get_global_idj",
        "printf",
    ],
)
def test_calls_without_a_vector_form(symbol: str) -> None:
    assert widen(symbol, 8) is None


def test_there_are_only_the_widths_of_opencl() -> None:
    assert widen("_Z3sinf", 5) is None
    assert widen("_Z3sinf", 32) is None


@pytest.mark.parametrize(
    "symbol", ["_Z3sinDv8_f", "_Z5clampDv4_fS_S_", "_Z1gDv2_iDv4_fS_S0_", "_Z3minmm", "_Z1fv"]
)
def test_mangling_undoes_demangling(symbol: str) -> None:
    signature = demangle(symbol)
    assert signature
    assert mangle(signature) == symbol
