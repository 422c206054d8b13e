"""The cycle-accurate simulator of a transport-triggered machine.

A program is validated before it runs. In a TTA only guards and jumps depend on data, so all violations are
visible in the program: a bus with two moves, too many ports of a register file, a unit that is triggered
twice or with an unsupported operation, two results of one unit in one cycle, a result that is read before it
is available or after it was replaced, a jump whose delay slots do not end the block. Such a program is
rejected (IllegalSchedule) and never run.

Every block is then compiled to a Python function that executes its moves cycle by cycle: sources are read,
operations start, then registers are written. Loads read memory in the cycle in which they start, before
stores of that cycle write it.
"""

from collections.abc import Callable

from weft.dataclasses import dataclass, field

from .errors import DeviceFault, IllegalSchedule
from .machine import Machine
from .operations import HELPERS, OPERATIONS
from .program import (
    FromRegister,
    FromUnit,
    Jump,
    Move,
    Number,
    Program,
    ScheduledBlock,
    ToRegister,
    ToUnit,
)

# Default limit of a run; longer ones are assumed not to terminate.
MOST_CYCLES = 2_000_000_000
# A callback that takes the cycles so far; returns the cycle of its next call, or raises.
Pause = Callable[[int], int]


@dataclass
class Run:
    """The cycles of a run, and how often each block ran."""

    cycles: int = 0
    counts: list[int] = field(default_factory=list)

    def add(self, other: "Run") -> None:
        """Add another run of the same program."""
        self.cycles += other.cycles
        self.counts = [a + b for a, b in zip(self.counts, other.counts, strict=True)] or list(other.counts)


