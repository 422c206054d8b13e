"""Observers of a run, and the events that they receive.

An observer is any object with some of these methods, which are called after the event:

    load(item, pointer, size, instruction)       bytes were read
    store(item, pointer, size, instruction)      bytes were written
    atomic(item, pointer, size, instruction)     bytes were read and written as one
    undefined(item, pointer, size, instruction)  a load read bytes that were never written, as zero
    value(item, instruction, value)              an instruction computed a value (phis included)
    branch(item, instruction, successor)         a br or switch chose a block
    barrier(group, instruction)                  all work-items of the group reached a barrier

`item` is the WorkItem, `group` the Group, `pointer` the pair (allocation, byte offset). A memory
intrinsic reports whole ranges; a masked one reports each active lane.
"""

from collections.abc import Callable, Iterable
from typing import Any

Notify = Callable[..., None]

EVENTS = ("load", "store", "atomic", "undefined", "value", "branch", "barrier")


class Observers:
    """For each event, the function that notifies all observers, or None if there are none."""

    load: Notify | None
    store: Notify | None
    atomic: Notify | None
    undefined: Notify | None
    value: Notify | None
    branch: Notify | None
    barrier: Notify | None

    def __init__(self, observers: Iterable[object]) -> None:
        listeners = tuple(observers)
        for event in EVENTS:
            setattr(self, event, _together([m for o in listeners if (m := getattr(o, event, None))]))


def _together(methods: list[Notify]) -> Notify | None:
    if len(methods) <= 1:
        return methods[0] if methods else None

    def notify(*arguments: Any) -> None:
        for method in methods:
            method(*arguments)

    return notify
