"""`weft opt`: what it prints, what it refuses and with which exit status."""

import io
from pathlib import Path

import pytest

from weft import ir
from weft.cli.main import main
from weft.codegen.optimise import PASSES as LLVM_PASSES
from weft.codegen.optimise import verify as llvm_verify
from weft.compiler.passes import PASSES

TWO_KERNELS = """\
define spir_kernel void @one(ptr addrspace(1) %a) {
entry:
  call void @_Z7barrierj(i32 2)
  store i32 1, ptr addrspace(1) %a, align 4
  ret void
}

define spir_kernel void @two(ptr addrspace(1) %a) {
entry:
  call void @_Z7barrierj(i32 2)
  %x = add i32 1, 1
  store i32 2, ptr addrspace(1) %a, align 4
  ret void
}

define void @helper(ptr %p) {
entry:
  call void @_Z7barrierj(i32 2)
  ret void
}

declare void @_Z7barrierj(i32)
"""


@pytest.fixture
def kernels(tmp_path: Path) -> str:
    path = tmp_path / "kernels.ll"
    path.write_text(TWO_KERNELS)
    return str(path)


def body(text: str, name: str) -> str:
    """The text of one function of a module."""
    return ir.print_function(ir.parse(text).function(name))


def usage_error(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """What the command says to arguments that it does not take."""
    with pytest.raises(SystemExit) as exit:
        main(["opt", *arguments])
    assert exit.value.code == 2
    return capsys.readouterr().err


def failure(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """What the command says when it fails; it prints no result."""
    assert main(["opt", *arguments]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    return captured.err


def test_list_shows_every_pass(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["opt", "-p", "list"]) == 0
    words = capsys.readouterr().out.split()
    assert {*PASSES, *LLVM_PASSES, "divergence", "barrier-cfg", "kernel-variables"} <= set(words)


def test_passes_run_over_all_kernels_but_no_other_function(
    kernels: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["opt", "-p", "isolate-barriers", kernels]) == 0
    output = capsys.readouterr().out
    llvm_verify(output)
    assert "\nbarrier:\n" in body(output, "one")
    assert "\nbarrier:\n" in body(output, "two")
    assert body(output, "helper") == body(TWO_KERNELS, "helper")


def test_kernel_option_chooses_a_function(kernels: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["opt", "-p", "isolate-barriers", "--kernel", "helper", kernels]) == 0
    output = capsys.readouterr().out
    assert body(output, "one") == body(TWO_KERNELS, "one")
    assert "\nbarrier:\n" in body(output, "helper")


def test_passes_of_llvm_mix_with_ours(kernels: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["opt", "-p", "dce,isolate-barriers,instcombine", kernels]) == 0
    output = capsys.readouterr().out
    assert "%x = add" not in output
    assert "\nbarrier:\n" in body(output, "two")


def test_canonical_form_inlines_functions(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "calls.ll"
    path.write_text(
        "define i32 @f(i32 %x) #0 {\n  %y = mul i32 %x, 3\n  ret i32 %y\n}\n\n"
        "define spir_kernel void @k(ptr addrspace(1) %a, i32 %x) #0 {\n  %y = call i32 @f(i32 %x)\n"
        "  store i32 %y, ptr addrspace(1) %a, align 4\n  ret void\n}\n\nattributes #0 = { noinline }\n"
    )
    assert main(["opt", "-p", "canonical", str(path)]) == 0
    output = capsys.readouterr().out
    assert "call" not in output
    assert "mul i32 %x, 3" in output


def test_output_goes_to_a_file(kernels: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = tmp_path / "result.ll"
    assert main(["opt", "-p", "isolate-barriers", "-o", str(result), kernels]) == 0
    assert capsys.readouterr().out == ""
    assert "\nbarrier:\n" in body(result.read_text(), "one")


def test_output_may_be_the_input_file(kernels: str) -> None:
    assert main(["opt", "-p", "isolate-barriers", "-o", kernels, kernels]) == 0
    assert "\nbarrier:\n" in body(Path(kernels).read_text(), "one")


def test_standard_input_is_read(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(TWO_KERNELS))
    assert main(["opt", "--analysis", "divergence", "-"]) == 0
    assert "; uniform" in capsys.readouterr().out


def test_unknown_pass_is_a_usage_error_that_lists_passes(
    kernels: str, capsys: pytest.CaptureFixture[str]
) -> None:
    message = usage_error(["-p", "isolate-barriers,vectorise", kernels], capsys)
    assert "unknown pass 'vectorise'" in message
    assert "isolate-barriers" in message
    assert "instcombine" in message


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["-p", "dce"], "no file given"),
        ([], "no file given"),
        (["kernel.ll"], "nothing to do"),
        (["-p", ",", "kernel.ll"], "nothing to do"),
        (
            ["-p", "dce", "--local-size", "4,x", "kernel.ll"],
            "positive numbers separated by commas, got '4,x'",
        ),
        (["-p", "dce", "--local-size", "0", "kernel.ll"], "positive numbers separated by commas, got '0'"),
        (
            ["-p", "dce", "--local-size", "1,2,3,4", "kernel.ll"],
            "one to three positive numbers separated by commas",
        ),
        (["-p", "dce", "--analysis", "loops", "kernel.ll"], "invalid choice: 'loops'"),
    ],
)
def test_wrong_usage_says_why(arguments: list[str], reason: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert reason in usage_error(arguments, capsys)


def test_remarks_follow_as_comments_for_the_passes_asked_for(
    kernels: str, capsys: pytest.CaptureFixture[str]
) -> None:
    passes = "remove-repeated-barriers,isolate-barriers,locals-to-arguments,place-implicit-barriers"
    run = ["opt", "-p", f"{passes},merge-tails,work-group-function", "--kernel", "two", kernels]
    assert main(run) == 0
    plain = capsys.readouterr().out
    assert main([*run, "--remarks", "merge-tails,work-group-function"]) == 0
    told = capsys.readouterr().out
    llvm_verify(told)
    remarks = [line for line in told.splitlines() if line.startswith("; ")]
    assert remarks[0].startswith("; analysis: work-group-function: @two: Region: region r1 becomes ")
    assert main([*run, "--remarks", "merge-tails"]) == 0
    assert capsys.readouterr().out == plain


def test_remarks_of_no_pass_are_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert "unknown pass 'inline'" in usage_error(["-p", "dce", "--remarks", "inline", "kernel.ll"], capsys)


def test_bad_ir_is_quoted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "bad.ll"
    path.write_text(TWO_KERNELS.replace("%x = add i32 1, 1", "%x = frobnicate i32 1, 1"))
    message = failure(["-p", "dce", str(path)], capsys)
    assert "bad.ll" in message
    assert "%x = frobnicate i32 1, 1" in message


def test_ir_that_only_llvm_finds_wrong_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "bad.ll"
    path.write_text(TWO_KERNELS.replace("store i32 1", "store i32 %undefined"))
    message = failure(["-p", "dce", str(path)], capsys)
    assert "%undefined" in message


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00", b"hello\n", b"define void @f() {\n", b"\0"])
def test_what_is_no_ir_at_all_is_no_crash(
    content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "nothing.ll"
    path.write_bytes(content)
    status = main(["opt", "-p", "dce", str(path)])
    message = capsys.readouterr().err
    assert status == (0 if content == b"" else 1)
    assert "Traceback" not in message


def test_missing_file_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "absent.ll: No such file or directory" in failure(
        ["-p", "dce", str(tmp_path / "absent.ll")], capsys
    )


def test_missing_kernel_lists_those_there(kernels: str, capsys: pytest.CaptureFixture[str]) -> None:
    message = failure(["-p", "isolate-barriers", "--kernel", "three", kernels], capsys)
    assert "@three" in message
    assert "@one, @two, @helper" in message


def test_keep_only_wants_one_kernel(kernels: str, capsys: pytest.CaptureFixture[str]) -> None:
    passes = "isolate-barriers,locals-to-arguments,place-implicit-barriers,work-group-function,keep-only"
    assert "choose with --kernel" in failure(["-p", passes, kernels], capsys)
    assert main(["opt", "-p", passes, "--kernel", "two", "--local-size", "2,3", kernels]) == 0
    output = capsys.readouterr().out
    assert [f.name for f in ir.parse(output).functions] == ["weft.workgroup.two"]


def test_second_work_group_function_is_refused(kernels: str, capsys: pytest.CaptureFixture[str]) -> None:
    passes = "isolate-barriers,locals-to-arguments,place-implicit-barriers,work-group-function"
    assert main(["opt", "-p", passes, "--kernel", "two", kernels]) == 0
    Path(kernels).write_text(capsys.readouterr().out)
    assert "has @weft.workgroup.two already" in failure(
        ["-p", "work-group-function", "--kernel", "two", kernels], capsys
    )


def test_contract_of_a_pass_is_explained(kernels: str, capsys: pytest.CaptureFixture[str]) -> None:
    message = failure(["-p", "work-group-function", kernels], capsys)
    assert "work-group-function requires isolated-barriers (" in message
    assert "@one" in message
