"""Closures for instructions that access memory or compute addresses."""

import struct
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from weft import integers
from weft.ir import ConstantInt, Instruction, Value
from weft.ir.address_spaces import PRIVATE
from weft.ir.types import FloatType, PointerType, Type, VectorType, size_of

from . import floating
from .errors import UndefinedBehaviour, UnsupportedInstruction
from .layout import Layout
from .memory import Allocation, located_for_write
from .observers import Notify
from .poison import POISON
from .scalar import bits_of, element_steps, width_of

if TYPE_CHECKING:
    from .code import Code, Frame, Op

ITEM = 0  # the frame's slot of the work-item


def observed_access(
    op: "Op", notify: Notify | None, pointer: int, size: int, instruction: Instruction
) -> "Op":
    """Return a closure that executes `op` and then notifies the observers of the access."""
    if notify is None:
        return op

    def observed(frame: "Frame") -> None:
        op(frame)
        notify(frame[ITEM], frame[pointer], size, instruction)

    return observed


def reader(code: "Code", type: Type, instruction: Instruction) -> Callable[[Any, Any], Any]:
    """Return a function (item, pointer) -> value that loads values of a type."""
    layout = code.machine.layouts[type]
    load, size = layout.load, layout.size
    zeros = bytes(size)
    undefined = code.machine.observers.undefined

    def read(item: Any, pointer: Any) -> Any:
        try:
            allocation, offset = pointer
        except TypeError:
            raise UndefinedBehaviour("the address of a load is poison") from None
        if offset < 0 or offset + size > allocation.size:
            offset = allocation.check(offset, size)
        shadow = allocation.shadow
        if shadow is None or shadow[offset : offset + size] == zeros:
            return load(allocation.data, offset)
        value, unwritten = layout.load_partly(allocation, offset)
        if unwritten and undefined is not None:
            undefined(item, pointer, size, instruction)
        return value

    return read


def writer(layout: Layout) -> Callable[[Any, Any], None]:
    """Return a function (pointer, value) that stores values of a layout."""
    store, size = layout.store, layout.size
    zeros = bytes(size)

    def write(pointer: Any, value: Any) -> None:
        try:
            allocation, offset = pointer
        except TypeError:
            raise UndefinedBehaviour("the address of a store is poison") from None
        if offset < 0 or offset + size > allocation.size or not allocation.writable:
            offset = allocation.check_write(offset, size)
        try:
            store(allocation.data, offset, value)
        except (TypeError, struct.error):
            layout.store_partly(allocation, offset, value)
            return
        shadow = allocation.shadow
        if shadow is not None:
            shadow[offset : offset + size] = zeros

    return write


def _load(code: "Code", instruction: Instruction) -> "Op":
    pointer, target = code.slot(instruction.operands[0]), code.slot(instruction)
    read = reader(code, instruction.type, instruction)

    def load(frame: "Frame") -> None:
        frame[target] = read(frame[ITEM], frame[pointer])

    size = code.machine.layouts[instruction.type].size
    return observed_access(load, _event(code, instruction, "load"), pointer, size, instruction)


def _store(code: "Code", instruction: Instruction) -> "Op":
    value, pointer = code.slots(instruction.operands)
    layout = code.machine.layouts[instruction.operands[0].type]
    write = writer(layout)

    def store(frame: "Frame") -> None:
        write(frame[pointer], frame[value])

    return observed_access(store, _event(code, instruction, "store"), pointer, layout.size, instruction)


def _event(code: "Code", instruction: Instruction, plain: str) -> Notify | None:
    notify: Notify | None = getattr(
        code.machine.observers, "atomic" if instruction.attributes.get("atomic") else plain
    )
    return notify


def _alloca(code: "Code", instruction: Instruction) -> "Op":
    target = code.slot(instruction)
    name = f"%{instruction.name}" if instruction.name else "a private variable"
    size = size_of(instruction.attributes["allocated"])
    elements = instruction.operands[0] if instruction.operands else None
    if elements is None or isinstance(elements, ConstantInt):
        size *= 1 if elements is None else elements.value

        def alloca(frame: "Frame") -> None:
            frame[target] = Allocation(name, bytearray(size), initialised=False, space=PRIVATE), 0

        return alloca
    count = code.slot(instruction.operands[0])

    def alloca_array(frame: "Frame") -> None:
        if frame[count] is POISON:
            raise UndefinedBehaviour("the size of a private array is poison")
        data = bytearray(size * frame[count])
        frame[target] = Allocation(name, data, initialised=False, space=PRIVATE), 0

    return alloca_array


# Addresses


def _getelementptr(code: "Code", instruction: Instruction) -> "Op":
    if instruction.type.is_vector:
        return _vector_getelementptr(code, instruction)
    constant, steps = element_steps(instruction.attributes["element_type"], instruction.operands[1:])
    base, target = code.slot(instruction.operands[0]), code.slot(instruction)
    if not steps:

        def move(frame: "Frame") -> None:
            try:
                allocation, offset = frame[base]
            except TypeError:
                frame[target] = POISON
                return
            frame[target] = allocation, offset + constant

        return move
    if len(steps) == 1:
        index = code.slot(steps[0][0])
        sign, unit = 1 << steps[0][1] >> 1, steps[0][2]

        def step(frame: "Frame") -> None:
            try:
                allocation, offset = frame[base]
                frame[target] = allocation, offset + constant + ((frame[index] ^ sign) - sign) * unit
            except TypeError:
                frame[target] = POISON

        return step
    scaled = [(code.slot(value), 1 << bits >> 1, unit) for value, bits, unit in steps]

    def walk(frame: "Frame") -> None:
        try:
            allocation, offset = frame[base]
            offset += constant
            for slot, sign, unit in scaled:
                offset += ((frame[slot] ^ sign) - sign) * unit
            frame[target] = allocation, offset
        except TypeError:
            frame[target] = POISON

    return walk


