"""A schedule with a random change is refused, or does what a machine does that is taken literally."""

import copy
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import pytest
from literal_machine import Fault, Violation, run_literally
from random_code import MEMORY, RandomCode, random_machine

from weft.tta.errors import DeviceFault, IllegalSchedule
from weft.tta.overlap import overlap_loops, schedule_code
from weft.tta.program import FromRegister, FromUnit, Jump, Move, Number, Program, ToRegister, ToUnit
from weft.tta.simulate import Simulator

MOST_CYCLES = 20_000
Mutation = Callable[[random.Random, Program, list[Move], Move], None]


def other_bus(rng: random.Random, program: Program, moves: list[Move], move: Move) -> None:
    move.bus = rng.randrange(program.machine.buses + 1)


def other_cycle(rng: random.Random, program: Program, moves: list[Move], move: Move) -> None:
    move.cycle = max(move.cycle + rng.choice((-3, -2, -1, 1, 2, 3)), 0)
    move.bus = program.machine.buses - 1 if rng.random() < 0.8 else move.bus


def other_register(rng: random.Random, program: Program, moves: list[Move], move: Move) -> None:
    files = program.machine.files
    file = rng.randrange(len(files))
    register = file, rng.randrange(files[file].registers)
    if isinstance(move.destination, ToRegister):
        move.destination = ToRegister(register)
    elif move.guard is not None:
        move.guard = register, move.guard[1]
    else:
        move.source = FromRegister(register)


def other_unit(rng: random.Random, program: Program, moves: list[Move], move: Move) -> None:
    unit = rng.randrange(len(program.machine.units))
    if isinstance(move.destination, ToUnit):
        move.destination = replace(move.destination, unit=unit)
    elif isinstance(move.source, FromUnit):
        move.source = replace(move.source, unit=unit)


def other_operation(rng: random.Random, program: Program, moves: list[Move], move: Move) -> None:
    if isinstance(move.source, FromUnit):
        move.source = replace(move.source, operation=move.source.operation + rng.choice((-1, 1)))
    elif isinstance(move.destination, ToUnit) and not move.destination.port:
        move.destination = replace(move.destination, name=rng.choice(("add", "fadd", "mul", "ld32", "sxb")))


def other_number(rng: random.Random, program: Program, moves: list[Move], move: Move) -> None:
    move.source = Number(rng.choice((0, 1, 127, 128, 0xFFFFFFFF, 64, 0x12345678)))


def other_guard(rng: random.Random, program: Program, moves: list[Move], move: Move) -> None:
    if move.guard is not None:
        move.guard = rng.choice(((move.guard[0], not move.guard[1]), None))
    else:
        file = rng.choice([n for n, f in enumerate(program.machine.files) if f.boolean])
        move.guard = (file, 0), rng.random() < 0.5


def gone(rng: random.Random, program: Program, moves: list[Move], move: Move) -> None:
    moves.remove(move)


def twice(rng: random.Random, program: Program, moves: list[Move], move: Move) -> None:
    moves.append(replace(move, cycle=move.cycle + rng.choice((0, 1)), bus=program.machine.buses - 1))


def other_target(rng: random.Random, program: Program, moves: list[Move], move: Move) -> None:
    for jump in moves:
        if isinstance(jump.destination, Jump):
            jump.destination = Jump(rng.randrange(len(program.blocks) + 1))


MUTATIONS: tuple[Mutation, ...] = (
    other_bus, other_cycle, other_register, other_unit, other_operation, other_number, other_guard, gone,
    twice, other_target,
)  # fmt: skip


def outcome(program: Program, memory: bytes) -> tuple[str, bytes]:
    """What becomes of a program: refused, a fault, or the cycles and the memory; the machine must agree."""
    found, expected = bytearray(memory), bytearray(memory)
    try:
        simulator = Simulator(program, MOST_CYCLES)
    except IllegalSchedule:
        return "refused", b""
    try:
        cycles = simulator.run(found).cycles
    except DeviceFault:
        with pytest.raises(Fault):
            run_literally(program, expected, MOST_CYCLES)
        return "fault", b""
    try:
        assert run_literally(program, expected, MOST_CYCLES) == cycles
    except Violation:
        raise AssertionError("the simulator accepts what the machine cannot do") from None
    assert found == expected
    return "accepted", bytes(found)


@pytest.mark.parametrize("seed", range(8))
def test_a_mutated_schedule_is_refused_or_does_what_the_machine_does(seed: int) -> None:
    rng = random.Random(seed)
    machine = random_machine(rng)
    code = RandomCode(rng, rng.choice((4, 12, 24)), most_iterations=6).make()
    program = (overlap_loops if seed % 2 else schedule_code)(code, machine).program
    memory = rng.randbytes(MEMORY)
    whole, result = outcome(program, memory)
    assert whole == "accepted"
    counts: Counter[str] = Counter()
    for _ in range(60):
        changed = copy.deepcopy(program)
        mutation = rng.choice(MUTATIONS)
        moves = rng.choice([block.moves for block in changed.blocks if block.moves])
        mutation(rng, changed, moves, rng.choice(moves))
        what, after = outcome(changed, memory)
        counts[what] += 1
        if mutation is other_bus and what == "accepted":
            assert after == result
    assert counts["refused"] > 10
    assert counts["accepted"] > 5
