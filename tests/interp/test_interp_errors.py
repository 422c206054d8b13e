"""What has no meaning is an error that says what and where."""

import numpy as np
import pytest
from interp_support import FORMS, compile_kernel

from weft import ir
from weft.interp import (
    POISON,
    BarrierDivergence,
    Local,
    OutOfBounds,
    StepLimit,
    UndefinedBehaviour,
    UnknownFunction,
    UnsupportedInstruction,
    run_function,
    run_ndrange,
)


def run(
    body: str,
    *arguments: object,
    signature: str = "i32 @f(i32 %a, i32 %b)",
    before: str = "",
    **options: object,
):
    text = f"{before}\ndefine {signature} {{\n{body}\n}}\n"
    return run_function(ir.parse(text), "f", arguments, **options)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("index", "fine"), [(7, True), (8, False), (-1, False), (2**31 - 1, False)])
def test_access_outside_a_buffer(form: str, index: int, fine: bool) -> None:
    module = compile_kernel("__kernel void k(__global int *data, int i) { data[i] = 1; }", form)
    data = np.zeros(8, np.int32)
    if fine:
        run_ndrange(module, "k", 1, 1, [data, index])
        assert data[index] == 1
        return
    with pytest.raises(OutOfBounds, match="'data', which has 32 bytes") as caught:
        run_ndrange(module, "k", 1, 1, [data, index])
    assert f"offset {4 * index} " in str(caught.value)
    assert "store" in str(caught.value) and "@" in str(caught.value)
    assert caught.value.item is not None and caught.value.item.global_id == (0, 0, 0)


def test_access_that_only_starts_inside_a_buffer() -> None:
    module = compile_kernel("__kernel void k(__global long *data) { data[0] = data[1]; }")
    with pytest.raises(OutOfBounds, match="8 bytes at offset 8"):
        run_ndrange(module, "k", 1, 1, [np.zeros(3, np.int32)])


def test_one_buffer_is_not_reached_from_another() -> None:
    module = compile_kernel("__kernel void k(__global char *a, __global char *b, long d) { a[d] = b[0]; }")
    for distance in (-(1 << 20), -100, 100, 1 << 20, 1 << 40):
        with pytest.raises(OutOfBounds, match="'a'"):
            run_ndrange(module, "k", 1, 1, [np.zeros(16, np.int8), np.zeros(16, np.int8), distance])


def test_access_outside_local_and_private_memory() -> None:
    module = compile_kernel("__kernel void k(__local int *t, int i) { t[i] = 0; }")
    with pytest.raises(OutOfBounds, match="'t'"):
        run_ndrange(module, "k", 4, 4, [Local(16), 4])
    with pytest.raises(OutOfBounds, match="'%array', which has 16 bytes"):
        run(
            """  %array = alloca [4 x i32]
  %p = getelementptr [4 x i32], ptr %array, i64 0, i32 %a
  %v = load i32, ptr %p
  ret i32 %v""",
            4,
            0,
        )


def test_null_pointer_access() -> None:
    module = compile_kernel("__kernel void k(__global int *data) { data[0] = 1; }")
    with pytest.raises(OutOfBounds, match="the null pointer"):
        run_ndrange(module, "k", 1, 1, [None])


def test_write_to_read_only_memory() -> None:
    module = compile_kernel("__kernel void k(__global int *data) { data[0] += 1; }")
    data = np.zeros(4, np.int32)
    data.flags.writeable = False
    with pytest.raises(OutOfBounds, match="'data', which is read-only"):
        run_ndrange(module, "k", 1, 1, [data])
    with pytest.raises(OutOfBounds, match="'@table', which is read-only"):
        run(
            "  store i32 %a, ptr @table\n  ret i32 0",
            1,
            2,
            before="@table = internal constant [4 x i32] zeroinitializer",
        )


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "body",
    [
        "if (get_local_id(0) < 2) barrier(CLK_LOCAL_MEM_FENCE);",
        "if (get_local_id(0) < 2) { barrier(CLK_LOCAL_MEM_FENCE); x[0]++; }"
        "else { barrier(CLK_GLOBAL_MEM_FENCE); x[1]++; }",
        "for (int i = 0; i < get_local_id(0); i++) { barrier(CLK_LOCAL_MEM_FENCE); x[i]++; }",
        "if (get_local_id(0) == 3) return; barrier(CLK_LOCAL_MEM_FENCE); x[0]++;",
    ],
)
def test_divergent_barrier(form: str, body: str) -> None:
    module = compile_kernel(f"__kernel void k(__global int *x) {{ {body} }}", form)
    with pytest.raises(BarrierDivergence, match="group"):
        run_ndrange(module, "k", 4, 4, [np.zeros(4, np.int32)])
    run_ndrange(module, "k", 4, 1, [np.zeros(4, np.int32)])  # alone in its group nobody diverges


