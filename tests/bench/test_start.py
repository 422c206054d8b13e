"""Programs in processes of their own: their results are checked, their phases told apart and shown."""

from dataclasses import replace
from pathlib import Path

import pytest

from bench.drive import Result
from bench.families.start import MEASURED, PROGRAMS
from bench.outcome import Outcome
from bench.registry import all_benchmarks
from bench.table import Table


def test_a_program_runs_in_a_process_of_its_own(libpython: Path) -> None:
    program = PROGRAMS["2-D convolution, 2048x2048"]
    task = replace(program, side=64).task()
    assert task.measure
    sample = task.measure()
    task.check()
    assert sample.seconds == pytest.approx(sum(sample.phases[name] for name in MEASURED))
    assert sample.cpu_seconds > 0
    assert {"platform", "context", "second build", "second launch"} < set(sample.phases)
    wrong = replace(program, side=64, expected=lambda content: content + 1).task()
    wrong.run()
    with pytest.raises(AssertionError, match="largest error"):
        wrong.check()


def test_phases_of_the_best_run_are_shown() -> None:
    benchmark = all_benchmarks()["start/matrix product, 512"]
    weft = Result(seconds=[0.2, 0.1], cpu_seconds=[0.3, 0.3], phases=[{"build": 0.15}, {"build": 0.075}])
    other = Result(error="failed")
    table = Table([benchmark], ["weft", "intel"])
    _, head, line = table.phases([Outcome(benchmark, {"weft": weft, "intel": other})]).splitlines()
    assert head.split()[-2:] == ["weft", "intel"]
    assert line.split() == ["build", "75.0", "-"]
    assert table.phases([Outcome(benchmark, {"weft": Result([1.0], [1.0]), "intel": other})]) == ""
