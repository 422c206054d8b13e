"""Faults of Weft's own, wherever they happen, are one line on standard error; everything on request."""

import signal
import threading
from collections.abc import Callable

import pyopencl as cl
import pytest

from weft.api import enqueue
from weft.cli import cache
from weft.cli.main import main
from weft.device.base import devices
from weft.faults import REPORT, Fault, interrupt_in, report, suppressed_faults
from weft.icd import driver
from weft.runtime.codes import CL_BUILD_PROGRAM_FAILURE
from weft.runtime.errors import CLError


@pytest.fixture
def queue() -> cl.CommandQueue:
    """A queue of the Weft platform."""
    platform = next(p for p in cl.get_platforms() if p.name == "Weft")
    return cl.CommandQueue(cl.Context(platform.get_devices()))


def fail(*arguments: object, **more: object) -> None:
    raise ZeroDivisionError("two\nlines")


def launched(queue: cl.CommandQueue) -> None:
    kernel = cl.Program(queue.context, "kernel void nothing() {}").build().nothing
    with pytest.raises(cl.RuntimeError, match="OUT_OF_RESOURCES"):
        kernel(queue, (64,), None)


def test_faults_in_calls(
    queue: cl.CommandQueue, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(enqueue, "prepare", fail)
    launched(queue)
    told = capfd.readouterr().err.splitlines()
    assert 1 <= len(told) <= 2  # pyopencl tries again
    for line in told:
        assert line.startswith("weft: clEnqueueNDRangeKernel failed: ZeroDivisionError: two (api/enqueue.py:")
        assert line.endswith(f"; {REPORT}")


def interrupting(*_: object) -> None:
    """A handler of signals of the program."""
    raise TimeoutError


def press_ctrl_c() -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize("handler", [press_ctrl_c, interrupting])
def test_an_interrupt_is_found_as_the_cause_of_an_error(
    handler: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(signal, "getsignal", lambda n: interrupting if n == signal.SIGALRM else None)
    error = became(handler)
    interrupt = interrupt_in(error)
    assert isinstance(interrupt, KeyboardInterrupt | TimeoutError)
    with pytest.raises(type(interrupt)), suppressed_faults():
        raise error
    with suppressed_faults():
        raise RuntimeError("a fault")
    found: list[BaseException | None] = []
    error = became(handler)
    thread = threading.Thread(target=lambda: found.append(interrupt_in(error)))
    thread.start()
    thread.join()
    assert found == [None], "handlers run in the main thread only"


def became(handler: Callable[[], None]) -> CLError:
    """What an interrupt is the cause of the cause of."""
    try:
        handler()
    except BaseException as interrupt:
        replaced = RuntimeError("Error calling __set_name__")
        replaced.__cause__ = interrupt
        error = CLError(CL_BUILD_PROGRAM_FAILURE, "not built")
        error.__cause__ = replaced
    return error


def test_faults_in_calls_at_length(
    queue: cl.CommandQueue, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(enqueue, "prepare", fail)
    monkeypatch.setenv("WEFT_VERBOSE", "1")
    launched(queue)
    told = capfd.readouterr().err
    assert "Traceback (most recent call last)" in told and "ZeroDivisionError: two\nlines" in told


def test_faults_in_callbacks(capfd: pytest.CaptureFixture[str]) -> None:
    done = threading.Event()
    command = devices()[0].user_command()
    command.on_status(0, fail)
    command.on_status(0, lambda status: done.set())
    command.complete()
    assert done.wait(60)
    told = capfd.readouterr().err
    assert told.startswith("weft: the callback of an event failed: ZeroDivisionError: two")
    assert told.count("\n") == 1


def test_faults_outside_of_entries(capfd: pytest.CaptureFixture[str]) -> None:
    driver._escaped(None, ZeroDivisionError("early"), None)
    assert capfd.readouterr().err == f"weft: a call of OpenCL failed: ZeroDivisionError: early; {REPORT}\n"


def test_faults_of_the_command_line(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cache, "run", fail)
    assert main(["cache"]) == 1
    told = capfd.readouterr().err
    assert told.startswith("weft: cache failed: ZeroDivisionError: two") and told.count("\n") == 1


class Wordless(Exception):
    """An exception that cannot be put into words."""

    def __str__(self) -> str:
        raise ValueError("no words")


def test_faults_without_words(capfd: pytest.CaptureFixture[str]) -> None:
    report("something failed", Fault.of(Wordless()))
    assert capfd.readouterr().err == f"weft: something failed: Wordless; {REPORT}\n"


def test_long_reasons_are_cut(capfd: pytest.CaptureFixture[str]) -> None:
    report("something failed", Fault.of(ValueError("x" * 10_000)))
    assert len(capfd.readouterr().err) < 500
