"""The result of vectorization for one work-item loop."""

from weft.dataclasses import dataclass
from weft.ir import Block, Instruction
from weft.remarks import Reason
from weft.transform.cost_model.estimate import Estimate

from .access_forms import WideAccess

# The forms of each memory access, by instruction of the original loop.
AccessForms = tuple[tuple[Instruction, tuple[WideAccess, ...]], ...]


@dataclass(frozen=True)
class Outcome:
    """The result for one work-item loop: the name of its header, and its lanes or the reason for none.

    `block` is the header; it is not part of the function any more if no scalar loop is left. `estimate` is
    the cost model's, if it was run. `straight`: the loop contains no other loop. An outcome with a
    `condition` describes a variant of the loop for that case, in addition to the general code. `divergent`
    names the strategies of divergent loops and the reason; `strategy` is that of this version. `fast_path` is
    the reason for a fast path for in-bounds accesses; `left_out` lists versions that were omitted because the
    code would be too long.
    """

    header: str
    width: int
    block: Block
    refusal: Reason | None = None
    estimate: Estimate | None = None
    straight: bool = False
    accesses: AccessForms = ()
    condition: str = ""
    divergent: Reason | None = None
    strategy: str = ""
    fast_path: Reason | None = None
    left_out: tuple[Reason, ...] = ()
