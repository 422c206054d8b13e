"""Random kernels that take too much time or memory are failures."""

import time

import pytest
from fuzz_budget import OverBudget, within_budget

SOURCE = "__kernel void k() {}\n"


def test_work_that_never_ends_is_interrupted() -> None:
    with (
        pytest.raises(OverBudget, match="interrupted after"),
        within_budget(SOURCE, "way", seconds=0.2),
    ):
        while True:
            pass


def test_time_is_looked_at_when_the_interruption_was_swallowed() -> None:
    def swallows() -> None:
        try:
            while True:
                pass
        except OverBudget:
            pass

    with pytest.raises(OverBudget, match="s of processor time"), within_budget(SOURCE, "way", seconds=0.2):
        swallows()


def test_memory_that_was_given_back_counts() -> None:
    with pytest.raises(OverBudget, match="MiB for a kernel"), within_budget(SOURCE, "way", most=50 * 2**20):
        bytearray(b"x" * (100 * 2**20)).clear()


def test_little_work_is_within_budget_and_longer_kernels_may_take_longer() -> None:
    with within_budget(SOURCE, "way"):
        pass
    # Children of earlier tests that end meanwhile count too: the limit, ten times as high, leaves time for
    # them.
    with within_budget("\n" * 4000, "way", seconds=0.4):
        end = time.process_time() + 0.5
        while time.process_time() < end:
            pass
