"""Find loops in which a work-item may wait for another one: spin locks, flags, tickets.

Such a loop *observes* memory that others write: it has an atomic or volatile access, or a fence after which
plain loads read what others have stored. It may wait if it is left only when an observation says so:

    while (atomic_load(flag) == 0);                       waits
    while (atomic_cmpxchg(lock, 0, 1) != 0);              waits
    for (i = 0; i < n; i++) atomic_inc(bins + data[i]);   does not: n iterations whatever others do
    while (atomic_inc(next) < n) { … }                    does not: it counts itself
    do { old = *p; } while (atomic_cmpxchg(p, old, f(old)) != old);      does not: it is lock-free

The last one continues only if the exchange fails, so another work-item has changed the value in between and
has made progress itself. A loop that passes a work-group barrier in each iteration does not wait either,
since the others reach the barrier. The result errs on the side of waiting: an exit depends on an observation
if its condition is computed from one, or if a branch in the loop that may control the exit is, also where
values go through private variables, or through shared memory that the loop stores to.

Independent forward progress of sub-groups (OpenCL, `cl_khr_subgroups`) concerns only these loops. A loop that
polls memory by plain loads without a fence has a data race, and LLVM may hoist the load. Linear in the size
of the loops times their nesting depth.
"""

from functools import cached_property

from weft.ir import Block, Function, Instruction, Value
from weft.ir.address_spaces import OVERLAPPING_SPACES, PRIVATE
from weft.ir.dominators import DominatorTree, dominators
from weft.ir.graph import reachable
from weft.ir.loops import Loop, loop_forest
from weft.ir.slices import chain_start
from weft.ir.types import PointerType
from weft.ir.values import ConstantInt
from weft.lazy_pattern import lazy_pattern

from .group_functions import group_function
from .memory_effects import base_of, derived_from, is_atomic_function, is_own_function
from .work_items import is_work_group_barrier

_FENCES = ("mem_fence", "work_item_fence")
_COUNTS = lazy_pattern(r"ato(?:m|mic)_(?:fetch_)?(inc|dec|add|sub)")
_COPIES = ("bitcast", "freeze", "addrspacecast")


def waiting_loops(function: Function, calls_observe: bool = False) -> frozenset[Block]:
    """Return the headers of loops that may wait, and the blocks of irreducible cycles that observe memory.

    `calls_observe`: called functions may observe memory.
    """
    if not any(is_observation(i, calls_observe) or is_fence(i) for i in function.instructions()):
        return frozenset()
    forest = loop_forest(function)
    observing = _Observing(dominators(function), calls_observe)
    blocks = {loop.header for loop in forest.loops if observing.waits(loop)}
    for cycle in forest.irreducible:
        if any(is_observation(i, calls_observe) for block in cycle for i in block.instructions):
            blocks |= cycle
    return frozenset(blocks)


def is_observation(i: Instruction, calls_observe: bool = False) -> bool:
    """Whether an instruction reads a value that other work-items may change at any time."""
    match i.opcode:
        case "load":
            return i.is_ordered
        case "atomicrmw" | "cmpxchg":
            return True
        case "call":
            return is_atomic_function(i) or (calls_observe and _is_of_program(i))
    return False


def _is_of_program(call: Instruction) -> bool:
    """Whether a call is of a function of the program, whose body may be in another module."""
    callee = call.called_function
    return is_own_function(call) or (callee is not None and not callee.is_declaration)


def is_fence(i: Instruction) -> bool:
    """Whether plain loads after an instruction read what other work-items have stored before."""
    return i.opcode == "fence" or (i.opcode == "call" and any(name in i.callee_name for name in _FENCES))


