"""A transport-triggered machine taken literally: what moves do, cycle by cycle, with nothing known before.

Units have inputs, results under way and an output; register files have registers. A cycle that breaks a rule
raises Violation when it comes. An operation whose guard does not hold has the result 0, which nobody may use.
"""

from collections import Counter
from dataclasses import dataclass, field

from weft.tta.machine import Machine
from weft.tta.operations import OPERATIONS, compute
from weft.tta.program import FromRegister, FromUnit, Jump, Move, Number, Program, ToRegister, ToUnit


class Violation(Exception):
    """The machine cannot do this."""


class Fault(Exception):
    """The program did what no machine can do: a wrong address, or it never ends."""


@dataclass
class _Unit:
    inputs: dict[int, int] = field(default_factory=dict)
    output: tuple[int, int] = (0, -1)
    """A word, and the operation whose result it is."""
    under_way: dict[int, tuple[int, int]] = field(default_factory=dict)


def run_literally(program: Program, memory: bytearray, most_cycles: int) -> int:
    """Runs a program; returns its cycles."""
    machine, time, number = program.machine, 0, 0
    registers: Counter[tuple[int, int]] = Counter()
    units = [_Unit() for _ in machine.units]
    while number >= 0:
        if time > most_cycles:
            raise Fault
        block = program.blocks[number]
        following = -1 if block.falls_to is None else block.falls_to
        by_cycle: dict[int, list[Move]] = {}
        for move in block.moves:
            by_cycle.setdefault(move.cycle, []).append(move)
        for unit in units:  # what a block needs, it brings: nothing is known of the one before
            unit.inputs.clear()
            unit.output = (0, -1)
        jumped_at: int | None = None
        for cycle in range(block.length):
            moves = by_cycle.get(cycle, [])
            _check(machine, moves)
            for unit in units:
                if cycle in unit.under_way:
                    unit.output = unit.under_way.pop(cycle)
            words = [_source(move, registers, units) for move in moves]
            holds = [m.guard is None or bool(registers[m.guard[0]]) is m.guard[1] for m in moves]
            for move, word, does in zip(moves, words, holds, strict=True):
                if isinstance(move.destination, ToUnit) and move.destination.port and does:
                    units[move.destination.unit].inputs[move.destination.port] = word
            stores = []
            for move, word, does in zip(moves, words, holds, strict=True):
                to = move.destination
                if isinstance(to, ToUnit) and not to.port:
                    stores += _trigger(machine, units[to.unit], to, word, does, cycle, memory)
                elif isinstance(to, Jump):
                    if jumped_at is not None:
                        raise Violation
                    jumped_at = cycle
                    following = to.block if does else following
            for address, size, value in stores:
                memory[address : address + size] = (value & ((1 << 8 * size) - 1)).to_bytes(size, "little")
            for move, word, does in zip(moves, words, holds, strict=True):
                if isinstance(move.destination, ToRegister) and does:
                    registers[move.destination.register] = word
        if jumped_at is not None and jumped_at + machine.delay_slots + 1 != block.length:
            raise Violation
        if any(arrival > block.length for unit in units for arrival in unit.under_way):
            raise Violation
        for unit in units:
            unit.under_way.clear()
        time += block.length
        number = following
    return time


def _source(move: Move, registers: Counter[tuple[int, int]], units: list[_Unit]) -> int:
    match move.source:
        case Number(word):
            return word
        case FromRegister(register):
            return registers[register]
        case FromUnit(unit, operation):
            word, standing = units[unit].output
            if standing != operation:
                raise Violation
            return word
    raise AssertionError


def _trigger(
    machine: Machine, unit: _Unit, to: ToUnit, word: int, does: bool, cycle: int, memory: bytearray
) -> list[tuple[int, int, int]]:
    """Starts an operation; what it stores at the end of the cycle."""
    operation, latency = OPERATIONS[to.name], machine.units[to.unit].operations.get(to.name)
    if latency is None or any(port not in unit.inputs for port in range(1, operation.operands)):
        raise Violation
    size = operation.loads or operation.stores
    if size and does and (word % size or word + size > len(memory)):
        raise Fault
    if operation.stores:
        return [(word, size, unit.inputs[1])] if does else []
    if cycle + latency in unit.under_way:
        raise Violation
    if not does:
        result = 0
    elif size:
        result = int.from_bytes(memory[word : word + size], "little")
    else:
        result = compute(to.name, word, *(unit.inputs[p] for p in range(1, operation.operands)))
    unit.under_way[cycle + latency] = result, to.operation
    return []


def _check(machine: Machine, moves: list[Move]) -> None:
    """What may not happen in a cycle."""
    buses = Counter(move.bus for move in moves)
    inputs = Counter(
        (m.destination.unit, m.destination.port) for m in moves if isinstance(m.destination, ToUnit)
    )
    writes = Counter(m.destination.register[0] for m in moves if isinstance(m.destination, ToRegister))
    read = {m.source.register for m in moves if isinstance(m.source, FromRegister)}
    reads = Counter(file for file, _ in read)
    long = sum(
        isinstance(m.source, Number)
        and not isinstance(m.destination, Jump)
        and not machine.is_short(m.source.word)
        for m in moves
    )
    if (
        any(not 0 <= bus < machine.buses for bus in buses)
        or any(count > 1 for count in (*buses.values(), *inputs.values()))
        or any(count > machine.files[file].write_ports for file, count in writes.items())
        or any(count > machine.files[file].read_ports for file, count in reads.items())
        or any(m.guard is not None and not machine.files[m.guard[0][0]].boolean for m in moves)
        or long > machine.long_immediates
    ):
        raise Violation
