"""Each pass and analysis makes of the input of every golden file what the file expects."""

import io

import pytest
from golden_case import GoldenCase, all_cases
from golden_run import assert_same_memory, memory_after

from weft import ir
from weft.cli import opt
from weft.codegen.optimise import verify as llvm_verify
from weft.compiler.passes import PASSES
from weft.ir.verifier import verify

CASES = all_cases()
ACCEPTED = [c for c in CASES if not c.name.split("/")[1].startswith("refuses_")]
REFUSED = [c for c in CASES if c not in ACCEPTED]
RUNNABLE = [c for c in ACCEPTED if c.launch is not None]


def names(cases: list[GoldenCase]) -> list[str]:
    return [case.name for case in cases]


def run_opt(
    case: GoldenCase, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> tuple[int, str, str]:
    """The exit status, output and messages of `weft opt` for the input of a file."""
    monkeypatch.setattr("sys.stdin", io.StringIO(case.input))
    status = opt.run([*case.arguments, "-"])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


@pytest.mark.parametrize("case", ACCEPTED, ids=names(ACCEPTED))
def test_output_is_as_expected(
    case: GoldenCase, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], bless: bool
) -> None:
    status, output, messages = run_opt(case, monkeypatch, capsys)
    assert (status, messages) == (0, "")
    if bless:
        case.bless(output)
    else:
        assert output == case.expected


@pytest.mark.parametrize("case", REFUSED, ids=names(REFUSED))
def test_refusal_is_as_expected(
    case: GoldenCase, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], bless: bool
) -> None:
    status, output, messages = run_opt(case, monkeypatch, capsys)
    assert (status, output) == (1, "")
    comment = "".join(f"; {line}\n" for line in messages.splitlines())
    if bless:
        case.bless(comment)
    else:
        assert comment == case.expected


@pytest.mark.parametrize("case", ACCEPTED, ids=names(ACCEPTED))
def test_both_halves_are_valid_and_survive_a_round_trip(case: GoldenCase) -> None:
    for text in (case.input, case.expected):
        llvm_verify(text)
        module = ir.parse(text)
        verify(module)
        printed = ir.print_module(module)
        assert ir.print_module(ir.parse(printed)) == printed


@pytest.mark.parametrize("case", RUNNABLE, ids=names(RUNNABLE))
def test_interpreter_gets_the_same_results_from_both_halves(case: GoldenCase) -> None:
    before = memory_after(case, case.input)
    assert_same_memory(before, memory_after(case, case.expected))


def test_every_pass_has_golden_files() -> None:
    changing = {p.name for p in PASSES.values() if not p.analysis}
    assert {case.name.split("/")[0] for case in CASES} >= changing
