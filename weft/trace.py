"""Print, dump and verify the IR between passes: WEFT_PRINT, WEFT_DUMP and WEFT_VERIFY.

The pipeline runs each pass through a Trace; passes do not depend on it.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from signal import SIGXFSZ
from typing import Protocol, TypeVar

from weft import ir, settings
from weft.errors import tell
from weft.signals import blocked

T = TypeVar("T")


class Checker(Protocol):
    """Checks the module before and after each step; raises an error if it is invalid."""

    def before(self, step: str, module: ir.Module) -> None:
        """Called before a step changes the module."""

    def after(self, step: str, module: ir.Module) -> None:
        """Called after each step."""


class Trace:
    """Runs and observes the steps of one compilation."""

    def __init__(self, kernel: str, dump: Path | None, shown: str, checker: Checker | None) -> None:
        self.kernel = kernel
        self._dump = dump
        self._shown = shown
        self._checker = checker
        self._count = 0
        self._last = ""

    @classmethod
    def from_settings(cls, kernel: str, checker: Checker) -> "Trace":
        """Return the trace selected by the environment."""
        wanted = checker if settings.get("WEFT_VERIFY") == "passes" else None
        return cls(kernel, settings.get("WEFT_DUMP"), settings.get("WEFT_PRINT"), wanted)

    @property
    def active(self) -> bool:
        """Whether output of the steps is requested, so that a cached result must not be used."""
        return bool(self._dump or self._shown)

    def step(self, name: str, make: Callable[[], ir.Module]) -> ir.Module:
        """Run the step that creates the module."""
        module = make()
        self._show(name, module)
        return module

    def run(self, name: str, module: ir.Module, change: Callable[[], T]) -> T:
        """Run a step that changes the module."""
        if self._checker is not None:
            self._checker.before(name, module)
        result = change()
        self._show(name, module)
        return result

    def _show(self, name: str, module: ir.Module) -> None:
        if self._checker is not None:
            self._checker.after(name, module)
        if not self.active:
            return
        text = ir.print_module(module)
        if self._dump is not None:
            self._write(self._dump / self.kernel / f"{self._count:02}-{name}.ll", text)
        if self._shown == name or (self._shown == "changed" and text != self._last):
            print(f"; kernel {self.kernel} after {name}\n{text}", file=sys.stderr)
        self._last = text
        self._count += 1

    def _write(self, file: Path, text: str) -> None:
        try:
            with blocked(SIGXFSZ):
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text)
        except OSError as error:
            tell(f"WEFT_DUMP: cannot write {file}: {error.strerror}")
            self._dump = None
