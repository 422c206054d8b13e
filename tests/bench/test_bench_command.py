"""The benchmarks: what they report about a platform, and how they fail."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from bench import report
from bench.drive import Driver, Result
from bench.platforms import Platform
from bench.registry import Benchmark, Caches, Mode, Task, Unit, all_benchmarks, matching

ROOT = Path(__file__).resolve().parents[2]


def nothing(session: object) -> Task:
    """A benchmark's function that is never called."""
    raise AssertionError("only the names and units of these benchmarks are used")


LATENCY = Benchmark("launch/empty", nothing, Unit.MICROSECONDS, 0.0, Mode.ROUND_TRIP, Caches.ON)
BANDWIDTH = Benchmark("stream/copy", nothing, Unit.BANDWIDTH, 2e9, Mode.STREAM, Caches.ON)


@pytest.fixture
def bench(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs the command with few and short samples, on Weft alone."""

    def run(*patterns: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "bench", *patterns, "--platforms", "weft", "--repeats", "2"]
        command += ["--seconds", "0.001", "--results", str(tmp_path)]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)

    return run


def test_measures_and_records(bench: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path) -> None:
    result = bench("launch", "build", "stream/*/64*", "reduction")
    assert result.returncode == 0, result.stdout + result.stderr
    (path,) = tmp_path.glob("*.json")
    document = json.loads(path.read_text())
    assert document["platforms"]["weft"]["version"].startswith("OpenCL 3.0 Weft")
    results = {entry["name"]: entry["results"]["weft"] for entry in document["benchmarks"]}
    assert {"launch/one work-item", "build/20 lines, cold", "stream/saxpy/64 KiB arrays"} <= set(results)
    for name, found in results.items():
        assert len(found["seconds"]) == 2, name
        assert found["best"] > 0
        assert name in result.stdout


def test_pattern_that_matches_nothing_is_an_error(
    bench: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    result = bench("frobnicate")
    assert result.returncode == 1
    assert "no benchmark matches frobnicate" in result.stderr


def test_names_are_found_by_family_and_pattern() -> None:
    assert {b.name for b in matching(["launch"])} == {n for n in all_benchmarks() if n.startswith("launch/")}
    assert [b.name for b in matching(["*/tiled*"])] == ["matrix/tiled product/512"]
    assert len(matching([])) == len(all_benchmarks())


def test_platform_that_is_missing_is_reported_and_leaves_no_process(tmp_path: Path) -> None:
    driver = Driver([Platform("none", "No such platform", None)], tmp_path, 1, 0.001)
    try:
        results = driver.run(all_benchmarks()["launch/one work-item"], lambda: None)
    finally:
        driver.stop()
    assert "finds no platform" in str(results["none"].error)
    assert driver.workers == {}


def test_ratio_above_one_means_that_weft_is_quicker() -> None:
    weft, peer = Result([2.0, 1.0]), Result([4.0, 3.0])
    assert report.ratio(weft, peer) == 3.0
    assert report.ratio(weft, Result(error="failed")) is None


def test_table_shows_values_wrong_results_and_means() -> None:
    table = report.Table([LATENCY, BANDWIDTH], ["weft", "intel"])
    first = table.line(LATENCY, {"weft": Result([2e-6, 4e-6, 3e-6]), "intel": Result([4e-6])})
    second = table.line(BANDWIDTH, {"weft": Result([1.0]), "intel": Result(error="AssertionError: no")})
    assert "2.00 (3.00)" in first
    assert first.endswith("2.00 x")
    assert "2.00 (2.00)" in second
    assert "wrong" in second
    assert table.footer().endswith("2.00 x")


def test_worker_environment_hides_other_drivers_and_caches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OCL_ICD_VENDORS", "/elsewhere")
    monkeypatch.setenv("WEFT_CACHE_DIR", "/elsewhere")
    platform = Platform("weft", "Weft", "/lib.so", {}, "WEFT_CACHE", "WEFT_CACHE_DIR")
    environment = platform.environment(tmp_path, Caches.OFF)
    assert (Path(environment["OCL_ICD_VENDORS"]) / "weft.icd").read_text() == "/lib.so\n"
    assert environment["WEFT_CACHE"] == "0"
    assert Path(environment["WEFT_CACHE_DIR"]).parent == tmp_path
    assert os.environ["OCL_ICD_VENDORS"] == "/elsewhere"
