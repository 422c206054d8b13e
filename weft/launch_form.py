"""Launch forms: the properties that the code of a work-group function is specialized for."""

from math import prod

from weft.abi import INT_IDS, LARGEST_EXTENT, SMALL_IDS, Extents
from weft.dataclasses import dataclass
from weft.kernel import LocalSize

# For each argument: the channel order and type of an image, the bits of a sampler, () for all others.
KnownArguments = tuple[tuple[int, ...], ...]
# Work-groups of one work-item.
SINGLE_ITEM = (1, 1, 1)
# Calls with fewer work-items in every dimension are not worth what it takes to vectorize them.
MIN_LANES = 4


@dataclass(frozen=True)
class LaunchForm:
    """What the code of a work-group function may count on.

    `local_size` is that of the launch (None: any). Global ids have at most `id_bits`, one of `abi.ID_BITS`.
    `known` has what is known of images and samplers. With a `tile` a call runs so many work-items, whatever
    groups they belong to; they share nothing, and `local_size` is what they are told of their group, None if
    they do not ask. `noalias`: no two buffers overlap. `if_serial` is the tile of code that does not run in
    SIMD lanes (`tile_policy.py`). `non_uniform`: the last groups of the range may be smaller than the others.
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
        """Whether a global id may not be an int."""
        return self.id_bits > INT_IDS

    @property
    def extents(self) -> Extents | None:
        """The work-items of a call in each dimension; None: any number, the same for all calls."""
        return (None, None, None) if self.non_uniform else self.tile or self.local_size

    @property
    def largest(self) -> LocalSize | None:
        """The most work-items that a call can run in each dimension."""
        if self.extents is None or self.non_uniform:
            return None
        x, y, z = (LARGEST_EXTENT if n is None else n for n in self.extents)
        return x, y, z

    def may_exceed(self, items: int) -> bool:
        """Whether a call may run more work-items than that."""
        return self.extents is None or None in self.extents or prod(filter(None, self.extents)) > items

    @property
    def single_item(self) -> bool:
        """Whether a call runs one work-item."""
        return self.extents == SINGLE_ITEM

    @property
    def worth_vectorizing(self) -> bool:
        """Whether a call has enough work-items for SIMD lanes."""
        return self.extents is None or any(n is None or n >= MIN_LANES for n in self.extents)
