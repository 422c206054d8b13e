"""The ways to run a divergent loop, by name, and which of them suit a loop.

| way | all lanes active | some | |
|---|---|---|---|
| `serial` | one work-item after the other | | `serialization.py` |
| `masked` | under masks | under masks | `masked_loop.py` |
| `narrow` | as `masked`, in half a register | | |
| `dvec` | the whole work-group without masks, up to 64 | serially | `dynamic_loops.py` |
| `dvec-s` | a sub-group without masks | under masks, or serially | `dynamic_loops.py` |
"""

from enum import unique

from weft.ir.loops import Loop
from weft.remarks import Message, Reason
from weft.transform.cost_model.estimate import Estimate

from .dynamic_loops import dvec, dvec_s, has_turns
from .masked_code import Way
from .masked_loop import masked
from .serialization import serial

WAYS: dict[str, Way] = {
    "serial": serial,
    "masked": masked,
    "narrow": masked,
    "dvec": dvec,
    "dvec-s": dvec_s,
}
NAMES = tuple(WAYS)


def is_dynamic(way: str) -> bool:
    """Whether a loop first runs without masks in a way."""
    return way in ("dvec", "dvec-s")


def ends_serially(way: str, loop: Loop) -> bool:
    """Whether lanes run a divergent loop, or what is left of it, sequentially in a way."""
    return way in ("serial", "dvec") or (way == "dvec-s" and has_turns(loop))


@unique
class DivergentLoops(Message):
    """Why divergent loops run in a way, or in which they are tried."""

    REQUESTED = "divergent loops {way}"
    CHEAPEST = "divergent loops {way}, {serial_cost} with them serial"
    TRIED = "divergent loops tried at run time: {ways}, {serial_cost} with them serial"


def reason(found: Estimate | None, ways: tuple[str, ...], requested: str) -> Reason | None:
    """Why divergent loops run in a way, or in which they are tried; None if there are none."""
    if requested != "auto":
        return Reason(DivergentLoops.REQUESTED, way=requested)
    if found is None or found.serial is None:
        return None
    serial_cost = round(found.serial)
    if len(ways) == 1:
        return Reason(DivergentLoops.CHEAPEST, way=ways[0], serial_cost=serial_cost)
    return Reason(DivergentLoops.TRIED, ways=ways, serial_cost=serial_cost)
