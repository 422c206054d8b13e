"""A SPIR-V program as passed to `clCreateProgramWithIL`."""

from weft.dataclasses import dataclass, replace
from weft.sha256 import sha256

# SPIR-V in either byte order, and LLVM bitcode (SPIR 1.2), which is refused.
_MAGIC = (b"\x03\x02\x23\x07", b"\x07\x23\x02\x03")
_BITCODE = (b"BC\xc0\xde", b"\xde\xc0\x17\x0b")


def is_spirv(data: bytes) -> bool:
    """Return whether bytes start with SPIR-V's magic number."""
    return data.startswith(_MAGIC)


def is_llvm_bitcode(data: bytes) -> bool:
    """Return whether bytes are LLVM bitcode, the form of SPIR 1.2."""
    return data.startswith(_BITCODE)


def is_il(data: bytes) -> bool:
    """Return whether bytes are an intermediate language rather than OpenCL C."""
    return is_spirv(data) or is_llvm_bitcode(data)


@dataclass(frozen=True)
class SpirvSource:
    """The bytes of a module and the values of specialization constants by id."""

    data: bytes
    constants: tuple[tuple[int, bytes], ...] = ()

    def specialized(self, id: int, value: bytes) -> "SpirvSource":
        """Return the program with another value of a specialization constant."""
        return replace(self, constants=tuple(sorted((dict(self.constants) | {id: value}).items())))

    def key(self) -> str:
        """Return a digest of module and constants."""
        digest = sha256(self.data)
        for id, value in self.constants:
            digest.update(b"%d %d " % (id, len(value)) + value)
        return digest.hexdigest()
