"""The collector runs seldom while kernels are compiled, and as the host program wishes at all other times."""

import gc
import os
from collections.abc import Iterator

import pytest

from weft import garbage
from weft.garbage import OWN_THRESHOLD, THRESHOLD, own_interpreter, rare_collections


@pytest.fixture(autouse=True)
def kept() -> Iterator[None]:
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)


def test_the_threshold_is_raised_and_restored() -> None:
    gc.set_threshold(700, 11, 12)
    with rare_collections(), rare_collections():
        assert gc.get_threshold() == (THRESHOLD, 11, 12)
    assert gc.get_threshold() == (700, 11, 12)


@pytest.mark.parametrize("first", [0, THRESHOLD * 2])
def test_a_host_that_collects_less_often_is_left_alone(first: int) -> None:
    gc.set_threshold(first, 10, 10)
    with rare_collections():
        assert gc.get_threshold() == (first, 10, 10)
    assert gc.get_threshold() == (first, 10, 10)


def test_what_the_host_sets_meanwhile_stays() -> None:
    gc.set_threshold(700, 10, 10)
    with rare_collections():
        gc.set_threshold(500, 5, 5)
    assert gc.get_threshold() == (500, 5, 5)


def test_an_error_restores_it() -> None:
    gc.set_threshold(700, 10, 10)
    with pytest.raises(ValueError), rare_collections():
        raise ValueError
    assert gc.get_threshold() == (700, 10, 10)


def test_a_child_process_can_compile() -> None:
    with rare_collections():
        child = os.fork()
        if child == 0:
            with rare_collections():
                os._exit(0 if not garbage._lock.locked() else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_a_child_process_collects_as_the_host_wishes() -> None:
    gc.set_threshold(700, 11, 12)
    with rare_collections(), rare_collections():
        child = os.fork()
        if child == 0:
            found = [gc.get_threshold()]
            with rare_collections():
                found.append(gc.get_threshold())
            found.append(gc.get_threshold())
            os._exit(0 if found == [(700, 11, 12), (THRESHOLD, 11, 12), (700, 11, 12)] else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert gc.get_threshold() == (THRESHOLD, 11, 12)


def test_the_end_of_a_context_in_a_child_process_changes_nothing() -> None:
    gc.set_threshold(700, 11, 12)
    child = -1
    with rare_collections():
        child = os.fork()
        if child == 0:
            gc.set_threshold(THRESHOLD, 11, 12)
    if child == 0:
        os._exit(0 if gc.get_threshold() == (THRESHOLD, 11, 12) and not garbage._users else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_an_interpreter_of_weft_alone_collects_seldom() -> None:
    gc.set_threshold(700, 11, 12)
    gc.disable()
    try:
        own_interpreter()
        assert gc.isenabled()
        assert gc.get_threshold() == (OWN_THRESHOLD, 11, 12)
        assert gc.get_freeze_count() > 0
        with rare_collections():
            assert gc.get_threshold() == (OWN_THRESHOLD, 11, 12)
        assert gc.get_threshold() == (OWN_THRESHOLD, 11, 12)
    finally:
        gc.enable()
        gc.unfreeze()
