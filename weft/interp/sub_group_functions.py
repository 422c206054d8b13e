"""Sub-group functions: votes, ballots, broadcasts, shuffles, reductions and scans.

They work as in `group_functions`, for the work-items of one sub-group: each stops, deposits its operands
under its sub-group local id, and takes its result when all have arrived; it stops once more before the next
function. Results that the specification leaves undefined, such as the value of a work-item outside the
sub-group, are poison. The compiler's cross-lane operations (`weft/analysis/cross_lane.py`) are included.
"""

from collections.abc import Callable
from functools import reduce
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from weft.ir import Instruction
from weft.ir.types import VOID, FloatType, IntType, Type
from weft.lazy_pattern import lazy_pattern

from . import floating
from .errors import UndefinedBehaviour
from .group_functions import combining
from .poison import POISON, poison_of
from .workitem import WorkItem, largest_sub_group, source_name, sub_group_of

if TYPE_CHECKING:
    from .code import Code, Frame, Op, Suspension

ITEM = 0  # the frame's slot of the work-item

# From the operands of all work-items, by sub-group local id, and the size of the largest sub-group, to the
# results of all.
# results.
Meaning = Callable[[list[list[Any]], int], list[Any]]

_COMBINED = lazy_pattern(
    r"sub_group_(non_uniform_|clustered_)?(reduce|scan_exclusive|scan_inclusive)_"
    r"(add|mul|min|max|and|or|xor|logical_and|logical_or|logical_xor)"
)
_OTHERS = frozenset(
    "sub_group_" + name
    for name in (
        "all", "any", "non_uniform_all", "non_uniform_any", "non_uniform_all_equal", "elect", "ballot",
        "broadcast", "non_uniform_broadcast", "broadcast_first", "shuffle", "shuffle_xor", "shuffle_up",
        "shuffle_down", "rotate", "clustered_rotate",
    )
)  # fmt: skip
_VOTES = frozenset(
    f"sub_group_{name}"
    for name in ("all", "any", "non_uniform_all", "non_uniform_any", "non_uniform_all_equal", "ballot")
)
# weft.cross_lane.<size>.<kind>[.<operation>].<type>
_CROSS_LANE = "weft.cross_lane."
# weft.reduce.<operation>.<vector type>
_REDUCED_LANES = "weft.reduce."
_BALLOT = 4  # 32-bit words of a ballot


def _mask_of(member: Callable[[int, int], bool]) -> Callable[..., Any]:
    """Return a function for the mask of places for which `member(place, own place)` is true."""

    def mask(item: WorkItem) -> tuple[int, ...]:
        own = sub_group_of(item)[1]
        places = range(largest_sub_group(item))
        return (sum(member(place, own) << place for place in places), *[0] * (_BALLOT - 1))

    return mask


def _places(item: WorkItem, mask: Any) -> list[int]:
    """Return the places of a sub-group that a mask contains."""
    if mask is POISON or _any_poison(list(mask)):
        raise UndefinedBehaviour("a sub-group mask is poison")
    return [place for place in range(largest_sub_group(item)) if mask[0] >> place & 1]


def _counted(member: Callable[[int, int], bool]) -> Callable[..., Any]:
    """Return a function that counts the places of a mask for which `member` is true."""
    return lambda item, mask: sum(member(place, sub_group_of(item)[1]) for place in _places(item, mask))


# Functions of a work-item alone, from its place and a mask with a bit for each place.
MASK_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "get_sub_group_eq_mask": _mask_of(lambda place, own: place == own),
    "get_sub_group_ge_mask": _mask_of(lambda place, own: place >= own),
    "get_sub_group_gt_mask": _mask_of(lambda place, own: place > own),
    "get_sub_group_le_mask": _mask_of(lambda place, own: place <= own),
    "get_sub_group_lt_mask": _mask_of(lambda place, own: place < own),
    "sub_group_inverse_ballot": lambda item, mask: int(sub_group_of(item)[1] in _places(item, mask)),
    "sub_group_ballot_bit_extract": lambda item, mask, place: int(place in _places(item, mask)),
    "sub_group_ballot_bit_count": _counted(lambda place, own: True),
    "sub_group_ballot_inclusive_scan": _counted(lambda place, own: place <= own),
    "sub_group_ballot_exclusive_scan": _counted(lambda place, own: place < own),
    "sub_group_ballot_find_lsb": lambda item, mask: min(_places(item, mask), default=32),
    "sub_group_ballot_find_msb": lambda item, mask: max(_places(item, mask), default=(1 << 32) - 1),
}


