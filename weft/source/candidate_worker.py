"""The process that builds and runs candidates on one platform. Requests are lines of JSON on standard input.

    {"do": "open", "id": I, "source", "options", "kernel", "global", "local", "arguments"}  -> {}
    {"do": "run", "id": I}                   -> {}    with the initial buffers; results are written to files
    {"do": "warm", "id": I, "seconds": S}    -> {"seconds": the best time of a launch}
    {"do": "sample", "id": I, "seconds": S}  -> {"seconds": the mean time of the launches that fit into S}
    {"do": "close", "id": I}                 -> {}

If "open" has "processor_time", times on a CPU are processor times.

An argument is {"buffer": file, "result": file or null}, {"scalar": bytes in hexadecimal} or {"local": bytes}.
The arguments of the process are part of the platform's name and the descriptor for replies; the first reply
is {"platform", "device", "version"}. A reply {"error": text} means that the request failed.

A driver may crash or hang. Then only this process ends or is killed.
"""

import json
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pyopencl as cl

# A platform is warm when its best time has not improved for this many samples.
_STEADY = 4
_LONGEST_WARM_UP = 3.0


class Opened:
    """A kernel with its arguments."""

    def __init__(self, context: cl.Context, request: dict[str, Any]) -> None:
        self.queue = cl.CommandQueue(context)
        of_processor = request.get("processor_time") and self.queue.device.type & cl.device_type.CPU
        self.clock = time.process_time if of_processor else time.perf_counter
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # compiler warnings about candidates
            program = cl.Program(context, request["source"]).build(request["options"])
        self.kernel = cl.Kernel(program, request["kernel"])
        self.sizes = tuple(request["global"])
        self.local = tuple(request["local"]) if request["local"] else None
        # Buffers that the kernel may write, with their initial contents and the files for their results.
        self.written: list[tuple[cl.Buffer, np.ndarray, str]] = []
        self.buffers: list[Any] = []
        for at, argument in enumerate(request["arguments"]):
            self.kernel.set_arg(at, self._argument(context, argument))

    def _argument(self, context: cl.Context, argument: dict[str, Any]) -> Any:
        if "local" in argument:
            return cl.LocalMemory(argument["local"])
        if "scalar" in argument:
            return bytes.fromhex(argument["scalar"])
        content = np.frombuffer(Path(argument["buffer"]).read_bytes(), np.uint8)
        flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
        buffer = cl.Buffer(context, flags, hostbuf=content)
        self.buffers.append(buffer)
        if argument["result"]:
            self.written.append((buffer, content, argument["result"]))
        return buffer

    def reset(self) -> None:
        """Restore the initial contents of buffers."""
        for buffer, content, _ in self.written:
            cl.enqueue_copy(self.queue, buffer, content)
        self.queue.finish()

    def run(self) -> None:
        """Run once, and write the results to files."""
        self.reset()
        self._launch(1)
        for buffer, content, file in self.written:
            result = np.empty_like(content)
            cl.enqueue_copy(self.queue, result, buffer)
            Path(file).write_bytes(result.tobytes())

    def _launch(self, count: int) -> float:
        started = self.clock()
        for _ in range(count):
            cl.enqueue_nd_range_kernel(self.queue, self.kernel, self.sizes, self.local)
        self.queue.finish()
        return (self.clock() - started) / count

    def sample(self, seconds: float, launch: float) -> float:
        """Return the mean time of the launches that fit into `seconds`; `launch` is the expected time of
        one."""
        self.reset()
        return self._launch(max(1, round(seconds / max(launch, 1e-6))))

    def warm_up(self, seconds: float) -> float:
        """Run until the best time is stable: platforms may recompile hot kernels."""
        best = self.sample(seconds, seconds)
        steady, started = 0, time.perf_counter()
        while steady < _STEADY and time.perf_counter() < started + _LONGEST_WARM_UP:
            sample = self.sample(seconds, best)
            steady = 0 if sample < best * 0.95 else steady + 1
            best = min(best, sample)
        return best


class Worker:
    """Holds the device and the open kernels."""

    def __init__(self, platform: str) -> None:
        self.device = _device(platform)
        self.context = cl.Context([self.device])
        self.opened: dict[str, Opened] = {}
        self.launch: dict[str, float] = {}

    def greeting(self) -> dict[str, Any]:
        """Return names and properties of the device."""
        platform = self.device.platform
        return {
            "platform": platform.name.strip(),
            "device": " ".join(self.device.name.split()),
            "version": platform.version.strip(),
            "units": self.device.max_compute_units,
        }

    def obey(self, request: dict[str, Any]) -> dict[str, Any]:
        """Execute a request and return the reply."""
        name = request["id"]
        match request["do"]:
            case "open":
                self.opened[name] = Opened(self.context, request)
                return {}
            case "run":
                self.opened[name].run()
                return {}
            case "warm":
                self.launch[name] = self.opened[name].warm_up(request["seconds"])
                return {"seconds": self.launch[name]}
            case "sample":
                return {"seconds": self.opened[name].sample(request["seconds"], self.launch[name])}
            case "close":
                del self.opened[name]
                return {}
        raise ValueError(f"not understood: {request['do']}")


def _device(platform: str) -> cl.Device:
    for candidate in cl.get_platforms():
        if platform.lower() in candidate.name.lower():
            devices = candidate.get_devices()
            if devices:
                return devices[0]
    names = ", ".join(p.name for p in cl.get_platforms()) or "none"
    raise LookupError(f"no OpenCL platform {platform!r}; the loader reports: {names}")


def main() -> None:
    """Answer requests until standard input ends."""
    _, platform, descriptor = sys.argv
    # Drivers may print to standard output, so replies use a separate descriptor.
    with open(int(descriptor), "w", encoding="utf-8") as answers:

        def answer(reply: dict[str, Any]) -> None:
            print(json.dumps(reply), file=answers, flush=True)

        try:
            worker = Worker(platform)
            answer(worker.greeting())
        except Exception as error:  # reported by the parent
            answer({"error": f"{type(error).__name__}: {str(error).strip()}"})
            return
        for line in sys.stdin:
            try:
                result = worker.obey(json.loads(line))
            except Exception as error:  # any error of a driver is the candidate's result
                result = {"error": f"{type(error).__name__}: {str(error).strip()}"}
            answer(result)


if __name__ == "__main__":
    main()
