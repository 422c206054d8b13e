"""Programs in an intermediate language: SPIR-V between creation and build."""

from weft.frontend.spirv.capabilities import EXTENSIONS, OPENCL_STD, VERSIONS
from weft.frontend.spirv.source import SpirvSource

__all__ = [
    "EXTENSIONS",
    "OPENCL_STD",
    "VERSIONS",
    "SpirvSource",
    "capability_numbers",
    "new_source",
    "specialized",
]


class UnknownConstant(Exception):
    """A module has no specialization constant of a number."""


def capability_numbers() -> list[int]:
    """The capabilities that modules may declare, by their numbers in SPIR-V."""
    from weft.frontend.spirv.capabilities import CAPABILITIES
    from weft.frontend.spirv.grammar import enumeration  # few clients ask

    return sorted(number for number, entry in enumeration("Capability").items() if entry.name in CAPABILITIES)


def new_source(data: bytes) -> SpirvSource:
    """Return the program of some bytes; raises ValueError unless they have the outer form of a module."""
    from weft.frontend.spirv.binary import InvalidModule, check_frame  # clients with OpenCL C do not need it

    try:
        check_frame(data)
    except InvalidModule as error:
        raise ValueError(str(error)) from None
    return SpirvSource(data)


def specialized(source: SpirvSource, id: int, value: bytes) -> SpirvSource:
    """Return the program with a value of a specialization constant.

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
