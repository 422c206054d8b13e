"""Locks that the child of a fork finds open.

A fork copies the memory of a process, and of its threads only the one that asks for it. A lock that another
thread holds at that moment would be taken in the child for ever; and as Weft has threads of its own, even a
program with one thread would meet such a lock. So what a lock guards must be fit for use at any time: it
changes in steps that Python does not interrupt.
"""

import os
from threading import Lock
from weakref import WeakSet

_locks: WeakSet[Lock] = WeakSet()


def new_lock() -> Lock:
    """A lock that is open in the child of a fork, whoever held it in the parent."""
    lock = Lock()
    _locks.add(lock)
    return lock


def _open_all() -> None:
    for lock in list(_locks):
        lock._at_fork_reinit()  # type: ignore[attr-defined]


os.register_at_fork(after_in_child=_open_all)