def test_barrier_in_a_uniform_branch_is_fine() -> None:
    module = compile_kernel(
        """__kernel void k(__global int *x, int n) { for (int i = 0; i < n; i++) { if (i & 1) {
             barrier(CLK_GLOBAL_MEM_FENCE); x[get_global_id(0)]++; } } }"""
    )
    x = np.zeros(4, np.int32)
    run_ndrange(module, "k", 4, 4, [x, 6])
    assert (x == 3).all()


@pytest.mark.parametrize("opcode", ["udiv", "sdiv", "urem", "srem"])
def test_division_without_result(opcode: str) -> None:
    body = f"  %r = {opcode} i32 %a, %b\n  ret i32 %r"
    with pytest.raises(UndefinedBehaviour, match="by zero"):
        run(body, 1, 0)
    assert run(body, 1, 0, trap_division=False) == 0
    if opcode[0] == "s":
        with pytest.raises(UndefinedBehaviour, match="overflow"):
            run(body, 1 << 31, -1)
    else:
        assert run(body, 1 << 31, 0xFFFFFFFF) == (0 if opcode == "udiv" else 1 << 31)


def test_oversized_shifts_and_broken_promises_are_poison() -> None:
    assert run("  %r = shl i32 %a, %b\n  ret i32 %r", 1, 32) is POISON
    assert run("  %r = add nsw i32 %a, %b\n  ret i32 %r", 2**31 - 1, 1) is POISON
    assert run("  %r = add nuw i32 %a, %b\n  ret i32 %r", 2**32 - 1, 1) is POISON
    assert run("  %r = sub nuw i32 %a, %b\n  ret i32 %r", 0, 1) is POISON
    assert run("  %r = mul nsw i32 %a, %b\n  ret i32 %r", 2**16, 2**15) is POISON
    assert run("  %r = lshr exact i32 %a, %b\n  ret i32 %r", 3, 1) is POISON
    assert run("  %r = or disjoint i32 %a, %b\n  ret i32 %r", 3, 1) is POISON
    assert run("  %r = zext nneg i32 %a to i64\n  %s = trunc i64 %r to i32\n  ret i32 %s", -1, 0) is POISON
    assert run("  %t = trunc nuw i32 %a to i8\n  %s = zext i8 %t to i32\n  ret i32 %s", 256, 0) is POISON


POISONED = "  %p = shl i32 %a, 40\n"


def test_poison_spreads_through_arithmetic_but_not_through_unchosen_operands() -> None:
    assert run(POISONED + "  %r = and i32 %p, 0\n  ret i32 %r", 1, 0) is POISON
    assert run(POISONED + "  %c = icmp eq i32 %p, %p\n  %r = zext i1 %c to i32\n  ret i32 %r", 1, 0) is POISON
    assert (
        run(POISONED + "  %f = uitofp i32 %p to float\n  %r = fptoui float %f to i32\n  ret i32 %r", 1, 0)
        is POISON
    )
    chosen = POISONED + "  %c = icmp eq i32 %b, 0\n  %r = select i1 %c, i32 %p, i32 %a\n  ret i32 %r"
    assert run(chosen, 5, 0) is POISON
    assert run(chosen, 5, 1) == 5
    lanes = """  %v = insertelement <4 x i32> <i32 1, i32 2, i32 3, i32 4>, i32 %p, i32 1
  %w = add <4 x i32> %v, %v
  %r = extractelement <4 x i32> %w, i32 %b
  ret i32 %r"""
    assert run(POISONED + lanes, 1, 1) is POISON
    assert run(POISONED + lanes, 1, 2) == 6
    assert run(POISONED + "  %r = freeze i32 %p\n  ret i32 %r", 1, 0) == 0


