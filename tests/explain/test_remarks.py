"""Remarks: names with arguments, their text, and what they look like as JSON."""

import json

from weft import ir
from weft.ir.debug import DebugInfo, Location
from weft.remarks import SILENT, Message, Reason, RemarkKind, Remarks

MODULE = """\
define void @f(ptr %p) {
  store i32 1, ptr %p, !dbg !1
  ret void
}
!0 = distinct !DISubprogram(name: "f", file: !2)
!1 = !DILocation(line: 7, column: 3, scope: !0)
!2 = !DIFile(filename: "f.cl", directory: "")
"""


class Form(Message):
    STRIDED = "vector loads, stride {stride}"


class Done(Message):
    WIDENED = "{width} lanes by {form}"
    NO_FORM = "{operation} has no vector form"


def test_text_takes_arguments_and_messages_among_them():
    remarks = Remarks("f")
    remarks.passed(Done.WIDENED, width=8, form=Form.STRIDED, stride=2)
    (remark,) = remarks
    assert (remark.name, remark.text) == ("Widened", "8 lanes by vector loads, stride 2")
    assert Done.WIDENED.parameters == ("width", "form")


def test_remarks_have_the_pass_that_runs_and_the_location_of_their_instruction():
    module = ir.parse(MODULE)
    store = next(module.function("f").instructions())
    remarks = Remarks("f", DebugInfo(module))
    with remarks.by("outer"):
        with remarks.by("inner"):
            remarks.missed(Reason(Done.NO_FORM, operation="alloca"), store, region=3)
        remarks.analysis(Form.STRIDED, Location(1, 2, "", "g"), stride=1)
    first, second = remarks
    assert (first.by, first.kind, first.function) == ("inner", RemarkKind.MISSED, "f")
    assert first.location == Location(7, 3, "f.cl", "f") and first["region"] == 3
    assert (second.by, second.location.line) == ("outer", 1)


def test_json_of_a_remark():
    remarks = Remarks("f")
    at = Location(2, 1, "", "g", Location(9, 5, "", "f"))
    with remarks.by("vectorize"):
        remarks.passed(Done.WIDENED, at, width=8, form=Form.STRIDED, stride=2, lines=(1, 2), told=None)
    (remark,) = remarks
    assert json.loads(json.dumps(remark.to_json())) == {
        "pass": "vectorize",
        "kind": "passed",
        "name": "Widened",
        "function": "f",
        "location": {
            "file": "",
            "line": 2,
            "column": 1,
            "function": "g",
            "callers": [{"file": "", "line": 9, "column": 5, "function": "f"}],
        },
        "text": "8 lanes by vector loads, stride 2",
        "arguments": {
            "width": 8,
            "form": {"name": "Strided", "text": "vector loads, stride 2"},
            "stride": 2,
            "lines": [1, 2],
            "told": None,
        },
    }


def test_collector_without_a_listener_keeps_nothing():
    with SILENT.by("pass"):
        SILENT.missed(Done.NO_FORM, operation="alloca")
    assert not SILENT and list(SILENT) == []
