"""Schedule a block: the start cycle and unit of each operation, and the transports of its operands.

Operations are placed in program order, each as early as its operands, the units, ports, buses and registers
allow, possibly before operations that were placed earlier. So the operations of a work-item fill the gaps
that earlier work-items left.

- *Bypassing* and *operand sharing* save moves (`transports.py`).
- *Dead results*: a result is written to a register only if the unit produces another result before its last
  use, and that move is removed if the register is never read.
- A result that a later block or iteration needs goes directly to its register, once the old value has been
  read (`block_end.py`).

Program order bounds the number of live values, so the search always terminates: with enough cycles every
operation can be placed, if there are enough registers for program order (`pressure.py`).
"""

from bisect import bisect_left, bisect_right

from .allocate import BlockRegisters
from .block_end import BlockEnd
from .code import SELECT, Access, Block, Operand, Operation, Value
from .errors import Refused
from .machine import Machine
from .operations import OPERATIONS
from .program import FromUnit, ScheduledBlock, ToRegister, ToUnit
from .reservations import SEARCH_CYCLES, Place, UnitPlan
from .transports import EARLY

FOREVER = 1 << 40
# Operations are placed at most this many cycles before the latest one: earlier gaps are few, and searching
# them takes time.
WINDOW = 48


def schedule(
    block: Block,
    registers: BlockRegisters,
    machine: Machine,
    numbers: dict[Block, int],
    following: Block | None,
) -> ScheduledBlock:
    """Schedule a block. `following` is the block that control falls through to."""
    return _Scheduler(block, registers, machine).run(numbers, following)


