"""Errors of an interpreted kernel, with their location."""

from typing import TYPE_CHECKING

from weft.errors import WeftError
from weft.ir import Instruction, print_instruction

if TYPE_CHECKING:
    from .workitem import WorkItem


class InterpreterError(WeftError):
    """Base class of errors of interpreted code; stores the instruction and the work-item once they are
    known."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message
        self.instruction: Instruction | None = None
        self.item: WorkItem | None = None

    def locate(self, instruction: Instruction, item: "WorkItem") -> None:
        """Record the location of the error, unless an inner frame has done so already."""
        if self.instruction is None:
            self.instruction, self.item = instruction, item

    def __str__(self) -> str:
        text = self.message
        if self.instruction is not None:
            block = self.instruction.block
            function = block.function if block is not None else None
            text += f"\n  at `{print_instruction(self.instruction)}`"
            text += f" in @{function.name}" if function is not None else ""
        if self.item is not None:
            text += f", work-item {self.item.global_id}"
        return text


class UndefinedBehaviour(InterpreterError):
    """The program executed an operation that is undefined in LLVM IR."""


class OutOfBounds(InterpreterError):
    """An access that is not entirely inside one allocation, or a write to read-only memory."""


class BarrierDivergence(InterpreterError):
    """The work-items of a group did not all reach the same barrier."""


class UnknownFunction(InterpreterError):
    """A call of an undefined function."""


class UnsupportedInstruction(InterpreterError):
    """Valid IR that the interpreter does not support."""


class StepLimit(InterpreterError):
    """A function ran more blocks than the caller allows."""
