"""Sets of bytes of a buffer."""

from collections.abc import Iterator


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
        apart = [one for one in self._ranges if one[1] < start or end < one[0]]
        near = [one for one in self._ranges if not (one[1] < start or end < one[0])]
        joined = min([start, *(a for a, _ in near)]), max([end, *(b for _, b in near)])
        self._ranges = sorted([*apart, joined])

    def remove(self, start: int, end: int) -> None:
        """Remove [start, end)."""
        if start < end:
            pieces = [piece for a, b in self._ranges for piece in ((a, min(b, start)), (max(a, end), b))]
            self._ranges = [(a, b) for a, b in pieces if a < b]

    def within(self, start: int, end: int) -> list[tuple[int, int]]:
        """What of [start, end) is in the set."""
        cut = [(max(a, start), min(b, end)) for a, b in self._ranges]
        return [(a, b) for a, b in cut if a < b]

    def missing(self, start: int, end: int) -> list[tuple[int, int]]:
        """What of [start, end) is not in the set."""
        found, at = [], start
        for a, b in self.within(start, end):
            if at < a:
                found.append((at, a))
            at = b
        return [*found, (at, end)] if at < end else found

    def covers(self, start: int, end: int) -> bool:
        """Whether all of [start, end) is in the set."""
        return not self.missing(start, end)
