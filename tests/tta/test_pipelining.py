"""Loops whose iterations overlap compute what they computed before, for any number of iterations."""

import random

import pytest
from random_code import MEMORY, RandomCode, random_machine
from run_code import run_code

from weft.tta.clean import clean
from weft.tta.code import Access, Block, Code, Operand, Operation, Phi
from weft.tta.machine import load_machine
from weft.tta.modulo import LoopOperations
from weft.tta.overlap import overlap_loops, schedule_code
from weft.tta.pipeline import count_iterations, loops, pipeline_loop
from weft.tta.simulate import Simulator


@pytest.mark.parametrize("seed", range(24))
def test_a_pipelined_loop_computes_what_the_loop_does(seed: int) -> None:
    rng = random.Random(seed)
    machine = random_machine(rng)
    code = RandomCode(rng, rng.choice((3, 8, 24)), most_iterations=9, known_bound=bool(seed % 2)).make()
    memory = bytearray(rng.randbytes(MEMORY))
    expected = bytearray(memory)
    run_code(code, expected)
    (block,) = loops(code)
    operations = LoopOperations(block, machine)
    interval = operations.recurrence_bound(200)
    overlapped = 0
    while interval < 200 and overlapped < 3:
        plan = operations.schedule(interval)
        interval += 1
        copy = code.copy()
        (block,) = loops(copy)
        if plan is None or pipeline_loop(copy, block, LoopOperations(block, machine), plan) is None:
            continue
        overlapped += 1
        clean(copy)
        found = bytearray(memory)
        run_code(copy, found)
        assert found[:2048] == expected[:2048]
        found = bytearray(memory)
        Simulator(schedule_code(copy, machine).program).run(found)
        assert found[:2048] == expected[:2048]
    assert overlapped or interval >= 200


def scale_loop(iterations: Operand, code: Code, parallel: bool = True) -> Code:
    """a[i] *= a[i]; b[i] = a[i] in a loop; what is stored is loaded again."""
    entry, body, end = Block("entry", then=None), Block("body"), Block("end")
    code.blocks += [entry, body, end]
    entry.then = body
    i, following, at, to, x, y, again = (code.new_value() for _ in range(7))
    more = code.new_value(True)
    body.phis = [Phi(i, {entry: 0, body: following})]
    item = (0, 0)
    body.operations = [
        Operation("shl", [i, 2], at),
        Operation("ld32", [at], x, access=Access("data", None, 0, 4, item)),
        Operation("fmul", [x, x], y),
        Operation("st32", [at, y], access=Access("data", None, 0, 4, item)),
        Operation("ld32", [at], again, access=Access("data", None, 0, 4, item)),
        Operation("add", [at, 1024], to),
        Operation("st32", [to, again], access=Access("data", None, 0, 4, item)),
        Operation("add", [i, 1], following),
        Operation("ltu", [following, iterations], more),
    ]
    body.condition, body.then, body.other = more, body, end
    body.parallel = frozenset({0}) if parallel else frozenset()
    return code


def test_iterations_of_a_loop_over_work_items_overlap_and_are_faster() -> None:
    machine = load_machine()
    cycles = {}
    for parallel in (True, False):
        code = scale_loop(64, Code([], 0, 2048), parallel=parallel)
        memory = bytearray(random.Random(1).randbytes(MEMORY))
        expected = bytearray(memory)
        run_code(code, expected)
        for name, make in (("overlapped", overlap_loops), ("alone", schedule_code)):
            made = make(code.copy(), machine)
            found = bytearray(memory)
            cycles[parallel, name] = Simulator(made.program).run(found).cycles
            assert found[:2048] == expected[:2048]
    # A load waits for the store of an iteration that may have the same address, but for no other work-item.
    assert cycles[True, "overlapped"] * 1.5 < cycles[True, "alone"]
    assert cycles[False, "overlapped"] > cycles[True, "overlapped"]


@pytest.mark.parametrize("iterations", [1, 2, 7])
def test_iterations_are_counted(iterations: int) -> None:
    code = scale_loop(iterations, Code([], 0, 2048))
    assert count_iterations(code.blocks[1], code.blocks[0]) == iterations
    unknown = Code([], 0, 2048)
    scale_loop(unknown.new_value(), unknown)
    assert count_iterations(unknown.blocks[1], unknown.blocks[0]) is None


def test_the_initiation_interval_is_bounded_by_units_and_recurrences() -> None:
    machine = load_machine().with_units(1, 8)
    code = scale_loop(8, Code([], 0, 2048))
    bounds = LoopOperations(code.blocks[1], machine).resource_bounds()
    assert (bounds["alu"], bounds["lsu"], bounds["fmul"]) == (4, 4, 1)
    slow = scale_loop(8, Code([], 0, 2048), parallel=False)
    # From the load over the product to the store, the second load and store, which the next load must follow.
    assert LoopOperations(slow.blocks[1], machine).recurrence_bound(100) == 3 + 3 + 1 + 3 + 1
