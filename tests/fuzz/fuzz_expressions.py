"""Random expressions and variables of OpenCL C, free of undefined behaviour.

Every expression is a `uint`: unsigned arithmetic wraps, shifts are masked, divisors are odd. Variables
of other types are read and written through the templates of `fuzz_kinds.py`, arithmetic with fewer bits is
that of `fuzz_narrow.py`.

An expression is *uniform* when all work-items of a group get the same value. Some uniform conditions
are made so that no compiler can know it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from fuzz_kinds import KINDS
from fuzz_narrow import (
    ITEM_LOADS,
    LEFT_SHIFTS,
    LOADS,
    MIXES,
    NUMBERS,
    ODD,
    OPERATIONS,
    PLAIN_LOADS,
    PLAIN_OPERATIONS,
    SHIFTS,
)
from hypothesis import strategies as st

T = TypeVar("T")

# What the kernels' `uni` holds: uniform values that a compiler has to load. The seventh is larger than
# any value it is compared with, the eighth negative.
UNIFORM_TABLE = (0, 1, 2, 3, 5, 7, 100_000, -1)
CONSTANT_TABLE = (3, 0, 1, 2, 77, 0x80000000, 0xFFFFFFFF, 6)


class Choices:
    """Random choices; the first of several is the simplest, to which failing examples shrink."""

    def __init__(self, draw: Callable[[st.SearchStrategy[Any]], Any]) -> None:
        self._draw = draw

    def number(self, low: int, high: int) -> int:
        """A number from `low` to `high`, both included."""
        return int(self._draw(st.integers(low, high)))

    def pick(self, options: Sequence[T]) -> T:
        """One of several."""
        return options[self.number(0, len(options) - 1)]

    def chance(self, percent: int) -> bool:
        """True so many times in a hundred."""
        return self.number(0, 99) >= 100 - percent


@dataclass
class Variable:
    """A private variable of the kernel."""

    name: str
    kind: str
    uniform: bool
    fixed: bool = False  # a counter, changed by its loop only


@dataclass
class Scope:
    """The variables that can be named at a place."""

    variables: list[Variable] = field(default_factory=list)

    def inner(self) -> "Scope":
        return Scope(list(self.variables))

    def readable(self, uniform: bool) -> list[Variable]:
        return [v for v in self.variables if v.uniform or not uniform]

    def writable(self, uniform: bool) -> list[Variable]:
        return [v for v in self.variables if v.uniform == uniform and not v.fixed]


_BINARY = (
    "({a} + {b})", "({a} - {b})", "({a} ^ {b})", "({a} & {b})", "({a} | {b})", "({a} * {b})",
    "({a} << ({b} & 31u))", "({a} >> ({b} & 31u))", "({a} / ({b} | 1u))", "({a} % ({b} | 1u))",
    "(uint)((int){a} >> ({b} & 31u))", "(uint)((int)({a} & 0xffffu) - (int)({b} & 0xffffu))",
    "min({a}, {b})", "max({a}, {b})", "rotate({a}, {b})", "mul_hi({a}, {b})", "abs_diff({a}, {b})",
    "popcount({a})", "hadd({a}, {b})", "clz({a} | 1u)", "(uint)((ulong){a} * {b} >> 13)", "~{a}",
    "({a} / ({u} | 1u))", "({a} % ({u} | 1u))", "(uint)(((int){a} >> 1) / (int)({u} | 1u))",
    "(uint)(((int){a} >> 1) % (int)({u} | 1u))",
    "(uint)(((ulong){a} << 32 | {b}) / ((ulong){u} * 77ul | 1ul))",
    "(uint)((((long)(int){a} << 31) + {b}) % ((long)(int){u} | 1))",
    "as_uint(as_uchar4({a}).wzyx)", "as_uint((ushort2)((ushort){a}, (ushort){b}))",
    "(uint)(as_ulong((uint2)({a}, {b})) >> 13)", "as_uint(-as_float({a} & 0x3fffffffu | 0x20000000u))",
    "(({b} & 15u) ? {a} / ({b} & 15u) : {a})", "((int){b} > 0 ? (uint)((int){a} % (int){b}) : {b})",
)  # fmt: skip
_COMPARISONS = ("<", "==", "!=", ">", "<=", ">=")
_GROUP_LEAVES = (
    "n", "m", "(uint)uni[{k}]", "table[{k}]", "(uint)uni[{k}]", "(uint)get_group_id({d})", "size",
    "(uint)get_num_groups({d})", "(uint)get_local_size({d})", "(uint)get_global_size({d})", "get_work_dim()",
)  # fmt: skip
_ITEM_LEAVES = (
    "lid", "gid", "(uint)get_local_id({d})", "(uint)get_global_id({d})", "in[gid * 4u + {k4}u]",
    "in[(gid + n) & 63u]", "in[gid / 8u * 16u + gid % 8u + {k}u]", "in[lid % 4u * 16u + lid / 4u]",
    "(uint)get_global_id(({a}) & 3u)", "(uint)get_local_id(lid & 1u)",
)  # fmt: skip


class Expressions:
    """Makes expressions out of the variables of a scope."""

    def __init__(self, choices: Choices, hidden: bool) -> None:
        self.choices = choices
        self._hidden = hidden

    def value(self, scope: Scope, uniform: bool, depth: int = 2) -> str:
        """An expression."""
        c = self.choices
        if depth == 0 or c.chance(35):
            return self._leaf(scope, uniform, depth)
        if c.chance(12):
            condition = self.condition(scope, uniform, depth - 1)
            return (
                f"({condition} ? {self.value(scope, uniform, 1)} : {self.value(scope, uniform, depth - 1)})"
            )
        if c.chance(20):
            return self.narrow(scope, uniform, depth - 1)
        return self.fill(c.pick(_BINARY), scope, uniform, depth - 1)

    def narrow(self, scope: Scope, uniform: bool, depth: int = 1, plain: bool = False) -> str:
        """An expression, computed from numbers of 8 and 16 bits, and from nothing else if it is plain."""
        c = self.choices
        if depth > 0 and c.chance(40):
            p, q = (self.narrow(scope, uniform, depth - 1, plain) for _ in range(2))
            return c.pick(MIXES).format(p=p, q=q, s=c.pick(SHIFTS))
        operation = c.pick(PLAIN_OPERATIONS if plain else OPERATIONS)
        return f"(uint)({self.fill(operation, scope, uniform, depth, plain)})"

    def number(self, scope: Scope, uniform: bool, depth: int = 1, plain: bool = False) -> str:
        """Something of a type with 8 or 16 bits."""
        c = self.choices
        variables = [v for v in scope.readable(uniform) if v.kind in NUMBERS]
        if variables and c.chance(60):
            return c.pick(variables).name
        if plain and not uniform:
            return self.fill(c.pick(PLAIN_LOADS), scope, uniform, depth)
        if c.chance(50):
            return self.fill(c.pick(LOADS if uniform else (*LOADS, *ITEM_LOADS)), scope, uniform, depth - 1)
        return f"({c.pick(NUMBERS)})({self.value(scope, uniform, max(depth - 1, 0))})"

    def fill(self, template: str, scope: Scope, uniform: bool, depth: int, plain: bool = False) -> str:
        """A template of `fuzz_narrow.py`, or another one over such names, with expressions in it."""
        c = self.choices
        makers: dict[str, Callable[[], object]] = {
            **dict.fromkeys("abc", lambda: self.value(scope, uniform, max(depth, 0))),
            **dict.fromkeys("xy", lambda: self.number(scope, uniform, depth, plain)),
            "n": lambda: self.narrow(scope, uniform, depth),
            "u": lambda: self.value(scope, True, 0),
            "s": lambda: c.pick(SHIFTS),
            "l": lambda: c.pick(LEFT_SHIFTS),
            "o": lambda: c.pick(ODD),
            "k": lambda: c.number(0, 7),
            "i": lambda: self._counter(scope, uniform),
        }
        return template.format(**{name: make() for name, make in makers.items() if f"{{{name}}}" in template})

    def condition(self, scope: Scope, uniform: bool, depth: int = 1) -> str:
        """A condition; a uniform one is the same for all work-items, if not for all to see."""
        c = self.choices
        if self._hidden and uniform and c.chance(15):
            item = self.value(scope, False, 1)
            return c.pick((f"(({item}) & 15u) < (uint)uni[6]", f"(({item}) & 15u) > (uint)uni[6]"))
        if c.chance(15):
            a, b = self.number(scope, uniform, depth), self.number(scope, uniform, depth)
        else:
            a, b = (f"({self.value(scope, uniform, depth)} & 7u)" for _ in range(2))
        text = f"{a} {c.pick(_COMPARISONS)} {b}"
        if c.chance(15):
            other = self.condition(scope, uniform, 0)
            text = f"({text} {c.pick(('&&', '||'))} {other})"
        return text

    def read(self, variable: Variable, scope: Scope) -> str:
        """An expression that depends on a variable."""
        return self._filled(KINDS[variable.kind].reads[0], variable, scope, False, 1)

    def write(self, variable: Variable, scope: Scope, uniform: bool, initial: bool = False) -> str:
        """A statement that changes a variable, or gives it its first value."""
        writes = KINDS[variable.kind].writes
        template = writes[0] if initial else self.choices.pick(writes)
        return self._filled(template, variable, scope, uniform, 2)

    def _counter(self, scope: Scope, uniform: bool) -> str:
        counters = [v.name for v in scope.readable(uniform) if v.fixed and v.kind == "uint"]
        return self.choices.pick(counters) if counters else "2u"

    def _leaf(self, scope: Scope, uniform: bool, depth: int) -> str:
        c = self.choices
        variables = scope.readable(uniform)
        if variables and c.chance(60):
            variable = c.pick(variables)
            template = c.pick(KINDS[variable.kind].reads)
            return f"({self._filled(template, variable, scope, uniform, max(depth - 1, 0))})"
        if c.chance(30):
            return f"{c.pick((1, 0, 2, 3, 5, 31, 0x1234567, 0x80000001, 0xFFFFFFFF))}u"
        leaves = _GROUP_LEAVES if uniform else (*_ITEM_LEAVES, *_GROUP_LEAVES)
        leaf = c.pick(leaves)
        inner = self.value(scope, uniform, 0) if "{a}" in leaf and depth else "lid"
        return leaf.format(k=c.number(0, 7), k4=c.number(0, 3), d=c.number(0, 2), a=inner)

    def _filled(self, template: str, variable: Variable, scope: Scope, uniform: bool, depth: int) -> str:
        alike = variable
        if "{w}" in template:
            same = [v for v in scope.readable(uniform) if v.kind == variable.kind]
            alike = self.choices.pick([variable, *same])
        named = template.replace("{v}", variable.name).replace("{w}", alike.name)
        return self.fill(named, scope, uniform, min(depth, 1))
