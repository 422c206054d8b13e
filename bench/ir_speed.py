"""Measures how long the IR takes to read, print, verify and analyse, per 1,000 instructions.

Run it with the files to measure (LLVM's text); without files, it uses its own module.
"""

import sys
import time
from collections.abc import Callable
from pathlib import Path

from weft import ir
from weft.ir.dominators import dominators
from weft.ir.loops import loop_forest
from weft.ir.verifier import verify

_ROUNDS = 7


def _sample(functions: int = 40) -> str:
    """Return kernel-like functions: a loop over memory with vectors, calls, selects and metadata."""
    body = """define void @kernel{n}(ptr addrspace(1) noundef %a, ptr addrspace(1) %b, i32 %n) #0 {{
entry:
  %id = call i64 @_Z13get_global_idj(i32 noundef 0) #1
  %base = getelementptr inbounds nuw float, ptr addrspace(1) %a, i64 %id
  %cmp = icmp sgt i32 %n, 0
  br i1 %cmp, label %loop, label %exit

loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi <4 x float> [ zeroinitializer, %entry ], [ %sum.next, %loop ]
  %wide = sext i32 %i to i64
  %p = getelementptr inbounds <4 x float>, ptr addrspace(1) %b, i64 %wide
  %v = load <4 x float>, ptr addrspace(1) %p, align 16, !tbaa !0
  %x = load float, ptr addrspace(1) %base, align 4, !tbaa !0
  %s = insertelement <4 x float> poison, float %x, i64 0
  %t = shufflevector <4 x float> %s, <4 x float> poison, <4 x i32> zeroinitializer
  %m = fmul contract <4 x float> %v, %t
  %k = call <4 x float> @_Z3madDv4_fS_S_(<4 x float> noundef %m, <4 x float> %t, <4 x float> %sum) #1
  %big = fcmp ogt <4 x float> %k, <float 1.0, float 2.0, float 3.0, float 4.0>
  %sum.next = select <4 x i1> %big, <4 x float> %v, <4 x float> %k
  %next = add nuw nsw i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %exit, !llvm.loop !1

exit:
  %r = phi <4 x float> [ zeroinitializer, %entry ], [ %sum.next, %loop ]
  %lane = extractelement <4 x float> %r, i64 2
  store float %lane, ptr addrspace(1) %base, align 4, !tbaa !0
  ret void
}}
"""
    tail = """
declare i64 @_Z13get_global_idj(i32 noundef) #1
declare <4 x float> @_Z3madDv4_fS_S_(<4 x float> noundef, <4 x float>, <4 x float>) #1

attributes #0 = { nounwind }
attributes #1 = { convergent nounwind }

!0 = !{!"float"}
!1 = distinct !{!1}
"""
    return "\n".join(body.format(n=n) for n in range(functions)) + tail


def _best(action: Callable[[], object]) -> float:
    times = []
    for _ in range(_ROUNDS):
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return min(times)


def _measure(name: str, text: str) -> None:
    module = ir.parse(text)
    bodies = [f for f in module.functions if not f.is_declaration]
    count = sum(1 for f in bodies for _ in f.instructions())
    steps = {
        "parse": lambda: ir.parse(text),
        "print": lambda: ir.print_module(module),
        "verify": lambda: verify(module),
        "dominators": lambda: [dominators(f) for f in bodies],
        "loops": lambda: [loop_forest(f) for f in bodies],
    }
    figures = ", ".join(f"{step} {_best(run) * 1e6 / count:.1f} ms" for step, run in steps.items())
    print(f"{name}: {count} instructions; per 1,000: {figures}")


def main() -> None:
    """Print a line per module."""
    if not sys.argv[1:]:
        _measure("sample", _sample())
    for path in sys.argv[1:]:
        _measure(path, Path(path).read_text())


if __name__ == "__main__":
    main()
