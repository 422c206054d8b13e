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
        ]
        return c.pick(kinds)()

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
            kinds += [self._branch, self._branch, self._leave]
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
    writer.line(f"store i32 {writer.element('in', '%x')}, ptr %data")
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
