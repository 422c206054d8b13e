"""Every benchmark that is data is right whatever the compiler would choose: each choice is forced in turn."""

import numpy as np
import pytest

from bench.case import CASES, CaseMaker
from bench.registry import all_benchmarks
from bench.session import Session

all_benchmarks()

CONFIGURATIONS = {
    **{f"lanes_{lanes}": {"WEFT_LANES": lanes} for lanes in ("1", "2", "4", "8", "16", "32")},
    **{method: {"WEFT_WORKGROUP": method} for method in ("loops", "horizontal", "simd")},
    **{f"simd_{lanes}": {"WEFT_WORKGROUP": "simd", "WEFT_LANES": lanes} for lanes in ("4", "16")},
    **{strategy: {"WEFT_DIVERGENT": strategy} for strategy in ("serial", "masked", "dvec", "dvec-s")},
    **{f"innermost_{axis}": {"WEFT_INNERMOST": axis} for axis in "xyz"},
    "no_proofs": {"WEFT_PROOFS": "0"},
    "unroll_16": {"WEFT_UNROLL": "16"},
}


@pytest.fixture(scope="module")
def session() -> Session:
    return Session("Weft")


@pytest.mark.slow
@pytest.mark.parametrize("settings", CONFIGURATIONS.values(), ids=CONFIGURATIONS)
@pytest.mark.parametrize("maker", CASES.values(), ids=CASES)
def test_case_in_every_configuration(
    maker: CaseMaker, settings: dict[str, str], session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    task = maker.quick(np.random.default_rng(1)).task(session)
    task.run()
    session.queue.finish()
    task.check()
