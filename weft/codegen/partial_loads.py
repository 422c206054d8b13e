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
from collections.abc import Iterator, Mapping

from weft.codegen.fake_uses import declared, fake_use
from weft.target import Target

_NAME = r'%(?:"[^"]*"|[-\w.$]+)'
_FUNCTION = re.compile(r"^define .*?^\}$", re.MULTILINE | re.DOTALL)
_DEFINITION = re.compile(rf"^ +({_NAME}) = (.*)$", re.MULTILINE)
_NAMES = re.compile(_NAME)
_EXTENSION = re.compile(rf" = zext (?:nneg )?i32 ({_NAME}) to i64")
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
    extended = set(_EXTENSION.findall(function))
    if not extended:
        return function
    made = dict(_DEFINITION.findall(function))
    parameters = set(_NAMES.findall(function.partition("\n")[0]))
    loads = {load for name in extended for load in _partial_loads(name, made, parameters)}
    if not loads:
        return function

    def used(line: re.Match[str]) -> str:
        if line[1] not in loads:
            return line[0]
        load = _LOAD.match(line[2])
        assert load is not None
        return f"{line[0]}\n{fake_use(f'{load[1]} {line[1]}')}"

    return _DEFINITION.sub(used, function)


def _partial_loads(name: str, made: Mapping[str, str], parameters: set[str]) -> Iterator[str]:
    """The loads of the lower bits of a number, if its upper bits are of half a register."""
    name = _origin(name, made, _SAME_NUMBER)
    if _SUM.match(made.get(name, "")) is None:
        return
    parts = list(_parts(name, made))
    loads = [load for part in parts if (load := _lower_load(part, made)) is not None]
    if loads and any(_is_half(part, made, parameters) for part in parts):
        yield from loads


def _origin(name: str, made: Mapping[str, str], step: re.Pattern[str]) -> str:
    """Where a number comes from by definitions of some form."""
    seen: set[str] = set()
    while name not in seen and (same := step.match(made.get(name, ""))) is not None:
        seen.add(name)
        name = next(filter(None, same.groups()))
    return name


def _parts(name: str, made: Mapping[str, str]) -> Iterator[str]:
    """What a number is put together of."""
    seen, left = {name}, [name]
    while left:
        part = left.pop()
        whole = _SUM.match(made.get(part, ""))
        if whole is None:
            yield part
            continue
        left += (other for other in whole.groups() if other not in seen)
        seen.update(whole.groups())


def _lower_load(part: str, made: Mapping[str, str]) -> str | None:
    """The load of which a part is the lower 8 or 16 bits; None if it is something else."""
    lower = _LOWER.match(made.get(part, ""))
    if lower is None:
        return None
    name = _origin(lower[1] or lower[2], made, _SAME_BITS)
    return name if _LOAD.match(made.get(name, "")) else None


def _is_half(part: str, made: Mapping[str, str], parameters: set[str]) -> bool:
    """Whether a part could be the upper bits of the lower half of a register."""
    if _UPPER.match(made.get(part, "")) is None:
        return False
    seen, left = {part}, [part]
    while left:
        name = left.pop()
        how = made.get(name, "")
        if name in parameters or _HALF.match(how):
            return True
        if not how.startswith(("load ", "icmp ", "fcmp ")):
            found = set(_NAMES.findall(how)) - seen
            seen |= found
            left += found
    return False
