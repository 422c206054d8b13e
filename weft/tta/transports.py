"""Find the transport of a value: from the output of a unit, from a register, or none.

- *Bypassing*: an operand is taken from the output of the unit that computed it, while it is available there.
- *Operand sharing*: an operand that is already on the input of the unit is not moved again.
- A guard must be in a register, one cycle before the move that it guards.
"""

from bisect import bisect_right

from .code import Guard, Operand, Operation
from .program import FromRegister, FromUnit, Number, Source, ToRegister, ToUnit
from .reservations import SEARCH_CYCLES, Place, Reservations, UnitPlan

# Maximum number of cycles by which the second operand may precede the trigger.
EARLY = 3


class Transports(Reservations):
    """Plans moves of operands."""

    def _source(self, operand: Operand, cycle: int) -> Source | None:
        """Return a source for an operand in a cycle, and reserve its bus and ports; None if there is none."""
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

    def _was_read(self, place: Place, cycle: int) -> None:
        self._set(place, "reads", place.reads + 1)
        if cycle > place.read:
            self._set(place, "read", cycle)

    def _guarded(self, guard: Guard | None, cycle: int) -> bool:
        """Ensure that a guard's value is in its register in a cycle; return False if that is impossible."""
        if guard is None:
            return True
        place = self.places[guard[0]]
        if place.register is None and not self._to_register(place, place.ready, min(place.end, cycle) - 1):
            return False
        if place.register_from > cycle:
            return False
        self._was_read(place, cycle)
        return True

    def _to_register(self, place: Place, first: int, last: int) -> bool:
        """Move a result from its unit's output to a register in a cycle from `first` to `last`."""
        last = min(last, first + SEARCH_CYCLES)
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

    def _held(self, state: UnitPlan, operand: Operand, cycle: int) -> int | None:
        """Return the cycle since which the second input holds an operand, or None."""
        number = bisect_right(state.written, cycle)
        if not number:
            return None
        since = state.written[number - 1]
        held = state.inputs[since]
        same = held is operand or (isinstance(held, int) and isinstance(operand, int) and held == operand)
        return since if same else None

    def _bring_all(
        self, operation: Operation, operands: list[Operand], number: int, cycle: int, unit: int
    ) -> bool:
        """Move the operands to a unit: the trigger in its cycle, the other up to EARLY cycles before."""
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
        """Move an operand to the second input of a unit before its trigger, or share the one that it
        holds."""
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
