"""Memory: layout of types, pointers as data, atomics, block copies and masked accesses."""

import numpy as np
import pytest
from interp_support import FORMS, compile_kernel

from weft import abi, ir
from weft.interp import POISON, Allocation, Local, Memory, UndefinedBehaviour, run_function, run_ndrange


def run(text: str, *arguments: object, **options: object):
    return run_function(ir.parse(text), "f", arguments, **options)


@pytest.mark.parametrize(
    ("type", "size", "value"),
    [
        ("i1", 1, 1),
        ("i24", 3, 0xABCDEF),
        ("i128", 16, 1 << 100 | 5),
        ("half", 2, 1.5),
        ("bfloat", 2, -3.0),
        ("<3 x float>", 12, (1.0, 2.0, 3.0)),
        ("<8 x i1>", 1, (1, 0, 0, 1, 1, 0, 1, 0)),
        ("<5 x i7>", 5, (1, 127, 64, 3, 99)),
        ("{ i8, i32, <2 x half> }", 12, (7, 1 << 31, (0.5, -2.0))),
        ("<{ i8, i32 }>", 5, (7, 1 << 31)),
        ("[2 x { i16, double }]", 32, ((1, 2.5), (3, -4.5))),
    ],
)
def test_values_survive_memory(type: str, size: int, value: object) -> None:
    copy = f"""define {type} @f(ptr %p, ptr %q) {{
  %v = load {type}, ptr %p
  store {type} %v, ptr %q
  ret {type} %v
}}"""
    put = f"define void @f({type} %v, ptr %p) {{\n  store {type} %v, ptr %p\n  ret void\n}}"
    first, second = np.zeros(size, np.uint8), np.zeros(size, np.uint8)
    run(put, value, first)
    assert first.any()
    assert run(copy, first, second) == value
    np.testing.assert_array_equal(first, second)


def test_bytes_of_a_struct_are_where_c_puts_them() -> None:
    text = """define void @f(ptr %p) {
  store { i8, i32, i16, double } { i8 1, i32 2, i16 3, double 4.0 }, ptr %p
  ret void
}"""
    data = np.full(24, 0xEE, np.uint8)
    run(text, data)
    assert data[0] == 1
    assert data[4:8].view(np.int32)[0] == 2
    assert data[8:10].view(np.int16)[0] == 3
    assert data[16:24].view(np.float64)[0] == 4.0
    assert (data[1:4] == 0xEE).all()  # padding is left alone


def test_pointers_stored_in_memory_lead_back_to_their_object() -> None:
    text = """define i32 @f(ptr %a, ptr %b, ptr %table, i64 %which) {
  store ptr %a, ptr %table
  %second = getelementptr ptr, ptr %table, i64 1
  %inside = getelementptr i32, ptr %b, i64 2
  store ptr %inside, ptr %second
  %slot = getelementptr ptr, ptr %table, i64 %which
  %p = load ptr, ptr %slot
  %number = ptrtoint ptr %p to i64
  %next = add i64 %number, 4
  %q = inttoptr i64 %next to ptr
  %v = load i32, ptr %q
  ret i32 %v
}"""
    a, b = np.arange(4, dtype=np.int32), np.arange(10, 14, dtype=np.int32)
    assert run(text, a, b, np.zeros(2, np.uint64), 0) == 1
    assert run(text, a, b, np.zeros(2, np.uint64), 1) == 13


def test_pointer_comparisons_and_differences() -> None:
    text = """define i64 @f(ptr %a, ptr %b) {
  %x = getelementptr i32, ptr %a, i64 3
  %y = getelementptr i32, ptr %a, i64 1
  %less = icmp ult ptr %y, %x
  %same = icmp eq ptr %x, %b
  %far = ptrtoint ptr %x to i64
  %near = ptrtoint ptr %y to i64
  %distance = sub i64 %far, %near
  %l = zext i1 %less to i64
  %s = zext i1 %same to i64
  %t = mul i64 %l, 100
  %u = mul i64 %s, 10000
  %v = add i64 %t, %distance
  %r = add i64 %u, %v
  ret i64 %r
}"""
    assert run(text, np.zeros(4, np.int32), np.zeros(4, np.int32)) == 108


