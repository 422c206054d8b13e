"""Add the length of scalable registers to functions, so that LLVM keeps fixed-length vectors in them.

LLVM reads it only from a function attribute, not from the target.

Works on text: the modules go to LLVM as text, with libraries that are never parsed here.
"""

import re

from weft.lazy_pattern import lazy_pattern
from weft.target import Target

_DEFINITION = lazy_pattern(r'^define .*?@(?:"[^"]*"|[-\w.$]+)\(', re.MULTILINE)
_PARENTHESIS = lazy_pattern(r'"[^"]*"|[()]')
# The text between parameters and attributes.
_BEFORE_ATTRIBUTES = lazy_pattern(r"(?: (?:local_)?unnamed_addr)?(?: addrspace\(\d+\))?")


def with_vector_scale(text: str, target: Target) -> str:
    """Return the module with the attribute on every function that it defines."""
    if not target.vector_scale:
        return text
    attribute = f" vscale_range({target.vector_scale},{target.vector_scale})"
    pieces: list[str] = []
    done = 0
    for head in _DEFINITION.finditer(text):
        place = _BEFORE_ATTRIBUTES.match(text, _end_of_parameters(text, head.end()))
        assert place is not None  # it may be empty
        pieces += (text[done : place.end()], attribute)
        done = place.end()
    return "".join((*pieces, text[done:]))


def _end_of_parameters(text: str, start: int) -> int:
    """Return the position after the parenthesis that closes a list; `start` is inside the list."""
    depth = 1
    for match in _PARENTHESIS.finditer(text, start):
        depth += {"(": 1, ")": -1}.get(match[0], 0)
        if not depth:
            return match.end()
    return len(text)
