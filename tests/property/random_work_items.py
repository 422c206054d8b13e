"""Random loops over work-items, as IR: branches, loops and ways out of them, where all agree or not.

Values and conditions are of the work-item's own data, of loaded values that all share, or of the counters of
loops. A way out goes to the next iteration, or behind, of any loop around it, or to the end of the work-item,
so that ways meet where structured programs do not let them.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from fuzz_expressions import Choices
from hypothesis import strategies as st

VARIABLES = ("v0", "v1", "v2")
DEEPEST = 5
MOST_LOOPS = 3
# A work-item's own elements of the output.
OUTPUTS = 4
# Elements in front of the work-items' own, and behind.
MARGIN = 4

_GROUP = ", !llvm.access.group !0"
_HEAD = (
    "define void @f(ptr addrspace(1) %in, ptr addrspace(1) %uni, ptr addrspace(1) %out, i32 %n, i32 %count) {"
)


@dataclass(frozen=True)
class _Around:
    """A loop around a place."""

    counter: str
    following: str
    behind: str


@dataclass
class _Writer:
    """Writes the body of the loop, with variables in memory."""

    choices: Choices
    left: int  # statements that may still be compound ones
    lines: list[str] = field(default_factory=list)
    counters: list[str] = field(default_factory=list)
    loops: list[_Around] = field(default_factory=list)
    names: int = 0

    def name(self, prefix: str) -> str:
        self.names += 1
        return f"{prefix}{self.names}"

    def line(self, text: str) -> None:
        self.lines.append(f"  {text}")

    def block(self, name: str) -> None:
        self.lines.append(f"{name}:")

    def go(self, target: str) -> None:
        self.line(f"br label %{target}")

    def compute(self, text: str) -> str:
        result = "%" + self.name("t")
        self.line(f"{result} = {text}")
        return result

    def both(self, opcode: str, left: str, right: str | int) -> str:
        return self.compute(f"{opcode} i32 {left}, {right}")

    # Values

    def variable(self, name: str) -> str:
        return self.compute(f"load i32, ptr %{name}")

    def place(self, array: str, index: str | int) -> str:
        return self.compute(f"getelementptr i32, ptr addrspace(1) %{array}, i32 {index}")

    def element(self, array: str, index: str | int) -> str:
        return self.compute(f"load i32, ptr addrspace(1) {self.place(array, index)}{_GROUP}")

    def shared(self) -> str:
        return self.element("uni", self.choices.number(0, 7))

    def counter(self) -> str:
        return self.variable(self.choices.pick(self.loops).counter) if self.loops else self.shared()

    def value(self) -> str:
        c = self.choices
        kinds: list[Callable[[], str]] = [
            lambda: str(c.number(0, 7)),
            lambda: "%n",
            lambda: self.variable(c.pick(VARIABLES)),
            lambda: self.variable(c.pick(VARIABLES)),
            self.shared,
            self.counter,
            lambda: "%x",
            lambda: self.variable("data"),
            self.in_line,
            self.in_line,
            self.neighbour,
            self.quotient,
            self.shifted,
        ]
        return c.pick(kinds)()

    def in_line(self) -> str:
        """A number that grows by a constant from work-item to work-item, without wrapping or perhaps not."""
        c = self.choices
        number = "%x"
        if c.chance(30):
            number = self.both(c.pick(("mul", "mul nsw", "mul nuw nsw")), number, c.pick((1, 2, 3)))
        more = c.pick(
            (lambda: self.both("and", self.shared(), 3), lambda: str(c.number(0, 3)), self.counter)
        )()
        return self.both(c.pick(("add", "add nsw", "add nuw", "add nuw nsw", "sub nsw", "sub")), number, more)

    def neighbour(self) -> str:
        """An element near the work-item's own, at a distance that all share or not."""
        c = self.choices
        shared = self.both("and", c.pick((self.shared, self.counter, self.value))(), 3)
        index = self.both(c.pick(("add", "add nsw", "add nuw nsw")), "%x", shared)
        before = c.chance(30)
        if before:
            index = self.both(c.pick(("sub", "sub nsw")), index, c.number(0, 3))
        if c.chance(60):
            index = self.compute(f"{'sext' if before else c.pick(('sext', 'zext'))} i32 {index} to i64")
            place = self.compute(f"getelementptr inbounds i32, ptr addrspace(1) %near, i64 {index}")
        else:
            place = self.place("near", index)
        return self.compute(f"load i32, ptr addrspace(1) {place}{_GROUP}")

    def shifted(self) -> str:
        """A number in line, shifted there and back again in 64 bits; both halves count."""
        c = self.choices
        number = self.both("sub nsw", "%x", c.number(0, 5))
        wide = self.compute(f"{c.pick(('sext', 'sext', 'zext'))} i32 {number} to i64")
        there = c.pick((30, 31, 32, 33))
        left = self.compute(f"shl i64 {wide}, {there}")
        right = self.compute(f"{c.pick(('ashr', 'lshr'))} i64 {left}, {there - c.number(0, 2)}")
        high = self.compute(f"lshr i64 {right}, 32")
        return self.compute(f"trunc i64 {self.compute(f'xor i64 {right}, {high}')} to i32")

    def quotient(self) -> str:
        """A quotient of which only work-items that come here know that the divisor is not 0."""
        c = self.choices
        divisor = self.both("or", c.pick((self.shared, self.value))(), 1)
        return self.both(c.pick(("udiv", "urem")), self.value(), divisor)

    def condition(self) -> str:
        c = self.choices
        kinds: list[Callable[[], str]] = [
            lambda: self.both(
                "and", self.both("lshr", self.variable("data"), c.number(0, 27)), c.pick((1, 3))
            ),
            lambda: self.both("and", self.shared(), 3),
            self.counter,
            lambda: self.both("and", self.value(), 3),
        ]
        value = c.pick(kinds)()
        return self.compute(f"icmp {c.pick(('eq', 'ne', 'ult', 'ugt'))} i32 {value}, {c.number(0, 2)}")

    # Statements; each tells whether control comes behind it

    def statements(self, depth: int) -> bool:
        return all(self.statement(depth) for _ in range(self.choices.number(1, 4)))

    def statement(self, depth: int) -> bool:
        self.left -= 1
        kinds = [self._assign, self._assign, self._output]
        if self.left > 0 and depth < DEEPEST:
            kinds += [self._branch, self._branch, self._leave, self._switch]
            if len(self.loops) < MOST_LOOPS:
                kinds += [self._loop]
        return self.choices.pick(kinds)(depth)

    def _assign(self, depth: int) -> bool:
        c = self.choices
        value = self.value()
        if c.chance(40):
            value = self.both(c.pick(("add", "xor", "mul")), value, self.value())
        self.line(f"store i32 {value}, ptr %{c.pick(VARIABLES)}")
        return True

    def _output(self, depth: int) -> bool:
        self.mix(self.choices.number(0, OUTPUTS - 1), self.value())
        return True

    def mix(self, which: int, value: str) -> None:
        """Changes an element of the output."""
        index = self.both("add", self.both("mul", "%x", OUTPUTS), which)
        place = self.place("out", index)
        old = self.compute(f"load i32, ptr addrspace(1) {place}{_GROUP}")
        new = self.both("add", self.both("mul", old, 3), value)
        self.line(f"store i32 {new}, ptr addrspace(1) {place}{_GROUP}")

    def _branch(self, depth: int) -> bool:
        yes, no, behind = self.name("yes"), self.name("no"), self.name("join")
        other = self.choices.chance(50)
        self.line(f"br i1 {self.condition()}, label %{yes}, label %{no if other else behind}")
        comes = not other
        for name in (yes, no) if other else (yes,):
            self.block(name)
            if self.statements(depth + 1):
                self.go(behind)
                comes = True
        if comes:
            self.block(behind)
        return comes

    def _switch(self, depth: int) -> bool:
        c = self.choices
        behind = self.name("join")
        ways = [self.name("case") for _ in range(c.number(1, 3))]
        targets = [c.pick((*ways, behind)) for _ in range(4)]
        ways = [way for way in ways if way in targets]
        value = self.both("and", self.value(), 3)
        cases = " ".join(f"i32 {number}, label %{way}" for number, way in enumerate(targets[1:]))
        self.line(f"switch i32 {value}, label %{targets[0]} [ {cases} ]")
        comes = behind in targets
        for number, way in enumerate(ways):
            self.block(way)
            if self.statements(depth + 1):
                through = number + 1 < len(ways) and c.chance(30)
                self.go(ways[number + 1] if through else behind)
                comes |= not through
        if comes:
            self.block(behind)
        return comes

    def _loop(self, depth: int) -> bool:
        c = self.choices
        kinds: list[Callable[[], str]] = [
            lambda: str(c.number(1, 4)),
            lambda: self.both("and", self.variable("data"), 3),
            lambda: self.both("and", self.shared(), 3),
            lambda: self.both("and", self.variable(c.pick(VARIABLES)), 3),
        ]
        limit = c.pick(kinds)()
        head, body = self.name("head"), self.name("body")
        around = _Around(self.name("c"), self.name("next"), self.name("behind"))
        self.counters.append(around.counter)
        self.line(f"store i32 0, ptr %{around.counter}")
        self.go(head)
        self.block(head)
        more = self.compute(f"icmp ult i32 {self.variable(around.counter)}, {limit}")
        self.line(f"br i1 {more}, label %{body}, label %{around.behind}")
        self.block(body)
        self.loops.append(around)
        if self.statements(depth + 1):
            self.go(around.following)
        self.loops.pop()
        self.block(around.following)
        self.line(f"store i32 {self.both('add', self.variable(around.counter), 1)}, ptr %{around.counter}")
        self.go(head)
        self.block(around.behind)
        return True

    def _leave(self, depth: int) -> bool:
        targets = ["end", *(t for a in self.loops for t in (a.following, a.behind, a.behind))]
        self.go(self.choices.pick(targets))
        return False


