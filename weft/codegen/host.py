"""The host processor, as detected by LLVM.

Only the driver (`weft/program.py` and related modules, the command line) and the loader use it. Everything in
between takes a `Target`.
"""

import ctypes

from weft import settings
from weft.settings import InvalidSetting
from weft.target import Target, architecture

_PR_SVE_GET_VL = 51
_VL_BYTES = 0xFFFF  # bits of the system's answer that hold the length


_known: Target | None = None


def host_target() -> Target:
    """Return the processor this process runs on, or the level of it that WEFT_CPU names."""
    global _known
    if _known is None:
        _known = detect_host_target()
    return _known


def known_host_target() -> Target | None:
    """Return the same if this process knows it already, without loading LLVM."""
    return _known


def assume_host_target(target: Target) -> None:
    """Take `host_target` from another process of this machine with the same settings."""
    global _known
    _known = _known or target


def detect_host_target() -> Target:
    """Ask LLVM and the settings for the processor; `host_target` does so once."""
    # Not needed by processes that learn the processor from another one.
    from weft.codegen.llvm_library import host_processor, process_triple

    kind = architecture(process_triple().partition("-")[0])
    level = settings.get("WEFT_CPU")
    if level == "host":
        cpu, features = host_processor()
        host: Target = kind.describe(cpu, features)
        if host.vector_scale and host.register_bits != sve_bits():
            # The system may limit programs to shorter registers than the processor has.
            host = kind.describe(cpu, features.replace("+sve", "-sve"))
        return host
    if level not in kind.levels():
        raise InvalidSetting(f"WEFT_CPU={level!r}: expected one of {', '.join(('host', *kind.levels()))}")
    lower: Target = kind.describe(level)
    return lower


def sve_bits() -> int:
    """Return the size of SVE registers in this process in bits; 0 if there are none."""
    answer: int = ctypes.CDLL(None).prctl(_PR_SVE_GET_VL, 0, 0, 0, 0)
    return 8 * (answer & _VL_BYTES) if answer > 0 else 0
