"""The client in C that measures calls of the host: it gives every figure, and the table shows them."""

from pathlib import Path

from bench.host.__main__ import FIGURES, compile_client, measure, table
from bench.platforms import weft_platform


def test_all_figures_are_measured_and_shown(libpython: Path, tmp_path: Path) -> None:
    figures = measure(compile_client(tmp_path), weft_platform(), tmp_path, rounds=2, megabytes=8)
    assert set(figures) == set(FIGURES)
    assert all(value > 0 for value in figures.values())
    lines = table({"weft": figures, "other": {}}).splitlines()
    assert lines[0] == "| | weft | other |"
    assert len(lines) == 2 + len(FIGURES)