@st.composite
def work_item_loops(draw: st.DrawFn) -> str:
    """The text of a function with a loop over work-items; LLVM has to put its variables into registers."""
    writer = _Writer(Choices(draw), draw(st.integers(4, 20)))
    writer.block("item")
    writer.line("%x = phi i32 [ 0, %entry ], [ %x.next, %latch ]")
    writer.line(f"%near = getelementptr i8, ptr addrspace(1) %in, i64 {4 * MARGIN}")
    writer.line(f"store i32 {writer.element('near', '%x')}, ptr %data")
    for name in VARIABLES:
        writer.line(f"store i32 {writer.choices.pick((0, 1, 5))}, ptr %{name}")
    if writer.statements(0):
        for which, name in enumerate(VARIABLES):
            writer.mix(which, writer.variable(name))
        writer.go("end")
    allocas = [f"  %{name} = alloca i32" for name in ("data", *VARIABLES, *writer.counters)]
    tail = """\
end:
  br label %latch
latch:
  %x.next = add nuw nsw i32 %x, 1
  %more = icmp ult i32 %x.next, %count
  br i1 %more, label %item, label %exit
exit:
  ret void
}
!0 = distinct !{}
"""
    return "\n".join([_HEAD, "entry:", *allocas, "  br label %item", *writer.lines, tail])
