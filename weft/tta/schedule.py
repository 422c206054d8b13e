"""Schedule the transports of a block: when each operation starts, on which unit, and how operands get there.

Operations are placed in sequence in the order of the code, each as early as its operands, the
units, ports, buses and registers allow, also before operations that were placed earlier. Work-items that
follow one another in the code so fill the holes that those before them left.

- *Bypassing*: an operand is taken from the output of the unit that computed it, as long as it stands there.
- *Dead results*: a result goes to a register only if the unit gets another result while somebody still
  needs it, and that move is taken back if nobody read the register after all.
- *Operand sharing*: an operand that the input of the unit holds already is not moved again.
- A result that a later block or iteration needs goes straight to its register, once the value that was
  there has been read.

The order of the code bounds the number of values that are alive at a time, so the search always ends: with
enough cycles every operation can be placed, if there are enough registers for the order of the code
(`pressure.py`).
"""

from bisect import bisect_left, bisect_right, insort
from dataclasses import dataclass, field
from typing import Any

from .allocate import BlockRegisters, Output, Register
from .code import SELECT, Access, Block, Guard, Operand, Operation, Value
from .errors import Refused
from .machine import Machine
from .operations import OPERATIONS
from .program import (
    Destination,
    FromRegister,
    FromUnit,
    Jump,
    Move,
    Number,
    ScheduledBlock,
    Source,
    Statistics,
    ToRegister,
    ToUnit,
)

FOREVER = 1 << 40
# Operations are not placed so many cycles before the last one: the holes there are few, and looking takes
# time.
WINDOW = 48
# The second operand may come so many cycles before the trigger.
EARLY = 3
# No operation waits longer than this for a unit, a bus or a register; a program that needs it has no
# schedule.
PATIENCE = 4000


class _Place:
    """Where a value is and who still needs it."""

    __slots__ = (
        "boolean", "dead_move", "end", "number", "output_read", "pending", "read", "reads", "ready",
        "register", "register_from", "targets", "unit",
    )  # fmt: skip

    def __init__(self, boolean: bool) -> None:
        self.boolean = boolean
        self.unit, self.number = -1, -1
        self.ready = 0
        """The first cycle in which it is on the output of its unit."""
        self.end = 0
        """The cycle in which the unit's next result takes its place."""
        self.output_read = -1
        """The last cycle in which it is read there."""
        self.register: Register | None = None
        self.register_from = 0
        self.read = -1
        """The last cycle in which its register is read, and how often it is."""
        self.reads = 0
        self.pending = 0
        """How many operands are still to be placed."""
        self.targets: list[Output] = []
        self.dead_move: tuple[Move, int] | None = None
        """The move to its register, and since when that was free before."""

    @property
    def available(self) -> int:
        """The first cycle in which it can be read."""
        return self.ready if self.unit >= 0 else self.register_from


@dataclass
class _Unit:
    """What is planned for a unit."""

    triggers: dict[int, int] = field(default_factory=dict)
    """Operations by the cycle in which they start; `pairs`: those that have a second operand."""
    pairs: dict[int, int] = field(default_factory=dict)
    results: dict[int, _Place] = field(default_factory=dict)
    """Results by the cycle in which they arrive."""
    arrivals: list[int] = field(default_factory=list)
    """Their cycles, in order."""
    inputs: dict[int, Operand] = field(default_factory=dict)
    """What moves bring to the second input, by cycles."""
    written: list[int] = field(default_factory=list)
    """Those cycles, in order."""
    holds: dict[tuple[int, int], int] = field(default_factory=dict)
    """From which cycle up to which the second input must keep what it holds."""


def schedule(
    block: Block,
    registers: BlockRegisters,
    machine: Machine,
    numbers: dict[Block, int],
    following: Block | None,
) -> ScheduledBlock:
    """The moves of a block. `following` is the block that control falls through to."""
    return _Scheduler(block, registers, machine).run(numbers, following)


