"""Modulo-schedule the operations of a loop (Lam, PLDI 1988; Rau, MICRO 1994).

Operations of one iteration get the cycles `t`; those of the next iteration start `interval` cycles later. The
resources that all iterations use in a cycle are those that one iteration uses in the cycles equal modulo the
interval: the modulo reservation table. An operation with cycle t belongs to *stage* t // interval.

The table covers units, operand buses and long immediates. `port_bound` checks afterwards whether register
ports suffice for the values that live across steps. `schedule.py` finds the exact transports when it
schedules the loop that `pipeline.py` generates from the stages. That loop is a block, and no result may be in
flight at the end of a block: an operation starts early enough in its stage for its result to arrive within
it.

Operations are placed in program order, as early as possible, and then moved towards their users, so that few
values live across stages. There is no backtracking: if a recurrence leaves no cycle, the interval grows.
Time: operations times the interval, for each interval that is tried.
"""

from collections.abc import Iterator, Mapping, Sequence

from weft.dataclasses import dataclass
from weft.ir import Instruction

from .code import SELECT, Access, Block, Operation, Value
from .machine import Machine
from .operations import OPERATIONS

# Extra cycle for the move to a boolean register that a guard requires.
TO_GUARD = 1


@dataclass(frozen=True)
class Dependence:
    """Operation `target` starts at least `delay` cycles after `source` of the iteration `distance` before."""

    source: int
    target: int
    delay: int
    distance: int


