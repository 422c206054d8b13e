"""Resource reservations during scheduling of a block: buses, ports, immediates, units and registers.

A plan for an operation reserves resources step by step. All changes are logged, so that a plan that fails
half-way can be rolled back.
"""

from bisect import bisect_left, insort
from typing import Any

from weft.dataclasses import dataclass, field

from .allocate import BlockRegisters, Output, Register
from .code import Block, Guard, Operand, Value
from .machine import Machine
from .program import Destination, Move, Source, Statistics

# The longest time in cycles that an operation waits for a unit, a bus or a register; the schedule fails if
# that is not enough.
SEARCH_CYCLES = 4000


class _Missing:
    pass


MISSING = _Missing()
"""Marks the absence of an entry."""


class Place:
    """Where a value is and how many uses it still has."""

    __slots__ = (
        "boolean", "dead_move", "end", "number", "output_read", "pending", "read", "reads", "ready",
        "register", "register_from", "targets", "unit",
    )  # fmt: skip

    def __init__(self, boolean: bool) -> None:
        self.boolean = boolean
        self.unit, self.number = -1, -1
        self.ready = 0
        """The first cycle in which the value is on the output of its unit."""
        self.end = 0
        """The cycle in which the unit's next result replaces it."""
        self.output_read = -1
        """The last cycle in which it is read from there."""
        self.register: Register | None = None
        self.register_from = 0
        self.read = -1
        """The last cycle in which its register is read; `reads` counts these reads."""
        self.reads = 0
        self.pending = 0
        """The number of uses that are not placed yet."""
        self.targets: list[Output] = []
        self.dead_move: tuple[Move, int] | None = None
        """The move to its register, and the cycle since which that register was free before."""

    @property
    def available(self) -> int:
        """The first cycle in which the value can be read."""
        return self.ready if self.unit >= 0 else self.register_from


@dataclass
class UnitPlan:
    """The reservations of a unit."""

    triggers: dict[int, int] = field(default_factory=dict)
    """Operations by start cycle; `pairs`: those with a second operand."""
    pairs: dict[int, int] = field(default_factory=dict)
    results: dict[int, Place] = field(default_factory=dict)
    """Results by arrival cycle."""
    arrivals: list[int] = field(default_factory=list)
    """The arrival cycles, in order."""
    inputs: dict[int, Operand] = field(default_factory=dict)
    """Operands moved to the second input, by cycle."""
    written: list[int] = field(default_factory=list)
    """The cycles of those moves, in order."""
    holds: dict[tuple[int, int], int] = field(default_factory=dict)
    """Intervals (first, last cycle) in which the second input must keep its operand."""


class Reservations:
    """The tables of a block: resources used in each cycle, and locations of values."""

    def __init__(self, block: Block, registers: BlockRegisters, machine: Machine) -> None:
        self.block, self.machine, self.registers = block, machine, registers
        self.units = [UnitPlan() for _ in machine.units]
        self.buses: dict[int, int] = {}
        self.long: dict[int, int] = {}
        self.reads: dict[tuple[int, int], frozenset[int]] = {}
        self.writes: dict[tuple[int, int], int] = {}
        self.free: list[dict[int, int]] = [{} for _ in machine.files]
        """The free registers of each file, with the cycle since which they are free."""
        for file, index in registers.free:
            self.free[file][index] = 0
        self.files = {
            kind: [n for n, f in enumerate(machine.files) if f.boolean is kind] for kind in (False, True)
        }
        self.places: dict[Value, Place] = {}
        self.residents: dict[Register, Place] = {}
        self.moves: dict[int, Move] = {}
        self.log: list[tuple[Any, Any, Any]] = []
        self.statistics = Statistics()
        self._inputs()

    def _inputs(self) -> None:
        for value, register in self.registers.inputs.items():
            place = self.places[value] = Place(value.boolean)
            place.register = register
            self.residents[register] = place
        for operation in self.block.operations:
            if operation.result is not None:
                self.places[operation.result] = Place(operation.result.boolean)
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

    def _set(self, container: Any, key: Any, value: Any) -> None:
        """Change an entry of a dictionary or an attribute, and log the change."""
        if isinstance(container, dict):
            self.log.append((container, key, container.get(key, MISSING)))
            if value is MISSING:
                del container[key]
            else:
                container[key] = value
        else:
            self.log.append((container, key, getattr(container, key)))
            setattr(container, key, value)

    def _insert(self, numbers: list[int], number: int) -> None:
        """Insert a number into a sorted list, and log the change."""
        insort(numbers, number)
        self.log.append((numbers, number, None))

    def _undo(self, to: int) -> None:
        while len(self.log) > to:
            container, key, value = self.log.pop()
            if isinstance(container, list):
                del container[bisect_left(container, key)]
            elif not isinstance(container, dict):
                setattr(container, key, value)
            elif value is MISSING:
                del container[key]
            else:
                container[key] = value

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

    def _can_write(self, file: int, cycle: int) -> bool:
        return self.writes.get((file, cycle), 0) < self.machine.files[file].write_ports

    def _write_port(self, file: int, cycle: int) -> bool:
        used = self.writes.get((file, cycle), 0)
        if used >= self.machine.files[file].write_ports:
            return False
        self._set(self.writes, (file, cycle), used + 1)
        return True

    def _free_register(self, boolean: bool, cycle: int) -> Register | None:
        """Return a free register that can be written in a cycle, from the file with the most free
        registers."""
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

    def _register_for(self, place: Place, cycle: int) -> Register | None:
        """Return a register for writing a value in a cycle: preferably its required one at the end of the
        block."""
        for output in place.targets:
            file = output.register[0]
            fits = self.machine.files[file].boolean is place.boolean and self._can_write(file, cycle)
            if fits and self._may_overwrite(output.register, place, cycle):
                return output.register
        return self._free_register(place.boolean, cycle)

    def _may_overwrite(self, register: Register, by: Place, cycle: int) -> bool:
        """Return whether the value in a register is dead from a cycle on."""
        resident = self.residents.get(register)
        if resident is None or resident is by:
            return resident is None or by.register != register
        return resident.pending == 0 and cycle >= resident.read and cycle >= resident.register_from

    def _take(self, place: Place, register: Register, cycle: int, move: Move | None) -> None:
        """Assign a register to a value that is written to it in a cycle."""
        free = self.free[register[0]]
        if register[1] in free:
            if move is not None:
                self._set(place, "dead_move", (move, free[register[1]]))
            self._set(free, register[1], MISSING)
        self._set(place, "register", register)
        self._set(place, "register_from", max(cycle + 1, place.register_from))
        self._set(self.residents, register, place)

    def _done(self, place: Place) -> None:
        place.pending -= 1
        if not place.pending:
            self._release(place)
        self.log.clear()

    def _release(self, place: Place) -> None:
        """Free the register of a dead value; remove a move to it that was never read."""
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
