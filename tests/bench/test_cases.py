"""Every benchmark that is data computes on Weft what it expects, with little data."""

import numpy as np
import pytest

from bench.case import CASES, Case, CaseMaker, Launch
from bench.registry import all_benchmarks
from bench.session import Session

all_benchmarks()


@pytest.fixture(scope="module")
def session() -> Session:
    return Session("Weft")


@pytest.mark.parametrize("maker", CASES.values(), ids=CASES)
def test_case_with_little_data(maker: CaseMaker, session: Session) -> None:
    task = maker.quick(np.random.default_rng(1)).task(session)
    for _ in range(2):
        task.run()
        session.queue.finish()
        task.check()


def identity(expected: np.ndarray, **more: float) -> Case:
    """A case that copies 1, 2, 3, 4 and expects something else."""
    source = "__kernel void copy(__global const float *a, __global float *b) { *b = *a; }"
    values = np.arange(1, 5, dtype=np.float32)
    launch = Launch("copy", ("a", "b"), (4,), (4,))
    return Case(source, [launch], {"a": values, "b": values}, {"b": expected}, **more)


@pytest.mark.parametrize("wrong", [[1, 2, 3, 5], [1, 2, np.nan, 4]], ids=["value", "nan"])
def test_a_wrong_number_is_noticed(wrong: list[float]) -> None:
    values = np.arange(1, 5, dtype=np.float32)
    found = np.array(wrong, np.float32)
    for tolerance in (0.0, 0.1):
        with pytest.raises(AssertionError, match=r"25.00% of b is wrong"):
            identity(values, tolerance=tolerance).compare("b", found)
    identity(values, may_differ=0.25).compare("b", found)


def test_results_are_compared_in_rows_whatever_the_order_of_the_expected_array(session: Session) -> None:
    values = np.arange(6, dtype=np.float32).reshape(2, 3)
    buffer = session.upload(values)
    assert np.array_equal(session.download(buffer, np.asfortranarray(values)), values)


def test_tolerance_is_relative_to_the_largest_number() -> None:
    case = identity(np.array([0, 0, 0, 100], np.float32), tolerance=1e-2)
    case.compare("b", np.array([0.9, 0, 0, 99.1], np.float32))
    with pytest.raises(AssertionError, match="first at 0"):
        case.compare("b", np.array([1.1, 0, 0, 100], np.float32))
