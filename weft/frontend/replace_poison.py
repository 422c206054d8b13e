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

# A type, or nothing where the first type of the line counts; a quoted name or string is not looked into.
# Arguments of calls have words in between.
_POISON = lazy_pattern(
    r'"[^"\n]*"|(?:(<\d+ x \w+>|\b(?:i\d+|half|float|double))((?: (?:noundef|signext|zeroext))*))?'
    r" ?(?<![\w.%@])poison\b"
)
_FIRST_TYPE = lazy_pattern(r"(?: = |^  )(?:[a-z]+ )+?(<\d+ x \w+>|i\d+|half|float|double) ")
# Vectors are built from their first element on; one that begins with another has lost those before.
_BUILT = lazy_pattern(
    r" = insertelement <[^>]*> poison,(?=[^,]*, i\d+ 0\b)"
    r"| = insertvalue (?:\{[^}]*\}|\[[^]]*\]|%[^\s,]+) poison,"
)


def replace_poison(text: str) -> str:
    """The module with numbers for scalars and vectors that are poison."""
    pieces = []
    position = 0
    # Looking for the word is many times quicker than going through the lines.
    while (found := text.find("poison", position)) >= 0:
        start = text.rfind("\n", 0, found) + 1
        end = text.find("\n", found)
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

    def number(found: re.Match[str]) -> str:
        if found[0].startswith('"'):
            return found[0]
        if found[1]:
            return f"{found[1]}{found[2]} {_number(found[1])}"
        if first is None or line[found.start()] != " " or line[found.start() - 1] not in ",[":
            return found[0]  # a pointer or a structure
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
