"""tools/compare_code.py keeps the code of kernels, and names what differs later."""

from pathlib import Path

import pytest

from tools import compare_code
from tools.compare_code import Case, compare, main, record, without_names
from weft.compiler import pipeline

ADD = Case("add", "kernel void add(global int *a) { a[get_global_id(0)] += 1; }", "", (64, 1, 1))
SINGLE = Case("single", "kernel void s(global int *a) { for (int i = 0; i < 9; i++) a[i]++; }", "", (1, 1, 1))
BROKEN = Case("broken", "kernel void broken(", "", None)
FUNCTION = """\
define i32 @f(i32 %x) {
entry:
  %y = add i32 %x, 1
  br label %"the end"

"the end":
  ret i32 %y
}
"""


def test_names_of_values_and_blocks_do_not_count() -> None:
    other = FUNCTION.replace("%y", "%sum").replace("the end", "exit").replace("entry:", "start:")
    assert without_names(FUNCTION) == without_names(other) != without_names(FUNCTION.replace(", 1", ", 2"))


def test_same_code_is_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert record([ADD, BROKEN], tmp_path) == 0
    assert compare([ADD, BROKEN], tmp_path, 1) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "10 same, 0 different"


def test_other_code_is_named_with_the_difference(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    record([ADD], tmp_path)
    without = [p for p in pipeline.LAUNCH_PASSES if p.name != "vectorize-work-items"]
    monkeypatch.setattr(compare_code, "run_pipeline", lambda u, t: pipeline.run_pipeline(u, t, without))
    assert compare([ADD], tmp_path, 1) == 1
    said = capsys.readouterr().out
    assert "different: add/add/simd-8\n" in said
    assert "--- recorded" in said and said.endswith(" different\n")


def test_kernels_come_from_the_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compare_code, "all_cases", lambda randoms, seed: iter([ADD, SINGLE]))
    assert main(["record", str(tmp_path)]) == 0
    monkeypatch.setattr(compare_code, "all_cases", None)
    assert main(["compare", str(tmp_path), "--only", "add"]) == 0
    assert list(compare_code.read_cases(tmp_path / compare_code.CASES)) == [ADD, SINGLE]
    assert main(["compare", str(tmp_path)]) == 0


def test_no_record_is_a_usage_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", str(tmp_path / "absent")]) == 2
    assert "has no record" in capsys.readouterr().err


def test_random_kernels_depend_on_the_seed_alone() -> None:
    def sources(seed: int) -> list[str]:
        return [case.source for case in compare_code._random_cases(2, seed)]

    assert sources(7) == sources(7) != sources(8)
