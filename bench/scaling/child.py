"""The process that measures one platform: prints a line of JSON for each point of the given curves.

    {"version": TEXT}                         first
    {"curve": NAME, "size": N, "seconds": S}  or  {"curve": NAME, "size": N, "error": TEXT}

A curve ends at its first failure. Arguments: the platform, the minimum length of a sample in seconds, the
number of samples, the largest size of each kind as JSON, and the names of curves.
"""

import json
import sys

from bench.registry import Benchmark, Mode, Unit
from bench.scaling.curves import CURVES, Curve
from bench.session import Session, Stopwatch


def measure(session: Session, curve: Curve, size: int, sample_seconds: float, samples: int) -> float:
    """Return the best seconds of one point; raise AssertionError if the result is wrong."""
    case = curve.make(size)
    benchmark = Benchmark(curve.name, case.task, Unit.MILLISECONDS, mode=Mode.ROUND_TRIP)
    if curve.builds:
        best = float("inf")
        for _ in range(samples):
            stopwatch = Stopwatch(session, benchmark)
            assert stopwatch.build_seconds is not None
            best = min(best, stopwatch.build_seconds)
            stopwatch.run_and_check()
        return best
    stopwatch = Stopwatch(session, benchmark)
    stopwatch.calibrate(sample_seconds)
    best = min(stopwatch.sample().seconds for _ in range(samples))
    stopwatch.run_and_check()
    return best


def main() -> None:
    """Measure the curves."""
    _, platform, seconds, samples, most, *names = sys.argv
    greatest: dict[str, int] = json.loads(most)
    session = Session(platform)
    print(json.dumps({"version": session.device.platform.version.strip()}), flush=True)
    for curve in (curve for curve in CURVES if curve.name in names):
        limit = greatest[curve.of]
        if curve.of == "group":
            limit = min(limit, session.device.max_work_group_size)
        for size in (size for size in curve.sizes if size <= limit):
            point: dict[str, object] = {"curve": curve.name, "size": size}
            try:
                point["seconds"] = measure(session, curve, size, float(seconds), int(samples))
            except Exception as error:  # any error of a platform is its result
                point["error"] = f"{type(error).__name__}: {str(error).strip().splitlines()[0]}"
            print(json.dumps(point), flush=True)
            if "error" in point:
                break


if __name__ == "__main__":
    main()
