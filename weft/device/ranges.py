"""Sets of bytes of a buffer.

Updates use bisection, so programs may write many small pieces of a buffer.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from operator import itemgetter

_START, _END = itemgetter(0), itemgetter(1)


class Ranges:
    """A set of numbers, as ascending ranges [start, end) that do not touch each other."""

    __slots__ = ("_ranges",)

    def __init__(self) -> None:
        self._ranges: list[tuple[int, int]] = []

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return iter(self._ranges)

    def add(self, start: int, end: int) -> None:
        """Add [start, end)."""
        if start >= end:
            return
        ranges = self._ranges
        first, last = bisect_left(ranges, start, key=_END), bisect_right(ranges, end, key=_START)
        if first < last:  # there are ranges that overlap or touch the new one
            start, end = min(start, ranges[first][0]), max(end, ranges[last - 1][1])
        ranges[first:last] = [(start, end)]

    def remove(self, start: int, end: int) -> None:
        """Remove [start, end)."""
        first, last = self._overlapping(start, end)
        if first < last:
            pieces = (self._ranges[first][0], start), (end, self._ranges[last - 1][1])
            self._ranges[first:last] = [(a, b) for a, b in pieces if a < b]

    def within(self, start: int, end: int) -> list[tuple[int, int]]:
        """Return the parts of [start, end) that are in the set."""
        first, last = self._overlapping(start, end)
        return [(max(a, start), min(b, end)) for a, b in self._ranges[first:last]]

    def _overlapping(self, start: int, end: int) -> tuple[int, int]:
        """Return (first, last): ranges[first:last] are those that overlap [start, end)."""
        if start >= end:
            return 0, 0
        return bisect_right(self._ranges, start, key=_END), bisect_left(self._ranges, end, key=_START)

    def missing(self, start: int, end: int) -> list[tuple[int, int]]:
        """Return the parts of [start, end) that are not in the set."""
        found, at = [], start
        for a, b in self.within(start, end):
            if at < a:
                found.append((at, a))
            at = b
        return [*found, (at, end)] if at < end else found

    def covers(self, start: int, end: int) -> bool:
        """Whether all of [start, end) is in the set."""
        return not self.missing(start, end)
