"""What the cost model chooses for small kernels, on processors with registers of 16, 8 and 4 lanes.

Nothing is timed here: the kernels were measured when the model was made (docs/vectorizer.md).
"""

import pytest
from simd_cost_kernels import (
    ATOMIC,
    BETWEEN,
    BLOCK,
    BLURRED_ROWS,
    BYTE_ROWS,
    CELL,
    CHAIN,
    CHECKSUMS,
    CIPHER,
    COLUMN_MODE,
    COPIED_ROWS,
    COUNTS,
    DISTANCE,
    ENCODER,
    ESCAPE,
    FUNCTION,
    GRID,
    NEIGHBOURHOOD,
    POLYNOMIALS,
    PRODUCTS,
    ROWS,
    SEARCH,
    SHARED,
    SORTED,
    SPARSE,
    SPARSE_STORES,
    STEPS,
    STRAIGHT,
    SWITCH,
    TILE,
    outcome,
    outcomes,
)

from weft.target import x86
from weft.transform.cost_model.estimate import Estimate
from weft.transform.simd.cannot_vectorize import NotVectorized

COSTS = x86.for_lanes(8).costs

PROCESSORS = pytest.mark.parametrize("lanes", [16, 8, 4])
BETTER_IN_LANES = {
    "search": SEARCH,
    "distance": DISTANCE,
    "escape": ESCAPE,
    "function": FUNCTION,
    "chain": CHAIN,
    "rows": ROWS,
    "sparse_stores": SPARSE_STORES,
    "switch": SWITCH,
}
BETTER_ONE_BY_ONE = {
    "sparse": SPARSE,
    "atomic": ATOMIC,
    "block": BLOCK,
    "polynomials": POLYNOMIALS,
    "counts": COUNTS,
    "sorted": SORTED,
}

BETTER_ALONG_ROWS = {"copied_rows": COPIED_ROWS, "blurred_rows": BLURRED_ROWS, "byte_rows": BYTE_ROWS}


@PROCESSORS
@pytest.mark.parametrize("source", BETTER_IN_LANES.values(), ids=BETTER_IN_LANES)
def test_kernels_that_gain_get_lanes(source: str, lanes: int) -> None:
    found = outcome(source, lanes)
    assert 2 <= found.width <= COSTS.interleaved_lanes and found.refusal is None
    assert found.estimate is not None and found.estimate.pays


@pytest.mark.parametrize("lanes", [16, 8])
def test_lanes_load_rows_where_work_items_go_down_columns(lanes: int) -> None:
    found = outcome(COLUMN_MODE, lanes)
    along_rows = COLUMN_MODE.replace("k * get_global_size(0) + i", "i * n + k")
    assert found.width > 1 == outcome(along_rows, lanes).width


@PROCESSORS
@pytest.mark.parametrize("source", BETTER_ONE_BY_ONE.values(), ids=BETTER_ONE_BY_ONE)
def test_kernels_that_would_lose_stay_scalar(source: str, lanes: int) -> None:
    found = outcome(source, lanes)
    assert found.width == 1 and found.refusal.message is NotVectorized.COSTS_MORE
    assert found.estimate is not None and not found.estimate.pays


@PROCESSORS
def test_lanes_that_gather_and_scalar_code_are_tried(lanes: int) -> None:
    tried = outcomes(CIPHER, lanes)
    assert {version.strategy: version.width > 1 for version in tried} == {"lanes": True, "scalar": False}
    computed = outcome(
        CIPHER.replace("t[", "17 * (").replace("keys[k]", "n").replace("]", ")").replace("a[i)", "a[i]"),
        lanes,
    )
    assert computed.width > 1 and computed.divergent is None


@pytest.mark.parametrize("lanes", [16, 8])
def test_quotients_by_constants_are_cheap_in_lanes(lanes: int) -> None:
    words, long, short = (outcome(source, lanes).estimate for source in CHECKSUMS)
    assert words is not None and long is not None and short is not None
    assert words.pays and short.pays and not long.pays


@PROCESSORS
@pytest.mark.parametrize(("cases", "steps"), [(256, 1), (64, 12)])
def test_switches_with_much_in_many_cases_are_left_to_llvm(cases: int, steps: int, lanes: int) -> None:
    def work(case: int) -> str:
        return "".join(f"x = x * {case + step}.5f + y; y = y * x;" for step in range(steps))

    texts = "".join(f"case {case}: {work(case)} break;\n" for case in range(cases))
    source = f"""kernel void operations(global const uchar *op, global float *a) {{
        int i = get_global_id(0);
        float x = a[i], y = i;
        switch (op[i]) {{ {texts} }}
        a[i] = x + y;
    }}"""
    found = outcome(source, lanes)
    assert found.width == 1 and found.refusal.message is NotVectorized.LEFT_TO_LLVM


