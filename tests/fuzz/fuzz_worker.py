"""Tries random kernels in a process of its own, which a wrongly compiled kernel may end.

Started by `fuzz_run.py` with a seed and a number of kernels: prints a dot for each and an x for a wrong one
(the first of them, and the smaller ones that it is shrunk to), then what is noted of some, a line each
(`noted`, number of the kernel, text), then each failure, shrunk, as a file for tests/kernels.
"""

import gc
import sys
import time
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "kernels"))

import pytest
from fuzz_check import PAIRS, SUB_GROUP_PAIRS, check
from fuzz_kernel import ALL_SHAPES, RandomCase, kernel_cases
from fuzz_spirv import NOTES
from fuzz_sub_groups import sub_group_cases
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from hypothesis.internal.conjecture.providers import AVAILABLE_PROVIDERS, HypothesisProvider

from tools.opencl_to_spirv import CLANG, TRANSLATOR, has_translator
from weft.device import emulated

# In place of the names of shapes: kernels with functions of sub-groups.
SUB_GROUPS = "sub-groups"

# From then on after the first failure, no smaller kernel is looked for.
SHRINKING_SECONDS = 90.0


class FreshExamples(HypothesisProvider):
    """Makes every example anew.

    Under its own name the same provider makes five of six by changing one choice of another example, most
    often one that does not matter: the same kernel five times.
    """


AVAILABLE_PROVIDERS["fresh"] = f"{__name__}.FreshExamples"


def fuzzing(examples: int, repeatable: bool) -> settings:
    """Settings under which nothing but a failure ends the search for one."""
    return settings(
        max_examples=examples,
        deadline=None,
        database=None,
        derandomize=repeatable,
        print_blob=False,
        backend="fresh",
        suppress_health_check=list(HealthCheck),
        phases=(Phase.generate, Phase.shrink),
    )


class Shrinking:
    """Checks kernels, until some time after the first failure: then only those that have failed."""

    def __init__(self, seconds: float = SHRINKING_SECONDS) -> None:
        self._seconds = seconds
        self._end: float | None = None
        self._failed: dict[tuple[str, tuple[str, ...]], Exception] = {}

    def check(self, case: RandomCase, ways: tuple[str, ...]) -> None:
        key = str(case), ways
        if self._end is not None and time.monotonic() > self._end:
            if key in self._failed:
                raise self._failed[key]
            return
        try:
            check(case, ways)
        except Exception as error:
            self._failed[key] = error
            self._end = self._end or time.monotonic() + self._seconds
            raise


def described(error: Exception) -> str:
    """A failure, or each of several, with the kernel that shows it."""
    if isinstance(error, ExceptionGroup):
        return "".join(map(described, error.exceptions))
    return f"\n{type(error).__name__}: {error}\n" + "\n".join(getattr(error, "__notes__", ()))


def prepare(ways: Sequence[str]) -> None:
    """Has the servers of devices in emulators ready: the cache, which kernels do without, keeps them.

    Exits if a way needs programs that are not installed.
    """
    if "spirv" in ways and not has_translator():
        sys.exit(f"the way spirv needs {CLANG} and {TRANSLATOR}")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WEFT_CACHE", "1")
        for way in ways:
            if way in emulated.PROCESSORS:
                emulated.server_program(way)


def main(
    start: int, kernels: int, shapes: Sequence[str] = ALL_SHAPES, pairs: Sequence[tuple[str, ...]] = PAIRS
) -> int:
    """Tries so many kernels, with these shapes, each in one of these pairs of ways; 1 if one fails."""
    tried = Shrinking()
    cases = sub_group_cases() if SUB_GROUPS in shapes else kernel_cases(shapes=shapes)
    number = 0
    noted: list[str] = []

    @seed(start)
    @fuzzing(kernels, repeatable=False)
    @given(case=cases, ways=st.sampled_from(pairs))
    def search(case: RandomCase, ways: tuple[str, ...]) -> None:
        nonlocal number
        number += 1
        NOTES.clear()
        try:
            tried.check(case, ways)
        except Exception:
            print("x", end="", flush=True)
            raise
        print(".", end="", flush=True)
        noted.extend(f"noted {number} {note}" for note in NOTES)

    gc.collect()
    gc.freeze()  # what was imported is no garbage: nobody looks through it again after every few kernels
    try:
        search()
    except Exception as error:
        print("\n".join(["", *noted]))
        print(described(error))
        return 1
    print("\n".join(["", *noted]))
    return 0


if __name__ == "__main__":
    _, first, count, given_shapes, given_ways = (*sys.argv, "", "")[:5]
    chosen = given_shapes.split(",") if given_shapes else ALL_SHAPES
    prepare(given_ways.split(","))
    pairs = SUB_GROUP_PAIRS if SUB_GROUPS in chosen else PAIRS
    sys.exit(main(int(first), int(count), chosen, [tuple(given_ways.split(","))] if given_ways else pairs))
