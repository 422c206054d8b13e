"""Which of a kernel's own loops LLVM is told to unroll."""

import pytest

from weft import ir
from weft.transform.canonical.unroll_array_loops import MOST_INSTRUCTIONS, MOST_TRIPS, UNROLLED
from weft.transform.workgroup.disable_inner_loop_vectorization import disable_inner_loop_vectorization

LOOP = """
define void @f(ptr addrspace(1) %out, ptr %given, i32 %n) {
entry:
  %array = alloca [16 x float], align 4
  br label %loop

loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %place = phi i32 [ %n, %entry ], [ %next, %loop ]
  %at = getelementptr float, ptr BASE, i32 INDEX
  %element = load float, ptr %at, align 4
  %more = fadd float %sum, %element
FILL  %next = add i32 %k, 1
  %again = icmp ult i32 %next, LIMIT
  br i1 %again, label %loop, label %end

end:
  %result = phi float [ %more, %loop ]
  store float %result, ptr addrspace(1) %out, align 4
  ret void
}
"""
FILL = "  %fill{} = fmul float %element, %sum\n"


def settled(base: str = "%array", index: str = "%k", limit: str = "9", fill: int = 0) -> str:
    text = LOOP.replace("BASE", base).replace("INDEX", index).replace("LIMIT", limit)
    function = ir.parse(text.replace("FILL", "".join(map(FILL.format, range(fill))))).function("f")
    disable_inner_loop_vectorization(function)
    return ir.print_module(function.module)


def test_short_loop_through_a_private_array_is_unrolled() -> None:
    text = settled()
    assert text.count(UNROLLED) == 1
    assert "llvm.loop.vectorize.enable" in text


@pytest.mark.parametrize(
    "loop",
    [
        {"base": "%given"},
        {"index": "%n"},
        {"index": "%place"},
        {"limit": "%n"},
        {"limit": str(MOST_TRIPS + 1)},
        {"fill": MOST_INSTRUCTIONS // 9},
    ],
)
def test_others_are_left_to_llvm(loop: dict[str, str | int]) -> None:
    text = settled(**loop)  # type: ignore[arg-type]
    assert UNROLLED not in text
    assert "llvm.loop.vectorize.enable" in text


def test_as_many_instructions_as_allowed_are_unrolled() -> None:
    assert UNROLLED in settled(fill=MOST_INSTRUCTIONS // 9 - 6)