@PROCESSORS
@pytest.mark.parametrize("source", BETTER_ALONG_ROWS.values(), ids=BETTER_ALONG_ROWS)
def test_loops_along_rows_are_left_to_llvm(source: str, lanes: int) -> None:
    found = outcome(source, lanes)
    assert found.width == 1 and found.refusal.message is NotVectorized.ALONG_ROWS and not found.straight


@pytest.mark.parametrize(
    ("source", "old", "new"),
    [
        (BLURRED_ROWS, "a[i * n + k - 1]", "b[i * n + k - 1]"),  # made of the element before
        (BLURRED_ROWS, "a[i * n + k - 1]", "exp(a[i * n + k - 1])"),  # the library has vector forms
        (BLURRED_ROWS, "b[i * n + k]", "b[i + n * k]"),  # across rows
        (BYTE_ROWS, "sum += a", "if (b[k]) sum += a"),  # branches
        (BYTE_ROWS, "a[i * n + k]", "a[i + n * k]"),  # across rows
        (BYTE_ROWS, "sum += ", "sum = sum * 3 + "),  # not a sum
    ],
)
def test_loops_that_llvm_would_not_vectorize_along_rows_are_not_left_to_it(
    source: str, old: str, new: str
) -> None:
    changed = source.replace(old, new)
    found = outcome(changed, 16)
    assert changed != source
    assert found.refusal is None or found.refusal.message is not NotVectorized.ALONG_ROWS


def test_load_that_stays_the_same_in_a_loop_counts_before_it() -> None:
    inside = DISTANCE.replace("a[g * n + i - 1]", "a[g * n + j / 2]")
    written = DISTANCE.replace("before = old;", "before = out[g] = old;")
    costs = [outcome(source, 16).estimate for source in (DISTANCE, inside, written)]
    least, *more = (cost.wide / cost.width for cost in costs if cost is not None)
    assert len(more) == 2 and all(cost > 1.3 * least for cost in more)


@PROCESSORS
def test_straight_loops_are_left_to_llvm(lanes: int) -> None:
    found = outcome(STRAIGHT, lanes)
    assert found.width == 1 and found.refusal.message is NotVectorized.LEFT_TO_LLVM and found.straight


@PROCESSORS
def test_straight_loops_with_many_indices_that_could_wrap_get_lanes(lanes: int) -> None:
    assert outcome(GRID, lanes).width == lanes
    few = GRID.replace(" + a[(y + 7) * width + x] + a[x - y]", "")
    assert few != GRID and outcome(few, lanes).width == 1


def test_straight_loops_that_gather_neighbours_get_lanes() -> None:
    assert outcome(BETWEEN, 16).width == 16
    apart = BETWEEN.replace("k + 1", "k + 2").replace("w + 1", "w + 2")
    assert apart != BETWEEN and outcome(apart, 16).refusal.message is NotVectorized.LEFT_TO_LLVM


def test_gathers_share_the_first_touch_of_a_cache_line() -> None:
    near, far = (outcome(BETWEEN.replace("w + 1", f"w + {n}"), 16).estimate for n in (2, 64))
    assert near is not None and far is not None
    assert far.wide - near.wide == 16 * COSTS.first_touch


@PROCESSORS
@pytest.mark.parametrize("items", [4, 8, 16, 32])
def test_straight_loops_over_few_work_items_are_one_pass(lanes: int, items: int) -> None:
    assert outcome(STRAIGHT, lanes, items=items).width == items


@pytest.mark.parametrize("items", [5, 7, 12])
def test_few_work_items_that_share_local_memory_are_unrolled(items: int) -> None:
    found = outcomes(SHARED, 16, items=items)
    assert [o.refusal.message for o in found if o.refusal is not None] == [NotVectorized.FEW_UNROLLED] * 2
    # Vectors are whole, or gain more than they wait.
    long = SHARED.replace("* 2", "* 2 " + "* t[l] + a[g] " * 60)
    assert all(o.width == 8 for o in outcomes(SHARED, 16, items=8))
    for other in (outcomes(SHARED, 16, items=17), outcomes(long, 16, items=items)):
        assert other[-1].refusal is None or other[-1].refusal.message is not NotVectorized.FEW_UNROLLED


