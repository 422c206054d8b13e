"""Give private arrays of work-item loops a column for each SIMD lane.

Work-items that run serially share the same memory. In lanes each needs its own; when
element e of neighbouring lanes are neighbours, an access with an index that is the same for all is one
vector load:

    %h = alloca [16 x i32]                         %h = alloca [128 x i32], align 64     ; 8 lanes
    …                                              …
    region.0.x:                                    region.0.x:
                                                     %lane = add i32 0, 0, !weft.lane !3
                                                     %mine = getelementptr i32, ptr %h, i32 %lane
      %p = getelementptr i32, ptr %h, i64 %bin       %p = getelementptr [32 x i8], ptr %mine, i64 %bin

`!weft.lane` says that an instruction is 0 in the first lane, and in each lane one more: in code that stays
scalar it is 0, and LLVM still takes the array apart where it can. The block of W columns serves one set of W
work-items after the other, so it stays in the first-level cache whatever the local size; [e][item] for all
work-items of the group would take their number times as much.

The pass finds the arrays and the addresses of their lanes. Elements stay dense until a loop that uses them is
about to run in lanes (`LaneArray.spread`): as far as the lanes' first elements go, and indices that are the
same for all of them, strides are those of the final layout already.

Requires a work-group function. Refuses arrays that are not accessed by whole elements alone
(`private_array`), that something outside of a work-item loop uses, or that would become larger than LARGEST
bytes. Linear.
"""

from collections.abc import Iterable
from enum import unique

from weft.analysis.memory_effects import is_own_function
from weft.analysis.private_arrays import PrivateArray, offsets, private_array
from weft.analysis.private_memory import is_fill
from weft.dataclasses import dataclass
from weft.ir import Block, ConstantInt, Function, Instruction, Module, Value
from weft.ir.builder import Builder
from weft.ir.loops import Loop, loop_forest
from weft.ir.types import I8, I32, ArrayType, IntType, size_of
from weft.ir.values import const_int
from weft.remarks import SILENT, Message, Remarks

from .private_memory_by_lane import private_memory_by_lane, start_of_lane, step_by
from .work_item_loops import is_work_item_loop

# Bytes of all lanes' copies of an array, which should stay in a first-level cache; and of a register.
LARGEST = 32 * 1024
ALIGNMENT = 64


@dataclass
class LaneArray:
    """A private array of which each of `width` lanes gets a column when it is spread."""

    alloca: Instruction
    width: int
    is_spread: bool = False

    def is_used_in(self, loop: Loop) -> bool:
        """Whether a loop accesses the array."""
        return any(start.block in loop.blocks for start in self.alloca.users)

    def spread(self) -> None:
        """Interleaves the elements of all lanes; all code that uses the array agrees on that."""
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
    """What became of a private array."""

    BY_LANE = "a private array of {bytes} bytes has a column for each of {lanes} lanes"
    NOT_BY_ELEMENTS = (
        "a private array of {bytes} bytes has accesses other than loads and stores of one element type"
    )
    OUTSIDE_OF_LOOPS = "a private array of {bytes} bytes is used outside work-item loops"


def private_arrays_by_lane(function: Function, width: int, remarks: Remarks = SILENT) -> list[LaneArray]:
    """Prepares private arrays for `width` lanes; returns those that can be spread."""
    module = function.parent
    allocas = [i for i in function.entry.instructions if i.opcode == "alloca"]
    arrays = [array for i in allocas if (array := private_array(i))]
    if remarks:
        _tell_other_arrays(allocas, arrays, remarks)
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
    made = []
    for array in arrays:
        users = [*array.addresses, *array.accesses, *array.blocks]
        bytes = array.count * size_of(array.element)
        if bytes * width > LARGEST:
            continue  # of a function: what kernels have on the stack is smaller
        if not all(user.block in loops for user in users):
            remarks.missed(LaneColumns.OUTSIDE_OF_LOOPS, array.alloca, bytes=bytes)
        elif users:
            remarks.passed(LaneColumns.BY_LANE, array.alloca, bytes=bytes, lanes=width)
            made.append(_Layout(module, array, width).run(loops))
    return made


def _tell_other_arrays(
    allocas: Iterable[Instruction], arrays: Iterable[PrivateArray], remarks: Remarks
) -> None:
    """Tells of private arrays whose layout cannot change."""
    found = {array.alloca for array in arrays}
    for alloca in allocas:
        type = alloca.attributes["allocated"]
        if alloca not in found and isinstance(type, ArrayType):
            remarks.missed(LaneColumns.NOT_BY_ELEMENTS, alloca, bytes=size_of(type))


class _Layout:
    def __init__(self, module: Module, array: PrivateArray, width: int) -> None:
        self.module, self.array, self.width = module, array, width
        self.size = size_of(array.element)
        # A group that no loop calls parallel: lanes do not share, but work-items in turn do.
        self.access_group = module.add_metadata("distinct !{}")

    def run(self, loops: dict[Block, Loop]) -> LaneArray:
        array, alloca = self.array, self.array.alloca
        starts: dict[Loop, Value] = {}
        moved: dict[Value, Value] = {}

        def place(pointer: Value, user: Instruction) -> Value:
            """The new address for an old one."""
            if pointer is alloca:
                loop = loops[user.parent]
                if loop not in starts:
                    starts[loop] = start_of_lane(loop, alloca, self.size)
                return starts[loop]
            return moved[pointer]

        for address in array.addresses:  # each after the one it starts from
            moved[address] = self._moved(address, place(address.operands[0], address))
        for access in array.accesses:
            access.set_operand(len(access.operands) - 1, place(access.operands[-1], access))
            access.attributes["align"] = self.size
            access.metadata["llvm.access.group"] = self.access_group
        for block in array.blocks:
            self._take_apart(block, {p: place(p, block) for p in block.arguments[:2] if self._is_own(p)})
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

    def _take_apart(self, block: Instruction, places: dict[Value, Value]) -> None:
        """A fill or copy becomes loads and stores of elements."""
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
