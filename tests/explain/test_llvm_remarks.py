"""Remarks as LLVM's YAML, and as JSON."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from explained_kernels import DCT

from weft.cli.main import main
from weft.explain.explain import explain
from weft.explain.llvm_remarks import llvm_remarks

KINDS = ("Passed", "Missed", "Analysis")
LEFT_TO_LLVM = "kernel void add(global int *a) {\n    a[get_global_id(0)] += 1;\n}\n"
TRANSPOSE = """\
kernel void transpose(global float *a, global const float *b) {
    int x = get_global_id(0), y = get_global_id(1);
    a[x * 1024 + y] = b[y * 1024 + x];
}
"""
REMARK_KEYS = {"pass", "kind", "name", "function", "location", "text", "arguments"}


class _Loader(yaml.SafeLoader):
    pass


for _kind in KINDS:
    _Loader.add_constructor(
        f"!{_kind}",
        lambda loader, node, kind=_kind: {"Kind": kind, **loader.construct_mapping(node, deep=True)},
    )


def documents(text: str) -> list[dict[str, Any]]:
    return list(yaml.load_all(text, Loader=_Loader))


def test_documents_name_pass_function_and_line(tmp_path: Path) -> None:
    source, out = tmp_path / "dct.cl", tmp_path / "dct.opt.yaml"
    source.write_text(DCT)
    assert main(["explain", str(source), "--llvm-remarks", str(out)]) == 0
    found = documents(out.read_text())
    assert all(d["Function"] == "DCT" and d["Pass"] and d["Name"] and d["Kind"] in KINDS for d in found)
    (first, second) = [d for d in found if d["Pass"] == "interchange-inner-loops"]
    assert (first["Kind"], first["Name"]) == ("Passed", "Interchanged")
    assert first["DebugLoc"] == {"File": str(source), "Line": 20, "Column": 5}
    assert second["DebugLoc"]["Line"] == 30
    # Viewers put the values of all arguments together.
    text = "".join(str(value) for argument in first["Args"] for value in argument.values())
    assert text.startswith("its trip count is uniform")
    assert {"Depth": "1"} in first["Args"]


def test_refusals_are_missed_optimizations() -> None:
    found = documents(llvm_remarks(explain(LEFT_TO_LLVM, "add.cl")))
    (missed,) = [d for d in found if d["Pass"] == "vectorize-work-items"]
    assert (missed["Kind"], missed["Name"]) == ("Missed", "LeftToLlvm")
    assert missed["DebugLoc"]["Line"] == 2


def test_refused_tiles_are_missed_optimizations() -> None:
    found = documents(llvm_remarks(explain(TRANSPOSE, "transpose.cl")))
    missed = [d for d in found if d["Pass"] == "tiles"]
    assert {(d["Kind"], d["Name"]) for d in missed} == {("Missed", "ColumnMajor")}
    assert [d["Args"][-2] for d in missed] == [{"Tile": "1024x1x1"}, {"Tile": "nx1x1"}]


@pytest.mark.parametrize("file", ["it's.cl", 'a "b": c.cl', "tab\there.cl", "\\.cl", "# {}.cl", "größe.cl"])
def test_any_file_name_survives(file: str) -> None:
    found = documents(llvm_remarks(explain(LEFT_TO_LLVM, file)))
    assert {d["DebugLoc"]["File"] for d in found if "DebugLoc" in d} == {file}


def test_json_has_the_remarks_in_a_form_that_stays(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    source = tmp_path / "add.cl"
    source.write_text(LEFT_TO_LLVM)
    assert main(["explain", str(source), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["version"] == 2
    assert report.keys() == {"file", "options", "source", "log", "error", "version", "kernels"}
    (kernel,) = report["kernels"]
    assert kernel.keys() == {
        "name", "signature", "local_size", "local_size_source", "error", "method", "tile", "vectors",
        "sub_groups", "block", "notes", "local_bytes", "item_bytes", "context_bytes", "barriers", "regions",
        "tails", "variables", "memory", "loops", "promotions", "accesses", "branches", "graphs", "remarks",
    }  # fmt: skip
    remarks = kernel["remarks"]
    assert all(remark.keys() == REMARK_KEYS for remark in remarks)
    (missed,) = [r for r in remarks if r["kind"] == "missed"]
    assert (missed["pass"], missed["name"]) == ("vectorize-work-items", "LeftToLlvm")
    assert missed["location"]["line"] == 2 and missed["arguments"]["region"] == 0
    shapes = [
        r["arguments"]["shape"]["name"]
        for r in remarks
        if r["name"] == "Access" and "shape" in r["arguments"]
    ]
    assert shapes == ["Consecutive", "Consecutive"]
