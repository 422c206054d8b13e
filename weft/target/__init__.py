"""Target descriptions: values with everything that the compiler may know about a processor.

Each file describes the processors of one architecture; `describe` finds it by the triple. Nothing here
queries the host or LLVM: `weft/codegen/host.py` does, and passes the result to the driver.
"""

from collections.abc import Collection
from types import ModuleType

from weft.errors import ToolError

from . import aarch64, ppc64le, riscv64, x86
from .cost_table import Costs
from .target import Target

__all__ = ["Costs", "Target", "architecture", "describe", "register_bytes"]

# Each module has TRIPLE, `describe(cpu, features)`, `levels()` and `register_bits(features)`.
_ARCHITECTURES: dict[str, ModuleType] = {
    "x86_64": x86,
    "aarch64": aarch64,
    "riscv64": riscv64,
    "powerpc64le": ppc64le,
    "ppc64le": ppc64le,
}


def architecture(name: str) -> ModuleType:
    """Return the description of an architecture, given the first word of a triple or the system's name."""
    try:
        return _ARCHITECTURES[name]
    except KeyError:
        raise ToolError(f"Weft does not compile for {name} processors") from None


def describe(triple: str, cpu: str, features: str = "") -> Target:
    """Return the processor that LLVM calls `cpu`, with features in LLVM's form (`+avx2,-sse4a`)."""
    target: Target = architecture(triple.partition("-")[0]).describe(cpu, features)
    return target


def register_bytes(name: str, features: Collection[str]) -> int:
    """Return the size of vector registers in bytes, given features as the system names them."""
    module = _ARCHITECTURES.get(name)
    return int(module.register_bits(features)) // 8 if module is not None else 16
