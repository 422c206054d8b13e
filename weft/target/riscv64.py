"""64-bit RISC-V processors with the vector extension (V), whose registers have at least 128 bits.

Weft uses vectors of a fixed length: LLVM maps them to V's registers, for the minimum length that the features
name (`zvl256b`). Masked accesses, gathers and scatters are instructions (`vluxei`, `vsuxei`).
"""

from collections.abc import Collection

from .cost_table import costs_of
from .target import Target, has_features

TRIPLE = "riscv64-unknown-linux-gnu"
DATA_LAYOUT = "e-m:e-p:64:64-i64:64-i128:128-n32:64-S128"

_BASE = ("64bit", "m", "a", "f", "d", "c")
_LEVELS = {
    "rv64gc": _BASE,
    "rv64gcv": (*_BASE, "v", "zvl128b"),
    "rv64gcv-zvl256b": (*_BASE, "v", "zvl128b", "zvl256b"),
}


def levels() -> dict[str, str]:
    """Return the features of each level of the architecture, in LLVM's form."""
    return {name: ",".join(f"+{feature}" for feature in features) for name, features in _LEVELS.items()}


def register_bits(features: Collection[str]) -> int:
    """Return the minimal size of vector registers in bits.

    Without V it is 128: LLVM splits such vectors into two registers.
    """
    return next((bits for bits in (512, 256) if f"zvl{bits}b" in features), 128)


def describe(cpu: str, features: str = "") -> Target:
    """Return a processor, given LLVM's name (or a level's) and its features in LLVM's form."""
    enabled = features or levels().get(cpu, levels()["rv64gcv"])
    available = has_features(enabled)
    vectors = "v" in available
    return Target(
        triple=TRIPLE,
        cpu="generic-rv64" if cpu in _LEVELS else cpu,
        features=enabled,
        data_layout=DATA_LAYOUT,
        register_bits=register_bits(available),
        vector_registers=32,
        masked_accesses=vectors,
        gathers=vectors,
        scatters=vectors,
        register_tables=False,
        fast_fma=True,
        neutral_cpu="generic-rv64",
        cycle_counter="readsteadycounter",  # only the operating system may read the cycle counter
        costs=costs_of(cpu, "rvv"),
        predicated_scatters=True,
    )
