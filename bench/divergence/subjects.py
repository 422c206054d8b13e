"""The ten kernels of the study, the strategies for their loops, and the results of the thesis.

I. El Hajj, *Dynamic loop vectorization*, 2014, chapter 6: SVEC is `serial` here, DVEC is `dvec`, DVEC-S is
`dvec-s`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from bench.case import CASES, Case, CaseMaker
from bench.registry import all_benchmarks

FAMILY = "divergence"
BASELINE = "serial"
AUTO = "auto"
FIXED = (BASELINE, "dvec", "dvec-s", "masked")
STRATEGIES = (*FIXED, AUTO)


def strategy_settings(strategies: Iterable[str]) -> dict[str, dict[str, str]]:
    """Return the environment variables of each strategy."""
    return {strategy: {"WEFT_DIVERGENT": strategy} for strategy in strategies}


@dataclass(frozen=True)
class Subject:
    """A kernel: its size for counting, and the signs and remarks in Table 6.1 of the thesis.

    A sign is `+` if dynamic vectorization was an improvement, `-` if it made things worse, `0` if there was
    no change.
    """

    name: str
    time: str
    instructions: str
    locality: str
    pattern: str
    access: str
    counted: Mapping[str, int] = field(default_factory=dict)

    @property
    def benchmark(self) -> str:
        """The name of the benchmark."""
        return f"{FAMILY}/{self.name}"

    def small_case(self) -> Case:
        """Return the kernel with the data for counting: little, and always the same."""
        maker = self._maker()
        return maker.make(np.random.default_rng(1), **{**maker.sizes, **self.counted})

    def full_case(self) -> Case:
        """Return the kernel with the data for timing."""
        return self._maker().full(np.random.default_rng(1))

    def _maker(self) -> CaseMaker:
        all_benchmarks()
        return CASES[self.benchmark]


# Table 6.1 of the thesis, in its order.
SUBJECTS = (
    Subject("bfs-parboil", "-", "-", "-", "atomics", "sequential and indirect", {"nodes": 2**13}),
    Subject("histo", "0", "-", "+", "device function", "coalesced", {"count": 60_000}),
    Subject("mri-gridding", "-", "-", "-", "high rate of divergence", "sequential", {"size": 16}),
    Subject("sad", "-", "-", "-", "intrinsic function", "sequential", {"width": 48, "height": 36}),
    Subject("spmv", "+", "+", "+", "high rate of convergence", "coalesced", {"rows": 6000}),
    Subject("tpacf", "-", "-", "-", "little work in loop", "arbitrary", {"count": 256, "sets": 4}),
    Subject(
        "bfs-rodinia", "-", "-", "-", "high rate of divergence", "sequential and indirect", {"nodes": 2**13}
    ),
    Subject("heartwall", "-", "-", "+", "not known", "coalesced", {"points": 4}),
    Subject("lavaMD", "+", "+", "-", "high rate of convergence", "array of structures", {"side": 3}),
    Subject("particlefilter", "-", "-", "-", "little work in loop", "sequential", {"particles": 1024}),
)


def by_name(name: str) -> Subject:
    """Return the kernel with a name."""
    (result,) = (subject for subject in SUBJECTS if subject.name == name)
    return result
