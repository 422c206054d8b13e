"""How symbols are resolved: one compiler run, a module per symbol, caching, and what is missing."""

import itertools
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from weft.builtins import library
from weft.builtins.catalogue import WIDTHS, catalogue, named_element
from weft.builtins.demangle import Signature, Type, demangle
from weft.builtins.library import BuiltinFlags, Library
from weft.builtins.precompiled import Precompiled
from weft.codegen.cache import Cache
from weft.codegen.optimise import verify
from weft.compiler.build_program import compile_program
from weft.compiler.compile_work_group import compile_work_group
from weft.errors import ToolError
from weft.frontend.clang import ClangResult
from weft.frontend.options import parse_options
from weft.kernel import CodeOptions
from weft.launch_form import LaunchForm
from weft.target import x86

TARGET = x86.describe("x86-64-v3")
FLAGS = BuiltinFlags()


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The sources of all compiler runs from here on, if nothing has been compiled ahead."""
    sources: list[str] = []
    real = library.run_clang

    def counted(arguments: list[str], source: str, *, reuse: bool = False) -> ClangResult:
        sources.append(source)
        return real(arguments, source, reuse=reuse)

    monkeypatch.setattr(library, "run_clang", counted)
    monkeypatch.setattr(library, "_ahead", lambda target: Precompiled(None))
    return sources


def store(folder: Path) -> Cache:
    return Cache(folder / "cache", 2**24)


def test_all_symbols_come_from_one_compiler_run(tmp_path: Path, runs: list[str]) -> None:
    symbols = ["_Z3absi", "_Z5clampDv4_fS_S_", "_Z3maxDv2_jS_"]
    found = Library(store(tmp_path)).link_in(symbols, TARGET, FLAGS)
    assert len(runs) == 1
    assert found.missing == ()
    for symbol, module in zip(symbols, found.modules, strict=True):
        verify(module)
        assert f"@{symbol}(" in module
        assert "alwaysinline" in module
        assert "linkonce_odr" in module


def test_a_symbol_is_compiled_once_in_a_process(tmp_path: Path, runs: list[str]) -> None:
    built = Library(store(tmp_path))
    first = built.link_in(["_Z3absi", "_Z3absl"], TARGET, FLAGS)
    second = built.link_in(["_Z3absl", "_Z3abss"], TARGET, FLAGS)
    assert len(runs) == 2
    assert "_Z3absl" not in runs[1]
    assert first.modules[1] == second.modules[0]


def test_a_symbol_is_compiled_once_for_all_processes(tmp_path: Path, runs: list[str]) -> None:
    first = Library(store(tmp_path)).link_in(["_Z3absi"], TARGET, FLAGS)
    second = Library(store(tmp_path)).link_in(["_Z3absi"], TARGET, FLAGS)
    assert len(runs) == 1
    assert first == second


def test_the_cache_is_that_of_the_settings_when_it_is_needed(
    tmp_path: Path, runs: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEFT_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("WEFT_CACHE", "0")
    built = Library()
    built.link_in(["_Z3absi"], TARGET, FLAGS)
    monkeypatch.setenv("WEFT_CACHE", "1")
    built.link_in(["_Z3absl"], TARGET, FLAGS)
    Library().link_in(["_Z3absl"], TARGET, FLAGS)
    assert len(runs) == 2


def test_a_flag_is_part_of_the_key_where_it_matters(tmp_path: Path, runs: list[str]) -> None:
    built = Library(store(tmp_path))
    fast = BuiltinFlags(fast_relaxed_math=True)
    exact_sine, exact_sum = built.link_in(["_Z3sinf", "_Z3madfff"], TARGET, FLAGS).modules
    fast_sine, fast_sum = built.link_in(["_Z3sinf", "_Z3madfff"], TARGET, fast).modules
    assert len(runs) == 2
    assert exact_sum == fast_sum
    assert "br i1" in exact_sine
    assert "br i1" not in fast_sine


def test_fused_arithmetic_is_part_of_the_key(tmp_path: Path, runs: list[str]) -> None:
    built = Library(store(tmp_path))
    (fused,) = built.link_in(["_Z3madfff"], TARGET, FLAGS).modules
    (plain,) = built.link_in(["_Z3madfff"], x86.describe("x86-64"), FLAGS).modules
    assert len(runs) == 2
    assert "llvm.fma" in fused
    assert "llvm.fma" not in plain


@pytest.mark.parametrize(
    "symbol",
    [
        "printf",
        "_Z13get_global_idj",
        "_Z7barrierj",
        "_Z3sini",
        "_Z3sinff",
        "_Z5clampDv4_fS_",
        "_Z5clampDv4_fDv2_fS0_",
        "_Z3maxDv5_fS_",
        "_Z12convert_int4f",
        "_Z5crossDv8_fS_",
        "_Z3dotDv16_fS_",
        "_Z7vstore2Dv2_fmPU10CLconstantf",
        "_Z17convert_float_sati",
        "_Z15convert_int_rtxf",
        "_Z21async_work_group_copyPU7CLlocalfPU8CLglobalKfm9ocl_event",
    ],
)
def test_what_the_library_does_not_have_is_reported(symbol: str, tmp_path: Path, runs: list[str]) -> None:
    found = Library(store(tmp_path)).link_in([symbol, "_Z3absi"], TARGET, FLAGS)
    assert found.missing == (symbol,)
    assert len(found.modules) == 1


def test_nothing_wanted_starts_no_compiler(tmp_path: Path, runs: list[str]) -> None:
    assert Library(store(tmp_path)).link_in([], TARGET, FLAGS) == library.Resolution((), ())
    assert runs == []


def test_a_template_that_does_not_compile_is_a_tool_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library, "translation_unit", lambda wanted: "this is not OpenCL C")
    signature = demangle("_Z3absi")
    assert signature
    instance = catalogue().find(signature)
    assert instance
    with pytest.raises(ToolError, match="does not compile"):
        library.compile_symbols({"_Z3absi": (signature, instance)}, TARGET, FLAGS)


def test_every_template_that_is_used_exists() -> None:
    templates = catalogue().templates
    assert all(name in templates for template in templates.values() for name, _ in template.uses)


@pytest.mark.parametrize("widths", [WIDTHS, (4,), (1,)], ids=["all widths", "width 4", "scalars"])
def test_every_function_compiles_with_all_others(widths: tuple[int, ...]) -> None:
    """For every type and two address spaces; with several widths each signature takes one of them in turn."""
    wanted = {}
    for name, patterns in catalogue().patterns.items():
        for pattern in patterns:
            allowed = (pattern.width,) if pattern.width else tuple(set(pattern.widths) & set(widths))
            for element, space in itertools.product(pattern.types or ("",), ("global", "private")):
                if allowed:
                    signature = _signature(name, pattern, element, allowed[len(wanted) % len(allowed)], space)
                    instance = catalogue().find(signature)
                    assert instance, str(signature)
                    wanted[str(signature)] = (signature, instance)
    symbols = {f"symbol_{i}": found for i, found in enumerate(wanted.values())}
    assert len(symbols) > 900
    modules = library.compile_symbols(symbols, TARGET, FLAGS)
    assert all(symbol in modules[symbol] for symbol in symbols)


def _signature(name: str, pattern: Any, element: str, width: int, space: str) -> Signature:
    widths = {"N": width, "1": 1, "M": 4}
    parameters = [
        Type(
            named_element(parameter.element, element),
            widths[parameter.width],
            parameter.pointer,
            "constant" if parameter.constant and space == "global" else space,
            parameter.atomic,
        )
        for parameter in pattern.parameters
    ]
    return Signature(name, tuple(parameters))


STRAIGHT = [
    "expm1",
    "sinh",
    "cosh",
    "tanh",
    "asin",
    "acos",
    "atan",
    "sinpi",
    "cospi",
    "tanpi",
    "erf",
    "erfc",
    "sqrt",
    "round",
    "sign",
    "floor",
    "fabs",
    "logb",
]


@pytest.mark.parametrize("element", ["f", "d", "Dv4_f", "Dv8_d"])
def test_mathematics_is_straight_line_code(element: str, tmp_path: Path) -> None:
    symbols = [f"_Z{len(name)}{name}{element}" for name in STRAIGHT]
    found = Library(store(tmp_path)).link_in(symbols, TARGET, FLAGS)
    branching = [
        s for s, module in zip(symbols, found.modules, strict=True) if re.search(r"^  br ", module, re.M)
    ]
    assert branching == []


@pytest.mark.parametrize(
    "name",
    [
        "exp",
        "exp2",
        "exp10",
        "rsqrt",
        "cbrt",
        "log",
        "log2",
        "log10",
        "log1p",
        "asinh",
        "acosh",
        "atanh",
        "atan2",
        "pow",
        "powr",
    ],
)
def test_only_numbers_that_are_not_normal_take_branches(name: str, tmp_path: Path) -> None:
    lanes = "Dv16_fS_" if name in ("atan2", "pow", "powr") else "Dv16_f"
    (module,) = Library(store(tmp_path)).link_in([f"_Z{len(name)}{name}{lanes}"], TARGET, FLAGS).modules
    assert 1 <= len(re.findall(r"^  br i1 ", module, re.M)) <= 3
    assert "extractelement" not in module


@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
def test_only_large_angles_take_a_branch_and_all_lanes_take_it_together(name: str, tmp_path: Path) -> None:
    (module,) = Library(store(tmp_path)).link_in([f"_Z3{name}Dv16_f"], TARGET, FLAGS).modules
    assert len(re.findall(r"^  br i1 ", module, re.M)) == 1


OPENCL_1_2 = """
acos acosh acospi asin asinh asinpi atan atan2 atanh atanpi atan2pi cbrt ceil copysign cos cosh cospi erfc
erf exp exp2 exp10 expm1 fabs fdim floor fma fmax fmin fmod fract frexp hypot ilogb ldexp lgamma lgamma_r
log log2 log10 log1p logb mad maxmag minmag modf nan nextafter pow pown powr remainder remquo rint rootn
round rsqrt sin sincos sinh sinpi sqrt tan tanh tanpi tgamma trunc half_cos half_divide half_exp half_exp2
half_exp10 half_log half_log2 half_log10 half_powr half_recip half_rsqrt half_sin half_sqrt half_tan
native_cos native_divide native_exp native_exp2 native_exp10 native_log native_log2 native_log10 native_powr
native_recip native_rsqrt native_sin native_sqrt native_tan abs abs_diff add_sat hadd rhadd clamp clz mad_hi
mad_sat max min mul_hi rotate sub_sat upsample popcount mad24 mul24 degrees mix radians step smoothstep sign
cross dot distance length normalize fast_distance fast_length fast_normalize isequal isnotequal isgreater
isgreaterequal isless islessequal islessgreater isfinite isinf isnan isnormal isordered isunordered signbit
any all bitselect select vload2 vload3 vload4 vload8 vload16 vstore2 vstore3 vstore4 vstore8 vstore16
vload_half vload_half16 vstore_half_rtz vstore_half3_rtp vloada_half4 vstorea_half8_rtn mem_fence
read_mem_fence write_mem_fence prefetch atomic_add atomic_sub atomic_xchg atomic_inc atomic_dec
atomic_cmpxchg atomic_min atomic_max atomic_and atomic_or atomic_xor atom_add atom_cmpxchg shuffle shuffle2
"""


def test_the_functions_of_opencl_1_2_are_there() -> None:
    assert [name for name in OPENCL_1_2.split() if name not in catalogue().patterns] == []


def test_a_build_compiles_only_the_forms_that_a_launch_needs(
    tmp_path: Path, runs: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    fresh = Library(store(tmp_path))
    monkeypatch.setattr(library, "_library", lambda: fresh)
    options = parse_options("-cl-denorms-are-zero -cl-finite-math-only")
    source = "kernel void k(global float *a) { int i = get_global_id(0); a[i] = remainder(a[i], 1.5f); }"
    program = compile_program(source, options)
    assert runs == []
    compile_work_group(program.kernels[0], CodeOptions.of(options), LaunchForm((64, 1, 1)))
    (unit,) = runs
    assert "_Z9remainderff(" not in unit


def test_tables_in_registers_need_no_instruction_that_the_target_lacks() -> None:
    wanted = {"_Z3logDv8_d": catalogue().find_symbol("_Z3logDv8_d")}
    wide = x86.describe("x86-64-v4")
    for target, expected in ((replace(wide, table_lookups=()), False), (wide, True)):
        module = library.compile_symbols(wanted, target, FLAGS)["_Z3logDv8_d"]
        verify(module)
        assert ("@llvm.x86." in module) is expected
