"""Programs in an intermediate language: SPIR-V between creation and build."""

from weft.frontend.spirv.capabilities import EXTENSIONS, OPENCL_STD, VERSIONS
from weft.frontend.spirv.source import SpirvSource, is_il

__all__ = [
    "EXTENSIONS",
    "OPENCL_STD",
    "VERSIONS",
    "SpirvSource",
    "capability_numbers",
    "is_il",
    "new_source",
    "specialized",
]


class UnknownConstant(Exception):
    """A module has no specialization constant with a given id."""


def capability_numbers() -> list[int]:
    """Return the SPIR-V numbers of the capabilities that modules may declare."""
    from weft.frontend.spirv.capabilities import CAPABILITIES
    from weft.frontend.spirv.grammar import enumeration  # few clients query them

    return sorted(number for number, entry in enumeration("Capability").items() if entry.name in CAPABILITIES)


def new_source(data: bytes) -> SpirvSource:
    """Create a program from bytes; raises ValueError unless they have the form of a module."""
    from weft.frontend.spirv.binary import InvalidModule, check_frame  # not needed by clients with OpenCL C

    try:
        check_frame(data)
    except InvalidModule as error:
        raise ValueError(str(error)) from None
    return SpirvSource(data)


def specialized(source: SpirvSource, id: int, value: bytes) -> SpirvSource:
    """Return the program with a new value of a specialization constant.

    Raises UnknownConstant, or ValueError if the value has another size or the module is malformed.
    """
    from weft.frontend.spirv.compile import InvalidModule, specialization_constants

    try:
        sizes = specialization_constants(source.data)
    except InvalidModule as error:
        raise ValueError(str(error)) from None
    if id not in sizes:
        raise UnknownConstant(f"the program has no specialization constant {id}")
    if len(value) != sizes[id]:
        raise ValueError(f"specialization constant {id} has {sizes[id]} bytes")
    return source.specialized(id, value)
