"""Shapes of values in small kernels: data, control, time and memory."""

import pytest

from weft import ir
from weft.analysis.annotate import annotated, shape_comments
from weft.analysis.divergence import divergence
from weft.analysis.shape import X, Y
from weft.analysis.shapes import Shapes, shapes

HEAD = """
declare i64 @_Z13get_global_idj(i32) memory(none)
declare i64 @_Z12get_local_idj(i32) memory(none)
declare i64 @_Z12get_group_idj(i32) memory(none)
declare i64 @_Z14get_local_sizej(i32) memory(none)
declare i64 @_Z19get_local_linear_idv() memory(none)
declare i32 @_Z22get_sub_group_local_idv() memory(none)
declare i32 @_Z3minii(i32, i32) memory(none)
declare i32 @_Z5mad24iii(i32, i32, i32) memory(none)
declare i32 @_Z10atomic_addPU8CLglobalVii(ptr addrspace(1), i32)
declare <4 x float> @_Z6vload4mPU8CLglobalKf(i64, ptr addrspace(1)) memory(argmem: read)
declare void @llvm.memcpy.p0.p2.i64(ptr, ptr addrspace(2), i64, i1)
declare void @_Z7barrierj(i32)
@table = internal addrspace(2) constant [4 x i32] [i32 1, i32 2, i32 3, i32 4], align 16
"""

IDS = """
  %gx = call i64 @_Z13get_global_idj(i32 0)
  %gy = call i64 @_Z13get_global_idj(i32 1)
  %lx = call i64 @_Z12get_local_idj(i32 0)
  %ly = call i64 @_Z12get_local_idj(i32 1)
  %i = trunc i64 %gx to i32
  %j = trunc i64 %gy to i32
  %x = trunc i64 %lx to i32
  %y = trunc i64 %ly to i32
"""


class Analysed:
    """A kernel whose values can be asked for by name."""

    def __init__(self, body: str, arguments: str, **parameters: object) -> None:
        lines = [line.strip() for line in body.split("\n")]
        body = "\n".join(line if line.endswith(":") else f"  {line}" for line in lines)
        text = f"{HEAD}\ndefine void @k({arguments}) {{\nentry:\n{IDS}{body}\n}}\n"
        self.function = ir.parse(text).function("k")
        self.result: Shapes = shapes(self.function, **parameters)  # type: ignore[arg-type]
        self.values = {i.name: i for i in self.function.instructions() if i.name}
        self.blocks = {b.name: b for b in self.function.blocks}

    def __getitem__(self, name: str) -> str:
        return str(self.result.of(self.values[name]))

    def strides(self, name: str) -> tuple[int | None, ...]:
        return self.result.of(self.values[name]).strides


def analysed(
    body: str, arguments: str = "i32 %n, i32 %m, ptr addrspace(1) align 16 %a", **parameters: object
) -> Analysed:
    return Analysed(body, arguments, **parameters)


def straight(lines: str, **parameters: object) -> Analysed:
    return analysed(f"{lines}\n  ret void", **parameters)


