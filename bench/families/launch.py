"""The cost of launches of trivial kernels."""

import numpy as np

from bench.registry import Mode, Task, Unit, benchmark
from bench.session import Session

# One work-item increments a counter, which proves that every launch has happened.
SOURCE = """
__kernel void mark(__global int *launches) {
    if (get_global_id(0) == 0) *launches += 1;
}
"""


def _empty(session: Session, items: int, group: int) -> Task:
    launches = session.upload(np.zeros(1, np.int32))
    kernel = session.kernel(SOURCE, "mark", launches)
    expected = 0

    def run() -> None:
        nonlocal expected
        expected += 1
        session.launch(kernel, (items,), (group,))

    def check() -> None:
        count = session.download(launches, np.zeros(1, np.int32))[0]
        assert count == expected, f"{count} of {expected} launches ran"

    return Task(run, check)


@benchmark("launch/one work-item", Unit.MICROSECONDS, mode=Mode.ROUND_TRIP)
def one_item(session: Session) -> Task:
    """Enqueue and wait: the latency of an empty kernel."""
    return _empty(session, 1, 1)


@benchmark("launch/256 work-groups", Unit.MICROSECONDS, mode=Mode.ROUND_TRIP)
def many_groups(session: Session) -> Task:
    """Enqueue and wait for 256 groups of 64, which adds the distribution of work to threads."""
    return _empty(session, 256 * 64, 64)


@benchmark("launch/stream of launches", Unit.MICROSECONDS)
def stream(session: Session) -> Task:
    """Enqueue many, wait once: the cost of a launch without a wait."""
    return _empty(session, 1, 1)
