"""The strategies for divergent loops, by name, and which of them suit a loop.

| strategy | all lanes active | some lanes active | |
|---|---|---|---|
| `serial` | one work-item after the other | | `serialization.py` |
| `masked` | under masks | under masks | `masked_loop.py` |
| `narrow` | like `masked`, in half a register | | |
| `dvec` | the whole work-group without masks, up to 64 | serially | `dynamic_loops.py` |
| `dvec-s` | a sub-group without masks | under masks, or serially | `dynamic_loops.py` |
"""

from enum import unique

from weft.ir.loops import Loop
from weft.remarks import Message, Reason
from weft.transform.cost_model.estimate import Estimate

from .dynamic_loops import dvec, dvec_s, has_serial_operations
from .masked_code import Strategy
from .masked_loop import masked
from .serialization import serial

STRATEGIES: dict[str, Strategy] = {
    "serial": serial,
    "masked": masked,
    "narrow": masked,
    "dvec": dvec,
    "dvec-s": dvec_s,
}
NAMES = tuple(STRATEGIES)


def is_dynamic(strategy: str) -> bool:
    """Return whether a loop first runs without masks."""
    return strategy in ("dvec", "dvec-s")


def ends_serially(strategy: str, loop: Loop) -> bool:
    """Return whether lanes run a divergent loop, or its rest, sequentially."""
    return strategy in ("serial", "dvec") or (strategy == "dvec-s" and has_serial_operations(loop))


@unique
class DivergentLoops(Message):
    """Why divergent loops run by a strategy, or which strategies are tried."""

    REQUESTED = "divergent loops {strategy}"
    CHEAPEST = "divergent loops {strategy}, {serial_cost} with them serial"
    TRIED = "divergent loops tried at run time: {strategies}, {serial_cost} with them serial"
    WAYS_TRIED = "tried at run time: {strategies}"


def reason(estimate: Estimate | None, strategies: tuple[str, ...], requested: str) -> Reason | None:
    """Return why divergent loops run by a strategy, or which are tried; None if there are none."""
    if requested != "auto":
        return Reason(DivergentLoops.REQUESTED, strategy=requested)
    if estimate is None:
        return None
    if estimate.serial is None:
        return Reason(DivergentLoops.WAYS_TRIED, strategies=strategies) if len(strategies) > 1 else None
    serial_cost = round(estimate.serial)
    if len(strategies) == 1:
        return Reason(DivergentLoops.CHEAPEST, strategy=strategies[0], serial_cost=serial_cost)
    return Reason(DivergentLoops.TRIED, strategies=strategies, serial_cost=serial_cost)
