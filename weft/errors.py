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
    """A valid kernel uses something Weft cannot do yet; the message says what and becomes the build log."""


class BudgetExceeded(WeftError):
    """The optimizing tier stopped because a kernel costs more to optimize than it may; it runs baseline code.

    This is a decision, not a fault: it is told only under WEFT_VERBOSE=1, and no error under WEFT_VERIFY=1.
    """


class OptimizationFailed(WeftError):
    """A kernel runs baseline code because the optimizing tier failed; an error under WEFT_VERIFY=1 only."""


class ToolError(WeftError):
    """A tool that Weft uses (clang, LLVM, the file system) failed through no fault of the user."""


class LimitExceeded(ToolError):
    """A build took more time or memory than it may; the message names the setting (`weft/limits.py`)."""

    @property
    def log(self) -> str:
        """What the build log says."""
        return f"error: {self}\n"


class TooSlow(ToolError):
    """A tool used more processor time than its task is worth; something simpler is to be tried."""


def tell(text: str) -> None:
    """Print a message that is not the error of a call on standard error, if there is one."""
    if sys.stderr is not None:  # print would take standard output then, which is the program's
        with suppress(OSError, ValueError):  # it is closed, or nobody reads it
            print(f"weft: {text}", file=sys.stderr)