# Data


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("add i32 %n, 7", "uni"),
        ("add i32 %i, 7", "cont [7, 2147483654]"),
        ("sub i32 %n, %i", "stride(-1)"),
        ("shl i32 %x, 2", "stride(4) [0, 16380]"),
        ("mul i32 %x, %n", "x:varying"),
        ("mul i32 %y, %n", "uni y:varying"),
        ("mul i32 %x, 3", "stride(3) [0, 12285]"),
        ("xor i32 %x, -1", "stride(-1) [-4096, -1]"),
        ("and i32 %x, 3", "x:varying [0, 3]"),
        ("udiv i32 %x, 4", "x:varying [0, 1023]"),
        ("call i32 @_Z3minii(i32 %x, i32 %n)", "x:varying"),
        ("call i32 @_Z3minii(i32 %n, i32 %m)", "uni"),
        ("call i32 @_Z22get_sub_group_local_idv()", "varying [0, 31]"),
        ("sext i32 %i to i64", "cont [0, 2147483647]"),
        ("zext i32 %i to i64", "cont [0, 2147483647]"),
        ("trunc i32 %x to i16", "cont [0, 4095]"),
        ("sitofp i32 %n to float", "uni"),
        ("sitofp i32 %i to float", "x:varying"),
        ("icmp ult i64 %lx, 4096", "uni"),
        ("icmp ult i64 %lx, 4095", "x:varying"),
        ("icmp eq i32 %j, %n", "uni y:varying"),
        ("getelementptr float, ptr addrspace(1) %a, i64 %gx", "stride(4)"),
        ("getelementptr <4 x float>, ptr addrspace(1) %a, i64 %gx", "stride(16)"),
        ("getelementptr [8 x i16], ptr addrspace(1) %a, i64 %gy, i64 %lx", "stride(2) y:16"),
        ("getelementptr { i32, double }, ptr addrspace(1) %a, i64 %gx, i32 1", "stride(16)"),
        ("call i64 @_Z14get_local_sizej(i32 0)", "uni [1, 4096]"),
        ("call i64 @_Z12get_local_idj(i32 3)", "uni = 0"),
        ("call i64 @_Z12get_local_idj(i32 %n)", "varying [0, 4095]"),
        ("call i64 @_Z12get_group_idj(i32 %n)", "uni [0, 2147483647]"),
        ("call i64 @_Z12get_group_idj(i32 %i)", "x:varying [0, 2147483647]"),
        ("call i64 @_Z19get_local_linear_idv()", "cont y:varying z:varying [0, 4095]"),
    ],
)
def test_instruction(text: str, shape: str) -> None:
    assert straight(f"%v = {text}")["v"] == shape


def test_narrow_extension_of_wide_ids_may_wrap() -> None:
    assert straight("%v = sext i32 %i to i64").strides("v") == (1, 0, 0)
    assert straight("%v = sext i32 %i to i64", wide=True).strides("v") == (None, 0, 0)


def test_sign_extension_by_shifts_keeps_the_stride() -> None:
    body = """
      %up = shl i64 %gx, 32
      %v = ashr exact i64 %up, 30
      %short = shl i64 %gx, 48
      %w = ashr exact i64 %short, 46
    """
    assert straight(body)["v"] == "stride(4) [0, 8589934588]"
    assert straight(body)["w"] == "x:varying [-131072, 131071]"
    assert straight(body, wide=True).strides("v") == (None, 0, 0)


def test_sum_of_unknown_and_id_is_extended_only_if_it_cannot_wrap() -> None:
    body = """
      %signed = add nsw i32 %n, %i
      %v = sext i32 %signed to i64
      %any = add i32 %n, %i
      %w = sext i32 %any to i64
    """
    assert straight(body).strides("v") == (1, 0, 0)
    assert straight(body).strides("w") == (None, 0, 0)
    assert straight(body, flags=False).strides("v") == (None, 0, 0)


def test_division_keeps_strides_that_it_divides() -> None:
    body = """
      %row = mul i32 %y, 16
      %q = udiv i32 %row, 16
      %r = urem i32 %row, 16
      %s = lshr i32 %row, 4
      %t = and i32 %row, 15
      %at = add i32 %row, %x
      %u = udiv i32 %at, 16
    """
    known = straight(body, local_size=(16, 4, 1))
    assert [known.strides(v) for v in "qrstu"] == [(0, 1, 0), (0, 0, 0), (0, 1, 0), (0, 0, 0), (None, 1, 0)]


def test_dimension_of_size_one_is_uniform() -> None:
    assert straight("%v = mul i32 %j, %n", local_size=(64, 1, 1))["v"] == "uni"


