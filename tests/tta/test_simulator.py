"""The simulator refuses schedules that the machine cannot run, whatever is wrong with them."""

import copy
import random
from collections.abc import Callable
from dataclasses import replace

import pytest
from random_code import MEMORY, RandomCode

from weft.tta.code import Access, Block, Code, Operation
from weft.tta.errors import DeviceFault, IllegalSchedule
from weft.tta.machine import Machine, load_machine
from weft.tta.overlap import schedule_code
from weft.tta.program import FromRegister, FromUnit, Jump, Move, Number, Program, ToRegister, ToUnit
from weft.tta.simulate import Simulator

MACHINE: Machine = replace(load_machine(), memory_bytes=MEMORY)


@pytest.fixture(scope="module")
def program() -> Program:
    """A program with all kinds of moves."""
    return schedule_code(RandomCode(random.Random(3), 30).make(), MACHINE).program


def find(program: Program, fits: Callable[[Move], bool]) -> tuple[int, Move]:
    """A move of a kind, and its block."""
    for number, block in enumerate(program.blocks):
        for move in block.moves:
            if fits(move):
                return number, move
    raise AssertionError("the program has no such move")


def trigger(move: Move) -> bool:
    return isinstance(move.destination, ToUnit) and move.destination.port == 0


def same_bus(program: Program) -> None:
    for block in program.blocks:
        for one in block.moves:
            for other in block.moves:
                if one is not other and one.cycle == other.cycle:
                    one.bus = other.bus
                    return


def missing_bus(program: Program) -> None:
    find(program, trigger)[1].bus = MACHINE.buses


def early_result(program: Program) -> None:
    _, move = find(
        program, lambda m: isinstance(m.source, FromUnit) and isinstance(m.destination, ToRegister)
    )
    assert isinstance(move.source, FromUnit)
    number = move.source.operation
    started = find(
        program, lambda m: isinstance(m.destination, ToUnit) and m.destination.operation == number
    )[1]
    move.cycle, move.bus = started.cycle, MACHINE.buses - 1


def missing_operation(program: Program) -> None:
    _, move = find(program, trigger)
    assert isinstance(move.destination, ToUnit)
    move.destination = replace(move.destination, name="fsqrt")


def second_trigger(program: Program) -> None:
    number, move = find(program, trigger)
    program.blocks[number].moves.append(replace(move, bus=MACHINE.buses - 1))


def second_write(program: Program) -> None:
    number, move = find(program, lambda m: isinstance(m.destination, ToRegister))
    assert isinstance(move.destination, ToRegister)
    file, index = move.destination.register
    other = ToRegister((file, (index + 1) % MACHINE.files[file].registers))
    program.blocks[number].moves.append(
        replace(move, destination=other, source=Number(1), bus=MACHINE.buses - 1)
    )


def second_read(program: Program) -> None:
    number, move = find(program, lambda m: isinstance(m.source, FromRegister))
    assert isinstance(move.source, FromRegister)
    file, index = move.source.register
    other = FromRegister((file, (index + 1) % MACHINE.files[file].registers))
    target = ToRegister(((file + 1) % 4, 0))
    program.blocks[number].moves.append(
        replace(move, source=other, destination=target, bus=MACHINE.buses - 1)
    )


def late_jump(program: Program) -> None:
    _, move = find(program, lambda m: isinstance(m.destination, Jump))
    move.cycle, move.bus = move.cycle - 1, MACHINE.buses - 1


def guard_of_words(program: Program) -> None:
    find(program, lambda m: m.guard is not None)[1].guard = ((0, 0), True)


def missing_register(program: Program) -> None:
    find(program, lambda m: isinstance(m.source, FromRegister))[1].source = FromRegister((0, 99))


def long_immediates(program: Program) -> None:
    number, move = find(program, trigger)
    for bus in range(5):
        spare = Move(move.cycle, Number(1 << 20), ToUnit(bus, 1), bus=MACHINE.buses - 1 - bus)
        program.blocks[number].moves.append(spare)


WRONG = {
    same_bus: "two moves over one bus",
    missing_bus: "unknown bus 32",
    early_result: "is not there before cycle",
    missing_operation: "has no operation 'fsqrt'",
    second_trigger: "two moves to input 0",
    second_write: "too few ports for 2 writes",
    second_read: "too few ports",
    late_jump: "needs 3 delay slots",
    guard_of_words: "register file 0 cannot guard moves",
    missing_register: "register file 0 has no register 99",
    long_immediates: "long immediates; the machine supports 4|two moves to input 1",
}


@pytest.mark.parametrize("change", WRONG, ids=lambda change: change.__name__)
def test_an_illegal_schedule_is_refused(program: Program, change: Callable[[Program], None]) -> None:
    changed = copy.deepcopy(program)
    Simulator(changed)
    change(changed)
    with pytest.raises(IllegalSchedule, match=WRONG[change]):
        Simulator(changed)


def test_no_move_can_be_earlier_than_its_result(program: Program) -> None:
    for number, block in enumerate(program.blocks):
        for place, move in enumerate(block.moves):
            if isinstance(move.source, FromUnit):
                unit = MACHINE.units[move.source.unit]
                changed = copy.deepcopy(program)
                changed.blocks[number].moves[place].cycle -= max(unit.operations.values()) + block.length
                with pytest.raises(IllegalSchedule):
                    Simulator(changed)
                break


@pytest.mark.parametrize(("address", "words"), [(MEMORY, "outside the memory"), (6, "not a multiple of 4")])
def test_a_wrong_address_is_a_fault(address: int, words: str) -> None:
    code = Code([Block("entry")], 0, 0)
    access = Access("data", None, 0, 4)
    code.blocks[0].operations.append(Operation("st32", [address, 1], access=access))
    with pytest.raises(DeviceFault, match=words):
        Simulator(schedule_code(code, MACHINE).program).run(bytearray(MEMORY))
