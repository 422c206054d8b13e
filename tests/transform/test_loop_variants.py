"""Vector code for a case, beside the general code: both do what the interpreter says, whatever the input."""

from collections.abc import Callable

import numpy as np
import pytest
from kernel_case import parse_launch
from variant_run import Condition, VariantOfKernel

from weft.analysis.evolution import Evolution
from weft.analysis.lanes import Pieces
from weft.ir import Value
from weft.ir.builder import Builder
from weft.ir.values import const_int

PAIRS = """\
kernel void pairs(global int *values, int step) {
    uint i = get_global_id(0);
    uint left = i % step + 2 * step * (i / step);
    uint right = left + step;
    int a = values[left], b = values[right];
    values[left] = a + b;
    values[right] = a - b;
}
"""
NEIGHBOURS = """\
kernel void neighbours(global int *values) {
    int i = get_global_id(0);
    values[i ^ 1] = values[i ^ 1] * 3 + i;
}
"""
BACKWARDS = """\
kernel void backwards(global int *values, int last) {
    int i = get_global_id(0);
    values[last - i % 64] += i;
}
"""
SOME = """\
kernel void some(global const int *which, global int *values, int step) {
    uint i = get_global_id(0);
    uint left = i % step + 2 * step * (i / step);
    if (which[left] & 1) values[left] = values[left] + i;
}
"""


SOME_BACKWARDS = """\
kernel void some_backwards(global const int *which, global int *values, int last) {
    int i = get_global_id(0);
    if (which[last - i % 64] & 1) values[last - i % 64] += i;
}
"""


def divides(number: int) -> Condition:
    """The condition that the argument `step` is a multiple of a power of two."""

    def condition(b: Builder, named: Callable[[str], Value]) -> Value:
        step = named("step")
        rest = b.binary("and", step, const_int(step.type, number - 1))
        return b.icmp("eq", rest, const_int(step.type, 0))

    return condition


def in_order(lanes: int) -> tuple[int, ...]:
    """The distances in bytes of integers side by side."""
    return tuple(4 * lane for lane in range(lanes))


def numbers(count: int) -> np.ndarray:
    return np.random.default_rng(1).integers(-1000, 1000, count, np.int32)


def check(kernel: VariantOfKernel, launch: str, arguments: dict[str, np.ndarray | np.generic]) -> None:
    parsed = parse_launch(launch)
    found, expected = kernel.run(parsed, arguments), kernel.expected(parsed, arguments)
    for name, array in expected.items():
        np.testing.assert_array_equal(found[name], array, err_msg=name)


@pytest.mark.parametrize("step", [1, 2, 3, 4, 8, 12, 24, 64])
@pytest.mark.parametrize("launch", ["64 / 32", "40 / 20", "10 / 5"])
def test_consecutive_addresses_on_condition(launch: str, step: int) -> None:
    kernel = VariantOfKernel(PAIRS, parse_launch(launch).local_size[0], Evolution(4), divides(8))
    # Blocks of lanes begin at multiples of eight only if that many work-items are in a group.
    if parse_launch(launch).local_size[0] % 8 == 0 or step % 8:
        check(kernel, launch, {"values": numbers(256), "step": np.int32(step)})
    assert kernel.ways == {"vector load", "vector store"}


@pytest.mark.parametrize("step", [1, 2, 3, 4, 6, 8, 12, 20, 64])
def test_consecutive_addresses_by_halves(step: int) -> None:
    kernel = VariantOfKernel(PAIRS, 32, Pieces(2, in_order(4)), divides(4))
    assert kernel.ways == {"2 vector loads of 4 lanes", "2 vector stores of 4 lanes"}
    check(kernel, "64 / 32", {"values": numbers(256), "step": np.int32(step)})


@pytest.mark.parametrize("launch", ["64 / 32", "24 / 24", "20 / 20", "64 / 8"])
def test_permutation_inside_the_block(launch: str) -> None:
    order = tuple(4 * ((lane ^ 1) - 1) for lane in range(8))
    kernel = VariantOfKernel(NEIGHBOURS, parse_launch(launch).local_size[0], Pieces(1, order), None)
    assert kernel.ways == {"vector load and a shuffle", "vector store and a shuffle"}
    check(kernel, launch, {"values": numbers(64)})


def test_pairs_of_a_permutation() -> None:
    kernel = VariantOfKernel(NEIGHBOURS, 32, Pieces(4, (0, -4)), None)
    assert kernel.ways == {
        "4 vector loads of 2 lanes and a shuffle",
        "4 vector stores of 2 lanes and a shuffle",
    }
    check(kernel, "64 / 32", {"values": numbers(64)})


def test_consecutive_descending_addresses() -> None:
    kernel = VariantOfKernel(BACKWARDS, 32, Evolution(-4), None)
    assert kernel.ways == {"reversed vector load", "reversed vector store"}
    check(kernel, "64 / 32", {"values": numbers(256), "last": np.int32(100)})


@pytest.mark.parametrize("step", [1, 3, 8, 16])
def test_consecutive_addresses_under_a_mask(step: int) -> None:
    kernel = VariantOfKernel(SOME, 32, Evolution(4), divides(8))
    assert kernel.ways == {"vector load", "masked vector load", "masked vector store"}
    check(kernel, "64 / 32", {"which": numbers(256), "values": numbers(256), "step": np.int32(step)})


def test_consecutive_descending_addresses_under_a_mask() -> None:
    kernel = VariantOfKernel(SOME_BACKWARDS, 32, Evolution(-4), None)
    assert kernel.ways == {
        "reversed vector load",
        "reversed masked vector load",
        "reversed masked vector store",
    }
    check(kernel, "64 / 32", {"which": numbers(256), "values": numbers(256), "last": np.int32(100)})


def test_vectors_are_not_computed_for_consecutive_addresses() -> None:
    kernel = VariantOfKernel(PAIRS, 32, Evolution(4), divides(8))
    kept = [i.opcode for f in kernel.module.functions for i in f.instructions() if i.type.is_vector]
    assert sorted(kept) == ["add", "load", "load", "sub"]
