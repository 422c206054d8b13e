"""The entry of a kernel's baseline code, which is patched when optimized code is ready.

This function calls baseline code. It measures the time of work-groups, so that the kernels with the most time
are optimized first. Tier-up stores the address of optimized code in its state, and the next work-group runs
that code, even within a running launch:

    better = state.better            (an atomic load: nothing else notifies the threads)
    if better: better(...)           the same arguments and arenas suit both
    else: start = clock; first(...); state.clock += clock - start
"""

from weft import abi
from weft.target import Target

_ENTRY = """
{layout}
@"{state}" = global [{words} x i64] zeroinitializer, align 64
declare void @"{first}"(ptr, ptr, ptr, ptr, i64, i64, i64)
declare i64 @llvm.{clock}()
define void @"{name}"(ptr %l, ptr %a, ptr %m, ptr %c, i64 %x, i64 %y, i64 %z) {{
  %better = load atomic ptr, ptr @"{state}" acquire, align 8
  %none = icmp eq ptr %better, null
  br i1 %none, label %first, label %forward
forward:
  tail call void %better(ptr %l, ptr %a, ptr %m, ptr %c, i64 %x, i64 %y, i64 %z)
  ret void
first:
  %start = call i64 @llvm.{clock}()
  call void @"{first}"(ptr %l, ptr %a, ptr %m, ptr %c, i64 %x, i64 %y, i64 %z)
  %end = call i64 @llvm.{clock}()
  %spent = sub i64 %end, %start
  %counter = getelementptr i8, ptr @"{state}", i64 {counter}
  %before = atomicrmw add ptr %counter, i64 %spent monotonic
  ret void
}}
"""


def tier_entry(kernel: str, target: Target) -> str:
    """Return a module with the function `baseline_symbol`, for a module with `work_group_symbol`."""
    return _ENTRY.format(
        layout=f'target datalayout = "{target.data_layout}"\ntarget triple = "{target.triple}"',
        state=abi.tier_state_symbol(kernel),
        words=abi.TIER_STATE_SIZE // 8,
        first=abi.work_group_symbol(kernel),
        name=abi.baseline_symbol(kernel),
        counter=abi.TIER_CLOCK,
        clock=target.cycle_counter,
    )