def test_poison_survives_memory() -> None:
    body = (
        POISONED
        + """  %m = alloca { i32, i32 }
  %q = getelementptr { i32, i32 }, ptr %m, i32 0, i32 1
  store i32 %p, ptr %m
  store i32 %a, ptr %q
  %w = getelementptr i32, ptr %m, i32 %b
  %r = load i32, ptr %w
  ret i32 %r"""
    )
    assert run(body, 9, 0) is POISON
    assert run(body, 9, 1) == 9


@pytest.mark.parametrize(
    ("use", "message"),
    [
        (
            "  %c = icmp eq i32 %p, 0\n  br i1 %c, label %x, label %y\nx:\n  ret i32 1\ny:\n  ret i32 2",
            "control flow",
        ),
        ("  switch i32 %p, label %x [ i32 0, label %y ]\nx:\n  ret i32 1\ny:\n  ret i32 2", "control flow"),
        ("  %q = inttoptr i32 %p to ptr\n  store i32 1, ptr %q\n  ret i32 0", "address"),
        ("  %q = inttoptr i32 %p to ptr\n  %v = load i32, ptr %q\n  ret i32 0", "address"),
        (
            "  %m = alloca [4 x i8]\n  %q = getelementptr i8, ptr %m, i32 %p\n"
            "  store i8 1, ptr %q\n  ret i32 0",
            "address",
        ),
        ("  %c = icmp eq i32 %p, 0\n  call void @llvm.assume(i1 %c)\n  ret i32 0", "assumption"),
        ("  unreachable", "unreachable"),
    ],
)
def test_acting_on_poison_is_an_error(use: str, message: str) -> None:
    with pytest.raises(UndefinedBehaviour, match=message):
        run(
            POISONED + use.replace("[ i32 0", "[\n    i32 0").replace(" ]", "\n  ]"),
            1,
            0,
            before="declare void @llvm.assume(i1)",
        )


def test_unknown_function_is_named_only_when_it_is_called() -> None:
    body = """  %c = icmp eq i32 %a, 0
  br i1 %c, label %x, label %y
x:
  %r = call i32 @mystery(i32 %b)
  ret i32 %r
y:
  ret i32 7"""
    declared = "declare i32 @mystery(i32)"
    assert run(body, 1, 0, before=declared) == 7
    with pytest.raises(UnknownFunction, match="@mystery"):
        run(body, 0, 0, before=declared)
    assert run(body, 0, 5, before=declared, externals={"mystery": lambda x: x * 3}) == 15


def test_what_the_interpreter_does_not_know_is_an_error() -> None:
    with pytest.raises(UnknownFunction, match=r"llvm\.no\.such\.thing"):
        run(
            "  %r = call i32 @llvm.no.such.thing(i32 %a)\n  ret i32 %r",
            1,
            2,
            before="declare i32 @llvm.no.such.thing(i32)",
        )
    with pytest.raises(UnsupportedInstruction, match="fp128"):
        run("  %x = sitofp i32 %a to fp128\n  %r = fptosi fp128 %x to i32\n  ret i32 %r", 1, 2)


def test_endless_loop_stops_at_the_limit() -> None:
    with pytest.raises(StepLimit, match="@f ran more than 1000 blocks"):
        run("  br label %x\nx:\n  br label %x", 0, 0, step_limit=1000)


@pytest.mark.parametrize(("size", "local"), [((4,), (0,)), ((), ()), ((1,) * 4, (1,))])
def test_bad_nd_ranges(size: tuple, local: tuple) -> None:
    module = compile_kernel("__kernel void k(void) {}")
    with pytest.raises(ValueError):
        run_ndrange(module, "k", size, local, [])


def test_bad_arguments() -> None:
    module = compile_kernel("__kernel void k(__global int *x, float4 v) { x[0] = v.x; }")
    with pytest.raises(TypeError, match="takes 2 arguments, 1 are given"):
        run_ndrange(module, "k", 1, 1, [np.zeros(4, np.int32)])
    with pytest.raises(ValueError, match="not contiguous"):
        run_ndrange(module, "k", 1, 1, [np.zeros((4, 4), np.int32)[:, ::2], [0, 0, 0, 0]])
    with pytest.raises(ValueError, match="needs 16 bytes"):
        run_ndrange(module, "k", 1, 1, [np.zeros(4, np.int32), b"1234"])
    with pytest.raises(KeyError, match="no function @missing"):
        run_ndrange(module, "missing", 1, 1, [])
