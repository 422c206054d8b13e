"""What all OpenCL objects share: a kind, a handle, a reference count, and a rule for when they are deleted.

An object has two counts. `references` is the client's (clRetain…, clRelease…); `attached` counts the objects
that need this one, as a context is needed by its queues. The object is deleted when both are zero: a context
that was released stays usable through its queues, as the specification demands. Deletion is explicit, not
left to the garbage collector, because it frees device memory and calls the client's destructor callbacks.
"""

from collections.abc import Callable
from threading import RLock
from typing import ClassVar

from weft.runtime.errors import CLError

lock = RLock()
_delete_hooks: list[Callable[["CLObject"], None]] = []


def on_delete(hook: Callable[["CLObject"], None]) -> None:
    """Have `hook` called with every object that is deleted, before its own clean-up."""
    _delete_hooks.append(hook)


class CLObject:
    """Base of all runtime objects; `invalid` is the code for a handle that is not one of them."""

    kind: ClassVar[str] = "object"
    invalid: ClassVar[int] = 0

    def __init__(self) -> None:
        self.handle = 0
        self.references = 1
        self.attached = 0
        self.deleted = False

    def retain(self) -> None:
        """One more client reference."""
        with lock:
            self.references += 1

    def release(self) -> None:
        """One client reference less; the last one deletes the object unless others are attached."""
        with lock:
            if self.references <= 0:
                raise CLError(self.invalid, f"this {self.kind} was released already")
            self.references -= 1
            last = self.references == 0
            delete = last and self.attached == 0
        if last:
            self.last_reference_gone()
        if delete:
            self._delete()

    def attach(self) -> None:
        """Another object needs this one from now on."""
        with lock:
            self.attached += 1

    def detach(self) -> None:
        """An object that needed this one is gone."""
        with lock:
            self.attached -= 1
            delete = self.attached == 0 and self.references == 0
        if delete:
            self._delete()

    def _delete(self) -> None:
        self.deleted = True
        for hook in _delete_hooks:
            hook(self)
        self.delete()

    def last_reference_gone(self) -> None:
        """The client holds no reference any more; the object may live on for those attached to it."""

    def delete(self) -> None:
        """Free what the object owns; called once."""
