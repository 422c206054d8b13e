"""Keep clang from folding divisions by a constant zero, as `5 / 0`.

OpenCL C leaves the quotient open, so `5 / 0 == 3 ? 1 : 2` is 1 or 2. clang folds the quotient to poison,
and with it the comparison and the choice: what is left tells nothing of the two numbers. Here the divisor is
read from a variable, so that clang writes a division, and the comparison and the choice stay:

    5 / ({ __auto_type weft_divisor = 0; weft_divisor; }) == 3 ? 1 : 2

clang tells the places itself, by the warning that it has for such a division. Divisors that are vectors of
constants have no such warning; their quotients are numbers by `replace_poison.py`.
Where a macro is also used for constants, what the whole use is worth is such a number.
"""

import re

# Have clang tell of nothing but divisions by zero.
ZERO_DIVISORS = (
    "-Wno-everything",
    "-Wdivision-by-zero",
    "-fno-caret-diagnostics",
    "-fdiagnostics-print-source-range-info",
)

_BEFORE, _AFTER = b"({ __auto_type weft_divisor = ", b"; weft_divisor; })"

# A diagnostic with the range of the divisor: lines and columns (of bytes) of its file, whatever #line says.
_DIAGNOSTIC = re.compile(
    r"^(?P<file>[^\n]*?):\d+:\d+:\{(\d+):(\d+)-(\d+):(\d+)\}: (?:(?P<warning>warning)|note): ", re.MULTILINE
)
_LINE_END = re.compile(rb"\r\n|\n|\r")

Range = tuple[int, int, int, int]


def divisors(diagnostics: str, name: str | None) -> tuple[list[Range], list[Range]]:
    """Where constant zeros divide, by clang's diagnostics: in macros where they are defined, and where used.

    With a `name`, only what stands in the file of that name.
    """
    defined: list[Range] = []
    used: list[Range] = []
    for found in _DIAGNOSTIC.finditer(diagnostics):
        place = (int(found[2]), int(found[3]), int(found[4]), int(found[5]))
        if name is not None and found["file"] != name:
            continue
        if found["warning"]:
            used.append(place)
            defined.append(place)
        elif defined:
            defined[-1] = place  # the last note tells the innermost macro
    return sorted(set(defined)), sorted(set(used))


def read_from_variables(source: str, places: list[Range]) -> str:
    """The source with each expression at `places` read from a variable."""
    data = source.encode("utf-8", "surrogateescape")
    starts = [0, *(end.end() for end in _LINE_END.finditer(data))]
    insertions: list[tuple[int, int, bytes]] = []
    for line, column, last_line, last_column in places:
        if max(line, last_line) > len(starts):
            continue
        begin, end = starts[line - 1] + column - 1, starts[last_line - 1] + last_column - 1
        if begin < end <= len(data):
            # Where one ends and another begins, the end comes first.
            insertions += [(begin, 1, _BEFORE), (end, 0, _AFTER)]
    pieces = []
    position = 0
    for at, _, text in sorted(insertions, key=lambda insertion: insertion[:2]):
        pieces += [data[position:at], text]
        position = at
    pieces.append(data[position:])
    return b"".join(pieces).decode("utf-8", "surrogateescape")
