"""Weft's own threads.

Python's garbage collector runs in any thread and may release objects of the client there, while the thread
holds a lock of Weft. In a thread that is in a call, the driver defers the consequences of such a release. It
learns of Weft's own threads by `watch`, because they hold locks without being in a call, and because it
counts the threads of the client.
"""

import threading
from collections.abc import Callable
from typing import Any

_watchers: list[tuple[Callable[[], None], Callable[[], None]]] = []


def watch(starts: Callable[[], None], ends: Callable[[], None]) -> None:
    """Make every thread that is started from now on call `starts` first and `ends` last."""
    _watchers.append((starts, ends))


def start_thread(target: Callable[..., None], name: str, *arguments: Any) -> threading.Thread:
    """Start a daemon thread; raises RuntimeError if no thread can be started."""
    thread = threading.Thread(target=_run, args=(target, *arguments), name=name, daemon=True)
    thread.start()
    return thread


def _run(target: Callable[..., None], *arguments: Any) -> None:
    watchers = tuple(_watchers)
    for starts, _ in watchers:
        starts()
    try:
        target(*arguments)
    finally:
        for _, ends in watchers:
            ends()
