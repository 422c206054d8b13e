"""Which tiles of a range a launch would try, as `runtime/tiles.py` decides."""

from weft import settings
from weft.abi import LARGEST_EXTENT, Extents
from weft.device.info import host_facts
from weft.kernel import CodeOptions, KernelCode, LocalSize
from weft.runtime.tiles import choose_extents, choose_tile


def tiles_to_try(
    code: KernelCode, options: CodeOptions, global_size: LocalSize, local_size: LocalSize | None
) -> tuple[Extents, ...]:
    """The tiles that suit a range, the best first; none where work-groups are run as they are.

    `local_size` is what the client gives, None if it leaves it open.
    """
    if not code.shares_nothing or options.level == 0:
        return ()
    asks = code.asks_for_group
    return tuple(choose_extents(global_size, local_size, threads=_threads(), asks_for_group=asks))


def tile_size(extents: Extents, global_size: LocalSize, item_bytes: int) -> LocalSize:
    """How many work-items one call of the code runs."""
    return choose_tile(extents, global_size, threads=_threads(), item_bytes=item_bytes)


def tile_words(extents: Extents) -> str:
    """A form of tiles for people."""
    x, y, z = ("n" if n is None else str(n) for n in extents)
    return f"{x}x{y}x{z}"


def largest(extents: Extents) -> LocalSize:
    """The most work-items that a tile can have in each dimension."""
    x, y, z = (LARGEST_EXTENT if n is None else n for n in extents)
    return x, y, z


def _threads() -> int:
    return settings.get("WEFT_THREADS") or host_facts().cores
