"""The exception for errors with an OpenCL error code."""

from functools import cache
from typing import TYPE_CHECKING

from weft.runtime import codes

if TYPE_CHECKING:
    from weft.runtime.objects import CLObject


class CLError(Exception):
    """An OpenCL error code with a message for the programmer.

    `made` is the object that the client gets in spite of the error; only clLinkProgram uses it.
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
            # Errors come first in that file; later constants have some of the same numbers.
            names.setdefault(value, name)
    return names


def error_name(code: int) -> str:
    """Return the name of an error code, such as `CL_INVALID_VALUE`."""
    return _names().get(code, str(code))
