"""What all OpenCL objects share: a kind, a handle, a reference count, and a rule for when they are deleted.

An object has two counts. `references` is the client's (clRetain…, clRelease…); `attached` counts the objects
that need this one, as a context is needed by its queues. The object is deleted when both are zero: a context
that was released stays usable through its queues, as the specification demands. Deletion is explicit, not
left to the garbage collector, because it frees device memory and calls the client's destructor callbacks.
"""

from collections.abc import Callable
from typing import ClassVar

from weft.locks import new_lock
from weft.runtime.errors import CLError

# Guards the counts, and the small tables of contexts and memory objects. It is never held while anything
# else is called, so it need not be reentrant.
lock = new_lock()


def _no_hook(_target: "CLObject") -> None:
    """There are no handles to forget."""


_delete_hook: Callable[["CLObject"], None] = _no_hook


def on_delete(hook: Callable[["CLObject"], None]) -> None:
    """Have `hook` called with every object that is deleted, before its own clean-up."""
    global _delete_hook
    _delete_hook = hook


class CLObject:
    """Base of all runtime objects; `invalid` is the code for a handle that is not one of them."""

    kind: ClassVar[str] = "object"
    invalid: ClassVar[int] = 0

    # Every object starts with these; an instance has its own only once they change.
    handle = 0
    references = 1
    attached = 0
    deleted = False

    def retain(self) -> None:
        """One more client reference."""
        with lock:
            self.references += 1

    def release(self) -> None:
        """One client reference less; the last one deletes the object unless others are attached."""
        with lock:
            left = self.references - 1
            if left < 0:
                raise CLError(self.invalid, f"this {self.kind} was released already")
            self.references = left
            delete = left == 0 and not self.in_use()
        if delete:
            self._delete()

    def in_use(self) -> bool:
        """Whether other objects need this one."""
        return self.attached > 0

    def attach(self) -> None:
        """Another object needs this one from now on."""
        with lock:
            self.attached += 1

    def attach_if_there(self) -> bool:
        """Whether the object has not been deleted; then something needs it from now on."""
        with lock:
            if self.deleted or (self.references == 0 and self.attached == 0):
                return False
            self.attached += 1
            return True

    def detach(self) -> None:
        """An object that needed this one is gone."""
        with lock:
            self.attached -= 1
            delete = self.attached == 0 and self.references == 0
        if delete:
            self._delete()

    def _delete(self) -> None:
        self.deleted = True
        _delete_hook(self)
        self.delete()

    def delete(self) -> None:
        """Free what the object owns; called once."""
