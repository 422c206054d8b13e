"""Hide integer divisions from LLVM's optimizer, which treats division by zero as undefined behaviour.

In OpenCL C only the result of such a division is unspecified. LLVM concludes that the divisor is not zero,
and from that which path the program took:

    int n = few ? 0 : 2;  few_at[i] = few;  mean[i] = few ? -1 : sum / n;      // few is assumed to be false

So divisions are opaque calls until LLVM's passes are done:

    %q = sdiv i32 %a, %b        %q = call i32 @weft.sdiv.i32(i32 %a, i32 %b)

Only divisions whose divisor cannot be zero, nor -1 where that overflows, are visible before the last pass:
constants, and 1 shifted, once inlining and SSA form reveal them. Divisions by other shifted powers of two
become shifts. From any other division LLVM would conclude that the divisor is not zero, even if it is
unknown: it folds `q = x / y; … y == 0 ? 1 : q` to q. The kernel compiler guards these at the end
(`transform/workgroup/guard_divisions.py`).

Works on text: it runs between LLVM's passes, and parsing the program would take longer than they do.
"""

import re

from weft.lazy_pattern import lazy_pattern

_OPERATIONS = ("sdiv", "udiv", "srem", "urem")
_TYPE = r"(?:i\d+|<\d+ x i\d+>)"
_DIVISION = lazy_pattern(
    rf" = ([su](?:div|rem)) (?:exact )?({_TYPE}) ([^!\n]*?)((?:, ![\w.]+ !\d+)*)$", re.MULTILINE
)
_HIDDEN = lazy_pattern(
    rf" = (?:(?:tail|notail) )?call ({_TYPE}) @weft\.([su](?:div|rem))\.\w+"
    r"\(([^!\n]*)\)(?: #\d+)?((?:, ![\w.]+ !\d+)*)$",
    re.MULTILINE,
)
_DECLARATION = lazy_pattern(
    r"^(?:; Function Attrs:.*\n)?declare [^@\n]*@weft\.[su](?:div|rem)\..*\n", re.MULTILINE
)
_FUNCTION = lazy_pattern(r"^define .*?^\}$", re.MULTILINE | re.DOTALL)
_DEFINITION = lazy_pattern(r"^  (%[-\w.$]+) = (.*)$", re.MULTILINE)
_HIDDEN_LINE = lazy_pattern(rf"^  (%[-\w.$]+){_HIDDEN.pattern}", re.MULTILINE)
# 1 shifted, which is never 0 (OpenCL C shifts by less than the width), and an extension that preserves this.
_POWER = lazy_pattern(rf"shl (?:n[us]w )*{_TYPE} (?:1|splat \(i\d+ 1\)), ")
_SHIFTED = lazy_pattern(rf"shl (?:n[us]w )*{_TYPE} (?:splat \(i\d+ )?(\d+)\)?, ([^\s,]+)")
_EXTENSION = lazy_pattern(rf"[sz]ext (?:nneg )?{_TYPE} (%[-\w.$]+) to ")
_NUMBER = lazy_pattern(r"(?:splat \(i\d+ )?(-?\d+)\)?")


def hide(text: str) -> str:
    """Replace divisions from which LLVM may draw conclusions by calls."""
    if not any(f" = {operation} " in text for operation in _OPERATIONS):
        return text
    declared: dict[str, str] = {}

    def call(match: re.Match[str]) -> str:
        operation, type, operands, metadata = match.groups()
        parts = _split(operands)
        if _is_harmless(operation, parts[-1]):
            return match[0]
        name = f"@weft.{operation}.{type.strip('<>').replace(' ', '')}"
        declared[name] = f"declare {type} {name}({type}, {type}) nounwind willreturn memory(none)\n"
        return f" = call {type} {name}({', '.join(f'{type} {part}' for part in parts)}){metadata}"

    text = _DIVISION.sub(call, text)
    return f"{text}\n{''.join(declared.values())}"


def is_hidden(text: str) -> bool:
    """Return whether a module has hidden divisions."""
    return any(f"@weft.{operation}." in text for operation in _OPERATIONS) and bool(_HIDDEN.search(text))


def show(text: str) -> str:
    """Restore all hidden divisions of a module."""
    return _DECLARATION.sub("", _HIDDEN.sub(_division, text))


def show_harmless(text: str) -> str:
    """Restore the divisions of a module in SSA form whose divisors cannot be zero."""
    return _FUNCTION.sub(lambda function: _shown_in(function[0]), text)


def show_known(text: str) -> str:
    """Restore the divisions of a module by harmless numbers."""

    def known(match: re.Match[str]) -> str:
        return (
            _division(match) if _is_harmless(match[2], _split(match[3])[-1].split(" ", 1)[-1]) else match[0]
        )

    return _HIDDEN.sub(known, text)


def _division(match: re.Match[str]) -> str:
    type, operation, operands, metadata = match.groups()
    parts = [part.removeprefix(f"{type} ") for part in _split(operands)]
    return f" = {operation} {type} {', '.join(parts)}{metadata}"


def _shown_in(function: str) -> str:
    if not is_hidden(function):
        return function
    definitions = dict(_DEFINITION.findall(function))

    def harmless(match: re.Match[str]) -> str:
        divisor = _split(match[3])[-1].removeprefix(f"{match[1]} ")
        shown = _is_harmless(match[2], divisor) or _is_power_of_two(divisor, definitions)
        return _division(match) if shown else match[0]

    return _HIDDEN.sub(harmless, _HIDDEN_LINE.sub(lambda line: _by_bits(line, definitions), function))


def _by_bits(line: re.Match[str], definitions: dict[str, str]) -> str:
    """Return a division by `4 << n` as bit operations, which have a result even if the divisor is 0."""
    name, type, operation, operands, metadata = line.groups()
    dividend, divisor = (part.removeprefix(f"{type} ") for part in _split(operands))
    shifted = _SHIFTED.match(definitions.get(divisor, ""))
    if operation[0] == "s" or shifted is None or int(shifted[1]).bit_count() != 1:
        return line[0]
    first_name = f"%weft.{name[1:]}"
    if operation == "urem":
        first = f"add {type} {divisor}, {_constant(type, -1)}"
        second = f"and {type} {dividend}, {first_name}"
    else:
        first = f"lshr {type} {dividend}, {_constant(type, int(shifted[1]).bit_length() - 1)}"
        second = f"lshr {type} {first_name}, {shifted[2]}"
    return f"  {first_name} = {first}{metadata}\n  {name} = {second}{metadata}"


def _constant(type: str, number: int) -> str:
    return f"splat ({type.strip('<>').split()[-1]} {number})" if type[0] == "<" else str(number)


def _is_power_of_two(value: str, definitions: dict[str, str]) -> bool:
    """Return whether a value is 1 shifted to the left, or an extension of that."""
    definition = definitions.get(value, "")
    while (extended := _EXTENSION.match(definition)) is not None:
        definition = definitions.get(extended[1], "")
    return _POWER.match(definition) is not None


def _is_harmless(operation: str, divisor: str) -> bool:
    """Return whether a divisor is a number other than 0, and not -1 where that can overflow."""
    number = _NUMBER.fullmatch(divisor)
    return number is not None and int(number[1]) != 0 and (operation[0] == "u" or int(number[1]) != -1)


def _split(operands: str) -> list[str]:
    """Split operands at top-level commas."""
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
