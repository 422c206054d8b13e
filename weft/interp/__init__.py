"""The reference interpreter: defines the result of a kernel and serves as the test oracle.

`run_ndrange` executes a kernel for an NDRange directly from the IR; `run_function` calls one function.
"""

from .errors import (
    BarrierDivergence,
    InterpreterError,
    OutOfBounds,
    StepLimit,
    UndefinedBehaviour,
    UnknownFunction,
    UnsupportedInstruction,
)
from .memory import Allocation, Local, Memory, Pointer
from .ndrange import run_function, run_ndrange
from .poison import POISON
from .workitem import Group, NDRange, WorkItem

__all__ = [
    "POISON",
    "Allocation",
    "BarrierDivergence",
    "Group",
    "InterpreterError",
    "Local",
    "Memory",
    "NDRange",
    "OutOfBounds",
    "Pointer",
    "StepLimit",
    "UndefinedBehaviour",
    "UnknownFunction",
    "UnsupportedInstruction",
    "WorkItem",
    "run_function",
    "run_ndrange",
]
