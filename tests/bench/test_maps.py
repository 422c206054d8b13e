"""The table of devices: kernels that are measured elsewhere, and rows that are taken from there."""

import json
from pathlib import Path

import pytest

from bench.maps import elsewhere
from bench.maps.__main__ import main
from weft.cli.vectorize import platform_target
from weft.source import devices
from weft.source.devices import TABLE, WIDE, Candidate

pytest.importorskip("clang.cindex", reason="libclang is not installed: pip install 'weft[source]'")


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "devices.json"
    path.write_text(TABLE.read_text())
    return path


def rows(path: Path) -> list[devices.Device]:
    return [devices._device(row) for row in json.loads(path.read_text())["devices"]]


def test_a_row_that_was_measured_elsewhere_is_taken(
    table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kernels, record = tmp_path / "kernels.json", tmp_path / "row.json"
    assert main(["--patterns", "SS", "--factors", "4", "--bundle", str(kernels)]) == 0
    with platform_target("weft", 60.0) as target:
        monkeypatch.setenv("OCL_ICD_VENDORS", target.environment["OCL_ICD_VENDORS"])
        elsewhere.main([str(kernels), "--name", "other", "--record", str(record)])
    row = json.loads(record.read_text())
    assert set(row["patterns"]) == {"SS"}
    row["device"] = "another device"
    record.write_text(json.dumps(row))
    before = rows(table)
    assert main(["--merge", str(record), "--table", str(table)]) == 0
    *others, taken = rows(table)
    assert others == before
    assert (taken.name, taken.device) == ("other", "another device")
    single = taken.rows["SS"]
    assert single.bandwidth > 0 and single.gains[Candidate(4)] > 0 and single.wide[Candidate(4)] > 0
    assert f"{WIDE} ids   eV 4:" in capsys.readouterr().out
    # The same device again, with another pattern: what it had stays.
    row["patterns"] = {"NS": {"bandwidth": 5.0, "eV": {"4": 2.0}}}
    record.write_text(json.dumps(row))
    assert main(["--merge", str(record), "--table", str(table)]) == 0
    *others, again = rows(table)
    assert others == before
    assert again.rows["SS"] == single and again.rows["NS"].gains == {Candidate(4): 2.0}


@pytest.mark.parametrize(
    ("text", "reason"),
    {
        "{": "Expecting property name",
        "[]": "'list' object has no attribute",
        '{"name": "x"}': "platform, device, version, units, measured, patterns missing",
    }.items(),
)
def test_what_is_no_row_is_refused(
    text: str, reason: str, table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = tmp_path / "bad.json"
    bad.write_text(text)
    assert main(["--merge", str(bad), "--table", str(table)]) == 1
    said = capsys.readouterr().err
    assert "bad.json holds no row of the table" in said and reason in said
    assert table.read_text() == TABLE.read_text()
