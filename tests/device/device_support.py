"""What the device tests share: test kernels by name, argument blocks, host arrays, child processes."""

import os
import struct
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable

import numpy as np

from weft.device import _pool
from weft.device.base import Command, Launch, Queue

GROUP = Launch((1,), (1,))


def function(name: str) -> int:
    """The address of one of the work-group functions of testing.c."""
    address = int(_pool.lib.weft_test_function(name.encode()))
    assert address, name
    return address


def words(*values: int) -> bytes:
    """An argument block of 64-bit words."""
    return struct.pack(f"<{len(values)}Q", *values)


def address(array: np.ndarray) -> int:
    return int(array.ctypes.data)


class Log:
    """A log to which commands append numbers when they run."""

    def __init__(self, capacity: int) -> None:
        self.values = np.zeros(capacity, np.uint64)
        self.length = np.zeros(1, np.uint64)

    def append(self, queue: Queue, value: int, wait: tuple[Command, ...] = ()) -> Command:
        block = words(address(self.values), address(self.length), value)
        return queue.ndrange(function("record"), GROUP, block, 0, 0, wait)

    def read(self) -> list[int]:
        return self.values[: int(self.length[0])].tolist()


def spin(queue: Queue, nanoseconds: int, groups: int = 1, wait: tuple[Command, ...] = ()) -> Command:
    """A command whose groups take the given time each."""
    return queue.ndrange(function("spin"), Launch((groups,), (1,)), words(nanoseconds), 0, 0, wait)


def eventually(condition: Callable[[], bool], limit: float = 20.0) -> bool:
    """Whether the condition comes true before the limit, which only a failing test reaches."""
    end = time.monotonic() + limit
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.001)
    return True


def run_program(source: str, timeout: float = 30.0, **variables: str) -> str:
    """Runs a program in a process of its own and gives its output; it must exit with 0, in time."""
    folder = os.path.dirname(__file__)
    environment = {**os.environ, "PYTHONPATH": folder, **variables}
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(source)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    assert done.returncode == 0, (done.returncode, done.stdout, done.stderr)
    assert done.stderr == ""
    return done.stdout
