"""The other OpenCL implementations of this machine, each in a process of its own."""

import pickle
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from fuzz_check import different, front_end_module
from fuzz_kernel import RandomCase
from fuzz_peer_worker import PeerLaunch
from kernel_case import KernelCase
from kernel_ways import PROGRAMS, interpret, the_kernel, value_bytes

from bench.platforms import Platform, find_platforms
from bench.registry import Caches
from weft import ir

# Some peers never end with some kernels. Far more than it takes, also on a busy machine.
SECONDS = 300.0


def peers() -> list[Platform]:
    """All installed platforms but Weft."""
    return [p for p in find_platforms() if p.name != "weft"]


class Peer:
    """A platform that runs cases; its process is started again when it died."""

    def __init__(self, platform: Platform) -> None:
        self.platform = platform
        self._scratch = tempfile.TemporaryDirectory()
        self._process: subprocess.Popen[bytes] | None = None

    def run(self, case: KernelCase) -> dict[str, np.ndarray] | str:
        """The buffers after a case's launch, or what went wrong."""
        return self.launch(peer_launch(case))

    def launch(self, launch: PeerLaunch) -> dict[str, np.ndarray] | str:
        """The buffers after a launch, or what went wrong."""
        process = self._process or self._start()
        assert process.stdin is not None and process.stdout is not None
        watchdog = threading.Timer(SECONDS, process.kill)
        watchdog.start()
        try:
            pickle.dump(launch, process.stdin)
            process.stdin.flush()
            return pickle.load(process.stdout)  # type: ignore[no-any-return]
        except (EOFError, BrokenPipeError, pickle.UnpicklingError):
            code = process.wait()
            self.close()
            return f"its process ended with {code}"
        finally:
            watchdog.cancel()

    def close(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def _start(self) -> subprocess.Popen[bytes]:
        worker = Path(__file__).with_name("fuzz_peer_worker.py")
        self._process = subprocess.Popen(
            [sys.executable, str(worker), self.platform.reported],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=self.platform.environment(Path(self._scratch.name), Caches.OFF),
        )
        return self._process


@contextmanager
def running_peers() -> Iterator[dict[str, Peer]]:
    """All peers, by name; their processes end with the context."""
    running = {platform.name: Peer(platform) for platform in peers()}
    try:
        yield running
    finally:
        for peer in running.values():
            peer.close()


@dataclass(frozen=True)
class Findings:
    """How a case went on the peers, by their names: what failed to run it, and what got another result."""

    failed: dict[str, str]
    different: dict[str, str]


def compare(case: RandomCase, running: Mapping[str, Peer]) -> Findings:
    """Runs a case on peers and compares their results with the interpreter's."""
    (launch,) = case.launches
    expected = interpret(ir.parse(front_end_module(case)), case, launch, case.make_arguments(launch))
    findings = Findings({}, {})
    for name, peer in running.items():
        found = peer.run(case)
        if isinstance(found, str):
            findings.failed[name] = found
        elif (difference := different(expected, found)) is not None:
            findings.different[name] = difference
    PROGRAMS.clear()
    return findings


def peer_launch(case: KernelCase) -> PeerLaunch:
    """A case of one launch as the worker takes it."""
    (launch,) = case.launches
    kernel = the_kernel(case)
    arguments = {}
    described = zip(kernel.code.arguments, kernel.info.arguments, strict=True)
    for (layout, info), (name, value) in zip(described, case.make_arguments(launch).items(), strict=True):
        arguments[name] = value_bytes(value, info.type_name, layout.size) if layout.kind == "value" else value
    sizes = (launch.global_size, launch.local_size, launch.offset)
    return PeerLaunch(case.source, case.options, *sizes, arguments, kernel.info.name)
