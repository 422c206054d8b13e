"""`weft vectorize --measure`: launches from a command line, and candidates, of which many fail."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from weft.cli.main import main
from weft.cli.vectorize import platform_target
from weft.compiler.build_program import compile_program
from weft.frontend.options import parse_options
from weft.source import measure as measure_module
from weft.source.devices import Candidate
from weft.source.launch_data import Launch, LaunchError, launch
from weft.source.layout import lay_out
from weft.source.measure import Measured, Trial, Tried
from weft.source.model import parse
from weft.source.results import difference
from weft.source.rewrite import Request, vectorize

COLUMNS = """__kernel void k(__global const float *b, __global float *c, int n, float s) {
    int x = get_global_id(0), y = get_global_id(1);
    float sum = 0.0f;
    for (int i = 0; i < n; i++)
        sum += b[i * n + x];
    c[y * n + x] = sum * s;
}
"""
NONE = parse_options("")


def launched(text: str, sizes: tuple[int, ...] | None, *given: str) -> Launch:
    source = parse(text, NONE, "k.cl")
    code = compile_program(text, NONE, debug_info=True).kernels[0]
    return launch(source, source.functions["k"], code, sizes, None, given)


def test_sizes_are_guessed_where_that_is_safe() -> None:
    found = launched(COLUMNS, (8, 4), "n=8")
    assert found.guessed == ("s=1", "b=64", "c=32")
    b, c, n, s = found.arguments
    assert b.content is not None and b.content.dtype == np.float32 and len(b.content) == 64
    assert (b.written, c.written) == (False, True)
    assert n.content is not None and s.content is not None
    assert (n.content.tolist(), s.content.tolist()) == ([8], [1.0])


HEAD = "__kernel void k(__global int *a, __global const int4 *v, __local float *t, uchar2 u) {"
FULL = ("u=1,2", "t=64", "v=4:0..7", "a=16:index")


def test_arguments_of_all_kinds() -> None:
    text = f"{HEAD} a[v[get_local_id(0)].x] = t[0] + u.x; }}"
    a, v, t, u = launched(text, (8,), *FULL).arguments
    assert a.content is not None and v.content is not None and u.content is not None
    assert a.content.tolist() == list(range(16))
    assert len(v.content) == 16 and set(v.content.tolist()) <= set(range(8))
    assert (t.local, u.content.tolist()) == (256, [1, 2])
    (a, *_) = launched(text, (8,), *FULL, "a=uint:4*4/2:7").arguments
    assert a.content is not None and a.content.dtype == np.uint32 and a.content.tolist() == [7] * 8


WRONG = {
    (None, FULL): "--measure requires --global",
    ((8,), FULL[1:]): "argument u has no value: pass --arg u=NUMBER",
    ((8,), FULL[:3]): "buffer a has no size (the index of 1:",
    ((8,), (*FULL, "b=3")): "k has no argument 'b'; available: a, v, t, u",
    ((8,), (*FULL, "a")): "expected --arg NAME=VALUE",
    ((8,), (*FULL, "a=many")): "expected [TYPE:]COUNT[:FILL]",
    ((8,), (*FULL, "a=4:4:4")): "expected [TYPE:]COUNT[:FILL]",
    ((8,), (*FULL, "a=9999999999")): "the size of a buffer must be 1 byte to 4 GB",
    ((8,), (*FULL, "u=1,2,3")): "--arg u=1,2,3: expected uchar2",
}


@pytest.mark.parametrize(("given", "message"), WRONG.items())
def test_what_is_missing_or_wrong_is_said(
    given: tuple[tuple[int, ...] | None, tuple[str, ...]], message: str
) -> None:
    text = f"{HEAD} a[v[get_local_id(0)].x] = t[0] + u.x; }}"
    with pytest.raises(LaunchError) as error:
        launched(text, given[0], *given[1])
    assert message in str(error.value)


def test_floats_differ_by_more_than_rounding() -> None:
    one = np.array([1.0, np.nan, np.inf, 1e-12], np.float32)
    assert not difference(one, one * np.float32(1 + 1e-6))
    assert "[0]: 1.1" in difference(one, one + np.float32(0.1))
    assert difference(np.array([3]), np.array([4]))


def test_candidates_run_in_another_process(tmp_path: Path) -> None:
    data = launched(COLUMNS, (8, 4), "n=8")
    with platform_target("weft", 30.0) as target:
        trial = Trial(tmp_path, "k", "", data, target, sample_seconds=0.001)
        naive = Tried(Candidate(), text=COLUMNS)
        assert trial.first(naive).startswith("Weft, ")
        assert naive.seconds > 0
        text, layouts = lay_out(COLUMNS, NONE, "k.cl", "k", ["b", "c"], 4)
        made = vectorize(text, NONE, "k.cl", Request(inter=4))
        good = Tried(Candidate(4, layout=True), merged=made.merged[0], text=made.text, layouts=layouts)
        trial.run(good)
        assert not good.reason and good.seconds > 0
        wrong = COLUMNS.replace("sum * s", "sum + s")
        crash = COLUMNS.replace("c[y", "if (x) c[1ul << 50] = 1; c[y")
        for text, reason in {wrong: "wrong: c differs in 32", crash: "ended by signal 11"}.items():
            bad = Tried(Candidate(8), text=text)
            trial.run(bad)
            assert reason in bad.reason
    with platform_target("weft", 1.5) as target:
        endless = Tried(Candidate(8), text=COLUMNS.replace("float sum", "while (n) ; float sum"))
        Trial(tmp_path, "k", "", data, target).run(endless)
        assert "not finished after 1.5 s" in endless.reason


RECORDS = """__kernel void k(__global const float *b, __global float *c) {
    int x = get_global_id(0);
    c[x] = b[16 * x] + b[16 * x + 1];
}
"""


def test_a_layout_that_reads_less_memory_is_measured_and_taken(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, new, host = tmp_path / "k.cl", tmp_path / "new.cl", tmp_path / "host.py"
    path.write_text(RECORDS)
    command = ["vectorize", str(path), "--measure", "--layout", "--buffer", "b", "--global", "131072"]
    assert main([*command, "--arg", "b=2097152", "-o", str(new), "--host", str(host)]) == 0
    said = capsys.readouterr().err
    table = said[said.index("\ncandidate ") :]
    for layout in ("", "layout + "):
        for factor in (2, 4, 8, 16):
            assert f"\n{layout}eV {factor} " in table
        assert f"\n{layout}iV 4 " in table and "k has no loop" in table
    assert "wrong" not in table and "ended" not in table
    assert "\nk: layout" in table and "b_rows" in new.read_text()
    names: dict[str, Any] = {}
    exec(host.read_text(), names)
    content, rows = names["b_of_k_to_layout"](np.arange(32), 16)
    assert rows == 2 and content.tolist() == np.arange(32).reshape(2, 16).T.ravel().tolist()


@pytest.mark.parametrize(("gain", "taken"), [(1.02, False), (1.5, True)])
def test_a_candidate_must_win_by_more_than_noise(
    gain: float, taken: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Process:
        def __init__(self, *_: object) -> None:
            self.factor = 1.0

        def ask(self, do: str, name: str, **more: object) -> dict[str, float]:
            if do == "open":
                self.factor = gain if more["source"] == "new" else 1.0
            return {"seconds": 3e-3 / self.factor}

        def close(self) -> None:
            pass

    monkeypatch.setattr(measure_module, "PlatformProcess", Process)
    data = launched(COLUMNS, (8, 4), "n=8")
    with platform_target("weft", 30.0) as target:
        trial = Trial(tmp_path, "k", "", data, target)
        new, slow = Tried(Candidate(4), 1e-3 / gain, text="new"), Tried(Candidate(8), 2e-3)
        measured = Measured("a device", [Tried(Candidate(), 1e-3), new, slow], 1e-3)
        trial.decide(measured, lambda line: None)
    assert measured.chosen == (Candidate(4) if taken else Candidate())
    assert ("taken" in measured.lines()[2]) == taken
    # The machine may have become slower since all were tried.
    numbers = [line.split()[2:4] for line in measured.lines()[2:]]
    assert numbers == [[f"{3 / gain:.3f}", f"{gain:.2f}"], ["2.000", "0.50"]]


def test_the_command_needs_what_the_launch_needs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, new = tmp_path / "k.cl", tmp_path / "new.cl"
    path.write_text(COLUMNS)
    command = ["vectorize", str(path), "--measure", "-o", str(new)]
    assert main(command) == 1
    assert "--global X,Y,Z" in capsys.readouterr().err
    full = [*command, "--global", "8,4", "--arg", "n=8"]
    assert main([*full, "--platform", "no such"]) == 1
    assert "no OpenCL platform 'no such'" in capsys.readouterr().err
    assert main([*full, "--platform", "/no/driver.so"]) == 1
    assert not new.exists()
