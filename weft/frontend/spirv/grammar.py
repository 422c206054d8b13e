"""The SPIR-V grammar, read from the generated tables: the operands of each instruction."""

from functools import cache

from weft.dataclasses import dataclass
from weft.frontend.spirv import grammar_tables as tables


@dataclass(frozen=True)
class Entry:
    """An instruction or enumerant: its name and its operands, as spelled in the tables.

    `needs` holds the capabilities that would allow it, if Weft supports none of them.
    """

    name: str
    operands: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()


@cache
def instructions() -> dict[int, Entry]:
    """Return all instructions by opcode; names are without `Op`."""
    return _read(tables.INSTRUCTIONS)


@cache
def enumeration(kind: str) -> dict[int, Entry]:
    """Return the values of an enumeration."""
    return _read(tables.ENUMERATIONS[kind])


@cache
def opencl_std() -> dict[int, Entry]:
    """Return OpenCL's extended instructions; their operands follow the instruction number."""
    return _read(tables.OPENCL_STD)


def is_enumeration(kind: str) -> bool:
    """Return whether an operand kind is an enumeration rather than one of the letters."""
    return kind in tables.ENUMERATIONS


def is_mask(kind: str) -> bool:
    """Return whether the values of an enumeration are bits."""
    return kind in tables.MASKS


def _read(text: str) -> dict[int, Entry]:
    entries: dict[int, Entry] = {}
    for line in text.replace("\n", " ").split(";"):
        number, name, *operands = line.split()
        needs = tuple(operands[1:]) if operands[:1] == ["!"] else ()
        entries[int(number)] = Entry(name, () if needs else tuple(operands), needs)
    return entries
