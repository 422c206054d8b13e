"""Print schedules as text, with the utilization of the machine."""

from collections.abc import Iterator, Sequence

from weft.dataclasses import dataclass

from .machine import Machine
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


@dataclass(frozen=True)
class Use:
    """Utilization of a resource: `used` of `possible` slots."""

    name: str
    used: int
    possible: int

    @property
    def share(self) -> float:
        """The utilization, from 0 to 1."""
        return self.used / self.possible if self.possible else 0.0


@dataclass(frozen=True)
class Utilisation:
    """Resource usage of a program, with blocks weighted by their execution counts."""

    cycles: int
    operations: int
    moves: int
    uses: tuple[Use, ...]

    @property
    def operations_per_cycle(self) -> float:
        """The instruction-level parallelism."""
        return self.operations / self.cycles if self.cycles else 0.0

    @property
    def moves_per_cycle(self) -> float:
        """The average number of busy buses."""
        return self.moves / self.cycles if self.cycles else 0.0


def utilisation(program: Program, counts: Sequence[int] | None = None) -> Utilisation:
    """Compute the usage of units by kind, ports and buses; without `counts` each block runs once."""
    machine = program.machine
    counts = counts or [1] * len(program.blocks)
    cycles = sum(block.length * n for block, n in zip(program.blocks, counts, strict=True))
    triggers: dict[str, int] = {}
    reads = writes = bool_reads = bool_writes = moves = 0
    for block, times in zip(program.blocks, counts, strict=True):
        seen: set[tuple[int, tuple[int, int]]] = set()
        for move in block.moves:
            moves += times
            if isinstance(move.destination, ToUnit) and move.destination.port == 0:
                kind = machine.units[move.destination.unit].kind
                triggers[kind] = triggers.get(kind, 0) + times
            if isinstance(move.source, FromRegister):
                key = (move.cycle, move.source.register)
                if key not in seen:
                    seen.add(key)
                    boolean = machine.files[move.source.register[0]].boolean
                    bool_reads, reads = bool_reads + times * boolean, reads + times * (not boolean)
            if isinstance(move.destination, ToRegister):
                boolean = machine.files[move.destination.register[0]].boolean
                bool_writes, writes = bool_writes + times * boolean, writes + times * (not boolean)
    uses = [Use(kind, triggers.get(kind, 0), count * cycles) for kind, count in kinds(machine).items()]
    for name, used, ports in (
        ("register reads", reads, _ports(machine, False, "read_ports")),
        ("register writes", writes, _ports(machine, False, "write_ports")),
        ("boolean reads", bool_reads, _ports(machine, True, "read_ports")),
        ("boolean writes", bool_writes, _ports(machine, True, "write_ports")),
        ("buses", moves, machine.buses),
    ):
        uses.append(Use(name, used, ports * cycles))
    return Utilisation(cycles, sum(triggers.values()), moves, tuple(uses))


def unit_shares(machine: Machine, block: ScheduledBlock, kind: str) -> list[float]:
    """Return, for each unit of a kind, the share of the cycles of a block in which it starts an operation."""
    started = [0] * len(machine.units)
    for move in block.moves:
        if isinstance(move.destination, ToUnit) and move.destination.port == 0:
            started[move.destination.unit] += 1
    return [n / block.length for n, unit in zip(started, machine.units, strict=True) if unit.kind == kind]


def kinds(machine: Machine) -> dict[str, int]:
    """Return the number of units of each kind."""
    counts: dict[str, int] = {}
    for unit in machine.units:
        counts[unit.kind] = counts.get(unit.kind, 0) + 1
    return counts


def _ports(machine: Machine, boolean: bool, which: str) -> int:
    return sum(int(getattr(f, which)) for f in machine.files if f.boolean is boolean)


def schedule_text(program: Program, block: ScheduledBlock) -> Iterator[str]:
    """Format a block as a table: a row per cycle, a column per used bus."""
    rows: dict[int, dict[int, str]] = {}
    for move in block.moves:
        rows.setdefault(move.cycle, {})[move.bus] = move_text(program, move)
    buses = max((move.bus + 1 for move in block.moves), default=0)
    widths = [
        max([len(row.get(bus, "")) for row in rows.values()] + [len(f"bus {bus}")]) for bus in range(buses)
    ]
    header = " | ".join(f"{f'bus {bus}':<{width}}" for bus, width in enumerate(widths))
    yield f"cycle | {header}".rstrip()
    for cycle in range(block.length):
        row = rows.get(cycle, {})
        cells = " | ".join(f"{row.get(bus, ''):<{width}}" for bus, width in enumerate(widths))
        yield f"{cycle:>5} | {cells}".rstrip()


def move_text(program: Program, move: Move) -> str:
    """Format a move, such as `?bool.0[2] rf.1[3] -> alu.0.add`."""
    machine = program.machine

    def register(place: tuple[int, int]) -> str:
        return f"{machine.files[place[0]].name}[{place[1]}]"

    match move.source:
        case Number(word):
            source = str(word) if word < 1 << 16 else f"{word:#x}"
        case FromRegister(place):
            source = register(place)
        case FromUnit(unit, _):
            source = machine.units[unit].name
    match move.destination:
        case ToRegister(place):
            destination = register(place)
        case Jump(block):
            source, destination = program.blocks[block].name, "jump"
        case ToUnit(unit, 0, name, _):
            destination = f"{machine.units[unit].name}.{name}"
        case ToUnit(unit, port, _, _):
            destination = f"{machine.units[unit].name}.operand{port}"
    guard = ""
    if move.guard is not None:
        guard = f"?{'' if move.guard[1] else '!'}{register(move.guard[0])} "
    return f"{guard}{source} -> {destination}"


def lower_bound(program: Program, block: ScheduledBlock) -> dict[str, int]:
    """Return the cycles that each resource alone needs for the operations of a block."""
    used = utilisation(Program(program.machine, [block]))
    bounds = {}
    for use in used.uses:
        slots = use.possible // block.length
        bounds[use.name] = -(-use.used // slots)
    return bounds