class Simulator:
    """Executes a program on a memory; raises IllegalSchedule if the machine cannot run the program."""

    def __init__(self, program: Program, most_cycles: int = MOST_CYCLES) -> None:
        """`most_cycles`: longer runs end with DeviceFault."""
        self.program, self.most_cycles = program, most_cycles
        machine = program.machine
        self._offsets = [sum(f.registers for f in machine.files[:n]) for n in range(len(machine.files))]
        self._registers = sum(f.registers for f in machine.files)
        self._blocks: list[Callable[..., int]] = []
        for number, block in enumerate(program.blocks):
            check_block(machine, block, len(program.blocks))
            self._blocks.append(self._compiled(number, block))

    def run(self, memory: bytearray | memoryview, before: int = 0, pause: Pause | None = None) -> Run:
        """Run the program from its first block to its end; raise DeviceFault for an invalid address.

        `before` is the number of cycles that have passed in the same launch. `pause` is called from time to
        time, and may end the run by raising.
        """
        pause = pause or self._end
        words = memoryview(memory).cast("I")
        halves = memoryview(memory).cast("H")
        registers = [0] * self._registers
        lengths = [block.length for block in self.program.blocks]
        counts = [0] * len(lengths)
        cycles, block, blocks = before, 0, self._blocks
        until = pause(cycles)
        try:
            while block >= 0:
                counts[block] += 1
                cycles += lengths[block]
                block = blocks[block](registers, memory, halves, words)
                if cycles > until:
                    until = pause(cycles)
        except IndexError:
            name = self.program.blocks[block].name
            raise DeviceFault(
                f"an access outside the memory of {len(memory)} bytes in block {name}"
            ) from None
        finally:
            words.release()
            halves.release()
        return Run(cycles - before, counts)

    def _end(self, cycles: int) -> int:
        """Let the program run up to its limit."""
        if cycles > self.most_cycles:
            raise DeviceFault(f"the program did not end within {self.most_cycles} cycles")
        return self.most_cycles

    # ---- blocks as Python functions

    def _compiled(self, number: int, block: ScheduledBlock) -> Callable[..., int]:
        lines = [f"def block{number}(r, m1, m2, m4):"]
        by_cycle: dict[int, list[Move]] = {}
        for move in block.moves:
            by_cycle.setdefault(move.cycle, []).append(move)
        jump: str | None = None
        follows = -1 if block.falls_to is None else block.falls_to
        known: dict[tuple[int, int], str] = {}
        guarded = self._guarded_results(block)
        lines += (f"    v{n} = 0" for n in sorted(guarded))
        for cycle in sorted(by_cycle):
            moves = by_cycle[cycle]
            written = {m.destination.register for m in moves if isinstance(m.destination, ToRegister)}
            late: list[str] = []
            stores: list[str] = []
            names: dict[int, str] = {}
            # Read first those sources and guards that this cycle overwrites.
            for n, move in enumerate(moves):
                names[n] = self._read(move, written, lines, f"s{n}")
            tests = {
                n: self._test(move, written, lines, f"g{n}") for n, move in enumerate(moves) if move.guard
            }
            for n, move in enumerate(moves):
                to = move.destination
                if isinstance(to, ToUnit) and to.port:
                    lines.append(f"    p{to.unit}_{to.port} = {names[n]}")
                    known[to.unit, to.port] = f"p{to.unit}_{to.port}"
            for n, move in enumerate(moves):
                to, test = move.destination, f"if {tests[n]}: " if move.guard else ""
                if isinstance(to, ToRegister):
                    late.append(f"    {test}r[{self._register(to.register)}] = {names[n]}")
                elif isinstance(to, Jump):
                    jump = tests.get(n)
                    if jump is None:
                        lines.append(f"    j = {to.block}")
                    else:
                        lines.append(f"    j = {to.block} if {jump} else {follows}")
                    jump = "j"
                elif to.port == 0:
                    operands = [names[n]]
                    operation = OPERATIONS[to.name]
                    if operation.operands > 1:
                        operands.append(known[to.unit, 1])
                    self._trigger(to, operands, test, lines, stores)
            lines += stores
            lines += late
        lines.append(f"    return {jump or follows}")
        names_ = dict(HELPERS) | {"misaligned": _misaligned}
        exec(compile("\n".join(lines), f"<block {block.name}>", "exec"), names_)
        compiled: Callable[..., int] = names_[f"block{number}"]
        return compiled

    def _guarded_results(self, block: ScheduledBlock) -> set[int]:
        """Return the guarded operations. If the guard is false, the result is 0; it must not be used."""
        return {
            m.destination.operation
            for m in block.moves
            if m.guard and isinstance(m.destination, ToUnit) and m.destination.port == 0
        }

    def _register(self, register: tuple[int, int]) -> int:
        return self._offsets[register[0]] + register[1]

    def _read(self, move: Move, written: set[tuple[int, int]], lines: list[str], name: str) -> str:
        match move.source:
            case Number(word):
                return str(word)
            case FromRegister(register):
                text = f"r[{self._register(register)}]"
                if register not in written:
                    return text
                lines.append(f"    {name} = {text}")
                return name
            case FromUnit(_, operation):
                return f"v{operation}"
        raise AssertionError

    def _test(self, move: Move, written: set[tuple[int, int]], lines: list[str], name: str) -> str:
        assert move.guard is not None
        register, polarity = move.guard
        text = f"r[{self._register(register)}]"
        if register in written:
            lines.append(f"    {name} = {text}")
            text = name
        return text if polarity else f"not {text}"

    def _trigger(
        self, to: ToUnit, operands: list[str], test: str, lines: list[str], stores: list[str]
    ) -> None:
        operation = OPERATIONS[to.name]
        size = operation.loads or operation.stores
        if not size:
            meaning = operation.meaning
            body = f"a = {operands[0]}; "
            if len(operands) > 1:
                body += f"b = {operands[1]}; "
            lines.append(f"    {test}{body}v{to.operation} = {meaning}")
            return
        check = f"a & {size - 1} and misaligned(a, {size}); " if size > 1 else ""
        shift = {1: "a", 2: "a >> 1", 4: "a >> 2"}[size]
        if operation.loads:
            lines.append(f"    {test}a = {operands[0]}; {check}v{to.operation} = m{size}[{shift}]")
        else:
            value = operands[1] if size == 4 else f"{operands[1]} & {(1 << 8 * size) - 1}"
            stores.append(f"    {test}a = {operands[0]}; {check}m{size}[{shift}] = {value}")


