"""The command `weft consecutive`."""

import json
from pathlib import Path

import pytest

from weft.cli.main import main
from weft.smt.studies.z3_solver import decide

WALSH = """
kernel void walsh(global float *a, int step) {
    int i = get_global_id(0);
    int pair = 2 * step * (i / step) + i % step;
    float x = a[pair], y = a[pair + step];
    a[pair] = x + y;
    a[pair + step] = x - y;
}
kernel void chosen(global const float *a, global const int *at, global float *b) {
    size_t i = get_global_id(0);
    b[i ^ 1] = a[at[i]];
}
"""


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("WEFT_CACHE_DIR", str(tmp_path / "cache"))
    file = tmp_path / "k.cl"
    file.write_text(WALSH)
    return file


def test_says_what_is_proved_and_why_something_is_unknown(program, capsys):
    assert main(["consecutive", str(program)]) == 0
    text = capsys.readouterr().out
    assert "walsh: 8 adjacent work-items\n" in text
    assert "  5:15  load a[(i % step) + 2 * (i / step) * step]\n".replace("i ", "gid ") in text
    assert "      without modulo: gid + (gid / step) * step\n" in text
    assert "      consecutive if step % 8 == 0 (cells, " in text
    assert "      counterexample: step = " in text
    assert "load a: unknown, by a value read from memory" in text
    assert "store b[" in text and "permutation 1,0,3,2,5,4,7,6 (cells, " in text


def test_decides_for_each_value_of_an_input(program, capsys):
    arguments = ["consecutive", str(program), "--kernel", "walsh", "--width", "4", "--range", "step=1:1000"]
    assert main(arguments) == 0
    text = capsys.readouterr().out
    assert "      1 <= step < 1000: 249 consecutive, 750 not, 0 unknown (" in text
    assert "      consecutive if step % 4 == 0, proved for all such inputs\n" in text
    assert "      not consecutive: step = 1, from 0 on\n" in text
    assert "chosen" not in text


def test_json_holds_everything(program, capsys):
    assert main(["consecutive", str(program), "--json", "--range", "step=-8:9"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [f["kernel"] for f in found] == ["walsh"] * 4 + ["chosen"] * 3
    first = found[0]
    assert (first["line"], first["kind"], first["object"], first["element"]) == (5, "load", "a", 4)
    assert first["answer"] == "no" and first["condition"]["if"] == "step % 8 == 0"
    assert first["counterexample"]["inputs"].keys() == {"step", "global_block"}
    assert first["ranges"][0]["consecutive"] == 3 and first["ranges"][0]["unknown"] == 0
    assert {f["answer"] for f in found if f["kernel"] == "chosen"} == {
        "consecutive", "unknown", "permutation 1,0,3,2,5,4,7,6",
    }  # fmt: skip


def test_writes_problems_that_a_solver_reads(program, tmp_path, capsys):
    folder = tmp_path / "problems"
    assert main(["consecutive", str(program), "--width", "2", "--smt-lib", str(folder)]) == 0
    files = sorted(folder.glob("*.smt2"))
    assert len([f for f in files if "walsh" in f.name]) == 12
    for file in folder.glob("chosen-*store*bits.smt2"):
        assert decide(file.read_text()).answer == "sat"


def test_results_are_kept_on_disk(program, tmp_path, capsys):
    assert main(["consecutive", str(program), "--json"]) == 0
    first = json.loads(capsys.readouterr().out)
    program.write_text(WALSH.replace("step", "distance"))
    assert main(["consecutive", str(program), "--json"]) == 0
    second = json.loads(capsys.readouterr().out)
    # The same queries under another name: the time is that of the first result.
    assert [f.get("seconds") for f in first] == [f.get("seconds") for f in second]
    assert second[0]["condition"]["if"] == "distance % 8 == 0"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--kernel", "nothing"], "has no kernel 'nothing'"),
        (["--range", "nothing=0:9"], "no access depends on the input 'nothing'"),
    ],
)
def test_what_is_not_there_is_an_error(program, capsys, arguments, message):
    assert main(["consecutive", str(program), *arguments]) == 1
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("text", ["step", "step=1", "step=9:9", "=1:2"])
def test_wrong_ranges_are_refused(program, capsys, text):
    with pytest.raises(SystemExit):
        main(["consecutive", str(program), "--range", text])
    assert "is not of the form" in capsys.readouterr().err


def test_a_local_size_is_known_to_the_proof(program, capsys):
    program.write_text(
        "kernel void k(global int *a) {\n"
        "    uint l = get_local_id(0), n = get_local_size(0);\n"
        "    a[(l + n) % n] = 0;\n"
        "}\n"
    )
    assert main(["consecutive", str(program), "--width", "4", "--local", "48"]) == 0
    assert "      consecutive (" in capsys.readouterr().out
    assert main(["consecutive", str(program), "--width", "4"]) == 0
    assert "not for all inputs (" in capsys.readouterr().out


def test_explain_shows_the_same_verdicts(program, capsys):
    assert main(["explain", str(program), "--kernel", "walsh", "--json"]) == 0
    (kernel,) = json.loads(capsys.readouterr().out)["kernels"]
    assert {access["shape"] for access in kernel["accesses"]} == {"varying"}
    assert all(access["proved"].startswith("consecutive if step % ") for access in kernel["accesses"])
