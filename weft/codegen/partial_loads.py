"""Keep LLVM's x86-64 back end from partial register loads whose upper half it wrongly assumes to be zero.

It replaces the lower 8 or 16 bits of a number by a load into that part of its register:

    (uint)((uint)(x >> 16) & 0xffff0000u | *p)          movq %x, %r; shrq $16, %r; movw (%p), %rw

LLVM 18 to 22 assume that the upper 32 bits of the register are zero afterwards, as after other 32-bit
operations, and drop an extension to 64 bits. But these bits keep their old value: the upper half of `x >>
16`. So a load that could be folded this way gets a fake use, which keeps it a separate instruction.

LLVM's optimizer removes most such extensions, so the case is rare.

Works on text: the modules go to LLVM as text, with libraries that are never parsed here.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from weft.codegen.fake_uses import declared, fake_use
from weft.lazy_pattern import lazy_pattern
from weft.target import Target

_NAME = r'%(?:"[^"]*"|[-\w.$]+)'
_FUNCTION = lazy_pattern(r"^define .*?^\}$", re.MULTILINE | re.DOTALL)
_DEFINITION = lazy_pattern(rf"^ +({_NAME}) = (.*)$", re.MULTILINE)
_NAMES = lazy_pattern(_NAME)
# To 64 bits or more; conversions and jump tables start with such an extension.
_EXTENSION = lazy_pattern(rf" (?:= zext |= zext nneg |= uitofp |= uitofp nneg | switch )i32 ({_NAME})")
_SUM = lazy_pattern(rf"(?:or|xor|add) (?:(?:disjoint|nuw|nsw) )*i32 ({_NAME}), ({_NAME})")
# A zero-extended lower part of a number, or a number masked to it.
_LOWER = lazy_pattern(rf"zext (?:nneg )?i(?:8|16) ({_NAME}) to i32|and i32 ({_NAME}), (?:255|65535)(?!\d)")
_UPPER = lazy_pattern(r"(?:and|shl)(?: n[us]w)* i32 ")
# Instructions that pass on the lower bits of a number, or all of them.
_PASSED = lazy_pattern(r"(?:trunc|freeze|phi|select) ")
_LOAD = lazy_pattern(r"load (?:volatile )?(i\d+), ")
# Values in the lower half of a register whose upper half is arbitrary.
_HALF = lazy_pattern(r"trunc (?:n[us]w )*i64 |extractelement ")
_HINTS = (" = zext i8 %", " = zext i16 %", " = zext nneg i8 %", " = zext nneg i16 %", ", 255\n", ", 65535\n")

_Names = Mapping[str, Sequence[str]]


def prevent_partial_loads(text: str, target: Target) -> str:
    """Return the module with a fake use of every load that could replace a part of a register."""
    if not target.loads_parts or not any(hint in text for hint in _HINTS):
        return text
    changed = _FUNCTION.sub(lambda function: _without_partial_loads(function[0]), text)
    return changed if changed == text else declared(changed)


def _without_partial_loads(function: str) -> str:
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
    """Return the loads of lower bits of numbers that are extended and have upper bits of half a register."""
    extended = set(_EXTENSION.findall(function))
    if not extended:
        return set()
    definitions = dict(_DEFINITION.findall(function))
    sums = {
        name: whole.groups()
        for name, definition in definitions.items()
        if (whole := _SUM.match(definition)) is not None
    }
    passed = {
        name: _NAMES.findall(definition)
        for name, definition in definitions.items()
        if _PASSED.match(definition)
    }
    numbers = _reached(extended, passed) & sums.keys()
    if not _lower_loads(numbers, sums, passed, definitions):
        return set()
    parameters = set(_NAMES.findall(function.partition("\n")[0]))
    return _lower_loads(
        numbers & _sums_with_half(sums, passed, definitions, parameters), sums, passed, definitions
    )


def _lower_loads(
    numbers: Iterable[str], sums: _Names, passed: _Names, definitions: Mapping[str, str]
) -> set[str]:
    """Return the loads of lower bits among the parts of numbers."""
    parts = (definitions.get(part, "") for part in _reached(numbers, {**passed, **sums}))
    lower = (match[1] or match[2] for part in parts if (match := _LOWER.match(part)) is not None)
    return {name for name in _reached(lower, passed) if _LOAD.match(definitions.get(name, ""))}


def _sums_with_half(
    sums: _Names, passed: _Names, definitions: Mapping[str, str], parameters: set[str]
) -> set[str]:
    """Return the sums of which a part could be upper bits of the lower half of a register."""
    operands = {
        name: _NAMES.findall(definition)
        for name, definition in definitions.items()
        if not definition.startswith(("load ", "icmp ", "fcmp "))
    }
    halves = parameters.union(name for name, definition in definitions.items() if _HALF.match(definition))
    upper = (name for name in _reached(halves, _users(operands)) if _UPPER.match(definitions.get(name, "")))
    return _reached(upper, _users({**passed, **sums}))


def _users(operands: _Names) -> dict[str, list[str]]:
    """Return the inverse relation of `operands`."""
    users: dict[str, list[str]] = {}
    for name, used in operands.items():
        for operand in used:
            users.setdefault(operand, []).append(name)
    return users


def _reached(start: Iterable[str], following: _Names) -> set[str]:
    """Return some values and everything reachable from them."""
    seen = set(start)
    left = list(seen)
    while left:
        new = set(following.get(left.pop(), ())) - seen
        seen |= new
        left += new
    return seen
