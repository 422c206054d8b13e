"""The study: the transform of the paper gains by horizontal parallelization what it gained there, or more."""

from pathlib import Path
from xml.etree import ElementTree

import pytest

from bench.tta import ALONE, PREFACE, dct_case, simulate, total
from weft.cli.main import main
from weft.program import build
from weft.tta.compile import TtaOptions, compile_kernel
from weft.tta.draw import block_svg
from weft.tta.machine import load_machine
from weft.tta.program import ToUnit

KERNEL = """
kernel void scale(global const float *a, global float *b, float by, int n) {
    int i = get_global_id(0);
    if (i < n)
        b[i] = a[i] * by;
}
"""


def test_the_transform_gains_at_least_what_it_gains_in_the_paper() -> None:
    case = dct_case(8)
    alone, _ = total(simulate(case, ALONE))
    woven, rate = total(simulate(case, TtaOptions(items=64)))
    assert alone / woven > 5.2
    assert rate > 3


def test_the_page_names_what_is_measured() -> None:
    lines = PREFACE.read_text().splitlines()
    assert [word for word in ("DCT", "PIPELINING", "SCALING", "FAMILY", "REFUSED") if word not in lines] == []


def test_the_command_prints_a_schedule(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "scale.cl"
    path.write_text(KERNEL)
    assert main(["tta", str(path), "--local", "4", "--items", "2"]) == 0
    text = capsys.readouterr().out
    assert "kernel scale for work-groups of 4x1x1 on table2" in text
    assert "2 of 4 work-items in an iteration" in text
    assert "cycle | bus 0" in text
    for words in (".fmul", "?bool.", "-> lsu.", ".st32", "jump", "register reads"):
        assert words in text


def test_the_command_draws_a_schedule_on_the_explain_page(tmp_path: Path) -> None:
    path, written = tmp_path / "scale.cl", tmp_path / "scale.html"
    path.write_text(KERNEL)
    assert main(["tta", str(path), "--local", "64", "--items", "2", "--html", str(written)]) == 0
    text = written.read_text()
    assert "Control flow" in text or "Barriers" in text
    assert "iterations overlap" in text
    kernel = build(KERNEL, "").kernels["scale"]
    made = compile_kernel(kernel.code, kernel.options, (64, 1, 1), load_machine(), TtaOptions(items=2))
    assert text.count('<svg class="moves"') == len(made.program.blocks)
    for block in made.program.blocks:
        started = [m for m in block.moves if isinstance(m.destination, ToUnit) and not m.destination.port]
        drawn = block_svg(made.program, block)
        assert drawn in text
        assert drawn.count("<g ") >= len(started)
        ElementTree.fromstring(drawn)


def test_the_command_names_what_the_machine_lacks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "divide.cl"
    path.write_text("kernel void divide(global int *a, int n) { a[get_global_id(0)] /= n; }")
    assert main(["tta", str(path)]) == 1
    assert "divide: no unit of the machine table2 has the operation div" in capsys.readouterr().err
    assert main(["tta", str(path), "--machine", "nowhere"]) == 1
    assert "unknown machine or file 'nowhere'" in capsys.readouterr().err
