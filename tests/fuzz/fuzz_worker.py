"""Tries random kernels in a process of its own, which a wrongly compiled kernel may end.

Started by `fuzz_run.py` with a seed and a number of kernels: prints a dot for each and an x for a wrong one
(the first of them, and the smaller ones that it is shrunk to), then the failure if there is one, shrunk, as a
file for tests/kernels.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "kernels"))

from fuzz_check import PAIRS, check
from fuzz_kernel import RandomCase, kernel_cases
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st


def fuzzing(examples: int, repeatable: bool) -> settings:
    """Settings under which nothing but a failure ends the search for one."""
    return settings(
        max_examples=examples,
        deadline=None,
        database=None,
        derandomize=repeatable,
        print_blob=False,
        suppress_health_check=list(HealthCheck),
        phases=(Phase.generate, Phase.shrink),
    )


def main(start: int, kernels: int) -> int:
    """Tries so many kernels; 1 if one of them fails."""

    @seed(start)
    @fuzzing(kernels, repeatable=False)
    @given(case=kernel_cases(), ways=st.sampled_from(PAIRS))
    def search(case: RandomCase, ways: tuple[str, ...]) -> None:
        try:
            check(case, ways)
        except Exception:
            print("x", end="", flush=True)
            raise
        print(".", end="", flush=True)

    try:
        search()
    except Exception as error:
        print(f"\n{type(error).__name__}: {error}\n" + "\n".join(getattr(error, "__notes__", ())))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2])))