def _misaligned(address: int, size: int) -> None:
    raise DeviceFault(f"an access of {size} bytes at {address:#x}, which is not a multiple of {size}")


# ---- checks


def check_block(machine: Machine, block: ScheduledBlock, blocks: int) -> None:
    """Raise IllegalSchedule, with the cycle and the reason, if the machine cannot run a block."""
    _Check(machine, block, blocks).run()


class _Check:
    def __init__(self, machine: Machine, block: ScheduledBlock, blocks: int) -> None:
        self.machine, self.block, self.blocks = machine, block, blocks
        # For each unit: (arrival, operation), in the order of arrival.
        self.results: dict[int, list[tuple[int, int]]] = {}
        self.started: set[int] = set()

    def run(self) -> None:
        by_cycle: dict[int, list[Move]] = {}
        for move in self.block.moves:
            self._in_range(move)
            by_cycle.setdefault(move.cycle, []).append(move)
        inputs: set[tuple[int, int]] = set()
        jumps: list[Move] = []
        for cycle in sorted(by_cycle):
            moves = by_cycle[cycle]
            self._buses(cycle, moves)
            self._ports(cycle, moves)
            self._inputs(cycle, moves, inputs)
            jumps += [m for m in moves if isinstance(m.destination, Jump)]
        for arrivals in self.results.values():
            arrivals.sort()
        for move in self.block.moves:
            if isinstance(move.source, FromUnit):
                self._output(move, move.source)
        self._control(jumps)

    def _wrong(self, cycle: int, why: str) -> IllegalSchedule:
        return IllegalSchedule(f"block {self.block.name}, cycle {cycle}: {why}")

    def _in_range(self, move: Move) -> None:
        machine, cycle = self.machine, move.cycle
        if not 0 <= cycle < self.block.length:
            raise self._wrong(cycle, f"the block has {self.block.length} cycles")
        if not 0 <= move.bus < machine.buses:
            raise self._wrong(cycle, f"unknown bus {move.bus}")
        registers = [
            end.register
            for end in (move.source, move.destination)
            if isinstance(end, FromRegister | ToRegister)
        ]
        if move.guard is not None:
            registers.append(move.guard[0])
            file = move.guard[0][0]
            if not (0 <= file < len(machine.files) and machine.files[file].boolean):
                raise self._wrong(cycle, f"register file {file} cannot guard moves")
        for file, index in registers:
            if not 0 <= file < len(machine.files) or not 0 <= index < machine.files[file].registers:
                raise self._wrong(cycle, f"register file {file} has no register {index}")
        for end in (move.source, move.destination):
            if isinstance(end, FromUnit | ToUnit) and not 0 <= end.unit < len(machine.units):
                raise self._wrong(cycle, f"unknown unit {end.unit}")
        if isinstance(move.source, Number) and not 0 <= move.source.word <= 0xFFFFFFFF:
            raise self._wrong(cycle, f"{move.source.word} is not a 32-bit word")

    def _buses(self, cycle: int, moves: list[Move]) -> None:
        buses = [move.bus for move in moves]
        if len(set(buses)) != len(buses):
            raise self._wrong(cycle, "two moves over one bus")
        long = [
            move
            for move in moves
            if isinstance(move.source, Number)
            and not isinstance(move.destination, Jump)
            and not self.machine.is_short(move.source.word)
        ]
        if len(long) > self.machine.long_immediates:
            raise self._wrong(
                cycle, f"{len(long)} long immediates; the machine supports {self.machine.long_immediates}"
            )

    def _ports(self, cycle: int, moves: list[Move]) -> None:
        reads: dict[int, set[int]] = {}
        writes: dict[int, int] = {}
        for move in moves:
            if isinstance(move.source, FromRegister):
                file, index = move.source.register
                reads.setdefault(file, set()).add(index)
            if isinstance(move.destination, ToRegister):
                file = move.destination.register[0]
                writes[file] = writes.get(file, 0) + 1
        for file, indices in reads.items():
            if len(indices) > self.machine.files[file].read_ports:
                raise self._wrong(
                    cycle, f"{self.machine.files[file].name}: too few ports for {len(indices)} reads"
                )
        for file, count in writes.items():
            if count > self.machine.files[file].write_ports:
                raise self._wrong(cycle, f"{self.machine.files[file].name}: too few ports for {count} writes")

    def _inputs(self, cycle: int, moves: list[Move], inputs: set[tuple[int, int]]) -> None:
        now: set[tuple[int, int]] = set()
        triggers: list[ToUnit] = []
        for move in moves:
            to = move.destination
            if not isinstance(to, ToUnit):
                continue
            unit = self.machine.units[to.unit]
            if (to.unit, to.port) in now:
                raise self._wrong(cycle, f"{unit.name}: two moves to input {to.port}")
            now.add((to.unit, to.port))
            if to.port not in (0, 1):
                raise self._wrong(cycle, f"{unit.name} has no input {to.port}")
            if to.port == 0:
                triggers.append(to)
                if to.name not in unit.operations:
                    raise self._wrong(cycle, f"{unit.name} has no operation {to.name!r}")
                if to.operation in self.started:
                    raise self._wrong(cycle, f"{unit.name}: operation {to.operation} is triggered twice")
                self.started.add(to.operation)
            elif move.guard is not None:
                raise self._wrong(cycle, f"{unit.name}: a guarded move to input {to.port}")
        inputs |= {place for place in now if place[1]}
        for to in triggers:
            unit, operation = self.machine.units[to.unit], OPERATIONS[to.name]
            for port in range(1, operation.operands):
                if (to.unit, port) not in inputs:
                    raise self._wrong(cycle, f"{unit.name}: nothing was moved to input {port}")
            if operation.stores:
                continue
            arrivals = self.results.setdefault(to.unit, [])
            arrival = cycle + unit.operations[to.name]
            if any(other == arrival for other, _ in arrivals):
                raise self._wrong(cycle, f"{unit.name}: two results in cycle {arrival}")
            if arrival > self.block.length:
                raise self._wrong(
                    cycle, f"{unit.name}: the result of {to.name} comes after the end of the block"
                )
            arrivals.append((arrival, to.operation))

    def _output(self, move: Move, source: FromUnit) -> None:
        name = self.machine.units[source.unit].name
        standing: int | None = None
        due: int | None = None
        for arrival, operation in self.results.get(source.unit, ()):
            if arrival <= move.cycle:
                standing = operation
            if operation == source.operation:
                due = arrival
        if standing != source.operation:
            if due is None:
                raise self._wrong(move.cycle, f"{name} does not compute operation {source.operation}")
            what = "is not there before" if due > move.cycle else "has been replaced; it was there from"
            raise self._wrong(
                move.cycle, f"{name}: the result of operation {source.operation} {what} cycle {due}"
            )

    def _control(self, jumps: list[Move]) -> None:
        if len(jumps) > 1:
            raise self._wrong(jumps[1].cycle, "a second jump")
        for jump in jumps:
            assert isinstance(jump.destination, Jump)
            if jump.cycle + 1 + self.machine.delay_slots != self.block.length:
                raise self._wrong(
                    jump.cycle,
                    f"the jump needs {self.machine.delay_slots} delay slots at the end of the block",
                )
            if not 0 <= jump.destination.block < self.blocks:
                raise self._wrong(jump.cycle, f"unknown block {jump.destination.block}")
            if jump.guard is not None and self.block.falls_to is None:
                raise self._wrong(jump.cycle, "no block follows if the jump is not taken")
        if self.block.falls_to is not None and not 0 <= self.block.falls_to < self.blocks:
            raise self._wrong(self.block.length, f"unknown block {self.block.falls_to}")
