"""The text that is written: no warnings that were not there, and nothing that depends on white space."""

import re

import pytest
from kernel_case import FOLDER, load
from rewritten_case import rewritten, with_source

from weft.frontend.options import BuildOptions, parse_options
from weft.source import model
from weft.source.refusal import Refused

FILES = [
    *("algorithms/mandelbrot", "algorithms/matrix_product_tiled", "conditional/early_return"),
    *("functions/divergent_calls", "loops/carried_values", "simd/clamped_neighbours"),
]
HOW = {
    "inter": {"inter": 4},
    "intra": {"intra": 4, "fast_math": True},
    "both": {"inter": 2, "intra": 2, "fast_math": True},
}
TOKEN = re.compile(r"#[^\n]*|/\*.*?\*/|//[^\n]*|\w+|\S", re.S)


def warnings(text: str, options: BuildOptions) -> set[str]:
    """What clang warns of with -Wall."""
    arguments = [*model._arguments(options), "-Wall"]
    index = model._cindex().Index.create()
    unit = index.parse("k.cl", args=arguments, unsaved_files=[("k.cl", text)])
    return {d.spelling for d in unit.diagnostics if d.severity >= 2}


def tokens(text: str) -> list[str]:
    """The text without white space and comments."""
    return [t for t in TOKEN.findall(text) if not t.startswith(("//", "/*"))]


def squeezed(text: str) -> str:
    """The same program with as few lines and as little white space as possible."""
    lines: list[str] = [""]
    for line in text.splitlines():
        if line.startswith("#"):
            lines += [line, ""]
        else:
            lines[-1] = " ".join([*lines[-1].split(), *line.split()])
    return "\n".join(lines)


@pytest.mark.parametrize("way", HOW)
@pytest.mark.parametrize("name", FILES)
def test_neither_warnings_nor_white_space(name: str, way: str) -> None:
    case = load(FOLDER / f"{name}.cl")
    case = with_source(case, re.sub(r"//[^\n]*", "", case.source))
    options = parse_options(case.options)
    try:
        new = rewritten(case, **HOW[way])
    except Refused:
        pytest.skip("this kernel is refused, which other tests are about")
    assert warnings(new.text, options) <= warnings(case.source, options)
    again = rewritten(with_source(case, squeezed(case.source)), **HOW[way])
    assert tokens(again.text) == tokens(new.text)
