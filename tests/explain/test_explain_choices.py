"""What explanations say about lanes: what was chosen for a region and why, and how accesses are done."""

import json
import re

import pytest
from explained_kernels import DCT, explained

from weft.cli.main import main
from weft.explain.explain import explain
from weft.explain.html import page
from weft.explain.report import Kernel
from weft.explain.text import TextWriter, remarks
from weft.target import x86

# An access of each form, in a region that has lanes because it holds loops.
FORMS = """\
kernel void forms(global float *a, global const float *b, global const int *index, global const float4 *v,
                  global int *count, int n) {
    int i = get_global_id(0);
    float sum = b[n];
    for (int k = 0; k < n; k++)
        sum += b[k] * a[k + i];
    sum += b[2 * i];
    sum += b[1000 - i];
    sum += b[index[i]];
    a[index[i]] = sum;
    float4 w = v[3 * i];
    sum += w.x * w.y;
    if (sum > 1) {
        sum += a[i];
        atomic_inc(&count[0]);
    }
    for (int k = 0; k < index[i]; k++)
        sum = sum * 0.5f + 1;
    count[1] = (int)sum;
    a[i] = sum;
}
"""
OWN_GROUP = "kernel void own_group(global uint *o) { o[get_global_id(0)] = get_local_size(0); }"
ADD = """\
kernel void add(global int *a, global const int *b, global const int *c) {
    int i = get_global_id(0);
    a[i] = b[i] + c[b[i]];
}
"""
# Exchanges make work-items wait for one another, which lanes must not do in a loop.
LOCK = """\
kernel void locked(global int *lock, global int *a) {
    int i = get_global_id(0);
    for (int k = 0; k < a[i]; k++)
        a[i + 64 * k] = atomic_xchg(&lock[0], k);
}
"""
# Pairs at a distance that only the launch knows.
PAIRS = """\
kernel void pairs(global int *a, int step) {
    uint i = get_global_id(0);
    uint left = i % step + 2 * step * (i / step);
    a[left] = a[left] + a[left + step];
}
"""
SWAPPED = """\
kernel void swapped(global int *a, local int *tile) {
    int l = get_local_id(0);
    tile[l] = a[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    a[l] = tile[l ^ 1];
}
"""
TILED = """\
kernel __attribute__((reqd_work_group_size(16, 16, 1)))
void tiled(global float *a, global const float *b, int n) {
    local float tile[16][17];
    int x = get_local_id(0), y = get_local_id(1);
    tile[y][x] = b[get_global_id(1) * n + get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    a[get_global_id(1) * n + get_global_id(0)] = tile[x][y];
}
"""
UNROLLED = """\
kernel void unrolled(global float *a, global const float *b) {
    int i = get_global_id(0);
    float t[4];
    for (int k = 0; k < 4; k++)
        t[k] = b[4 * i + k];
    float s = 0;
    for (int k = 0; k < a[i]; k++)
        s += t[k & 1] + t[2];
    a[i] = s + t[3];
}
"""
CHAIN = """\
kernel void chain(global float4 *a, int n) {
    float4 v = a[get_global_id(0)];
    for (int k = 0; k < n; k++) v = v * v + 1.0f;
    a[get_global_id(0)] = v;
}
"""
MIXED = """\
kernel void mixed(global const float4 *a, global float *b) {
    float4 v = a[get_global_id(0)];
    float s = v.x;
    for (int k = 0; k < b[get_global_id(0)]; k++) s += v.y * v.z + v.w;
    b[get_global_id(0)] = s;
}
"""
TRANSPOSE = """\
kernel void transpose(global float *a, global const float *b) {
    int x = get_global_id(0), y = get_global_id(1);
    a[x * 1024 + y] = b[y * 1024 + x];
}
"""
SHARED = """\
kernel void shared(global int *a, local int *t) {
    t[get_local_id(0)] = a[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    a[get_global_id(0)] = t[63 - get_local_id(0)];
}
"""


def forms(kernel: Kernel) -> dict[str, str]:
    """How each access is done, by its place."""
    return {str(a.place): a.how for a in kernel.accesses}


