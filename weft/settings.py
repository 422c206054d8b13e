"""Every WEFT_* environment variable, declared once.

Passes never read settings: the pipeline (`weft/compiler`), the devices and the command line do.
`weft settings` and the table in docs/usage.md are generated from SETTINGS.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from weft.dataclasses import dataclass

MOST_THREADS = 1024  # MOST_SERVER_THREADS of device/protocol.h


def _boolean(text: str) -> bool:
    if text.lower() in ("1", "on", "yes", "true"):
        return True
    if text.lower() in ("0", "off", "no", "false", ""):
        return False
    raise ValueError("expected 0 or 1")


def _size(text: str) -> int:
    factor = {"k": 2**10, "m": 2**20, "g": 2**30}.get(text[-1:].lower(), 1)
    value = int(text[:-1] if factor > 1 else text) * factor
    if value < 0:
        raise ValueError("expected a non-negative size")
    return value


def _count(text: str) -> int:
    value = int(text)
    if value < 0:
        raise ValueError("expected a non-negative number")
    return value


def _threads(text: str) -> int:
    value = _count(text)
    if value > MOST_THREADS:
        raise ValueError(f"expected at most {MOST_THREADS}")
    return value


def _level(text: str) -> int:
    value = int(text)
    if not 0 <= value <= 3:
        raise ValueError("expected 0, 1, 2 or 3")
    return value


def _seconds(text: str) -> float:
    value = float(text)
    if not 0 <= value < 1e9:
        raise ValueError("expected a non-negative number of seconds")
    return value


def _lanes(text: str) -> int:
    value = int(text)
    if value not in (0, 1, 2, 4, 8, 16, 32):
        raise ValueError("expected 0, 1, 2, 4, 8, 16 or 32")
    return value


def _one_of(*choices: str) -> Callable[[str], str]:
    def parse(text: str) -> str:
        if text not in choices:
            raise ValueError(f"expected one of {', '.join(choices)}")
        return text

    return parse


def _verification(text: str) -> str:
    """Return what is verified: nothing, `faults` or `passes`."""
    return text if text == "faults" else "passes" if _boolean(text) else ""


@dataclass(frozen=True)
class Setting:
    """One variable: its name, the parser of its text, its default and a sentence of documentation."""

    name: str
    parse: Callable[[str], Any]
    default: Any
    doc: str


SETTINGS = {
    s.name: s
    for s in (
        Setting("WEFT_CACHE", _boolean, True, "0 disables the disk cache of compiled kernels."),
        Setting(
            "WEFT_CACHE_DIR", Path, None, "Folder of the cache; default: `weft` in the user's cache folder."
        ),
        Setting(
            "WEFT_CACHE_SIZE", _size, 512 * 2**20, "Maximum size of the cache in bytes, or with K, M, G."
        ),
        Setting("WEFT_THREADS", _threads, 0, "Threads that run work-groups; 0: one per available core."),
        Setting("WEFT_DEVICES", str, "pthread", "Comma-separated list of devices, in order, or `all`."),
        Setting(
            "WEFT_ISOLATED_MEMORY",
            _size,
            0,
            "Memory of the device `isolated` in bytes, or with K, M, G; 0: half of the machine's. "
            "Also applies to devices for other processors; 0: 1 GiB.",
        ),
        Setting(
            "WEFT_ISOLATED_SECONDS",
            _seconds,
            0.0,
            "Time limit of a launch in a device server, in seconds; 0: none.",
        ),
        Setting(
            "WEFT_TTA_MACHINE",
            str,
            "table2-math",
            "Machine that the device `ttasim` simulates: a name known to `weft tta`, or a file.",
        ),
        Setting(
            "WEFT_TTA_CYCLES",
            _count,
            2_000_000_000,
            "Cycle limit of a launch on the device `ttasim`; 0: none.",
        ),
        Setting(
            "WEFT_VERBOSE",
            _boolean,
            False,
            "1 prints every failing API call, and internal errors with a traceback, on standard error.",
        ),
        Setting("WEFT_OPT_LEVEL", _level, 2, "LLVM optimization level for kernels, 0 to 3."),
        Setting(
            "WEFT_STRICT_ALIASING",
            _boolean,
            True,
            "0 builds programs with `-fno-strict-aliasing` unless their options contain `-fstrict-aliasing`.",
        ),
        Setting(
            "WEFT_TIERS",
            _one_of("0", "1", "baseline"),
            "1",
            "1 starts a kernel in baseline code while another process compiles the optimized code; `0` "
            "waits for the optimized code, `baseline` stays in baseline code.",
        ),
        Setting(
            "WEFT_SERVER_IDLE",
            _seconds,
            300.0,
            "Seconds after which an idle compile server exits; 0: no server is started or used.",
        ),
        Setting(
            "WEFT_INLINE",
            _count,
            10_000,
            "Inlining budget of a kernel in instructions: in larger kernels, large functions are not "
            "inlined. 0: functions are inlined only where necessary.",
        ),
        Setting(
            "WEFT_WORKGROUP",
            _one_of("auto", "loops", "horizontal", "simd"),
            "auto",
            "How work-groups run: `loops` uses plain work-item loops, `horizontal` interchanges kernel loops "
            "with work-item loops wherever legal, `simd` uses SIMD lanes; `auto`: the cost model chooses.",
        ),
        Setting(
            "WEFT_LANES",
            _lanes,
            0,
            "Number of SIMD lanes, 1 to 32, wherever possible; 0: the cost model chooses.",
        ),
        Setting(
            "WEFT_DIVERGENT",
            _one_of("auto", "serial", "masked", "dvec", "dvec-s"),
            "auto",
            "How loops with a divergent trip count run: `serial` one work-item at a time, `masked` in lanes "
            "until "
            "the last is done, `dvec` in lanes while all are active, then serially, `dvec-s` in lanes while "
            "a "
            "sub-group is active, then masked; `auto`: the cost model chooses.",
        ),
        Setting(
            "WEFT_PROOFS",
            _boolean,
            True,
            "0 disables proofs that addresses are consecutive, and the loop versions that rely on them.",
        ),
        Setting(
            "WEFT_INNERMOST",
            _one_of("auto", "x", "y", "z"),
            "auto",
            "Dimension of the innermost work-item loop; `auto`: the one with consecutive memory accesses.",
        ),
        Setting(
            "WEFT_UNROLL",
            _count,
            3,
            "Maximum trip count of innermost work-item loops that are fully unrolled.",
        ),
        Setting(
            "WEFT_CPU",
            str,
            "host",
            "Target processor: `host`, or a level of its architecture that the host supports.",
        ),
        Setting(
            "WEFT_SPECIALIZE_IMAGES",
            _count,
            1 << 18,
            "Number of work-items with the same image formats and samplers after which a kernel is "
            "specialized for "
            "them; work-items with loops count as several.",
        ),
        Setting(
            "WEFT_PROFILE",
            _boolean,
            False,
            "1 counts the iterations of divergent loops, for `weft profile`.",
        ),
        Setting(
            "WEFT_PROFILE_FILE",
            Path,
            None,
            "File to which a process appends these counts at exit.",
        ),
        Setting(
            "WEFT_BUILD_SECONDS",
            _count,
            600,
            "Time limit of a build, and of compilations at launch, in seconds; 0: none.",
        ),
        Setting(
            "WEFT_BUILD_MEMORY",
            _size,
            8 << 30,
            "Memory limit of each compiler process in bytes, or with K, M, G; 0: none.",
        ),
        Setting("WEFT_DUMP", Path, None, "Folder for the IR after each pass."),
        Setting(
            "WEFT_PRINT",
            str,
            "",
            "Name of a pass after which the IR is printed on standard error; `changed`: after each pass "
            "that changed it.",
        ),
        Setting(
            "WEFT_VERIFY",
            _verification,
            "",
            "1 verifies the IR after every pass and fails launches of kernels that cannot be optimized; "
            "`faults` does only the latter.",
        ),
    )
}


class InvalidSetting(ValueError):
    """A WEFT_* variable has an invalid value."""


def get(name: str) -> Any:
    """Return the value of setting `name`: from the environment, else its default."""
    setting = SETTINGS[name]
    text = os.environ.get(name)
    if text is None or text == "":
        return setting.default
    try:
        return setting.parse(text)
    except ValueError as error:
        raise InvalidSetting(f"{name}={text!r}: {error}; {setting.doc}") from None
