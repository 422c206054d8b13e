"""Guess the NDRange of a kernel's first launch, before there is one.

A program that has made large buffers when it builds its kernels will launch them next, for the data in them.
Kernels with loops, or in two dimensions, mostly work on square arrays: in two dimensions they have a
work-item for each element, in one dimension for each row, or for each element of a vector that is there too.
An array that is no square may be a cube: kernels in two dimensions are launched for each slice of it.
Other programs have a work-item for each element.
"""

from collections.abc import Collection, Iterable
from math import isqrt

from weft.kernel import KernelTraits, LocalSize

# Bytes of a buffer that is filled before a program is built for what is next launched on it.
LARGE_BUFFER = 1 << 20
# The usual element.
_ELEMENT_BYTES = 4
# Buffers with fewer elements hold parameters.
_LEAST_ELEMENTS = 64


class LikelyRanges:
    """What the kernels of a program are probably launched for, given the sizes of buffers in bytes."""

    def __init__(self, kernels: Iterable[KernelTraits], buffers: Collection[int]) -> None:
        least = _LEAST_ELEMENTS * _ELEMENT_BYTES
        self._counts = sorted({size // _ELEMENT_BYTES for size in buffers if size >= least})
        self._are_large = max(buffers, default=0) >= LARGE_BUFFER
        self._has_arrays = any(traits.loop_bounds or traits.dimensions > 1 for traits in kernels)

    def of(self, traits: KernelTraits) -> LocalSize | None:
        """Return the extents of the range that one of them probably has.

        None if there is no large buffer, or if the sizes do not tell.
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