class _Observing:
    def __init__(self, tree: DominatorTree, calls_observe: bool) -> None:
        self._tree, self._calls_observe = tree, calls_observe

    def waits(self, loop: Loop) -> bool:
        """Whether a work-item may stay in a loop until another one has done something."""
        seen = {i for i in loop.instructions() if is_observation(i, self._calls_observe)}
        if any(map(is_fence, loop.instructions())):
            seen |= {i for i in loop.instructions() if i.opcode == "load"}
        if not seen or self._passes_barrier(loop) or self._is_lock_free(loop):
            return False
        return self._exits_depend_on(seen - _counting(seen), loop)

    def _passes_barrier(self, loop: Loop) -> bool:
        """Whether each iteration passes a barrier of the work-group."""
        barriers = (
            block
            for block in loop.blocks
            for i in block.instructions
            if is_work_group_barrier(i) or group_function(i.callee_name) is not None
        )
        return any(all(self._tree.dominates(b, latch) for latch in loop.latches) for b in barriers)

    def _exits_depend_on(self, seen: set[Instruction], loop: Loop) -> bool:
        """Whether an exit condition, or a branch that controls an exit, is computed from an observation."""
        choices = [b.terminator.operands[0] for b in loop.blocks if len(b.successors()) > 1]
        chosen = False
        work: list[Value] = []
        for block in loop.exiting:
            work.append(block.terminator.operands[0])
            if not all(self._tree.dominates(block, latch) for latch in loop.latches):
                chosen = True
        visited: set[Value] = set()
        shared = _Stored(loop)
        while work or chosen:
            if not work:
                work, choices, chosen = choices, [], False
                continue
            value = work.pop()
            if value in visited or not isinstance(value, Instruction) or value.parent not in loop:
                continue
            if value in seen:
                return True
            visited.add(value)
            work += value.operands
            stored = _stored_to_private(value, loop) + shared.read_by(value)
            work += stored
            chosen |= bool(stored)
            # The value of a phi depends on branches, unless it is that of the previous iteration.
            chosen |= value.opcode == "phi" and not (value.block is loop.header and loop.latch is not None)
        return False

    def _is_lock_free(self, loop: Loop) -> bool:
        """Whether each further iteration means that an exchange failed because others made progress."""
        return all(self._follows_failure(latch, loop) for latch in loop.latches)

    def _follows_failure(self, latch: Block, loop: Loop) -> bool:
        block: Block | None = latch
        following = loop.header
        while block is not None and block in loop:
            terminator = block.terminator
            if terminator.opcode == "br" and len(terminator.operands) == 3:
                condition, yes, no = terminator.operands
                if yes is not no:
                    alone = following is loop.header or following.predecessors() == [block]
                    if alone and following is yes and _implies_failure(condition, True, loop):
                        return True
                    if alone and following is no and _implies_failure(condition, False, loop):
                        return True
            following = block
            block = self._tree.idom(block)
        return False


def _counting(seen: set[Instruction]) -> set[Instruction]:
    """Return the observed counters that the loop itself moves in one direction, so that it ends by itself."""
    steps = {i: _step(i) for i in seen}
    counters = set()
    for counter, step in steps.items():
        place = base_of(_location(counter)) if step else None
        if place is not None and all(
            other == step or base_of(_location(i)) not in (place, None) for i, other in steps.items()
        ):
            counters.add(counter)
    return counters


def _step(i: Instruction) -> int:
    """Return 1 or -1 if an instruction atomically adds or subtracts a constant; 0 for others."""
    if i.opcode == "atomicrmw":
        name, operand = str(i.attributes["operation"]), i.operands[1]
    elif i.opcode == "call" and is_atomic_function(i):
        match = _COUNTS.search(i.callee_name)
        if match is None:
            return 0
        name = match[1]
        if name in ("inc", "dec"):
            return 1 if name == "inc" else -1
        operand = i.arguments[1]
    else:
        return 0
    if name not in ("add", "sub") or not isinstance(operand, ConstantInt) or not operand.value:
        return 0
    return 1 if (operand.signed > 0) == (name == "add") else -1


def _location(i: Instruction) -> Value:
    return i.arguments[0] if i.opcode == "call" and i.arguments else i.operands[0]


def _stored_to_private(load: Instruction, loop: Loop) -> list[Value]:
    """Return what a load from private memory may read: values stored in the loop, and calls that store."""
    if load.opcode != "load":
        return []
    stored: list[Value] = []
    for root in _roots(load.operands[0]):
        if isinstance(root, Instruction) and root.opcode == "alloca":
            users = (user for pointer in derived_from(root) for user in pointer.users)
            writers = [u for u in users if u.opcode in ("store", "call") and u.parent in loop]
            stored += [u.operands[0] if u.opcode == "store" else u for u in writers]
    return stored


class _Stored:
    """The values that a loop stores to shared memory, from which its own loads may read them."""

    def __init__(self, loop: Loop) -> None:
        self._loop = loop
        self._returned: set[tuple[int, Value | None]] = set()

    @cached_property
    def _stores(self) -> dict[tuple[int, Value | None], list[Value]]:
        """Stored values by address space and base."""
        found: dict[tuple[int, Value | None], list[Value]] = {}
        for i in self._loop.instructions():
            if i.opcode == "store":
                found.setdefault(_place(i.operands[1]), []).append(i.operands[0])
            elif is_observation(i) and i.opcode != "load" and isinstance(_location(i).type, PointerType):
                found.setdefault(_place(_location(i)), []).extend(i.operands)
        return found

    def read_by(self, load: Instruction) -> list[Value]:
        """Return what a load may read of them; nothing for a further load from the same place."""
        if load.opcode != "load":
            return []
        space, base = wanted = _place(load.operands[0])
        if space == PRIVATE or wanted in self._returned:
            return []
        self._returned.add(wanted)
        return [
            value
            for (other, its_base), values in self._stores.items()
            if space in OVERLAPPING_SPACES[other] and (base is its_base or base is None or its_base is None)
            for value in values
        ]


def _place(pointer: Value) -> tuple[int, Value | None]:
    """Return the address space and the base of a pointer."""
    assert isinstance(pointer.type, PointerType)
    return pointer.type.space, base_of(pointer)


