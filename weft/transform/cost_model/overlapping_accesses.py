"""Straight loops in which a vector load would wait for the vector store of the previous work-items.

    if ((x + y) % 2 == colour) u[x] = f(u[x - 1], u[x + 1]);

The work-items that store load only elements that others do not store, so they may run in any order. In
vectors, the load of u[x - 1] overlaps the previous vector's store to u[x]. Such a load cannot be forwarded
from the store: in every vector it waits until the store is in the cache, about 20 cycles on Zen 4. If the
loop is interleaved, all loads of several vectors precede their stores, and only the first of them waits.

LLVM interleaves only much shorter loops by itself, so the loop gets metadata. Pure functions of the loop.
"""

from weft.analysis.evolution import LoopEvolution, Wrapping
from weft.analysis.lanes import Lanes
from weft.ir import Instruction, Value
from weft.ir.loops import Loop
from weft.ir.types import size_of
from weft.ir.values import ConstantInt

# Vectors per iteration. A red-black Gauss-Seidel step of 254 x 254 doubles takes 97 us on Zen 4 with one,
# 53 with two, 38 with four and 47 with eight; floats 52, 32, 27 and 35.
INTERLEAVED = '!{!"llvm.loop.interleave.count", i32 4}'


def loads_overlap_stores(loop: Loop, shape: Lanes) -> bool:
    """Whether a loop stores under a mask to consecutive elements of a buffer and loads others of it."""
    stores = [i for block in shape.masked for i in block.instructions if i.opcode == "store"]
    if not stores:
        return False
    strides = LoopEvolution(loop, Wrapping.IGNORED)
    stored = {_buffer(i): i.operands[-1] for i in stores if _is_consecutive(i, strides)}
    if not stored:
        return False
    loads = (i for i in loop.instructions() if i.opcode == "load" and _buffer(i) in stored)
    return any(i.operands[0] is not stored[_buffer(i)] and _is_consecutive(i, strides) for i in loads)


def _is_consecutive(access: Instruction, strides: LoopEvolution) -> bool:
    evolution = strides.of(access.operands[-1])
    return evolution is not None and evolution.stride == size_of(access.accessed_type)


def _buffer(access: Instruction) -> Value:
    """Return the pointer that an address is computed from: a buffer, or a local array in a common block."""
    pointer = access.operands[-1]
    while isinstance(pointer, Instruction) and pointer.opcode in ("getelementptr", "addrspacecast"):
        base, *indices = pointer.operands
        if not isinstance(base, Instruction) and all(isinstance(i, ConstantInt) for i in indices):
            return pointer
        pointer = base
    return pointer
