"""Functions of random kernels that call themselves last, as a loop would, and functions called often.

Every function of this kind takes a number of calls that are left, at most 15, and ends when it is 0. What it
computes on the way is in parameters, or in what is added, multiplied or combined after the call.
"""

from dataclasses import dataclass

from fuzz_expressions import Choices, Scope, Variable
from fuzz_places import Place
from fuzz_statements import Shape, Statements

_STEPS = ("acc * 3u + x", "acc ^ (x << 3)", "acc + left", "rotate(acc, 7u) - x", "acc | (x & left)")
_NEXT = ("x >> 1", "x * 5u + 1u", "x ^ acc", "x + left", "(x & 1u) ? x * 3u : x / 2u")
_CONDITIONS = ("x & 1u", "(acc & 7u) > 3u", "left == 3u", "x > acc", "left & 2u")
# Combined after the call: operations of which the order does not matter.
_AFTER = (
    "x + {call}",
    "{call} ^ left",
    "(x | 1u) * {call}",
    "{call} + (acc & 15u)",
    "{call} | (x & 3u)",
)


@dataclass(frozen=True)
class TailFunction:
    """A function that calls itself in the end."""

    name: str
    text: str


def tail_function(c: Choices, name: str) -> TailFunction:
    """A random function that calls itself last, once or in several places."""

    def call() -> str:
        return f"{name}(left - 1u, {c.pick(_STEPS)}, {c.pick(_NEXT)})"

    lines = [
        f"uint {name}(uint left, uint acc, uint x) {{",
        f"    if (left == 0u) return {c.pick(('acc', 'acc ^ x'))};",
    ]
    if c.chance(30):
        lines.append(f"    for (uint i = 0; i < (x & 3u); i++) acc = {c.pick(_STEPS)};")
    if c.chance(30):
        lines.append(f"    if ({c.pick(_CONDITIONS)}) return acc * 7u;")
    if c.chance(40):  # another value before, the same operation after it
        after = c.pick(_AFTER)
        if c.chance(40):
            lines.append(f"    if ({c.pick(_CONDITIONS)}) return {call()};")
        lines.append(f"    return {after.format(call=call())};")
    elif c.chance(50):
        lines.append(f"    if ({c.pick(_CONDITIONS)}) return {call()};")
        lines.append(f"    return {call()};")
    elif c.chance(50):
        lines.append(f"    return {c.pick(_CONDITIONS)} ? {call()} : {call()};")
    else:
        lines.append(
            f"    switch (x % 3u) {{ case 0: return {call()}; case 1: return {call()}; default: break; }}"
        )
        lines.append(f"    return {call()};")
    return TailFunction(name, "\n".join([*lines, "}\n"]))


def tail_calls(functions: tuple[TailFunction, ...]) -> Shape:
    """The shape that calls one of these functions."""

    def write(s: Statements, scope: Scope, place: Place) -> None:
        function = s.choices.pick(functions).name
        left, acc, x = (s.expressions.value(scope, s.alike(False), 1) for _ in range(3))
        name = s.name("v")
        s.line(f"uint {name} = {function}(({left}) & {s.choices.pick((3, 7, 15))}u, {acc}, {x});")
        s.budget.runs -= 15 * place.often
        scope.variables.append(Variable(name, "uint", False))

    return write


def several_calls(s: Statements, scope: Scope, place: Place) -> None:
    """One function, called several times in a row and with the results of the calls before."""
    for _ in range(s.choices.number(2, 5)):
        s.call(scope, place)
