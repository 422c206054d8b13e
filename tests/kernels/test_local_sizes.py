"""The kernels of this folder do the same with local sizes in one, two and three dimensions.

`make test` runs each kernel with every fourth local size: by the work-group methods, devices and the
interpreter in turn, so that kernels and local sizes meet most methods and devices between them.
`make test-all` runs the rest: each kernel with each local size by each method on each device, with code for
any local size, and on the interpreter.
"""

import copy
from typing import Any

import pytest
from kernel_case import all_cases
from kernel_sizes import LOCAL_SIZES, SizedLaunch, sized_launches
from kernel_ways import DEVICES, DIVERGENT, METHODS, WAYS, CompiledWay, DeviceWay, DivergentLoops, Runner

CASES = [sized_launches(case) for case in all_cases() if case.sizes]
# The interpreter takes seconds for a thousand work-items.
SLOW_TO_INTERPRET = 256

RUNNERS: dict[str, Runner] = {
    **{f"{method}-{device}": DeviceWay(device, method).run for method in METHODS for device in DEVICES},
    **{f"{method}-any-size": CompiledWay(any_size=True, method=method).run for method in METHODS},
    **{f"{way}-divergent-loops": DivergentLoops(way).run for way in DIVERGENT},
    "lanes": WAYS["lanes"],
    "interpreter": WAYS["interpreter"],
}


def in_turn(case: int, size: int) -> list[str]:
    """How `make test` runs a launch: every fourth one by one method and device, some in other ways."""
    turn = case + size
    if turn % 4:
        return [f"{DIVERGENT[turn // 4 % len(DIVERGENT)]}-divergent-loops"] if turn % 4 == 1 else []
    ways = [f"{METHODS[turn // 4 % 4]}-{DEVICES[(turn // 16 + case) % 2]}"]
    if turn % 8 == 4:
        ways.append("lanes")
    elif CASES[case][size].items < SLOW_TO_INTERPRET:
        ways.append("interpreter")
    return ways


def runs() -> list[Any]:
    """All runs, by way and then local size, so that code for any size is used for all sizes in a row."""
    found = []
    for number, launches in enumerate(CASES):
        for way in RUNNERS:
            for place, launch in enumerate(launches):
                marks = () if way in in_turn(number, place) else (pytest.mark.slow,)
                name = f"{launch.case.name}:{launch.text}-{way}"
                found.append(pytest.param(launch, way, id=name, marks=marks))
    return found


@pytest.mark.parametrize(("launch", "way"), runs())
def test_kernel_with_local_size(launch: SizedLaunch, way: str) -> None:
    arguments = launch.case.make_arguments(launch.seen)
    expected = copy.deepcopy(arguments)
    launch.case.apply_reference(launch.seen, expected)
    launch.case.compare(expected, RUNNERS[way](launch.runnable, launch.run, arguments))


def test_local_sizes_are_in_use() -> None:
    """At least 120 kernels run with some of the local sizes, and at least 100 with each of them."""
    users = dict.fromkeys(LOCAL_SIZES, 0)
    for launches in CASES:
        for launch in launches:
            size = launch.run.local_size
            while len(size) > 1 and size[-1] == 1:
                size = size[:-1]
            users[size] += 1
    assert len(CASES) >= 120
    assert min(users.values()) >= 100
