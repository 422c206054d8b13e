"""The machine that code is generated for: the host with all its features, or as much of it as WEFT_CPU says.

The features are those the processor reports, not those its model usually has: a virtual machine may hide
some. Therefore `weft.codegen.optimise` drops the target attributes that clang writes into functions, and the
target machine made here decides alone. How wide vectors should be is left to LLVM's model of the processor
(512 bits on Zen 4, where that was measured to be up to 1.8 times as fast as 256; 256 bits on Intel's server
parts).
"""

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from weft import settings
from weft.codegen.binding import complaints, llvm

# The levels of x86-64 and what each adds to the one before. Where there are gathers they are worth using.
_LEVELS = {
    "x86-64": ("cmov", "cx8", "fxsr", "mmx", "sse", "sse2"),
    "x86-64-v2": ("cx16", "sahf", "popcnt", "sse3", "ssse3", "sse4.1", "sse4.2"),
    "x86-64-v3": ("avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "xsave", "fast-gather"),
    "x86-64-v4": ("avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"),
}

# Inside a string of LLVM's text form quotes are escaped, so these match attributes only.
_PROCESSOR = re.compile(r' ?"(?:target-cpu|tune-cpu|target-features)"="[^"]*"')
_PROCESSOR_NAMES = ('"target-', '"tune-cpu"')

# x86 processors, as LLVM names them, with AVX-512.
_WITH_AVX512 = frozenset(
    (
        *("x86-64-v4", "skylake-avx512", "skx", "cascadelake", "cooperlake", "cannonlake", "icelake-client"),
        *("icelake-server", "tigerlake", "rocketlake", "sapphirerapids", "emeraldrapids", "graniterapids"),
        *("graniterapids-d", "diamondrapids", "znver4", "znver5"),
    )
)


@dataclass(frozen=True)
class Target:
    """A processor to generate code for; `key` changes when code made for it could differ."""

    triple: str
    cpu: str
    features: str
    data_layout: str
    key: str

    def machine(self, opt_level: int = 3) -> Any:
        """LLVM's TargetMachine for this target; one per level for the whole process."""
        return _machine(self.triple, self.cpu, self.features, opt_level)

    def has(self, feature: str) -> bool:
        """Whether the processor has `feature`, by LLVM's name."""
        return f"+{feature}" in self.features.split(",")


@cache
def host_target() -> Target:
    """The processor this process runs on, or the level of it that WEFT_CPU names."""
    binding = llvm()
    triple = binding.get_process_triple()
    level = settings.get("WEFT_CPU")
    if level == "host":
        cpu, features = binding.get_host_cpu_name(), binding.get_host_cpu_features().flatten()
        # A virtual machine may hide what the processor is known for.
        if cpu in _WITH_AVX512 and "+avx512vl" not in features.split(","):
            cpu = "x86-64-v3"
    else:
        cpu, features = level, _features(level)
    data_layout = str(_machine(triple, cpu, features, 2).target_data)
    version = ".".join(map(str, binding.llvm_version_info))
    return Target(triple, cpu, features, data_layout, f"llvm {version}; {triple}; {cpu}; {features}")


def looks_up_in_registers(cpu: str) -> bool:
    """Whether processor `cpu`, by LLVM's name, finds an entry of a table in a register in one instruction."""
    return cpu in _WITH_AVX512


def without_processors(ir: str) -> str:
    """A module, as text, whose functions ask for no processor of their own."""
    return _PROCESSOR.sub("", ir) if any(name in ir for name in _PROCESSOR_NAMES) else ir


def _features(level: str) -> str:
    """The features of a level and of those below it, as LLVM takes them."""
    found: list[str] = []
    for name, added in _LEVELS.items():
        found += added
        if name == level:
            return ",".join(f"+{feature}" for feature in found)
    raise ValueError(level)


@cache
def plain_target() -> Target:
    """A processor of the host's kind of which LLVM knows nothing that favours some code."""
    host = host_target()
    cpu = "k8" if host.triple.startswith("x86_64") else "generic"
    return Target(host.triple, cpu, "", host.data_layout, f"{host.key}; plain")


@cache
def _machine(triple: str, cpu: str, features: str, opt_level: int) -> Any:
    with complaints(f"set up code generation for {cpu}"):
        # Position-independent code of the small model: JITLink puts the sections of one object next to each
        # other and reaches everything else through stubs, so no address needs 64 bits in the code.
        return (
            llvm()
            .Target.from_triple(triple)
            .create_target_machine(
                cpu=cpu, features=features, opt=opt_level, reloc="pic", codemodel="small", jit=True
            )
        )
