"""Guess the NDRange of a kernel's first launch before it happens.

A program that has created large buffers when it builds its kernels will next launch them for the data in
these buffers. Kernels with loops, or in two dimensions, mostly work on square arrays: in two dimensions they
have a work-item for each element, in one dimension for each row, or for each element of a vector that exists
too. An array that is not square may be a cube: kernels in two dimensions are launched for each slice of it.
Other kernels have a work-item for each element.
"""

from collections.abc import Collection, Iterable
from math import isqrt

from weft.kernel import KernelTraits, LocalSize

# Minimum size in bytes of a buffer that contains data for the next launches.
LARGE_BUFFER = 1 << 20
# The usual size of an element.
_ELEMENT_BYTES = 4
# Buffers with fewer elements hold parameters.
_LEAST_ELEMENTS = 64


class LikelyRanges:
    """The ranges for which kernels will probably be launched, given the sizes of buffers in bytes."""

    def __init__(self, kernels: Iterable[KernelTraits], buffers: Collection[int]) -> None:
        least = _LEAST_ELEMENTS * _ELEMENT_BYTES
        self._counts = sorted({size // _ELEMENT_BYTES for size in buffers if size >= least})
        self._are_large = max(buffers, default=0) >= LARGE_BUFFER
        self._has_arrays = any(traits.loop_work or traits.dimensions > 1 for traits in kernels)

    def of(self, traits: KernelTraits) -> LocalSize | None:
        """Return the probable extents of the range of a kernel with these traits.

        None if there is no large buffer, or if the sizes are inconclusive.
        """
        if not self._are_large:
            return None
        smallest, largest = self._counts[0], self._counts[-1]
        if not self._has_arrays:
            return largest, 1, 1
        if traits.dimensions == 1 and smallest != largest:
            return smallest, 1, 1
        side = isqrt(largest)
        if side * side == largest:
            return side, side if traits.dimensions > 1 else 1, 1
        side = round(largest ** (1 / 3))
        if traits.dimensions > 1 and side**3 == largest:
            return side, side, side if traits.dimensions > 2 else 1
        return None
