"""The NDRange of a launch, in the layout that work-group functions expect."""

from collections.abc import Sequence
from math import prod

from weft.abi import GroupBlock
from weft.device._pool import ffi

_LIMIT = 2**63


class Launch:
    """A packed weft_launch. An enqueue copies it, so an object can be used for several launches."""

    __slots__ = ("c",)

    def __init__(
        self,
        global_size: Sequence[int],
        local_size: Sequence[int],
        global_offset: Sequence[int] = (),
        clipped: bool = False,
        block: GroupBlock | None = None,
    ) -> None:
        """Pack sizes of 1 to 3 dimensions; the local size must divide the global size in each.

        `clipped`: it need not, because the code handles smaller groups at the end of the range.
        `block`: groups run in blocks of this size, not in rows along x.
        """
        dimensions = len(global_size)
        if not 1 <= dimensions <= 3 or len(local_size) != dimensions:
            raise ValueError("global and local size must have the same number of dimensions, 1 to 3")
        if len(global_offset) not in (0, dimensions):
            raise ValueError("the global offset must have as many dimensions as the global size")
        sizes = tuple(zip(global_size, local_size, strict=True))
        if any(local < 1 or whole < 0 or (whole % local and not clipped) for whole, local in sizes):
            raise ValueError(f"local size {(*local_size,)} does not divide global size {(*global_size,)}")
        if prod(global_size) >= _LIMIT or prod(local_size) >= _LIMIT:
            raise OverflowError("the NDRange has more than 2**63 work-items")
        self.c = ffi.new("weft_launch *")
        for i in range(3):
            used = i < dimensions
            self.c.global_size[i] = global_size[i] if used else 1
            self.c.local_size[i] = local_size[i] if used else 1
            self.c.num_groups[i] = -(-global_size[i] // local_size[i]) if used else 1
            self.c.global_offset[i] = global_offset[i] if used and global_offset else 0
        self.c.work_dim = dimensions
        if block is not None:
            self.c.block = block

    @property
    def groups(self) -> int:
        """The number of work-groups."""
        return prod(self.c.num_groups)
