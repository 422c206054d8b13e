"""The study of rewritten kernels: its forms, a run on Weft, and the page that is made of a record."""

import json
from pathlib import Path

import pytest

from bench.clvectorizer import page, study
from bench.clvectorizer.__main__ import main
from bench.clvectorizer.study import Chosen, Measured, OnPlatform, Study
from bench.clvectorizer.subjects import APPLICATIONS, PATTERNS, SUBJECTS

pytest.importorskip("clang.cindex", reason="libclang is not installed: pip install 'weft[source]'")


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("bundle") / "forms.json"
    assert main(["--bundle", str(path)]) == 0
    return path


def test_every_application_has_its_forms(bundle: Path) -> None:
    made = json.loads(bundle.read_text())
    for subject in (*APPLICATIONS, *PATTERNS):
        assert {"naive", "eV2", "eV4", "eV8", "eV16"} <= set(made["forms"][subject.name])
    for name in ("matrix_multiplication", "convolution"):
        assert {"iV4", "iV4+eV4", "eV4+iV4"} <= set(made["forms"][name])
    for name in ("black_scholes", "red_black_sor"):
        assert "has no loop" in made["refused"][name]["iV4"]


def test_forms_are_measured_and_right_on_weft(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = tmp_path / "record.json"
    command = ["neighbours_separate", "--platforms", "weft", "--rounds", "1", "--seconds", "0.001"]
    main([*command, "--record", str(record), "--docs", str(tmp_path)])
    found = study.load(record).platforms["weft"]
    assert set(found.results["neighbours_separate"]) == {"naive", "eV2", "eV4", "eV8", "eV16"}
    assert not found.wrong() and "5 of 5" in capsys.readouterr().out


def measured(seconds: float) -> Measured:
    return Measured(seconds, 4_000_000)


@pytest.fixture
def made() -> Study:
    slow = OnPlatform("pocl", "a CPU", "1.2", True, "a machine", 1, 1)
    fast = OnPlatform("Weft", "a CPU", "3.0", True, "a machine", 1, 1)
    for name in SUBJECTS:
        slow.results[name] = {"naive": measured(4e-3), "eV4": measured(1e-3), "eV8": measured(2e-3)}
        fast.results[name] = {"naive": measured(1e-3), "eV4": measured(2e-3)}
    slow.chosen["convolution"] = Chosen("eV4", "consecutive")
    fast.chosen["convolution"] = Chosen("naive", "nothing gained")
    return Study({"pocl": slow, "weft": fast}, {"black_scholes": {"iV4": "black_scholes has no loop"}})


def test_the_page_has_the_figures_of_the_paper_and_of_the_run(made: Study) -> None:
    text = page.text_of(made)
    assert "| 5 | RF | 1.0 | 4.0 | 4.0 | 2.0 | 4.00 | 0.50 | 3.95 | 3.00 | 2.63 |" in text
    assert "| IC | pocl | 4 | - | 4.00 | 2.00 | - |" in text
    assert "| IC | paper, X5650 |  |  | 1.20 |  |  |" in text
    assert "| NS | neighbours | separate | 4.00 | 0.50 | 1.18 | 0.96 | 0.81 | SOR |" in text
    assert "| IC | weft | naive | 1.00 | 1.00 | eV4 | nothing gained |" in text
    assert "| black_scholes | iV4 | black_scholes has no loop |" in text


def test_findings_follow_the_numbers(made: Study) -> None:
    text = page.text_of(made)
    assert "**pocl**: rewriting pays off on 4 of 4 applications (MM 4.00" in text
    assert "**weft**: rewriting pays off on 0 of 4 applications; on the others" in text


def test_what_should_hold_is_checked(made: Study) -> None:
    assert all(ok for what, _, ok in made.verdicts() if "3 of 4" not in what)
    made.platforms["weft"].chosen["convolution"] = Chosen("eV4", "a mistake")
    found = {what: (text, ok) for what, text, ok in made.verdicts()}
    assert next(v for what, v in found.items() if "naive kernel's time" in what) == (
        "worst 2.00 (IC on weft)",
        False,
    )
    made.platforms["pocl"].results["convolution"]["eV2"] = Measured(error="AssertionError: out")
    assert not all(ok for what, _, ok in made.verdicts() if "pocl: all forms" in what)


def test_records_of_other_machines_are_merged(made: Study, tmp_path: Path) -> None:
    record, other = tmp_path / "record.json", tmp_path / "gpu.json"
    study.save(made, record)
    results = {"convolution": {"naive": {"seconds": 2e-4, "bytes": 1}, "eV4": {"seconds": 1e-4, "bytes": 1}}}
    gpu = {
        "platform": "X",
        "device": "GPU X",
        "version": "3.0",
        "is_cpu": False,
        "scale": 4,
        "cores": 0,
        "results": results,
    }
    other.write_text(json.dumps(gpu))
    place = ["--docs", str(tmp_path), "--record", str(record)]
    main(["--from", str(record), "--merge", str(other), *place])
    assert "| IC | GPU X | 0.2 | - | 2.00 | - | - |" in (tmp_path / "clvectorizer.md").read_text()
    assert study.load(record).platforms["GPU X"].is_cpu is False


def test_another_file_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = tmp_path / "record.json"
    record.write_text("{}")
    assert main(["--from", str(record), "--docs", str(tmp_path)]) == 1
    assert "holds no record" in capsys.readouterr().err
