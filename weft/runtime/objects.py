"""The base of all OpenCL objects: kind, handle, reference counts, and deletion.

An object has two counts. `references` is the client's (clRetain…, clRelease…). It is kept on the native side
with the handle (`hot_references.c`), because threads change it without waiting for the GIL. `attached`
counts the objects that depend on this one, as queues depend on their context. The object is deleted when both
are zero: a released context stays usable through its queues, as the specification requires. Deletion is
explicit, not left to the garbage collector, because it frees device memory and calls the client's destructor
callbacks.
"""

from collections.abc import Callable
from typing import ClassVar

from weft.locks import new_reentrant_lock
from weft.runtime.errors import CLError
from weft.runtime.hot import lib as hot

# Guards the counts that Python keeps, and the small tables of contexts and memory objects. It is reentrant:
# Python's garbage collector may run while a thread holds it, and finalizers of the client's objects call
# OpenCL (memory is unmapped, events are waited for). So the data must be consistent at any call.
lock = new_reentrant_lock()


def _no_hook(_target: "CLObject") -> None:
    """Do nothing: there are no handles."""


_delete_hook: Callable[["CLObject"], None] = _no_hook


def on_delete(hook: Callable[["CLObject"], None]) -> None:
    """Call `hook` with every object that is deleted, before its own clean-up."""
    global _delete_hook
    _delete_hook = hook


class CLObject:
    """Base of all runtime objects.

    `invalid` is the error code for an invalid handle, `native_kind` the kind of the handle in C.
    """

    kind: ClassVar[str] = "object"
    invalid: ClassVar[int] = 0
    native_kind: ClassVar[int] = hot.WEFT_HOT_OTHER

    # Initial values; an instance has its own attribute only after a change.
    handle = 0
    attached = 0
    deleted = False
    _unpublished = 1  # reference count of an object without a handle

    @property
    def references(self) -> int:
        """The client's reference count."""
        return hot.weft_hot_references(self.handle) if self.handle else self._unpublished

    def retain(self) -> None:
        """Add a reference of the client."""
        if self.handle:
            hot.weft_hot_retain(self.handle)
        else:
            with lock:
                self._unpublished += 1

    def release(self) -> None:
        """Drop a reference of the client; the last one deletes the object unless others are attached."""
        left = hot.weft_hot_release(self.handle) if self.handle else self._release_unpublished()
        if left < 0:
            raise CLError(self.invalid, f"the {self.kind} is already released")
        if left == 0:
            self.delete_if_unused()

    def _release_unpublished(self) -> int:
        with lock:
            left = self._unpublished - 1
            self._unpublished = max(left, 0)
        return left

    def in_use(self) -> bool:
        """Whether other objects need this one."""
        return self.attached > 0

    def attach(self) -> None:
        """Add a dependent."""
        with lock:
            self.attached += 1

    def attach_if_there(self) -> bool:
        """Add a dependent unless the object has been deleted; return whether it was added."""
        with lock:
            if self.deleted or (self.references == 0 and self.attached == 0):
                return False
            self.attached += 1
            return True

    def detach(self) -> None:
        """Remove a dependent; delete the object if it was the last one and the client has released it."""
        with lock:
            self.attached -= 1
            unused = self.attached == 0
        if unused:
            self.delete_if_unused()

    def delete_if_unused(self) -> None:
        """Delete the object, once, if neither the client nor another object needs it."""
        with lock:
            if self.references or self.in_use() or self.deleted:
                return
            self.deleted = True
        _delete_hook(self)
        self._unpublished = 0
        self.delete()

    def delete(self) -> None:
        """Free what the object owns; called once."""
