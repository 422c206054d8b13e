"""Random statements: structured control flow, with barriers where OpenCL allows them.

Barriers stand only where control is uniform: all work-items of the group get there together. Local
memory is exchanged without races: each work-item writes its own element, a barrier, anyone's element is
read, a barrier. Statements have a price, the number of times they run, and a kernel has a budget.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial

from fuzz_expressions import Choices, Expressions, Scope, Variable
from fuzz_kinds import AGGREGATES, KINDS, OPTIONAL_KINDS, SCALARS, VECTORS
from fuzz_narrow import NUMBERS, STORES
from fuzz_places import Budget, Helper, Place

INDENT = "    "

# Each counter is changed by one kind of operation, so that the order of the changes does not matter.
_COUNTING = (
    "atomic_add(&counters[{i} & 3u], {x});",
    "atomic_sub(&counters[{i} & 3u], {x});",
    "atomic_xor(&counters[4u + ({i} & 1u)], {x});",
    "atomic_or(&counters[6], {x});",
    "atomic_and(&counters[7], {x} | 0x10ffu);",
    "atomic_min(&counters[8], {x});",
    "atomic_max(&counters[9], {x});",
    "atomic_inc(&counters[10]);",
)
COUNTERS = (0, 0, 0, 0, 0, 0, 0, 0xFFFFFFFF, 0xFFFFFFFF, 0, 0)

_OWN_ELEMENTS = (
    "narrow[gid] += (uchar)({a});",
    "narrow[gid] = (uchar)(narrow[gid] > (uchar)({a}) ? {b} : 7u);",
    "wide[gid] ^= (ulong)({a}) << ({b} & 31u);",
    "wide[gid] += wide[gid] >> ({a} & 15u);",
    "quads[gid] += (uint4)({a}, 1u, {b}, 3u);",
    "quads[gid].y = quads[gid].w ^ {a};",
    "vstore4(vload4(gid, out) ^ (uint4)({a}, {b}, 0u, 1u), gid, out);",
)


# Writes a statement; `fuzz_shapes.py` has many.
Shape = Callable[["Statements", Scope, Place], None]


@dataclass
class Statements:
    """Writes the statements of one function."""

    choices: Choices
    expressions: Expressions
    budget: Budget
    helpers: tuple[Helper, ...] = ()
    outputs: bool = True  # whether the kernel's global memory can be named
    hidden: bool = True  # also what only the values of a run make legal
    collectives: bool = False  # also the work-group functions of OpenCL C 3.0
    shapes: tuple[Shape, ...] = ()  # more statements to choose from
    locals: list[str] = field(default_factory=list)  # declarations of local arrays for the kernel's head
    text: list[str] = field(default_factory=list)
    _level: int = 1
    _names: int = 0

    def line(self, text: str) -> None:
        self.text.append(INDENT * self._level + text)

    @contextmanager
    def braces(self, head: str, tail: str = "}") -> Iterator[None]:
        self.line(f"{head} {{")
        self._level += 1
        yield
        self._level -= 1
        self.line(tail)

    def name(self, prefix: str) -> str:
        self._names += 1
        return f"{prefix}{self._names}"

    def block(self, scope: Scope, place: Place, most: int = 4) -> None:
        """Some statements in a scope of their own."""
        inner = scope.inner()
        for _ in range(self.choices.number(1, most)):
            self.statement(inner, place)

    def statement(self, scope: Scope, place: Place) -> None:
        """One statement, possibly a compound one."""
        self.budget.lines -= 1
        self.budget.runs -= place.often
        kinds = [self.change, self.change, self._change_vector, self.declare]
        if self.outputs:
            kinds += [self._output, self._own_elements, self.store_narrow]
        if place.depth > 0 and self.budget.lines > 0 and self.budget.runs > 0:
            kinds += [self._if, self._if, self._switch, self._early_return]
            if place.often <= 16 and self.budget.runs > 3 * place.often:
                kinds += [self._for, self._while, self._do, self._divergent_loops, self._narrow_for]
            if place.often <= 4 and self.budget.runs > 30 * place.often:
                kinds += [self._long_loop, self.narrow_loop]
        if place.may_wait and self.budget.runs > 0:
            kinds += [self._barrier, self._exchange, self._exchange, self._broadcast, self._count, self._copy]
            kinds.append(self._exchange_narrow)
            if self.collectives:
                kinds.append(self._collective)
            if self.outputs:
                kinds.append(self._scratch)
        if not place.uniform and place.barriers and self.hidden:
            kinds.append(self._barrier_not_reached)
        if self.helpers:
            kinds.append(self.call)
        if place.breaks or place.continues:
            kinds += [self._leave_iteration]
        if self.budget.lines > 0 and self.budget.runs > 0:
            kinds += [partial(shape, self) for shape in self.shapes]
        self.choices.pick(kinds)(scope, place)

    def alike(self, uniform: bool) -> bool:
        """Whether to take what is the same for all work-items: where it must be, and now and then elsewhere.

        Work-items that are apart and yet compute the same are where a compiler may take them to be together.
        """
        return uniform or self.choices.chance(30)

    # Values

    def change(self, scope: Scope, place: Place) -> None:
        uniform = place.uniform and self.choices.chance(40)
        variables = scope.writable(uniform)
        if not variables:
            self.declare(scope, place)
            return
        # Most variables are of type uint, most of what can go wrong is with others.
        others = [v for v in variables if v.kind != "uint"]
        for _ in range(self.choices.number(1, 3)):
            variable = self.choices.pick(others if others and self.choices.chance(60) else variables)
            self.line(self.expressions.write(variable, scope, self.alike(uniform)))

    def declare(self, scope: Scope, place: Place) -> None:
        """A variable with a first value."""
        uniform = place.uniform and self.choices.chance(30)
        family = self.choices.pick((SCALARS, SCALARS, VECTORS, VECTORS, AGGREGATES))
        kinds = [kind for kind in family if self.hidden or kind not in OPTIONAL_KINDS]
        variable = Variable(self.name("u" if uniform else "v"), self.choices.pick(kinds), uniform)
        self.define(variable, scope)

    def define(self, variable: Variable, scope: Scope) -> None:
        """Declare a variable, and give it its first value."""
        self.line(KINDS[variable.kind].declaration.format(v=variable.name) + ";")
        self.line(self.expressions.write(variable, scope, variable.uniform, initial=True))
        scope.variables.append(variable)

    def _change_vector(self, scope: Scope, place: Place) -> None:
        vectors = [v for v in scope.writable(False) if v.kind in VECTORS]
        if not vectors:
            self.declare(scope, place)
            return
        for _ in range(self.choices.number(1, 3)):
            self.line(self.expressions.write(self.choices.pick(vectors), scope, False))

    def _output(self, scope: Scope, place: Place) -> None:
        value = self.expressions.value(scope, False)
        if self.choices.chance(25):
            which = self.expressions.value(scope, False, 1)
            self.line(self.choices.pick(_COUNTING).format(i=which, x=value))
        else:
            self.line(
                f"out[gid * 4u + {self.choices.number(0, 3)}u] {self.choices.pick(('+=', '^='))} {value};"
            )

    def _own_elements(self, scope: Scope, place: Place) -> None:
        """Memory of other element sizes; each work-item has one element of each."""
        a, b = self.expressions.value(scope, False, 1), self.expressions.value(scope, False, 1)
        self.line(self.choices.pick(_OWN_ELEMENTS).format(a=a, b=b))

    def store_narrow(self, scope: Scope, place: Place) -> None:
        """Memory of 8 and 16 bits, of which each work-item has several elements."""
        self.line(self.expressions.fill(self.choices.pick(STORES), scope, False, 1))

    def call(self, scope: Scope, place: Place) -> None:
        """A call of one of the program's functions."""
        usable = [h for h in self.helpers if not h.waits or (place.may_wait and place.tiles)]
        targets = [v for v in scope.writable(False) if v.kind == "uint"]
        if not usable or not targets:
            self.change(scope, place)
            return
        helper, target = self.choices.pick(usable), self.choices.pick(targets)
        uniform = self.expressions.value(scope, True) if place.uniform else "m"
        own = self.expressions.value(scope, False)
        common = f"{own}, {uniform}, in, in8, in16, uni, table, n, m, lid, gid, size"
        tile = f", {place.tiles[0]}" if helper.waits else ""
        self.line(f"{target.name} += {helper.name}({common}{tile});")
        self.budget.runs -= 10 * place.often

    # Control

    def _if(self, scope: Scope, place: Place) -> None:
        inner = self._branch(place)
        with self.braces(f"if ({self.expressions.condition(scope, self.alike(inner.uniform))})"):
            self.block(scope, inner)
        if self.choices.chance(40):
            with self.braces("else"):
                self.block(scope, inner)

    def _branch(self, place: Place) -> Place:
        """The inside of a conditional: uniform, if it is and chance will have it."""
        uniform = place.uniform and self.choices.chance(65)
        inner = replace(place, uniform=uniform, depth=place.depth - 1)
        if place.uniform and not uniform:  # a loop that work-items run together must not lose some
            inner = replace(inner, breaks=False, continues=False)
            if place.barriers:
                inner = replace(inner, returns=None)
        return inner

    def _switch(self, scope: Scope, place: Place) -> None:
        inner = replace(self._branch(place), breaks=False)
        count = self.choices.number(1, 4)
        alike = self.alike(inner.uniform)
        if self.choices.chance(20):
            value = f"{self.expressions.number(scope, alike)} & 3"
        else:
            value = f"{self.expressions.value(scope, alike)} % {count + 1}u"
        with self.braces(f"switch ({value})"):
            for case in range(count):
                self.line(f"case {case}:")
                with self.braces(""):
                    self.block(scope, inner, 2)
                if self.choices.chance(70):
                    self.line(f"{INDENT}break;")
            if self.choices.chance(50):
                self.line("default:")
                with self.braces(""):
                    self.block(scope, inner, 2)

    def _loop(self, scope: Scope, place: Place) -> tuple[Place, Scope, str, str]:
        uniform = place.uniform and self.choices.chance(65)
        counter = Variable(self.name("i"), "uint", uniform, fixed=True)
        limit = f"{self.expressions.value(scope, self.alike(uniform), 1)} % {self.choices.number(2, 5)}u"
        inner_scope = scope.inner()
        inner_scope.variables.append(counter)
        inner = replace(
            place, uniform=uniform, breaks=True, continues=True, depth=place.depth - 1, often=place.often * 3
        )
        if place.uniform and not uniform and place.barriers:
            inner = replace(inner, returns=None)
        return inner, inner_scope, counter.name, limit

    def _for(self, scope: Scope, place: Place) -> None:
        inner, inner_scope, i, limit = self._loop(scope, place)
        fixed = self.name("t")
        if self.choices.chance(50):
            self.line(f"uint {fixed} = {limit};")
            head = f"for (uint {i} = 0; {i} < {fixed}; {i}++)"
        else:
            head = f"for (uint {i} = 1u + {limit}; {i} > 0u; {i} >>= 1)"
        with self.braces(head):
            self.block(inner_scope, inner)

    def _narrow_for(self, scope: Scope, place: Place) -> None:
        """A loop whose counter has few bits and may wrap."""
        inner, inner_scope, i, limit = self._loop(scope, place)
        inner_scope.variables[-1].kind = kind = self.choices.pick(NUMBERS)
        start = self.expressions.number(scope, inner.uniform)
        step, end = self.choices.pick((1, 3, -1, -5)), self.name("t")
        self.line(f"{kind} {i} = {start}, {end} = ({kind})((uint){i} + ({limit}) * (uint){step});")
        with self.braces(f"for (; {i} != {end}; {i} += {step})"):
            self.block(inner_scope, inner)

    def narrow_loop(self, scope: Scope, place: Place, plain: bool = False) -> None:
        """A loop that computes with few bits, and with nothing else if it is plain."""
        inner, inner_scope, i, _ = self._loop(scope, place)
        uniform, fixed = inner.uniform and self.choices.chance(10), self.name("t")
        variables = []
        for _ in range(self.choices.number(2, 3)):
            variable = Variable(self.name("u" if uniform else "v"), self.choices.pick(NUMBERS), uniform)
            self.line(
                f"{variable.kind} {variable.name} = {self.expressions.number(scope, uniform, 1, plain)};"
            )
            variables.append(variable)
        scope.variables += variables
        inner_scope.variables += variables
        self.line(f"uint {fixed} = {self.expressions.value(scope, inner.uniform, 1)} % 11u + 1u;")
        inside = replace(inner, depth=0, often=place.often * 6, barriers=False)
        with self.braces(f"for (uint {i} = 0; {i} < {fixed}; {i}++)"):
            for _ in range(self.choices.number(2, 6)):
                self.budget.runs -= inside.often
                variable = self.choices.pick(variables)
                value = self.expressions.narrow(inner_scope, uniform, 2, plain)
                change = self.choices.pick(("+=", "^=", "-=", "+=", "="))
                self.line(f"{variable.name} {change} ({variable.kind})({value});")
            if self.choices.chance(10 if plain else 40):
                self.statement(inner_scope, inside)

    def _while(self, scope: Scope, place: Place) -> None:
        inner, inner_scope, i, limit = self._loop(scope, place)
        fixed = self.name("t")
        self.line(f"uint {i} = 0, {fixed} = {limit};")
        extra = f" && {self.expressions.condition(scope, inner.uniform)}" if self.choices.chance(30) else ""
        with self.braces(f"while ({i} < {fixed}{extra})"):
            self.line(f"{i}++;")
            self.block(inner_scope, inner)

    def _do(self, scope: Scope, place: Place) -> None:
        inner, inner_scope, i, limit = self._loop(scope, place)
        fixed = self.name("t")
        self.line(f"uint {i} = 0, {fixed} = {limit};")
        with self.braces("do", f"}} while ({i} < {fixed});"):
            self.line(f"{i}++;")
            self.block(inner_scope, inner)

    def _long_loop(self, scope: Scope, place: Place) -> None:
        """Simple statements, repeated so often that work-items get out of step."""
        inner, inner_scope, i, _ = self._loop(scope, place)
        fixed = self.name("t")
        self.line(f"uint {fixed} = {self.expressions.value(scope, inner.uniform, 1)} % 24u;")
        with self.braces(f"for (uint {i} = 0; {i} < {fixed}; {i}++)"):
            self.block(inner_scope, replace(inner, depth=0, often=place.often * 12, barriers=False), 3)
            self._leave_iteration(inner_scope, inner)
            self.change(inner_scope, inner)

    def _divergent_loops(self, scope: Scope, place: Place) -> None:
        """A loop as long as each work-item's data say, perhaps with another one in it, left in many ways."""
        apart = replace(place, uniform=False, returns=None if place.barriers else place.returns)
        inner, inner_scope, i, limit = self._loop(scope, apart)
        fixed = self.name("t")
        self.line(f"uint {fixed} = (in[gid] >> {self.choices.number(0, 7)}) % 5u + {limit};")
        with self.braces(f"for (uint {i} = 0; {i} < {fixed}; {i}++)"):
            if self.choices.chance(50):
                self._leave_iteration(inner_scope, inner)
            self.change(inner_scope, inner)
            if inner.depth > 0 and self.choices.chance(50):
                self._divergent_loops(inner_scope, inner)
            else:
                self.block(inner_scope, inner, 2)
            if self.choices.chance(30):
                with self.braces(f"if ({self.expressions.condition(inner_scope, self.alike(False))})"):
                    self.change(inner_scope, inner)
                    self._leave_iteration(inner_scope, inner)
            self._early_return(inner_scope, inner)

    def _leave_iteration(self, scope: Scope, place: Place) -> None:
        words = [w for w, allowed in (("break", place.breaks), ("continue", place.continues)) if allowed]
        condition = self.expressions.condition(scope, self.alike(place.uniform))
        self.line(f"if ({condition}) {self.choices.pick(words)};")

    def _early_return(self, scope: Scope, place: Place) -> None:
        if place.returns is None or not self.choices.chance(40):
            self.change(scope, place)
            return
        value = f" {self.expressions.value(scope, False, 1)}" if place.returns else ""
        condition = self.expressions.condition(scope, self.alike(place.uniform))
        self.line(f"if ({condition}) return{value};")

    # Work-items together

    def _barrier(self, scope: Scope, place: Place) -> None:
        self.line("barrier(CLK_LOCAL_MEM_FENCE);")

    def _barrier_not_reached(self, scope: Scope, place: Place) -> None:
        value = self.expressions.value(scope, False, 1)
        self.line(f"if (({value} & 7u) > (uint)uni[6]) barrier(CLK_LOCAL_MEM_FENCE);")

    def _exchange(self, scope: Scope, place: Place) -> None:
        if not place.tiles:
            self._barrier(scope, place)
            return
        tile = self.choices.pick(place.tiles)
        around = replace(
            place,
            tiles=tuple(t for t in place.tiles if t != tile),
            depth=place.depth - 1,
            returns=None,
            breaks=False,
            continues=False,
        )
        self.line(f"{tile}[lid] = {self.expressions.value(scope, False)};")
        if self.choices.chance(20):
            self.block(scope, around, 2)
        self.line("barrier(CLK_LOCAL_MEM_FENCE);")
        self._read_from(tile, scope)
        if self.choices.chance(20):
            self.block(scope, around, 2)
        self.line("barrier(CLK_LOCAL_MEM_FENCE);")

    def _exchange_narrow(self, scope: Scope, place: Place) -> None:
        """An exchange of bytes, at an odd distance from each other."""
        if not place.tiles:
            self._barrier(scope, place)
            return
        bytes_, kind = f"((__local uchar *){self.choices.pick(place.tiles)})", self.choices.pick(NUMBERS)
        stride, variable = self.choices.pick((3, 1, 2)), Variable(self.name("v"), kind, False)
        other = self.expressions.value(scope, self.choices.chance(50), 1)
        self.line(f"{bytes_}[lid * {stride}u] = (uchar)({self.expressions.narrow(scope, False)});")
        self.line("barrier(CLK_LOCAL_MEM_FENCE);")
        index = self.choices.pick(
            (f"(uchar)(lid + {other})", f"(ushort)(lid * 3u + {other})", "(size - 1u - lid)")
        )
        self.line(f"{kind} {variable.name} = {bytes_}[{index} % size * {stride}u];")
        self.line("barrier(CLK_LOCAL_MEM_FENCE);")
        scope.variables.append(variable)

    def _scratch(self, scope: Scope, place: Place) -> None:
        self.line(f"scratch[lid] = {self.expressions.value(scope, False)};")
        self.line("barrier(CLK_GLOBAL_MEM_FENCE);")
        self._read_from("scratch", scope)
        self.line("barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);")

    def _read_from(self, array: str, scope: Scope) -> None:
        other = self.expressions.value(scope, self.choices.chance(50), 1)
        read = f"{array}[(lid + {other}) % size]"
        targets = [v for v in scope.writable(False) if v.kind == "uint"]
        if targets:
            self.line(f"{self.choices.pick(targets).name} += {read};")
        else:
            variable = Variable(self.name("v"), "uint", False)
            self.line(f"uint {variable.name} = {read};")
            scope.variables.append(variable)

    def _broadcast(self, scope: Scope, place: Place) -> None:
        """One work-item tells the others, which makes a value uniform that nobody can know to be."""
        if not place.tiles:
            self._barrier(scope, place)
            return
        tile = place.tiles[-1]
        variable = Variable(self.name("u"), "uint", True)
        teller = self.choices.pick(("0u", "size - 1u"))
        self.line(f"if (lid == {teller}) {tile}[0] = {self.expressions.value(scope, False)};")
        self.line("barrier(CLK_LOCAL_MEM_FENCE);")
        self.line(f"uint {variable.name} = {tile}[0];")
        self.line("barrier(CLK_LOCAL_MEM_FENCE);")
        scope.variables.append(variable)

    def _count(self, scope: Scope, place: Place) -> None:
        """All work-items, or those that want to, add to a counter in local memory."""
        if not place.tiles:
            self._barrier(scope, place)
            return
        tile = place.tiles[-1]
        variable = Variable(self.name("u"), "uint", True)
        self.line(f"if (lid == 0u) {tile}[0] = {self.expressions.value(scope, True, 1)};")
        self.line("barrier(CLK_LOCAL_MEM_FENCE);")
        wanted = f"if ({self.expressions.condition(scope, False)}) " if self.choices.chance(30) else ""
        operation = self.choices.pick(("add", "sub", "xor", "or", "and", "min", "max"))
        self.line(f"{wanted}atomic_{operation}(&{tile}[0], {self.expressions.value(scope, False)});")
        self.line("barrier(CLK_LOCAL_MEM_FENCE);")
        self.line(f"uint {variable.name} = {tile}[0];")
        self.line("barrier(CLK_LOCAL_MEM_FENCE);")
        scope.variables.append(variable)

    def _copy(self, scope: Scope, place: Place) -> None:
        """The group fetches a part of the input."""
        if not place.tiles:
            self._barrier(scope, place)
            return
        tile, event = self.choices.pick(place.tiles), self.name("e")
        self.line(f"event_t {event} = async_work_group_copy({tile}, in + (gid - lid), size, 0);")
        if self.choices.chance(50):
            self.change(scope, place)
        self.line(f"wait_group_events(1, &{event});")
        self._read_from(tile, scope)
        self.line("barrier(CLK_LOCAL_MEM_FENCE);")

    def _collective(self, scope: Scope, place: Place) -> None:
        """A work-group function: some give all work-items the same, others each its own."""
        function = self.choices.pick(("reduce_add", "reduce_max", "any", "all", "scan_inclusive_add"))
        uniform = not function.startswith("scan")
        value = self.expressions.value(scope, False)
        if function in ("any", "all"):
            value = f"(int)({value} & 1u)"
        result = f"work_group_{function}({value})" + (" != 0" if function in ("any", "all") else "")
        variable = Variable(self.name("u" if uniform else "v"), "uint", uniform)
        self.line(f"uint {variable.name} = {result};")
        scope.variables.append(variable)
