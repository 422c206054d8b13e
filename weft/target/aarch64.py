"""The 64-bit ARM processors, with the vectors of 128 bits (NEON) that all of them have.

There are no masked accesses and no gathers: LLVM makes branches, and an access for each lane, of them.
"""

from collections.abc import Collection

from .cost_table import costs_of
from .target import Target

TRIPLE = "aarch64-unknown-linux-gnu"
DATA_LAYOUT = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i8:8:32-i16:16:32-i64:64-i128:128-n32:64-S128-Fn32"


def levels() -> dict[str, str]:
    """The features of each level of the architecture, in LLVM's form."""
    return {"generic": "+neon", "armv8.2-a": "+neon,+lse,+crc,+rdm,+fullfp16"}


def register_bits(features: Collection[str]) -> int:
    """The bits of vector registers; SVE, whose registers differ from processor to processor, is not used."""
    return 128


def describe(cpu: str, features: str = "") -> Target:
    """A processor by LLVM's name (or a level's) and its features in LLVM's form."""
    given = features or levels().get(cpu, "+neon")
    return Target(
        triple=TRIPLE,
        cpu="generic" if cpu in levels() else cpu,
        features=given,
        data_layout=DATA_LAYOUT,
        register_bits=128,
        vector_registers=32,
        masked_accesses=False,
        gathers=False,
        scatters=False,
        register_tables=False,
        fast_fma=True,
        neutral_cpu="generic",
        # The counter of cycles is the operating system's own.
        cycle_counter="readsteadycounter",
        costs=costs_of(cpu, "neon"),
    )