def test_bytes_are_stored_lane_by_lane_for_less_than_scatters() -> None:
    bytes_, numbers = (outcomes(source, 16, items=16)[0] for source in (TILE, TILE.replace("uchar", "int")))
    assert bytes_.width == 16 and bytes_.estimate is not None and numbers.estimate is not None
    assert bytes_.estimate.wide < numbers.estimate.wide


def test_guard_does_not_change_the_choice() -> None:
    guarded = SPARSE.replace("float sum = 0;", "if (i >= 1000) return;\n    float sum = 0;")
    assert guarded != SPARSE and outcome(guarded, 16).width == 1


def test_arithmetic_alone_gains_nearly_all_lanes() -> None:
    found = outcome(ESCAPE, 16)
    assert found.estimate is not None
    assert found.estimate.scalar / found.estimate.wide > 0.5 * found.width


def test_loop_that_waits_for_its_own_results_gets_two_registers_a_value() -> None:
    assert outcome(ESCAPE, 8).width == 16
    # A straight loop has other work-items to go on with.
    assert outcome(FUNCTION, 8).width == 8


def test_numbers_of_64_bits_halve_the_lanes() -> None:
    wide = ESCAPE.replace("float", "double").replace("0.5f", "0.5")
    assert outcome(wide, 8).width == outcome(ESCAPE, 8).width // 2


WAVES = """
kernel void f(global const float *k, global float *out, int n, int w) {
    size_t id = get_global_id(0);
    float x = id % w, y = id / w, sum = 0;
    for (int i = 0; i < n; i++) sum += sin(k[2 * i] * x + k[2 * i + 1] * y);
    out[id] = sum;
}
"""


def test_numbers_of_64_bits_halve_the_lanes_only_where_inner_loops_use_them() -> None:
    assert outcome(WAVES, 16).width == 16
    inside = WAVES.replace("k[2 * i + 1] * y", "(id + i) / w")
    assert inside != WAVES and outcome(inside, 16).width == 8


def test_numbers_of_64_bits_get_four_registers_unless_they_are_gathered() -> None:
    assert outcome(STEPS, 16).width == 32
    gathered = STEPS.replace("x / 2", "a[x / 2]")
    assert gathered != STEPS and outcome(gathered, 16).width <= 16


def test_built_ins_of_integers_leave_room_for_several_registers() -> None:
    assert outcome(PRODUCTS, 16).width == 32
    of_floats = PRODUCTS.replace("mul_hi(x, y)", "(uint)exp((float)x)")
    assert of_floats != PRODUCTS and outcome(of_floats, 16).width == 16


def test_components_count_as_lanes() -> None:
    assert outcome(CHAIN, 8).width < outcome(ESCAPE, 8).width


def test_lanes_must_gain_more_than_a_little() -> None:
    assert Estimate(8, scalar=100, wide=50, costs=COSTS).pays
    assert not Estimate(8, scalar=100, wide=98, costs=COSTS).pays
    assert not Estimate(8, scalar=100, wide=120, costs=COSTS).pays


@pytest.mark.parametrize("lanes", ["2", "8", "16"])
def test_setting_overrules_the_model(monkeypatch: pytest.MonkeyPatch, lanes: str) -> None:
    monkeypatch.setenv("WEFT_LANES", lanes)
    assert outcome(SPARSE, 8).width == int(lanes)


@pytest.mark.parametrize("lanes", [16, 8])
def test_few_lanes_are_tried_where_many_would_wait_again_and_again(lanes: int) -> None:
    tried = {found.strategy: found.width for found in outcomes(NEIGHBOURHOOD, lanes)}
    assert sorted(tried) == ["dvec-s", "narrow", "serial"]
    assert tried["narrow"] == lanes // 2


@PROCESSORS
def test_only_loops_whose_lanes_part_have_strategies(lanes: int) -> None:
    # Only statements of the first loop diverge: all lanes run it equally often.
    divergent = ENCODER.replace("k < n", "k < n && a[i * n + k]")
    estimates = [outcomes(source, lanes)[0].estimate for source in (ENCODER, divergent)]
    assert [e is not None and e.serial is not None for e in estimates] == [False, True]
    assert {found.strategy for found in outcomes(ENCODER, lanes)} <= {"lanes", "scalar", "auto", "dvec-s"}


@PROCESSORS
def test_the_whole_group_is_tried_where_lanes_wait_once(lanes: int) -> None:
    assert sorted(found.strategy for found in outcomes(CELL, lanes)) == ["dvec", "dvec-s", "serial"]
