"""Rates beside what C loops reach."""

import numpy as np
import pytest

from bench.outcome import Outcome
from bench.registry import Benchmark, Memory, Task, Unit
from bench.roofline import Roofline


def nothing(session: object) -> Task:
    """A benchmark's function that is never called."""
    raise AssertionError("only the names and units of these benchmarks are used")


@pytest.fixture(scope="module")
def roofline(tmp_path_factory: pytest.TempPathFactory) -> Roofline:
    return Roofline(tmp_path_factory.mktemp("roofline"), cores=1)


def test_memory_is_compared_with_a_loop_that_moves_as_much(roofline: Roofline) -> None:
    memory = Memory(2.0**18, 2.0**18)
    copy = Benchmark("x/copy", nothing, Unit.BANDWIDTH, memory.moved, memory=memory)
    seconds = roofline.bandwidth.seconds(memory)
    assert roofline.share(copy, seconds) == 1
    assert roofline.share(copy, 2 * seconds) == 0.5
    assert roofline.limits(copy, seconds)
    assert not roofline.limits(copy, 2 * seconds)


def test_transposition_is_compared_with_a_loop_that_transposes(roofline: Roofline) -> None:
    memory = Memory(2.0**20, 2.0**20, transposes=True)
    transpose = Benchmark("x/transpose", nothing, Unit.BANDWIDTH, memory.moved, memory=memory)
    seconds = roofline.bandwidth.transposition(memory)
    assert seconds > 0
    assert roofline.share_of_transposition(transpose, 2 * seconds) == 0.5
    assert roofline.share(transpose, roofline.bandwidth.seconds(memory)) == 1
    copy = Benchmark("x/copy", nothing, Unit.BANDWIDTH, memory.moved, memory=Memory(1.0, 1.0))
    assert roofline.share_of_transposition(copy, seconds) is None


@pytest.mark.parametrize("side", [16, 48, 512, 544])
def test_loop_that_transposes_does(roofline: Roofline, side: int) -> None:
    matrix = np.arange(side * side, dtype=np.float32).reshape(side, side)
    turned = np.zeros_like(matrix)
    roofline.bandwidth.transpose(turned.ctypes.data, matrix.ctypes.data, side)
    assert (turned == matrix.T).all()


def test_arithmetic_is_compared_with_multiply_adds(roofline: Roofline) -> None:
    product = Benchmark("x/product", nothing, Unit.ARITHMETIC, 3 * roofline.operations)
    assert roofline.operations > 0
    assert roofline.share(product, 6.0) == pytest.approx(0.5)
    assert not roofline.limits(product, 6.0)


def test_other_times_have_no_such_measure(roofline: Roofline) -> None:
    assert roofline.share(Benchmark("x/sort", nothing, Unit.MILLISECONDS), 1.0) is None


def test_the_share_stands_in_front_of_the_other_remarks() -> None:
    add = Benchmark("x/add", nothing, Unit.BANDWIDTH, 1.0)
    assert (
        Outcome(add, {}, limited=True, share_of_c=0.937).remark() == "0.94 of a C loop; at memory bandwidth"
    )
    assert Outcome(add, {}, note="because").remark() == "because"
    both = Outcome(add, {}, share_of_c=0.6, share_of_transposition=0.9).remark()
    assert both == "0.90 of a C loop that transposes; 0.60 of a C loop that copies"


def test_what_was_measured_between_samples_counts_if_it_was_faster(roofline: Roofline) -> None:
    memory = Memory(2.0**19, 2.0**19, transposes=True)
    transpose = Benchmark("x/transpose", nothing, Unit.BANDWIDTH, memory.moved, memory=memory)
    product = Benchmark("x/product", nothing, Unit.ARITHMETIC, 1.0)
    before = roofline.bandwidth.seconds(memory), roofline.bandwidth.transposition(memory)
    operations = roofline.operations
    for _ in range(3):
        roofline.look(transpose)
        roofline.look(product)
    assert 0 < roofline.bandwidth.seconds(memory) <= before[0]
    assert 0 < roofline.bandwidth.transposition(memory) <= before[1]
    assert roofline.operations >= operations