def is_sub_group_function(symbol: str) -> bool:
    """Return whether the symbol is a sub-group function."""
    name = source_name(symbol)
    return name in _OTHERS or name.startswith(_CROSS_LANE) or _COMBINED.fullmatch(name) is not None


def is_lane_reduction(symbol: str) -> bool:
    """Return whether the symbol is the compiler's reduction of the lanes of a vector."""
    return symbol.startswith(_REDUCED_LANES)


def lane_reduction(code: "Code", instruction: Instruction) -> "Op":
    """Compile a reduction of the lanes of a vector (`weft/analysis/lane_reduction.py`)."""
    operation = instruction.callee_name.removeprefix(_REDUCED_LANES).split(".")[0]
    combine, _ = _lane_operation(operation, instruction.type)
    (vector,), target = code.slots(instruction.arguments), code.slot(instruction)

    def run(frame: "Frame") -> None:
        frame[target] = reduce(combine, frame[vector])

    return run


def sub_group_call(code: "Code", instruction: Instruction) -> "Callable[[Frame], Suspension]":
    """Compile a call of a sub-group function to a generator function."""
    symbol = instruction.callee_name
    meaning = _meaning(symbol, instruction.type)
    votes = source_name(symbol) in _VOTES or ".ballot." in symbol
    slots = code.slots(instruction.arguments)
    target = code.slot(instruction) if instruction.type is not VOID else None
    notify = code.machine.observers.value
    place = (instruction,)

    def run(frame: "Frame") -> "Suspension":
        item: WorkItem = frame[ITEM]
        number, own = sub_group_of(item)
        deposits = item.group.sub_exchange.setdefault(number, {})
        deposits[own] = [frame[slot] for slot in slots]
        yield place
        if own == 0:  # the first work-item resumes before all others
            all_deposits = [deposits[at] for at in sorted(deposits)]
            if votes and any(map(_any_poison, all_deposits)):
                raise UndefinedBehaviour("a sub-group vote on a poison value")
            results = meaning(all_deposits, largest_sub_group(item))
            deposits.update(enumerate(results))
        result = deposits[own]
        yield place
        if own == 0:
            deposits.clear()
        if target is not None:
            frame[target] = result
            if notify is not None:
                notify(item, instruction, result)

    return run


def _across_lanes(kind: str, operation: str, type: Type) -> Meaning:
    """Return the semantics of a cross-lane operation; names of integer minima and maxima begin with s or
    u."""
    if kind == "broadcast":
        return _broadcast
    if kind == "shuffle":
        return _shuffle(kind, poison_of(type))
    if kind == "ballot":
        return lambda deposits, largest: [bits for bits, *_ in _ballot(deposits, largest)]
    combine, identity = _lane_operation(operation, type)
    return _clustered(combine, operation) if kind == "cluster" else _scan(kind, combine, identity, operation)


def _lane_operation(operation: str, type: Type) -> tuple[Callable[[Any, Any], Any], Any]:
    """Return a cross-lane operation as a function of two values, and its identity."""
    bare = operation[-3:] if operation in ("smin", "smax", "umin", "umax") else operation
    return _operation(bare, type, operation[0] == "u")


def _meaning(symbol: str, type: Type) -> Meaning:
    if symbol.startswith(_CROSS_LANE):
        _, kind, *operations = symbol.removeprefix(_CROSS_LANE).split(".")
        return _across_lanes(kind, operations[0], type)
    name = source_name(symbol).removeprefix("sub_group_")
    match = _COMBINED.fullmatch(f"sub_group_{name}")
    if match is not None:
        how, kind, operation = match.groups()
        # The cluster size is an additional parameter.
        unsigned = symbol[-2 if how == "clustered_" else -1] in "htjm"
        combine, identity = _operation(operation, type, unsigned)
        if how == "clustered_":
            return _clustered(combine, operation)
        return _scan(kind, combine, identity, operation)
    if name in ("all", "non_uniform_all"):
        return lambda deposits, _: [int(all(value for (value,) in deposits))] * len(deposits)
    if name in ("any", "non_uniform_any"):
        return lambda deposits, _: [int(any(value for (value,) in deposits))] * len(deposits)
    if name == "non_uniform_all_equal":
        return lambda deposits, _: [int(all(own == deposits[0] for own in deposits))] * len(deposits)
    if name == "elect":
        return lambda deposits, _: [int(at == 0) for at in range(len(deposits))]
    if name == "ballot":
        return _ballot
    if name in ("broadcast", "non_uniform_broadcast"):
        return _broadcast
    if name == "broadcast_first":
        return lambda deposits, _: [deposits[0][0]] * len(deposits)
    return _shuffle(name, poison_of(type))


