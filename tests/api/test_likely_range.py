"""Which ranges kernels are expected to be launched for, by the buffers that exist when they are built."""

from dataclasses import replace

import pytest
from fake_compiler import TRAITS

from weft.kernel import KernelTraits, LocalSize, LoopWork
from weft.likely_range import LARGE_BUFFER, LikelyRanges

STREAM = TRAITS
LOOP = replace(TRAITS, loop_work=(LoopWork(9, 1, (3,)),))
PLANE = replace(TRAITS, dimensions=2)
VOLUME = replace(TRAITS, dimensions=3)
SQUARE = 4 * 1000**2


def likely(
    traits: KernelTraits, buffers: tuple[int, ...], others: tuple[KernelTraits, ...] = ()
) -> LocalSize | None:
    return LikelyRanges((traits, *others), buffers).of(traits)


@pytest.mark.parametrize("traits", [STREAM, LOOP, PLANE])
def test_small_buffers_do_not_tell(traits: KernelTraits) -> None:
    assert likely(traits, ()) is None
    assert likely(traits, (LARGE_BUFFER - 4, 4096)) is None


def test_every_element_has_a_work_item() -> None:
    assert likely(STREAM, (SQUARE, SQUARE)) == (1000**2, 1, 1)
    assert likely(STREAM, (LARGE_BUFFER, 64)) == (LARGE_BUFFER // 4, 1, 1)


def test_rows_have_one_where_kernels_have_loops_or_two_dimensions() -> None:
    assert likely(LOOP, (SQUARE,)) == (1000, 1, 1)
    assert likely(STREAM, (SQUARE,), (LOOP,)) == (1000, 1, 1)
    assert likely(STREAM, (SQUARE,), (PLANE,)) == (1000, 1, 1)


def test_vectors_tell_how_many_rows_there_are() -> None:
    assert likely(LOOP, (4 * 300 * 1000, 4 * 300)) == (300, 1, 1)
    assert likely(LOOP, (SQUARE, 16)) == (1000, 1, 1), "a few numbers are no vector"


def test_arrays_are_squares() -> None:
    assert likely(PLANE, (SQUARE, 4 * 1000)) == (1000, 1000, 1)
    assert likely(PLANE, (SQUARE + 4,)) is None
    assert likely(LOOP, (SQUARE + 4,)) is None


def test_arrays_that_are_no_squares_may_be_cubes() -> None:
    cube = 4 * 128**3
    assert likely(PLANE, (cube, 4 * 128**2)) == (128, 128, 1), "one launch for each slice"
    assert likely(VOLUME, (cube, cube)) == (128, 128, 128)
    assert likely(LOOP, (cube,)) is None
    assert likely(PLANE, (cube + 4,)) is None
    assert likely(PLANE, (4 * 256**3,)) == (4096, 4096, 1), "which is a square too"
