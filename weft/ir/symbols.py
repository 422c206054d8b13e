"""Names of functions as programmers wrote them."""

import re

_MANGLED = re.compile(r"_Z(\d+)")


def readable(symbol: str) -> str:
    """A mangled name as a programmer wrote it, as far as its length tells."""
    match = _MANGLED.match(symbol)
    if match is None:
        return symbol
    start = match.end()
    return symbol[start : start + int(match.group(1))]
