"""Afterwards the work-items that are left over when lanes do not divide a loop run in lanes as well.

    for (; x < n; x++) body(x)    becomes    W lanes of: if (x < n) body(x)

What is left are fewer work-items than lanes, so one pass under a mask does them all.

Requires the scalar loop that `vectorize_loop` left behind its vector loop. Leaves it as it is when its latch
does more than count.
"""

from weft.analysis.induction import only_counts
from weft.ir import Block, Function, Instruction
from weft.ir.builder import Builder
from weft.ir.loops import LoopForest, loop_forest
from weft.ir.types import I32
from weft.ir.values import const_int

from .cannot_vectorize import CannotVectorize
from .loop_records import LoopRecords
from .vectorize_loop import counted, vectorize_loop
from .widen import VectorForm

# Lanes that are left over are never all active.
RAGGED = {"dvec": "serial", "dvec-s": "masked", "dvec-s-serial": "serial"}


def mask_rest(
    function: Function,
    forest: LoopForest,
    header: Block,
    width: int,
    vector_form: VectorForm,
    divergent: str = "masked",
    records: LoopRecords | None = None,
) -> bool:
    """Runs what is left of the loop with that header in one pass; returns whether it could."""
    loop = next(m for m in forest.loops if m.header is header)
    counter, limit = counted(loop)
    latch, preheader = loop.latch, loop.preheader
    assert latch is not None and preheader is not None
    condition = latch.terminator.operands[0]
    if not only_counts(loop, counter):
        return False
    body = header.split(1, f"{header.name}.left" if header.name else None)
    header.terminator.erase()
    b = Builder(header)
    inside = b.icmp("ult", counter, limit)
    branch = b.cond_br(inside, body, latch)
    begin = counter.incoming_from(preheader)
    end = Builder(preheader, preheader.terminator).add(begin, const_int(I32, width))
    assert isinstance(condition, Instruction)
    condition.replace_operand(limit, end)
    grown = loop_forest(function)
    whole = next(m for m in grown.loops if m.header is header)
    way = RAGGED.get(divergent, divergent)
    try:
        vectorize_loop(function, whole, grown, width, vector_form, divergent=way, records=records, once=True)
    except CannotVectorize:
        condition.replace_operand(end, limit)
        branch.set_operands([const_int(inside.type, 1), body, latch])
        return False
    return True
