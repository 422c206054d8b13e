"""Random kernels of the kind that people vectorize: few statements, loops that count, indices made of ids.

The random kernels of `tests/fuzz` look for what a compiler gets wrong, and most of them are refused by the
rewriter. These have what it rewrites: consecutive, strided and gathered accesses, reductions, conditions,
own functions, local memory; and some of what it refuses. Floats are small whole numbers, and no condition
depends on what was computed with them, so that another order of operations changes no decision.
"""

from typing import Any

from fuzz_expressions import Choices
from fuzz_kernel import RandomCase
from hypothesis import strategies as st
from kernel_case import FOLDER, Range

_LENGTH = 4096
_MOST_TRIPS = 19
# Global and local size. A kernel with local memory takes one of the first three.
_SIZES = (((64,), (8,)), ((24,), (8,)), ((16, 4), (8, 2)), ((13,), (1,)), ((30, 3), (1, 1)), ((64,), (64,)))
_OF_GROUPS = 3
# Own functions, of a value p and an int q.
_BODIES = ("return p + q;", "return q > 5 ? p : p + 1;", "if (q < 3) return p; return p - q;")
_NAMES = {"int": "int32", "uint": "uint32", "float": "float32"}


class _Writer:
    """Writes one kernel. `v` has the kernel's type, `w` is an int; both differ between work-items."""

    def __init__(self, choices: Choices, name: str) -> None:
        self.c, self.name = choices, name
        self.type = self.c.pick(("int", "float", "uint"))
        self.groups = self.c.chance(20)
        self.flat = self.c.pick(_SIZES[:_OF_GROUPS] if self.groups else _SIZES)
        self.counter: str | None = None
        self.stores = 0
        self.lines: list[str] = []

    # Expressions

    def index(self) -> str:
        """An index below `_LENGTH`."""
        c, k = self.c, self.counter
        forms = ["x", f"x + {c.number(1, 9)}", "y * 64 + x", f"x * {c.number(2, 5)} + {c.number(0, 3)}"]
        forms += ["80 - x", "x / 2", "(x & 7)", "(b[x] & 63)", "n", "n + x", f"{c.number(0, 60)}"]
        if k is not None:
            forms += 2 * [k, f"x + {k}", f"{k} * 64 + x", f"x * 20 + {k}", f"y * 64 + {k}", f"n * {k} + x"]
        return c.pick(forms)

    def load(self) -> str:
        """An element of the kernel's type."""
        return f"a[{self.index()}]"

    def integer(self) -> str:
        """A small int."""
        c = self.c
        some = c.pick((f"b[{self.index()}]", "w", "(int)x", f"b[{self.index()}]", "n", self.counter or "w"))
        other = c.pick((f"b[{self.index()}]", str(c.number(1, 40)), "w"))
        forms = (some, f"{some} + {other}", f"min({some}, {other})", f"({some} & {other})")
        more = (f"max({some}, {other}) - 3", f"({some} % {c.number(2, 9)})", f"({some} >> {c.number(1, 4)})")
        return c.pick((*forms, *more))

    def condition(self) -> str:
        """A condition that floats have no part in."""
        c = self.c
        one = f"{self.integer()} {c.pick(('<', '>', '==', '!=', '>='))} {self.integer()}"
        return c.pick(
            (one, one, f"({one}) && b[{self.index()}] > 3", "n > 20", f"(x & {c.number(1, 3)}) == 0")
        )

    def value(self, depth: int = 2) -> str:
        """A value of the kernel's type."""
        c = self.c
        if not depth or c.chance(30):
            return c.pick((self.load(), "s", f"({self.type}){c.number(0, 7)}", self.load()))
        one, two = self.value(depth - 1), self.value(depth - 1)
        forms = [f"{one} + {two}", f"({one} - {two})", f"{self.load()} * {self.load()}"]
        forms += [f"max({one}, {two})", f"({self.condition()} ? {one} : {two})", f"TWICE({one})"]
        forms += [f"own_{self.name}({one}, {self.integer()})", f"({self.type})({self.integer()})"]
        if self.type == "float":
            forms += [f"fabs({one})", f"fma({self.load()}, 2.0f, {two})", f"sqrt(fabs({one}))"]
        else:
            forms += [f"({one} ^ {two})", f"({one} | {two})", f"({self.load()} / {c.number(2, 9)})"]
        return c.pick(forms)

    # Statements

    def line(self, text: str, indent: int = 1) -> None:
        """One line."""
        self.lines.append("    " * indent + text)

    def statement(self) -> None:
        """One of all kinds, at the top of the kernel."""
        kinds = 4 * [self.reduce] + 2 * [self.fill] + [self.assign, self.choose, self.store_if, self.repeat]
        kinds += [self.search, self.quads, self.count] + 4 * [self.exchange] * self.groups
        self.c.pick(kinds)()

    def assign(self) -> None:
        """An assignment."""
        self.line(self.c.pick((f"v = {self.value()};", f"v += {self.value()};", f"w = {self.integer()};")))

    def choose(self) -> None:
        """An if, perhaps with an else."""
        self.line(f"if ({self.condition()}) {{")
        self.line(f"v = {self.value()};", 2)
        if self.c.chance(50):
            self.line(f"w = {self.integer()};", 2)
        if self.c.chance(40):
            self.line("} else {")
            self.line(f"v = {self.value()};", 2)
        self.line("}")

    def store_if(self) -> None:
        """A store that not all work-items make."""
        self.stores += 1
        self.line(f"if ({self.condition()})")
        self.line(f"out[{256 * self.stores} + at] = {self.value()};", 2)

    def _loop(self) -> str:
        self.counter = "k"
        end = self.c.pick((str(self.c.number(1, _MOST_TRIPS)), "m", "m"))
        step = self.c.pick(("k++", "k++", "++k", "k += 2"))
        return f"for (int k = {self.c.pick((0, 0, 1))}; k < {end}; {step})"

    def reduce(self) -> None:
        """A loop with a reduction."""
        self.line(f"{self._loop()} {{")
        if self.c.chance(40):
            self.line(f"{self.type} t = {self.value()};", 2)
            if self.c.chance(50):
                self.line(f"if ({self.condition_of_counter()}) t = {self.value(1)};", 2)
            self.line("v += t;", 2)
        else:
            forms = [f"v += {self.value()};", f"v -= {self.value(1)};", f"v = max(v, {self.value(1)});"]
            forms += [f"if ({self.condition_of_counter()}) v += {self.value(1)};"]
            if self.type != "float":
                forms += [f"v ^= {self.value(1)};", f"v |= {self.value(1)};"]
            self.line(self.c.pick(forms), 2)
        self.line("}")
        self.counter = None

    def condition_of_counter(self) -> str:
        """A condition that names no variable which the loop changes."""
        return f"b[{self.index()}] {self.c.pick(('<', '>'))} {self.c.number(-20, 20)}"

    def fill(self) -> None:
        """A loop that stores."""
        self.line(self._loop())
        self.line(f"rows[at * 20 + k] = {self.value()};", 2)
        self.counter = None

    def repeat(self) -> None:
        """A loop that work-items leave at different iterations."""
        self.line(f"for (w = b[{self.index()}]; w > 0; w -= {self.c.number(5, 20)})")
        self.line(f"v += {self.value(1)};", 2)

    def search(self) -> None:
        """A loop that ends early or leaves an iteration out."""
        self.line(f"{self._loop()} {{")
        self.line(f"if ({self.condition_of_counter()}) {self.c.pick(('break', 'continue'))};", 2)
        self.line(f"v += {self.value(1)};", 2)
        self.line("}")
        self.counter = None

    def quads(self) -> None:
        """A variable that is a vector already."""
        self.line(f"{self.type}4 q{len(self.lines)} = vload4({self.c.pick(('x', '1', 'x / 2'))}, a);")
        self.line(f"v += q{len(self.lines) - 1}.{self.c.pick('xyzw')};")

    def count(self) -> None:
        """An atomic operation, whose result nobody uses."""
        self.line(f"atomic_add(&counts[{self.c.pick(('0', 'x & 3'))}], {self.integer()});")

    def exchange(self) -> None:
        """Local memory and a barrier."""
        self.line(f"tile_{self.name}[get_local_id(0)] = {self.value(1)};")
        self.line("barrier(CLK_LOCAL_MEM_FENCE);")
        other = self.c.pick(("get_local_id(0) ^ 1", "7 - (get_local_id(0) & 7)", "0", "get_local_id(0)"))
        self.line(f"v += tile_{self.name}[{other}];")
        self.line("barrier(CLK_LOCAL_MEM_FENCE);")

    # The whole

    def case(self) -> RandomCase:
        """The kernel with its launch and arguments."""
        c, type = self.c, self.type
        id_type = c.pick(("int", "size_t", "uint"))
        guard = not self.groups and c.chance(25)
        for _ in range(c.number(1, 4)):
            self.statement()
        own = f"own_{self.name}({type} p, int q)"
        restrict = c.pick(("", "restrict "))
        parts = [
            "#ifndef TWICE\n#define TWICE(e) ((e) + (e))\n#endif",
            f"{type} {own} {{ {c.pick(_BODIES)} }}",
            f"__kernel void {self.name}(__global {type} *{restrict}out, __global {type} *{restrict}rows,",
            f"                 __global const {type} *a, __global const int *b, __global int *counts,",
            f"                 int n, int m, {type} s) {{",
        ]
        if self.groups:
            parts.append(f"    __local {type} tile_{self.name}[64];")
        parts.append(f"    {id_type} x = get_global_id(0), y = get_global_id(1);")
        if guard:
            parts.append(f"    if (x >= ({id_type})n) return;")
        parts += [f"    {id_type} at = y * 64 + x;", f"    {type} v = {self.load()};", "    int w = b[at];"]
        parts += [*self.lines, "    out[at] = v;", "    counts[8 + at] = w;", "}", ""]
        name = _NAMES[type]
        arguments = {
            "out": f"zeros({_LENGTH}, {name})",
            "rows": f"zeros({2 * _LENGTH}, {name})",
            "a": f"small_ints({_LENGTH}, {name}, -8, 8)",
            "b": f"small_ints({_LENGTH})",
            "counts": "zeros(300, int32)",
            "n": str(c.pick((11, 40, 0, 64))),
            "m": str(c.number(0, _MOST_TRIPS)),
            "s": "3",
        }
        size, local = self.flat
        offset = (0,) * len(size)
        launch = Range(f"{size} / {local}", size, local, offset)
        tolerance = 1e-5 if type == "float" else 0.0
        return RandomCase(
            FOLDER / f"random_{self.name}.cl",
            "\n".join(parts),
            kernel=self.name,
            tolerance=tolerance,
            launches=(launch,),
            arguments=arguments,
        )


@st.composite
def source_kernels(draw: Any, name: str = "k") -> RandomCase:
    """A random kernel with its launch."""
    return _Writer(Choices(draw), name).case()


def programs(kernels: int) -> st.SearchStrategy[tuple[RandomCase, ...]]:
    """Several kernels whose sources may stand in one program."""
    return st.tuples(*(source_kernels(f"k{number}") for number in range(kernels)))