def test_the_same_array_twice_is_the_same_memory() -> None:
    text = """define i32 @f(ptr %a, ptr %b) {
  store i32 5, ptr %a
  %v = load i32, ptr %b
  %e = icmp eq ptr %a, %b
  %x = zext i1 %e to i32
  %r = add i32 %v, %x
  ret i32 %r
}"""
    data = np.zeros(1, np.int32)
    assert run(text, data, data) == 6


def test_variables_of_the_module_start_with_their_values() -> None:
    text = """@numbers = global [3 x i16] [i16 1, i16 -2, i16 3]
@pointer = constant ptr getelementptr inbounds ([3 x i16], ptr @numbers, i64 0, i64 1)
define i16 @f() {
  %p = load ptr, ptr @pointer
  %v = load i16, ptr %p
  store i16 9, ptr %p
  %w = load i16, ptr getelementptr ([3 x i16], ptr @numbers, i64 0, i64 1)
  %r = add i16 %v, %w
  ret i16 %r
}"""
    assert run(text) == 7


def test_unwritten_memory_reads_as_zero_and_is_reported() -> None:
    seen = []

    class Watch:
        def undefined(self, item, pointer, size, instruction) -> None:
            seen.append((pointer[0].name, pointer[1], size))

    text = """define i32 @f() {
  %m = alloca [2 x i32]
  store i32 7, ptr %m
  %p = getelementptr i32, ptr %m, i64 1
  %v = load i32, ptr %p
  %w = load i32, ptr %m
  %r = add i32 %v, %w
  ret i32 %r
}"""
    assert run(text, observers=[Watch()]) == 7
    assert seen == [("%m", 4, 4)]


def test_local_memory_is_fresh_in_each_group() -> None:
    module = compile_kernel(
        "__kernel void k(__global int *x, __local int *t) { x[get_global_id(0)] = t[0]; t[0] = 5; }"
    )
    x = np.full(4, 9, np.int32)
    run_ndrange(module, "k", 4, 2, [x, Local(4)])
    np.testing.assert_array_equal(x, [0, 5, 0, 5])


def test_memory_ends_with_the_lifetime_of_a_variable() -> None:
    text = """declare void @llvm.lifetime.start.p0(ptr)
define i32 @f() {
  %m = alloca i32
  store i32 7, ptr %m
  call void @llvm.lifetime.start.p0(ptr %m)
  %r = load i32, ptr %m
  ret i32 %r
}"""
    assert run(text) == 0


COPY = """declare void @llvm.{name}.p0.p0.i64(ptr, ptr, i64, i1)
define void @f(ptr %a, i64 %to, i64 %from, i64 %n) {{
  %p = getelementptr i8, ptr %a, i64 %to
  %q = getelementptr i8, ptr %a, i64 %from
  call void @llvm.{name}.p0.p0.i64(ptr %p, ptr %q, i64 %n, i1 false)
  ret void
}}"""


def test_block_copies() -> None:
    data = np.arange(16, dtype=np.uint8)
    run(COPY.format(name="memcpy"), data, 0, 8, 4)
    np.testing.assert_array_equal(data[:6], [8, 9, 10, 11, 4, 5])
    data = np.arange(16, dtype=np.uint8)
    run(COPY.format(name="memmove"), data, 1, 0, 8)
    np.testing.assert_array_equal(data[:10], [0, 0, 1, 2, 3, 4, 5, 6, 7, 9])
    with pytest.raises(UndefinedBehaviour, match="overlapping"):
        run(COPY.format(name="memcpy"), data, 1, 0, 8)


def test_block_fill_and_copies_of_undefined_bytes() -> None:
    text = """declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define i16 @f(i64 %at) {
  %m = alloca [8 x i8]
  %n = alloca [8 x i8]
  call void @llvm.memset.p0.i64(ptr %m, i8 3, i64 6, i1 false)
  %p = getelementptr i8, ptr %m, i64 2
  store i8 poison, ptr %p
  call void @llvm.memcpy.p0.p0.i64(ptr %n, ptr %m, i64 8, i1 false)
  %q = getelementptr i8, ptr %n, i64 %at
  %v = load i16, ptr %q
  ret i16 %v
}"""
    assert run(text, 0) == 0x0303
    assert run(text, 1) is POISON
    assert run(text, 6) == 0


