"""The tiles that a launch over a range would get from `tile_policy.py`."""

from weft import settings
from weft.abi import Extents
from weft.device.info import host_facts
from weft.kernel import CodeOptions, KernelCode, LocalSize
from weft.remarks import Remarks
from weft.tile_policy import NDRange, TileChoice, TileRefusal, choose_tiles, tile_size


def tiles_of(
    code: KernelCode, options: CodeOptions, global_size: LocalSize, local_size: LocalSize | None
) -> TileChoice:
    """Return the tiles of a range; `local_size` is the client's, None if it leaves it open."""
    return choose_tiles(code.traits, options, NDRange(global_size, local_size), threads=_threads())


def size_of_tile(extents: Extents, global_size: LocalSize, item_bytes: int) -> LocalSize:
    """Return the number of work-items that one call of the code runs, per dimension."""
    return tile_size(extents, global_size, threads=_threads(), item_bytes=item_bytes)


def report_refusal(extents: Extents, reason: TileRefusal, remarks: Remarks) -> None:
    """Record which tiles a launch cannot use, and why."""
    with remarks.by("tiles"):
        remarks.missed(reason, tile=tile_words(extents))


def tile_words(extents: Extents) -> str:
    """Format the extents of a tile."""
    x, y, z = ("n" if n is None else str(n) for n in extents)
    return f"{x}x{y}x{z}"


def _threads() -> int:
    return settings.get("WEFT_THREADS") or host_facts().cores
