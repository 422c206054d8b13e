"""A linker for object files (`place_object.py`), with one file of relocations per architecture."""

from .aarch64 import AArch64
from .machine import Fixup, Machine
from .ppc64le import PowerPC64LE
from .riscv64 import RiscV64
from .x86_64 import X86_64

__all__ = ["MACHINES", "Fixup", "Machine"]

_ALL: tuple[Machine, ...] = (X86_64(), AArch64(), RiscV64(), PowerPC64LE())
MACHINES = {machine.number: machine for machine in _ALL}
"""Architectures by ELF's numbers for them."""
