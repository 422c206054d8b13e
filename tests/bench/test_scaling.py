"""How times grow: every curve's cases are right, steps are found and named, the page shows them."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from bench.scaling.curves import CURVES, Curve
from bench.scaling.page import REASONS, STEP, UNKNOWN, Growth, cache_sizes, steps, write
from bench.session import Session

ROOT = Path(__file__).resolve().parents[2]
BY_NAME = {curve.name: curve for curve in CURVES}


@pytest.fixture(scope="module")
def session() -> Session:
    return Session("Weft")


@pytest.mark.parametrize("curve", [c for c in CURVES if c.of != "group"], ids=lambda curve: curve.name)
def test_cases_of_a_curve_are_right(curve: Curve, session: Session) -> None:
    for size in curve.sizes[:2]:
        task = curve.make(size).task(session)
        task.run()
        task.check()


def test_groups_of_any_size_exchange_the_same_range() -> None:
    for group in (1, 64, 4096):
        case = BY_NAME["group, barrier"].make(group)
        assert case.launches[0].local_size == (group,)
        numbers = case.buffers["in"]
        assert np.array_equal(np.sort(case.expected["out"] - numbers), numbers)


def growth(values: dict[str, dict[int, float]]) -> Growth:
    """A growth of values in the curves' units."""
    seconds = {
        name: {
            size: value * BY_NAME[name].amount(size) * (1e-6 if BY_NAME[name].builds else 1e-9)
            for size, value in points.items()
        }
        for name, points in values.items()
    }
    return Growth("a processor", {"weft": "1"}, {"weft": seconds}, {}, {"L1": 32 << 10, "L2": 1 << 20})


def test_steps_up_are_named_and_steps_down_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(REASONS, ("lines, straight", 100), "a reason")
    found = steps(
        growth(
            {
                "range, memory": {64: 9.0, 128: 3.0, 2**17: 1.0, 2**18: 1.6, 2**19: STEP * 1.6},
                "range, arithmetic": {2**20: 1.0, 2**21: 2.0},
                "lines, straight": {10: 5.0, 30: 2.0, 100: 3.5},
            }
        )
    )
    assert [(step.curve, step.after) for step in found] == [
        ("range, memory", 2**18),
        ("range, arithmetic", 2**21),
        ("lines, straight", 100),
    ]
    assert [round(step.factor, 2) for step in found] == [1.6, 2.0, 1.75]
    assert found[0].reason == "2048 KiB of data no longer fit into L2 (1024 KiB)"
    assert [step.reason for step in found[1:]] == [UNKNOWN, "a reason"]


def test_the_page_has_a_chart_and_a_table_of_each_curve(tmp_path: Path) -> None:
    path = write(growth({"range, memory": {64: 2.0, 128: 4.0}, "lines, branches": {10: 1.0}}), tmp_path)
    text = path.read_text()
    assert f"| range, memory | 64 | 128 | 2.00 | {UNKNOWN} |" in text
    assert "| 128 | 4.00 |" in text
    for name in ("range-memory", "lines-branches"):
        assert f"(images/scaling-{name}.svg)" in text
        assert "<polyline" in (tmp_path / "images" / f"scaling-{name}.svg").read_text()
    assert "group" not in " ".join(line for line in text.splitlines() if line.startswith("##"))


def test_caches_are_those_of_the_system(tmp_path: Path) -> None:
    for number, (level, kind, size) in enumerate(
        [("1", "Data", "32K"), ("1", "Instruction", "32K"), ("2", "Unified", "1024K")]
    ):
        cache = tmp_path / f"index{number}"
        cache.mkdir()
        for name, value in (("level", level), ("type", kind), ("size", size)):
            (cache / name).write_text(f"{value}\n")
    assert cache_sizes(tmp_path) == {"L1": 32 << 10, "L2": 1 << 20}


def test_the_command_measures_and_writes(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "bench.scaling",
        "range, barrier",
        "--platforms",
        "weft",
        "--samples",
        "1",
    ]
    command += ["--seconds", "0.001", "--most-items", "128", "--docs", str(tmp_path)]
    command += ["--record", str(tmp_path / "record.json")]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    assert "failed" not in result.stdout, result.stdout + result.stderr
    assert "| 64 | " in (tmp_path / "scaling.md").read_text(), result.stderr
