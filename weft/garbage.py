"""Run Python's garbage collector less often during a compilation and while modules are imported.

Values and their users refer to each other. A compilation creates tens of thousands of such objects, which
Python's cycle collector would traverse after every few hundred new ones: a fifth of the compiler's time, and
more in a host program with many objects. None of them is garbage before its module is. What an import makes
stays, too.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from weft.locks import new_lock

# New objects between two collections. This much garbage takes tens of megabytes.
THRESHOLD = 100_000

_lock = new_lock()
_users = 0
_usual = gc.get_threshold()


@contextmanager
def rare_collections() -> Iterator[None]:
    """Make the collector run rarely within the context; if the host program has disabled it, it stays
    disabled."""
    global _users, _usual
    with _lock:
        _users += 1
        if _users == 1:
            _usual = gc.get_threshold()
            if 0 < _usual[0] < THRESHOLD:
                gc.set_threshold(THRESHOLD, *_usual[1:])
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            # Keep a threshold that the host program has set in the meantime.
            if _users == 0 and gc.get_threshold() == (THRESHOLD, *_usual[1:]):
                gc.set_threshold(*_usual)


def own_interpreter() -> None:
    """Run the collector seldom from now on, and never over what exists: only Weft uses this interpreter.

    The collector may have been disabled while modules were imported.
    """
    gc.freeze()
    gc.set_threshold(THRESHOLD, *gc.get_threshold()[1:])
    gc.enable()
