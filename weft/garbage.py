"""Run Python's garbage collector less often during a compilation and while modules are imported.

Values and their users refer to each other. A compilation creates tens of thousands of such objects, which
Python's cycle collector would traverse after every few hundred new ones: a fifth of the compiler's time, and
more in a host program with many objects. None of them is garbage before its module is. What an import makes
stays, too.
"""

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager

from weft.locks import new_lock

# New objects between two collections. This much garbage takes tens of megabytes.
THRESHOLD = 100_000
# The same in a process of Weft alone: forty kernels with divergent loops leave 340,000 objects, 30 MB. Most
# such processes end before the first collection.
OWN_THRESHOLD = 500_000

_lock = new_lock()
_users: set[object] = set()
_usual = gc.get_threshold()


@contextmanager
def rare_collections() -> Iterator[None]:
    """Make the collector run rarely within the context; if the host program has disabled it, it stays
    disabled."""
    global _usual
    user = object()
    with _lock:
        if not _users:
            _usual = gc.get_threshold()
            if 0 < _usual[0] < THRESHOLD:
                gc.set_threshold(THRESHOLD, *_usual[1:])
        _users.add(user)
    try:
        yield
    finally:
        with _lock:
            if user in _users:  # not in the child of a fork within the context
                _users.remove(user)
                _restore()


def _restore() -> None:
    # Keep a threshold that the host program has set in the meantime.
    if not _users and gc.get_threshold() == (THRESHOLD, *_usual[1:]):
        gc.set_threshold(*_usual)


def _after_fork() -> None:
    """Restore the threshold in a child: threads that compile in the parent do not exist there."""
    if _users:
        _users.clear()
        _restore()


os.register_at_fork(after_in_child=_after_fork)


def own_interpreter() -> None:
    """Run the collector seldom from now on, and never over what exists: only Weft uses this interpreter.

    The collector may have been disabled while modules were imported.
    """
    gc.freeze()
    gc.set_threshold(OWN_THRESHOLD, *gc.get_threshold()[1:])
    gc.enable()
