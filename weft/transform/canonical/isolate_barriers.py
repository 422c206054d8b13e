"""Move each barrier to its own block: the barrier and a branch.

    a:                                    a:
      %x = …                                %x = …
      call void @_Z7barrierj(i32 1)         br label %barrier
      store …                             barrier:
      ret void                              call void @_Z7barrierj(i32 1)
                                            br label %after
                                          after:
                                            store …
                                            ret void

The block after a barrier is always a new one, so it has no phis and no other predecessor. Requires nothing;
linear.
"""

from weft.analysis.work_items import is_barrier
from weft.ir import Function


def isolate_barriers(function: Function) -> None:
    """Move each barrier to a block of its own."""
    for block in list(function.blocks):
        # From the last to the first, so that the indices of earlier instructions stay valid.
        for index in range(len(block.instructions) - 1, -1, -1):
            if is_barrier(block.instructions[index]):
                block.split(index + 1, "after")
                block.split(index, "barrier")
