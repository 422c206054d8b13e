"""Descriptions of transport-triggered machines: units, register files and buses, from TOML files.

A transport-triggered architecture (TTA) is programmed by moves of words over buses, from outputs to inputs
(Corporaal, "Microprocessor Architectures: From VLIW to TTA"). A move to the trigger input of a unit starts an
operation; its other operand is the value of the unit's operand input. The result is available on the unit's
output after `latency` cycles, until the next result of the unit replaces it. A written register can be read
in the next cycle. Every move can be guarded by a boolean register or its complement.
"""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from weft.dataclasses import dataclass, replace
from weft.errors import WeftError

from .operations import OPERATIONS

FOLDER = Path(__file__).parent / "machines"
DEFAULT = "table2"


class MachineError(WeftError):
    """The description of a machine is invalid."""


@dataclass(frozen=True)
class RegisterFile:
    """Registers that share ports; those of a `boolean` file hold one bit and can guard moves."""

    name: str
    boolean: bool
    registers: int
    read_ports: int
    write_ports: int


@dataclass(frozen=True)
class Unit:
    """A pipelined functional unit: it can start an operation in every cycle. `operations` maps names to
    latencies.
    """

    name: str
    kind: str
    operations: Mapping[str, int]


@dataclass(frozen=True)
class Machine:
    """The description of a machine for compiler and simulator."""

    name: str
    clock_mhz: float
    buses: int
    delay_slots: int
    memory_bytes: int
    short_bits: int
    long_immediates: int
    files: tuple[RegisterFile, ...]
    units: tuple[Unit, ...]

    def units_for(self, operation: str) -> tuple[int, ...]:
        """Return the numbers of the units that have an operation."""
        return tuple(n for n, unit in enumerate(self.units) if operation in unit.operations)

    def is_short(self, number: int) -> bool:
        """Return whether a word fits into a short immediate."""
        signed = number - (number >> 31 << 32)
        return -(1 << (self.short_bits - 1)) <= signed < 1 << (self.short_bits - 1)

    def with_units(self, count: int, buses: int | None = None) -> "Machine":
        """Return the machine with `count` units of each kind and `count` register files of each kind, and the
        same number of buses unless `buses` is given.
        """
        kinds = dict.fromkeys(unit.kind for unit in self.units)
        first = {kind: next(u for u in self.units if u.kind == kind) for kind in kinds}
        units = tuple(Unit(f"{k}.{n}", k, first[k].operations) for k in kinds for n in range(count))
        files = tuple(
            replace(next(f for f in self.files if f.boolean is boolean), name=f"{name}.{n}")
            for name, boolean in (("rf", False), ("bool", True))
            for n in range(count)
        )
        return replace(
            self, name=f"{self.name} x{count}", units=units, files=files, buses=buses or self.buses
        )


def load_machine(name: str = DEFAULT) -> Machine:
    """Load one of Weft's machines by name, or a description by path."""
    path = FOLDER / f"{name}.toml"
    if not path.exists():
        path = Path(name)
    try:
        text = path.read_text()
    except OSError as error:
        known = ", ".join(sorted(p.stem for p in FOLDER.glob("*.toml")))
        raise MachineError(
            f"unknown machine or file {name!r}; machines: {known} ({error.strerror})"
        ) from None
    except UnicodeDecodeError:
        raise MachineError(f"{name}: not a text file") from None
    return parse_machine(text, str(path.name))


def parse_machine(text: str, where: str = "machine") -> Machine:
    """Parse a description; raise MachineError, with the location, if it is invalid."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise MachineError(f"{where}: {error}") from None
    immediates = _table(data, "immediates", where)
    files: list[RegisterFile] = []
    for entry in _tables(data, "register_file", where):
        place = f"{where}: register file {entry.get('name')!r}"
        kind = entry.get("kind", "word")
        if kind not in ("word", "bool"):
            raise MachineError(f"{place}: kind must be word or bool, got {kind!r}")
        for number in range(_number(entry, "count", place, 1)):
            ports = [_number(entry, port, place, 1) for port in ("registers", "read_ports", "write_ports")]
            files.append(RegisterFile(f"{_name(entry, place)}.{number}", kind == "bool", *ports))
    units: list[Unit] = []
    for entry in _tables(data, "unit", where):
        place = f"{where}: unit {entry.get('name')!r}"
        operations = _table(entry, "operations", place)
        for operation in operations:
            if operation not in OPERATIONS:
                raise MachineError(
                    f"{place}: unknown operation {operation!r}; available: {', '.join(OPERATIONS)}"
                )
            _number(operations, operation, place, 1)
        for number in range(_number(entry, "count", place, 1)):
            units.append(Unit(f"{_name(entry, place)}.{number}", _name(entry, place), operations))
    names = [file.name for file in files] + [unit.name for unit in units]
    if len(set(names)) != len(names):
        raise MachineError(f"{where}: two units or register files have the same name")
    for boolean, word in ((False, "word"), (True, "bool")):
        if not any(f.boolean is boolean for f in files):
            raise MachineError(f"{where}: a machine needs a register file of kind {word}")
    if not units:
        raise MachineError(f"{where}: a machine needs units")
    memory = _number(data, "memory_bytes", where, 1 << 16)
    if memory % 4 or memory > 1 << 32:
        raise MachineError(f"{where}: memory_bytes must be a multiple of 4 up to 2^32, got {memory}")
    return Machine(
        name=_name(data, where),
        clock_mhz=float(_number(data, "clock_mhz", where, 1)),
        buses=_number(data, "buses", where, 4),
        delay_slots=_number(data, "delay_slots", where, 0),
        memory_bytes=memory,
        short_bits=_number(immediates, "short_bits", where, 2),
        long_immediates=_number(immediates, "long", where, 1),
        files=tuple(files),
        units=tuple(units),
    )


def _name(entry: Mapping[str, Any], where: str) -> str:
    name = entry.get("name")
    if not isinstance(name, str) or not name:
        raise MachineError(f"{where}: a name is missing")
    return name


def _number(entry: Mapping[str, Any], key: str, where: str, least: int) -> int:
    value = entry.get(key)
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise MachineError(f"{where}: {key} must be a number of at least {least}, got {value!r}")
    return value


def _table(entry: Mapping[str, Any], key: str, where: str) -> Mapping[str, Any]:
    value = entry.get(key)
    if not isinstance(value, dict):
        raise MachineError(f"{where}: the table {key!r} is missing")
    return value


def _tables(entry: Mapping[str, Any], key: str, where: str) -> list[Mapping[str, Any]]:
    value = entry.get(key, [])
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise MachineError(f"{where}: {key!r} must be a list of tables, [[{key}]]")
    return value
