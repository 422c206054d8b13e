"""What explanations say about barriers, regions, variables, loops, accesses and branches."""

import pytest
from explained_kernels import CONDITIONAL, DCT, SHAPES, explained

from weft.codegen.host import host_target
from weft.explain.explain import UnknownKernel, explain


def test_inner_loops_of_dct_are_interchanged():
    kernel = explained(DCT)
    assert [(loop.place.line, loop.last_line, loop.verdict) for loop in kernel.loops] == [
        (20, 24, "interchanged"),
        (30, 34, "interchanged"),
    ]
    # The body of each loop is a region of its own, between the barrier of the loop and itself (Fig. 10).
    rounds = [r for r in kernel.regions if r.ends == (r.start,)]
    assert [kernel.barriers[r.start].place.line for r in rounds] == [20, 30]
    assert (20, 23) in rounds[0].lines and (30, 33) in rounds[1].lines


def test_loops_stay_inside_where_the_method_says_so(monkeypatch):
    monkeypatch.setenv("WEFT_WORKGROUP", "loops")
    kernel = explained(DCT)
    assert {loop.verdict for loop in kernel.loops} == {"inside"}
    assert [b.kind for b in kernel.barriers] == ["entry", "written", "exit"]


def test_small_groups_interchange_nothing():
    kernel = explained(DCT, local_size=(2, 2, 1))
    assert all("too few work-items" in loop.reason for loop in kernel.loops)


def test_barriers_have_their_origin():
    kinds = [(b.kind, b.place and str(b.place)) for b in explained(CONDITIONAL).barriers]
    assert kinds == [("entry", None), ("decision", "6:11"), ("written", "7:9"), ("exit", None)]


def test_code_after_a_conditional_barrier_is_a_replicated_tail():
    kernel = explained(CONDITIONAL)
    (tail,) = kernel.tails
    assert tail.lines == ((10, 10),)
    starts = {kernel.regions[n].start for n in tail.regions}
    assert {kernel.barriers[n].kind for n in starts} == {"decision", "written"}
    assert all(set(tail.blocks) <= set(kernel.regions[n].replicated) for n in tail.regions)


def test_barrier_in_a_helper_names_its_callers():
    kernel = explained(
        "void swap(local int *t, int l) {\n"
        "    barrier(CLK_LOCAL_MEM_FENCE);\n"
        "    t[l] += t[l ^ 1];\n"
        "}\n"
        "kernel void helped(global int *a, local int *t) {\n"
        "    int l = get_local_id(0);\n"
        "    t[l] = a[l];\n"
        "    swap(t, l);\n"
        "    a[l] = t[l];\n"
        "}\n"
    )
    written = next(b for b in kernel.barriers if b.kind == "written")
    assert (written.place.line, written.place.function, written.place.caller.line) == (2, "swap", 8)
    assert "in swap, called at 8:5" in written.why
    inside = [a for a in kernel.accesses if a.place.function == "swap"]
    assert {(a.place.line, a.place.outermost.line, a.object) for a in inside} == {(3, 8, "t")}


def test_variables_tell_how_and_why_they_are_kept():
    kernel = explained(DCT)
    kept = {(v.name, v.place.line): v for v in kernel.variables}
    assert kept["acc", 19].kept == "context" and kept["acc", 19].bytes == 4
    assert "carried around the loop at" in kept["acc", 19].reason
    assert kept["k", 20].kept == "uniform" and "same for all work-items" in kept["k", 20].reason
    assert kept["i", 15].kept == "recomputed" and "get_local_id" in kept["i", 15].reason
    assert kernel.item_bytes == 8  # acc of each loop
    assert kernel.context_bytes == 8 * 128


def test_value_loaded_before_a_barrier_needs_a_context_array():
    (value,) = [v for v in explained(CONDITIONAL).variables if v.kept == "context"]
    assert (value.name, value.type, value.place.line) == ("v", "int", 4)
    assert "loaded from a" in value.reason


