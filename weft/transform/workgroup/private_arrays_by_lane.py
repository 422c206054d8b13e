"""Give private arrays of work-item loops a column for each SIMD lane.

Work-items that run serially share the same memory. In SIMD each lane needs its own. If element e of adjacent
lanes is adjacent in memory, an access with a uniform index is one vector load:

    %h = alloca [16 x i32]                         %h = alloca [128 x i32], align 64     ; 8 lanes
    …                                              …
    region.0.x:                                    region.0.x:
                                                     %lane = add i32 0, 0, !weft.lane !3
                                                     %mine = getelementptr i32, ptr %h, i32 %lane
      %p = getelementptr i32, ptr %h, i64 %bin       %p = getelementptr [32 x i8], ptr %mine, i64 %bin

`!weft.lane` marks an instruction whose value is the lane number. In scalar code it is 0, and LLVM can still
promote the array to registers where possible. The block of W columns is reused by each set of W work-items,
so it stays in the first-level cache whatever the local size; a layout [e][item] for all work-items of the
group would need memory for all of them.

The pass finds the arrays and computes the address of each lane's column. Elements stay dense until a loop
that uses them is about to be vectorized (`LaneArray.spread`): for the first elements of the lanes, and for
uniform indices, strides are already those of the final layout.

Requires a work-group function. Refuses arrays that are accessed other than by whole elements
(`private_array`), that are used outside work-item loops, that are filled or copied as a whole and longer than
LONGEST_BLOCK, or that would become larger than LARGEST bytes, together with others than LARGEST_OF_ALL.
Linear.
"""

from collections.abc import Collection, Iterable
from enum import unique

from weft.analysis.memory_effects import is_own_function
from weft.analysis.private_arrays import PrivateArray, offsets, private_array
from weft.analysis.private_memory import is_fill
from weft.dataclasses import dataclass
from weft.ir import Block, ConstantInt, Function, Instruction, Module, Value
from weft.ir.builder import Builder
from weft.ir.clone import clone_instruction
from weft.ir.loops import Loop, loop_forest
from weft.ir.types import I8, I32, ArrayType, IntType, size_of
from weft.ir.values import const_int
from weft.remarks import SILENT, Message, Remarks

from .private_memory_by_lane import private_memory_by_lane, start_of_lane, step_by
from .work_item_loops import is_work_item_loop

# The most bytes of all lanes' copies of an array, and of all such arrays, which are on the stack and should
# stay in a second-level cache; of what should stay in a first-level cache with other data; of an array that
# is filled or copied by an instruction for each element; and of a register.
LARGEST = 128 * 1024
LARGEST_OF_ALL = 512 * 1024
NEAR = 16 * 1024
LONGEST_BLOCK = 1024
ALIGNMENT = 64


@dataclass
class LaneArray:
    """A private array in which each of `width` lanes gets a column when it is spread."""

    alloca: Instruction
    width: int
    is_spread: bool = False
    _dense: Instruction | None = None  # the array of code that stays scalar

    @property
    def is_near(self) -> bool:
        """Whether the columns of all lanes stay in a first-level cache."""
        dense = self.alloca.attributes["allocated"]
        return size_of(dense) * (1 if self.is_spread else self.width) <= NEAR

    def is_used_in(self, loop: Loop) -> bool:
        """Whether a loop accesses the array."""
        return any(start.block in loop.blocks for start in self.alloca.users)

    def stay_dense_in(self, blocks: Collection[Block]) -> None:
        """Give code that stays scalar an array of its own, unless the elements are interleaved already."""
        starts = [start for start in self.alloca.users if start.block in blocks]
        if self.is_spread or not starts:
            return
        if self._dense is None:
            self._dense = self.alloca.parent.insert_before(self.alloca, clone_instruction(self.alloca, {}))
        for start in starts:
            start.replace_operand(self.alloca, self._dense)

    def spread(self) -> None:
        """Interleave the elements of all lanes, in all code that uses the array."""
        if self.is_spread:
            return
        self.is_spread = True
        dense = self.alloca.attributes["allocated"]
        self.alloca.attributes["allocated"] = ArrayType(dense.element, dense.count * self.width)
        work = list(self.alloca.users)
        while work:
            for user in work.pop().users:
                if user.opcode == "getelementptr":
                    step = user.attributes["element_type"]
                    user.attributes["element_type"] = ArrayType(I8, step.count * self.width)
                    work.append(user)


@unique
class LaneColumns(Message):
    """What was done to a private array."""

    BY_LANE = "a private array of {bytes} bytes has a column for each of {lanes} lanes"
    NOT_BY_ELEMENTS = (
        "a private array of {bytes} bytes has accesses other than loads and stores of one element type"
    )
    OUTSIDE_OF_LOOPS = "a private array of {bytes} bytes is used outside work-item loops"