def test_constant_is_found_round_a_phi() -> None:
    k = analysed("""
      br label %loop
    loop:
      %c = phi i32 [ 4, %entry ], [ %d, %loop ]
      %d = urem i32 %c, 5
      %v = mul i32 %x, %c
      %more = icmp slt i32 %c, %n
      br i1 %more, label %loop, label %end
    end:
      ret void
    """)
    assert (k["d"], k["v"]) == ("uni = 4", "stride(4) [0, 16380]")


# Control


def test_phi_after_divergent_branch_varies() -> None:
    k = analysed("""
      %c = icmp slt i32 %i, %n
      br i1 %c, label %then, label %end
    then:
      %w = add i32 %m, 1
      br label %end
    end:
      %v = phi i32 [ %m, %entry ], [ %w, %then ]
      %same = phi i32 [ %m, %entry ], [ %m, %then ]
      ret void
    """)
    assert (k["w"], k["v"], k["same"]) == ("uni", "x:varying", "uni")
    assert not k.result.runs_uniformly(k.blocks["then"])
    assert k.result.runs_uniformly(k.blocks["then"], Y)
    assert k.result.runs_uniformly(k.blocks["end"])
    assert k.result.branch(k.blocks["entry"]) == X


def test_branch_along_another_dimension_leaves_x_alone() -> None:
    k = analysed("""
      %c = icmp slt i32 %j, %n
      br i1 %c, label %then, label %end
    then:
      %w = add i32 %i, 1
      br label %end
    end:
      %v = phi i32 [ %i, %entry ], [ %w, %then ]
      ret void
    """)
    assert k.strides("v") == (1, None, 0)


def test_uniform_branch_joins_equal_strides() -> None:
    k = analysed("""
      %c = icmp slt i32 %n, %m
      br i1 %c, label %then, label %end
    then:
      %w = add i32 %x, 16
      br label %end
    end:
      %v = phi i32 [ %x, %entry ], [ %w, %then ]
      ret void
    """)
    assert k["v"] == "cont [0, 4111]"


def test_header_phi_is_not_touched_by_divergent_branch_inside_the_loop() -> None:
    k = analysed("""
      br label %head
    head:
      %k = phi i32 [ 0, %entry ], [ %next, %latch ]
      %s = phi i32 [ 0, %entry ], [ %t, %latch ]
      %odd = icmp slt i32 %i, %k
      br i1 %odd, label %then, label %latch
    then:
      %u = add i32 %s, 1
      br label %latch
    latch:
      %t = phi i32 [ %s, %head ], [ %u, %then ]
      %next = add nuw nsw i32 %k, 1
      %more = icmp slt i32 %next, %n
      br i1 %more, label %head, label %end
    end:
      %last = phi i32 [ %next, %latch ]
      ret void
    """)
    assert (k["k"], k["s"], k["last"]) == ("uni [0, 2147483647]", "x:varying", "uni [1, 2147483647]")
    assert k.result.runs_uniformly(k.blocks["latch"])


def test_counter_of_divergent_loop_varies_after_it() -> None:
    k = analysed("""
      br label %head
    head:
      %k = phi i32 [ 0, %entry ], [ %next, %head ]
      %next = add i32 %k, 1
      %more = icmp slt i32 %k, %i
      br i1 %more, label %head, label %end
    end:
      %last = phi i32 [ %k, %head ]
      %early = phi i32 [ %n, %head ]
      ret void
    """)
    assert k["k"].startswith("uni")
    assert (k["last"], k["early"]) == ("x:varying", "uni")
    assert not k.result.runs_uniformly(k.blocks["head"])
    assert k.result.runs_uniformly(k.blocks["end"])


def test_values_of_divergently_left_loop_vary_without_lcssa_too() -> None:
    k = analysed("""
      br label %head
    head:
      %k = phi i32 [ 0, %entry ], [ %next, %head ]
      %next = add i32 %k, 1
      %more = icmp slt i32 %k, %i
      br i1 %more, label %head, label %end
    end:
      %use = add i32 %k, 1
      ret void
    """)
    assert k["use"].startswith("x:varying")