@pytest.fixture
def lanes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Eight lanes wherever that is possible, whatever the cost model thinks on this processor."""
    monkeypatch.setenv("WEFT_LANES", "8")


def test_traversed_rows_are_not_gathered():
    walk = """
    kernel void walk(global const float *a, global float *b, int n) {
        int i = get_global_id(0);
        float sum = 0;
        for (int j = 0; j < n; j++) sum += a[i * n + j];
        b[i] = sum;
    }
    """
    assert {access.how for access in explained(walk).accesses} == {
        "pieces of rows, transposed",
        "vector store",
    }


def test_loops_that_would_scatter_are_scalar(monkeypatch: pytest.MonkeyPatch):
    target = x86.for_lanes(16)
    monkeypatch.setattr("weft.explain.explain.host_target", lambda: target)
    scattering = """
    kernel void scattering(global float *a) {
        int i = get_global_id(0);
        a[8 * i] = i;
        a[8 * i + 1] = 2;
    }
    """
    kernel = explained(scattering)
    assert {access.how for access in kernel.accesses} == {"one by one"}
    assert [region.choice.reason for region in kernel.regions] == ["scatters cost more than lanes gain"]


def test_rows_that_are_transposed_are_no_gathers():
    assert "whole rows, transposed" in {access.how for access in explained(TILED).accesses}


def test_region_in_lanes_tells_both_costs():
    (region,) = explained(MIXED).regions
    choice = region.choice
    assert choice is not None and choice.kind == "lanes" and choice.lanes >= 4
    assert 0 < choice.cost_in_lanes < choice.cost_one_by_one
    assert any(f"{choice.lanes} lanes: divergent loops " in r and " one by one)" in r for r in region.remarks)


def test_region_with_divergent_loops_tells_their_strategy_and_what_serial_ones_cost():
    choice = explained(MIXED).regions[0].choice
    assert re.fullmatch(r"divergent loops dvec-s, \d+ with them serial", choice.reason)


def test_loops_that_are_tried_in_several_strategies_keep_their_place(monkeypatch: pytest.MonkeyPatch):
    target = x86.for_lanes(16)
    monkeypatch.setattr("weft.explain.explain.host_target", lambda: target)
    split = """
    kernel void split(global float *b, global int *c, int n, int m) {
        int i = get_global_id(0), q = c[i] & 15;
        float s = b[i];
        if (i < m) {
            for (int u = 0; u < q; u++) {
                if (u == (i & 7)) continue;
                b[c[(i * 7 + u * 13) & 1023] & 1023] = s;
                if ((s += u) > 90) break;
            }
            b[i] = s;
        } else {
            for (; q > n; q -= 3) s += q;
            b[i] = s - 1;
        }
    }
    """
    (region,) = explained(split, local_size=(64, 1, 1)).regions
    assert "tried at run time" in region.choice.reason


def test_strategy_that_was_asked_for_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("WEFT_DIVERGENT", "dvec-s")
    assert explained(MIXED).regions[0].choice.reason == "divergent loops dvec-s"


def test_forced_lanes_are_named_as_the_reason(lanes: None):
    choice = explained(MIXED).regions[0].choice
    assert (choice.kind, choice.lanes, choice.reason) == ("lanes", 8, "WEFT_LANES=8")


def test_region_without_inner_loops_is_left_to_llvm():
    kernel = explained(ADD)
    assert kernel.regions[0].choice.kind == "llvm"
    assert set(forms(kernel).values()) == {"left to LLVM"}


def test_llvm_tells_what_it_makes_of_each_access():
    kernel = explained(ADD, llvm=True)
    assert kernel.regions[0].lanes > 1
    found = forms(kernel)
    assert found["3:5"].startswith("LLVM: vector store of ") and found["3:12"].startswith(
        "LLVM: vector load of "
    )
    # A gather, or loads one by one, as the processor does it faster.
    assert found["3:19"].startswith(("LLVM: gather of ", "LLVM: scalar load"))


def test_region_that_lanes_cannot_run_is_serial_and_says_why(lanes: None):
    kernel = explained(LOCK)
    choice = kernel.regions[0].choice
    assert choice.kind == "serial" and "wait for each other" in choice.reason
    assert set(forms(kernel).values()) == {"one by one"}


def test_interchanged_region_names_the_loop_around_it():
    kernel = explained(DCT, local_size=(64, 2, 1))
    assert [r.interchanged.line for r in kernel.regions if r.interchanged] == [20, 30]
    assert all(r.choice.kind == "llvm" for r in kernel.regions if r.interchanged)


def test_interchanged_region_of_a_small_group_runs_in_one_pass():
    kernel = explained(DCT, local_size=(8, 8, 1))
    found = [r for r in kernel.regions if r.interchanged]
    assert [(r.choice.kind, r.choice.lanes) for r in found] == [("lanes", 8)] * 2


@pytest.mark.parametrize(("name", "value"), [("WEFT_WORKGROUP", "loops"), ("WEFT_LANES", "1")])
def test_setting_that_keeps_lanes_away_is_named(monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    choice = explained(MIXED).regions[0].choice
    assert (choice.kind, choice.reason) == ("llvm", f"{name}={value}")


def test_every_access_tells_how_it_is_done(lanes: None):
    assert forms(explained(FORMS)) == {
        "4:17": "one load for all lanes",
        "6:16": "one load for all lanes",
        "6:23": "vector load",
        "7:12": "vector loads and shuffles, stride 2",
        "8:12": "reversed vector load or, if an index wraps around, gather",
        "9:12": "gather",
        "9:14": "vector load",
        "10:5": "scatter",
        "11:16": "one vector load per lane",
        "14:16": "masked vector load",
        "15:9": "lane by lane",
        "17:25": "vector load",
        "19:5": "the last lane's value",
        "20:5": "vector store",
    }


def test_test_at_run_time_makes_an_address_consecutive(lanes: None):
    kernel = explained(
        "kernel void wraps(global float *a, global const float *b, uint n) {\n"
        "    uint i = get_global_id(0);\n"
        "    float s = 0;\n"
        "    for (uint k = 0; k < n; k++) s += b[n + i];\n"
        "    a[i] = s;\n"
        "}\n"
    )
    (access,) = [a for a in kernel.accesses if a.object == "b"]
    assert access.how == "vector load or, if an index wraps around, gather"
    assert (access.shape, access.detail) == ("consecutive", "tested at run time")


def test_work_items_away_from_edges_have_code_of_their_own():
    kernel = explained(
        "kernel void edges(global float *a, global const float *b, int n) {\n"
        "    int i = get_global_id(0);\n"
        "    a[i] = b[clamp(i - 1, 0, n - 1)];\n"
        "}\n"
    )
    (access,) = [a for a in kernel.accesses if a.object == "b"]
    assert (access.shape, access.how) == ("consecutive", "vector load; at the edge gather")
    (access,) = [a for a in kernel.accesses if a.object == "a"]
    assert access.how == "vector store"
    (region,) = [r for r in kernel.regions if r.choice]
    assert region.choice is not None and "in-bounds indices" in region.choice.reason


def test_unrolled_loops_are_named_and_their_accesses_counted():
    kernel = explained(UNROLLED)
    assert [(loop.place.line, loop.last_line, loop.verdict) for loop in kernel.loops] == [
        (7, 8, "inside"),
        (4, 5, "unrolled"),
    ]
    assert sum(a.times for a in kernel.accesses if a.object == "b") == 4
    assert len([a for a in kernel.accesses if a.object == "b"]) < 4


@pytest.mark.parametrize(
    ("source", "words"), [(CHAIN, "not split"), (MIXED, "split into components"), (ADD, "")]
)
def test_vectors_are_split_or_kept_whole(source, words):
    kernel = explained(source)
    assert words in kernel.vectors and bool(words) == bool(kernel.vectors)


def test_kernel_that_shares_nothing_is_shown_in_tiles():
    kernel = explained(ADD)
    assert kernel.tile is not None and kernel.tile.assumed
    x, y, z = kernel.tile.size
    assert x >= 64 and (y, z) == (1, 1) and kernel.tile.global_size == (1 << 20, 1, 1)
    assert explained(SHARED).tile is None


def test_range_decides_about_tiles(monkeypatch):
    monkeypatch.setenv("WEFT_THREADS", "2")
    tile = explained(ADD, global_size=(960 * 61, 1, 1)).tile
    assert tile is not None and not tile.assumed and tile.size == (960, 1, 1)
    # With so few work-items each may be worth a thread.
    assert explained(ADD, global_size=(2, 1, 1)).tile is None


def test_local_size_alone_shows_work_groups():
    assert explained(ADD, local_size=(16, 1, 1)).tile is None
    assert explained(ADD, any_local_size=True).tile is None
    assert explained(ADD, local_size=(16, 1, 1), global_size=(1 << 20, 1, 1)).tile is not None


def test_local_size_that_does_not_divide_the_range_shows_smaller_groups():
    sizes = {"local_size": (16, 1, 1), "global_size": (100, 1, 1)}
    kernel = explained(OWN_GROUP, options="-cl-std=CL3.0", **sizes)
    assert kernel.tile is None and "smaller" in kernel.local_size_source
    assert explained(ADD, options="-cl-std=CL3.0", **sizes).tile is not None
    assert "divide" in explain(OWN_GROUP, **sizes).kernels[0].error


def test_tiles_that_do_not_suit_are_passed_over_for_a_reason():
    tile = explained(TRANSPOSE).tile
    assert tile is not None and tile.size == (8, 32, 1)
    assert tile.passed_over and all(
        "contiguous along y, not along x" in reason for reason in tile.passed_over
    )


def test_unoptimized_code_runs_groups():
    assert explained(ADD, options="-cl-opt-disable").tile is None


def test_text_and_page_show_choices_and_forms(lanes: None):
    report = explain(FORMS, "forms.cl")
    for text in (TextWriter(200).report(report), page(report)):
        for words in ("8 lanes", "lane by lane", "vector loads and shuffles, stride 2", "share nothing"):
            assert words in text


def test_range_is_an_option_of_the_command(tmp_path, capsys):
    file = tmp_path / "add.cl"
    file.write_text(ADD)
    assert main(["explain", str(file), "--global", "61440", "--json"]) == 0
    (kernel,) = json.loads(capsys.readouterr().out)["kernels"]
    assert kernel["tile"]["global_size"] == [61440, 1, 1]
    assert kernel["regions"][0]["choice"]["kind"] == "llvm"
    assert {a["how"] for a in kernel["accesses"]} == {"left to LLVM"}


def test_nothing_is_vectorized_without_optimization():
    kernel = explained(MIXED, options="-cl-opt-disable")
    assert kernel.method == "loops" and not kernel.vectors
    choice = kernel.regions[0].choice
    assert (choice.kind, choice.reason) == ("serial", "the code is not optimized")


def test_index_of_unsigned_type_is_consecutive(lanes: None):
    kernel = explained(
        "kernel void unsigned_index(global float *a, uint n) {\n"
        "    uint i = get_global_id(0);\n"
        "    float s = a[i];\n"
        "    for (uint k = 0; k < n; k++) s = s * s + 1;\n"
        "    a[i] = s;\n"
        "}\n"
    )
    assert set(forms(kernel).values()) == {"vector load", "vector store"}


def test_conditions_of_proofs_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEFT_LANES", "8")
    kernel = explained(PAIRS, local_size=(64, 1, 1))
    assert {access.how for access in kernel.accesses} == {
        "gather; vector load if offset.x % 8 == 0 && step % 8 == 0; "
        "4 vector loads of 2 lanes if offset.x % 2 == 0 && step % 2 == 0",
        "scatter; vector store if offset.x % 8 == 0 && step % 8 == 0; "
        "4 vector stores of 2 lanes if offset.x % 2 == 0 && step % 2 == 0",
    }


def test_accesses_that_are_proved_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEFT_LANES", "8")
    kernel = explained(SWAPPED, local_size=(64, 1, 1))
    assert "vector load and a shuffle, proved" in {access.how for access in kernel.accesses}
    monkeypatch.setenv("WEFT_PROOFS", "0")
    without = explained(SWAPPED, local_size=(64, 1, 1))
    assert "gather" in {access.how for access in without.accesses}


def test_both_strategies_of_a_bound_have_loops_of_their_own():
    source = """
    kernel void k(global float *a, global const float *b, int n) {
        int i = get_global_id(0);
        if (i < n) a[i] = b[i] * 2; else a[i] = b[i] * b[i + 1] + a[i];
    }"""
    (region,) = explained(source).regions
    assert "split loops: one where gid.x < n, others elsewhere" in region.remarks


TRANSPOSE_IN_GROUPS = """
__attribute__((reqd_work_group_size(16, 16, 1)))
kernel void transpose(global const float *a, global float *b, int width, int height) {
    local float tile[16][17];
    int x = get_local_id(0), y = get_local_id(1), left = get_group_id(0) * 16, top = get_group_id(1) * 16;
    tile[y][x] = a[(top + y) * width + left + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    b[(left + y) * height + top + x] = tile[x][y];
}
"""


ROWS_ALONG_Y = """
kernel void scale(global float *a, int n) { a[get_global_id(0) * n + get_global_id(1)] *= 2; }
"""


@pytest.mark.parametrize(
    ("source", "order"),
    [
        (TRANSPOSE_IN_GROUPS, "groups are run in blocks of 32x32"),
        (ROWS_ALONG_Y, "tiles are run along y first"),
        (ADD, ""),
    ],
)
def test_order_of_groups_is_told(source, order):
    (kernel,) = explain(source, "k.cl").kernels
    told = [remark for remark in remarks(kernel) if " are run " in remark]
    assert [remark.partition(",")[0] for remark in told] == [order] * bool(order)


def test_waiting_in_functions_is_named_as_the_reason_for_serial_work_items(monkeypatch):
    monkeypatch.setenv("WEFT_INLINE", "0")
    source = """int f(volatile global int *a, int x) { return atomic_xchg(a, x * 3); }
    kernel void k(global int *a, int m) { for (int n = 0; n < m; n++) a[get_global_id(0)] += f(a, n); }"""
    kernel = explained(source)
    assert kernel.method == "loops"
    assert [r.choice.reason for r in kernel.regions] == [
        "work-items may wait for one another in functions that it calls"
    ]
    assert [loop.reason for loop in kernel.loops] == [
        "work-items that may wait for each other in functions run sequentially"
    ]


def test_calls_of_functions_run_in_lanes(monkeypatch):
    monkeypatch.setenv("WEFT_INLINE", "0")
    source = """float f(float x) { for (int k = 0; k < 9; k++) x = x * 3 - 1 / x; return x; }
    kernel void k(global float *a, int m) { a[get_global_id(0)] = f(a[get_global_id(0)]) + m; }"""
    assert [r.choice.kind for r in explained(source).regions] == ["lanes"]


IMAGES = """\
kernel void blur(read_only image2d_t image, read_only image2d_t table, write_only image2d_t result,
                 sampler_t sampler) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    float4 sum = 0.0f;
    for (int x = -2; x <= 2; x++)
        sum += read_imagef(image, sampler, at + (int2)(x, 0));
    int4 place = read_imagei(table, at);
    write_imagef(result, at, sum + read_imagef(image, sampler, place.xy));
}
"""


def test_accesses_to_images_are_explained_as_those_to_buffers() -> None:
    report = explain(IMAGES)
    assert report.kernels[0].notes == (
        "images are assumed to be CL_RGBA of CL_UNORM_INT8 and CL_RGBA of CL_SIGNED_INT8",
        "samplers are assumed to clamp to the edge, with nearest filtering",
    )
    text = TextWriter(120, False).report(report)
    lines = [line for line in text.splitlines() if "char4" in line]
    forms = {line.split()[0].partition(":")[0]: line for line in lines}
    assert "vector load; at the edge" in forms["6"]
    assert "gather" in forms["8"]
    assert any("store" in line and "vector store" in line for line in lines)


def test_regions_of_thousands_of_instructions_are_vectorized() -> None:
    body = "".join(f"if (s > {n}) s = s * t + {n}; else t = t * s + {n};" for n in range(900))
    ends = "int i = get_global_id(0); float s = a[i], t = s;", "a[i] = s + t;"
    source = f"kernel void k(global float *a) {{ {ends[0]} {body} {ends[1]} }}"
    (kernel,) = explain(source).kernels
    (region,) = kernel.regions
    assert 3000 < region.instructions < 5000
    assert region.choice is not None
    assert region.choice.kind in ("lanes", "llvm")
