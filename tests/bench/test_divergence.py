"""The study of divergent loops: native programs compute what is expected, the page says what was measured."""

import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest

from bench.case import CASES, Case, Launch
from bench.divergence import counting, findings, page
from bench.divergence.charts import BarChart, ShareChart
from bench.divergence.counting import Counts
from bench.divergence.findings import BadStudy, Finding, Study, sign
from bench.divergence.native import compile_runner, write_case
from bench.divergence.rates import Rates, rate_strategy
from bench.divergence.subjects import FAMILY, STRATEGIES, SUBJECTS, strategy_settings
from bench.registry import all_benchmarks
from bench.side_by_side import Times, settings_and_peers

all_benchmarks()

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def runner(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_runner(tmp_path_factory.mktemp("runner"))


def test_the_ten_kernels_of_the_thesis_are_benchmarks() -> None:
    names = {name for name in all_benchmarks() if name.startswith(f"{FAMILY}/")}
    assert names == {subject.benchmark for subject in SUBJECTS}
    assert len(names) == 10


# A tile that the end of the range cuts off; local memory as an argument and two dimensions; many launches.
@pytest.mark.parametrize("name", ["particlefilter", "histo", "bfs-parboil"])
def test_native_programs_compute_the_same(name: str, runner: Path, tmp_path: Path) -> None:
    case = CASES[f"{FAMILY}/{name}"].quick(np.random.default_rng(1))
    write_case(case, tmp_path).run(runner, rounds=2)


def test_a_wrong_result_of_a_native_program_is_noticed(runner: Path, tmp_path: Path) -> None:
    source = "__kernel void count(__global int *x) { x[get_global_id(0)] = get_global_id(0); }"
    buffers = {"before": np.zeros(3, np.int32), "x": np.zeros(100, np.int32)}
    wrong = np.arange(100, dtype=np.int32)
    wrong[7] = 0
    case = Case(source, [Launch("count", ("x",), (100,), (100,))], buffers, {"x": wrong})
    with pytest.raises(AssertionError, match=r"1.00% of x is wrong, first at 7"):
        write_case(case, tmp_path).run(runner)


def test_iterations_are_counted_by_mode(tmp_path: Path) -> None:
    (serial,) = rate_strategy("serial", ["particlefilter"], tmp_path, lambda _: None).values()
    (masked,) = rate_strategy("masked", ["particlefilter"], tmp_path, lambda _: None).values()
    assert (serial.full, serial.sub_group, serial.masked) == (0, 0, 0)
    assert (masked.full, masked.sub_group, masked.serial) == (0, 0, 0)
    # A work-item's last iteration finds that the search is over.
    assert serial.serial == masked.masked > 4096
    used = masked.used_lanes()
    assert used is not None
    assert 0.5 < used <= 1


@pytest.mark.skipif(not counting.available(), reason="valgrind is not installed")
def test_counts_are_the_same_again(tmp_path: Path) -> None:
    (first,) = counting.count_strategy("masked", ["spmv"], tmp_path / "1", lambda _: None).values()
    (second,) = counting.count_strategy("masked", ["spmv"], tmp_path / "2", lambda _: None).values()
    assert first == second
    assert first.instructions > first.reads > first.read_misses > 0


def test_a_platform_for_each_strategy() -> None:
    platforms = settings_and_peers(strategy_settings(["serial", "auto"]))
    assert [p.name for p in platforms[:2]] == ["serial", "auto"]
    assert platforms[0].variables == {"WEFT_TIERS": "0", "WEFT_DIVERGENT": "serial"}


def test_counts_of_another_study() -> None:
    counts = {"serial": Counts(10, 5, 3, 1, 1)}
    timed = Study("here", {}, {"spmv": Finding(Times({"auto": 1.0}))})
    timed.take_counts(Study("there", {}, {"spmv": Finding(Times({"auto": 2.0}), counts), "sad": Finding()}))
    assert timed.findings == {"spmv": Finding(Times({"auto": 1.0}), counts)}


def test_the_best_of_several_rounds_counts() -> None:
    times = Times({"auto": 2.0, "serial": 3.0})
    times.improve(Times({"auto": 2.5, "serial": 1.0}, {"masked": "AssertionError"}))
    assert times == Times({"auto": 2.0, "serial": 1.0}, {"masked": "AssertionError"})


def test_signs_are_those_of_the_thesis() -> None:
    assert [sign(ratio) for ratio in (0.5, 0.98, 1.0, 1.02, 1.5, None)] == ["+", "0", "0", "0", "-", "0"]


def make_study(auto: float = 1.0, names: tuple[str, ...] = tuple(s.name for s in SUBJECTS)) -> Study:
    """A study in which `masked` takes 1 ms, `auto` so many, everything else 2 ms."""
    found = {}
    for name in names:
        times = Times(
            dict.fromkeys((*STRATEGIES, "intel", "pocl"), 0.002) | {"masked": 1e-3, "auto": auto * 1e-3}
        )
        counts = {strategy: Counts(1000, 200, 100, 10, 5) for strategy in STRATEGIES}
        found[name] = Finding(times, counts, {"dvec-s": Rates(60, 30, 0, 10, 0)})
    return Study("a processor", {"intel": "1", "pocl": "2"}, found)


def test_what_should_hold() -> None:
    assert [ok for _, _, ok in make_study(1.0).verdicts()] == [True, True, True, True, True]
    assert [ok for _, _, ok in make_study(1.1).verdicts()] == [False, True, True, True, True]
    assert [ok for _, _, ok in make_study(2.2).verdicts()] == [False, False, False, False, False]
    few = make_study(1.0, ("sad", "spmv"))
    assert ("2 of 2", False) in [(text, ok) for _, text, ok in few.verdicts()]


def test_a_study_can_be_kept(tmp_path: Path) -> None:
    study = make_study()
    findings.save(study, tmp_path / "study.json")
    assert findings.load(tmp_path / "study.json") == study


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"machine": 1, "versions": {}, "findings": {"a": 1}}'])
def test_another_file_is_no_study(text: str, tmp_path: Path) -> None:
    path = tmp_path / "study.json"
    path.write_text(text)
    with pytest.raises(BadStudy, match=r"study\.json: not a record"):
        findings.load(path)