def test_divergent_break_out_of_inner_loop_leaves_the_outer_one_alone() -> None:
    k = analysed("""
      br label %outer
    outer:
      %o = phi i32 [ 0, %entry ], [ %o.next, %latch ]
      br label %inner
    inner:
      %p = phi i32 [ 0, %outer ], [ %p.next, %inner ]
      %p.next = add i32 %p, 1
      %more = icmp slt i32 %p, %x
      br i1 %more, label %inner, label %latch
    latch:
      %p.last = phi i32 [ %p, %inner ]
      %o.next = add nuw nsw i32 %o, 1
      %again = icmp slt i32 %o.next, %n
      br i1 %again, label %outer, label %end
    end:
      %o.last = phi i32 [ %o.next, %latch ]
      ret void
    """)
    assert k.strides("p.last") == (None, 0, 0)
    assert k.strides("o.last") == (0, 0, 0)
    assert k.result.runs_uniformly(k.blocks["latch"])
    assert not k.result.runs_uniformly(k.blocks["inner"])


def test_divergent_return_from_a_loop_diverges_its_exits() -> None:
    k = analysed("""
      br label %head
    head:
      %k = phi i32 [ 0, %entry ], [ %next, %body ]
      %gone = icmp eq i32 %k, %i
      br i1 %gone, label %out, label %body
    body:
      %next = add i32 %k, 1
      %more = icmp slt i32 %k, %n
      br i1 %more, label %head, label %done
    done:
      br label %out
    out:
      %which = phi i32 [ 1, %head ], [ 2, %done ]
      ret void
    """)
    assert k["which"].startswith("x:varying")
    assert not k.result.runs_uniformly(k.blocks["done"])


def test_cycle_with_two_entries_is_treated_coarsely() -> None:
    body = """
      %c = icmp slt i32 {}, %m
      br i1 %c, label %one, label %two
    one:
      %p = phi i32 [ 0, %entry ], [ %q.next, %two ]
      %p.next = add i32 %p, 1
      br label %two
    two:
      %q = phi i32 [ 5, %entry ], [ %p.next, %one ]
      %q.next = add i32 %q, 1
      %more = icmp slt i32 %q, %n
      br i1 %more, label %one, label %end
    end:
      %use = add i32 %q, 0
      ret void
    """
    assert analysed(body.format("%i")).strides("use") == (None, 0, 0)
    assert analysed(body.format("%n")).strides("use") == (0, 0, 0)


# Memory


@pytest.mark.parametrize(
    ("arguments", "writes", "strides"),
    [
        ("ptr addrspace(1) noalias %b, ptr addrspace(1) %a", "store i32 1, ptr addrspace(1) %a", (0, 0, 0)),
        ("ptr addrspace(1) noalias %b, ptr addrspace(1) %a", "store i32 1, ptr addrspace(1) %b",
         (None, None, None)),
        ("ptr addrspace(1) %b, ptr addrspace(1) noalias %a", "store i32 1, ptr addrspace(1) %a", (0, 0, 0)),
        ("ptr addrspace(1) %b, ptr addrspace(1) %a", "store i32 1, ptr addrspace(1) %a", (None, None, None)),
        ("ptr addrspace(1) %b, ptr addrspace(3) %a", "store i32 1, ptr addrspace(3) %a", (0, 0, 0)),
        ("ptr addrspace(2) %b, ptr addrspace(1) %a", "store i32 1, ptr addrspace(1) %a", (0, 0, 0)),
        (
            "ptr addrspace(1) noalias %b, ptr addrspace(1) %a",
            "%old = call i32 @_Z10atomic_addPU8CLglobalVii(ptr addrspace(1) %b, i32 1)",
            (None, None, None),
        ),
        (
            "ptr addrspace(1) noalias %b, ptr addrspace(1) %a",
            "%other = ptrtoint ptr addrspace(1) %b to i64",
            (None, None, None),
        ),
    ],
)  # fmt: skip
def test_load_of_memory_that_nobody_writes(
    arguments: str, writes: str, strides: tuple[int | None, ...]
) -> None:
    space = arguments[: arguments.index(")") + 1]
    k = analysed(f"%v = load i32, {space} %b\n{writes}\nret void", arguments)
    assert k.strides("v") == strides


