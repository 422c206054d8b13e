"""LLVM's memory intrinsics: block copies, lifetimes, and masked vector accesses."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from weft.ir import Instruction
from weft.ir.types import IntType, VectorType

from .access import reader, writer
from .errors import UndefinedBehaviour
from .memory import DEFINED, POISONED, UNINITIALISED, located, located_for_write
from .poison import POISON

if TYPE_CHECKING:
    from .code import Code, Frame, Op

ITEM = 0  # the frame's slot of the work-item


def _length(size: Any) -> int:
    if size is POISON:
        raise UndefinedBehaviour("the size of a block of memory is poison")
    number: int = size
    return number


def _copy(overlap: bool) -> "Callable[[Code, Instruction], Op]":
    def maker(code: "Code", instruction: Instruction) -> "Op":
        destination, source, length = code.slots(instruction.arguments[:3])
        observers = code.machine.observers

        def copy(frame: "Frame") -> None:
            size = _length(frame[length])
            if not size:
                return
            to, at = located_for_write(frame[destination], size)
            origin, start = located(frame[source], size)
            if to is origin and not overlap and at != start and abs(at - start) < size:
                raise UndefinedBehaviour(f"memcpy between overlapping parts of '{to.name}'")
            to.data[at : at + size] = bytes(origin.data[start : start + size])
            if origin.shadow is None:
                to.mark(at, size, DEFINED)
            else:
                states = bytes(origin.shadow[start : start + size])
                if to.shadow is None:
                    to.shadow = bytearray(to.size)
                to.shadow[at : at + size] = states
            if observers.load is not None:
                observers.load(frame[ITEM], frame[source], size, instruction)
            if observers.store is not None:
                observers.store(frame[ITEM], frame[destination], size, instruction)

        return copy

    return maker


def _set(code: "Code", instruction: Instruction) -> "Op":
    destination, value, length = code.slots(instruction.arguments[:3])
    notify = code.machine.observers.store

    def fill(frame: "Frame") -> None:
        size = _length(frame[length])
        if not size:
            return
        allocation, at = located_for_write(frame[destination], size)
        byte = frame[value]
        allocation.data[at : at + size] = bytes((0 if byte is POISON else byte,)) * size
        allocation.mark(at, size, POISONED if byte is POISON else DEFINED)
        if notify is not None:
            notify(frame[ITEM], frame[destination], size, instruction)

    return fill


def _lifetime(code: "Code", instruction: Instruction) -> "Op":
    """Clear a variable: its contents are undefined at both ends of its lifetime."""
    pointer = code.slot(instruction.arguments[-1])

    def forget(frame: "Frame") -> None:
        if frame[pointer] is POISON:
            return
        allocation, _ = frame[pointer]
        if allocation.writable and allocation.size:
            allocation.data[:] = bytes(allocation.size)
            allocation.mark(0, allocation.size, UNINITIALISED)

    return forget


def _invariant_start(code: "Code", instruction: Instruction) -> "Op":
    pointer, target = code.slot(instruction.arguments[-1]), code.slot(instruction)

    def start(frame: "Frame") -> None:
        frame[target] = frame[pointer]

    return start


def _object_size(code: "Code", instruction: Instruction) -> "Op":
    pointer, target = code.slot(instruction.arguments[0]), code.slot(instruction)
    assert isinstance(instruction.type, IntType)
    mask = (1 << instruction.type.bits) - 1

    def measure(frame: "Frame") -> None:
        if frame[pointer] is POISON:
            frame[target] = POISON
            return
        allocation, offset = frame[pointer]
        frame[target] = max(allocation.size - offset, 0) & mask if offset >= 0 else 0

    return measure


# Masked accesses. Before LLVM 22 an alignment operand precedes the mask; it is ignored.


def _is_active(lane: Any) -> bool:
    if lane is POISON:
        raise UndefinedBehaviour("the mask of an access is poison")
    return bool(lane)


def _vector_operands(instruction: Instruction) -> list[Any]:
    return [v for v in instruction.arguments if not isinstance(v.type, IntType)]


def _masked_load(code: "Code", instruction: Instruction) -> "Op":
    pointer, mask, otherwise = code.slots(_vector_operands(instruction))
    return _lanes_load(code, instruction, pointer, mask, otherwise, gather=False)


def _gather(code: "Code", instruction: Instruction) -> "Op":
    pointers, mask, otherwise = code.slots(_vector_operands(instruction))
    return _lanes_load(code, instruction, pointers, mask, otherwise, gather=True)


def _lanes_load(
    code: "Code", instruction: Instruction, pointer: int, mask: int, otherwise: int, *, gather: bool
) -> "Op":
    assert isinstance(instruction.type, VectorType)
    element = instruction.type.element
    size, target = code.machine.layouts[element].size, code.slot(instruction)
    read, notify = reader(code, element, instruction), code.machine.observers.load

    def load(frame: "Frame") -> None:
        lanes = list(frame[otherwise])
        for number, active in enumerate(frame[mask]):
            if _is_active(active):
                place = frame[pointer][number] if gather else _lane_address(frame[pointer], number * size)
                lanes[number] = read(frame[ITEM], place)
                if notify is not None:
                    notify(frame[ITEM], place, size, instruction)
        frame[target] = tuple(lanes)

    return load


def _masked_store(code: "Code", instruction: Instruction) -> "Op":
    return _lanes_store(code, instruction, scatter=False)


def _scatter(code: "Code", instruction: Instruction) -> "Op":
    return _lanes_store(code, instruction, scatter=True)


def _lanes_store(code: "Code", instruction: Instruction, *, scatter: bool) -> "Op":
    vector = instruction.arguments[0].type
    assert isinstance(vector, VectorType)
    layout = code.machine.layouts[vector.element]
    values, pointer, mask = code.slots(_vector_operands(instruction))
    write, notify, size = writer(layout), code.machine.observers.store, layout.size

    def store(frame: "Frame") -> None:
        for number, active in enumerate(frame[mask]):
            if _is_active(active):
                place = frame[pointer][number] if scatter else _lane_address(frame[pointer], number * size)
                write(place, frame[values][number])
                if notify is not None:
                    notify(frame[ITEM], place, size, instruction)

    return store


def _lane_address(pointer: Any, distance: int) -> Any:
    if pointer is POISON:
        raise UndefinedBehaviour("the address of an access is poison")
    allocation, offset = pointer
    return allocation, offset + distance


MEMORY_INTRINSICS: "dict[str, Callable[[Code, Instruction], Op]]" = {
    "memcpy": _copy(overlap=False),
    "memcpy.inline": _copy(overlap=False),
    "memmove": _copy(overlap=True),
    "memset": _set,
    "memset.inline": _set,
    "lifetime.start": _lifetime,
    "lifetime.end": _lifetime,
    "invariant.start": _invariant_start,
    "objectsize": _object_size,
    "masked.load": _masked_load,
    "masked.store": _masked_store,
    "masked.gather": _gather,
    "masked.scatter": _scatter,
}
