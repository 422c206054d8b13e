"""Demangled names of functions, for messages."""

from weft.lazy_pattern import lazy_pattern

_MANGLED = lazy_pattern(r"_Z(\d+)")
_EXTREMUM = lazy_pattern(r"llvm\.([us](?:min|max))\.")


def readable(symbol: str) -> str:
    """Return the source name of a mangled name, by its length prefix."""
    match = _MANGLED.match(symbol)
    if match is None:
        return symbol
    start = match.end()
    return symbol[start : start + int(match.group(1))]


def extremum(symbol: str) -> str:
    """Return `smin`, `smax`, `umin` or `umax` if the symbol is such an intrinsic, else an empty string."""
    match = _EXTREMUM.match(symbol)
    return match[1] if match is not None else ""
