"""The thread that has kernels compiled again: what it takes, in which order, and what may go wrong."""

import gc
import threading
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any, cast

import pytest
from tier_support import wait_until

from weft.compile_server.messages import Answer, Request
from weft.errors import ToolError
from weft.faults import Fault
from weft.tiers import background as module
from weft.tiers.background import Background


class Used:
    """A job that says itself how much its kernel was used."""

    def __init__(self, name: str, done: list[str], ticks: int = 0) -> None:
        self.name, self.done = name, done
        self.request = Request(
            cast(Any, SimpleNamespace(info=SimpleNamespace(name=name))), *cast(Any, (0, 0))
        )
        self.ticks = ticks
        self.key = name
        self.cached: bytes | None = None
        self.orphaned = False

    def from_cache(self) -> bytes | None:
        return self.cached

    def keep(self, data: bytes) -> None:
        self.done.append(f"{self.name}: early")

    def finish(self, data: bytes | None, fault: Fault | None) -> None:
        outcome = data.decode() if data else fault.reason if fault else "nothing"
        self.done.append(f"{self.name}: {outcome}")

    def orphan(self) -> None:
        self.orphaned = True


class Helper:
    """A process that answers at once, or as `behave` says."""

    started = 0

    def __init__(self, behave: Callable[[str], Answer]) -> None:
        Helper.started += 1
        self.behave = behave
        self.closed = threading.Event()
        self.gone = threading.Event()

    def interrupt(self) -> bool:
        self.gone.set()
        go = getattr(self.behave, "go", None)
        if go is not None:
            go.set()
        return True

    def wait_until_ready(self) -> None:
        pass

    def ask(self, request: Request) -> Answer:
        answer = self.behave(request.code.info.name)
        if self.gone.is_set():
            raise ToolError("interrupted")
        return answer

    def close(self) -> None:
        self.closed.set()

    def disown(self) -> None:
        self.close()


def good(name: str) -> Answer:
    return Answer(b"code")


class Blocking:
    """Answers the kernel `blocks` when it is told to, and others at once."""

    def __init__(self) -> None:
        self.waiting, self.go = threading.Event(), threading.Event()

    def __call__(self, name: str) -> Answer:
        if name == "blocks":
            self.waiting.set()
            self.go.wait(60)
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


def test_what_is_wanted_is_compiled(make: Callable[..., Background]) -> None:
    done: list[str] = []
    job = Used("k", done)
    assert make().want(job)
    wait_until(lambda: done == ["k: code"])


def test_the_process_can_be_started_beforehand(make: Callable[..., Background]) -> None:
    done: list[str] = []
    background = make()
    background.wake()
    wait_until(lambda: Helper.started == 1)
    background.wake()
    job = Used("k", done)
    background.want(job)
    wait_until(lambda: bool(done))
    assert Helper.started == 1


def test_the_most_used_comes_first(make: Callable[..., Background]) -> None:
    done: list[str] = []
    blocking = Blocking()
    background = make(blocking)
    blocks = Used("blocks", done)
    background.want(blocks)
    assert blocking.waiting.wait(60)
    others = [Used("little", done, 1), Used("much", done, 2), Used("not at all", done)]
    for job in others:
        background.want(job)
    blocking.go.set()
    wait_until(lambda: len(done) == 4)
    names = [line.partition(":")[0] for line in done[1:]]
    assert names == ["much", "little", "not at all"]


def test_failures_are_reported_and_other_forms_are_compiled(make: Callable[..., Background]) -> None:
    done: list[str] = []

    def behave(name: str) -> Answer:
        return Answer(fault=Fault("ValueError: odd")) if name == "bad" else good(name)

    background = make(behave)
    bad, fine = Used("bad", done, 2), Used("fine", done, 1)
    background.want(bad)
    background.want(fine)
    wait_until(lambda: sorted(done) == ["bad: ValueError: odd", "fine: code"])


