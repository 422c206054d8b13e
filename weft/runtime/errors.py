"""The exception for errors with an OpenCL error code."""

from functools import cache
from typing import TYPE_CHECKING

from weft.runtime import codes

if TYPE_CHECKING:
    from weft.runtime.objects import CLObject


class CLError(Exception):
    """An OpenCL error code with a message for the programmer.

    `made` is the object that the client gets in spite of the error, for the one call that does so.
    """

    def __init__(self, code: int, message: str) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message
        self.made: CLObject | None = None

    def __str__(self) -> str:
        return f"{error_name(self.code)}: {self.message}"


@cache
def _names() -> dict[int, str]:
    names: dict[int, str] = {}
    for name, value in vars(codes).items():
        if name.startswith("CL_") and isinstance(value, int) and value < 0:
            # The errors come first in that file; build states have some of the same numbers.
            names.setdefault(value, name)
    return names


def error_name(code: int) -> str:
    """The name of an error code, as `CL_INVALID_VALUE`."""
    return _names().get(code, str(code))
