"""Programs of a transport-triggered machine: moves by cycle.

A move goes from a source to a destination over a bus, if its guard holds. Sources are immediates, registers
and the outputs of units; destinations are registers, the inputs of units and the control unit. A move to
input 0 of a unit names the operation that it triggers.
"""

from weft.dataclasses import dataclass, field

from .allocate import Register
from .machine import Machine


@dataclass(frozen=True)
class Number:
    """An immediate."""

    word: int


@dataclass(frozen=True)
class FromRegister:
    """A register, read through a port of its file."""

    register: Register


@dataclass(frozen=True)
class FromUnit:
    """The output of a unit; `operation` is the number in the block of the operation whose result is read."""

    unit: int
    operation: int


@dataclass(frozen=True)
class ToRegister:
    """A register, written through a port of its file."""

    register: Register


@dataclass(frozen=True)
class ToUnit:
    """An input of a unit. Input 0 triggers operation `name`; `operation` is its number in the block."""

    unit: int
    port: int
    name: str = ""
    operation: int = -1


@dataclass(frozen=True)
class Jump:
    """The control unit: the next block, once the delay slots have passed."""

    block: int


Source = Number | FromRegister | FromUnit
Destination = ToRegister | ToUnit | Jump


@dataclass
class Move:
    """One transport. `guard`: a boolean register and the required value. Buses are assigned last."""

    cycle: int
    source: Source
    destination: Destination
    guard: tuple[Register, bool] | None = None
    bus: int = -1


@dataclass
class Statistics:
    """Scheduling statistics of a block."""

    operations: int = 0
    bypassed: int = 0
    """Operands taken from the output of a unit."""
    shared: int = 0
    """Operands that were already on the input."""
    dead_results: int = 0
    """Results that were not written to a register."""


@dataclass
class ScheduledBlock:
    """The moves of a block of `length` cycles; `falls_to` is the block that follows without a jump."""

    name: str
    moves: list[Move]
    length: int
    falls_to: int | None = None
    statistics: Statistics = field(default_factory=Statistics)


@dataclass
class Program:
    """A program for a machine. It begins with block 0 and ends after a block that has no successor."""

    machine: Machine
    blocks: list[ScheduledBlock]