def _roots(pointer: Value) -> list[Value]:
    """Return the values that a pointer is computed from."""
    steps = ("getelementptr", "phi", "select", *_COPIES)

    def sources(value: Value) -> list[Value]:
        return value.operands if isinstance(value, Instruction) and value.opcode in steps else []

    return list(reachable([pointer], sources))


def _implies_failure(condition: Value, truth: bool, loop: Loop) -> bool:
    """Whether a condition is `truth` only if a compare-and-exchange of a fresh value has failed."""
    work = [(condition, truth)]
    while work:
        value, truth = work.pop()
        if not isinstance(value, Instruction) or value.parent not in loop:
            continue
        if value.opcode == "xor" and _is_one(value.operands[1]):
            work.append((value.operands[0], not truth))
        elif value.opcode == "freeze":
            work.append((value.operands[0], truth))
        elif value.opcode == "icmp" and value.attributes["predicate"] in ("eq", "ne"):
            if truth == (value.attributes["predicate"] == "ne") and _compares_old(value, loop):
                return True
            one, zero = value.operands
            if isinstance(zero, ConstantInt) and zero.value == 0:
                work.append((one, truth == (value.attributes["predicate"] == "ne")))
        elif value.opcode in ("zext", "trunc"):
            work.append((value.operands[0], truth))
        elif value.opcode == "and" and truth:
            work += [(o, True) for o in value.operands]
        elif value.opcode == "or" and not truth:
            work += [(o, False) for o in value.operands]
        elif value.opcode == "select":
            chosen, yes, no = value.operands
            if truth and isinstance(no, ConstantInt) and not no.value:
                work += [(chosen, True), (yes, True)]
            elif not truth and _is_one(yes):
                work += [(chosen, False), (no, False)]
        elif not truth and _has_succeeded(value, loop):
            return True
    return False


def _is_one(value: Value) -> bool:
    return isinstance(value, ConstantInt) and bool(value.value)


def _compares_old(comparison: Instruction, loop: Loop) -> bool:
    """Whether two values are the result of a compare-and-exchange and the value that it expected."""
    for old, expected in (comparison.operands, reversed(comparison.operands)):
        exchange = _exchange_of(old)
        if exchange is not None and exchange.parent in loop:
            pointer, wanted, *_ = exchange.operands if exchange.opcode == "cmpxchg" else exchange.arguments
            if not wanted.type.is_pointer and chain_start(wanted, _COPIES) is chain_start(expected, _COPIES):
                return _is_fresh(wanted, pointer, exchange, loop)
    return False


def _exchange_of(value: Value) -> Instruction | None:
    """Return the compare-and-exchange that returned a value as the old one, if any."""
    value = chain_start(value, _COPIES)
    if not isinstance(value, Instruction):
        return None
    if value.opcode == "extractvalue" and value.attributes.get("indices") == (0,):
        value = value.operands[0]
    if not isinstance(value, Instruction):
        return None
    named = any(name in value.callee_name for name in ("atomic_cmpxchg", "atom_cmpxchg"))
    return value if value.opcode == "cmpxchg" or named else None


def _has_succeeded(value: Instruction, loop: Loop) -> bool:
    """Whether a value tells that a compare-and-exchange of a fresh value has succeeded."""
    if value.opcode == "extractvalue" and value.attributes.get("indices") == (1,):
        exchange = value.operands[0]
        if (
            not isinstance(exchange, Instruction)
            or exchange.opcode != "cmpxchg"
            or exchange.parent not in loop
        ):
            return False
        return _is_fresh(exchange.operands[1], exchange.operands[0], exchange, loop)
    if "atomic_compare_exchange" not in value.callee_name:
        return False
    pointer, expected, *_ = value.arguments
    place = chain_start(expected, _COPIES)
    if not isinstance(place, Instruction) or place.opcode != "alloca":
        return False
    for derived in derived_from(place):
        for user in derived.users:
            if user.parent not in loop or user is value or user.opcode in ("load", *_COPIES):
                continue
            if user.opcode != "store" or not _is_fresh(user.operands[0], pointer, value, loop):
                return False
    return True


def _is_fresh(value: Value, pointer: Value, exchange: Instruction, loop: Loop) -> bool:
    """Whether a value was read from a pointer in this iteration or the previous one."""
    visited: set[Value] = set()
    work = [value]
    while work:
        value = chain_start(work.pop(), _COPIES)
        if value in visited:
            continue
        visited.add(value)
        if not isinstance(value, Instruction) or value.parent not in loop:
            return False
        if value.opcode == "phi":
            work += [v for v, source in value.incoming() if source in loop]
        elif value.opcode == "load" or "atomic_load" in value.callee_name:
            operands = value.operands if value.opcode == "load" else value.arguments
            if chain_start(operands[0], _COPIES) is not chain_start(pointer, _COPIES):
                return False
        elif _exchange_of(value) is not exchange:
            return False
    return True
