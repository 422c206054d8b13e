"""What kernels are compared with does the same work: every loop in C gives what its case expects."""

import numpy as np
import pytest

from bench.case import CASES
from bench.drive import Effort
from bench.limits import FAMILY, LIMITS, Distance, Limit, Loops, best_seconds, prepared, table
from bench.outcome import Clock
from bench.registry import all_benchmarks

all_benchmarks()


@pytest.fixture(scope="module")
def loops(tmp_path_factory: pytest.TempPathFactory) -> Loops:
    return Loops(tmp_path_factory.mktemp("limits"), 2)


def test_every_case_has_a_limit() -> None:
    assert {name.removeprefix(f"{FAMILY}/") for name in CASES if name.startswith(f"{FAMILY}/")} == set(LIMITS)


@pytest.mark.parametrize("name", [name for name, limit in LIMITS.items() if limit.prepare])
def test_a_limit_does_the_work_of_its_case(name: str, loops: Loops) -> None:
    run = prepared(LIMITS[name], CASES[f"{FAMILY}/{name}"].quick(np.random.default_rng(1)), loops)
    for clock in Clock:
        assert best_seconds(run, Effort(2, 1e-5), clock) > 0


def test_the_table_marks_what_falls_short() -> None:
    limit = Limit("C", goal=0.7)
    found = [
        Distance("near", limit, 1.0, 0.9),
        Distance("far", limit, 2.0, 1.0),
        Distance("none", limit, None, 1.0),
    ]
    assert [line.split("|")[5].strip() for line in table(found).splitlines()[2:]] == [
        "0.90",
        "0.50 !",
        "failed",
    ]
