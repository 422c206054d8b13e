"""Every WEFT_* environment variable, declared once.

Passes never read settings: the pipeline (`weft/compiler.py`), the devices and the command line do.
`weft settings` and the table in docs/usage.md are generated from SETTINGS.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any


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
        raise ValueError("expected a size that is not negative")
    return value


def _count(text: str) -> int:
    value = int(text)
    if value < 0:
        raise ValueError("expected a number that is not negative")
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
    """What is verified: nothing, `faults` or `passes`."""
    return text if text == "faults" else "passes" if _boolean(text) else ""


@dataclass(frozen=True)
class Setting:
    """One variable: its name, how its text is read, its default and a sentence of documentation."""

    name: str
    parse: Callable[[str], Any]
    default: Any
    doc: str


SETTINGS = {
    s.name: s
    for s in (
        Setting("WEFT_CACHE", _boolean, True, "0 turns the on-disk cache of compiled kernels off."),
        Setting("WEFT_CACHE_DIR", Path, None, "Folder of the cache; default: weft in the user's caches."),
        Setting("WEFT_CACHE_SIZE", _size, 512 * 2**20, "Upper bound of the cache in bytes, or with K, M, G."),
        Setting("WEFT_THREADS", _count, 0, "Threads that run work-groups; 0 means one per available core."),
        Setting("WEFT_DEVICES", str, "pthread", "Kinds of devices to offer, in order, with commas between."),
        Setting(
            "WEFT_VERBOSE",
            _boolean,
            False,
            "1 prints every failing API call on standard error, and faults of Weft at length.",
        ),
        Setting("WEFT_OPT_LEVEL", _count, 2, "LLVM optimization level for kernels, 0 to 3."),
        Setting(
            "WEFT_STRICT_ALIASING",
            _boolean,
            True,
            "0 builds programs as with `-fno-strict-aliasing`, unless they ask for `-fstrict-aliasing`.",
        ),
        Setting(
            "WEFT_TIERS",
            _one_of("0", "1", "first"),
            "1",
            "1 starts kernels with plain code that is quickly compiled, and goes on with the best code, "
            "compiled meanwhile; `0` compiles the best code at once, `first` plain code only.",
        ),
        Setting(
            "WEFT_INLINE",
            _count,
            10_000,
            "Instructions of a kernel up to which all functions are inlined; in larger ones large functions "
            "stay functions, with 0 wherever that is possible.",
        ),
        Setting(
            "WEFT_WORKGROUP",
            _one_of("auto", "loops", "horizontal", "simd"),
            "auto",
            "How work-groups run: `loops` keeps each kernel loop inside a scalar work-item loop, "
            "`horizontal` interchanges the two wherever it is legal, `simd` runs work-items in SIMD lanes, "
            "`auto` chooses.",
        ),
        Setting(
            "WEFT_LANES",
            _lanes,
            0,
            "Work-items side by side in SIMD registers, 1 to 32, wherever that is possible; 0 chooses.",
        ),
        Setting(
            "WEFT_DIVERGENT",
            _one_of("auto", "serial", "masked", "dvec", "dvec-s", "compact"),
            "auto",
            "How loops run that work-items leave at different times: `serial` one work-item after the other, "
            "`masked` in lanes until the last is done, `dvec` in lanes as long as all are active and "
            "serially then, `dvec-s` the same by sub-groups, with a masked rest, `compact` in lanes that "
            "take other work-items when theirs have left; `auto` chooses.",
        ),
        Setting(
            "WEFT_PROOFS",
            _boolean,
            True,
            "0 does without proofs that addresses are in order, and without code for such cases.",
        ),
        Setting(
            "WEFT_INNERMOST",
            _one_of("auto", "x", "y", "z"),
            "auto",
            "Dimension of the innermost loop over work-items; `auto` takes the one in which accesses to "
            "memory are consecutive.",
        ),
        Setting(
            "WEFT_UNROLL",
            _count,
            3,
            "Innermost loops over at most so many work-items are unrolled completely.",
        ),
        Setting(
            "WEFT_CPU",
            str,
            "host",
            "Processor to generate code for: the host with all it has, or a level of its architecture "
            "that it must have.",
        ),
        Setting(
            "WEFT_KNOW_IMAGES",
            _count,
            1 << 18,
            "Work-items that use certain image formats and samplers before a kernel is compiled for these.",
        ),
        Setting(
            "WEFT_PROFILE",
            _boolean,
            False,
            "1 counts the iterations of loops that work-items leave at different times, for `weft profile`.",
        ),
        Setting(
            "WEFT_PROFILE_FILE",
            Path,
            None,
            "File to which a process appends what its loops counted at its end.",
        ),
        Setting(
            "WEFT_BUILD_SECONDS",
            _count,
            600,
            "Seconds that a build may take, and the compilers at a launch; 0 sets no limit.",
        ),
        Setting(
            "WEFT_BUILD_MEMORY",
            _size,
            8 << 30,
            "Memory that each process which compiles may take, in bytes, or with K, M, G; 0 sets no limit.",
        ),
        Setting("WEFT_DUMP", Path, None, "Folder that receives the IR after each step of the pipeline."),
        Setting("WEFT_PRINT", str, "", "`changed` or the name of a step: prints that IR on standard error."),
        Setting(
            "WEFT_VERIFY",
            _verification,
            "",
            "1 verifies the IR after every pass, and makes an error of a kernel that cannot be optimized; "
            "`faults` does only the latter.",
        ),
    )
}


class InvalidSetting(ValueError):
    """A WEFT_* variable holds a text that cannot be read."""


def get(name: str) -> Any:
    """The value of setting `name`: from the environment, else its default."""
    setting = SETTINGS[name]
    text = os.environ.get(name)
    if text is None or text == "":
        return setting.default
    try:
        return setting.parse(text)
    except ValueError as error:
        raise InvalidSetting(f"{name}={text!r}: {error}; {setting.doc}") from None