def test_private_memory_is_shared_unless_it_outlives_a_region():
    kernel = explained(
        "kernel void memory(global int *a) {\n"
        "    int l = get_local_id(0), kept[6];\n"
        "    {\n"
        "        int once[8];\n"
        "        for (int i = 0; i < 8; i++) once[i] = a[i];\n"
        "        for (int i = 0; i < 6; i++) kept[i] = once[(i + l) & 7];\n"
        "    }\n"
        "    barrier(CLK_GLOBAL_MEM_FENCE);\n"
        "    a[l] = kept[a[l] % 6u];\n"
        "}\n"
    )
    assert [(m.name, m.type, m.kept, m.bytes) for m in kernel.memory] == [
        ("kept", "int[6]", "context", 24),
        ("once", "int[8]", "shared", 32),
    ]


def test_accesses_have_places_objects_and_shapes():
    kernel = explained(SHAPES)
    found = {(str(a.place), a.kind, a.space, a.object): (a.shape, a.detail) for a in kernel.accesses}
    assert found == {
        ("4:5", "store", "global", "a"): ("consecutive", ""),
        ("4:12", "load", "global", "b"): ("strided 3", ""),
        ("5:12", "load", "global", "b"): ("uniform", ""),
        ("6:12", "load", "global", "b"): ("varying", "by a value read from index"),
        ("6:14", "load", "global", "index"): ("consecutive", ""),
        ("7:12", "load", "constant", "table"): ("uniform", ""),
    }


def test_shapes_are_told_per_dimension():
    kernel = explained(
        "kernel void plane(global float *out, local float *t) {\n"
        "    int x = get_local_id(0), y = get_local_id(1);\n"
        "    t[y * 16 + x] = 1;\n"
        "    barrier(CLK_LOCAL_MEM_FENCE);\n"
        "    out[y] = t[x * 16 + y];\n"
        "}\n",
        local_size=(16, 4, 1),
    )
    assert [(a.kind, a.object, a.shape, a.detail) for a in kernel.accesses] == [
        ("store", "t", "consecutive", "y strided 64 B"),
        ("store", "out", "uniform in x", "y strided 4 B"),
        ("load", "t", "strided 16", "y strided 4 B"),
    ]


def test_index_that_may_wrap_is_named_as_the_reason():
    kernel = explained(
        "kernel void wraps(global int *a, uint n) {\n    a[n + (uint)get_global_id(0)] = 0;\n}\n"
    )
    (access,) = kernel.accesses
    proved = f"consecutive if n % {host_target().lanes(32)} == 0"
    assert (access.shape, access.detail) == ("varying", "its 32-bit index may wrap around")
    assert access.proved == proved


def test_vector_loads_and_stores_have_shapes():
    kernel = explained(
        "kernel void copy(global const float *a, global float *b) {\n"
        "    int i = get_global_id(0);\n"
        "    vstore4(vload4(i, a), 2 * i, b);\n"
        "}\n"
    )
    assert sorted((a.kind, a.object, a.type, a.bytes, a.shape) for a in kernel.accesses) == [
        ("load", "a", "float4", 16, "consecutive"),
        ("store", "b", "float4", 16, "strided 2"),
    ]


def test_branches_tell_what_makes_them_diverge():
    kernel = explained(
        "kernel void branches(global int *a, int n) {\n"
        "    int l = get_local_id(0);\n"
        "    if (n > 2) a[0] = 1;\n"
        "    if (l < n) a[l] = 2;\n"
        "    if (a[l + 64] > 3) a[l] += l * l;\n"
        "}\n"
    )
    assert [(b.place.line, b.divergent, b.reason) for b in kernel.branches] == [
        (3, False, ""),
        (4, True, "depends on get_local_id(0)"),
        (5, True, "depends on a value read from a at 5:9"),
    ]


