"""Programs in processes of their own: their results are checked, their phases told apart and shown."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bench.drive import Result
from bench.families.start import MEASURED, PROGRAMS
from bench.outcome import Outcome
from bench.platforms import weft_platform
from bench.registry import Caches, all_benchmarks
from bench.table import Table

SMALL = {"global_size": (64, 64), "floats": 4096, "number": 64}


@pytest.fixture(autouse=True)
def only_weft(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs find Weft, whatever the machine has, as they do in a worker of the benchmarks."""
    environment = weft_platform().environment(tmp_path, Caches.ON)
    monkeypatch.setenv("OCL_ICD_VENDORS", environment["OCL_ICD_VENDORS"])


def test_a_program_runs_in_a_process_of_its_own(libpython: Path) -> None:
    program = PROGRAMS["one-shot/2-D convolution, 2048x2048"]
    task = replace(program, **SMALL).task(served=False)
    assert task.measure
    sample = task.measure()
    task.check()
    assert sample.seconds == pytest.approx(sum(sample.phases[name] for name in MEASURED))
    assert sample.cpu_seconds > 0
    assert {"platform", "context", "second build", "second launch"} < set(sample.phases)
    wrong = replace(program, **SMALL, expected=lambda content: content + 1).task(served=False)
    wrong.run()
    with pytest.raises(AssertionError, match="largest error"):
        wrong.check()


@pytest.mark.parametrize(
    ("name", "small"),
    [
        ("one-shot/reduction, 16 M numbers", {"floats": 1 << 16, "number": 1 << 16}),
        ("one-shot/n-body, 4096", {"global_size": (256, 1), "floats": 1024, "number": 256}),
    ],
)
def test_programs_compute_what_they_should(libpython: Path, name: str, small: dict[str, Any]) -> None:
    task = replace(PROGRAMS[name], **small).task(served=False)
    task.run()
    task.check()


def test_phases_of_the_best_run_are_shown() -> None:
    benchmark = all_benchmarks()["one-shot/matrix product, 512"]
    weft = Result(seconds=[0.2, 0.1], cpu_seconds=[0.3, 0.3], phases=[{"build": 0.15}, {"build": 0.075}])
    other = Result(error="failed")
    table = Table([benchmark], ["weft", "intel"])
    _, head, line = table.phases([Outcome(benchmark, {"weft": weft, "intel": other})]).splitlines()
    assert head.split()[-2:] == ["weft", "intel"]
    assert line.split() == ["build", "75.0", "-"]
    assert table.phases([Outcome(benchmark, {"weft": Result([1.0], [1.0]), "intel": other})]) == ""