def _vector_getelementptr(code: "Code", instruction: Instruction) -> "Op":
    assert isinstance(instruction.type, VectorType)
    count = instruction.type.count
    constant, steps = element_steps(instruction.attributes["element_type"], instruction.operands[1:])
    base, target = _lanes(code, instruction.operands[0], count), code.slot(instruction)
    scaled = [(_lanes(code, value, count), 1 << bits >> 1, unit) for value, bits, unit in steps]

    def lane(frame: "Frame", number: int) -> Any:
        try:
            allocation, offset = base(frame)[number]
            offset += constant
            for values, sign, unit in scaled:
                offset += ((values(frame)[number] ^ sign) - sign) * unit
            return allocation, offset
        except TypeError:
            return POISON

    def walk(frame: "Frame") -> None:
        frame[target] = tuple([lane(frame, number) for number in range(count)])

    return walk


def _lanes(code: "Code", value: Value, count: int) -> Callable[["Frame"], Any]:
    """Return a function from the frame to the lanes of an operand; a scalar is broadcast."""
    slot = code.slot(value)
    if value.type.is_vector:
        return lambda frame: frame[slot]
    return lambda frame: (frame[slot],) * count


# Atomics


def _fence(code: "Code", instruction: Instruction) -> "Op":
    return lambda frame: None


def _atomicrmw(code: "Code", instruction: Instruction) -> "Op":
    pointer, operand = code.slots(instruction.operands)
    target = code.slot(instruction)
    type = instruction.type
    layout = code.machine.layouts[type]
    function = atomic_function(instruction.attributes["operation"], type)
    read, write = reader(code, type, instruction), writer(layout)

    def atomicrmw(frame: "Frame") -> None:
        place = frame[pointer]
        old = read(frame[ITEM], place)
        value = frame[operand]
        try:
            new = function(old, value)
        except TypeError:
            if old is not POISON and value is not POISON:
                raise
            new = POISON
        write(place, new)
        frame[target] = old

    notify = code.machine.observers.atomic
    return observed_access(atomicrmw, notify, pointer, layout.size, instruction)


def atomic_function(operation: str, type: Type) -> Callable[[Any, Any], Any]:
    """Return the function (old value, operand) -> new value of an atomicrmw."""
    if operation == "xchg":
        return lambda old, value: value
    if isinstance(type, FloatType):
        arithmetic: dict[str, Callable[[Any, Any], Any]] = {
            "fmax": floating.maximum_number,
            "fmin": floating.minimum_number,
            "fmaximum": floating.maximum,
            "fminimum": floating.minimum,
        }
        return arithmetic.get(operation) or floating.binary(operation, type.kind)
    bits = width_of(type)
    mask = (1 << bits) - 1
    match operation:
        case "add" | "sub" | "and" | "or" | "xor" | "umax" | "umin":
            return integers.binary(operation, bits)
        case "max" | "min":
            return integers.binary(f"s{operation}", bits)
        case "nand":
            return lambda old, value: ~(old & value) & mask
        case "uinc_wrap":
            return lambda old, value: 0 if old >= value else old + 1
        case "udec_wrap":
            return lambda old, value: value if old == 0 or old > value else old - 1
        case "usub_cond":
            return lambda old, value: old - value if old >= value else old
        case "usub_sat":
            return lambda old, value: old - value if old >= value else 0
    raise UnsupportedInstruction(f"atomicrmw {operation}")


def _cmpxchg(code: "Code", instruction: Instruction) -> "Op":
    pointer, expected, replacement = code.slots(instruction.operands)
    target = code.slot(instruction)
    type = instruction.operands[1].type
    layout = code.machine.layouts[type]
    read, write = reader(code, type, instruction), writer(layout)
    key: Callable[[Any], int] = (
        code.machine.memory.address if isinstance(type, PointerType) else bits_of(type)
    )

    def cmpxchg(frame: "Frame") -> None:
        # Check write access first, so that read-only memory is detected even if the comparison fails.
        place = frame[pointer]
        located_for_write(place, layout.size)
        old = read(frame[ITEM], place)
        if old is POISON or frame[expected] is POISON:
            raise UndefinedBehaviour("cmpxchg compares a poison value")
        equal = key(old) == key(frame[expected])
        if equal:
            write(place, frame[replacement])
        frame[target] = old, 1 if equal else 0

    notify = code.machine.observers.atomic
    return observed_access(cmpxchg, notify, pointer, layout.size, instruction)


ACCESS_MAKERS: dict[str, Callable[["Code", Instruction], "Op"]] = {
    "load": _load,
    "store": _store,
    "alloca": _alloca,
    "getelementptr": _getelementptr,
    "fence": _fence,
    "atomicrmw": _atomicrmw,
    "cmpxchg": _cmpxchg,
}
