"""The ways to run a divergent loop, by name."""

from .cost import WORTH, Estimate
from .dynamic_loops import dvec, dvec_s
from .masked_code import Way
from .masked_loop import masked
from .serialization import serial

WAYS: dict[str, Way] = {"serial": serial, "masked": masked, "dvec": dvec, "dvec-s": dvec_s}
# The last is one of work-item loops: `compaction.py`.
NAMES = (*WAYS, "compact")


# Where the estimates of two ways have such a ratio, loops were seen to run quicker in either.
_CLOSE = (0.3, 3.0)


def is_worth(found: Estimate, way: str) -> bool:
    """Whether a work-item loop should run in lanes when its divergent loops run in a way.

    A way that was asked for is taken wherever there are such loops; `serial` ones need no lanes.
    """
    if found.serial is None or way == "auto":
        return found.pays
    return way != "serial" or found.serial < WORTH * found.scalar


def ways_to_try(found: Estimate) -> tuple[str, ...]:
    """The ways among which only measuring can tell, the likeliest first; one if the cost function can."""
    if found.serial is None or not _CLOSE[0] < found.wide / found.serial < _CLOSE[1]:
        return ("masked",)
    return ("masked", "serial") if found.pays else ("serial", "masked")
