"""Spill values of a block if they exceed its registers (Belady).

Of the values that are live at a point, those with the most distant next use are spilled: a store after the
definition, a load before the next use. Afterwards the program order needs no more registers than there are,
which the scheduler requires.
"""

from weft.dataclasses import replace

from .allocate import BlockRegisters
from .code import SPILL, Access, Block, Code, Operand, Operation, Value
from .machine import Machine

# Registers kept free in addition to those that program order needs: results may wait for a port.
SPARE = 2
_NEVER = 1 << 40


def limit_pressure(code: Code, block: Block, registers: BlockRegisters, machine: Machine) -> int:
    """Spill values within a block; return the number of spilled values."""
    spilled = 0
    for boolean in (False, True):
        room = sum(machine.files[file].boolean is boolean for file, _ in registers.free) - SPARE
        spilled += _Limit(code, block, registers, boolean, max(room, 4)).run()
    return spilled


class _Limit:
    def __init__(self, code: Code, block: Block, registers: BlockRegisters, boolean: bool, room: int) -> None:
        self.code, self.block, self.boolean, self.room = code, block, boolean, room
        self.registers = registers
        self.end = len(block.operations)
        self.uses: dict[Value, list[int]] = {}
        for place, operation in enumerate(block.operations):
            for value in operation.values():
                self.uses.setdefault(value, []).append(place)
        residents = {register: value for value, register in registers.inputs.items()}
        self.until: dict[Value, int] = {}
        """Values that end in a dedicated register, with the operation from which they are there."""
        for output in registers.outputs:
            operand = output.operand
            if isinstance(operand, Value):
                if output.guard is None:
                    resident = residents.get(output.register)
                    last = max(self.uses.get(resident, [-1])) if resident is not None else -1
                    self.until[operand] = min(last, self.until.get(operand, _NEVER))
                if output.guard is not None or isinstance(residents.get(output.register), Value):
                    self.uses.setdefault(operand, []).append(self.end)
            if output.guard is not None:
                self.uses.setdefault(output.guard[0], []).append(self.end)
        if block.condition is not None:
            self.uses.setdefault(block.condition, []).append(self.end)

    def run(self) -> int:
        new: list[Operation] = []
        alive: dict[Value, Value] = {}
        """Values in registers, with their current name."""
        slots: dict[Value, int] = {}
        defined: dict[Value, int] = {}
        count = 0

        def next_use(value: Value, after: int) -> int:
            return next((use for use in self.uses.get(value, ()) if use >= after), _NEVER)

        def needs_register(value: Value, at: int) -> bool:
            if at > self.until.get(value, _NEVER):
                return False
            return next_use(value, at) != _NEVER

        def make_room(at: int, keep: set[Value]) -> None:
            nonlocal count
            while sum(needs_register(v, at) for v in alive) >= self.room:
                candidates = [v for v in alive if v not in keep and needs_register(v, at)]
                if not candidates:
                    return
                victim = max(candidates, key=lambda v: next_use(v, at))
                if victim not in slots:
                    slots[victim] = self.code.spill_base + self.code.spilled
                    self.code.spilled += 4
                    count += 1
                    new.insert(defined[victim] + 1, self._store(slots[victim], alive[victim]))
                    for value, place in defined.items():
                        if place > defined[victim]:
                            defined[value] = place + 1
                del alive[victim]

        def reload(value: Value, at: int, keep: set[Value]) -> Value:
            make_room(at, keep)
            alive[value] = self._load(new, slots[value])
            return alive[value]

        for place, operation in enumerate(self.block.operations):
            keep = set(operation.values())
            names: dict[Value, Value] = {}
            for value in dict.fromkeys(operation.values()):
                if value in alive:
                    names[value] = alive[value]
                elif value in slots:
                    names[value] = reload(value, place, keep)
            self._rename(operation, names)
            for value in [v for v in alive if next_use(v, place + 1) == _NEVER and v not in self.until]:
                del alive[value]
            new.append(operation)
            result = operation.result
            if result is not None and result.boolean is self.boolean:
                defined[result] = len(new) - 1
                alive[result] = result
                make_room(place + 1, {result})
        ends = [o.operand for o in self.registers.outputs] + [
            o.guard[0] for o in self.registers.outputs if o.guard
        ]
        names = {}
        for value in [v for v in (*ends, self.block.condition) if isinstance(v, Value)]:
            if value in slots and value not in alive:
                names[value] = reload(value, self.end, set())
        self._rename_end(names)
        self.block.operations = new
        return count

    def _store(self, slot: int, value: Value) -> Operation:
        return Operation("st32", [slot, value], access=Access(SPILL, SPILL, slot, 4))

    def _load(self, new: list[Operation], slot: int) -> Value:
        word = self.code.new_value()
        new.append(Operation("ld32", [slot], word, access=Access(SPILL, SPILL, slot, 4)))
        if not self.boolean:
            return word
        bit = self.code.new_value(True)
        new.append(Operation("ne", [word, 0], bit))
        return bit

    def _rename(self, operation: Operation, names: dict[Value, Value]) -> None:
        def new(operand: Operand) -> Operand:
            return names.get(operand, operand) if isinstance(operand, Value) else operand

        operation.operands = [new(operand) for operand in operation.operands]
        if operation.guard is not None:
            operation.guard = names.get(operation.guard[0], operation.guard[0]), operation.guard[1]

    def _rename_end(self, names: dict[Value, Value]) -> None:
        outputs = []
        for output in self.registers.outputs:
            operand, guard = output.operand, output.guard
            if isinstance(operand, Value):
                operand = names.get(operand, operand)
            if guard is not None:
                guard = names.get(guard[0], guard[0]), guard[1]
            outputs.append(replace(output, operand=operand, guard=guard))
        self.registers.outputs = outputs
        if self.block.condition is not None:
            self.block.condition = names.get(self.block.condition, self.block.condition)
