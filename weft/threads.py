"""Weft's own threads.

Python's garbage collector runs in any thread and releases objects of the client there, perhaps while the
thread holds a lock of Weft's. The driver defers what such a release leads to in a thread that is in a call.
It is told of Weft's own threads by `on_start`, because they hold locks without being in a call.
"""

import threading
from collections.abc import Callable
from typing import Any

_started: list[Callable[[], None]] = []


def on_start(hook: Callable[[], None]) -> None:
    """Have every thread call `hook` that is started from now on, before anything else."""
    _started.append(hook)


def start_thread(target: Callable[..., None], name: str, *arguments: Any) -> threading.Thread:
    """Start a daemon thread; raises RuntimeError if there can be no more."""
    thread = threading.Thread(target=_run, args=(target, *arguments), name=name, daemon=True)
    thread.start()
    return thread


def _run(target: Callable[..., None], *arguments: Any) -> None:
    for hook in _started:
        hook()
    target(*arguments)
