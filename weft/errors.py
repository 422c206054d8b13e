"""Error types shared by several packages.

Every error a user can cause is one of these; the api package turns them into OpenCL error codes.
"""

import sys
from contextlib import suppress


class WeftError(Exception):
    """Base of all errors that Weft raises on purpose."""


class InvalidBuildOptions(WeftError):
    """An option of clBuildProgram is unknown or malformed (CL_INVALID_BUILD_OPTIONS)."""


class BuildError(WeftError):
    """The program does not compile (CL_BUILD_PROGRAM_FAILURE); `log` is the build log."""

    def __init__(self, log: str) -> None:
        super().__init__(log)
        self.log = log


class UnsupportedError(WeftError):
    """A valid kernel uses a feature that Weft does not support yet; the message becomes the build log."""


class BudgetExceeded(WeftError):
    """The optimization of a kernel exceeded its budget; the kernel runs baseline code.

    This is a decision, not a fault: it is reported only with WEFT_VERBOSE=1, and is no error with
    WEFT_VERIFY=1.
    """


class OptimizationFailed(WeftError):
    """A kernel runs baseline code because the optimized tier failed; an error only with WEFT_VERIFY=1."""


class ToolError(WeftError):
    """A tool that Weft uses (clang, LLVM, the file system) failed through no fault of the user."""


class LimitExceeded(ToolError):
    """A build exceeded its time or memory limit; the message names the setting (`weft/limits.py`)."""

    @property
    def log(self) -> str:
        """The text for the build log."""
        return f"error: {self}\n"


class TooSlow(ToolError):
    """A tool exceeded its processor time; something simpler should be tried."""


def tell(text: str) -> None:
    """Print a message on standard error, if it exists; for messages that are not errors of a call."""
    if sys.stderr is not None:  # otherwise print would use standard output, which belongs to the program
        with suppress(OSError, ValueError):  # standard error is closed
            print(f"weft: {text}", file=sys.stderr)