def test_vectors_that_are_written_in_part() -> None:
    text = """define <4 x i32> @f() {
  %m = alloca [4 x i32]
  %p = getelementptr i32, ptr %m, i64 2
  store i32 7, ptr %p
  %q = getelementptr i32, ptr %m, i64 1
  store i32 poison, ptr %q
  %v = load <4 x i32>, ptr %m
  ret <4 x i32> %v
}
define [2 x <3 x i1>] @bits() {
  %m = alloca [2 x <3 x i1>]
  %p = getelementptr <3 x i1>, ptr %m, i64 1
  store <3 x i1> <i1 1, i1 0, i1 1>, ptr %p
  %v = load [2 x <3 x i1>], ptr %m
  store [2 x <3 x i1>] %v, ptr %m
  %w = load [2 x <3 x i1>], ptr %m
  ret [2 x <3 x i1>] %w
}"""
    assert run(text) == (0, POISON, 7, 0)
    assert run_function(ir.parse(text), "bits", ()) == ((0, 0, 0), (1, 0, 1))


@pytest.mark.parametrize("form", FORMS)
def test_atomics_of_many_work_items(form: str) -> None:
    module = compile_kernel(
        """__kernel void k(__global int *x, __global float *f) {
             __atomic_fetch_add(x, 2, __ATOMIC_RELAXED);
             __atomic_fetch_max(x + 1, (int)get_global_id(0), __ATOMIC_SEQ_CST);
             int old = 0;
             while (!__atomic_compare_exchange_n(x + 2, &old, old + 3, 0, 5, 5)) {}
             int i = get_global_id(0);
             x[4 + i] = __atomic_exchange_n(x + 3, i, __ATOMIC_SEQ_CST); }""",
        form,
    )
    x = np.zeros(20, np.int32)
    x[1] = -5
    run_ndrange(module, "k", 16, 4, [x, None])
    np.testing.assert_array_equal(x[:4], [32, 15, 48, 15])
    np.testing.assert_array_equal(x[4:], [0, *range(15)])


@pytest.mark.parametrize(
    ("operation", "type", "old", "value", "new"),
    [
        ("xchg", "i32", 1, 2, 2),
        ("add", "i32", 2**32 - 1, 2, 1),
        ("sub", "i32", 0, 1, 2**32 - 1),
        ("and", "i32", 12, 10, 8),
        ("nand", "i32", 12, 10, 2**32 - 9),
        ("or", "i32", 12, 10, 14),
        ("xor", "i32", 12, 10, 6),
        ("max", "i32", 2**32 - 1, 1, 1),
        ("min", "i32", 2**32 - 1, 1, 2**32 - 1),
        ("umax", "i32", 2**32 - 1, 1, 2**32 - 1),
        ("umin", "i32", 2**32 - 1, 1, 1),
        ("uinc_wrap", "i32", 4, 5, 5),
        ("uinc_wrap", "i32", 5, 5, 0),
        ("udec_wrap", "i32", 0, 5, 5),
        ("udec_wrap", "i32", 9, 5, 5),
        ("udec_wrap", "i32", 4, 5, 3),
        ("usub_cond", "i32", 3, 5, 3),
        ("usub_sat", "i32", 3, 5, 0),
        ("fadd", "float", 0.1, 0.2, float(np.float32(0.1) + np.float32(0.2))),
        ("fsub", "double", 0.1, 0.3, 0.1 - 0.3),
        ("fmax", "float", float("nan"), 2.0, 2.0),
        ("fmin", "float", 1.0, 2.0, 1.0),
        ("fmaximum", "float", -0.0, 0.0, 0.0),
        ("xchg", "ptr", None, None, 0),
    ],
)
def test_atomic_operations(operation: str, type: str, old: object, value: object, new: object) -> None:
    text = f"""define {type} @f(ptr %p, {type} %v) {{
  %r = atomicrmw {operation} ptr %p, {type} %v seq_cst
  ret {type} %r
}}"""
    dtype = {"i32": np.uint32, "float": np.float32, "double": np.float64, "ptr": np.uint64}[type]
    data = np.array([old or 0], dtype)
    before = data.copy()
    result = run(text, data, value)
    if type != "ptr":
        np.testing.assert_array_equal(np.array([result], dtype), before)
    np.testing.assert_array_equal(data, np.array([new], dtype))


