"""Schedules of random code on random machines compute what the code says, and pass the simulator's checks."""

import random

import pytest
from random_code import MEMORY, RandomCode, random_machine
from run_code import run_code

from weft.tta.overlap import schedule_code
from weft.tta.simulate import Simulator


@pytest.mark.parametrize("seed", range(24))
def test_a_schedule_computes_what_the_code_says(seed: int) -> None:
    rng = random.Random(seed)
    machine = random_machine(rng)
    code = RandomCode(rng, rng.choice((4, 16, 40))).make()
    memory = bytearray(rng.randbytes(MEMORY))
    expected = bytearray(memory)
    run_code(code, expected)
    program = schedule_code(code, machine).program
    found = bytearray(memory)
    Simulator(program).run(found)
    assert found[:2048] == expected[:2048]
