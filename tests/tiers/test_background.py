"""The thread that has used kernels compiled again: what it takes, in which order, and what may go wrong."""

import gc
import threading
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any, cast

import pytest
from tier_support import wait_until

from weft.errors import ToolError
from weft.tiers import background as module
from weft.tiers.background import Background
from weft.tiers.first_code import LAUNCHES, TICKS, FirstCode
from weft.tiers.messages import Answer, Request


class Used(FirstCode):
    """First code that says itself how much it was used."""

    def __init__(self, name: str, ticks: int, done: list[str]) -> None:
        self.code = cast(Any, SimpleNamespace(info=SimpleNamespace(name=name)))
        self.options = self.form = cast(Any, None)
        self.asked, self.launches, self.latest, self.used = False, 0, 0.0, ticks
        self.finish = lambda first, data: done.append(f"{name}: {data.decode()}")

    @property
    def ticks(self) -> int:
        return self.used


class Helper:
    """A process that answers at once, or as `behave` says."""

    started = 0

    def __init__(self, behave: Callable[[str], Answer]) -> None:
        Helper.started += 1
        self.behave = behave
        self.closed = threading.Event()

    def ask(self, request: Request) -> Answer:
        return self.behave(request.code.info.name)

    def close(self) -> None:
        self.closed.set()


def good(name: str) -> Answer:
    return Answer(b"code")


@pytest.fixture
def make() -> Iterator[Callable[..., Background]]:
    Helper.started = 0
    made: list[Background] = []

    def start(behave: Callable[[str], Answer] = good) -> Background:
        made.append(Background(cast(Any, lambda: Helper(behave))))
        return made[-1]

    yield start
    for background in made:
        background.close()


def test_code_that_ran_for_long_is_compiled_again(make: Callable[..., Background]) -> None:
    done: list[str] = []
    first = Used("k", TICKS, done)
    make().launched(first)
    wait_until(lambda: done == ["k: code"])


def test_code_that_is_found_to_run_for_long_is_compiled_again(make: Callable[..., Background]) -> None:
    done: list[str] = []
    first = Used("k", 0, done)
    make().launched(first)
    first.used = TICKS  # no other launch tells
    wait_until(lambda: done == ["k: code"])


def test_code_that_was_launched_often_is_compiled_again(make: Callable[..., Background]) -> None:
    done: list[str] = []
    first, background = Used("k", 0, done), make()
    for _ in range(LAUNCHES):
        assert not done
        background.launched(first)
    wait_until(lambda: done == ["k: code"])


def test_code_that_is_hardly_used_is_left(make: Callable[..., Background]) -> None:
    done: list[str] = []
    hardly, often, background = Used("hardly", TICKS - 1, done), Used("often", TICKS, done), make()
    background.launched(hardly)
    background.launched(often)
    wait_until(lambda: bool(done))
    assert done == ["often: code"]


def test_what_is_launched_meanwhile_is_compiled_once(make: Callable[..., Background]) -> None:
    done: list[str] = []
    waiting, go = threading.Event(), threading.Event()

    def behave(name: str) -> Answer:
        waiting.set()
        go.wait(60)
        return Answer(b"code")

    background = make(behave)
    first, other = Used("k", TICKS, done), Used("other", TICKS, done)
    background.launched(first)
    assert waiting.wait(60)
    background.launched(first)
    background.launched(other)
    go.set()
    wait_until(lambda: len(done) == 2)
    assert done == ["k: code", "other: code"] and not background._watched


def test_the_most_used_comes_first(make: Callable[..., Background]) -> None:
    done: list[str] = []
    waiting, go = threading.Event(), threading.Event()

    def behave(name: str) -> Answer:
        if name == "blocks":
            waiting.set()
            go.wait(60)
        return Answer(b"code")

    background = make(behave)
    all_used = [Used(name, TICKS * n, done) for n, name in enumerate(("blocks", "little", "much", "more"), 1)]
    background.launched(all_used[0])
    assert waiting.wait(60)
    for first in all_used[1:]:
        background.launched(first)
    go.set()
    wait_until(lambda: len(done) == 4)
    assert [line.partition(":")[0] for line in done[1:]] == ["more", "much", "little"]


def test_what_goes_wrong_is_reported_and_others_are_compiled(
    make: Callable[..., Background], capfd: pytest.CaptureFixture[str]
) -> None:
    done: list[str] = []

    def behave(name: str) -> Answer:
        return Answer(error="Traceback\nValueError: odd\n") if name == "bad" else good(name)

    background = make(behave)
    bad, fine = Used("bad", 2 * TICKS, done), Used("fine", TICKS, done)
    background.launched(bad)
    background.launched(fine)
    wait_until(lambda: done == ["fine: code"])
    background.launched(bad)  # it goes on, and is not reported again
    another = Used("another", TICKS, done)
    background.launched(another)
    wait_until(lambda: len(done) == 2)
    assert capfd.readouterr().err == "weft: kernel 'bad' keeps its first code: Traceback\nValueError: odd\n"


def test_a_process_that_dies_is_reported_and_followed_by_another(
    make: Callable[..., Background], capfd: pytest.CaptureFixture[str]
) -> None:
    done: list[str] = []

    def behave(name: str) -> Answer:
        if name == "deadly":
            raise ToolError("the compiler ended with status -11")
        return good(name)

    background = make(behave)
    deadly = Used("deadly", TICKS, done)
    background.launched(deadly)
    wait_until(lambda: not background._watched and background._helper is None)
    fine = Used("fine", TICKS, done)
    background.launched(fine)
    wait_until(lambda: done == ["fine: code"])
    assert "kernel 'deadly' keeps its first code: ToolError: the compiler" in capfd.readouterr().err
    assert Helper.started == 2


def test_what_fails_while_code_is_taken_is_reported(
    make: Callable[..., Background], capfd: pytest.CaptureFixture[str]
) -> None:
    done: list[str] = []

    def fail(first: FirstCode, data: bytes) -> None:
        raise ToolError("it cannot be loaded")

    bad, fine, background = Used("bad", TICKS, done), Used("fine", TICKS, done), make()
    bad.finish = fail
    background.launched(bad)
    wait_until(lambda: not background._watched)
    background.launched(fine)
    wait_until(lambda: bool(done))
    assert "kernel 'bad' keeps its first code: ToolError: it cannot be loaded" in capfd.readouterr().err


def test_programs_that_are_gone_are_not_compiled(make: Callable[..., Background]) -> None:
    done: list[str] = []
    gone, stays, background = Used("gone", 0, done), Used("stays", 0, done), make()
    background.launched(gone)
    background.launched(stays)
    del gone
    gc.collect()
    stays.used = TICKS
    wait_until(lambda: bool(done))
    assert done == ["stays: code"]


def test_thread_and_process_end_when_there_is_nothing_to_do(
    make: Callable[..., Background], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "IDLE_SECONDS", 0.05)
    done: list[str] = []
    helpers: list[Helper] = []
    background = Background(cast(Any, lambda: helpers.append(Helper(good)) or helpers[-1]))
    first = Used("k", TICKS, done)
    background.launched(first)
    wait_until(lambda: background._thread is None)
    assert done and helpers[0].closed.is_set()
    again = Used("again", TICKS, done)
    background.launched(again)
    wait_until(lambda: len(done) == 2)
    background.close()


def test_nothing_is_compiled_after_the_end(make: Callable[..., Background]) -> None:
    done: list[str] = []
    background = make()
    background.close()
    first = Used("k", TICKS, done)
    background.launched(first)
    assert background._thread is None and not done