MASKED = """declare <4 x i32> @llvm.masked.load.v4i32.p0(ptr, i32, <4 x i1>, <4 x i32>)
declare void @llvm.masked.store.v4i32.p0(<4 x i32>, ptr, i32, <4 x i1>)
declare <4 x i32> @llvm.masked.gather.v4i32.v4p0(<4 x ptr>, i32, <4 x i1>, <4 x i32>)
declare void @llvm.masked.scatter.v4i32.v4p0(<4 x i32>, <4 x ptr>, i32, <4 x i1>)
define void @f(ptr %in, ptr %out, <4 x i32> %at, <4 x i1> %mask) {
  %a = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr %in, i32 4, <4 x i1> %mask, <4 x i32> splat (i32 -1))
  %p = getelementptr i32, ptr %in, <4 x i32> %at
  %b = call <4 x i32> @llvm.masked.gather.v4i32.v4p0(<4 x ptr> %p, i32 4, <4 x i1> %mask, <4 x i32> poison)
  %c = select <4 x i1> %mask, <4 x i32> %b, <4 x i32> splat (i32 7)
  %s = add <4 x i32> %a, %c
  call void @llvm.masked.store.v4i32.p0(<4 x i32> %s, ptr %out, i32 4, <4 x i1> %mask)
  %far = getelementptr i32, ptr %out, i64 4
  %q = getelementptr i32, ptr %far, <4 x i32> %at
  call void @llvm.masked.scatter.v4i32.v4p0(<4 x i32> %s, <4 x ptr> %q, i32 4, <4 x i1> %mask)
  ret void
}"""


@pytest.mark.parametrize("with_alignment", [True, False])
def test_masked_accesses_touch_only_active_lanes(with_alignment: bool) -> None:
    text = (
        MASKED if with_alignment else MASKED.replace(", i32 4, <", ", <").replace("i32, <4 x i1>", "<4 x i1>")
    )
    data, out = np.array([10, 20, 30], np.int32), np.zeros(8, np.int32)
    run(text, data, out, [2, 99, 0, -99], [1, 0, 1, 0])
    np.testing.assert_array_equal(out, [40, 0, 40, 0, 40, 0, 40, 0])


def test_a_work_group_function_runs_against_its_blocks() -> None:
    """The way the passes' results are run: launch structure and argument block as bytes."""
    text = f"""define void @f(ptr %launch, ptr %args, ptr %local, ptr %context, i64 %gx, i64 %gy, i64 %gz) {{
  %slot = getelementptr i8, ptr %args, i64 8
  %data = load ptr, ptr %args
  %offset = load i64, ptr %slot
  %mine = getelementptr i8, ptr %local, i64 %offset
  %size = getelementptr i8, ptr %launch, i64 {abi.LOCAL_SIZE}
  %n = load i64, ptr %size
  store i64 %n, ptr %mine
  %v = load i64, ptr %mine
  %p = getelementptr i64, ptr %data, i64 %gx
  store i64 %v, ptr %p
  ret void
}}"""
    memory = Memory()
    data = np.zeros(4, np.int64)
    buffer = Allocation("data", data.view(np.uint8).data)
    launch = bytearray(abi.LAUNCH_SIZE)
    launch[abi.LOCAL_SIZE : abi.LOCAL_SIZE + 8] = (64).to_bytes(8, "little")
    block = memory.base(buffer).to_bytes(8, "little") + (16).to_bytes(8, "little")
    run(text, bytes(launch), block, Local(24), None, 2, 0, 0, memory=memory)
    np.testing.assert_array_equal(data, [0, 0, 64, 0])


def test_generic_pointers() -> None:
    text = """define i32 @f(ptr addrspace(1) %g, ptr addrspace(3) %l) {
  %a = addrspacecast ptr addrspace(1) %g to ptr addrspace(4)
  %b = addrspacecast ptr addrspace(3) %l to ptr addrspace(4)
  store i32 5, ptr addrspace(4) %b
  %c = icmp eq ptr addrspace(4) %a, %b
  %p = select i1 %c, ptr addrspace(4) %b, ptr addrspace(4) %a
  %v = load i32, ptr addrspace(4) %p
  %w = load i32, ptr addrspace(3) %l
  %r = add i32 %v, %w
  ret i32 %r
}"""
    assert run(text, np.array([100], np.int32), Local(4)) == 105


def test_byval_arguments_are_copies() -> None:
    text = """%S = type { i32, i32 }
define internal void @callee(ptr byval(%S) align 4 %s) {
  store i32 99, ptr %s
  ret void
}
define i32 @f(ptr %s) {
  call void @callee(ptr byval(%S) align 4 %s)
  %r = load i32, ptr %s
  ret i32 %r
}"""
    assert run(text, np.array([1, 2], np.int32)) == 1
