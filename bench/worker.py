"""The process that measures one platform: requests come as lines of JSON on standard input.

    {"do": "open", "benchmark": NAME, "sample_seconds": S}   -> {"count": runs per sample}
    {"do": "sample"}                                         -> {"seconds": per run}
    {"do": "close"}                                          -> {}          (the result is checked again)
    {"do": "fill", "benchmark": NAME, "samples": N}          -> {}          (fills the platform's cache)

Answers go to the descriptor that the second argument names; the first is {"device": …, "version": …}. An
answer {"error": text} means that the benchmark failed on this platform; the worker goes on.
"""

import json
import sys
from typing import Any

from bench.registry import all_benchmarks
from bench.session import Session, Stopwatch


class Worker:
    """Holds the session and the benchmark that is open."""

    def __init__(self, platform: str) -> None:
        self.session = Session(platform)
        self.benchmarks = all_benchmarks()
        self.stopwatch: Stopwatch | None = None

    def greeting(self) -> dict[str, Any]:
        """What the platform says of itself."""
        device = self.session.device
        return {"device": device.name.strip(), "version": device.platform.version.strip()}

    def obey(self, request: dict[str, Any]) -> dict[str, Any]:
        """Does what a request asks and returns the answer."""
        match request["do"]:
            case "open":
                benchmark = self.benchmarks[request["benchmark"]]
                self.stopwatch = Stopwatch(self.session, benchmark, request["sample_seconds"])
                return {"count": self.stopwatch.count}
            case "sample" if self.stopwatch:
                return {"seconds": self.stopwatch.sample()}
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
    """Answers requests until standard input ends."""
    _, platform, descriptor = sys.argv
    worker = Worker(platform)
    # Drivers may print on standard output: answers go to a descriptor of their own.
    with open(int(descriptor), "w", encoding="utf-8") as answers:
        print(json.dumps(worker.greeting()), file=answers, flush=True)
        for line in sys.stdin:
            try:
                answer = worker.obey(json.loads(line))
            except Exception as error:  # whatever a platform raises is its result
                answer = {"error": f"{type(error).__name__}: {str(error).strip()}"}
            print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