def test_volatile_load_varies() -> None:
    k = analysed("%v = load volatile i32, ptr addrspace(2) %b\nret void", "ptr addrspace(2) %b")
    assert k["v"] == "varying"


def test_vload_of_memory_that_nobody_writes_is_uniform() -> None:
    body = "%v = call <4 x float> @_Z6vload4mPU8CLglobalKf(i64 {}, ptr addrspace(1) %b)\nret void"
    arguments = "ptr addrspace(1) noalias %b, i64 %n"
    assert analysed(body.format("%n"), arguments)["v"] == "uni"
    assert analysed(body.format("%gy"), arguments)["v"] == "uni y:varying"


def private(store: str) -> Analysed:
    return analysed(f"""
      %p = alloca [4 x i32], align 16
      %at.n = getelementptr [4 x i32], ptr %p, i64 0, i32 %n
      %at.x = getelementptr [4 x i32], ptr %p, i64 0, i32 %x
      %c = icmp slt i32 %i, %n
      br i1 %c, label %then, label %end
    then:
      {store if "then" in store else ""}
      br label %end
    end:
      {"" if "then" in store else store}
      %v = load i32, ptr %at.n
      %w = load i32, ptr %at.x
      ret void
    """)


def test_private_memory_with_uniform_contents() -> None:
    k = private("store i32 %m, ptr %at.n")
    assert (k["v"], k["w"]) == ("uni", "x:varying")
    alloca, offset = k.result.private_offset(k.values["at.x"]) or (None, None)
    assert (alloca, str(offset)) == (k.values["p"], "stride(4) [0, 16380]")


@pytest.mark.parametrize(
    "store",
    [
        "store i32 %i, ptr %at.n",
        "store i32 %m, ptr %at.x",
        "store i32 %m, ptr %at.n ; then",
        "%number = ptrtoint ptr %p to i64",
        "store ptr %p, ptr addrspace(1) %a",
    ],
)
def test_private_memory_that_may_differ(store: str) -> None:
    assert private(store)["v"] in ("x:varying", "varying")


def test_private_copy_of_a_constant_table() -> None:
    k = private("call void @llvm.memcpy.p0.p2.i64(ptr %p, ptr addrspace(2) @table, i64 16, i1 false)")
    assert (k["v"], k["w"]) == ("uni", "x:varying")


def test_divergence_of_a_row_of_work_items() -> None:
    k = straight("%v = mul i32 %j, %n")
    assert not divergence(k.function).is_uniform(k.values["v"])
    assert divergence(k.function, (64, 1, 1)).is_uniform(k.values["v"])


# Text


def test_annotated_text_reads_as_ir() -> None:
    k = analysed("""
      %p = getelementptr <4 x float>, ptr addrspace(1) %a, i64 %gx
      %c = icmp slt i32 %i, %n
      br i1 %c, label %then, label %end
    then:
      switch i32 %n, label %end [
        i32 1, label %end
      ]
    end:
      ret void
    """)
    text = annotated(k.function, shape_comments(k.function, k.result))
    lines = {line.split(";")[0].strip(): line.partition(";")[2].strip() for line in text.split("\n")}
    assert lines["%p = getelementptr <4 x float>, ptr addrspace(1) %a, i64 %gx"] == "stride(16)"
    assert lines["br i1 %c, label %then, label %end"] == "divergent x"
    assert lines["then:"] == "not run by all along x"
    assert ir.print_function(ir.parse(HEAD + text).function("k")) == ir.print_function(k.function)
