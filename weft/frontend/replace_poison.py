"""Replace constant expressions that clang folds to poison, such as `5 / 0`, by numbers.

In OpenCL C the result of such a division is unspecified, but the division is harmless. In LLVM a branch on
poison is undefined behaviour, so LLVM removes the code that leads to it:

    int parts = 1 / 0;
    for (…) if (a[i] < parts) parts = a[i];        // a loop that cannot be entered

The number is the smallest one of the type, and 0 for integers of fewer than 32 bits. Runs on clang's output,
in which only constants are poison. The poison that clang builds vectors and structures from stays, and so do
undefined elements of shuffles.
"""

import re

from weft.lazy_pattern import lazy_pattern

# A type, or nothing if the first type of the line applies. Quoted names and strings are skipped. Arguments of
# calls have attributes in between.
_POISON = lazy_pattern(
    r'"[^"\n]*"|(?:(<\d+ x \w+>|\b(?:i\d+|half|float|double))((?: (?:noundef|signext|zeroext))*))?'
    r" ?(?<![\w.%@])poison\b"
)
_FIRST_TYPE = lazy_pattern(r"(?: = |^  )(?:[a-z]+ )+?(<\d+ x \w+>|i\d+|half|float|double) ")
# Vectors are built from element 0 on; if the first insertion has another index, the elements before were
# folded.
_BUILT = lazy_pattern(
    r" = insertelement <[^>]*> poison,(?=[^,]*, i\d+ 0\b)"
    r"| = insertvalue (?:\{[^}]*\}|\[[^]]*\]|%[^\s,]+) poison,"
)


def replace_poison(text: str) -> str:
    """Replace poison scalars and vectors of a module by numbers."""
    pieces = []
    position = 0
    # Searching for the word is many times faster than iterating over lines.
    while (at := text.find("poison", position)) >= 0:
        start = text.rfind("\n", 0, at) + 1
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        line = text[start:end]
        pieces += [text[position:start], _replaced(line) if line.startswith("  ") else line]
        position = end
    return "".join((*pieces, text[position:]))


def _replaced(line: str) -> str:
    if " = shufflevector " in line:
        return line
    built = _BUILT.search(line)
    start = built.end() if built else 0
    first = _FIRST_TYPE.search(line)

    def number(match: re.Match[str]) -> str:
        if match[0].startswith('"'):
            return match[0]
        if match[1]:
            return f"{match[1]}{match[2]} {_number(match[1])}"
        if first is None or line[match.start()] != " " or line[match.start() - 1] not in ",[":
            return match[0]  # a pointer or a structure
        return f" {_number(first[1])}"

    return line[:start] + _POISON.sub(number, line[start:])


def _number(type: str) -> str:
    if type[0] == "<":
        return "zeroinitializer"
    if type[0] != "i":
        return "0.0"
    if type == "i1":
        return "false"
    bits = int(type[1:])
    return str(-(1 << (bits - 1))) if bits in (32, 64) else "0"
