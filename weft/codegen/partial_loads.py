"""Keep LLVM's back end for x86-64 from loading into a part of a register whose upper half is not zero.

It replaces the lower 8 or 16 bits of a number by a load into that part of its register:

    (uint)((uint)(x >> 16) & 0xffff0000u | *p)          movq %x, %r; shrq $16, %r; movw (%p), %rw

LLVM 18 to 22 take the upper 32 bits of the register to be zero after that, as after other operations of
32 bits, and make nothing of an extension to 64 bits. But they still hold what the register had: the upper
half of `x >> 16`. So a load that such a number could be made with has one more use, of which no code is
made: then it is an instruction of its own.

LLVM's optimizer removes most such extensions itself: what is left is rare.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from weft.codegen.fake_uses import declared, fake_use
from weft.target import Target

_NAME = r'%(?:"[^"]*"|[-\w.$]+)'
_FUNCTION = re.compile(r"^define .*?^\}$", re.MULTILINE | re.DOTALL)
_DEFINITION = re.compile(rf"^ +({_NAME}) = (.*)$", re.MULTILINE)
_NAMES = re.compile(_NAME)
# To 64 bits or more; conversions and tables of jumps begin with that.
_EXTENSION = re.compile(rf" (?:= zext |= zext nneg |= uitofp |= uitofp nneg | switch )i32 ({_NAME})")
_SUM = re.compile(rf"(?:or|xor|add) (?:(?:disjoint|nuw|nsw) )*i32 ({_NAME}), ({_NAME})")
# The lower bits of a number, from which it is extended to 32; a number whose lower bits can be zero.
_LOWER = re.compile(rf"zext (?:nneg )?i(?:8|16) ({_NAME}) to i32|and i32 ({_NAME}), (?:255|65535)(?!\d)")
_UPPER = re.compile(r"(?:and|shl)(?: n[us]w)* i32 ")
_SAME_BITS = re.compile(rf"(?:trunc (?:n[us]w )*|freeze )i\d+ ({_NAME})")
_SAME_NUMBER = re.compile(rf"freeze i32 ({_NAME})|phi i32 \[ ({_NAME}), {_NAME} \]$")
_LOAD = re.compile(r"load (?:volatile )?(i\d+), ")
# What is in the lower half of a register whose upper half is anything.
_HALF = re.compile(r"trunc (?:n[us]w )*i64 |extractelement ")
_HINTS = (" = zext i8 %", " = zext i16 %", " = zext nneg i8 %", " = zext nneg i16 %", ", 255\n", ", 65535\n")


def keep_loads_apart(text: str, target: Target) -> str:
    """The module with a use of every load that could replace a part of a register."""
    if not target.loads_parts or not any(hint in text for hint in _HINTS):
        return text
    made = _FUNCTION.sub(lambda function: _kept_apart(function[0]), text)
    return made if made == text else declared(made)


def _kept_apart(function: str) -> str:
    loads = _partial_loads(function)
    if not loads:
        return function

    def used(line: re.Match[str]) -> str:
        if line[1] not in loads:
            return line[0]
        load = _LOAD.match(line[2])
        assert load is not None
        return f"{line[0]}\n{fake_use(f'{load[1]} {line[1]}')}"

    return _DEFINITION.sub(used, function)


def _partial_loads(function: str) -> set[str]:
    """The loads of the lower bits of numbers that are extended and have upper bits of half a register."""
    extended = set(_EXTENSION.findall(function))
    if not extended:
        return set()
    made = dict(_DEFINITION.findall(function))
    numbers = {_origin(name, made, _SAME_NUMBER) for name in extended}
    sums = {name: whole.groups() for name, how in made.items() if (whole := _SUM.match(how)) is not None}
    numbers &= sums.keys()
    if not _lower_loads(numbers, sums, made):
        return set()
    parameters = set(_NAMES.findall(function.partition("\n")[0]))
    return _lower_loads(numbers & _sums_with_half(sums, made, parameters), sums, made)


def _lower_loads(
    numbers: Iterable[str], sums: Mapping[str, tuple[str, ...]], made: Mapping[str, str]
) -> set[str]:
    """The loads of the lower bits among what numbers are put together of."""
    parts = _reached(numbers, sums)
    return {load for part in parts if (load := _lower_load(part, made)) is not None}


def _sums_with_half(
    sums: Mapping[str, tuple[str, ...]], made: Mapping[str, str], parameters: set[str]
) -> set[str]:
    """The sums of which a part could be the upper bits of the lower half of a register."""
    operands = {
        name: _NAMES.findall(how)
        for name, how in made.items()
        if not how.startswith(("load ", "icmp ", "fcmp "))
    }
    halves = parameters.union(name for name, how in made.items() if _HALF.match(how))
    upper = (name for name in _reached(halves, _users(operands)) if _UPPER.match(made.get(name, "")))
    return _reached(upper, _users(sums))


def _users(operands: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """The other direction of `operands`."""
    users: dict[str, list[str]] = {}
    for name, used in operands.items():
        for operand in used:
            users.setdefault(operand, []).append(name)
    return users


def _reached(start: Iterable[str], following: Mapping[str, Sequence[str]]) -> set[str]:
    """Some values and all that follow them."""
    seen = set(start)
    left = list(seen)
    while left:
        new = set(following.get(left.pop(), ())) - seen
        seen |= new
        left += new
    return seen


def _origin(name: str, made: Mapping[str, str], step: re.Pattern[str]) -> str:
    """Where a number comes from by definitions of some form."""
    seen: set[str] = set()
    while name not in seen and (same := step.match(made.get(name, ""))) is not None:
        seen.add(name)
        name = next(filter(None, same.groups()))
    return name


def _lower_load(part: str, made: Mapping[str, str]) -> str | None:
    """The load of which a part is the lower 8 or 16 bits; None if it is something else."""
    lower = _LOWER.match(made.get(part, ""))
    if lower is None:
        return None
    name = _origin(lower[1] or lower[2], made, _SAME_BITS)
    return name if _LOAD.match(made.get(name, "")) else None
