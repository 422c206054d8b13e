"""Run a platform in a separate process, which contains crashes of its driver."""

import json
import os
import select
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from types import TracebackType
from typing import Any

from weft.errors import WeftError

_START_SECONDS = 60.0


class CandidateFailed(WeftError):
    """A candidate did not build, run or end; the message has the reason."""


class PlatformProcess:
    """A worker for one platform, with `limit` seconds per request; see `candidate_worker.py` for requests."""

    def __init__(self, platform: str, environment: Mapping[str, str], limit: float) -> None:
        self.platform, self.limit = platform, limit
        reading, writing = os.pipe()
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 (closed with the process)
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "weft.source.candidate_worker", platform, str(writing)],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=self._errors,
                pass_fds=(writing,),
                env=dict(environment),
            )
        finally:
            os.close(writing)
        self._answers = reading
        self._read = b""
        try:
            self.greeting = self._answer(time.monotonic() + _START_SECONDS)
        except CandidateFailed:
            self.close()
            raise

    def ask(self, do: str, name: str, **more: Any) -> dict[str, Any]:
        """Send a request and return the reply; raise CandidateFailed."""
        line = json.dumps({"do": do, "id": name, **more}) + "\n"
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(line.encode())
            self._process.stdin.flush()
        except BrokenPipeError:
            raise self._ended() from None
        return self._answer(time.monotonic() + self.limit)

    def _answer(self, deadline: float) -> dict[str, Any]:
        while b"\n" not in self._read:
            remaining = deadline - time.monotonic()
            ready = select.select([self._answers], [], [], max(remaining, 0.0))[0]
            if not ready:
                self._process.kill()
                raise CandidateFailed(f"not finished after {self.limit:g} s")
            more = os.read(self._answers, 1 << 16)
            if not more:
                raise self._ended()
            self._read += more
        line, _, self._read = self._read.partition(b"\n")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise CandidateFailed(" ".join(answer["error"].split()))
        return answer

    def _ended(self) -> CandidateFailed:
        """Return the error for a worker that ended by itself."""
        status = self._process.wait()
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").split("\n")
        last_line = next((line.strip() for line in reversed(lines) if line.strip()), "")
        how = f"by signal {-status}" if status < 0 else f"with status {status}"
        return CandidateFailed(f"the driver's process ended {how}{': ' if last_line else ''}{last_line}")

    def close(self) -> None:
        """End the process."""
        if self._process.stdin is not None:
            try:
                self._process.stdin.close()
            except BrokenPipeError:
                pass
        try:
            self._process.wait(5.0)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._answers)
        self._errors.close()

    def __enter__(self) -> "PlatformProcess":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
