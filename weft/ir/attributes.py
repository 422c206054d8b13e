"""Attributes of parameters, calls and functions.

The IR keeps attributes as LLVM's words, and groups of them as text, which is parsed here.

    ptr align 16 %a, i32 range(i32 0, 64) %n          words of parameters
    attributes #0 = { convergent memory(none) }       a group
"""

from collections.abc import Iterable

from weft.lazy_pattern import lazy_pattern

_ALIGN = lazy_pattern(r"align (\d+)$")
_RANGE = lazy_pattern(r"range\(i\d+ (-?\d+), (-?\d+)\)")
# A word of a group, including its text in parentheses or quotes.
_WORD = lazy_pattern(r'(?:"[^"]*"|\([^()]*\)|[^\s{}"()])+')


def alignment(attributes: Iterable[str]) -> int | None:
    """Return the alignment of a pointer, if its attributes state one."""
    return next((int(match[1]) for word in attributes if (match := _ALIGN.match(word))), None)


def value_range(attributes: Iterable[str]) -> tuple[int, int] | None:
    """Return the range [low, high) of an integer, if its attributes state one."""
    match = next((match for word in attributes if (match := _RANGE.match(word))), None)
    return (int(match[1]), int(match[2])) if match is not None else None


def words_of_group(group: str) -> list[str]:
    """Return the attributes of a group."""
    return _WORD.findall(group)


def without(group: str, attribute: str) -> str:
    """Return a group without an attribute; "" if the group becomes empty."""
    words = words_of_group(group)
    if attribute not in words:
        return group
    words.remove(attribute)
    return f"{{ {' '.join(words)} }}" if words else ""
