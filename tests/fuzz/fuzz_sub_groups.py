"""Random kernels that call functions of sub-groups, bit for bit the same in lanes as in memory.

Every value and every place has a *level*: all work-items of the group have the value or come there together
(GROUP), all of a sub-group (SUB_GROUP), or each on its own (ITEM). Barriers and work-group functions stand
where the group comes together, functions and barriers of sub-groups where a sub-group does. What decides is
often a number in memory, of which a compiler cannot know that it is the same for all.

Results do not depend on the order of combination: sums of floating-point numbers are of small whole ones.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from fuzz_expressions import UNIFORM_TABLE, Choices
from fuzz_kernel import RandomCase
from hypothesis import strategies as st
from kernel_case import FOLDER, Range

GROUP, SUB_GROUP, ITEM = range(3)
LOCAL_SIZES = (
    (64,), (128,), (16,), (80,), (48,), (8, 4), (64, 4), (8, 4, 2), (256,), (64, 2), (7, 5), (20,), (96,),
    (4, 8), (112,), (64, 1, 2), (128,), (192,), (1,),
)  # fmt: skip
SIZES = (0, 8, 16, 8, 4, 32, 0)
LARGEST_GROUP = 256
# Statements that all work-items together may run, which bounds the interpreter's time.
RUNS = 12_000
INDENT = "    "

_LEAVES = (
    ("n", "m", "(uint)uni[{k}]", "(uint)get_group_id(0)", "size", "in[group & 63u]", "get_num_sub_groups()"),
    ("get_sub_group_id()", "get_sub_group_size()", "in[(group * 16u + get_sub_group_id()) & 63u]",
     "(uint)uni[get_sub_group_id() & 3u]", "get_max_sub_group_size()"),
    ("lid", "gid", "get_sub_group_local_id()", "in[gid]", "in[gid * 3u & 63u]", "(uint)get_local_id({d})",
     "(uint)get_global_id({d})", "in[(gid + n) & 63u]"),
)  # fmt: skip
_BINARY = (
    "({a} + {b})", "({a} - {b})", "({a} ^ {b})", "({a} & {b})", "({a} | {b})", "({a} * {b})", "min({a}, {b})",
    "({a} << ({b} & 31u))", "({a} >> ({b} & 31u))", "({a} / ({b} | 1u))", "({a} % ({b} | 1u))",
    "max({a}, {b})", "popcount({a})", "(uint)((int){a} >> ({b} & 31u))", "(uint)(uchar)({a})",
    "(uint)(short)({a})", "(uint)((float)({a} & 0xffffu) * 0.5f)", "rotate({a}, {b})", "({a} ? {b} : 7u)",
    "mul_hi({a}, {b})",
)  # fmt: skip
_COMPARISONS = ("<", "==", "!=", ">", "<=", ">=")
# Types, and the values that are combined: sums and products of a sub-group are exact.
_INTEGERS = {
    "int": "(int)({a})", "uint": "{a}", "char": "(char)({a})", "uchar": "(uchar)({a})",
    "short": "(short)({a})", "ushort": "(ushort)({a})", "long": "(long)(int)({a}) * 0x10001l",
    "ulong": "(ulong)({a}) << 17",
}  # fmt: skip
_FLOATS = {
    "float": "(float)((int)({a} & 0xffu) - 90)",
    "double": "(double)(int)({a} & 0xffffffu) * 0.5",
    "half": "(half)((int)({a} & 31u) - 11)",
}
_COMBINING = ("add", "min", "max")
_NON_UNIFORM = ("add", "mul", "min", "max", "and", "or", "xor")
_HOW = ("reduce", "reduce", "reduce", "reduce", "scan_inclusive", "scan_exclusive")

# What a compiler does not know to be the same for several work-items: other work-items may write to memory.
_MEMORY = re.compile(r"\b(?:in|uni|group_tile|sub_group_tile)\[")

_HEAD = f"""\
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
{{attribute}}__kernel void k(__global uint *out, __global const uint *in, __global const int *uni,
              __global uint *counters, uint n, uint m) {{{{
    __local uint group_tile[{LARGEST_GROUP}], sub_group_tile[{LARGEST_GROUP}];
    uint lid = get_local_linear_id(), size = get_local_size(0) * get_local_size(1) * get_local_size(2);
    uint group =
        get_group_id(0) + get_num_groups(0) * (get_group_id(1) + get_num_groups(1) * get_group_id(2));
    uint gid = group * (uint)(get_enqueued_local_size(0) * get_enqueued_local_size(1)
        * get_enqueued_local_size(2)) + lid;
    uint first = get_sub_group_id() * get_max_sub_group_size();
    uint v = in[gid];"""


@dataclass(frozen=True)
class Variable:
    """A variable of type uint, or an array of `length` such elements."""

    name: str
    level: int
    length: int = 0


@dataclass(frozen=True)
class Place:
    """Who comes here together, how many loops and conditionals are around, and how often it runs at most."""

    level: int = GROUP
    depth: int = 3
    often: int = 1
    loop: int | None = None  # the level of the innermost loop around it, and of the outermost one
    outermost: int | None = None
    # The compiler cannot know who comes here together, or who runs the innermost loop together.
    hidden: bool = False
    hidden_loop: bool = False


@dataclass
class SubGroupKernel:
    """Writes the statements of a kernel."""

    choices: Choices
    runs: int
    lines: int = 30
    text: list[str] = field(default_factory=list)
    # Where work-items may have returned: who still comes together.
    floor: int = GROUP
    # Variables of which the compiler cannot know who has the same, and whether it can know `floor`.
    hidden: set[str] = field(default_factory=set)
    hidden_floor: bool = False
    _depth: int = 1
    _names: int = 0

    def line(self, text: str) -> None:
        self.text.append(INDENT * self._depth + text)

    def name(self, prefix: str) -> str:
        self._names += 1
        return f"{prefix}{self._names}"

    @contextmanager
    def braces(self, head: str, tail: str = "}") -> Iterator[None]:
        self.line(f"{head} {{")
        self._depth += 1
        yield
        self._depth -= 1
        self.line(tail)

    def is_hidden(self, text: str) -> bool:
        """Whether the compiler cannot know for which work-items an expression is the same."""
        return bool(_MEMORY.search(text)) or not self.hidden.isdisjoint(re.findall(r"\w+", text))

    # Values

    def value(self, scope: list[Variable], level: int, depth: int = 2) -> str:
        """An expression of type uint that all of a level have in common."""
        c = self.choices
        if depth and c.chance(60):
            a, b = (self.value(scope, level, depth - 1) for _ in range(2))
            return c.pick(_BINARY).format(a=a, b=b)
        variables = [v for v in scope if v.level <= level]
        if variables and c.chance(60):
            variable = c.pick(variables)
            index = f"[{self.value([], level, 0)} & {variable.length - 1}u]" if variable.length else ""
            return variable.name + index
        if c.chance(20):
            return f"{c.pick((1, 0, 2, 3, 5, 31, 0x80000001, 0xFFFFFFFF))}u"
        leaves = _LEAVES[c.number(0, level)]
        return c.pick(leaves).format(k=c.number(0, 5), d=c.number(0, 2))

    def condition(self, scope: list[Variable], level: int) -> str:
        """A condition that is the same for all of a level, if not for all to see."""
        c = self.choices
        if level < ITEM and c.chance(15):
            item = self.value(scope, ITEM, 1)
            return c.pick((f"({item} & 15u) < (uint)uni[6]", f"({item} & 15u) > (uint)uni[6]"))
        a, b = (self.value(scope, level, 1) for _ in range(2))
        return f"({a} & 7u) {c.pick(_COMPARISONS)} ({b} & 7u)"

    # Statements

    def block(self, scope: list[Variable], place: Place, most: int = 4) -> None:
        """Some statements in a scope of their own."""
        inner = list(scope)
        for _ in range(self.choices.number(1, most)):
            self.statement(inner, place)

    def statement(self, scope: list[Variable], place: Place) -> None:
        """One statement, possibly a compound one."""
        self.lines -= 1
        self.runs -= place.often
        level = max(place.level, self.floor)
        hidden = place.hidden or self.hidden_floor
        kinds = [self._change, self._declare, self._array, self._output]
        if level <= SUB_GROUP:
            kinds += [self._combine] * 5 + [self._several, self._exchange_inside]
            if not hidden:
                kinds += [self._shuffle, self._vote]
        if level == GROUP:
            kinds += [self._exchange, self._exchange, self._work_group, self._told]
        if self.lines > 0 and self.runs > 0 and place.depth > 0:
            kinds += [self._if, self._if, self._return]
            if place.often <= 9:
                kinds += [self._for, self._for, self._do]
        if place.loop is not None:
            kinds.append(self._leave)
        self.choices.pick(kinds)(scope, replace(place, level=level, hidden=hidden))

    def _target(self, scope: list[Variable], least: int) -> Variable | None:
        variables = [v for v in scope if v.level >= least and not v.length and v.name[0] != "i"]
        return self.choices.pick(variables) if variables else None

    def _set(self, scope: list[Variable], place: Place, level: int, text: str, known: bool = True) -> None:
        """Give a value of a level to a new variable or an old one; `known`: the compiler knows the level."""
        target = self._target(scope, max(level, place.level))
        hidden = place.hidden or not known
        if target is None or (hidden and place.loop is not None) or self.choices.chance(50):
            target = Variable(self.name("v"), level)
            self.line(f"uint {target.name} = {text};")
            scope.append(target)
        else:
            self.line(f"{target.name} {self.choices.pick(('=', '+=', '^='))} {text};")
        if hidden:
            self.hidden.add(target.name)

    def _change(self, scope: list[Variable], place: Place) -> None:
        target = self._target(scope, place.level)
        if target is None:
            self._declare(scope, place)
        else:
            value = self.value(scope, target.level)
            hidden = place.hidden or self.is_hidden(value)
            if hidden and place.loop is not None and target.name not in self.hidden:
                return  # the compiler may have seen the variable before, in the same loop
            self.line(f"{target.name} {self.choices.pick(('=', '+=', '^=', '*='))} {value};")
            if hidden:
                self.hidden.add(target.name)

    def _declare(self, scope: list[Variable], place: Place) -> None:
        level = self.choices.number(GROUP, ITEM)
        name, value = self.name("v"), self.value(scope, level)
        self.line(f"uint {name} = {value};")
        if self.is_hidden(value):
            self.hidden.add(name)
        # What work-items set on their own way is no longer seen by others, so it keeps its level here.
        scope.append(Variable(name, level))

    def _array(self, scope: list[Variable], place: Place) -> None:
        """A private array, or a new value for an element."""
        arrays = [v for v in scope if v.length]
        c = self.choices
        if arrays and c.chance(70):
            array = c.pick(arrays)
            index = f"{self.value(scope, c.number(GROUP, ITEM), 1)} & {array.length - 1}u"
            self.line(f"{array.name}[{index}] {c.pick(('=', '+=', '^='))} {self.value(scope, ITEM, 1)};")
            return
        array = Variable(self.name("a"), ITEM, c.pick((4, 2, 8, 32)))
        self.line(f"uint {array.name}[{array.length}];")
        value = self.value(scope, ITEM, 1)
        self.line(f"for (uint k_ = 0; k_ < {array.length}u; k_++) {array.name}[k_] = {value} * (k_ + 1u);")
        self.runs -= array.length * place.often
        scope.append(array)

    def _output(self, scope: list[Variable], place: Place) -> None:
        c = self.choices
        value = self.value(scope, ITEM)
        if c.chance(25):
            function = c.pick(("add(&counters[0], {x})", "xor(&counters[1], {x})", "max(&counters[2], {x})"))
            self.line(f"atomic_{function.format(x=value)};")
            return
        store = f"out[gid * 4u + {c.number(0, 3)}u] {c.pick(('+=', '^='))} {value};"
        if place.level <= SUB_GROUP and c.chance(30):
            store = f"if (get_sub_group_local_id() == 0u) {store}"
        self.line(store)

    def _combined(self, scope: list[Variable], how: str, hidden: bool) -> str:
        """A call that combines the numbers of a sub-group, as uint."""
        c = self.choices
        floats = c.chance(30)
        type, form = c.pick(list((_FLOATS if floats else _INTEGERS).items()))
        value = form.format(a=self.value(scope, ITEM, 1))
        if floats:
            name, operation = f"sub_group_{how}", c.pick(_COMBINING)
        elif not hidden and c.chance(30):
            name, operation = f"sub_group_non_uniform_{how}", c.pick(_NON_UNIFORM)
        else:
            name, operation = f"sub_group_{how}", c.pick(_COMBINING)
        call = f"{name}_{operation}({value})"
        if floats and how == "scan_exclusive" and operation != "add":  # infinite for the first work-item
            return f"(uint)({call} > ({type})3)"
        return f"(uint)(int)({call})" if floats else f"(uint)({call})"

    def _combine(self, scope: list[Variable], place: Place) -> None:
        how = self.choices.pick(_HOW)
        level = SUB_GROUP if how == "reduce" else ITEM
        self._set(scope, place, level, self._combined(scope, how, place.hidden))

    def _several(self, scope: list[Variable], place: Place) -> None:
        """Reductions in sequence, some of which need another's result."""
        names: list[str] = []
        inner = list(scope)
        for _ in range(self.choices.number(2, 4)):
            names.append(self.name("v"))
            self.line(f"uint {names[-1]} = {self._combined(inner, 'reduce', place.hidden)};")
            if self.choices.chance(40):
                inner.append(Variable(names[-1], SUB_GROUP))
        scope += [Variable(name, SUB_GROUP) for name in names]

    def _number(self, scope: list[Variable]) -> str:
        """An integer of any size."""
        return self.choices.pick(list(_INTEGERS.values())).format(a=self.value(scope, ITEM, 1))

    def _shuffle(self, scope: list[Variable], place: Place) -> None:
        c = self.choices
        value, inside = (
            c.pick(list(_INTEGERS.values())).format(a=self.value(scope, ITEM, 1)),
            "% get_sub_group_size()",
        )
        if c.chance(30):
            index = f"{self.value(scope, SUB_GROUP, 1)} {inside}"
            self._set(scope, place, SUB_GROUP, f"(uint)sub_group_broadcast({value}, {index})")
        elif c.chance(30):
            size = c.pick((2, 4, 1))
            call = f"sub_group_clustered_reduce_{c.pick(_NON_UNIFORM)}({value}, {size}u)"
            self._set(scope, place, ITEM, f"(uint){call}")
        else:
            index = f"{self.value(scope, ITEM, 1)} {inside}"
            self._set(scope, place, ITEM, f"(uint)sub_group_shuffle({value}, {index})")

    def _vote(self, scope: list[Variable], place: Place) -> None:
        c = self.choices
        condition = self.condition(scope, ITEM)
        call = c.pick((
            f"sub_group_ballot({condition}).x", f"sub_group_any({condition})", f"sub_group_all({condition})",
            f"sub_group_non_uniform_all_equal({self.value(scope, ITEM, 1)} & 1u)",
            f"sub_group_ballot_bit_count(sub_group_ballot({condition}))",
        ))  # fmt: skip
        self._set(scope, place, SUB_GROUP, f"(uint)({call})")

    def _exchange_inside(self, scope: list[Variable], place: Place) -> None:
        """Through local memory, between the work-items of a sub-group."""
        value, other = self.value(scope, ITEM, 1), self.value(scope, ITEM, 1)
        self.line(f"sub_group_tile[lid] = {value};")
        self.line("sub_group_barrier(CLK_LOCAL_MEM_FENCE);")
        self._set(scope, place, ITEM, f"sub_group_tile[first + {other} % get_sub_group_size()]", known=False)
        self.line("sub_group_barrier(CLK_LOCAL_MEM_FENCE);")

    def _exchange(self, scope: list[Variable], place: Place) -> None:
        """Through local memory, between the work-items of the group."""
        value, other = self.value(scope, ITEM, 1), self.value(scope, ITEM, 1)
        self.line(f"group_tile[lid] = {value};")
        self.line("barrier(CLK_LOCAL_MEM_FENCE);")
        self._set(scope, place, ITEM, f"group_tile[{other} % size]", known=False)
        self.line("barrier(CLK_LOCAL_MEM_FENCE);")

    def _told(self, scope: list[Variable], place: Place) -> None:
        """A number of each sub-group, which the others read."""
        self.line(f"if (get_sub_group_local_id() == 0u) group_tile[lid] = {self.value(scope, ITEM, 1)};")
        self.line("barrier(CLK_LOCAL_MEM_FENCE);")
        other = f"{self.value(scope, SUB_GROUP, 1)} % get_num_sub_groups()"
        told = f"group_tile[{other} * get_max_sub_group_size()]"
        self._set(scope, place, SUB_GROUP, told, known=False)
        self.line("barrier(CLK_LOCAL_MEM_FENCE);")

    def _work_group(self, scope: list[Variable], place: Place) -> None:
        c = self.choices
        call = c.pick((
            "work_group_reduce_{o}({x})", "work_group_any((int)({x} & 1u))",
            "work_group_all((int)({x} & 3u))",
        )).format(o=c.pick(_COMBINING), x=self.value(scope, ITEM, 1))  # fmt: skip
        self._set(scope, place, GROUP, f"(uint){call}")

    # Control

    def _inside(self, place: Place) -> Place:
        level = max(place.level, self.choices.pick((GROUP, SUB_GROUP, SUB_GROUP, ITEM)))
        return replace(place, level=level, depth=place.depth - 1)

    def _if(self, scope: list[Variable], place: Place) -> None:
        inner = self._inside(place)
        condition = self.condition(scope, inner.level)
        inner = replace(inner, hidden=place.hidden or self.is_hidden(condition))
        with self.braces(f"if ({condition})"):
            self.block(scope, inner)
        if self.choices.chance(40):
            with self.braces("else"):
                self.block(scope, inner)

    def _loop(self, scope: list[Variable], place: Place) -> tuple[Place, str, str]:
        inner = self._inside(place)
        inner = replace(inner, often=3 * place.often, loop=inner.level)
        if inner.outermost is None:
            inner = replace(inner, outermost=inner.level)
        limit, value = self.name("t"), self.value(scope, inner.level, 1)
        self.line(f"uint {limit} = {value} % {self.choices.number(2, 5)}u;")
        hidden = place.hidden or self.is_hidden(value)
        inner = replace(inner, hidden=hidden, hidden_loop=hidden)
        return inner, self.name("i"), limit

    def _for(self, scope: list[Variable], place: Place) -> None:
        inner, i, limit = self._loop(scope, place)
        with self.braces(f"for (uint {i} = 0; {i} < {limit}; {i}++)"):
            self.block([*scope, Variable(i, inner.level)], inner)

    def _do(self, scope: list[Variable], place: Place) -> None:
        inner, i, limit = self._loop(scope, place)
        self.line(f"uint {i} = 0;")
        with self.braces("do", f"}} while ({i}++ < {limit});"):
            self.block([*scope, Variable(i, inner.level)], inner)

    def _leave(self, scope: list[Variable], place: Place) -> None:
        """A jump out of an iteration, where all come together that run the loop together."""
        condition = self.condition(scope, place.level)
        known = place.hidden_loop or not (place.hidden or self.is_hidden(condition))
        if place.level == place.loop and known:
            self.line(f"if ({condition}) {self.choices.pick(('break', 'continue'))};")
        else:
            self._change(scope, place)

    def _return(self, scope: list[Variable], place: Place) -> None:
        """An early return, after which fewer come together."""
        level = max(place.level, self.choices.pick((GROUP, SUB_GROUP, ITEM)))
        if self.choices.chance(50) or (place.outermost is not None and level > place.outermost):
            self._change(scope, place)
            return
        condition = self.condition(scope, level)
        hidden = place.hidden or self.is_hidden(condition)
        if hidden and place.loop is not None:
            return
        self.line(f"if ({condition}) return;")
        self.floor = max(self.floor, level)
        self.hidden_floor |= hidden


@st.composite
def sub_group_cases(draw: Any) -> RandomCase:
    """Random kernels with functions of sub-groups, for sub-groups of any size."""
    c = Choices(draw)
    local = c.pick(LOCAL_SIZES)
    whole = tuple(c.number(1, 2) * n for n in local)
    launch = Range(f"{whole} / {local}", whole, local, tuple(0 for _ in local))
    items = 1
    for extent in whole:
        items *= extent
    size = c.pick(SIZES)
    kernel = SubGroupKernel(c, max(RUNS // items, 40))
    scope = [Variable("v", ITEM)]
    for _ in range(c.pick((2, 1, 3, 4, 7))):
        kernel.statement(scope, Place())
    for variable in scope:
        index = f"[lid & {variable.length - 1}u]" if variable.length else ""
        kernel.line(f"out[gid * 4u] = out[gid * 4u] * 31u + {variable.name}{index};")
    attribute = f"__attribute__((intel_reqd_sub_group_size({size})))\n" if size else ""
    source = "\n".join([_HEAD.format(attribute=attribute), *kernel.text, "}\n"])
    arguments = {
        "out": f"arange({4 * items}, dtype=uint32)",
        "in": f"rng.integers(0, 2**32, {max(items, 64)}, uint32)",
        "uni": f"array({list(UNIFORM_TABLE)}, int32)",
        "counters": "array([0, 0, 0], uint32)",
        "n": str(c.pick((3, 0, 1, 7, 64, 2**31))),
        "m": str(c.pick((5, 0, 2, 2**32 - 1))),
    }
    path = FOLDER / "random_kernel.cl"
    return RandomCase(path, source, "-cl-std=CL3.0", launches=(launch,), arguments=arguments)
