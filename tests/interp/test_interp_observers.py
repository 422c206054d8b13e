"""Observers see every access, value, branch and barrier."""

from collections import Counter

import numpy as np
import pytest
from interp_support import FORMS, compile_kernel

from weft import ir
from weft.interp import Local, run_function, run_ndrange

KERNEL = """
__kernel void k(__global const int *x, __global int *y, __local int *t) {
  size_t l = get_local_id(0), n = get_local_size(0);
  t[l] = x[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  int other = t[n - 1 - l];
  if (other > 4) y[get_global_id(0)] = other;
  __atomic_fetch_add(y + 8, 1, __ATOMIC_RELAXED);
}
"""


class Recorder:
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.accesses: list[tuple] = []
        self.barriers: list[tuple] = []
        self.branches: list[tuple] = []
        self.values: list[tuple] = []

    def load(self, item, pointer, size, instruction) -> None:
        self._access("load", item, pointer, size, instruction)

    def store(self, item, pointer, size, instruction) -> None:
        self._access("store", item, pointer, size, instruction)

    def atomic(self, item, pointer, size, instruction) -> None:
        self._access("atomic", item, pointer, size, instruction)

    def _access(self, kind, item, pointer, size, instruction) -> None:
        allocation, offset = pointer
        assert offset >= 0 and offset + size <= allocation.size
        self.accesses.append((kind, item.global_id[0], allocation.name, offset, size))

    def barrier(self, group, instruction) -> None:
        self.barriers.append((group.id, instruction.called_function.name))

    def branch(self, item, instruction, successor) -> None:
        assert successor in instruction.successors()
        self.branches.append((item.global_id[0], successor))

    def value(self, item, instruction, value) -> None:
        self.values.append((item.global_id[0], instruction, value))


@pytest.mark.parametrize("form", FORMS)
def test_observers_see_every_access(form: str) -> None:
    recorder = Recorder()
    x, y = np.arange(8, dtype=np.int32), np.zeros(9, np.int32)
    run_ndrange(compile_kernel(KERNEL, form), "k", 8, 4, [x, y, Local(16)], observers=[recorder])
    assert y[8] == 8
    wanted = Counter()
    for i in range(8):
        wanted["load", i, "x", 4 * i, 4] += 1
        wanted["store", i, "t", 4 * (i % 4), 4] += 1
        wanted["load", i, "t", 4 * (3 - i % 4), 4] += 1
        wanted["atomic", i, "y", 32, 4] += 1
        if x[i // 4 * 4 + 3 - i % 4] > 4:
            wanted["store", i, "y", 4 * i, 4] += 1
    # clang's own form also keeps variables and arguments in private memory.
    shared = Counter(a for a in recorder.accesses if a[2] in ("x", "y", "t"))
    assert shared == wanted
    assert recorder.barriers == [((0, 0, 0), "_Z7barrierj"), ((1, 0, 0), "_Z7barrierj")]


def test_observers_see_every_value_and_branch() -> None:
    text = """define i32 @f(i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %total, %loop ]
  %total = add i32 %sum, %i
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret i32 %total
}"""
    recorder, second = Recorder(), Recorder()
    assert run_function(ir.parse(text), "f", [3], observers=[recorder, second]) == 3
    by_name = [(instruction.name, value) for _, instruction, value in recorder.values]
    one_turn = ["i", "sum", "total", "next", "more"]
    numbers = [[0, 0, 0, 1, 1], [1, 0, 1, 2, 1], [2, 1, 3, 3, 0]]
    assert by_name == [pair for turn in numbers for pair in zip(one_turn, turn, strict=True)]
    assert [block.name for _, block in recorder.branches] == ["loop", "loop", "loop", "exit"]
    assert second.values == recorder.values


def test_watching_changes_nothing() -> None:
    module = compile_kernel(KERNEL, "frontend")
    x = np.array([9, 1, 8, 2, 7, 3, 6, 4], np.int32)
    plain, watched = np.zeros(9, np.int32), np.zeros(9, np.int32)
    run_ndrange(module, "k", 8, 4, [x, plain, Local(16)])
    run_ndrange(module, "k", 8, 4, [x, watched, Local(16)], observers=[Recorder()])
    np.testing.assert_array_equal(plain, watched)


def test_observers_see_the_result_of_a_call_that_stopped_at_a_barrier() -> None:
    text = """declare void @_Z7barrierj(i32)
declare i64 @_Z12get_local_idj(i32)
define i64 @inner() {
  %l = call i64 @_Z12get_local_idj(i32 0)
  call void @_Z7barrierj(i32 1)
  ret i64 %l
}
define void @k() {
  %r = call i64 @inner()
  ret void
}"""
    recorder = Recorder()
    run_ndrange(ir.parse(text), "k", 3, 3, [], observers=[recorder])
    results = [(item, value) for item, instruction, value in recorder.values if instruction.name == "r"]
    assert results == [(0, 0), (1, 1), (2, 2)]
