"""How tools/run_cts.py reads what the programs of Khronos' suite say."""

from pathlib import Path

import pytest

from tools import run_cts

PASSED = "add...\nadd passed\nPASSED sub-test.\nPASSED test.\n"
FAILED = "add...\nERROR: wrong sum\nadd FAILED\nFAILED sub-test.\nFAILED test.\n"
# Passed, by its own words, without having tested anything.
NOT_PARSED = """\
add...

\t\t**** ERROR:  Unable to parse function name add.  Skipping....  *****

add passed
PASSED sub-test.
PASSED test.
"""
IN_PART = "add...\ncl_khr_fp16 is not supported; skipping half\nadd passed\nPASSED sub-test.\n"
SKIPPED = "add skipped (requires at least OpenCL version 3.1)\nPASSED test.\n"
AFTER_PROGRESS = "10% 20% add passed\nPASSED sub-test.\n"


@pytest.mark.parametrize(
    ("said", "code", "status"),
    [
        (PASSED, 0, "passed"),
        (AFTER_PROGRESS, 0, "passed"),
        (FAILED, 1, "failed"),
        (NOT_PARSED, 0, "failed"),
        (IN_PART, 0, "passed in part"),
        (SKIPPED, 0, "skipped"),
        ("", 0, "skipped"),
        ("", 255, "failed"),
        (PASSED, 3, "failed"),
        ("add...\n", -11, "crashed"),
        (PASSED, -11, "crashed"),
        ("add...\n", None, "timed out"),
    ],
)
def test_status_of_one_sub_test(said: str, code: int | None, status: str) -> None:
    assert run_cts.statuses(["add"], code, said) == {"add": status}


def test_sub_tests_of_one_run_have_their_own_results() -> None:
    said = (
        "b_wide...\nb_wide passed\n"
        "a_narrow...\nERROR: 3 is not 4\na_narrow FAILED\n"
        "skipping what needs doubles\nd passed\n"
    )
    names = ["a_narrow", "b_wide", "c", "d"]
    expected = {"a_narrow": "failed", "b_wide": "passed", "c": "skipped", "d": "passed in part"}
    assert run_cts.statuses(names, 1, said) == expected
    expected["c"] = "crashed"
    assert run_cts.statuses(names, -6, said) == expected


def test_suites_that_do_not_take_names_run_once_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "test_conformance" / "conversions"
    folder.mkdir(parents=True)
    program = folder / "test_conversions"
    program.write_text(
        '#!/bin/sh\nif [ "$1" = --list ]; then printf "\\tconversions\\n"; exit; fi\n'
        'echo "$@" >> arguments\necho "conversions passed"\n'
    )
    program.chmod(0o755)
    monkeypatch.setattr(run_cts, "environment", lambda: {"PATH": "/usr/bin:/bin"})
    chosen = [(run_cts.SUITES["conversions"], [])]
    ended = list(run_cts.run_all(tmp_path, chosen, limit=60, jobs=1, show=False))
    assert [(name, outcome.status) for _, name, outcome in ended] == [("conversions", "passed")]
    assert (folder / "arguments").read_text() == "-w\n"


def test_output_of_failing_sub_tests_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "test_conformance" / "basic"
    folder.mkdir(parents=True)
    program = folder / "test_basic"
    program.write_text('#!/bin/sh\necho "$1..."\n[ $1 = good ] && echo "$1 passed" || echo "$1 FAILED"\n')
    program.chmod(0o755)
    monkeypatch.setattr(run_cts, "environment", lambda: {"PATH": "/usr/bin:/bin"})
    monkeypatch.setattr("sys.argv", ["run_cts.py", str(tmp_path), "basic:good,bad"])
    assert run_cts.main() == 1
    (text,) = (tmp_path / "weft-failed").iterdir()
    assert (text.name, text.read_text()) == ("basic-bad.txt", "bad...\nbad FAILED\n")


def test_table_tells_what_passed_in_part() -> None:
    kept = {"conversions": {"one": ["passed", 1.0], "two": ["passed in part", 2.0], "three": ["failed", 1.0]}}
    text = run_cts.table(kept)
    assert "| conversions | 2 (1 in part) | 0 | 1 | 0 |" in text
    assert "- **conversions**, not passed: three (failed)" in text