def test_divergent_loop_is_not_interchanged_for_a_reason():
    kernel = explained(
        "kernel void loops(global int *a) {\n"
        "    int i = get_global_id(0), sum = 0;\n"
        "    for (int k = 0; k < a[i]; k++) sum += a[k];\n"
        "    a[i] = sum;\n"
        "}\n"
    )
    (loop,) = kernel.loops
    assert loop.verdict == "inside" and loop.reason
    assert [b.divergent for b in kernel.branches if b.kind == "loop"] == [True]


def test_condition_that_may_break_the_rules_is_noted():
    kernel = explained(
        "kernel void risky(global int *a, local int *t) {\n"
        "    int l = get_local_id(0);\n"
        "    t[l] = a[l];\n"
        "    if (a[l] > 0) barrier(CLK_LOCAL_MEM_FENCE);\n"
        "    a[l] = t[0];\n"
        "}\n"
    )
    (note,) = kernel.notes
    assert "4:" in note and "the behaviour is undefined" in note


@pytest.mark.parametrize(
    ("axes", "size"), [("0", (64, 1, 1)), ("0 1", (8, 8, 1)), ("0 1 2", (4, 4, 4))], ids=["1d", "2d", "3d"]
)
def test_local_size_is_assumed_from_the_dimensions_used(axes, size):
    ids = " + ".join(f"get_global_id({axis})" for axis in axes.split())
    kernel = explained(f"kernel void k(global int *a) {{ a[{ids}] = 1; }}")
    assert (kernel.local_size, kernel.local_size_source) == (size, "assumed")


def test_required_local_size_is_used_and_another_refused():
    source = "kernel __attribute__((reqd_work_group_size(16, 2, 1))) void k(global int *a) { a[0] = 1; }"
    assert explained(source).local_size == (16, 2, 1)
    report = explain(source, local_size=(8, 1, 1))
    assert report.failed and "16,2,1" in report.kernels[0].error


def test_any_local_size_leaves_the_size_open():
    kernel = explained(CONDITIONAL, any_local_size=True)
    assert kernel.local_size is None and kernel.context_bytes is None


def test_program_that_does_not_build_has_its_log_in_the_report():
    report = explain("kernel void k(global int *a) {\n    a[0] = nonsense;\n}\n")
    assert report.failed and not report.kernels
    assert "2:12: error: use of undeclared identifier 'nonsense'" in report.error


def test_kernels_are_chosen_by_name():
    source = "kernel void one(global int *a) { a[0] = 1; }\nkernel void two(global int *a) { a[1] = 2; }\n"
    assert [k.name for k in explain(source).kernels] == ["one", "two"]
    assert [k.name for k in explain(source, kernels=["two"]).kernels] == ["two"]
    with pytest.raises(UnknownKernel, match="there are: one, two"):
        explain(source, kernels=["three"])


def test_llvm_tells_the_lanes_of_a_region():
    source = "kernel void add(global int *a, global int *b) { int i = get_global_id(0); a[i] += b[i]; }"
    (region,) = explained(source, llvm=True).regions
    assert region.lanes is not None and region.lanes >= 2
    assert explained(source).regions[0].lanes is None


def test_graphs_agree_with_the_regions():
    kernel = explained(DCT)
    before, between, after = kernel.graphs
    assert len(before.nodes) < len(between.nodes) < len(after.nodes)
    for region in kernel.regions:
        held = {n.name for n in between.nodes if region.number in n.regions}
        assert held == set(region.blocks)
        assert region.kind == "empty" or any(region.number in n.regions for n in after.nodes)
    for graph in (between, after):
        assert {n.barrier for n in graph.nodes if n.barrier} == {f"b{b.number}" for b in kernel.barriers}
    # The copies in the work-group function keep the lines of what they are copies of.
    assert {line for n in after.nodes for line in n.lines} == {
        line for n in between.nodes for line in n.lines
    }
