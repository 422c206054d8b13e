"""The programs of a suite are run in turn, checked and compared."""

import json
import sys
from pathlib import Path

import pytest

from bench.platforms import Platform
from tools.run_suites import Program, Run, best, close, kernel_time, main, read_suite, rounds, table


def test_kernel_times_are_added_and_rates_inverted(tmp_path: Path) -> None:
    program = Program("s", "p", tmp_path, ("p",), kernel=r"took ([0-9.]+)", unit=1e-3)
    assert kernel_time(program, "first took 1.5\nsecond took 2.5\n") == pytest.approx(4e-3)
    assert kernel_time(program, "nothing") is None
    program = Program("s", "p", tmp_path, ("p",), rate=r"GB/s (\S+)")
    assert kernel_time(program, "GB/s 2\nGB/s 8\nGB/s nan\n") == pytest.approx(1 / 4)


def test_numbers_may_differ_a_little_and_words_not() -> None:
    assert close("sum 1.00000 of 3", "sum 1.00001 of 3", 1e-4)
    assert not close("sum 1.00000 of 3", "sum 1.01000 of 3", 1e-4)
    assert not close("sum 1.0", "total 1.0", 1e-4)
    assert not close("1 2", "1 2 3", 1e-4)


def test_a_program_runs_on_each_platform_and_on_weft_twice(tmp_path: Path) -> None:
    code = "import os; print('got', os.environ['VALUE']); print('took 2')"
    program = Program(
        "s", "p", tmp_path, (sys.executable, "-c", code), kernel=r"took (\S+)", same=r"got (.*)"
    )
    platforms = [
        Platform("intel", "Intel", None, {"VALUE": "1.0"}),
        Platform("pocl", "pocl", None, {"VALUE": "1.5"}),
        Platform("weft", "Weft", None, {"VALUE": "1.0"}, "WEFT_CACHE", "WEFT_CACHE_DIR"),
    ]
    runs = list(rounds(program, platforms, 2, 60, tmp_path))
    order = ["intel", "pocl", "weft cold", "weft warm"]
    assert [run.platform for run in runs] == 2 * order
    assert [run.wrong for run in runs] == 2 * [None, "differs", None, None]
    assert all(run.kernel == 2 for run in runs)


@pytest.mark.parametrize(
    ("code", "wrong"),
    [
        ("print('ok')", None),
        ("print('ok'); print('FAILED: 3')", "says 'FAILED: 3'"),
        ("print('done')", "does not say 'ok'"),
        ("print('ok'); raise SystemExit(3)", "exit status 3"),
        ("print('ok', flush=True); import time; time.sleep(60)", "takes too long"),
    ],
)
def test_what_a_program_says_of_its_result_counts(tmp_path: Path, code: str, wrong: str | None) -> None:
    program = Program("s", "p", tmp_path, (sys.executable, "-c", code), passes="ok", fails="FAILED.*")
    (run,) = rounds(program, [Platform("intel", "Intel")], 1, 2, tmp_path)
    assert run.wrong == wrong


def test_the_table_has_ratios_of_the_best_times_and_their_geometric_mean() -> None:
    runs = [
        Run("a", "intel", 2.0, 1.0, None),
        Run("a", "weft warm", 3.0, 0.5, None),
        Run("a", "weft warm", 1.0, 0.75, None),
        Run("b", "intel", 2.0, None, None),
        Run("b", "weft warm", 4.0, None, None),
        Run("c", "intel", 2.0, None, None),
        Run("c", "weft warm", 4.0, None, "exit status 1"),
    ]
    assert best(runs)["a", "weft warm"] == Run("a", "weft warm", 1.0, 0.5, None)
    lines = table(runs).splitlines()
    assert lines[2] == "| a | 1000 ms | 2000 ms | 0.50 | 0.50 |"
    assert lines[3] == "| b |  | 2000 ms |  | 2.00 |"
    assert lines[4] == "| c |  | 2000 ms | exit status 1 | exit status 1 |"
    assert lines[5] == "| geometric mean |  |  | **0.50** | **1.00** |"


def test_a_suite_is_described_by_a_file_and_its_runs_are_recorded(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    suite = tmp_path / "suite.json"
    entry = {"name": "p", "folder": "there", "command": [sys.executable, "-c", "print('ok')"], "passes": "ok"}
    suite.write_text(json.dumps({"suite": "mine", "programs": [entry, entry | {"name": "q"}]}))
    (tmp_path / "there").mkdir()
    assert [(p.name, p.folder) for p in read_suite(suite)] == [(n, tmp_path / "there") for n in ("p", "q")]
    record = tmp_path / "runs.jsonl"
    given = [str(suite), "p", "--platforms", "weft", "--times", "1", "--record", str(record)]
    assert main(given) == 0
    assert [json.loads(line)["platform"] for line in record.read_text().splitlines()] == [
        "weft cold",
        "weft warm",
    ]
    capsys.readouterr()
    assert main([str(suite), "--record", str(record), "--table"]) == 0
    assert "| p |" in capsys.readouterr().out
