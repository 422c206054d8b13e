"""Run as a program: makes so many calls with arguments that hypothesis chooses, and says "ok".

Each call is written to the file named by the second argument before it is made, so that a crash leaves the
call that caused it.
"""

import sys
from typing import Any

from documented_errors import documented
from fuzz_arguments import arguments
from fuzz_world import World, made_by
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from weft.icd.prototypes import Prototype, python_prototypes

CALLS_PER_WORLD = 25

calls, log_path, seed = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
world = World()
entries = [p for p in python_prototypes() if p.name not in ("clSVMAlloc",)]
codes = {p.name: documented(p) for p in entries if p.returns == "cl_int" or p.reports_through_pointer}


def call(draw: Any, log: Any) -> None:
    """Make one call and look at what came back."""
    prototype = draw(st.sampled_from(entries))
    given_arguments = arguments(draw, world, prototype)
    log.write(f"{prototype.name}{tuple(given_arguments)}\n")
    log.flush()
    world.code[0] = 12345
    result = world.call(prototype.name, *given_arguments)
    if prototype.returns == "cl_int":
        code = result
    elif prototype.reports_through_pointer:
        code = world.code[0]
        assert bool(result) == (code == 0) or code == -17, (
            f"{prototype.name} gave {result:#x} and code {code}"
        )
    else:
        return
    assert code in codes[prototype.name], f"{prototype.name} does not document {code}"
    if made_by(prototype):
        world.remember(prototype.returns, result)
    elif code == 0:
        _remember_event(prototype, given_arguments)


def _remember_event(prototype: Prototype, given_arguments: list[Any]) -> None:
    if prototype.parameters and prototype.parameters[-1].type == "cl_event *" and given_arguments[-1]:
        world.handles["cl_event"].append(given_arguments[-1][0])


@settings(
    max_examples=max(1, calls // CALLS_PER_WORLD),
    database=None,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
@given(st.data())
def fuzz(data: Any) -> None:
    world.renew()
    with open(log_path, "w") as log:
        for _ in range(CALLS_PER_WORLD):
            call(data.draw, log)


if __name__ == "__main__":
    from hypothesis import seed as with_seed

    with_seed(seed)(fuzz)()
    print("ok")
