"""What a launch costs when the kernel does nothing."""

import numpy as np

from bench.registry import Mode, Task, Unit, benchmark
from bench.session import Session

SOURCE = """
__kernel void nothing(__global int *mark) {
    if (get_global_id(0) == get_global_size(0)) *mark = 1;
}
"""


def _empty(session: Session, items: int, group: int) -> Task:
    mark = session.upload(np.array([7], np.int32))
    kernel = session.kernel(SOURCE, "nothing", mark)

    def check() -> None:
        assert session.download(mark, np.zeros(1, np.int32))[0] == 7

    return Task(lambda: session.launch(kernel, (items,), (group,)), check)


@benchmark("launch/one work-item", Unit.MICROSECONDS, mode=Mode.ROUND_TRIP)
def one_item(session: Session) -> Task:
    """Enqueue and wait: the latency of an empty kernel."""
    return _empty(session, 1, 1)


@benchmark("launch/256 work-groups", Unit.MICROSECONDS, mode=Mode.ROUND_TRIP)
def many_groups(session: Session) -> Task:
    """Enqueue and wait for 256 groups of 64: adds the hand-out of work to threads."""
    return _empty(session, 256 * 64, 64)


@benchmark("launch/stream of launches", Unit.MICROSECONDS)
def stream(session: Session) -> Task:
    """Enqueue many, wait once: what a launch costs when nobody waits for it."""
    return _empty(session, 1, 1)