def test_the_page_has_charts_and_the_figures_of_the_thesis(tmp_path: Path) -> None:
    text = page.write(make_study(), tmp_path).read_text()
    images = re.findall(r"\]\((images/[^)]+)\)", text)
    assert len(images) == 4
    for image in images:
        root = ElementTree.fromstring((tmp_path / image).read_text())
        assert root.tag.endswith("svg")
        assert "spmv" in [element.text for element in root.iter()]
    row = next(line for line in text.splitlines() if line.startswith("| histo | 0 |"))
    assert row == "| histo | 0 | 0 | - | 0 | + | 0 | device function | coalesced | + |"
    assert "| `auto` is 1.5 times as fast as `serial` on 6 kernels | 10 of 10 | yes |" in text


def test_a_page_without_counts_has_no_charts_of_them(tmp_path: Path) -> None:
    study = make_study()
    for finding in study.findings.values():
        finding.counts.clear()
        finding.rates.clear()
    text = page.write(study, tmp_path).read_text()
    assert re.findall(r"\]\((images/[^)]+)\)", text) == ["images/divergence-speedup.svg"]


def test_bars_grow_from_one_to_both_sides() -> None:
    chart = BarChart("t", {"k": {"masked": 2.0, "dvec": 0.5, "auto": None}}, ("masked", "dvec", "auto"))
    bars = re.findall(
        r'<rect x="([\d.]+)" y="[\d.]+" width="([\d.]+)" height="10" fill="#(4a78b5|c9a227)"', chart.svg()
    )
    by_colour = {colour: (float(x), float(width)) for x, width, colour in bars}
    (right, grown), (left, shrunk) = by_colour["4a78b5"], by_colour["c9a227"]
    assert left + shrunk == pytest.approx(right, abs=0.2)
    assert grown == pytest.approx(shrunk, abs=0.2)


def test_shares_fill_the_whole() -> None:
    shares = Rates(1, 2, 3, 4).shares()
    assert shares == {"full": 0.1, "sub-group": 0.2, "masked": 0.3, "serial": 0.4}
    assert sum(Rates().shares().values()) == 0
    chart = ShareChart("t", {"k": shares}, list(shares))
    widths = [float(w) for w in re.findall(r'width="([\d.]+)" height="22"', chart.svg())]
    assert sum(widths) == pytest.approx(900 - 120 - 60, abs=0.5)


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "bench.divergence", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_the_command_measures_and_writes(tmp_path: Path) -> None:
    options = [
        "--strategies",
        "auto",
        "--rounds",
        "2",
        "--repeats",
        "2",
        "--seconds",
        "0.001",
        "--no-counts",
        "--docs",
        str(tmp_path),
    ]
    result = command("particlefilter", *options, "--record", str(tmp_path / "record.json"))
    assert "written: " in result.stdout, result.stderr
    assert result.stderr.count("[1/1] particlefilter") == 2, "no terminal: a line for each"
    study = findings.load(tmp_path / "record.json")
    assert study.findings["particlefilter"].times.seconds["auto"] > 0
    assert not study.findings["particlefilter"].times.errors.get("auto")
    again = command("--from", str(tmp_path / "record.json"), "--docs", str(tmp_path / "again"))
    assert (tmp_path / "again" / page.PAGE).read_text() == (tmp_path / page.PAGE).read_text(), again.stderr


def test_the_command_says_what_it_does_not_know() -> None:
    result = command("nbody", "--strategies", "auto,sideways")
    assert result.returncode == 2
    assert "not known: nbody, sideways" in result.stderr
