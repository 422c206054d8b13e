"""Schedule code, with software pipelining of loops where that takes fewer cycles.

Each loop is tried at a few initiation intervals, from the minimum that resources and recurrences allow. Each
trial is scheduled completely: registers are allocated over all blocks, and transports determine the actual
length of a step. A loop is not changed if no trial is faster, or if the pipelined loop does not fit into the
registers.
"""

from weft.dataclasses import dataclass, field

from .allocate import allocate
from .clean import clean
from .code import Block, Code
from .errors import Refused
from .machine import Machine
from .modulo import LoopOperations
from .pipeline import Pipelined, count_iterations, loops, pipeline_loop
from .pressure import limit_pressure
from .program import Program
from .schedule import schedule

# Assumed trip count of a loop if it is unknown.
TYPICAL_ITERATIONS = 8
# Larger loops are not pipelined; the other two limit the complete schedules and the plans tried for each
# loop.
MOST_OPERATIONS = 600
MOST_TRIALS = 4
MOST_PLANS = 16


@dataclass(frozen=True)
class Scheduled:
    """A program, the code that it was scheduled from, and its pipelined loops."""

    program: Program
    code: Code
    pipelined: tuple[Pipelined, ...] = field(default=())


def schedule_code(code: Code, machine: Machine) -> Scheduled:
    """Schedule code; values may be spilled, which changes it."""
    registers = allocate(code, machine)
    for block in code.blocks:
        limit_pressure(code, block, registers[block], machine)
    numbers = {block: number for number, block in enumerate(code.blocks)}
    blocks = []
    for number, block in enumerate(code.blocks):
        following = code.blocks[number + 1] if number + 1 < len(code.blocks) else None
        blocks.append(schedule(block, registers[block], machine, numbers, following))
    return Scheduled(Program(machine, blocks), code)


def overlap_loops(code: Code, machine: Machine) -> Scheduled:
    """Schedule code, with software pipelining of loops where that is faster."""
    return _Overlap(code, machine).run()


class _Overlap:
    def __init__(self, code: Code, machine: Machine) -> None:
        self.code, self.machine = code, machine
        self.counts: dict[str, int] = {}
        """The execution count of blocks by name; other blocks count as executed once."""
        self.pipelined: list[Pipelined] = []
        self.best = schedule_code(code.copy(), machine)

    def run(self) -> Scheduled:
        candidates = loops(self.code)
        for block in candidates:
            self.counts[block.name] = self._iterations(self.code, block)
        for name in [block.name for block in candidates if len(block.operations) <= MOST_OPERATIONS]:
            self._try(name)
        return Scheduled(self.best.program, self.best.code, tuple(self.pipelined))

    def _iterations(self, code: Code, block: Block) -> int:
        before = next(b for b in code.predecessors()[block] if b is not block)
        return count_iterations(block, before) or TYPICAL_ITERATIONS

    def _cycles(self, program: Program, counts: dict[str, int]) -> int:
        """Estimate the cycles of a program, ignoring outer loops."""
        return sum(block.length * counts.get(block.name, 1) for block in program.blocks)

    def _try(self, name: str) -> None:
        loop = LoopOperations(_named(self.code, name), self.machine)
        length = next(b.length for b in self.best.program.blocks if b.name == name)
        interval = max(*loop.resource_bounds().values(), loop.recurrence_bound(length))
        # Ports and registers often make a step longer than planned, so longer intervals are tried too.
        stride = max((length - interval) // MOST_TRIALS, 1)
        chosen: tuple[Code, Pipelined, dict[str, int]] | None = None
        least = self._cycles(self.best.program, self.counts)
        plans = 0
        while interval < length and plans < MOST_PLANS:
            plans += 1
            plan = loop.schedule(interval)
            attempt = self.code.copy()
            block = _named(attempt, name)
            pipelined = None
            if plan is not None and loop.port_bound(plan) <= interval:
                pipelined = pipeline_loop(attempt, block, LoopOperations(block, self.machine), plan)
            if pipelined is None:
                interval += max(stride // 4, 1)
                continue
            planned, interval = interval, interval + stride
            clean(attempt)
            try:
                scheduled = schedule_code(attempt.copy(), self.machine)
            except Refused:
                continue
            counts = {**self.counts, pipelined.loop: pipelined.steps(self.counts[name])}
            counts |= dict.fromkeys(pipelined.shortcuts, 0)
            cycles = self._cycles(scheduled.program, counts)
            if cycles < least:
                least, self.best, chosen = cycles, scheduled, (attempt, pipelined, counts)
            step = next(b.length for b in scheduled.program.blocks if b.name == pipelined.loop)
            if step <= planned:
                break
        if chosen is not None:
            self.code, pipelined, self.counts = chosen
            self.pipelined.append(pipelined)


def _named(code: Code, name: str) -> Block:
    return next(block for block in code.blocks if block.name == name)
