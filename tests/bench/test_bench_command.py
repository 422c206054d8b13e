"""The benchmarks' command: what it measures, records and compares, and how it fails."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from bench import platforms
from bench.drive import ROUNDS_BETWEEN, Driver, Effort
from bench.notes import NOTES
from bench.platforms import Platform
from bench.registry import Caches, all_benchmarks, matching

ROOT = Path(__file__).resolve().parents[2]
Bench = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """Runs the command with few and short samples, on Weft alone."""

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "bench", *arguments, "--platforms", "weft", "--repeats", "2"]
        command += ["--builds", "1", "--seconds", "0.001", "--results", str(tmp_path)]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)

    return run


def test_compares_programs_from_spirv(bench: Bench) -> None:
    said = bench("--spirv", "micro/saxpy/float2").stdout  # whose option has a space
    assert re.search(r"micro/saxpy/float2 +weft [\d.]+ µs, [\d.]+ µs, [\d.]+\n", said), said
    assert "weft: " in said and "of 1 cases" in said


def test_measures_and_records(bench: Bench, tmp_path: Path) -> None:
    result = bench("launch", "build", "stream/*/64*", "reduction")
    assert result.returncode == 0, result.stdout + result.stderr
    (path,) = tmp_path.glob("*.json")
    document = json.loads(path.read_text())
    assert document["platforms"]["weft"]["version"].startswith("OpenCL 3.1 Weft")
    results = {entry["name"]: entry["results"]["weft"] for entry in document["benchmarks"]}
    assert {"launch/one work-item", "build/20 lines, cold", "stream/saxpy/64 KiB arrays"} <= set(results)
    for name, found in results.items():
        assert len(found["seconds"]) == 2, name
        assert found["best"] > 0
        assert len(found["build_seconds"]) == (0 if name.startswith("build/") else 1)
        assert name in result.stdout
        assert f"] {name}\n" in result.stderr, "no terminal: a line for each"
    assert "<svg" not in path.with_suffix(".html").read_text(), "there is no peer to compare with"


def test_compares_with_an_earlier_record(bench: Bench, tmp_path: Path) -> None:
    earlier = tmp_path / "earlier" / "record.json"
    earlier.parent.mkdir()
    entry = {"name": "launch/one work-item", "results": {"weft": {"best": 1e-12}}}
    earlier.write_text(json.dumps({"benchmarks": [entry]}))
    result = bench("launch/one work-item", "--compare", str(earlier), "--cpu", "--cores", "1")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "now/then" in result.stdout


def test_pattern_that_matches_nothing_is_an_error(bench: Bench) -> None:
    result = bench("frobnicate")
    assert result.returncode == 1
    assert "no benchmark matches frobnicate" in result.stderr


def test_names_are_found_by_family_case_and_pattern() -> None:
    assert {b.name for b in matching(["launch"])} == {n for n in all_benchmarks() if n.startswith("launch/")}
    assert [b.name for b in matching(["matrix/tiled*"])] == ["matrix/tiled product/512"]
    assert {b.name for b in matching(families=["matrix"])} == {
        n for n in all_benchmarks() if n.startswith("matrix/")
    }
    assert [b.name for b in matching(families=["stream"], cases=["2 MiB*"])] == [
        "stream/vector add/2 MiB arrays",
        "stream/saxpy/2 MiB arrays",
    ]
    assert len(matching()) == len(all_benchmarks())


def test_notes_are_about_benchmarks_that_exist() -> None:
    assert NOTES.keys() <= all_benchmarks().keys()


def test_platform_that_is_missing_is_reported_and_leaves_no_process(tmp_path: Path) -> None:
    driver = Driver([Platform("none", "No such platform")], tmp_path, Effort(1, 0.001, 1))
    try:
        benchmarks = all_benchmarks()
        results = driver.run(benchmarks["launch/one work-item"], lambda: None)
        again = driver.run(benchmarks["launch/256 work-groups"], lambda: None)
    finally:
        driver.stop()
    assert "LookupError: the loader finds no platform" in str(results["none"].error)
    assert again["none"].error == results["none"].error == driver.broken["none"]
    assert driver.workers == {}


def test_what_platforms_are_compared_with_is_measured_between_rounds(tmp_path: Path) -> None:
    driver = Driver(
        [Platform("none", "No such platform")], tmp_path, Effort(2 * ROUNDS_BETWEEN + 1, 0.001, 1)
    )
    calls: list[str] = []
    driver.run(
        all_benchmarks()["launch/one work-item"],
        partial(calls.append, "step"),
        partial(calls.append, "between"),
    )
    assert calls.count("step") == driver.steps()
    assert [index for index, call in enumerate(calls) if call == "between"] == [1, 6, 11]


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


def test_peers_of_installed_are_those_of_the_loader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OCL_ICD_VENDORS", "/elsewhere")
    names = ["Weft", "Portable Computing Language", "Acme OpenCL", "Acme OpenCL"]
    monkeypatch.setattr(platforms, "_reported_names", lambda kind: names)
    found = platforms.installed_platforms()
    assert [platform.name for platform in found] == ["weft", "pocl", "acme"]
    assert found[2].environment(tmp_path, Caches.ON)["OCL_ICD_VENDORS"] == "/elsewhere"
    monkeypatch.setattr(platforms, "_reported_names", lambda kind: [])
    assert [platform.name for platform in platforms.installed_platforms()] == ["weft"]
