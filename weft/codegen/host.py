"""The processor this process runs on, as LLVM finds it.

Only the driver asks for it (`weft/program.py` and its neighbours, the command line), and the loader, whose
code runs here. Everything between takes a `Target`.
"""

from functools import cache

from weft import settings
from weft.codegen.binding import llvm
from weft.settings import InvalidSetting
from weft.target import Target, architecture


@cache
def host_target() -> Target:
    """The processor this process runs on, or the level of it that WEFT_CPU names."""
    binding = llvm()
    kind = architecture(binding.get_process_triple().partition("-")[0])
    level = settings.get("WEFT_CPU")
    if level == "host":
        cpu, features = binding.get_host_cpu_name(), binding.get_host_cpu_features().flatten()
        host: Target = kind.describe(cpu, features)
        return host
    if level not in kind.levels():
        raise InvalidSetting(f"WEFT_CPU={level!r}: expected one of {', '.join(('host', *kind.levels()))}")
    lower: Target = kind.describe(level)
    return lower
