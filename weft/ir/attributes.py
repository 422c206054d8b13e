"""Attributes of parameters, calls and functions.

The IR keeps them as LLVM's words, and groups of them as text, which is taken apart here.

    ptr align 16 %a, i32 range(i32 0, 64) %n          words of parameters
    attributes #0 = { convergent memory(none) }       a group
"""

from collections.abc import Iterable

from weft.lazy_pattern import lazy_pattern

_ALIGN = lazy_pattern(r"align (\d+)$")
_RANGE = lazy_pattern(r"range\(i\d+ (-?\d+), (-?\d+)\)")
# A word of a group, with what it has in parentheses or quotes.
_WORD = lazy_pattern(r'(?:"[^"]*"|\([^()]*\)|[^\s{}"()])+')


def alignment(attributes: Iterable[str]) -> int | None:
    """The bytes of which a pointer is a multiple, if its attributes say so."""
    return next((int(found[1]) for word in attributes if (found := _ALIGN.match(word))), None)


def value_range(attributes: Iterable[str]) -> tuple[int, int] | None:
    """The least number that an integer may be, and the first after them, if its attributes say so."""
    found = next((found for word in attributes if (found := _RANGE.match(word))), None)
    return (int(found[1]), int(found[2])) if found is not None else None


def words_of_group(group: str) -> list[str]:
    """The attributes of a group."""
    return _WORD.findall(group)


def without(group: str, attribute: str) -> str:
    """A group without an attribute; "" if nothing is left."""
    words = words_of_group(group)
    if attribute not in words:
        return group
    words.remove(attribute)
    return f"{{ {' '.join(words)} }}" if words else ""
