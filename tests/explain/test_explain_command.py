"""The command `weft explain`."""

import json
from pathlib import Path

import pytest
from explained_kernels import CONDITIONAL, DCT

from weft.cli.main import main


@pytest.fixture
def program(tmp_path: Path) -> Path:
    file = tmp_path / "k.cl"
    file.write_text(CONDITIONAL)
    return file


def test_prints_the_explanation(program, capsys):
    assert main(["explain", str(program), "--local", "16"]) == 0
    assert f"{program}: kernel conditional, local size 16x1x1\n" in capsys.readouterr().out


def test_json_holds_everything(program, capsys):
    assert main(["explain", str(program), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    (kernel,) = report["kernels"]
    assert kernel["name"] == "conditional" and report["source"] == CONDITIONAL
    assert [b["kind"] for b in kernel["barriers"]] == ["entry", "decision", "written", "exit"]
    assert kernel["accesses"][0]["place"]["line"] == 4
    assert {"title", "about", "nodes", "edges"} == kernel["graphs"][0].keys()


def test_html_goes_to_a_file_and_prints_nothing(program, tmp_path, capsys):
    page = tmp_path / "out.html"
    assert main(["explain", str(program), "--html", str(page)]) == 0
    assert page.read_text().startswith("<!DOCTYPE html>")
    assert capsys.readouterr().out == ""


def test_build_options_reach_the_program(tmp_path, capsys):
    file = tmp_path / "k.cl"
    file.write_text("kernel void k(global int *a) { a[get_global_id(0) * STRIDE] = 1; }")
    assert main(["explain", str(file), "--options", "-D STRIDE=4"]) == 0
    assert "strided 4" in capsys.readouterr().out


def test_program_that_does_not_build_fails_with_its_log(tmp_path, capsys):
    file = tmp_path / "k.cl"
    file.write_text("kernel void k(global int *a) { a[0] = nonsense; }")
    assert main(["explain", str(file)]) == 1
    assert "nonsense" in capsys.readouterr().out


def test_page_is_written_for_a_program_that_does_not_build(tmp_path, capsys):
    file, page = tmp_path / "k.cl", tmp_path / "out.html"
    file.write_text("kernel void k(global int *a) { a[0] = nonsense; }")
    assert main(["explain", str(file), "--html", str(page)]) == 1
    assert "nonsense" in page.read_text() and "nonsense" in capsys.readouterr().out


def test_wrong_options_fail_with_a_reason(program, capsys):
    assert main(["explain", str(program), "--options", "-cl-nonsense"]) == 1
    assert "-cl-nonsense" in capsys.readouterr().out


def test_unknown_kernel_is_named(program, capsys):
    assert main(["explain", str(program), "--kernel", "other"]) == 1
    assert "there are: conditional" in capsys.readouterr().err


def test_missing_file_is_named(tmp_path, capsys):
    assert main(["explain", str(tmp_path / "none.cl")]) == 1
    assert "none.cl" in capsys.readouterr().err


@pytest.mark.parametrize("size", ["0", "1,2,3,4", "x", ""])
def test_wrong_local_size_is_wrong_usage(program, size):
    with pytest.raises(SystemExit) as ended:
        main(["explain", str(program), "--local", size])
    assert ended.value.code == 2


def test_reads_standard_input(monkeypatch, capsys):
    class Input:
        class buffer:
            @staticmethod
            def read() -> bytes:
                return DCT.encode()

    monkeypatch.setattr("sys.stdin", Input)
    assert main(["explain", "-", "--local", "any"]) == 0
    assert "standard input: kernel DCT, local size any" in capsys.readouterr().out