@dataclass(frozen=True)
class ModuloSchedule:
    """The cycle of each operation of a block, and the initiation interval.

    `lead`: the branch at the end of a step uses the condition of the step `lead` steps before. Operations of
    earlier stages execute for iterations that may not exist, so they must not access memory.
    """

    interval: int
    cycles: tuple[int, ...]
    lead: int

    @property
    def stages(self) -> int:
        """The number of iterations that overlap."""
        return max(self.cycles, default=0) // self.interval + 1

    def stage(self, number: int) -> int:
        """Return the stage of an operation."""
        return self.cycles[number] // self.interval

    def order(self) -> list[int]:
        """Return the operations in the order of a step of the loop: by cycle, older iterations first."""
        rows = [(c % self.interval, -(c // self.interval), n) for n, c in enumerate(self.cycles)]
        return [n for _, _, n in sorted(rows)]


class LoopOperations:
    """Constraints on overlapping the iterations of a block that branches to itself."""

    def __init__(self, block: Block, machine: Machine) -> None:
        self.block, self.machine = block, machine
        self.operations = block.operations
        self.number_of = {o.result: n for n, o in enumerate(self.operations) if o.result is not None}
        self.phis = {phi.result: phi for phi in block.phis}
        self.units = [machine.units_for(o.name) if o.name != SELECT else () for o in self.operations]
        self.latency = [self._latency(n) for n in range(len(self.operations))]
        self.dependences = list(self._dependences())
        self.before: list[list[Dependence]] = [[] for _ in self.operations]
        self.after: list[list[Dependence]] = [[] for _ in self.operations]
        for dependence in self.dependences:
            self.before[dependence.target].append(dependence)
            self.after[dependence.source].append(dependence)
        self.condition = self.number_of.get(block.condition) if block.condition is not None else None

    def _latency(self, number: int) -> int:
        name = self.operations[number].name
        if name == SELECT:
            return 1
        return max((self.machine.units[unit].operations[name] for unit in self.units[number]), default=1)

    # ---- dependences

    def _dependences(self) -> Iterator[Dependence]:
        for number, operation in enumerate(self.operations):
            guards = {operation.guard[0]} if operation.guard is not None else set()
            if operation.name == SELECT:
                guards |= {o for o in operation.operands[:1] if isinstance(o, Value)}
            for value in dict.fromkeys(operation.values()):
                source = self.source_of(value)
                if source is not None:
                    delay = self.latency[source[0]] + (TO_GUARD if value in guards else 0)
                    yield Dependence(source[0], number, delay, source[1])
        yield from self._memory_dependences()

    def source_of(self, value: Value) -> tuple[int, int] | None:
        """Return the operation of the block that computes a value and how many iterations before, or None."""
        seen: set[Value] = set()
        distance = 0
        while value in self.phis and value not in seen:
            seen.add(value)
            distance += 1
            operand = self.phis[value].incoming[self.block]
            if not isinstance(operand, Value):
                return None
            value = operand
        number = self.number_of.get(value)
        return None if number is None else (number, distance)

    def _memory_dependences(self) -> Iterator[Dependence]:
        accesses = [(n, o.access, bool(OPERATIONS[o.name].stores)) for n, o in enumerate(self.operations)
                    if o.access is not None]  # fmt: skip
        for place, (a, first, first_stores) in enumerate(accesses):
            for other, (b, second, second_stores) in enumerate(accesses):
                if not (first_stores or second_stores):
                    continue
                if place < other and first.may_alias(second):
                    yield Dependence(a, b, int(first_stores), 0)
                if may_alias_later(first, second, self.block.parallel):
                    yield Dependence(a, b, int(first_stores), 1)

    # ---- bounds

    def resource_bounds(self) -> Mapping[str, int]:
        """Return the cycles that each resource needs for one iteration."""
        counts: dict[tuple[int, ...], int] = {}
        for units in self.units:
            if units:
                counts[units] = counts.get(units, 0) + 1
        bounds = {
            self.machine.units[units[0]].kind: -(-count // len(units)) for units, count in counts.items()
        }
        bounds["buses"] = -(-sum(len(o.operands) for o in self.operations) // self.machine.buses)
        long = sum(self._long(o) for o in self.operations)
        bounds["long immediates"] = -(-long // self.machine.long_immediates)
        # A step is a block: its jump has delay slots, and results must arrive before its end.
        bounds["jump"] = self.machine.delay_slots + 1
        bounds["latency"] = 1 + max(self.latency, default=0)
        return bounds

    def _long(self, operation: Operation) -> int:
        return sum(isinstance(o, int) and not self.machine.is_short(o) for o in operation.operands)

    def recurrence_bound(self, most: int) -> int:
        """Return the least interval that all recurrences allow, or `most` + 1 if it exceeds `most`."""
        low, high = 1, most + 1
        while low < high:
            middle = (low + high) // 2
            if self._earliest(middle) is None:
                low = middle + 1
            else:
                high = middle
        return low

    def _earliest(self, interval: int) -> list[int] | None:
        """Return the earliest cycles that dependences allow, or None if a recurrence exceeds the interval."""
        cycles = [0] * len(self.operations)
        for _ in range(len(self.operations) + 1):
            changed = False
            for d in self.dependences:
                least = cycles[d.source] + d.delay - d.distance * interval
                if least > cycles[d.target]:
                    cycles[d.target] = least
                    changed = True
            if not changed:
                return cycles
            if max(cycles) > len(self.operations) * 16:
                return None
        return None

    def port_bound(self, plan: "ModuloSchedule") -> int:
        """Return the cycles that register ports need for a step of a plan if all other values are bypassed.

        A value that a later step needs is written to a register in each step over which it lives.
        """
        reads = {False: 0, True: 0}
        writes = {False: 0, True: 0}
        spans = [0] * len(self.operations)
        for number, operation in enumerate(self.operations):
            for operand in operation.operands:
                source = self.source_of(operand) if isinstance(operand, Value) else None
                if source is not None:
                    steps = plan.stage(number) + source[1] - plan.stage(source[0])
                    spans[source[0]] = max(spans[source[0]], steps)
                    if steps and isinstance(operand, Value):
                        reads[operand.boolean] += 1
            if operation.name == SELECT and operation.result is not None:
                writes[operation.result.boolean] += 2
        for operation, span in zip(self.operations, spans, strict=True):
            if operation.result is not None and span:
                writes[operation.result.boolean] += span
                reads[operation.result.boolean] += span - 1
        bound = 1
        for boolean in (False, True):
            files = [f for f in self.machine.files if f.boolean is boolean]
            for count, ports in (
                (reads[boolean], sum(f.read_ports for f in files)),
                (writes[boolean], sum(f.write_ports for f in files)),
            ):
                bound = max(bound, -(-count // ports))
        return bound

    # ---- placing

    def schedule(self, interval: int) -> ModuloSchedule | None:
        """Return a schedule for an interval, or None if none is found."""
        earliest = self._earliest(interval)
        if earliest is None or self.condition is None:
            return None
        jump = earliest[self.condition] + self.latency[self.condition] + TO_GUARD
        lead = int(jump + 1 + self.machine.delay_slots > interval)
        attempt = _Attempt(self, interval, lead)
        if not attempt.place_all(earliest):
            return None
        attempt.sink()
        return ModuloSchedule(interval, tuple(attempt.cycles), lead)


def may_alias_later(first: Access, second: Access, parallel: frozenset[int]) -> bool:
    """Return whether an access may alias another one of a later iteration.

    Iterations of a work-item loop are independent in the regions in `parallel`. In other loops work-items are
    not distinguished: there may be a barrier between two iterations.
    """
    regions = {access.item[0] if access.item is not None else -1 for access in (first, second)}
    if len(regions) == 1 and regions <= parallel:
        return False
    if varies(first) or varies(second):
        return Access(first.kind, None, 0, 1).may_alias(Access(second.kind, None, 0, 1))
    return Access(first.kind, first.stem, first.offset, first.size).may_alias(
        Access(second.kind, second.stem, second.offset, second.size)
    )


def varies(access: Access) -> bool:
    """Return whether the base address of an access may differ between iterations."""
    return isinstance(access.stem, Instruction)


class _Attempt:
    """An attempt to schedule at one interval, with its modulo reservation table."""

    def __init__(self, loop: LoopOperations, interval: int, lead: int) -> None:
        self.loop, self.interval, self.lead = loop, interval, lead
        self.cycles: list[int] = [-1] * len(loop.operations)
        self.on: list[int] = [-1] * len(loop.operations)
        self.units: set[tuple[int, int]] = set()
        self.buses = [0] * interval
        self.long = [0] * interval

    def place_all(self, earliest: Sequence[int]) -> bool:
        for number in range(len(self.loop.operations)):
            first, last = self._window(number)
            first = max(first, earliest[number])
            # Each row of the table occurs once per interval.
            for cycle in range(first, min(last, first + self.interval - 1) + 1):
                if self._put(number, cycle):
                    break
            else:
                return False
        return True

    def sink(self) -> None:
        """Move operations towards the first operation that uses their results."""
        for number in reversed(range(len(self.loop.operations))):
            if not any(d.source != d.target for d in self.loop.after[number]):
                continue
            now = self.cycles[number]
            self._take_back(number)
            _, last = self._window(number)
            for cycle in range(min(last, now + 4 * self.interval), now - 1, -1):
                if self._put(number, cycle):
                    break

    def _window(self, number: int) -> tuple[int, int]:
        """Return the first and last cycle that the operations placed so far allow."""
        operation = self.loop.operations[number]
        first, last = 0, 1 << 30
        if operation.access is not None:
            first = self.lead * self.interval
        for d in self.loop.before[number]:
            if d.source != number and self.cycles[d.source] >= 0:
                first = max(first, self.cycles[d.source] + d.delay - d.distance * self.interval)
        for d in self.loop.after[number]:
            if d.target != number and self.cycles[d.target] >= 0:
                last = min(last, self.cycles[d.target] + d.distance * self.interval - d.delay)
        if number == self.loop.condition:
            slots = 0 if self.lead else 1 + self.loop.machine.delay_slots
            last = min(last, self.interval - self.loop.latency[number] - TO_GUARD - slots)
        return first, last

    def _put(self, number: int, cycle: int) -> bool:
        loop, row = self.loop, cycle % self.interval
        operation = loop.operations[number]
        if operation.result is not None and row + loop.latency[number] >= self.interval:
            return False
        moves, long = len(operation.operands), loop._long(operation)
        if (
            self.buses[row] + moves > loop.machine.buses
            or self.long[row] + long > loop.machine.long_immediates
        ):
            return False
        unit = next((u for u in loop.units[number] if (u, row) not in self.units), -1)
        if unit < 0 and loop.units[number]:
            return False
        self.units.add((unit, row))
        self.buses[row] += moves
        self.long[row] += long
        self.cycles[number], self.on[number] = cycle, unit
        return True

    def _take_back(self, number: int) -> None:
        operation, row = self.loop.operations[number], self.cycles[number] % self.interval
        self.units.discard((self.on[number], row))
        self.buses[row] -= len(operation.operands)
        self.long[row] -= self.loop._long(operation)
        self.cycles[number] = -1