class _Scheduler(BlockEnd):
    def __init__(self, block: Block, registers: BlockRegisters, machine: Machine) -> None:
        super().__init__(block, registers, machine)
        self.units_for = {o.name: machine.units_for(o.name) for o in block.operations if o.name != SELECT}
        self.memory: list[tuple[Access, int, bool]] = []
        """The accesses so far, with their cycles and whether they store."""
        self.latest = self.floor = 0

    def run(self, numbers: dict[Block, int], following: Block | None) -> ScheduledBlock:
        for number, operation in enumerate(self.block.operations):
            if operation.name == SELECT:
                self._place_select(operation)
            else:
                self._place(operation, number)
            self._used(operation)
        self._place_outputs()
        length, falls = self._place_jumps(numbers, following)
        self.statistics.operations = sum(o.name != SELECT for o in self.block.operations)
        moves = sorted(self.moves.values(), key=lambda move: move.cycle)
        used_buses: dict[int, int] = {}
        for move in moves:
            move.bus = used_buses.get(move.cycle, 0)
            used_buses[move.cycle] = move.bus + 1
            if isinstance(move.source, FromUnit):
                self.statistics.bypassed += isinstance(move.destination, ToUnit)
        return ScheduledBlock(self.block.name, moves, length, falls, self.statistics)

    def _place(self, operation: Operation, number: int) -> None:
        first = self._bounds(operation)
        units = self.units_for[operation.name]
        for cycle in range(first, first + SEARCH_CYCLES):
            if self.buses.get(cycle, 0) >= self.machine.buses:
                continue
            free = [unit for unit in units if cycle not in self.units[unit].triggers]
            if len(free) > 1:
                free.sort(key=lambda unit: self._rank(unit, operation, cycle))
            for unit in free:
                start = len(self.log)
                if self._try(operation, number, cycle, unit):
                    self.log.clear()
                    self._advance(cycle)
                    if operation.access is not None:
                        stores = bool(OPERATIONS[operation.name].stores)
                        self.memory.append((operation.access, cycle, stores))
                    return
                self._undo(start)
        raise Refused(
            f"{operation} of block {self.block.name} cannot be scheduled: too few registers or buses"
        )

    def _place_select(self, operation: Operation) -> None:
        """Schedule a select as two moves to one register, guarded by the condition and by its complement."""
        condition, yes, no = operation.operands
        assert isinstance(condition, Value)
        assert operation.result is not None
        place = self.places[operation.result]
        first = self._bounds(operation)
        guard_place = self.places[condition]
        first = max(
            first, guard_place.ready + 1 if guard_place.register is None else guard_place.register_from
        )
        for start in range(first, first + SEARCH_CYCLES):
            mark = len(self.log)
            if self._try_select(place, condition, yes, no, start):
                self.log.clear()
                return
            self._undo(mark)
        raise Refused(
            f"{operation} of block {self.block.name} cannot be scheduled: too few registers or buses"
        )

    def _try(self, operation: Operation, number: int, cycle: int, unit: int) -> bool:
        """Plan an operation in a cycle on a unit; return False, with a partial plan, if that is
        impossible."""
        state, latency = self.units[unit], self.machine.units[unit].operations[operation.name]
        operands = list(operation.operands)
        if not self._guarded(operation.guard, cycle):
            return False
        held = [self._held(state, operand, cycle) is not None for operand in operands]
        if OPERATIONS[operation.name].commutes and held == [True, False]:
            operands.reverse()
        if not self._bring_all(operation, operands, number, cycle, unit):
            return False
        self._set(state.triggers, cycle, number)
        if len(operands) > 1:
            self._set(state.pairs, cycle, number)
        if operation.result is None:
            return True
        place = self.places[operation.result]
        arrival = cycle + latency
        if arrival in state.results:
            return False
        before = self._before(state, arrival)
        if before is not None:
            if before.output_read >= arrival:
                return False
            uses = sum(1 for o in operation.operands if isinstance(o, Value) and self.places[o] is before)
            if operation.guard is not None and self.places[operation.guard[0]] is before:
                uses += 1
            kept = before.pending <= uses or before.register is not None
            if not kept and not self._to_register(before, before.ready, arrival - 1):
                return False
            self._set(before, "end", arrival)
        number_after = bisect_right(state.arrivals, arrival)
        after = state.arrivals[number_after] if number_after < len(state.arrivals) else FOREVER
        self._set(place, "unit", unit)
        self._set(place, "number", number)
        self._set(place, "ready", arrival)
        self._set(place, "end", after)
        self._set(state.results, arrival, place)
        self._insert(state.arrivals, arrival)
        return after == FOREVER or not place.pending or self._to_register(place, arrival, after - 1)

    def _try_select(self, place: Place, condition: Value, yes: Operand, no: Operand, start: int) -> bool:
        if not self._guarded((condition, True), start):
            return False
        moves: list[tuple[Operand, bool]] = [(no, False), (yes, True)]
        register = self._register_for(place, start)
        if register is None:
            return False
        # If the register already holds one of the two values, the select is a single move.
        for number, output in enumerate(place.targets):
            for operand, polarity in ((no, False), (yes, True)):
                if not isinstance(operand, Value):
                    continue
                old = self.places[operand]
                alone = old.pending - (yes is no) == 1 and self.residents.get(output.register) is old
                if number == 0 and alone and old.register == output.register and start >= old.read:
                    register, moves = output.register, [(no if polarity else yes, not polarity)]
        last = start
        for operand, polarity in moves:
            for cycle in range(start, start + 8):
                if not self._can_write(register[0], cycle):
                    continue
                mark = len(self.log)
                source = self._source(operand, cycle)
                if source is not None and self._guarded((condition, polarity), cycle):
                    self._write_port(register[0], cycle)
                    self._move(cycle, source, ToRegister(register), (condition, polarity))
                    last = max(last, cycle)
                    break
                self._undo(mark)
            else:
                return False
        self._take(place, register, last, None)
        return True

    def _bounds(self, operation: Operation) -> int:
        """Return the first cycle that the operands, guard and earlier accesses of an operation allow."""
        first = self.floor
        for operand in operation.operands:
            if isinstance(operand, Value):
                first = max(first, self.places[operand].available)
        if operation.guard is not None:
            place = self.places[operation.guard[0]]
            first = max(first, place.register_from if place.register is not None else place.ready + 1)
        if operation.access is not None:
            stores = bool(OPERATIONS[operation.name].stores)
            for access, cycle, stored in self.memory:
                if (stored or stores) and cycle + stored > first and access.may_alias(operation.access):
                    first = cycle + stored
        return first

    def _advance(self, cycle: int) -> None:
        """Drop information about cycles in which no operation can be placed any more."""
        if cycle > self.latest:
            self.latest = cycle
            floor = max(cycle - WINDOW, 0)
            if floor >= self.floor + WINDOW:
                self.memory = [entry for entry in self.memory if entry[1] + entry[2] > floor]
                for unit in self.units:
                    unit.holds = {hold: 1 for hold in unit.holds if hold[1] >= floor - EARLY}
            self.floor = floor

    def _rank(self, unit: int, operation: Operation, cycle: int) -> int:
        """Return the cost of a unit: a result that must move to a register, an operand that is not on the
        input."""
        state = self.units[unit]
        bad = 0
        before = self._before(state, cycle + self.machine.units[unit].operations[operation.name])
        if before is not None and before.pending and before.register is None:
            bad += 2
        if len(operation.operands) > 1 and self._held(state, operation.operands[1], cycle) is None:
            bad += 1
        return bad

    def _before(self, state: UnitPlan, arrival: int) -> Place | None:
        number = bisect_left(state.arrivals, arrival)
        return state.results[state.arrivals[number - 1]] if number else None

    def _used(self, operation: Operation) -> None:
        """Decrease the pending uses of the operands of a placed operation."""
        for value in operation.values():
            self._done(self.places[value])
