"""x86-64 processors: names, levels and features, as LLVM spells them.

The features are those that the processor reports, not those of its model: a virtual machine may hide some.
LLVM's vectorizer uses the widest registers, as Weft does, except on processors like Skylake (`_WIDE`).
"""

from collections.abc import Collection

from weft.dataclasses import replace

from .cost_table import costs_of
from .target import Target, has_features

TRIPLE = "x86_64-unknown-linux-gnu"
DATA_LAYOUT = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

# The levels of x86-64 and the features that each adds. If gathers exist, they are worth using.
_LEVELS = {
    "x86-64": ("cmov", "cx8", "fxsr", "mmx", "sse", "sse2"),
    "x86-64-v2": ("cx16", "sahf", "popcnt", "sse3", "ssse3", "sse4.1", "sse4.2"),
    "x86-64-v3": ("avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "xsave", "fast-gather"),
    "x86-64-v4": ("avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"),
}

# Processors with AVX-512.
_WITH_AVX512 = frozenset(
    (
        *("x86-64-v4", "skylake-avx512", "skx", "cascadelake", "cooperlake", "cannonlake", "icelake-client"),
        *("icelake-server", "tigerlake", "rocketlake", "sapphirerapids", "emeraldrapids", "graniterapids"),
        *("graniterapids-d", "diamondrapids", "znver4", "znver5"),
    )
)

# Intel's processors with AVX-512 whose clock hardly depends on the width of vectors. LLVM's models of them
# inherit a preference for 256 bits from Skylake's, whose clock does; Weft's own lanes take 512 bits anyway.
# Measured on a Xeon with AMX: docs/target.md.
_WIDE = frozenset(
    (
        *("icelake-client", "icelake-server", "tigerlake", "rocketlake", "sapphirerapids", "emeraldrapids"),
        *("graniterapids", "graniterapids-d", "diamondrapids"),
    )
)
_WHOLE_REGISTERS = "-prefer-256-bit"

# Processors that share a cost table; the others use that of Zen 4. A virtual machine may hide the model, so
# that LLVM names a Xeon after a desktop processor.
_INTEL_AVX512 = _WIDE | {"skylake-avx512", "skx", "cascadelake", "cooperlake", "cannonlake"}
_INTEL_TABLE, _OTHER_TABLE = "sapphirerapids", "znver4"

# Processors whose fma() is a function call rather than an instruction.
_WITHOUT_FMA = frozenset(
    (
        *("generic", "x86-64", "x86-64-v2", "k8", "opteron", "athlon64", "athlon-fx", "k8-sse3", "amdfam10"),
        *("opteron-sse3", "athlon64-sse3", "barcelona", "btver1", "btver2", "bdver1", "nocona", "core2"),
        *("penryn", "nehalem", "corei7", "westmere", "sandybridge", "corei7-avx", "ivybridge", "core-avx-i"),
        *("bonnell", "atom", "silvermont", "slm", "goldmont", "goldmont-plus", "tremont"),
    )
)

_TABLE_LOOKUPS = ("llvm.x86.avx512.permvar.sf.512", "llvm.x86.avx512.permvar.df.512")
# Families of intrinsics and the feature that all of a family require. Those of AVX-512 require different
# features, so only those that the built-in library uses are listed.
_INTRINSICS = (
    *((f"x86.{family}.", family) for family in ("sse", "sse2", "sse3", "ssse3", "sse4a", "avx", "avx2")),
    *(("x86.sse41.", "sse4.1"), ("x86.sse42.", "sse4.2"), ("x86.bmi.", "bmi"), ("x86.fma.", "fma")),
    *((name.removeprefix("llvm."), "avx512f") for name in _TABLE_LOOKUPS),
)


def levels() -> dict[str, str]:
    """Return the features of each level of the architecture and of lower levels, in LLVM's form."""
    features: list[str] = []
    by_level = {}
    for name, added in _LEVELS.items():
        features += added
        by_level[name] = ",".join(f"+{feature}" for feature in features)
    return by_level


def register_bits(features: Collection[str]) -> int:
    """Return the size of the widest vector registers in bits; system and LLVM name these features alike."""
    return 512 if "avx512f" in features else 256 if "avx2" in features else 128


def describe(cpu: str, features: str = "") -> Target:
    """Return a processor, given LLVM's name and its features in LLVM's form."""
    # A virtual machine may hide features of the processor.
    if cpu in _WITH_AVX512 and features and "avx512vl" not in has_features(features):
        cpu = "x86-64-v3"
    features = features or levels().get(cpu, "")
    if cpu in _WIDE:
        features = ",".join(filter(None, (features, _WHOLE_REGISTERS)))
    available = has_features(features)
    bits = register_bits(available)
    return Target(
        triple=TRIPLE,
        cpu=cpu,
        features=features,
        data_layout=DATA_LAYOUT,
        register_bits=bits,
        vector_registers=32 if bits == 512 else 16,
        masked_accesses=bits >= 256,
        gathers=bits >= 256,
        scatters=bits == 512,
        stores_truncated=bits == 512,
        loads_parts=True,
        frame_alignment=bits // 8 if bits > 128 else 0,
        register_tables=cpu in _WITH_AVX512,
        fast_fma=cpu not in _WITHOUT_FMA,
        neutral_cpu="k8",
        cycle_counter="readcyclecounter",
        counter_fence="llvm.x86.sse2.lfence",
        costs=costs_of(cpu, _INTEL_TABLE if cpu in _INTEL_AVX512 else _OTHER_TABLE),
        intrinsic_features=_INTRINSICS,
        table_lookups=_TABLE_LOOKUPS if cpu in _WITH_AVX512 else (),
    )


def for_lanes(lanes: int) -> Target:
    """Return a processor whose registers hold `lanes` 32-bit elements, to run single passes."""
    level = "x86-64-v4" if lanes >= 16 else "x86-64-v3" if lanes >= 8 else "x86-64"
    return replace(describe(level), register_bits=32 * lanes)
