"""Launch forms: the properties that the code of a work-group function is specialized for."""

from math import prod

from weft.abi import INT_IDS, LARGEST_EXTENT, SMALL_IDS, Extents
from weft.dataclasses import dataclass
from weft.kernel import SHORT_ROW, LocalSize

# For each argument: the channel order and type of an image, the bits of a sampler, () for all others.
KnownArguments = tuple[tuple[int, ...], ...]
# Work-groups of one work-item.
SINGLE_ITEM = (1, 1, 1)
# Calls with fewer work-items in every dimension are not worth vectorizing.
MIN_LANES = 4


@dataclass(frozen=True)
class LaunchForm:
    """The properties on which the code of a work-group function may rely.

    `local_size` is that of the launch (None: any). Global ids have at most `id_bits`, one of `abi.ID_BITS`.
    `known` describes images and samplers. With a `tile`, a call runs a tile of this size, whatever groups its
    work-items belong to; they share nothing, and `local_size` is the result of their queries, None if they
    make none. `noalias`: no two buffers overlap. `if_serial` is the tile for code that does not run in SIMD
    lanes (`tile_policy.py`). `non_uniform`: the last groups of the range may be smaller than the others.
    """

    local_size: LocalSize | None
    id_bits: int = SMALL_IDS
    known: KnownArguments = ()
    tile: Extents | None = None
    noalias: bool = False
    if_serial: Extents | None = None
    non_uniform: bool = False

    @property
    def wide(self) -> bool:
        """Whether a global id may exceed the range of int."""
        return self.id_bits > INT_IDS

    @property
    def extents(self) -> Extents | None:
        """The number of work-items of a call in each dimension; None: any, but the same for all calls."""
        return (None, None, None) if self.non_uniform else self.tile or self.local_size

    @property
    def largest(self) -> LocalSize | None:
        """The maximum number of work-items of a call in each dimension."""
        if self.extents is None or self.non_uniform:
            return None
        x, y, z = (LARGEST_EXTENT if n is None else n for n in self.extents)
        return x, y, z

    def may_exceed(self, items: int) -> bool:
        """Whether a call may run more than `items` work-items."""
        return self.extents is None or None in self.extents or prod(filter(None, self.extents)) > items

    @property
    def single_item(self) -> bool:
        """Whether a call runs one work-item."""
        return self.extents == SINGLE_ITEM

    @property
    def is_rows(self) -> bool:
        """Whether a call runs a tile of long rows along x."""
        return self.tile is not None and (self.tile[0] is None or self.tile[0] >= SHORT_ROW)

    @property
    def worth_vectorizing(self) -> bool:
        """Whether a call has enough work-items for SIMD lanes."""
        return self.extents is None or any(n is None or n >= MIN_LANES for n in self.extents)