class _Scheduler:
    def __init__(self, block: Block, registers: BlockRegisters, machine: Machine) -> None:
        self.block, self.machine, self.registers = block, machine, registers
        self.units = [_Unit() for _ in machine.units]
        self.buses: dict[int, int] = {}
        self.long: dict[int, int] = {}
        self.reads: dict[tuple[int, int], frozenset[int]] = {}
        self.writes: dict[tuple[int, int], int] = {}
        self.free: list[dict[int, int]] = [{} for _ in machine.files]
        """The free registers of each file, and since when they are."""
        for file, index in registers.free:
            self.free[file][index] = 0
        self.files = {
            kind: [n for n, f in enumerate(machine.files) if f.boolean is kind] for kind in (False, True)
        }
        self.places: dict[Value, _Place] = {}
        self.residents: dict[Register, _Place] = {}
        self.moves: dict[int, Move] = {}
        self.log: list[tuple[Any, Any, Any]] = []
        self.memory: list[tuple[Access, int, bool]] = []
        self.statistics = Statistics()
        self.units_for = {o.name: machine.units_for(o.name) for o in block.operations if o.name != SELECT}
        self.latest = self.floor = 0
        self._inputs()

    def _inputs(self) -> None:
        for value, register in self.registers.inputs.items():
            place = self.places[value] = _Place(value.boolean)
            place.register = register
            self.residents[register] = place
        for operation in self.block.operations:
            if operation.result is not None:
                self.places[operation.result] = _Place(operation.result.boolean)
        for operation in self.block.operations:
            for value in operation.values():
                self.places[value].pending += 1
        for output in self.registers.outputs:
            if isinstance(output.operand, Value):
                place = self.places[output.operand]
                place.pending += 1
                if output.guard is None:
                    place.targets.append(output)
            if output.guard is not None:
                self.places[output.guard[0]].pending += 1
        if self.block.condition is not None:
            self.places[self.block.condition].pending += 1
        for place in list(self.residents.values()):
            if not place.pending:
                self._release(place)

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
        taken: dict[int, int] = {}
        for move in moves:
            move.bus = taken.get(move.cycle, 0)
            taken[move.cycle] = move.bus + 1
            if isinstance(move.source, FromUnit):
                self.statistics.bypassed += isinstance(move.destination, ToUnit)
        return ScheduledBlock(self.block.name, moves, length, falls, self.statistics)

    # ---- plans that may be taken back

    def _set(self, things: Any, key: Any, value: Any) -> None:
        """Changes an entry of a dictionary or an attribute, so that it can be taken back."""
        if isinstance(things, dict):
            self.log.append((things, key, things.get(key, _MISSING)))
            if value is _MISSING:
                del things[key]
            else:
                things[key] = value
        else:
            self.log.append((things, key, getattr(things, key)))
            setattr(things, key, value)

    def _insert(self, numbers: list[int], number: int) -> None:
        """Adds a number to a list in order, so that it can be taken back."""
        insort(numbers, number)
        self.log.append((numbers, number, None))

    def _undo(self, to: int) -> None:
        while len(self.log) > to:
            things, key, value = self.log.pop()
            if isinstance(things, list):
                del things[bisect_left(things, key)]
            elif not isinstance(things, dict):
                setattr(things, key, value)
            elif value is _MISSING:
                del things[key]
            else:
                things[key] = value

    def _move(
        self,
        cycle: int,
        source: Source,
        destination: Destination,
        guard: Guard | None = None,
    ) -> Move:
        register: tuple[Register, bool] | None = None
        if guard is not None:
            place = self.places[guard[0]]
            assert place.register is not None
            register = place.register, guard[1]
        move = Move(cycle, source, destination, register)
        self._set(self.moves, id(move), move)
        return move

    def _bus(self, cycle: int) -> bool:
        used = self.buses.get(cycle, 0)
        if used >= self.machine.buses:
            return False
        self._set(self.buses, cycle, used + 1)
        return True

    def _write_port(self, file: int, cycle: int) -> bool:
        used = self.writes.get((file, cycle), 0)
        if used >= self.machine.files[file].write_ports:
            return False
        self._set(self.writes, (file, cycle), used + 1)
        return True

    def _source(self, operand: Operand, cycle: int) -> Source | None:
        """How an operand can be moved in a cycle, with the bus and the ports that takes."""
        if self.buses.get(cycle, 0) >= self.machine.buses:
            return None
        if isinstance(operand, int):
            if not self.machine.is_short(operand):
                if self.long.get(cycle, 0) >= self.machine.long_immediates:
                    return None
                self._set(self.long, cycle, self.long.get(cycle, 0) + 1)
            self._bus(cycle)
            return Number(operand)
        place = self.places[operand]
        if place.unit >= 0 and place.ready <= cycle < place.end:
            self._bus(cycle)
            if cycle > place.output_read:
                self._set(place, "output_read", cycle)
            return FromUnit(place.unit, place.number)
        if place.register is None or place.register_from > cycle:
            return None
        file, index = place.register
        reading = self.reads.get((file, cycle), frozenset())
        if index not in reading:
            if len(reading) >= self.machine.files[file].read_ports:
                return None
            self._set(self.reads, (file, cycle), reading | {index})
        self._bus(cycle)
        self._was_read(place, cycle)
        return FromRegister(place.register)

    def _was_read(self, place: _Place, cycle: int) -> None:
        self._set(place, "reads", place.reads + 1)
        if cycle > place.read:
            self._set(place, "read", cycle)

    def _guarded(self, guard: Guard | None, cycle: int) -> bool:
        """Sees to it that a guard's value is in its register in a cycle."""
        if guard is None:
            return True
        place = self.places[guard[0]]
        if place.register is None and not self._to_register(place, place.ready, min(place.end, cycle) - 1):
            return False
        if place.register_from > cycle:
            return False
        self._was_read(place, cycle)
        return True

    def _to_register(self, place: _Place, first: int, last: int) -> bool:
        """Moves a result from the output of its unit to a register, from a cycle on, up to another."""
        last = min(last, first + PATIENCE)
        for cycle in range(first, last + 1):
            if self.buses.get(cycle, 0) >= self.machine.buses:
                continue
            register = self._register_for(place, cycle)
            if register is None:
                continue
            self._bus(cycle)
            self._write_port(register[0], cycle)
            if cycle > place.output_read:
                self._set(place, "output_read", cycle)
            move = self._move(cycle, FromUnit(place.unit, place.number), ToRegister(register))
            self._take(place, register, cycle, move)
            return True
        return False

    def _take(self, place: _Place, register: Register, cycle: int, move: Move | None) -> None:
        """Gives a register to a value that is written to it in a cycle."""
        free = self.free[register[0]]
        if register[1] in free:
            if move is not None:
                self._set(place, "dead_move", (move, free[register[1]]))
            self._set(free, register[1], _MISSING)
        self._set(place, "register", register)
        self._set(place, "register_from", max(cycle + 1, place.register_from))
        self._set(self.residents, register, place)

    def _register_for(self, place: _Place, cycle: int) -> Register | None:
        """A register that a value can be written to in a cycle: its own in the end, else any."""
        for output in place.targets:
            file = output.register[0]
            fits = self.machine.files[file].boolean is place.boolean and self._can_write(file, cycle)
            if fits and self._may_overwrite(output.register, place, cycle):
                return output.register
        return self._free_register(place.boolean, cycle)

    def _free_register(self, boolean: bool, cycle: int) -> Register | None:
        """A free register that can be written to in a cycle, of the file that has most of them."""
        best: Register | None = None
        most = 0
        for file in self.files[boolean]:
            free = self.free[file]
            if len(free) > most and self._can_write(file, cycle):
                for index, since in free.items():
                    if since <= cycle:
                        best, most = (file, index), len(free)
                        break
        return best

    def _can_write(self, file: int, cycle: int) -> bool:
        return self.writes.get((file, cycle), 0) < self.machine.files[file].write_ports

    def _may_overwrite(self, register: Register, by: _Place, cycle: int) -> bool:
        """Whether nobody needs what a register holds from a cycle on."""
        resident = self.residents.get(register)
        if resident is None or resident is by:
            return resident is None or by.register != register
        return resident.pending == 0 and cycle >= resident.read and cycle >= resident.register_from

    # ---- operations

    def _bounds(self, operation: Operation) -> int:
        """The first cycle in which an operation could start, as far as what it needs is concerned."""
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

    def _place(self, operation: Operation, number: int) -> None:
        first = self._bounds(operation)
        units = self.units_for[operation.name]
        for cycle in range(first, first + PATIENCE):
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
        raise Refused(f"{operation} of block {self.block.name} found no place: too few registers or buses")

    def _advance(self, cycle: int) -> None:
        """Forgets what nothing can be placed before any more."""
        if cycle > self.latest:
            self.latest = cycle
            floor = max(cycle - WINDOW, 0)
            if floor >= self.floor + WINDOW:
                self.memory = [entry for entry in self.memory if entry[1] + entry[2] > floor]
                for unit in self.units:
                    unit.holds = {hold: 1 for hold in unit.holds if hold[1] >= floor - EARLY}
            self.floor = floor

    def _rank(self, unit: int, operation: Operation, cycle: int) -> int:
        """How badly a unit suits: results that would have to go to a register, operands that are not
        there."""
        state = self.units[unit]
        bad = 0
        before = self._before(state, cycle + self.machine.units[unit].operations[operation.name])
        if before is not None and before.pending and before.register is None:
            bad += 2
        if len(operation.operands) > 1 and self._held(state, operation.operands[1], cycle) is None:
            bad += 1
        return bad

    def _before(self, state: _Unit, arrival: int) -> _Place | None:
        number = bisect_left(state.arrivals, arrival)
        return state.results[state.arrivals[number - 1]] if number else None

    def _held(self, state: _Unit, operand: Operand, cycle: int) -> int | None:
        """Since when the second input holds an operand, if it does."""
        number = bisect_right(state.written, cycle)
        if not number:
            return None
        since = state.written[number - 1]
        held = state.inputs[since]
        same = held is operand or (isinstance(held, int) and isinstance(operand, int) and held == operand)
        return since if same else None

    def _try(self, operation: Operation, number: int, cycle: int, unit: int) -> bool:
        """Plans an operation in a cycle on a unit; False if that is not possible, with the plan half made."""
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

    def _bring_all(
        self, operation: Operation, operands: list[Operand], number: int, cycle: int, unit: int
    ) -> bool:
        """Moves the operands to a unit: the trigger in its cycle, the other then or a little earlier."""
        trigger = ToUnit(unit, 0, operation.name, number)
        if len(operands) == 1:
            return self._bring_trigger(operation, operands[0], cycle, trigger)
        for early in range(EARLY + 1):
            mark = len(self.log)
            brought = self._bring(operands[1], cycle - early, cycle, unit)
            if brought and self._bring_trigger(operation, operands[0], cycle, trigger):
                return True
            self._undo(mark)
        return False

    def _bring_trigger(self, operation: Operation, operand: Operand, cycle: int, to: ToUnit) -> bool:
        source = self._source(operand, cycle)
        if source is None:
            return False
        self._move(cycle, source, to, operation.guard)
        return True

    def _bring(self, operand: Operand, cycle: int, trigger: int, unit: int) -> bool:
        """Moves an operand to the second input of a unit before its trigger, or leaves it there."""
        state = self.units[unit]
        if cycle == trigger:
            since = self._held(state, operand, cycle)
            if since is not None:
                self._set(state.holds, (since, cycle), 1)
                self._set(self.statistics, "shared", self.statistics.shared + 1)
                return True
        if cycle < 0 or any(other in state.inputs for other in range(cycle, trigger + 1)):
            return False
        if any(since < cycle <= until for since, until in state.holds):
            return False
        if any(other in state.pairs for other in range(cycle, trigger)):
            return False
        source = self._source(operand, cycle)
        if source is None:
            return False
        self._set(state.inputs, cycle, operand)
        self._insert(state.written, cycle)
        if cycle < trigger:
            self._set(state.holds, (cycle, trigger), 1)
        self._move(cycle, source, ToUnit(unit, 1), None)
        return True

    def _used(self, operation: Operation) -> None:
        """Counts the operands of an operation that has been placed."""
        for value in operation.values():
            self._done(self.places[value])

    def _done(self, place: _Place) -> None:
        place.pending -= 1
        if not place.pending:
            self._release(place)
        self.log.clear()

    def _release(self, place: _Place) -> None:
        """Frees the register of a value that nobody needs any more; a move to it that was never read goes."""
        if place.unit >= 0 and place.register is None:
            self.statistics.dead_results += 1
        register = place.register
        if register is None or self.residents.get(register) is not place or register in self.registers.kept:
            return
        del self.residents[register]
        if place.dead_move is not None and not place.reads:
            move, since = place.dead_move
            del self.moves[id(move)]
            self.buses[move.cycle] -= 1
            self.writes[register[0], move.cycle] -= 1
            self.free[register[0]][register[1]] = since
            self.statistics.dead_results += 1
        else:
            self.free[register[0]][register[1]] = max(place.read, place.register_from)

    # ---- selects, outputs and jumps

    def _place_select(self, operation: Operation) -> None:
        """Two moves to one register, one of them guarded by the condition, the other by its complement."""
        condition, yes, no = operation.operands
        assert isinstance(condition, Value)
        assert operation.result is not None
        place = self.places[operation.result]
        first = self._bounds(operation)
        guard_place = self.places[condition]
        first = max(
            first, guard_place.ready + 1 if guard_place.register is None else guard_place.register_from
        )
        for start in range(first, first + PATIENCE):
            mark = len(self.log)
            if self._try_select(place, condition, yes, no, start):
                self.log.clear()
                return
            self._undo(mark)
        raise Refused(f"{operation} of block {self.block.name} found no place: too few registers or buses")

    def _try_select(self, place: _Place, condition: Value, yes: Operand, no: Operand, start: int) -> bool:
        if not self._guarded((condition, True), start):
            return False
        moves: list[tuple[Operand, bool]] = [(no, False), (yes, True)]
        register = self._register_for(place, start)
        if register is None:
            return False
        # A choice between a new value and the one that the register holds already is one move.
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

    def _place_outputs(self) -> None:
        waiting = list(self.registers.outputs)
        while waiting:
            for output in waiting:
                if self._place_output(output):
                    waiting.remove(output)
                    break
            else:
                self._break_cycle(waiting)

    def _place_output(self, output: Output) -> bool:
        """Moves what a register must hold at the end; False if another output must read the register
        first."""
        operand, guard = output.operand, output.guard
        place = self.places[operand] if isinstance(operand, Value) else None
        if place is not None and place.register == output.register:
            place.targets = [t for t in place.targets if t is not output]
            self._done(place)
            if guard is not None:
                self._done(self.places[guard[0]])
            return True
        resident = self.residents.get(output.register)
        if resident is not None and resident.pending:
            # A guard, or this output alone, may still need it.
            return False
        first = place.available if place is not None else 0
        if resident is not None:
            first = max(first, resident.read, resident.register_from)
        if guard is not None:
            held = self.places[guard[0]]
            first = max(first, held.register_from if held.register is not None else held.ready + 1)
        for cycle in range(first, first + PATIENCE):
            mark = len(self.log)
            if self._can_write(output.register[0], cycle) and self._guarded(guard, cycle):
                source = self._source(operand, cycle)
                if source is not None:
                    self._write_port(output.register[0], cycle)
                    self._move(cycle, source, ToRegister(output.register), guard)
                    written = _Place(False)
                    written.register, written.register_from, written.pending = output.register, cycle + 1, 0
                    if guard is not None and resident is not None:
                        written.register_from = max(written.register_from, resident.register_from)
                    self.residents[output.register] = written
                    self.log.clear()
                    if place is not None:
                        self._done(place)
                    if guard is not None:
                        self._done(self.places[guard[0]])
                    return True
            self._undo(mark)
        raise Refused(f"the end of block {self.block.name} found no place: too few registers or buses")

    def _break_cycle(self, waiting: list[Output]) -> None:
        """Copies a value that stands in the register of another one to a register of its own."""
        for output in waiting:
            resident = self.residents.get(output.register)
            if resident is None or not resident.pending or resident.register is None:
                continue
            old = resident.register
            for cycle in range(resident.register_from, resident.register_from + PATIENCE):
                mark = len(self.log)
                target = self._free_register(resident.boolean, cycle)
                value = next(v for v, p in self.places.items() if p is resident)
                source = self._source(value, cycle) if target is not None else None
                if source is not None and target is not None:
                    self._write_port(target[0], cycle)
                    self._move(cycle, source, ToRegister(target))
                    self._set(self.free[target[0]], target[1], _MISSING)
                    left = _Place(resident.boolean)
                    left.register, left.read, left.register_from = old, resident.read, resident.register_from
                    self.residents[old] = left
                    resident.register, resident.register_from = target, cycle + 1
                    resident.read, resident.dead_move = -1, None
                    self.residents[target] = resident
                    self.log.clear()
                    return
                self._undo(mark)
        raise Refused(f"the end of block {self.block.name} found no place: too few registers")

    def _place_jumps(self, numbers: dict[Block, int], following: Block | None) -> tuple[int, int | None]:
        """The jump at the end; returns the length of the block and the block that comes next without one."""
        block, delay = self.block, self.machine.delay_slots
        length = max((move.cycle + 1 for move in self.moves.values()), default=0)
        for unit in self.units:
            length = max([length, *unit.results])
        fall = following
        target, guard = block.then, None
        if block.condition is not None:
            assert block.then is not None
            if block.then is following:
                target, guard = block.other, (block.condition, False)
            else:
                guard, fall = (block.condition, True), block.other
        elif block.then is None or block.then is following:
            return max(length, 1), numbers[block.then] if block.then is not None else None
        assert target is not None
        first = max(length - 1 - delay, 0)
        for cycle in range(first, first + PATIENCE):
            mark = len(self.log)
            if self.buses.get(cycle, 0) < self.machine.buses and self._guarded(guard, cycle):
                self._bus(cycle)
                self._move(cycle, Number(numbers[target]), Jump(numbers[target]), guard)
                length = max(cycle + 1 + delay, max(m.cycle + 1 for m in self.moves.values()))
                if length != cycle + 1 + delay:
                    self._undo(mark)
                    continue
                self.log.clear()
                falls = numbers[fall] if guard is not None and fall is not None else None
                return length, falls
            self._undo(mark)
        raise Refused(f"the jump of block {self.block.name} found no place")


class _Missing:
    pass


_MISSING = _Missing()
