"""Which version of a loop runs: all are tried in turn, the quickest is settled upon, until they are again."""

import ctypes
from collections.abc import Callable, Sequence

import pytest

import weft.device.base  # noqa: F401  (registers the functions of the pool)
from weft import abi
from weft.codegen.imports import IMPORTS

ITEMS = 64
_WORDS = abi.LOOP_RECORD_SIZE // 8


def _function(name: str, result: type | None, numbers: int) -> Callable[..., int]:
    """The function of the pool that takes a record, the number of versions and some further numbers."""
    types = (ctypes.c_void_p, *[ctypes.c_uint64] * (1 + numbers))
    return ctypes.CFUNCTYPE(result, *types)(IMPORTS[name])


TRY = _function(abi.STRATEGY_TO_TRY, ctypes.c_uint64, 0)
TRIED = _function(abi.STRATEGY_TRIED, None, 3)
LAUNCHED = _function(abi.LOOP_LAUNCHED, None, 0)


class Record:
    """A record of a loop with versions whose work-items take so many cycles each."""

    def __init__(self, cycles: Sequence[int]) -> None:
        self.words = (ctypes.c_uint64 * _WORDS)()
        self.cycles = list(cycles)
        self.ran: list[int] = []
        self.launches = 0

    @property
    def strategy(self) -> int:
        return int(self.words[abi.LOOP_STRATEGY // 8])

    def run(self, extra: int = 0) -> int:
        """A call of the loop, as compiled code makes it; gives the strategy that ran."""
        strategy = self.strategy
        if strategy == 0:
            strategy = TRY(self.words, len(self.cycles))
            TRIED(self.words, len(self.cycles), strategy, ITEMS, ITEMS * self.cycles[strategy - 1] + extra)
        self.ran.append(strategy)
        return strategy

    def launch(self, calls: int = 8) -> None:
        """A launch of so many work-groups."""
        self.launches += 1
        LAUNCHED(self.words, len(self.cycles))
        for _ in range(calls):
            self.run()

    def settle(self) -> int:
        """Launches until a strategy is settled upon."""
        for _ in range(200):
            self.launch()
            if self.strategy:
                return self.strategy
        raise AssertionError("no strategy was settled upon")

    def try_again(self) -> None:
        """Launches until the versions are tried again."""
        for _ in range(20_000):
            self.launches += 1
            LAUNCHED(self.words, len(self.cycles))
            if not self.strategy:
                return
        raise AssertionError("the versions were not tried again")


def test_the_record_has_room() -> None:
    assert abi.LOOP_RECORD_SIZE == 73 * 8
    assert (abi.LOOP_STRATEGY, abi.LOOP_TIMES, abi.LOOP_TIMES_SIZE) == (0, 64, 104)


@pytest.mark.parametrize("cycles", [(100, 300), (300, 100), (900, 300, 500, 250, 400)], ids=str)
def test_the_fastest_version_is_selected(cycles: tuple[int, ...]) -> None:
    record = Record(cycles)
    assert record.settle() == 1 + cycles.index(min(cycles))
    assert set(record.ran) == set(range(1, len(cycles) + 1)), "all were tried"


def test_versions_that_are_much_slower_are_given_up_early() -> None:
    record = Record((100, 10_000))
    assert record.settle() == 1
    assert record.ran.count(2) == 3


def test_calls_that_take_nothing_are_settled_some_time() -> None:
    record = Record((1, 2))
    assert record.settle() == 1


def test_a_call_that_was_interrupted_does_not_count() -> None:
    for interrupted in (3, 4, 5, 6):
        record = Record((100, 130))
        for number in range(interrupted):
            record.run(extra=10_000_000 if number == interrupted - 1 else 0)
        assert record.settle() == 1, interrupted


def test_short_interruptions_of_a_few_calls_do_not_count() -> None:
    for interrupted in (3, 5, 7, 9):
        record = Record((100, 115))
        for number in range(1, 13):
            # Too short to be told from a work-group with more to do, twice in the quicker version.
            record.run(extra=900_000 if number in (interrupted, interrupted + 4) else 0)
        assert record.settle() == 1, interrupted


def test_work_groups_with_more_to_do_count() -> None:
    # The first version is quicker where there is nothing to do, the second where there is much.
    record = Record((10, 20))
    for number in range(2000):
        heavy = (number // 2) % 8 < 5
        record.cycles = [500, 300] if heavy else [10, 20]
        record.run()
        if record.strategy:
            break
    assert record.strategy == 2


def test_versions_are_tried_again_when_things_may_have_changed() -> None:
    record = Record((100, 300))
    assert record.settle() == 1
    record.try_again()
    record.cycles = [300, 100]
    assert record.settle() == 2


def test_a_slightly_faster_version_is_not_selected() -> None:
    record = Record((100, 300))
    assert record.settle() == 1
    record.try_again()
    record.cycles = [100, 97]
    assert record.settle() == 1
    record.try_again()
    record.cycles = [100, 80]
    assert record.settle() == 2


def test_what_stays_the_same_is_tried_less_and_less() -> None:
    record = Record((5000, 8000))
    rests = []
    for _ in range(3):
        record.settle()
        before = record.launches
        record.try_again()
        rests.append(record.launches - before)
    assert rests[0] >= 4
    assert [rests[1] // rests[0], rests[2] // rests[1]] == [2, 2]


def test_trying_takes_a_small_part_of_all_launches() -> None:
    record = Record((1000, 1500))
    for _ in range(400):
        record.launch()
    assert record.ran.count(2) < 0.05 * len(record.ran)
