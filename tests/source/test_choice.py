"""`weft vectorize --auto` chooses by patterns and the table of devices, and says why."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from weft.cli.main import main
from weft.frontend.options import parse_options
from weft.source import choice as choice_module
from weft.source.choice import Choice, choose
from weft.source.devices import DEFAULT, MATH, NAIVE, ROWS, RS, TABLE, Candidate, Device, Row, find
from weft.source.patterns import BS, CS, NS, RF, SS

PRODUCT = """__kernel void mm(__global const float *a, __global const float *b, __global float *c, int n) {
    int x = get_global_id(0), y = get_global_id(1);
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += a[y * n + k] * b[k * n + x];
    c[y * n + x] = sum;
}
"""
SERIAL = """__kernel void k(__global const int *a, __global int *c) {
    int i = get_global_id(0);
    int x = a[i];
    while (x > 100)
        x = a[x & 7] - x;
    c[i] = x;
}
"""
PRICES = """__kernel void k(__global const float *a, __global float *c) {
    int i = get_global_id(0);
    c[i] = exp(a[i]) + log(a[i]);
}
"""


def device(rows: dict[str, dict[Candidate, float]]) -> Device:
    """A device that moves 1 GB/s by every pattern and gains what is said, else nothing."""
    ways = [Candidate(i, k) for i in (0, 2, 4, 8, 16) for k in (0, 2, 4, 8, 16)]
    return Device(
        "test",
        "a test",
        "",
        "never",
        {name: Row(1.0, {way: rows.get(name, {}).get(way, 1.0) for way in ways}) for name in ROWS},
    )


def chosen(monkeypatch: pytest.MonkeyPatch, text: str, on: Device, **how: bool) -> Choice:
    monkeypatch.setattr(choice_module, "find", lambda platform: (on, "measured for this test"))
    return choose(text, parse_options(""), "test", file="k.cl", **how)


EV4, EV8, EV16, IV4 = Candidate(4), Candidate(8), Candidate(16), Candidate(intra=4)


def test_the_access_that_gains_least_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    gains = {RF: {EV4: 3.0, EV8: 4.0}, CS: {EV4: 2.0, EV8: 1.2}}
    found = chosen(monkeypatch, PRODUCT, device(gains))
    (one,) = found.kernels
    assert one.candidate == EV4
    assert one.gain == pytest.approx(2.0, rel=0.05)
    assert "vload4" in found.rewritten.text
    lines = "\n".join(found.lines())
    assert "mm: eV 4, expected to be 2.0" in lines
    assert "5:31  CS, load b[gid + k * n]: 50 % of the time, eV 4 gains 2.00" in lines.replace("49 %", "50 %")
    assert "measured for this test" in lines


def test_small_gains_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    found = chosen(monkeypatch, PRODUCT, device({RF: {EV4: 5.0}, CS: {EV4: 1.15}}))
    assert found.kernels[0].candidate == NAIVE
    assert found.rewritten.text == PRODUCT


def test_what_is_refused_falls_to_the_next_choice(monkeypatch: pytest.MonkeyPatch) -> None:
    gains = {RF: {IV4: 5.0, EV8: 2.0}, CS: {IV4: 5.0, EV8: 2.0}}
    (one,) = chosen(monkeypatch, PRODUCT, device(gains)).kernels
    assert one.candidate == EV8
    (dropped,) = one.dropped
    assert dropped.candidate == IV4
    assert dropped.reason.startswith("k.cl:5:9: ") and "--fast-math" in dropped.reason
    (one,) = chosen(monkeypatch, PRODUCT, device(gains), fast_math=True).kernels
    assert one.candidate == IV4


def test_lanes_one_after_another_are_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    on = device({name: {EV4: 2.0} for name in ROWS})
    (one,) = chosen(monkeypatch, SERIAL, on).kernels
    assert one.candidate == NAIVE
    assert "k.cl:4: lanes would run one after another" in one.dropped[0].reason


def test_a_gain_with_one_type_of_ids_must_not_be_a_loss_with_another(monkeypatch: pytest.MonkeyPatch) -> None:
    on = device({name: {EV8: 2.0, EV16: 1.5} for name in ROWS})
    lost = {name: replace(row, wide={EV8: 0.9, EV16: 0.98}) for name, row in on.rows.items()}
    (one,) = chosen(monkeypatch, PRODUCT, replace(on, rows=lost)).kernels
    assert (one.candidate, one.gain) == (EV16, pytest.approx(1.5))
    (dropped,) = one.dropped
    assert (dropped.candidate, dropped.reason) == (
        EV8,
        "with ids of the other type the expected speed-up is 0.90",
    )


def test_mathematical_functions_count(monkeypatch: pytest.MonkeyPatch) -> None:
    own = PRICES.replace("exp(a[i])", "own(a[i]) + own(c[i])")
    found = chosen(monkeypatch, f"float own(float x) {{ return exp(x); }}\n{own}", device({}))
    assert "math, 3 calls" in "\n".join(found.lines())
    (one,) = chosen(monkeypatch, PRICES, device({MATH: {EV16: 8.0}})).kernels
    assert one.candidate == EV16


def test_a_transposed_layout_is_suggested(monkeypatch: pytest.MonkeyPatch) -> None:
    on = device({})
    slow = {**on.rows, CS: Row(0.1, on.rows[CS].gains)}
    found = chosen(monkeypatch, PRODUCT, Device("test", "a test", "", "never", slow))
    assert found.kernels[0].columns == ("b",)
    assert "accesses columns of b" in "\n".join(found.lines())
    assert not chosen(monkeypatch, PRODUCT, device({RS: {EV4: 9.0}, CS: {EV4: 9.0}})).kernels[0].columns


def test_each_kernel_is_chosen_for_separately(monkeypatch: pytest.MonkeyPatch) -> None:
    text = PRODUCT + PRICES + PRODUCT.replace("mm", "again")
    found = chosen(monkeypatch, text, device({RF: {EV4: 2.0}, CS: {EV4: 2.0}}))
    assert [str(one.candidate) for one in found.kernels] == ["eV 4", "as it is", "eV 4"]
    assert [merged.kernel for merged in found.rewritten.merged] == ["mm", "again"]
    assert PRICES in found.rewritten.text


def test_unknown_devices_get_the_default() -> None:
    row, words = find("a platform that nobody has")
    assert row is DEFAULT
    assert "make maps" in words


def test_the_table_is_complete() -> None:
    for row in json.loads(TABLE.read_text())["devices"]:
        found, _ = find(row["platform"])
        assert found.platform == row["platform"]
        assert set(found.rows) == set(ROWS)
        for name in (SS, RF, CS, BS, NS):
            assert {Candidate(f) for f in (2, 4, 8, 16)} <= set(found.rows[name].gains)
            assert found.rows[name].bandwidth > 0


def test_the_command_explains_and_writes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, new = tmp_path / "k.cl", tmp_path / "new.cl"
    path.write_text(PRODUCT)
    assert main(["vectorize", str(path), "--auto", "--platform", "nobody's", "-o", str(new)]) == 0
    said = capsys.readouterr().err
    assert "mm: eV 4" not in said and "mm: left as it is: nothing is expected to gain 20%" in said
    assert new.read_text() == PRODUCT
    path.write_text("__kernel void k( {")
    assert main(["vectorize", str(path), "--auto", "-o", str(tmp_path / "none.cl")]) == 1
    assert ":1:18: error" in capsys.readouterr().err
    assert not (tmp_path / "none.cl").exists()
