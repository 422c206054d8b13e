"""Divisions of integers hidden from LLVM's optimizer, to which a division by zero is undefined behaviour.

OpenCL C leaves only the result of such a division open. LLVM concludes that the divisor is not zero, and
from that which way the program came:

    int n = few ? 0 : 2;  few_at[i] = few;  mean[i] = few ? -1 : sum / n;      // few is taken to be false

So divisions are calls of functions that LLVM knows nothing about, until its passes are done:

    %q = sdiv i32 %a, %b        %q = call i32 @weft.sdiv.i32(i32 %a, i32 %b)

Divisors that are known and harmless stay in sight. The kernel compiler guards the others in the end
(`transform/workgroup/guard_divisions.py`).
"""

import re

_OPERATIONS = ("sdiv", "udiv", "srem", "urem")
_TYPE = r"(?:i\d+|<\d+ x i\d+>)"
_DIVISION = re.compile(
    rf" = ([su](?:div|rem)) (?:exact )?({_TYPE}) ([^!\n]*?)((?:, ![\w.]+ !\d+)*)$", re.MULTILINE
)
_HIDDEN = re.compile(
    rf" = (?:(?:tail|notail) )?call ({_TYPE}) @weft\.([su](?:div|rem))\.\w+"
    r"\(([^!\n]*)\)(?: #\d+)?((?:, ![\w.]+ !\d+)*)$",
    re.MULTILINE,
)
_DECLARATION = re.compile(
    r"^(?:; Function Attrs:.*\n)?declare [^@\n]*@weft\.[su](?:div|rem)\..*\n", re.MULTILINE
)
_NUMBER = re.compile(r"(?:splat \(i\d+ )?(-?\d+)\)?")


def hide(text: str) -> str:
    """The module with calls in place of divisions that LLVM may draw conclusions from."""
    if not any(f" = {operation} " in text for operation in _OPERATIONS):
        return text
    declared: dict[str, str] = {}

    def call(match: re.Match[str]) -> str:
        operation, type, operands, metadata = match.groups()
        parts = _apart(operands)
        if _is_harmless(operation, parts[-1]):
            return match[0]
        name = f"@weft.{operation}.{type.strip('<>').replace(' ', '')}"
        declared[name] = f"declare {type} {name}({type}, {type}) nounwind willreturn memory(none)\n"
        return f" = call {type} {name}({', '.join(f'{type} {part}' for part in parts)}){metadata}"

    text = _DIVISION.sub(call, text)
    return f"{text}\n{''.join(declared.values())}"


def is_hidden(text: str) -> bool:
    """Whether a module has hidden divisions."""
    return any(f"@weft.{operation}." in text for operation in _OPERATIONS)


def show(text: str, all: bool = True) -> str:
    """The module with its divisions again; or only those by numbers that are harmless."""

    def division(match: re.Match[str]) -> str:
        type, operation, operands, metadata = match.groups()
        parts = [part.removeprefix(f"{type} ") for part in _apart(operands)]
        if not all and not _is_harmless(operation, parts[-1]):
            return match[0]
        return f" = {operation} {type} {', '.join(parts)}{metadata}"

    text = _HIDDEN.sub(division, text)
    return _DECLARATION.sub("", text) if all else text


def _is_harmless(operation: str, divisor: str) -> bool:
    """Whether a divisor is a number that is not 0, and not -1 where that can overflow."""
    number = _NUMBER.fullmatch(divisor)
    return number is not None and int(number[1]) != 0 and (operation[0] == "u" or int(number[1]) != -1)


def _apart(operands: str) -> list[str]:
    """What stands between commas that are in no brackets."""
    parts, depth, start = [], 0, 0
    for place, letter in enumerate(operands):
        if letter in "(<[{":
            depth += 1
        elif letter in ")>]}":
            depth -= 1
        elif letter == "," and not depth:
            parts.append(operands[start:place].strip())
            start = place + 1
    return [*parts, operands[start:].strip()]
