"""The process that measures one platform: requests come as lines of JSON on standard input.

    {"do": "prepare", "benchmark": NAME}               -> {"build_seconds", "settled_seconds": to build
                                                          it, and until its best code runs; or null}
    {"do": "open", "sample_seconds": S}                -> {"count": runs per sample}
    {"do": "sample"}                                   -> {"seconds": per run, "cpu_seconds": per run,
                                                          "phases": {name: seconds}}
    {"do": "close"}                                    -> {}          (the result is checked again)
    {"do": "fill", "benchmark": NAME, "samples": N}    -> {}          (fills the platform's cache)

The arguments are the platform, the descriptor for replies, and the number of cores to use (0 means all); the
first reply is {"device": …, "version": …}. A reply {"error": text} means that the benchmark failed on this
platform; the worker continues.
"""

import json
import os
import sys
from dataclasses import asdict
from typing import Any

import numpy as np

from bench.registry import all_benchmarks
from bench.session import Session, Stopwatch

_FIRST = "__kernel void first(__global int *x) { x[get_global_id(0)] = 1; }"


class Worker:
    """Holds the session and the open benchmark."""

    def __init__(self, platform: str) -> None:
        self.session = Session(platform)
        self.benchmarks = all_benchmarks()
        self.stopwatch: Stopwatch | None = None
        # The first build and launch of a process also load the compiler, which no benchmark measures.
        buffer = self.session.upload(np.zeros(64, np.int32))
        self.session.launch(self.session.kernel(_FIRST, "first", buffer), (64,), (64,))
        self.session.queue.finish()

    def greeting(self) -> dict[str, Any]:
        """Return the names that the platform reports."""
        device = self.session.device
        return {"device": device.name.strip(), "version": device.platform.version.strip()}

    def obey(self, request: dict[str, Any]) -> dict[str, Any]:
        """Execute a request and return the reply."""
        match request["do"]:
            case "prepare":
                self.stopwatch = Stopwatch(self.session, self.benchmarks[request["benchmark"]])
                return {
                    "build_seconds": self.stopwatch.build_seconds,
                    "settled_seconds": self.stopwatch.settled_seconds,
                }
            case "open" if self.stopwatch:
                self.stopwatch.calibrate(request["sample_seconds"])
                return {"count": self.stopwatch.count}
            case "sample" if self.stopwatch:
                return asdict(self.stopwatch.sample())
            case "close" if self.stopwatch:
                self.stopwatch.run_and_check()
                self.stopwatch = None
                return {}
            case "fill":
                task = self.benchmarks[request["benchmark"]].prepare(self.session)
                for _ in range(request["samples"]):
                    task.run()
                self.session.queue.finish()
                return {}
        raise ValueError(f"not understood: {request}")


def main() -> None:
    """Answer requests until standard input ends."""
    _, platform, descriptor, cores = sys.argv
    if int(cores):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: int(cores)])
    worker = Worker(platform)
    # Drivers may print to standard output, so replies use a separate descriptor.
    with open(int(descriptor), "w", encoding="utf-8") as answers:
        print(json.dumps(worker.greeting()), file=answers, flush=True)
        for line in sys.stdin:
            try:
                answer = worker.obey(json.loads(line))
            except Exception as error:  # any error of a platform is its result
                answer = {"error": f"{type(error).__name__}: {str(error).strip()}"}
            print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
