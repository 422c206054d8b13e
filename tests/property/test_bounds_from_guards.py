"""Loops whose guards became bounds run their bodies for the same work-items as before.

Random guards of one to three comparisons, of numbers of 8 to 64 bits that rise or fall from work-item to
work-item, wrap or promise not to, against the condition worked out in Python for each work-item.
"""

import operator
from dataclasses import dataclass

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from weft import ir
from weft.interp.ndrange import run_function
from weft.ir.verifier import verify
from weft.remarks import Remarks
from weft.transform.simd.bounds_from_guards import bounds_from_guards

RELATIONS = {
    "eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "le": operator.le,
    "gt": operator.gt, "ge": operator.ge,
}  # fmt: skip
PREDICATES = ("eq", "ne", *(s + r for s in "su" for r in ("lt", "le", "gt", "ge")))
MAX_SIZE = 24


@dataclass(frozen=True)
class Comparison:
    """`start + stride * x PREDICATE limit` in numbers of some bits; `swapped`: the limit is on the left."""

    bits: int
    start: int
    stride: int
    limit: int
    predicate: str
    swapped: bool
    constant: bool

    def number(self, value: int, signed: bool) -> int:
        value %= 1 << self.bits
        return value - (1 << self.bits) if signed and value >> (self.bits - 1) else value

    def holds(self, x: int) -> bool:
        signed = self.predicate[0] == "s"
        left = self.number(self.start + self.stride * x, signed)
        right = self.number(self.limit, signed)
        if self.swapped:
            left, right = right, left
        return RELATIONS[self.predicate[-2:]](left, right)

    def is_exact(self, size: int, signed: bool) -> bool:
        low = self.number(self.start, signed)
        ends = (low, low + self.stride * (size - 1))
        least = -(1 << (self.bits - 1)) if signed else 0
        return least <= min(ends) and max(ends) < least + (1 << self.bits)

    def flags(self, size: int) -> str:
        return "".join(" " + f for f, s in (("nuw", False), ("nsw", True)) if self.is_exact(size, s))

    def text(self, number: int, size: int) -> str:
        """Instructions that make %c<number>."""
        t = f"i{self.bits}"
        convert = {32: "add nuw nsw i32 %x, 0", 64: "zext nneg i32 %x to i64"}.get(
            self.bits, f"trunc nuw nsw i32 %x to {t}"
        )
        start, limit = (
            (str(self.number(self.start, True)), str(self.number(self.limit, True)))
            if self.constant
            else (f"%start{number}", f"%limit{number}")
        )
        sides = [limit, f"%v{number}"] if self.swapped else [f"%v{number}", limit]
        return f"""  %x{number} = {convert}
  %m{number} = mul nuw nsw {t} %x{number}, {abs(self.stride)}
  %v{number} = {"add" if self.stride > 0 else "sub"}{self.flags(size)} {t} {start}, %m{number}
  %c{number} = icmp {self.predicate} {t} {", ".join(sides)}
"""


@st.composite
def comparisons(draw: st.DrawFn) -> Comparison:
    bits = draw(st.sampled_from((8, 16, 32, 64)))
    edges = [c + d for c in (0, 1 << (bits - 1), 1 << bits) for d in range(-3, 4)]
    numbers = st.one_of(st.sampled_from(edges), st.integers(0, (1 << bits) - 1), st.integers(-40, 40))
    start = draw(numbers)
    # At most 5 * 24 apart, which numbers of 8 bits hold.
    stride = draw(st.sampled_from((0, 1, -1, 2, -2, 3, -3, 5, -5, 1, 1)))
    limit = draw(st.one_of(numbers, st.integers(-130, 130).map(lambda d: start + d)))
    swapped, constant = draw(st.booleans()), draw(st.booleans())
    return Comparison(bits, start, stride, limit, draw(st.sampled_from(PREDICATES)), swapped, constant)


def module_of(guard: list[Comparison], combined: str, leaves: bool, size: int, first: str) -> str:
    """A work-group function of a loop whose body notes which work-items come; `leaves`: others return."""
    parameters = "".join(
        f", i{c.bits} %start{n}, i{c.bits} %limit{n}" for n, c in enumerate(guard) if not c.constant
    )
    body = "".join(c.text(n, size) for n, c in enumerate(guard))
    whole = "%c0"
    for n in range(1, len(guard)):
        rule = {
            "and": f"and i1 {whole}, %c{n}",
            "select": f"select i1 {whole}, i1 %c{n}, i1 false",
            "or": f"or i1 {whole}, %c{n}",
            "select or": f"select i1 {whole}, i1 true, i1 %c{n}",
        }[combined]
        body += f"  %w{n} = {rule}\n"
        whole = f"%w{n}"
    ways = "label %skip, label %body" if leaves else "label %body, label %skip"
    return f"""define void @weft.workgroup.k(ptr %seen, i32 %size{parameters}) {{
entry:
  br label %pre
pre:
  br label %loop
loop:
  %x = phi i32 [ 0, %pre ], [ %x.next, %latch ]
{body}  br i1 {whole}, {ways}
body:
  %p = getelementptr i8, ptr %seen, i32 %x
  store i8 1, ptr %p, align 1
  br label %skip
skip:
  br label %latch
latch:
  %x.next = add nuw nsw i32 %x, 1
  %more = icmp ult i32 %x.next, {first}
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}}
!0 = distinct !{{!0, !1, !2}}
!1 = !{{!"llvm.loop.parallel_accesses", !3}}
!2 = !{{!"weft.work_items"}}
!3 = distinct !{{}}
"""


@settings(max_examples=400, deadline=None)
@given(
    st.lists(comparisons(), min_size=1, max_size=3),
    st.sampled_from(("and", "select")),
    st.booleans(),
    st.integers(1, MAX_SIZE),
    st.booleans(),
)
def test_body_runs_for_the_same_work_items(
    guard: list[Comparison], combined: str, leaves: bool, size: int, fixed: bool
) -> None:
    if leaves:
        combined = {"and": "or", "select": "select or"}[combined]
    module = ir.parse(module_of(guard, combined, leaves, size, str(size) if fixed else "%size"))
    verify(module)
    remarks = Remarks("k")
    bounds_from_guards(module.function("weft.workgroup.k"), remarks)
    verify(module)
    if all(c.is_exact(size, True) and c.is_exact(size, False) for c in guard) and not any(
        c.predicate in ("eq", "ne") for c in guard
    ):
        assert [len(remark["bounds"]) for remark in remarks] == [len(guard)], (
            "every comparison becomes a bound"
        )
    seen = np.zeros(MAX_SIZE, np.uint8)
    values = [v % (1 << c.bits) for c in guard if not c.constant for v in (c.start, c.limit)]
    run_function(module, "weft.workgroup.k", [seen, size, *values])
    expected = [all(c.holds(x) != leaves for c in guard) and x < size for x in range(MAX_SIZE)]
    assert seen.astype(bool).tolist() == expected