def private_arrays_by_lane(function: Function, width: int, remarks: Remarks = SILENT) -> list[LaneArray]:
    """Prepare private arrays for `width` lanes; return those that can be spread."""
    module = function.parent
    allocas = [i for i in function.entry.instructions if i.opcode == "alloca"]
    arrays = [array for i in allocas if (array := private_array(i))]
    if remarks:
        _report_other_arrays(allocas, arrays, remarks)
    calls = any(map(is_own_function, function.instructions()))
    if not arrays and not calls:
        return []
    loops = {
        block: loop
        for loop in loop_forest(function).loops
        if is_work_item_loop(loop)
        for block in loop.blocks
    }
    if calls:
        private_memory_by_lane(function, width, loops)
    prepared = []
    left = LARGEST_OF_ALL
    for array in arrays:
        users = [*array.addresses, *array.accesses, *array.blocks]
        bytes = array.count * size_of(array.element)
        if bytes * width > min(LARGEST, left) or not may_be_spread(array):
            continue
        left -= bytes * width
        if not all(user.block in loops for user in users):
            remarks.missed(LaneColumns.OUTSIDE_OF_LOOPS, array.alloca, bytes=bytes)
        elif users:
            remarks.passed(LaneColumns.BY_LANE, array.alloca, bytes=bytes, lanes=width)
            prepared.append(_Layout(module, array, width).run(loops))
    return prepared


def may_be_spread(array: PrivateArray) -> bool:
    """Whether fills and copies of an array are short enough to be expanded."""
    return not array.blocks or array.count * size_of(array.element) <= LONGEST_BLOCK


def _report_other_arrays(
    allocas: Iterable[Instruction], arrays: Iterable[PrivateArray], remarks: Remarks
) -> None:
    """Emit remarks about private arrays whose layout cannot change."""
    laid_out = {array.alloca for array in arrays}
    for alloca in allocas:
        type = alloca.attributes["allocated"]
        if alloca not in laid_out and isinstance(type, ArrayType):
            remarks.missed(LaneColumns.NOT_BY_ELEMENTS, alloca, bytes=size_of(type))


class _Layout:
    def __init__(self, module: Module, array: PrivateArray, width: int) -> None:
        self.module, self.array, self.width = module, array, width
        self.size = size_of(array.element)
        # An access group that no loop declares parallel: lanes do not share the memory, but iterations do.
        self.access_group = module.add_metadata("distinct !{}")

    def run(self, loops: dict[Block, Loop]) -> LaneArray:
        array, alloca = self.array, self.array.alloca
        starts: dict[Loop, Value] = {}
        moved: dict[Value, Value] = {}

        def place(pointer: Value, user: Instruction) -> Value:
            """Return the new address for an old one."""
            if pointer is alloca:
                loop = loops[user.parent]
                if loop not in starts:
                    starts[loop] = start_of_lane(loop, alloca, self.size)
                return starts[loop]
            return moved[pointer]

        for address in array.addresses:  # each follows the one it is computed from
            moved[address] = self._moved(address, place(address.operands[0], address))
        for access in array.accesses:
            access.set_operand(len(access.operands) - 1, place(access.operands[-1], access))
            access.attributes["align"] = self.size
            access.metadata["llvm.access.group"] = self.access_group
        for block in array.blocks:
            self._expand_block(block, {p: place(p, block) for p in block.arguments[:2] if self._is_own(p)})
        for address in reversed(array.addresses):
            address.erase()
        alloca.attributes["allocated"] = ArrayType(array.element, array.count)
        alloca.attributes["align"] = ALIGNMENT
        return LaneArray(alloca, self.width)

    def _is_own(self, pointer: Value) -> bool:
        return pointer is self.array.alloca or pointer in self.array.addresses

    def _moved(self, address: Instruction, base: Value) -> Value:
        b = Builder(address.parent, address)
        for index, size in offsets(address) or ():
            if not (isinstance(index, ConstantInt) and index.value == 0):
                base = step_by(b, base, index, size, address.name)
        return base

    def _expand_block(self, block: Instruction, places: dict[Value, Value]) -> None:
        """Expand a fill or copy to loads and stores of elements."""
        b = Builder(block.parent, block)
        length = block.arguments[2]
        assert isinstance(length, ConstantInt)
        type = IntType(8 * self.size)

        def element(pointer: Value, number: int) -> Value:
            index = const_int(I32, number)
            if pointer in places:
                return step_by(b, places[pointer], index, self.size) if number else places[pointer]
            return step_by(b, pointer, index, self.size)

        target, source = block.arguments[:2]
        for number in range(length.value // self.size):
            if is_fill(block):
                assert isinstance(source, ConstantInt)
                value: Value = const_int(type, int.from_bytes(bytes([source.value]) * self.size, "little"))
            else:
                value = self._marked(b.load(type, element(source, number), 1), source in places)
            self._marked(b.store(value, element(target, number), 1), target in places)
        block.erase()

    def _marked(self, access: Instruction, own: bool) -> Instruction:
        if own:
            access.attributes["align"] = self.size
            access.metadata["llvm.access.group"] = self.access_group
        return access
