"""Cost tables: every row says where it comes from, and constants outside of them say why they are there."""

import ast
import json
import re
from dataclasses import fields
from pathlib import Path

import pytest

import weft
from tools import calibrate
from weft.cli.main import main
from weft.codegen.host import host_target
from weft.target import Costs, x86
from weft.target.cost_table import FOLDER, cost_rows, costs_of, load_costs

ROOT = Path(weft.__file__).parent
TABLES = sorted(path.stem for path in FOLDER.glob("*.json"))
# Constants by name: numbers, and what is made of them.
CONSTANT = re.compile(r"_?[A-Z][A-Z0-9_]*")


@pytest.mark.parametrize("name", TABLES)
def test_a_table_has_a_row_with_a_source_for_each_cost(name: str):
    table = json.loads((FOLDER / f"{name}.json").read_text())
    assert table["processor"] == name and table["name"]
    assert load_costs(name).processor == name
    for row in cost_rows(name).values():
        assert row.value >= 0 and row.unit and len(row.source) > 20


def test_a_table_that_lacks_a_row_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    table = json.loads((FOLDER / "znver4.json").read_text())
    del table["rows"]["gather"]
    (tmp_path / "short.json").write_text(json.dumps(table))
    monkeypatch.setattr("weft.target.cost_table.FOLDER", tmp_path)
    with pytest.raises(ValueError, match=r"costs of short: rows that differ: \['gather'\]"):
        load_costs("short")


def test_a_processor_without_a_table_has_that_of_another():
    assert costs_of("znver4", "neon").processor == "znver4"
    assert costs_of("no-such-processor", "neon").processor == "neon"
    assert x86.describe("haswell", x86.levels()["x86-64-v3"]).costs.processor == "znver4"


@pytest.mark.parametrize("name", ["icelake-server", "rocketlake", "emeraldrapids", "graniterapids"])
def test_processors_of_intel_with_avx512_share_a_table(name: str):
    shared = x86.describe(name, x86.levels()["x86-64-v4"]).costs
    assert shared.processor == "sapphirerapids" and shared.scatter < load_costs("znver4").scatter
    assert x86.describe(name, x86.levels()["x86-64-v3"]).costs.processor == "znver4"


def test_a_command_shows_the_target_and_its_costs(capsys: pytest.CaptureFixture[str]):
    assert main(["target", "--arch", "riscv64", "--cpu", "rv64gcv-zvl256b"]) == 0
    shown = capsys.readouterr().out
    assert re.search(r"^register_bits +256$", shown, re.MULTILINE)
    assert re.search(r"^gather +2 per lane: estimated: ", shown, re.MULTILINE)
    assert main(["target", "--arch", "vax"]) == 1
    assert capsys.readouterr().err == "weft target: Weft does not compile for vax processors\n"
    with pytest.raises(SystemExit):
        main(["target", "--arch", "x86_64", "--cpu", "znver4"])
    assert "--cpu znver4: expected one of x86-64, x86-64-v2," in capsys.readouterr().err


def test_calibration_measures_rows_of_the_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(calibrate, "_REPEATS", 2)
    monkeypatch.setattr(calibrate, "_LARGE_BYTES", 1 << 21)
    monkeypatch.setattr(calibrate, "FOLDER", tmp_path)
    (tmp_path / f"{host_target().costs.processor}.json").write_text(
        (FOLDER / f"{host_target().costs.processor}.json").read_text()
    )
    measured = calibrate.measure(host_target())
    assert measured.keys() <= {field.name for field in fields(Costs)}
    timed = ("division", "conversions", "shuffle", "gather", "scatter", "call", "lane_turn")
    assert all(measured[name] > 0 for name in timed)
    path = Path(calibrate.write(host_target(), measured, ["division"]))
    rows = json.loads(path.read_text())["rows"]
    assert rows["division"]["value"] == rows["division"]["calibrated"] == round(measured["division"], 2)
    assert rows["call"]["value"] == host_target().costs.call


def unexplained(path: Path) -> list[str]:
    """The numeric constants of a module that no comment beside or above, nor the docstring, speaks of."""
    text = path.read_text()
    lines = text.splitlines()
    found = []
    explained = False
    for node in ast.parse(text).body:
        if not isinstance(node, ast.Assign | ast.AnnAssign):
            continue
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target
        if not isinstance(target, ast.Name) or not CONSTANT.fullmatch(target.id) or node.value is None:
            continue
        above = lines[node.lineno - 2].strip()
        # A comment speaks of all constants that follow it at once.
        explained = above.startswith("#") or (explained and CONSTANT.match(above) is not None)
        numbers = [
            n for n in ast.walk(node.value) if isinstance(n, ast.Constant) and type(n.value) in (int, float)
        ]
        table = any(isinstance(n, ast.Call | ast.Dict) for n in ast.walk(node.value))
        if numbers and not table and not explained and "  # " not in lines[node.end_lineno - 1]:
            found.append(f"{path.relative_to(ROOT)}:{node.lineno}: {target.id}")
    return found


def test_every_constant_outside_of_the_tables_has_a_reason():
    found = [
        word
        for folder in ("analysis", "transform")
        for path in sorted((ROOT / folder).rglob("*.py"))
        for word in unexplained(path)
    ]
    assert not found, "\n".join(found)
