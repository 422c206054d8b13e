"""Work-group functions: asynchronous copies, waits, and collectives.

Each work-item stops as at a barrier, deposits its operands and, when all have arrived, takes its result. It
stops once more, so that no work-item deposits again before all have taken their results. The first work-item
performs a copy when all have arrived. The requirements of the specification are checked: all operands must be
uniform, except the value that a collective combines.
"""

import math
from collections.abc import Callable, Iterable
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from weft.ir import Instruction
from weft.ir.types import VOID, FloatType, IntType, Type
from weft.lazy_pattern import lazy_pattern

from . import floating
from .errors import UndefinedBehaviour
from .memory import DEFINED, Pointer, located, located_for_write
from .poison import POISON
from .workitem import WorkItem, local_linear_id, source_name

if TYPE_CHECKING:
    from .code import Code, Frame, Suspension
    from .machine import Machine

ITEM = 0  # the frame's slot of the work-item

Operands = list[Any]
# From the first work-item and the operands of all work-items to the results of all.
Meaning = Callable[[WorkItem, list[Operands]], list[Any]]

_COLLECTIVE = lazy_pattern(
    r"work_group_(?:(reduce|scan_exclusive|scan_inclusive)_(add|min|max)|all|any|broadcast)"
)
_ELEMENT = lazy_pattern(r"PU\d+CL(?:local|global)(?:Dv(\d+)_)?(Dh|[a-z])")
_ELEMENT_BYTES = {
    "c": 1, "a": 1, "h": 1, "s": 2, "t": 2, "Dh": 2, "i": 4, "j": 4, "f": 4, "l": 8, "m": 8, "d": 8,
}  # fmt: skip
_COPIES = ("async_work_group_copy", "async_work_group_strided_copy")


def is_group_function(symbol: str) -> bool:
    """Return whether the symbol is a work-group function."""
    name = source_name(symbol)
    return name in _COPIES or name == "wait_group_events" or _COLLECTIVE.fullmatch(name) is not None


def group_call(code: "Code", instruction: Instruction) -> "Callable[[Frame], Suspension]":
    """Compile a call of a work-group function to a generator function."""
    callee = instruction.called_function
    assert callee is not None
    meaning, uniform = _meaning(code.machine, instruction, callee.name or "")
    slots = code.slots(instruction.arguments)
    target = code.slot(instruction) if instruction.type is not VOID else None
    notify = code.machine.observers.value
    place = (instruction,)

    def run(frame: "Frame") -> "Suspension":
        item, exchange = frame[ITEM], frame[ITEM].group.exchange
        number = local_linear_id(item)
        exchange[number] = [frame[slot] for slot in slots]
        yield place
        if number == 0:  # the first work-item resumes before all others
            deposits = [exchange[at] for at in sorted(exchange)]
            _check_uniform([operands[uniform] for operands in deposits])
            exchange.update(enumerate(meaning(item, deposits)))
        result = exchange[number]
        yield place
        if number == 0:
            exchange.clear()
        if target is not None:
            frame[target] = result
            if notify is not None:
                notify(item, instruction, result)

    return run


def _check_uniform(operands: list[Operands]) -> None:
    if any(value is POISON for own in operands for value in own):
        raise UndefinedBehaviour("an operand that must be uniform in the work-group is poison")
    if any(own != operands[0] for own in operands):
        raise UndefinedBehaviour("an operand of a work-group function is not uniform")


def _meaning(machine: "Machine", instruction: Instruction, symbol: str) -> tuple[Meaning, slice]:
    """Return the semantics of a function, and which of its operands must be uniform."""
    name = source_name(symbol)
    if name in _COPIES:
        return _copy(machine, instruction, symbol), slice(None)
    if name == "wait_group_events":
        return lambda item, deposits: deposits, slice(
            1
        )  # each work-item has its own array of the same events
    if name == "work_group_broadcast":
        return _broadcast, slice(1, None)
    match = _COLLECTIVE.fullmatch(name)
    assert match is not None
    kind, operation = match.groups()
    if kind is None:
        return _vote(all if name == "work_group_all" else any), slice(0)
    return _combination(kind, *combining(operation, instruction.type, symbol[-1] in "jm")), slice(0)


def _copy(machine: "Machine", instruction: Instruction, symbol: str) -> Meaning:
    """Copy dst[i] = src[i * stride]; the stride applies to the global side."""
    match = _ELEMENT.search(symbol)
    assert match is not None
    width = int(match[1] or 1)
    size = _ELEMENT_BYTES[match[2]] * (4 if width == 3 else width)
    to_local = "copyPU7CLlocal" in symbol
    observers = machine.observers

    def copy(item: WorkItem, deposits: list[Operands]) -> list[Any]:
        (target, at), (source, start), count, *stride, event = deposits[0]
        (step,) = stride or (1,)
        for i in range(count):
            to = target, at + size * (i if to_local else i * step)
            origin = source, start + size * (i * step if to_local else i)
            _copy_bytes(to, origin, size)
            if observers.load is not None:
                observers.load(item, origin, size, instruction)
            if observers.store is not None:
                observers.store(item, to, size, instruction)
        return [event] * len(deposits)

    return copy


def _copy_bytes(to: Pointer, origin: Pointer, size: int) -> None:
    target, at = located_for_write(to, size)
    source, start = located(origin, size)
    target.data[at : at + size] = bytes(source.data[start : start + size])
    if source.shadow is None:
        target.mark(at, size, DEFINED)
    else:
        for i, state in enumerate(bytes(source.shadow[start : start + size])):
            target.mark(at + i, 1, state)


def _broadcast(item: WorkItem, deposits: list[Operands]) -> list[Any]:
    ids = deposits[0][1:]
    sizes = item.group.size
    if any(i >= size for i, size in zip(ids, sizes, strict=False)):
        raise UndefinedBehaviour(f"broadcast from work-item {tuple(ids)}, which is not in the group")
    x, y, z = (*ids, 0, 0)[:3]
    return [deposits[(z * sizes[1] + y) * sizes[0] + x][0]] * len(deposits)


def _vote(test: Callable[[Iterable[Any]], bool]) -> Meaning:
    return lambda item, deposits: [int(test(value for (value,) in deposits))] * len(deposits)


def _combination(kind: str, combine: Callable[[Any, Any], Any], identity: Any) -> Meaning:
    def combined(item: WorkItem, deposits: list[Operands]) -> list[Any]:
        inclusive = list(accumulate((value for (value,) in deposits), combine))
        if kind == "reduce":
            return inclusive[-1:] * len(deposits)
        return inclusive if kind == "scan_inclusive" else [identity, *inclusive[:-1]]

    return combined


def combining(name: str, type: Type, unsigned: bool) -> tuple[Callable[[Any, Any], Any], Any]:
    """Return a function of two values, and its identity."""
    if isinstance(type, FloatType):
        if name == "add":
            return _defined(floating.binary("fadd", type.kind)), 0.0
        if name == "min":
            return _defined(lambda a, b: b if b < a else a), math.inf
        return _defined(lambda a, b: b if b > a else a), -math.inf
    assert isinstance(type, IntType)
    bits = type.bits
    if name == "add":
        return _defined(lambda a, b: (a + b) & ((1 << bits) - 1)), 0
    bias = 0 if unsigned else 1 << (bits - 1)  # orders two's complement numbers as unsigned
    choose = min if name == "min" else max
    least, greatest = bias, ((1 << bits) - 1) ^ bias
    return _defined(lambda a, b: choose(a, b, key=lambda v: v ^ bias)), greatest if name == "min" else least


def _defined(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda a, b: POISON if a is POISON or b is POISON else function(a, b)
