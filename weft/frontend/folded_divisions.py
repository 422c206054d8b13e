"""Keep clang from folding divisions by a constant zero, such as `5 / 0`.

OpenCL C leaves the quotient unspecified, so `5 / 0 == 3 ? 1 : 2` is 1 or 2. clang folds the quotient to
poison, and with it the comparison and the select. Reading the divisor from a variable prevents that:

    5 / ({ __auto_type __weft_divisor = 0; __weft_divisor; }) == 3 ? 1 : 2

clang's warning about such a division gives its location. The source must be preprocessed, because a location
in a macro is ambiguous. There is no warning for divisions of constant vectors and for `INT_MIN / -1`;
`replace_poison.py` replaces their quotients, and values folded from them, by numbers.
"""

import re

from weft.lazy_pattern import lazy_pattern

# Make clang warn of nothing but such divisions, also in what a line marker declares a system header.
TELL_DIVISIONS = (
    *("-Wno-everything", "-Wdivision-by-zero", "-Wsystem-headers"),
    *("-fno-caret-diagnostics", "-fdiagnostics-print-source-range-info"),
)

_BEFORE, _AFTER = b"({ __auto_type __weft_divisor = ", b"; __weft_divisor; })"

# A warning with lines and columns (in bytes) of the divisor in the input, independent of line markers.
_WARNING = lazy_pattern(
    r"\{(\d+):(\d+)-(\d+):(\d+)\}: warning: \w+ by zero is undefined \[-Wdivision-by-zero\]$", re.MULTILINE
)
_DIAGNOSTIC_PRAGMA = lazy_pattern(
    r"^[ \t]*#[ \t]*pragma[ \t]+(?:clang|GCC)[ \t]+diagnostic\b.*", re.MULTILINE
)
# Directives other than the line markers and pragmas that the preprocessor writes. A macro may produce such
# text, which the first compilation did not treat as a directive.
_DIRECTIVE = lazy_pattern(r'(?:^|[\r\n])(?!# \d+ "|#pragma )[ \t\f\v\0]*(?:#|%:|\?\?=)')
_LINE_END = lazy_pattern(rb"\r\n|\n|\r")

Place = tuple[int, int]


def has_directives(text: str) -> bool:
    """Return whether a preprocessed source has directives that the preprocessor did not write."""
    return _DIRECTIVE.search(text) is not None


def without_diagnostic_pragmas(text: str) -> str:
    """Replace diagnostic pragmas of a preprocessed source by blanks."""
    return _DIAGNOSTIC_PRAGMA.sub(lambda pragma: " " * len(_encode(pragma[0])), text)


def zero_divisors(diagnostics: str, text: str) -> list[Place]:
    """Return the byte ranges in a preprocessed source that clang's warnings refer to."""
    data = _encode(text)
    starts = [0, *(end.end() for end in _LINE_END.finditer(data))]
    places = set()
    for warning in _WARNING.finditer(diagnostics):
        line, column, last_line, last_column = map(int, warning.groups())
        if max(line, last_line) > len(starts):
            continue
        begin, end = starts[line - 1] + column - 1, starts[last_line - 1] + last_column - 1
        if begin < end <= len(data):
            places.add((begin, end))
    return sorted(places)


def read_from_variables(text: str, places: list[Place]) -> str:
    """Make the source read each expression at `places` from a variable."""
    data = _encode(text)
    # At the same position, the end of one range precedes the beginning of the next.
    insertions = [(begin, 1, _BEFORE) for begin, _ in places] + [(end, 0, _AFTER) for _, end in places]
    pieces = []
    position = 0
    for at, _, inserted in sorted(insertions):
        pieces += [data[position:at], inserted]
        position = at
    pieces.append(data[position:])
    return b"".join(pieces).decode("utf-8", "surrogateescape")


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
