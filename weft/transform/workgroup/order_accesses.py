"""Afterwards LLVM respects the order of a work-item's own accesses to its part of memory.

`llvm.loop.parallel_accesses` says that work-items do not meet in memory. LLVM's loop vectorizer then asks for
no dependence at all, also not of accesses by one work-item, and joins those that lie side by side into one
wide access: loads where the first of them is, stores where the last is. In

    x = a[3 * i];  a[3 * i + n] = x;  y = a[3 * i + 1];

it would load y in front of the store, which is wrong if n is 1. Where an access would be moved across one
that may touch the same bytes, it is taken out of the group of parallel accesses; LLVM then looks for itself.
"""

from dataclasses import dataclass

from weft.analysis.private_arrays import offsets
from weft.ir import Function, Instruction, Value
from weft.ir.loops import Loop, loop_forest
from weft.ir.types import PointerType, size_of
from weft.ir.values import Argument, ConstantInt

from .work_item_loops import is_work_item_loop

GROUP = "llvm.access.group"
# The address spaces of buffers: global and constant memory.
_BUFFERS = frozenset((1, 2))


@dataclass(frozen=True)
class _Access:
    """An access to `size` bytes: `offset` bytes behind `stem`, in the object that `root` points to."""

    instruction: Instruction
    root: Value
    stem: Value
    offset: int
    size: int

    @property
    def space(self) -> int:
        """The address space of the pointer."""
        type = self.instruction.operands[-1].type
        assert isinstance(type, PointerType)
        return type.space

    @property
    def is_store(self) -> bool:
        return self.instruction.opcode == "store"


def order_accesses(function: Function) -> None:
    """Takes accesses whose order matters out of the parallel ones, in loops that LLVM may vectorize."""
    module = function.module
    assert module is not None
    for loop in loop_forest(function).loops:
        if loop.latch is not None and is_work_item_loop(loop.latch, module):
            for access in _moved(_accesses(function, loop)):
                del access.instruction.metadata[GROUP]


def _accesses(function: Function, loop: Loop) -> list[_Access]:
    return [
        _access(instruction)
        for block in function.blocks
        if block in loop.blocks
        for instruction in block.instructions
        if instruction.opcode in ("load", "store") and GROUP in instruction.metadata
    ]


def _access(instruction: Instruction) -> _Access:
    stem = instruction.operands[-1]
    type = (instruction if instruction.opcode == "load" else instruction.operands[0]).type
    offset = 0
    while isinstance(stem, Instruction) and stem.opcode == "getelementptr":
        steps = offsets(stem)
        if steps is None or not all(isinstance(index, ConstantInt) for index, _ in steps):
            break
        offset += sum(index.signed * size for index, size in steps if isinstance(index, ConstantInt))
        stem = stem.operands[0]
    root = stem
    while isinstance(root, Instruction) and root.opcode in ("getelementptr", "addrspacecast"):
        root = root.operands[0]
    return _Access(instruction, root, stem, offset, size_of(type))


def _moved(accesses: list[_Access]) -> list[_Access]:
    """Loads that could go to an earlier load across a store, stores that could go to a later one."""
    found = []
    for number, access in enumerate(accesses):
        # In the direction in which it could move: what lies there, up to the farthest of its own kind.
        way = accesses[number + 1 :] if access.is_store else accesses[number - 1 :: -1] if number else []
        own = [
            place
            for place, other in enumerate(way)
            if other.is_store == access.is_store and other.root is access.root
        ]
        between = way[: own[-1]] if own else []
        if any((other.is_store or access.is_store) and _may_meet(access, other) for other in between):
            found.append(access)
    return found


def _may_meet(a: _Access, b: _Access) -> bool:
    if a.root is not b.root:
        if a.space != b.space and not {a.space, b.space} <= _BUFFERS:
            return False  # private and local memory are apart from each other and from all buffers
        # Pointers that were chosen or read from memory may lead to any object.
        return not (_is_object(a.root) and _is_object(b.root))
    if a.stem is not b.stem:
        return True
    return a.offset < b.offset + b.size and b.offset < a.offset + a.size


def _is_object(root: Value) -> bool:
    """Whether a pointer is that of a whole object: private memory, or an arena of the work-group function."""
    return isinstance(root, Argument) or (isinstance(root, Instruction) and root.opcode == "alloca")
