"""64-bit ARM processors, with NEON (128-bit vectors, always present) or SVE.

NEON has no masked accesses and no gathers: LLVM expands them to branches and one access per lane. SVE has
them. The length of SVE registers depends on the processor and is known for the models listed here. Weft uses
vectors of that fixed length and passes it to LLVM (`vector_scale`).
"""

from collections.abc import Collection

from .cost_table import costs_of
from .target import Target, has_features

TRIPLE = "aarch64-unknown-linux-gnu"
DATA_LAYOUT = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i8:8:32-i16:16:32-i64:64-i128:128-n32:64-S128-Fn32"

# The size of SVE registers in bits, where they are longer than NEON's.
_SVE_BITS = {"neoverse-v1": 256, "a64fx": 512}


def levels() -> dict[str, str]:
    """Return the features of each level of the architecture, in LLVM's form."""
    return {"generic": "+neon", "armv8.2-a": "+neon,+lse,+crc,+rdm,+fullfp16"}


def register_bits(features: Collection[str]) -> int:
    """Return the size of vector registers in bits; a feature `sve256` states the length of SVE registers."""
    return next((bits for bits in (512, 256) if f"sve{bits}" in features), 128)


def describe(cpu: str, features: str = "") -> Target:
    """Return a processor, given LLVM's name (or a level's) and its features in LLVM's form."""
    enabled = features or levels().get(cpu) or ("+neon,+sve" if cpu in _SVE_BITS else "+neon")
    bits = _SVE_BITS.get(cpu, 128) if "sve" in has_features(enabled) else 128
    scalable = bits > 128
    return Target(
        triple=TRIPLE,
        cpu="generic" if cpu in levels() else cpu,
        features=enabled,
        data_layout=DATA_LAYOUT,
        register_bits=bits,
        vector_registers=32,
        masked_accesses=scalable,
        gathers=scalable,
        scatters=scalable,
        stores_truncated=scalable,
        vector_scale=bits // 128 if scalable else 0,
        register_tables=False,
        fast_fma=True,
        neutral_cpu="generic",
        # Only the operating system may read the cycle counter.
        cycle_counter="readsteadycounter",
        clock_assembly="isb; mrs %0, cntvct_el0",
        costs=costs_of(cpu, "sve" if scalable else "neon"),
    )
