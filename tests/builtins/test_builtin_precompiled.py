"""Built-ins that are compiled ahead are those that would be compiled when they are needed."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from weft.builtins import library, precompiled
from weft.builtins.catalogue import catalogue
from weft.builtins.library import DEFAULT, BuiltinFlags, Library
from weft.codegen.cache import Cache
from weft.codegen.optimise import emit_object
from weft.frontend.clang import ClangResult, run_clang
from weft.target import x86

TARGET = x86.describe("x86-64-v3")
SYMBOLS = ("_Z3sinf", "_Z3sinDv8_f", "_Z5clampiii", "_Z4pownfi", "_Z6vload4mPU8CLglobalKf", "_Z9remainderff")
SYMBOLS += ("_Z3logf", "_Z4log2f", "_Z5log10f", "_Z3powff")


@pytest.fixture
def nothing_is_compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An archive of a few built-ins; then clang cannot compile more of them."""
    monkeypatch.setattr(precompiled, "PATH", str(tmp_path / "__pycache__" / "builtins.archive"))
    monkeypatch.setattr(library, "common_symbols", lambda _: list(SYMBOLS))
    forget()
    assert library.compile_ahead(TARGET)
    assert not library.compile_ahead(TARGET)

    def refuse(arguments: list[str], source: str, *, reuse: bool = False) -> ClangResult:
        return ClangResult(1, "", "a built-in is compiled")

    monkeypatch.setattr(library, "run_clang", refuse)
    yield
    forget()


def forget() -> None:
    library._ahead.cache_clear()
    precompiled.precompiled.cache_clear()


def empty(folder: Path) -> Library:
    return Library(Cache(folder / "cache", 2**24))


def test_they_are_what_they_are_when_compiled_alone(
    tmp_path: Path, nothing_is_compiled: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = empty(tmp_path).link_in(SYMBOLS, TARGET, DEFAULT)
    assert found.missing == ()
    monkeypatch.setattr(library, "run_clang", run_clang)
    Path(precompiled.PATH).unlink()
    forget()
    for symbol, module in zip(SYMBOLS, found.modules, strict=True):
        (alone,) = empty(tmp_path).link_in([symbol], TARGET, DEFAULT).modules
        assert emit_object(module, TARGET, 2, [symbol]) == emit_object(alone, TARGET, 2, [symbol]), symbol


def test_built_ins_that_share_a_template_are_compiled_separately() -> None:
    symbols = ["_Z3logf", "_Z4log2f", "_Z3sinf", "_Z3logDv4_f", "_Z5log10f"]
    definitions = {
        symbol: found for symbol in symbols if (found := catalogue().find_symbol(symbol)) is not None
    }
    units = [list(unit) for unit in library._apart(definitions)]
    assert units == [["_Z3logf", "_Z3sinf", "_Z3logDv4_f"], ["_Z4log2f"], ["_Z5log10f"]]


def test_others_are_compiled_or_missing(tmp_path: Path, nothing_is_compiled: None) -> None:
    found = empty(tmp_path).link_in(
        ["llvm.fabs.f32", "_Z13get_global_idj", "_Z3sinf", "_Z3foof"], TARGET, DEFAULT
    )
    assert found.missing == ("llvm.fabs.f32", "_Z13get_global_idj", "_Z3foof")
    assert len(found.modules) == 1
    with pytest.raises(library.ToolError, match="a built-in is compiled"):
        empty(tmp_path).link_in(["_Z3sinf", "_Z3cosf"], TARGET, DEFAULT)


@pytest.mark.parametrize("symbol", ["_Z3sinf", "_Z9remainderff"])
def test_options_that_change_them_make_them_compile(
    symbol: str, tmp_path: Path, nothing_is_compiled: None
) -> None:
    for flags in (BuiltinFlags(fast_relaxed_math=True), BuiltinFlags(denorms_are_zero=True)):
        definition = catalogue().find_symbol(symbol)
        assert definition is not None
        if library._used(definition[1], flags.clang_arguments()):
            with pytest.raises(library.ToolError, match="a built-in is compiled"):
                empty(tmp_path).link_in([symbol], TARGET, flags)
        else:
            assert empty(tmp_path).link_in([symbol], TARGET, flags).modules


def test_another_processor_has_none(tmp_path: Path, nothing_is_compiled: None) -> None:
    other = x86.describe("x86-64-v4")  # it has tables in registers
    with pytest.raises(library.ToolError, match="a built-in is compiled"):
        empty(tmp_path).link_in(["_Z3sinf"], other, DEFAULT)


def test_an_archive_that_is_gone_is_no_error(tmp_path: Path, nothing_is_compiled: None) -> None:
    assert empty(tmp_path).link_in(["_Z3sinf"], TARGET, DEFAULT).modules
    Path(precompiled.PATH).unlink()
    with pytest.raises(library.ToolError, match="a built-in is compiled"):
        empty(tmp_path).link_in(["_Z3sinf"], TARGET, DEFAULT)


def test_it_knows_what_the_catalogue_knows(nothing_is_compiled: None) -> None:
    symbols = [*SYMBOLS, "_Z3foof", "_Z13get_global_idj", "_Z7barrierj", "_Z3cosf", "_Z3sinDh", "sin"]
    symbols += [
        "_Z11convert_intf",
        "_Z15convert_int_satf",
        "_Z12convert_fooli",
        "_Z15get_image_width14ocl_image2d_ro",
        "_Z11read_imagef14ocl_image2d_ro11ocl_samplerDv2_i.s16",
        "_Z11read_imagef14ocl_image2d_ro11ocl_samplerDv2_i.i4277.4318.s16",
        "_Z12write_imagef14ocl_image2d_woDv2_iDv4_f.i4277.4318",
    ]
    ahead = library._ahead(TARGET)
    for symbol in symbols:
        known = catalogue().find_symbol(symbol)
        assert library.has(symbol, TARGET) is (known is not None), symbol
        assert not (known is not None and ahead.shows_absence(symbol)), symbol
        is_open = known is not None and catalogue().templates[known[1].template].open
        assert (library.inlined_before_analysis([symbol], TARGET) == [symbol]) is is_open, symbol


def test_the_common_ones_are_functions_of_many_names() -> None:
    symbols = precompiled.common_symbols(catalogue())
    assert len(symbols) == len(set(symbols)) > 3000
    for symbol in ("_Z3sinf", "_Z3powDv16_fS_", "_Z5clampDv4_iS_S_", "_Z3fmaddd", "_Z14convert_float4Dv4_h"):
        assert symbol in symbols
    for symbol in ("_Z6vload4mPU8CLglobalKf", "_Z7vstore4Dv4_fmPU8CLglobalf", "_Z10atomic_addPU7CLlocalVii"):
        assert symbol in symbols
