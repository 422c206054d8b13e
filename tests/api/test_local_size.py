"""The local size that is chosen when the client passes NULL."""

from hypothesis import given, settings
from hypothesis import strategies as st

from weft.runtime.local_size import LARGEST_GROUP, choose_local_size

sizes = st.lists(st.integers(1, 3000), min_size=1, max_size=3)


@settings(deadline=None)
@given(sizes, st.integers(1, 64), st.sampled_from([1, 64, 1024, 4096]))
def test_the_choice_divides_the_range_and_fits_the_device(
    extents: list[int], threads: int, most: int
) -> None:
    size = choose_local_size(extents, threads=threads, max_group_size=most)
    assert all(n >= 1 and extent % n == 0 for n, extent in zip(size, extents, strict=False))
    assert size[len(extents) :] == (1,) * (3 - len(extents))
    assert size[0] * size[1] * size[2] <= min(most, LARGEST_GROUP)


def choose(*extents: int, threads: int = 4) -> tuple[int, int, int]:
    """The choice on an ordinary device."""
    return choose_local_size(extents, threads=threads, max_group_size=4096)


def test_large_ranges_get_large_groups_of_whole_vectors() -> None:
    assert choose(1 << 20) == (1024, 1, 1)
    assert choose(1920, 1080)[0] % 16 == 0
    assert choose(1000 * 16)[0] % 16 == 0


def test_every_thread_gets_several_groups() -> None:
    for threads in (1, 2, 8, 32):
        x, y, z = choose(4096, threads=threads)
        assert 4096 // (x * y * z) >= 4 * threads
        assert x % 16 == 0


def test_small_ranges_get_a_full_vector() -> None:
    assert choose(64, threads=64) == (16, 1, 1)
    assert choose(16) == (16, 1, 1)
    assert choose(5) == (5, 1, 1)


def test_prime_ranges_are_possible() -> None:
    assert choose(10007) == (1, 1, 1)
    assert choose(7, 11, 13, threads=1)[0] == 7


def test_rows_are_filled_before_columns() -> None:
    x, y, _ = choose(32, 32, 32, threads=1)
    assert x == 32
    assert y > 1


def test_required_size_wins_and_hint_needs_to_divide() -> None:
    options = {"threads": 4, "max_group_size": 64}
    assert choose_local_size((100,), required=(7, 1, 1), **options) == (7, 1, 1)
    assert choose_local_size((128,), hint=(32, 1, 1), **options) == (32, 1, 1)
    assert choose_local_size((100,), hint=(32, 1, 1), **options) != (32, 1, 1)
    assert choose_local_size((128,), hint=(128, 1, 1), **options) != (128, 1, 1)


def test_limits_of_a_dimension_are_kept() -> None:
    size = choose_local_size((1024, 1024), threads=1, max_group_size=1024, max_item_sizes=(8, 4, 1))
    assert size == (8, 4, 1)
