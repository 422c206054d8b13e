"""Little-endian 64-bit PowerPC processors from POWER8 on, with 128-bit vectors (VSX).

There are no masked accesses and no gathers: LLVM expands them to branches and one access per lane. From
POWER9 on, conversions to and from half are instructions.
"""

from collections.abc import Collection

from .cost_table import costs_of
from .target import Target

TRIPLE = "powerpc64le-unknown-linux-gnu"
DATA_LAYOUT = "e-m:e-Fn32-i64:64-i128:128-n32:64-S128-v256:256:256-v512:512:512"

_POWER8 = "+altivec,+vsx,+power8-vector,+direct-move,+crypto"
_LEVELS = {"pwr8": _POWER8, "pwr9": f"{_POWER8},+power9-vector"}


def levels() -> dict[str, str]:
    """Return the features of each level of the architecture, in LLVM's form."""
    return dict(_LEVELS)


def register_bits(features: Collection[str]) -> int:
    """Return the size of vector registers in bits."""
    return 128


def describe(cpu: str, features: str = "") -> Target:
    """Return a processor, given LLVM's name and its features in LLVM's form."""
    return Target(
        triple=TRIPLE,
        cpu=cpu,
        features=features or _LEVELS.get(cpu, _POWER8),
        data_layout=DATA_LAYOUT,
        register_bits=128,
        vector_registers=64,
        masked_accesses=False,
        gathers=False,
        scatters=False,
        register_tables=False,
        fast_fma=True,
        neutral_cpu="ppc64le",
        cycle_counter="readcyclecounter",  # the time base, which all programs may read
        counter_fence="llvm.ppc.isync",
        costs=costs_of(cpu, "vsx"),
    )
