"""Schedule the end of a block: results in the registers that successors expect, and the jump."""

from .allocate import Output
from .code import Block, Value
from .errors import Refused
from .program import Jump, Number, ToRegister
from .reservations import MISSING, SEARCH_CYCLES, Place
from .transports import Transports


class BlockEnd(Transports):
    """Schedules the last moves of a block."""

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
        """Move a value to the register that must hold it at the end; return False if another output must read
        that register first.
        """
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
            # A guard or this output may still need the resident value.
            return False
        first = place.available if place is not None else 0
        if resident is not None:
            first = max(first, resident.read, resident.register_from)
        if guard is not None:
            held = self.places[guard[0]]
            first = max(first, held.register_from if held.register is not None else held.ready + 1)
        for cycle in range(first, first + SEARCH_CYCLES):
            mark = len(self.log)
            if self._can_write(output.register[0], cycle) and self._guarded(guard, cycle):
                source = self._source(operand, cycle)
                if source is not None:
                    self._write_port(output.register[0], cycle)
                    self._move(cycle, source, ToRegister(output.register), guard)
                    written = Place(False)
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
        raise Refused(f"the end of block {self.block.name} cannot be scheduled: too few registers or buses")

    def _break_cycle(self, waiting: list[Output]) -> None:
        """Copy a value that is in the register of another one to a separate register."""
        for output in waiting:
            resident = self.residents.get(output.register)
            if resident is None or not resident.pending or resident.register is None:
                continue
            old = resident.register
            for cycle in range(resident.register_from, resident.register_from + SEARCH_CYCLES):
                mark = len(self.log)
                target = self._free_register(resident.boolean, cycle)
                value = next(v for v, p in self.places.items() if p is resident)
                source = self._source(value, cycle) if target is not None else None
                if source is not None and target is not None:
                    self._write_port(target[0], cycle)
                    self._move(cycle, source, ToRegister(target))
                    self._set(self.free[target[0]], target[1], MISSING)
                    left = Place(resident.boolean)
                    left.register, left.read, left.register_from = old, resident.read, resident.register_from
                    self.residents[old] = left
                    resident.register, resident.register_from = target, cycle + 1
                    resident.read, resident.dead_move = -1, None
                    self.residents[target] = resident
                    self.log.clear()
                    return
                self._undo(mark)
        raise Refused(f"the end of block {self.block.name} cannot be scheduled: too few registers")

    def _place_jumps(self, numbers: dict[Block, int], following: Block | None) -> tuple[int, int | None]:
        """Place the jumps at the end; return the length of the block and the block that it falls through to,
        if any.
        """
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
        for cycle in range(first, first + SEARCH_CYCLES):
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
        raise Refused(f"the jump of block {self.block.name} cannot be scheduled")