def _ballot(deposits: list[list[Any]], largest: int) -> list[Any]:
    bits = sum((value != 0) << at for at, (value,) in enumerate(deposits))
    return [(bits, *[0] * (_BALLOT - 1))] * len(deposits)


def _broadcast(deposits: list[list[Any]], largest: int) -> list[Any]:
    if _any_poison([own[1] for own in deposits]) or any(own[1] != deposits[0][1] for own in deposits):
        raise UndefinedBehaviour("the index of a sub-group broadcast is not uniform")
    at = deposits[0][1]
    if at >= len(deposits):
        raise UndefinedBehaviour(f"broadcast from work-item {at}, which is not in the sub-group")
    return [deposits[at][0]] * len(deposits)


def _shuffle(name: str, outside: Any) -> Meaning:
    def source(own: int, operands: list[Any], largest: int) -> int:
        amount = operands[1]
        match name:
            case "shuffle":
                return int(amount)
            case "shuffle_xor":
                return own ^ amount
            case "shuffle_up":
                return own - amount
            case "shuffle_down":
                return own + amount
        signed = amount - (1 << 32) if amount >> 31 else amount
        if name == "rotate":
            return (own + signed) % largest
        cluster = operands[2]
        return own // cluster * cluster + (own + signed) % cluster

    def shuffled(deposits: list[list[Any]], largest: int) -> list[Any]:
        results = []
        for own, operands in enumerate(deposits):
            at = -1 if _any_poison(operands[1:]) else source(own, operands, largest)
            results.append(deposits[at][0] if 0 <= at < len(deposits) else outside)
        return results

    return shuffled


def _any_poison(values: list[Any]) -> bool:
    return any(value is POISON for value in values)


def _truths(values: list[Any], operation: str) -> list[Any]:
    if not operation.startswith("logical_"):
        return values
    return [value if value is POISON else int(value != 0) for value in values]


def _scan(kind: str, combine: Callable[[Any, Any], Any], identity: Any, operation: str) -> Meaning:
    def scanned(deposits: list[list[Any]], largest: int) -> list[Any]:
        inclusive = list(accumulate(_truths([value for (value,) in deposits], operation), combine))
        if kind == "reduce":
            return inclusive[-1:] * len(deposits)
        return inclusive if kind == "scan_inclusive" else [identity, *inclusive[:-1]]

    return scanned


def _clustered(combine: Callable[[Any, Any], Any], operation: str) -> Meaning:
    def reduced(deposits: list[list[Any]], largest: int) -> list[Any]:
        size = deposits[0][1]
        values = _truths([value for value, _ in deposits], operation)
        totals = [
            list(accumulate(values[at : at + size], combine))[-1] for at in range(0, len(deposits), size)
        ]
        return [totals[at // size] for at in range(len(deposits))]

    return reduced


def _operation(name: str, type: Type, unsigned: bool) -> tuple[Callable[[Any, Any], Any], Any]:
    """Return a function of two values, and its identity."""
    if name in ("add", "min", "max"):
        return combining(name, type, unsigned)
    bare = name.removeprefix("logical_")
    if isinstance(type, FloatType):
        return _defined(floating.binary("fmul", type.kind)), 1.0
    assert isinstance(type, IntType)
    ones = (1 << type.bits) - 1
    if bare == "mul":
        return _defined(lambda a, b: a * b & ones), 1
    if bare == "and":
        return _defined(lambda a, b: a & b), 1 if bare != name else ones
    return _defined((lambda a, b: a | b) if bare == "or" else (lambda a, b: a ^ b)), 0


def _defined(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda a, b: POISON if a is POISON or b is POISON else function(a, b)
