"""Which inner loops are interchanged with the work-item loop, by what they read."""

import pytest

from weft import ir
from weft.analysis.divergence import divergence
from weft.compiler.build_program import compile_program
from weft.frontend.options import parse_options
from weft.ir.loops import loop_forest
from weft.remarks import Message
from weft.target import x86
from weft.transform.cost_model.interchange import Interchange, fits_few_registers
from weft.transform.workgroup.interchange_inner_loops import obstacle

KERNEL = """
kernel void f(global const int *table, global const int *data, global int *out, int n) {{
    int g = get_global_id(0), sum = out[g];
    for (int i = 0; i < n; i++) sum = sum * 3 + ({read});
    out[g] = sum;
}}
"""
ROWS = {
    "row by row": "data[i * n + g]",
    "rows far apart": "data[i * 64 + g]",
    "rows, one of them by a mask of the work-item": "data[i * n + (g & 15)]",
    "rows beside a table": "data[i * n + g] + table[(g + i) & 1023]",
}
NEAR = {
    "a step on": "data[g * n + i]",
    "a step on in every other iteration": "data[g * n + (i >> 1)]",
    "a step on in every third iteration": "data[g * n + (uint)i / 3]",
    "a table by a mask": "table[(g + i * 7) & 1023]",
    "a table by a remainder": "table[(uint)(g * 5 + i) % 1021u]",
    "a table by the other bits": "table[(g ^ i) + 5]",
}

WALK = """
kernel void f(global const int *a, global const int *b, global int *out, int n, int step) {{
    int g = get_global_id(0), i = g * 64, j = g * 32;
    for (int k = 0; k < n; k++) {{ {body} }}
    out[g] = i + j;
}}
"""
BY_DATA = {
    "two lists are merged": "out[k * n + g] = a[i] < b[j] ? a[i++] : b[j++];",
    "a text of long and short characters": "j = j * 3 + a[i]; i += a[i] < 0 ? 100 : 200;",
    "the state of a cipher": "j = a[i & 255] + b[(i >> 24) + 128]; i = j ^ k;",
    "two texts": "i += a[i] & 1 ? 7 : 300; j += b[j] < i ? 100 : 200;",
}
BY_DATA_OR_NEAR = {
    "a table by a text": "out[k * n + g] = b[a[g * n + k]];",
    "the states of a machine": "j = b[j * 16 + a[g * n + k]];",
}
BY_STEPS = {
    "a column": "j = j * 3 + a[i]; i += 100;",
    "one table after another": "i = a[i] & 1023; j = j * 3 + b[k * n + g];",
    "a column by a step of the launch": "j = j * 3 + a[i]; i += step;",
}


SUMS = """
kernel void f(global const uchar *data, global long *out, int n) {{
    int g = get_global_id(0);
    {type} a = 0, b = 0, c = 0;
    for (int i = 0; i < n; i++) {{
        {type} read = data[i * n + g];
        a += read; b ^= read * 5; c = c * 3 + read;
    }}
    out[g] = a + b + c;
}}
"""


def why_not(read: str) -> Message | None:
    return why_not_loop(KERNEL.format(read=read))


def why_not_loop(source: str, few: bool = False) -> Message | None:
    (kernel,) = compile_program(source, parse_options("")).kernels
    function = ir.parse(kernel.text).function("f")
    (loop,) = loop_forest(function).loops
    reason = obstacle(loop, divergence(function), x86.for_lanes(16).costs, always=False, few=few)
    return reason.message if reason is not None else None


@pytest.mark.parametrize("read", ROWS.values(), ids=ROWS)
def test_work_items_read_rows_together(read: str) -> None:
    assert why_not(read) is None


@pytest.mark.parametrize("read", NEAR.values(), ids=NEAR)
def test_lanes_are_not_left_for_tables(read: str) -> None:
    assert why_not(read) is Interchange.READS_ON


@pytest.mark.parametrize("read", ["data[i * n + g / 5]", "data[i * n + (g % n) * 3]"])
def test_lanes_see_through_quotients_of_positions(read: str) -> None:
    assert why_not(read) is Interchange.DIVIDED_POSITIONS


@pytest.mark.parametrize("read", ["data[i * n + g + n / 5]", "data[(i / 3) * n + g]"])
def test_quotients_that_all_work_items_share_do_not_count(read: str) -> None:
    assert why_not(read) is None


@pytest.mark.parametrize("body", BY_DATA.values(), ids=BY_DATA)
def test_lanes_are_not_left_where_decisions_move_a_work_item_on(body: str) -> None:
    assert why_not_loop(WALK.format(body=body)) is Interchange.FOLLOWS_DATA


@pytest.mark.parametrize("body", BY_DATA_OR_NEAR.values(), ids=BY_DATA_OR_NEAR)
def test_lanes_are_not_left_for_tables_that_data_indexes(body: str) -> None:
    assert why_not_loop(WALK.format(body=body)) is Interchange.READS_ON_OR_BY_DATA


def test_lanes_are_not_left_where_a_pointer_moves_on_in_some_iterations() -> None:
    packed = """kernel void f(global const uint *a, global uint *out, int bits) {
        int g = get_global_id(0), have = 0;
        global const uint *p = a + g * bits;
        ulong read = 0;
        for (int k = 0; k < 32; k++) {
            if (have < bits) { read |= (ulong)*p++ << have; have += 32; }
            out[k * 999 + g] = read & 15;
            read >>= bits;
            have -= bits;
        }
    }"""
    assert why_not_loop(packed) is Interchange.READS_ON_OR_BY_DATA
    assert why_not_loop(packed.replace("*p++", "*(p += 99)").replace("if (have < bits)", "")) is None


@pytest.mark.parametrize("body", BY_STEPS.values(), ids=BY_STEPS)
def test_work_items_that_move_on_without_decisions_run_in_lock_step(body: str) -> None:
    assert why_not_loop(WALK.format(body=body)) is None


def test_few_work_items_keep_what_they_carry_in_registers() -> None:
    carries = KERNEL.format(read=ROWS["row by row"])
    assert why_not_loop(carries, few=True) is Interchange.CARRIES_AT_ONCE
    assert why_not_loop(carries) is None
    carries_nothing = KERNEL.replace("sum = sum * 3 + ({read})", "out[i * n + g] = sum + ({read})")
    assert why_not_loop(carries_nothing.format(read=ROWS["row by row"]), few=True) is None


@pytest.mark.parametrize(
    ("items", "few"),
    [((48, 1, 1), True), ((64, 1, 1), True), ((12, 5, 1), True), ((65, 1, 1), False), ((8, 8, 1), False)],
)
def test_few_work_items_are_four_registers_of_rows_that_take_several_passes(
    items: tuple[int, int, int], few: bool
) -> None:
    assert fits_few_registers(items, 16) == few


def test_an_unknown_number_of_work_items_is_not_few() -> None:
    assert not fits_few_registers(None, 16)


def test_few_bytes_are_carried() -> None:
    assert why_not_loop(SUMS.format(type="int")) is None
    assert why_not_loop(SUMS.format(type="long")) is Interchange.CARRIES_TOO_MUCH
