"""Keep LLVM from reordering a work-item's accesses to the same memory.

`llvm.loop.parallel_accesses` states that accesses of different work-items do not conflict. LLVM's loop
vectorizer then ignores all dependences, even those within one work-item, and merges adjacent accesses into
one interleaved access: loads at the position of the first one, stores at that of the last one. In

    x = a[3 * i];  a[3 * i + n] = x;  y = a[3 * i + 1];

it would load y before the store, which is wrong if n is 1. An access that would be moved across a possibly
aliasing one is removed from the access group; LLVM then analyses its dependences.
"""

from bisect import bisect_left
from collections.abc import Hashable
from enum import unique

from weft.dataclasses import dataclass
from weft.ir import Block, Function, Instruction, Value
from weft.ir.address_spaces import LOCAL, OVERLAPPING_SPACES
from weft.ir.addresses import constant_distance
from weft.ir.dominators import reverse_post_order
from weft.ir.loops import loop_forest
from weft.ir.types import PTR, PointerType, size_of
from weft.ir.values import Argument
from weft.remarks import SILENT, Message, Remarks

from .work_item_loops import is_work_item_loop

GROUP = "llvm.access.group"
# Larger accesses are treated as accesses to unknown bytes after their start.
LARGEST_LOOKED_AT = 256


@unique
class AccessOrder(Message):
    """What LLVM is told about the order of accesses."""

    KEPT = "a {opcode} stays ordered: another access may alias it"


@dataclass(frozen=True)
class _Access:
    """An access to `size` bytes, `offset` bytes after `stem`, in the object that `root` points to."""

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


def order_accesses(function: Function, remarks: Remarks = SILENT) -> None:
    """Remove accesses whose order matters from the access groups of loops that LLVM may vectorize."""
    # LLVM's order of blocks; the order in the function may differ.
    place = {block: number for number, block in enumerate(reverse_post_order(function))}
    for loop in loop_forest(function).loops:
        if is_work_item_loop(loop):
            blocks = sorted(loop.blocks, key=place.__getitem__)
            for access in _moved(_accesses(blocks)):
                del access.instruction.metadata[GROUP]
                remarks.passed(AccessOrder.KEPT, access.instruction, opcode=access.instruction.opcode)


def _accesses(blocks: list[Block]) -> list[_Access]:
    return [
        _access(instruction)
        for block in blocks
        for instruction in block.instructions
        if instruction.opcode in ("load", "store") and GROUP in instruction.metadata
    ]


def _access(instruction: Instruction) -> _Access:
    stem, offset = constant_distance(instruction.operands[-1])
    return _Access(instruction, _object(stem), stem, offset, size_of(instruction.accessed_type))


def _moved(accesses: list[_Access]) -> list[_Access]:
    """Return loads that LLVM could move across a store to an earlier load, and stores to a later store."""
    first_load: dict[Value, int] = {}
    last_store: dict[Value, int] = {}
    for number, access in enumerate(accesses):
        if access.is_store:
            last_store[access.root] = number
        else:
            first_load.setdefault(access.root, number)
    everything, stores = _Places(), _Places()
    for number, access in enumerate(accesses):
        everything.add(number, access)
        if access.is_store:
            stores.add(number, access)
    moved = []
    for number, access in enumerate(accesses):
        # Look for conflicts between the access and the farthest one of its kind that it could move to.
        if access.is_store:
            crosses = everything.may_alias(access, number + 1, last_store[access.root])
        else:
            crosses = stores.may_alias(access, first_load[access.root] + 1, number)
        if crosses:
            moved.append(access)
    return moved


class _Places:
    """The positions of accesses by the memory they touch: in ascending order, for binary search."""

    def __init__(self) -> None:
        self._by: dict[Hashable, list[int]] = {}

    def add(self, number: int, a: _Access) -> None:
        """Add an access at a position after those of all earlier ones."""
        places: list[Hashable] = [("space", a.space), a.root, ("space", a.space, a.root), (a.root, a.stem)]
        if not _is_object(a.root):
            places.append(("any object", a.space))
        if a.size <= LARGEST_LOOKED_AT:
            places += [(a.root, a.stem, byte) for byte in range(a.offset, a.offset + a.size)]
        else:
            places.append((a.root, a.stem, "large"))
        for place in places:
            self._by.setdefault(place, []).append(number)

    def may_alias(self, a: _Access, start: int, end: int) -> bool:
        """Whether an access may touch a byte of one at a position in [start, end)."""
        if start >= end:
            return False

        def count(place: Hashable) -> int:
            numbers = self._by.get(place, ())
            return bisect_left(numbers, end) - bisect_left(numbers, start)

        # Private and local memory are disjoint from each other and from all buffers. Pointers that were
        # selected or loaded from memory may point to any object.
        spaces = OVERLAPPING_SPACES[a.space]
        if _is_object(a.root):
            if any(count(("any object", space)) for space in spaces):
                return True
        elif any(count(("space", space)) > count(("space", space, a.root)) for space in spaces):
            return True
        own = count(a.root)
        if not own:
            return False
        same = count((a.root, a.stem))
        if own > same or (same and a.size > LARGEST_LOOKED_AT) or count((a.root, a.stem, "large")):
            return True
        return any(count((a.root, a.stem, byte)) for byte in range(a.offset, a.offset + a.size))


def _is_object(root: Value) -> bool:
    """Whether a pointer denotes a whole object: a variable, or an arena of the work-group function."""
    return isinstance(root, Argument) or (
        isinstance(root, Instruction) and (root.opcode == "alloca" or _is_variable(root))
    )


def _object(pointer: Value) -> Value:
    """Return the pointer that another one is computed from: a buffer, or a local variable."""
    while isinstance(pointer, Instruction) and pointer.opcode in ("getelementptr", "addrspacecast"):
        if _is_variable(pointer):
            break
        pointer = pointer.operands[0]
    return pointer


def _is_variable(pointer: Instruction) -> bool:
    """Whether a pointer is the start of a variable in local memory: only there is an arena pointer cast to
    local.

    No pointer to one such variable leads to another.
    """
    space = pointer.type.space if isinstance(pointer.type, PointerType) else None
    return pointer.opcode == "addrspacecast" and space == LOCAL and pointer.operands[0].type is PTR
