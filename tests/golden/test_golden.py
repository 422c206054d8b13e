"""Each pass and analysis makes of the input of every golden file what the file expects."""

import io
from dataclasses import replace

import pytest
from golden_case import FIRES, KINDS, LEAVES_ALONE, REFUSES, GoldenCase, all_cases
from golden_run import assert_same_memory, memory_after

from weft import ir
from weft.analysis.annotate import ANALYSES
from weft.cli import opt
from weft.codegen.optimise import verify as llvm_verify
from weft.compiler.passes import PASSES
from weft.ir.verifier import verify

CASES = all_cases()
ACCEPTED = [c for c in CASES if not c.is_error]
REFUSED = [c for c in CASES if c.is_error]
RUNNABLE = [c for c in ACCEPTED if c.launch is not None]
OF_PASSES = [c for c in ACCEPTED if c.subject not in ANALYSES]

# Passes that a golden file of some kind cannot exist for, and why.
_ALL = "it lowers everything that it looks for"
_ANALYSIS = "it changes nothing, and reports what it found"
CANNOT = {
    "canonical": {REFUSES: "LLVM's passes take any module"},
    "ids-to-arguments": {REFUSES: _ALL},
    "export-functions": {REFUSES: "every function can be called from another module"},
    "infer-address-spaces": {REFUSES: "what points to several spaces is generic"},
    "derive-local-ids": {REFUSES: _ALL},
    "lower-group-functions": {REFUSES: _ALL},
    "lower-sub-group-functions": {REFUSES: _ALL},
    "merge-reductions": {REFUSES: _ALL},
    "isolate-barriers": {REFUSES: _ALL},
    "locals-to-arguments": {REFUSES: _ALL},
    "group-order": {REFUSES: _ANALYSIS},
    "hoist-descriptors": {REFUSES: "descriptors are there as long as a kernel runs"},
    "place-implicit-barriers": {LEAVES_ALONE: "every kernel gets barriers at its entry and exits"},
    "describe-kernel": {REFUSES: _ANALYSIS, LEAVES_ALONE: "every kernel has barriers to report"},
    "work-group-function": {LEAVES_ALONE: "every kernel gets a work-group function"},
    "guard-divisions": {REFUSES: _ALL},
    "order-accesses": {REFUSES: "it takes promises back, which is always possible"},
    "keep-calls": {REFUSES: "it keeps the calls that its limit does not let through, and no others"},
    "yield-in-loops": {REFUSES: _ALL},
    "disable-inner-loop-vectorization": {REFUSES: "it marks every loop of the kernel"},
}


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


@pytest.mark.parametrize("case", OF_PASSES, ids=names(OF_PASSES))
def test_file_shows_what_it_says(
    case: GoldenCase, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert case.passes.count(case.subject) == 1
    earlier = case.passes[: case.passes.index(case.subject)]
    before = ir.print_module(ir.parse(case.input))
    if earlier:
        arguments = [",".join(earlier) if a == ",".join(case.passes) else a for a in case.arguments]
        _, before, _ = run_opt(replace(case, arguments=tuple(arguments)), monkeypatch, capsys)
    reports = case.subject in PASSES and PASSES[case.subject].analysis
    if before != case.expected_ir or (reports and case.remarks):
        shown = FIRES
    else:
        shown = REFUSES if "missed" in case.remarks else LEAVES_ALONE
    assert shown == case.shows


@pytest.mark.parametrize("name", [opt.CANONICAL, *PASSES])
def test_pass_has_golden_files_of_every_kind(name: str) -> None:
    found = {case.shows for case in CASES if case.subject == name}
    assert found == set(KINDS) - CANNOT.get(name, {}).keys()
