"""The client's C callbacks as Python callables."""

from collections.abc import Callable
from typing import Any

from weft.api.memory_access import NULL, ffi
from weft.runtime.codes import CL_INVALID_VALUE
from weft.runtime.errors import CLError


def function(signature: str, pointer: Any, user_data: Any) -> Callable[..., None] | None:
    """Wrap the C function at `pointer`, with `user_data` as its last argument; None for NULL.

    Raises if there is user data without a function, which is an error in all entries.
    """
    data = ffi.cast("void *", user_data)
    if not pointer:
        if data != NULL:
            raise CLError(CL_INVALID_VALUE, "user_data must be NULL without a callback")
        return None
    call = ffi.cast(signature, pointer)

    def invoke(*arguments: Any) -> None:
        call(*arguments, data)

    return invoke


def error_notifier(pointer: Any, user_data: Any) -> Callable[[str], None] | None:
    """Wrap the error callback of a context."""
    call = function("void(*)(char *, void *, size_t, void *)", pointer, user_data)
    if call is None:
        return None
    notify = call
    return lambda text: notify(ffi.new("char[]", text.encode("utf-8", "replace")), NULL, 0)
