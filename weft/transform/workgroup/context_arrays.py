"""The layout of values that are live across parallel regions.

Uniform variables get a stack slot each, which LLVM promotes to registers. Context arrays are in the context
arena that the worker passes to the work-group function: one array per variable, one element per work-item in
the order of local ids, so that elements of adjacent work-items are adjacent:

    address = context + start(variable) * capacity + item * size(variable)

where `capacity` is the local size rounded up to ITEM_ROUNDING, which keeps every array aligned. If the local
size is unknown at compile time, `capacity` is computed at run time; the rest is constant. Private arrays may
be laid out in blocks of work-items (`private_arrays_by_element.py`). The arrays are followed by private
memory that work-items share and that is too large for the stack.
"""

from weft.abi import ITEM_ROUNDING
from weft.dataclasses import dataclass
from weft.ir import Instruction, Value
from weft.ir.builder import Builder
from weft.ir.types import I64, Type, align_up, alignment_of, size_of
from weft.ir.values import ConstantInt, const_int

from .positions import GroupPositions

# Larger private memory is in the context arena, and so is what together exceeds a number of bytes, to limit
# the use of the worker's stack. Sub-groups with stacks of their own have less room.
STACK_LIMIT = 8 * 1024
STACK_LIMIT_OF_ALL = 32 * 1024
SMALL_STACK_LIMIT = 1024


@dataclass(frozen=True)
class Blocks:
    """A private array in blocks of `items` work-items, a power of two: [item / items][element][item % items].

    `element` is the size of an element in bytes. The capacity of an array is a multiple of `items`, so the
    last block is complete.
    """

    items: int
    element: int

    def __post_init__(self) -> None:
        assert self.items <= ITEM_ROUNDING, "a block is longer than arrays are rounded up to"


class ContextLayout:
    """The offsets of all context arrays of a kernel."""

    def __init__(self) -> None:
        self._starts: dict[Instruction, int] = {}
        self._sizes: dict[Instruction, int] = {}
        self._blocks: dict[Instruction, Blocks] = {}
        self.item_bytes = 0
        self.group_bytes = 0

    def add(self, variable: Instruction, type: Type, blocks: Blocks | None = None) -> None:
        """Allocate an array of elements of `type` for a variable, possibly in blocks."""
        size, alignment = memory_size(variable, type)
        whole = align_up(size, min(alignment, ITEM_ROUNDING))
        self._sizes[variable] = whole
        if blocks is not None:
            self._blocks[variable] = blocks
        self._starts[variable] = self.add_array(whole)

    def add_array(self, size: int) -> int:
        """Allocate an array of elements of `size` bytes; return its start in bytes per work-item."""
        start = self.item_bytes
        self.item_bytes += size
        return start

    def add_shared(self, variable: Instruction) -> int:
        """Allocate private memory that all work-items share; return its offset after the arrays."""
        start = self.group_bytes
        size, _ = memory_size(variable, variable.attributes["allocated"])
        self.group_bytes += align_up(size, ITEM_ROUNDING)
        return start

    def __contains__(self, variable: Instruction) -> bool:
        return variable in self._starts

    def address(
        self, b: Builder, context: Value, capacity: Value, variable: Instruction, item: Value
    ) -> Value:
        """Emit the address of one work-item's element."""
        array = b.byte_offset(context, b.mul(const_int(I64, self._starts[variable]), capacity))
        name, size, blocks = (
            f"{variable.name or 'value'}.slot",
            self._sizes[variable],
            self._blocks.get(variable),
        )
        if blocks is None:
            return b.byte_offset(array, _times(b, item, size), name)
        first = b.binary("lshr", item, const_int(I64, blocks.items.bit_length() - 1))
        block = b.byte_offset(array, _times(b, first, size * blocks.items))
        column = b.binary("and", item, const_int(I64, blocks.items - 1))
        return b.byte_offset(block, _times(b, column, blocks.element), name)


class ContextArena:
    """The arena of one work-group function: the layout of its arrays, and their addresses.

    `entry` computes the capacity of arrays on first use.
    """

    def __init__(self, entry: Builder, group: GroupPositions, start: Value) -> None:
        self.layout = ContextLayout()
        self._entry, self._group, self._start = entry, group, start
        self._capacity: Value | None = None

    def capacity(self) -> Value:
        """Return the number of elements of a context array."""
        if self._capacity is None:
            (x, y, z), e = self._group.fixed_size, self._entry
            if x is not None and y is not None and z is not None:
                self._capacity = const_int(I64, capacity(x * y * z))
            else:
                rounded = e.add(self._group.items(), const_int(I64, ITEM_ROUNDING - 1))
                self._capacity = e.binary("and", rounded, const_int(I64, -ITEM_ROUNDING), "capacity")
        return self._capacity

    def array(self, b: Builder, start: int, name: str | None = None) -> Value:
        """Emit the address of the array that begins at `start` in the layout."""
        return b.byte_offset(self._start, b.mul(const_int(I64, start), self.capacity()), name)

    def element(self, b: Builder, variable: Instruction, item: Value) -> Value:
        """Emit the address of one work-item's element of the array of a variable."""
        return self.layout.address(b, self._start, self.capacity(), variable, item)

    def shared(self, variable: Instruction) -> Value:
        """Emit the address of private memory that work-items share, after all arrays added so far."""
        e = self._entry
        arrays = e.mul(const_int(I64, self.layout.item_bytes), self.capacity())
        start = e.add(arrays, const_int(I64, self.layout.add_shared(variable)))
        return e.byte_offset(self._start, start, variable.name)

    def bounds(self) -> tuple[Value, Value]:
        """Return the start and size of the arena, once everything is allocated."""
        e = self._entry
        arrays = e.mul(const_int(I64, self.layout.item_bytes), self.capacity())
        return self._start, e.add(arrays, const_int(I64, self.layout.group_bytes))


def _times(b: Builder, value: Value, factor: int) -> Value:
    """Emit an offset within a context array, which does not wrap around."""
    return b.mul(value, const_int(I64, factor), None, ("nuw", "nsw"))


def memory_size(variable: Instruction, type: Type) -> tuple[int, int]:
    """Return the size and alignment of a value of `type`, or of the memory of an alloca."""
    count = variable.operands[0] if variable.opcode == "alloca" and variable.operands else None
    assert count is None or isinstance(count, ConstantInt)
    size = size_of(type) * (count.value if isinstance(count, ConstantInt) else 1)
    return size, max(alignment_of(type), int(variable.attributes.get("align", 1)))


def capacity(items: int) -> int:
    """Return the number of elements of a context array for a number of work-items."""
    return align_up(items, ITEM_ROUNDING)
