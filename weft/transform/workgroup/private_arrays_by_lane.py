"""Give private arrays of work-item loops a column for each SIMD lane.

Work-items that run one after the other use the same memory in turn. In lanes each needs its own; when
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

An array of which all loops stay scalar after all is laid out as before (`by_item`), so that its elements
are dense.

Requires a work-group function. Refuses arrays that are not accessed by whole elements alone
(`private_array`), that something outside of a work-item loop uses, or that would become larger than LARGEST
bytes. Linear.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import unique

from weft.analysis.lanes import LANE
from weft.analysis.memory_effects import is_own_function
from weft.analysis.private_arrays import PrivateArray, offsets, private_array
from weft.analysis.private_memory import is_fill
from weft.ir import Block, ConstantInt, Function, Instruction, Module, Value
from weft.ir.builder import Builder
from weft.ir.clone import is_copy_of
from weft.ir.loops import Loop, loop_forest
from weft.ir.types import I8, I32, ArrayType, IntType, size_of
from weft.ir.values import const_int
from weft.remarks import SILENT, Message, Remarks

from .private_memory_by_lane import private_memory_by_lane
from .work_item_loops import is_work_item_loop

# Bytes of all lanes' copies of an array, which should stay in a first-level cache; and of a register.
LARGEST = 32 * 1024
ALIGNMENT = 64


@dataclass
class ByLane:
    """An array that was laid out by lane: its memory, for how many lanes, its loops."""

    alloca: Instruction
    dense: ArrayType
    width: int
    headers: list[Block]


@unique
class LaneColumns(Message):
    """What became of a private array."""

    BY_LANE = "a private array of {bytes} bytes has a column for each of {lanes} lanes"
    NOT_BY_ELEMENTS = "a private array of {bytes} bytes is not only loaded and stored by elements of one type"
    OUTSIDE_OF_LOOPS = "a private array of {bytes} bytes is used outside of work-item loops"


def private_arrays_by_lane(function: Function, width: int, remarks: Remarks = SILENT) -> list[ByLane]:
    """Lays private arrays out for `width` lanes; returns what was changed."""
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


def by_item(arrays: Iterable[ByLane], vectorized: Iterable[Block]) -> None:
    """Takes back the layout of arrays of which no loop, or copy of a loop, is among the vectorized ones.

    `vectorized` are the headers of these.
    """
    for array in arrays:
        if not any(is_copy_of(block, header) for block in vectorized for header in array.headers):
            array.alloca.attributes["allocated"] = array.dense
            for start in array.alloca.users:
                _unscale(start, array.width)


def _unscale(start: Instruction, width: int) -> None:
    """Divides the steps from a lane's first element to others by the number of lanes."""
    work = [start]
    while work:
        for user in work.pop().users:
            if user.opcode == "getelementptr":
                stretch = user.attributes["element_type"]
                assert isinstance(stretch, ArrayType) and stretch.count % width == 0
                user.attributes["element_type"] = ArrayType(I8, stretch.count // width)
                work.append(user)


class _Layout:
    def __init__(self, module: Module, array: PrivateArray, width: int) -> None:
        self.module, self.array, self.width = module, array, width
        self.size = size_of(array.element)
        # A group that no loop calls parallel: lanes do not share, but work-items in turn do.
        self.access_group = module.add_metadata("distinct !{}")

    def run(self, loops: dict[Block, Loop]) -> ByLane:
        array, alloca = self.array, self.array.alloca
        starts: dict[Loop, Value] = {}
        moved: dict[Value, Value] = {}

        def place(pointer: Value, user: Instruction) -> Value:
            """The new address for an old one."""
            if pointer is alloca:
                loop = loops[user.parent]
                if loop not in starts:
                    starts[loop] = self._start(loop)
                return starts[loop]
            return moved[pointer]

        for address in array.addresses:  # each behind the one it starts from
            moved[address] = self._scale(address, place(address.operands[0], address))
        for access in array.accesses:
            access.set_operand(len(access.operands) - 1, place(access.operands[-1], access))
            access.attributes["align"] = self.size
            access.metadata["llvm.access.group"] = self.access_group
        for block in array.blocks:
            self._take_apart(block, {p: place(p, block) for p in block.arguments[:2] if self._is_own(p)})
        for address in reversed(array.addresses):
            address.erase()
        dense = ArrayType(array.element, array.count)
        alloca.attributes["allocated"] = ArrayType(array.element, array.count * self.width)
        alloca.attributes["align"] = ALIGNMENT
        return ByLane(alloca, dense, self.width, [loop.header for loop in starts])

    def _is_own(self, pointer: Value) -> bool:
        return pointer is self.array.alloca or pointer in self.array.addresses

    def _start(self, loop: Loop) -> Value:
        """The address of the lane's first element, made where the work-item starts."""
        b = Builder.at_start(loop.header)
        zero = const_int(I32, 0)
        lane = b.emit("add", I32, [zero, zero], "lane")
        lane.metadata[LANE] = self.module.add_metadata("!{}")
        return _address(b, self.array.alloca, lane, self.size)

    def _scale(self, address: Instruction, base: Value) -> Value:
        b = Builder(address.parent, address)
        for index, size in offsets(address) or ():
            if not (isinstance(index, ConstantInt) and index.value == 0):
                base = self._step(b, base, index, size, address.name)
        return base

    def _step(self, b: Builder, base: Value, index: Value, size: int, name: str | None = None) -> Value:
        return _address(b, base, index, size * self.width, name)

    def _take_apart(self, block: Instruction, places: dict[Value, Value]) -> None:
        """A fill or copy becomes loads and stores of elements."""
        b = Builder(block.parent, block)
        length = block.arguments[2]
        assert isinstance(length, ConstantInt)
        type = IntType(8 * self.size)

        def element(pointer: Value, number: int) -> Value:
            index = const_int(I32, number)
            if pointer in places:
                return self._step(b, places[pointer], index, self.size) if number else places[pointer]
            return _address(b, pointer, index, self.size)

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


def _address(b: Builder, base: Value, index: Value, size: int, name: str | None = None) -> Instruction:
    return b.emit("getelementptr", base.type, [base, index], name, element_type=ArrayType(I8, size))
