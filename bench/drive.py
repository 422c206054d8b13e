"""Take samples from one worker process per platform, interleaved so that noise affects all alike."""

import json
import os
import re
import select
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.platforms import ROOT, Platform
from bench.registry import Benchmark, Caches, Mode

TIMEOUT = 180.0  # seconds for one reply
ROUNDS_BETWEEN = 4
_ERROR = re.compile(r"[\w.]*Error\b")  # the beginning of the last part of a traceback


class WorkerFailure(Exception):
    """A worker ended, or did not reply in time."""


@dataclass
class Result:
    """The results of one platform in one benchmark: seconds per run of each sample, or the error."""

    seconds: list[float] = field(default_factory=list)
    cpu_seconds: list[float] = field(default_factory=list)
    build_seconds: list[float] = field(default_factory=list)
    settled_seconds: list[float] = field(default_factory=list)
    phases: list[dict[str, float]] = field(default_factory=list)
    """The phases of each sample, if the benchmark distinguishes them."""
    error: str | None = None


class Worker:
    """A process that measures one platform."""

    def __init__(self, platform: Platform, scratch: Path, caches: Caches, cores: int = 0) -> None:
        self.platform = platform
        reading, writing = os.pipe()
        self.errors = scratch / f"errors-{platform.name}"
        with self.errors.open("w") as errors:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "bench.worker", platform.reported, str(writing), str(cores)],
                cwd=ROOT,
                env=platform.environment(scratch, caches),
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                pass_fds=[writing],
            )
        os.close(writing)
        self.reading = reading
        self.pending = b""
        try:
            self.identity = self.answer()
        except WorkerFailure:
            self.stop()
            raise

    def ask(self, **request: Any) -> dict[str, Any]:
        """Send a request and wait for the reply."""
        assert self.process.stdin
        try:
            self.process.stdin.write(json.dumps(request).encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            raise WorkerFailure(self.epitaph()) from None
        return self.answer()

    def answer(self) -> dict[str, Any]:
        """Return the next reply; raise WorkerFailure if there will be none."""
        while b"\n" not in self.pending:
            ready, _, _ = select.select([self.reading], [], [], TIMEOUT)
            if not ready:
                raise WorkerFailure(f"no answer in {TIMEOUT:.0f} s")
            data = os.read(self.reading, 65536)
            if not data:
                raise WorkerFailure(self.epitaph())
            self.pending += data
        line, _, self.pending = self.pending.partition(b"\n")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def epitaph(self) -> str:
        """Return in one line why the process ended."""
        status = self.process.wait()
        return f"ended with status {status}: {self.last_message() or 'no message'}"

    def last_message(self) -> str:
        """Return the last error that the process or its driver wrote to standard error, or the last line."""
        lines = self.errors.read_text(errors="replace").strip().splitlines()
        errors = [line for line in lines if _ERROR.match(line)]
        return errors[-1] if errors else lines[-1] if lines else ""

    def stop(self) -> None:
        """End the process; kill it if it does not end by itself."""
        if self.process.stdin:
            self.process.stdin.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.reading)


@dataclass(frozen=True)
class Effort:
    """The effort of the measurement: samples, their length, builds, and cores (0 means all)."""

    repeats: int = 25
    sample_seconds: float = 0.02
    builds: int = 2
    cores: int = 0


class Driver:
    """Runs benchmarks on all platforms; workers are reused for several benchmarks."""

    def __init__(self, platforms: Sequence[Platform], scratch: Path, effort: Effort) -> None:
        self.platforms = platforms
        self.scratch = scratch
        self.effort = effort
        self.workers: dict[tuple[str, Caches], Worker] = {}
        self.identities: dict[str, dict[str, Any]] = {}
        self.broken: dict[str, str] = {}
        """Why platforms cannot be started; they are not tried again."""

    def run(
        self, benchmark: Benchmark, step: Callable[[], None], between: Callable[[], None] | None = None
    ) -> dict[str, Result]:
        """Return the samples of every platform, by name; `step` is called `steps` times.

        `between` is called every few rounds while no platform works, to measure the reference loops.
        """
        results = {platform.name: Result() for platform in self.platforms}
        if benchmark.caches is Caches.FILLED:
            for platform in self.platforms:
                self._attempt(platform, benchmark, results, "fill", samples=self.effort.repeats)
                self._stop(platform, benchmark.caches)
        builds = self.effort.builds if benchmark.mode is not Mode.SINGLE else 1
        for platform in self._turns(builds):
            answer = self._attempt(platform, benchmark, results, "prepare")
            if answer and answer["build_seconds"] is not None:
                results[platform.name].build_seconds.append(answer["build_seconds"])
                results[platform.name].settled_seconds.append(answer["settled_seconds"])
        for platform in self.platforms:
            self._attempt(platform, benchmark, results, "open", sample_seconds=self.effort.sample_seconds)
            step()
        for turn, platform in enumerate(self._turns(self.effort.repeats)):
            if between is not None and turn % (ROUNDS_BETWEEN * len(self.platforms)) == 0:
                between()
            answer = self._attempt(platform, benchmark, results, "sample")
            if answer:
                results[platform.name].seconds.append(answer["seconds"])
                results[platform.name].cpu_seconds.append(answer["cpu_seconds"])
                results[platform.name].phases.append(answer["phases"])
            step()
        for platform in self.platforms:
            self._attempt(platform, benchmark, results, "close")
        return results

    def steps(self) -> int:
        """Return how often `run` calls `step`."""
        return len(self.platforms) * (self.effort.repeats + 1)

    def _turns(self, rounds: int) -> Iterator[Platform]:
        """Yield the platforms, round by round; every second round is reversed, so that no platform is always
        first."""
        for turn in range(rounds):
            yield from self.platforms if turn % 2 == 0 else reversed(self.platforms)

    def stop(self) -> None:
        """End all workers."""
        for worker in self.workers.values():
            worker.stop()
        self.workers.clear()

    def _attempt(
        self, platform: Platform, benchmark: Benchmark, results: dict[str, Result], what: str, **more: Any
    ) -> dict[str, Any] | None:
        """Send one request to one worker; a failed platform gets no more requests for this benchmark."""
        result = results[platform.name]
        result.error = result.error or self.broken.get(platform.name)
        if result.error:
            return None
        key = (platform.name, benchmark.caches)
        try:
            if key not in self.workers:
                self.workers[key] = self._start(platform, benchmark.caches)
            answer = self.workers[key].ask(do=what, benchmark=benchmark.name, **more)
        except WorkerFailure as failure:
            result.error = str(failure)
            self._stop(platform, benchmark.caches)
            return None
        if "error" in answer:
            result.error = f"{answer['error'].splitlines()[0]} {self.workers[key].last_message()}".strip()
            return None
        return answer

    def _start(self, platform: Platform, caches: Caches) -> Worker:
        try:
            worker = Worker(platform, self.scratch, caches, self.effort.cores)
        except WorkerFailure as failure:
            self.broken[platform.name] = str(failure)
            raise
        self.identities[platform.name] = worker.identity
        return worker

    def _stop(self, platform: Platform, caches: Caches) -> None:
        worker = self.workers.pop((platform.name, caches), None)
        if worker:
            worker.stop()