def test_a_process_that_dies_is_followed_by_another_which_tries_once_more(
    make: Callable[..., Background],
) -> None:
    done: list[str] = []
    asked: list[str] = []

    def behave(name: str) -> Answer:
        asked.append(name)
        if name == "deadly" or (name == "unlucky" and asked.count(name) == 1):
            raise ToolError("the compiler ended with status -11")
        return good(name)

    background = make(behave)
    unlucky, deadly, fine = Used("unlucky", done), Used("deadly", done), Used("fine", done)
    background.want(unlucky)
    wait_until(lambda: done == ["unlucky: code"])
    assert Helper.started == 2
    background.want(deadly)
    wait_until(lambda: len(done) == 2)
    assert done[1].startswith("deadly: ToolError: the compiler ended with status -11")
    background.want(fine)
    wait_until(lambda: done[2:] == ["fine: code"])
    assert Helper.started == 4
    assert asked == ["unlucky", "unlucky", "deadly", "deadly", "fine"]


def test_what_a_process_died_of_is_given_up_if_there_is_no_other(
    make: Callable[..., Background], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    done: list[str] = []

    def behave(name: str) -> Answer:
        monkeypatch.setattr(Helper, "wait_until_ready", fail)
        raise ToolError("the compiler ended with status -9")

    def fail(self: Helper) -> None:
        raise ToolError("the compiler ended with status 1")

    background = make(behave)
    job = Used("k", done)
    background.want(job)
    wait_until(lambda: len(done) == 1)
    assert done[0].startswith("k: ToolError: the compiler ended with status 1")
    assert not background.cancel(job)
    assert capfd.readouterr().err.count("\n") == 1


def test_what_nobody_compiles_can_be_cancelled(capfd: pytest.CaptureFixture[str]) -> None:
    done: list[str] = []

    def start() -> Any:
        raise OSError("no more processes")

    background = Background(start)
    job = Used("k", done)
    background.want(job)
    wait_until(lambda: background._thread is None)
    assert background.cancel(job) and not background.cancel(job)
    background.close()
    assert not done
    said = capfd.readouterr().err
    assert said == "weft: no process to optimize kernels: OSError: no more processes\n"


def test_a_process_that_does_not_start_leaves_what_is_wanted(
    make: Callable[..., Background], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def fail(self: Helper) -> None:
        raise ToolError("the compiler ended with status 1")

    monkeypatch.setattr(Helper, "wait_until_ready", fail)
    done: list[str] = []
    background, job = make(), Used("k", done)
    background.want(job)
    wait_until(lambda: background._thread is None)
    assert background.cancel(job) and background._helper is None and not done
    said = capfd.readouterr().err
    assert said.startswith("weft: no process to optimize kernels: ToolError: the compiler ended")
    assert said.count("\n") == 1 and Helper.started == 2


def test_what_is_being_compiled_cannot_be_cancelled(make: Callable[..., Background]) -> None:
    done: list[str] = []
    blocking = Blocking()
    background = make(blocking)
    blocks = Used("blocks", done)
    background.want(blocks)
    assert blocking.waiting.wait(60)
    assert not background.cancel(blocks)
    blocking.go.set()
    wait_until(lambda: done == ["blocks: code"])


def test_what_fails_while_code_is_taken_is_reported(
    make: Callable[..., Background], capfd: pytest.CaptureFixture[str]
) -> None:
    done: list[str] = []

    class Bad(Used):
        def finish(self, data: bytes | None, fault: Fault | None) -> None:
            raise ToolError("it cannot be taken")

    bad, fine, background = Bad("bad", done, 1), Used("fine", done), make()
    background.want(bad)
    background.want(fine)
    wait_until(lambda: done == ["fine: code"])
    said = capfd.readouterr().err
    assert said.startswith("weft: kernel 'bad' keeps its baseline code: ToolError: it cannot be taken")
    assert said.count("\n") == 1


def test_programs_that_are_gone_are_not_compiled(make: Callable[..., Background]) -> None:
    done: list[str] = []
    blocking = Blocking()
    background = make(blocking)
    blocks, gone, stays = Used("blocks", done), Used("gone", done, 1), Used("stays", done)
    background.want(blocks)
    assert blocking.waiting.wait(60)
    background.want(gone)
    background.want(stays)
    del gone
    gc.collect()
    blocking.go.set()
    wait_until(lambda: len(done) == 2)
    assert done == ["blocks: code", "stays: code"]


def test_thread_and_process_end_when_there_is_nothing_to_do(
    make: Callable[..., Background], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "IDLE_SECONDS", 0.05)
    done: list[str] = []
    helpers: list[Helper] = []
    background = Background(cast(Any, lambda: helpers.append(Helper(good)) or helpers[-1]))
    job = Used("k", done)
    background.want(job)
    wait_until(lambda: background._thread is None and helpers[0].closed.is_set())
    assert done
    again = Used("again", done)
    background.want(again)
    wait_until(lambda: len(done) == 2)
    background.close()


def test_nothing_is_compiled_after_the_end(make: Callable[..., Background]) -> None:
    done: list[str] = []
    blocking = Blocking()
    background = make(blocking)
    blocks, waits, late = Used("blocks", done), Used("waits", done), Used("late", done)
    background.want(blocks)
    assert blocking.waiting.wait(60)
    background.want(waits)
    background.close()
    assert done == ["waits: nothing"]
    assert not background.want(late)
    background.wake()
    blocking.go.set()


def test_threads_may_be_refused(
    make: Callable[..., Background], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def refuse(self: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    done: list[str] = []
    background, job = make(), Used("k", done)
    with monkeypatch.context() as only:
        only.setattr(threading.Thread, "start", refuse)
        background.wake()
        assert background.want(job)
    assert background.cancel(job)
    background.want(job)  # now there is one
    wait_until(lambda: done == ["k: code"])
    assert capfd.readouterr().err == ""


def test_a_forked_child_repeats_requests(make: Callable[..., Background]) -> None:
    done: list[str] = []
    blocking = Blocking()
    background = make(blocking)
    blocks, waits = Used("blocks", done), Used("waits", done)
    background.want(blocks)
    assert blocking.waiting.wait(60)
    background.want(waits)
    thread = background._thread
    background.after_fork()
    assert blocks.orphaned and waits.orphaned and not background._wanted
    blocking.go.set()
    assert thread is not None
    background.close()


def test_early_jobs_are_compiled_when_nothing_is_wanted(make: Callable[..., Background]) -> None:
    done: list[str] = []
    behave = Blocking()
    background = make(behave)
    first = Used("blocks", done)
    background.want(first)
    behave.waiting.wait(60)
    background.anticipate([Used("early", done), Used("known", done)])
    second = Used("k", done)
    background.want(second)
    behave.go.set()
    wait_until(lambda: len(done) == 4)
    assert done == ["blocks: code", "k: code", "early: early", "known: early"]


def test_an_early_job_whose_code_is_cached_is_none(make: Callable[..., Background]) -> None:
    done: list[str] = []
    early, job = Used("early", done), Used("k", done)
    early.cached = b"code"
    background = make()
    background.anticipate([early])
    background.want(job)
    wait_until(lambda: done == ["k: code"])


def test_what_is_wanted_interrupts_an_early_job(
    make: Callable[..., Background], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module.client, "disappoint", lambda: done.append("disappointed"))
    done: list[str] = []
    behave = Blocking()
    background = make(behave)
    background.anticipate([Used("blocks", done)])
    behave.waiting.wait(60)
    job = Used("k", done)
    background.want(job)
    wait_until(lambda: done == ["k: code"])
    assert Helper.started == 2


def test_what_is_wanted_waits_for_an_early_job_of_the_same_code(make: Callable[..., Background]) -> None:
    done: list[str] = []
    behave = Blocking()
    background = make(behave)
    early, job = Used("blocks", done), Used("blocks", done)
    background.anticipate([early])
    behave.waiting.wait(60)
    background.want(job)
    job.cached = b"kept"
    found: list[bool] = []
    thread = threading.Thread(target=lambda: found.append(background.awaits("blocks")))
    thread.start()
    behave.go.set()
    thread.join(60)
    assert found == [True]
    wait_until(lambda: done == ["blocks: early", "blocks: kept"])
    assert Helper.started == 1 and not background.awaits("blocks")


@pytest.mark.parametrize("data", [b"code", b""])
def test_a_launch_that_waits_gets_the_code_of_the_early_job(
    make: Callable[..., Background], monkeypatch: pytest.MonkeyPatch, data: bytes
) -> None:
    monkeypatch.setattr(module.client, "disappoint", lambda: None)
    done: list[str] = []
    blocking = Blocking()

    def behave(name: str) -> Answer:
        blocking(name)
        if not data:
            raise ToolError("died")
        return Answer(data)

    background = make(behave)
    background.anticipate([Used("blocks", done)])
    blocking.waiting.wait(60)
    job = Used("blocks", done)
    background.want(job)
    assert not background.cancel(job), "it would be compiled twice"
    background.want(Used("released", done))
    background.give_up_early("another")
    blocking.go.set()
    expected = ["blocks: early", "blocks: code"] if data else ["blocks: nothing"]
    wait_until(lambda: done == expected)
    assert not background.cancel(job)


def test_a_launch_that_waits_for_an_early_job_continues_when_the_program_ends(
    make: Callable[..., Background],
) -> None:
    done: list[str] = []
    behave = Blocking()
    background = make(behave)
    background.anticipate([Used("blocks", done)])
    behave.waiting.wait(60)
    job = Used("blocks", done)
    background.want(job)
    assert not background.cancel(job)
    background.close()
    assert done == ["blocks: nothing"]
    behave.go.set()


@pytest.mark.parametrize("early", [False, True])
def test_no_process_is_started_after_the_end(make: Callable[..., Background], early: bool) -> None:
    done: list[str] = []
    behave = Blocking()
    background, job = make(behave), Used("blocks", done)
    if early:
        background.anticipate([job])
    else:
        background.want(job)
    behave.waiting.wait(60)
    thread = background._thread
    background.close()
    behave.go.set()
    assert thread is not None
    thread.join(60)
    assert Helper.started == 1 and not thread.is_alive()


def test_an_early_job_whose_code_is_wanted_is_not_interrupted(make: Callable[..., Background]) -> None:
    done: list[str] = []
    behave = Blocking()
    background = make(behave)
    background.anticipate([Used("blocks", done)])
    behave.waiting.wait(60)
    job, other = Used("blocks", done), Used("k", done)
    background.want(job)
    job.cached = b"kept"
    background.want(other)
    background.give_up_early("another")
    behave.go.set()
    wait_until(lambda: len(done) == 3)
    assert set(done) == {"blocks: early", "blocks: kept", "k: code"} and Helper.started == 1


def test_an_early_job_that_has_not_begun_is_dropped(
    make: Callable[..., Background],
) -> None:
    done: list[str] = []
    behave = Blocking()
    background = make(behave)
    first = Used("blocks", done)
    background.want(first)
    behave.waiting.wait(60)
    background.anticipate([Used("early", done)])
    assert not background.awaits("early")
    behave.go.set()
    wait_until(lambda: done == ["blocks: code"])
    assert not background._early


def test_early_jobs_are_completed_by_the_process_and_the_caller(
    make: Callable[..., Background], monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    behave = Blocking()

    def compile_form(code: Any, *_: object) -> bytes:
        if code.info.name == "fails":
            raise ToolError("ended")
        if code.info.name == "second":
            behave.go.set()
        return b"code"

    monkeypatch.setattr(module, "compile_form", compile_form)
    background = make(behave)
    jobs = [Used(name, done) for name in ("blocks", "second", "fails", "cached", "last")]
    jobs[3].cached = b"code"
    background.anticipate(jobs)
    behave.waiting.wait(60)
    background.complete(jobs, 60)
    assert done == ["last: early", "second: early", "blocks: early"]
    background.complete(jobs, 60)


def test_nobody_waits_long_for_an_early_job(make: Callable[..., Background]) -> None:
    done: list[str] = []
    behave = Blocking()
    background = make(behave)
    jobs = [Used("blocks", done)]
    background.anticipate(jobs)
    behave.waiting.wait(60)
    background.complete(jobs, 0.01)
    assert not done
    behave.go.set()
    background.complete(jobs, 60)
    assert done == ["blocks: early"]


def test_a_process_that_fails_an_early_job_is_replaced(
    make: Callable[..., Background], monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    monkeypatch.setattr(module.client, "disappoint", lambda: done.append("disappointed"))

    def fail(name: str) -> Answer:
        if name == "early":
            raise ToolError("ended")
        return Answer(b"code")

    background = make(fail)
    background.anticipate([Used("early", done)])
    wait_until(lambda: done == ["disappointed"])
    job = Used("k", done)
    background.want(job)
    wait_until(lambda: done == ["disappointed", "k: code"])
