"""The refusal of a rewrite: a source location and a reason."""

from weft.errors import WeftError


class Refused(WeftError):
    """A program that cannot be rewritten; the message starts with its file, line and column."""

    def __init__(self, file: str, line: int, column: int, reason: str) -> None:
        super().__init__(f"{file}:{line}:{column}: {reason}")
        self.line, self.column, self.reason = line, column, reason


class SourceError(WeftError):
    """A program that does not parse; the message holds clang's diagnostics."""
