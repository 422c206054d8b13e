"""The paper's problem sets on samples, and the page that is made of a study."""

from pathlib import Path

import pytest

from bench.presburger import page, study
from bench.presburger.__main__ import main
from bench.presburger.problems import PROBLEMS, WIDTHS, ProblemSet
from bench.presburger.running import WITH, WITHOUT
from bench.presburger.solving import CLASS, ELIMINATED, ask_z3, decide_all, own_tally, sampled
from bench.presburger.study import Study
from bench.side_by_side import Times


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda problem: problem.name)
def test_sets_and_conditions_are_those_of_the_paper(problem: ProblemSet, width: int) -> None:
    found = own_tally(decide_all(problem, width, by_class=True))
    known = problem.eliminated[width]
    assert found.unknown == 0 and found.inputs == problem.end - problem.low
    if known.timeouts == 0:
        assert (found.yes, found.no) == (known.yes, known.no)
    if problem.name == "FastWalshTransform":
        assert found.condition == found.proved == f"step % {width} == 0"
    else:  # OpenCL C shifts 64-bit numbers by the low six bits
        least = width.bit_length() - 1
        assert (found.condition, found.proved) == (f"a >= {least}", f"(a & 63) >= {least}")


@pytest.mark.parametrize("eliminate", [False, True])
@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda problem: problem.name)
def test_z3_agrees_on_the_papers_formulas(problem: ProblemSet, eliminate: bool) -> None:
    known = decide_all(problem, 4, by_class=True)
    inputs = [n for n in (2, 3, 4, 7, 16, 20) if problem.low <= n < problem.end]
    steps: list[None] = []
    found = ask_z3(problem, 4, inputs, eliminate, 20_000, known, lambda: steps.append(None))
    assert found.answered == len(inputs) == len(steps) and found.wrong == 0


def test_samples_are_the_same_in_every_run() -> None:
    walsh, bitonic = PROBLEMS
    assert sampled(walsh, 10) == sampled(walsh, 10) and len(sampled(walsh, 10)) == 10
    assert sampled(bitonic, 10) == list(range(63)) and sampled(bitonic, 0) == []


@pytest.fixture(scope="module")
def made() -> Study:
    found = Study("a processor", "5.4", 1000)
    for problem in PROBLEMS:
        small = decide_all(problem, 4, by_class=True)
        found.tallies[problem.name] = {4: {CLASS: own_tally(small), ELIMINATED: own_tally(small)}}
    found.times["amd/BitonicSort"] = Times({WITHOUT: 0.004, WITH: 0.001, "intel": 0.002}, {"pocl": "failed"})
    return found


def test_the_page_has_the_figures_of_the_paper_and_of_the_run(made: Study) -> None:
    text = page.text_of(made)
    assert "| 4 | paper, Z3 | 65,535 | 16,243 | 48,931 | 0 | 361 | 14 h | 14 h |  |" in text
    assert "| 4 | Weft, by class | 65,535 | 16,383 | 49,152 | 0 | 0 |" in text
    assert "| FastWalshTransform | 4 | a ≡ 0 (mod 4) | 16,383 of 65,535 | `step % 4 == 0` |" in text
    assert "| amd/BitonicSort |  |  | 4.00 | 1.00 | 2.00 |  | 4.00 \u00d7 |" in text


def test_what_should_hold_is_checked(made: Study) -> None:
    verdicts = {what: ok for what, _, ok in made.verdicts()}
    assert verdicts["amd/BitonicSort: 2.0 times as fast with proofs"]
    assert verdicts["amd/BitonicSort: faster than intel"]
    assert verdicts["FastWalshTransform, 4 lanes: 16383 inputs are consecutive, on one condition"]
    made.times["amd/BitonicSort"].seconds[WITH] = 0.003
    assert not {what: ok for what, _, ok in made.verdicts()}["amd/BitonicSort: faster than intel"]
    made.times["amd/BitonicSort"].seconds[WITH] = 0.001


def test_a_record_gives_the_same_page_again(made: Study, tmp_path: Path, capsys) -> None:
    record = tmp_path / "record.json"
    study.save(made, record)
    assert main(["--from", str(record), "--docs", str(tmp_path)]) == 0
    assert (tmp_path / "presburger.md").read_text() == page.text_of(made)
    assert "met" in capsys.readouterr().out


def test_another_file_is_refused(tmp_path: Path, capsys) -> None:
    record = tmp_path / "record.json"
    record.write_text("{}")
    assert main(["--from", str(record), "--docs", str(tmp_path)]) == 1
    assert "holds no record" in capsys.readouterr().err
