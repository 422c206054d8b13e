"""Measure candidates on a platform of this machine and select the fastest correct one.

The original kernel is a candidate. Each candidate is built and run in a separate process, with a time limit.
Its output must match that of the original kernel on the same input: integers exactly, floats within rounding.
The fastest few then run interleaved with the original, so that other load affects all alike. A candidate must
win by more than `NOISE` and by more than the spread of the original's samples.
"""

import tempfile
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from statistics import median

import numpy as np

from weft.dataclasses import dataclass, field, replace
from weft.errors import WeftError
from weft.frontend.options import BuildOptions
from weft.source.choice import candidates, request_for
from weft.source.devices import NAIVE, Candidate
from weft.source.inter import Merged
from weft.source.launch_data import TYPES, Argument, Launch, LaunchError
from weft.source.layout import Layout
from weft.source.refusal import Refused, SourceError
from weft.source.results import difference
from weft.source.rewrite import Request, vectorize
from weft.source.worker_process import CandidateFailed, PlatformProcess

NOISE = 0.03
_FINALISTS = 3
_ROUNDS = 11
_SAMPLE_SECONDS = 0.03


@dataclass(frozen=True)
class Target:
    """A platform: a part of its name, and the environment of the processes that use it."""

    platform: str
    environment: Mapping[str, str]
    limit: float = 60.0


@dataclass(eq=False)
class Tried:
    """A candidate with the time of a launch, or the reason why it has none."""

    candidate: Candidate
    seconds: float = 0.0
    reason: str = ""
    merged: Merged | None = None
    text: str = ""
    layouts: tuple[Layout, ...] = ()


@dataclass(eq=False)
class Measured:
    """All candidates, the device, and the choice. `gain` is relative to the original kernel.

    `first` is the time of the original kernel when all were tried; `gains` are those of the finalists.
    """

    device: str
    tried: list[Tried]
    first: float
    chosen: Candidate = NAIVE
    gain: float = 1.0
    noise: float = NOISE
    gains: dict[Candidate, float] = field(default_factory=dict)

    def lines(self) -> list[str]:
        """Format the table."""
        width = 2 + max(len(str(one.candidate)) for one in self.tried)
        rows = [f"{'candidate':<{width}}{'ms':>10}{'gain':>8}"]
        for one in self.tried:
            if one.reason:
                rows.append(f"{one.candidate!s:<{width}}{'-':>10}{'-':>8}  {one.reason}")
                continue
            gain = self.gains.get(one.candidate, self.first / one.seconds)
            taken = "  taken" if one.candidate == self.chosen else ""
            rows.append(f"{one.candidate!s:<{width}}{one.seconds * 1e3:>10.3f}{gain:>8.2f}{taken}")
        return rows


def measure(
    text: str,
    options: BuildOptions,
    file: str,
    kernel: str,
    launch: Launch,
    target: Target,
    base: Request,
    build_options: str = "",
    laid_out: tuple[str, tuple[Layout, ...]] | None = None,
    report: Callable[[str], None] = lambda line: None,
) -> Measured:
    """Try all candidates; raise WeftError if the original kernel does not run.

    `laid_out` is the program with other layouts of its buffers, which is also rewritten in all ways.
    """
    if find_spec("pyopencl") is None:
        raise WeftError("--measure needs pyopencl: install it with `pip install 'weft[source]'`")
    tried = [Tried(NAIVE, text=text)]
    for candidate in candidates(loops=True):
        tried.append(_prepared(text, options, file, request_for(base, kernel, candidate), candidate, launch))
    if laid_out is not None:
        new, layouts = laid_out
        tried.append(Tried(Candidate(layout=True), text=new, layouts=layouts))
        for one in tried[1:-1]:
            candidate = replace(one.candidate, layout=True)
            request = request_for(base, kernel, candidate)
            tried.append(_prepared(new, options, file, request, candidate, launch, layouts))
    with tempfile.TemporaryDirectory(prefix="weft-measure-") as folder:
        trial = Trial(Path(folder), kernel, build_options, launch, target)
        device = trial.first(tried[0])
        report(f"{kernel} on {device}")
        for number, one in enumerate(tried):
            if number and not one.reason:
                trial.run(one)
            words = one.reason or f"{one.seconds * 1e3:.3f} ms"
            report(f"[{number + 1}/{len(tried)}] {one.candidate}: {words}")
        measured = Measured(device, tried, tried[0].seconds)
        trial.decide(measured, report)
    return measured


def _prepared(
    text: str,
    options: BuildOptions,
    file: str,
    request: Request,
    candidate: Candidate,
    launch: Launch,
    layouts: tuple[Layout, ...] = (),
) -> Tried:
    try:
        rewritten = vectorize(text, options, file, request)
    except (Refused, SourceError) as error:
        return Tried(candidate, reason=str(error))
    merged = rewritten.merged[0] if rewritten.merged else None
    trial = Tried(candidate, merged=merged, text=rewritten.text, layouts=layouts)
    if merged is not None:
        trial.reason = _misfit(merged, launch)
    return trial


def _misfit(merged: Merged, launch: Launch) -> str:
    """Return why a launch is incompatible with merged work-items; empty if it is compatible."""
    factor = merged.factor
    if merged.of_groups and launch.local_size is None:
        return "the kernel uses its work-group: pass --local X,Y,Z"
    if merged.of_groups and launch.local_size is not None and launch.local_size[0] % factor:
        return f"the local size along x is not a multiple of {factor}"
    if not merged.items and launch.global_size[0] % factor:
        return f"the global size along x is not a multiple of {factor}"
    return ""


class Trial:
    """Runs candidates, each in a separate process."""

    def __init__(
        self,
        folder: Path,
        kernel: str,
        options: str,
        launch: Launch,
        target: Target,
        sample_seconds: float = _SAMPLE_SECONDS,
    ) -> None:
        self.folder, self.kernel, self.options = folder, kernel, options
        self.launch, self.target = launch, target
        self.sample_seconds = sample_seconds
        self.results: dict[str, np.ndarray] = {}
        for argument in launch.arguments:
            if argument.is_buffer and argument.content is not None:
                (folder / argument.name).write_bytes(argument.content.tobytes())

    def first(self, naive: Tried) -> str:
        """Run the original kernel; its results are the reference."""
        try:
            return self._first(naive)
        except CandidateFailed as error:
            raise WeftError(f"{self.kernel} does not run unmodified: {error}") from None

    def _first(self, naive: Tried) -> str:
        with self._process() as process:
            self._open(process, naive)
            self.results = self._results(process)
            again = self._results(process)
            for name, one in self.results.items():
                if difference(one, again[name]):
                    words = f"{self.kernel} is not deterministic: {name} differs between runs"
                    raise WeftError(f"{words}: candidates cannot be compared")
            naive.seconds = self._warm(process)
            greeting = process.greeting
        return f"{greeting['platform']}, {greeting['device']}"

    def run(self, one: Tried) -> None:
        """Build, run, compare and time a candidate; record the reason of a failure."""
        try:
            with self._process() as process:
                self._open(process, one)
                results = self._results(process, one.layouts)
                for name, expected in self.results.items():
                    mismatch = difference(expected, results[name])
                    if mismatch:
                        one.reason = f"wrong: {name} {mismatch}"
                        return
                one.seconds = self._warm(process)
        except CandidateFailed as error:
            one.reason = str(error)

    def decide(self, measured: Measured, report: Callable[[str], None]) -> None:
        """Run the fastest interleaved with the original kernel, and choose the best that wins."""
        naive, *others = measured.tried
        good = sorted((t for t in others if not t.reason), key=lambda t: t.seconds)[:_FINALISTS]
        good = [t for t in good if t.seconds < naive.seconds * (1 + NOISE)]
        if not good:
            return
        report(f"interleaved with the original kernel: {', '.join(str(t.candidate) for t in good)}")
        samples: dict[Candidate, list[float]] = {t.candidate: [] for t in [naive, *good]}
        processes: list[tuple[Tried, PlatformProcess]] = []
        try:
            for one in [naive, *good]:
                process = self._process()
                processes.append((one, process))
                self._open(process, one)
                self._warm(process)
            for _ in range(_ROUNDS):
                for one, process in processes:
                    answer = process.ask("sample", self.kernel, seconds=self.sample_seconds)
                    samples[one.candidate].append(answer["seconds"])
        except CandidateFailed as error:
            report(f"a candidate failed in the second run, the kernel is unchanged: {error}")
            return
        finally:
            for _, process in processes:
                process.close()
        before = samples[NAIVE]
        middle = median(before)
        naive.seconds = middle
        measured.noise = max(NOISE, median(abs(s - middle) for s in before) / middle)
        measured.gains[NAIVE] = 1.0
        for one in good:
            mine = samples[one.candidate]
            one.seconds = median(mine)
            measured.gains[one.candidate] = median(a / b for a, b in zip(before, mine, strict=True))
        best = max((t.candidate for t in good), key=lambda c: measured.gains[c])
        if measured.gains[best] > 1 + measured.noise:
            measured.chosen, measured.gain = best, measured.gains[best]

    def _process(self) -> PlatformProcess:
        return PlatformProcess(self.target.platform, self.target.environment, self.target.limit)

    def _open(self, process: PlatformProcess, one: Tried) -> None:
        sizes, local = _sizes(self.launch, one.merged)
        laid_out = {layout.buffer: layout for layout in one.layouts}
        arguments = [self._argument(a, laid_out.get(a.name)) for a in self.launch.arguments]
        for layout in one.layouts:
            rows = np.array([matrix_shape(layout, self.launch)[0]], TYPES[layout.rows_type])
            arguments.append({"scalar": rows.tobytes().hex()})
        if one.merged is not None and one.merged.items:
            items = np.array([self.launch.global_size[0]], np.uint64)
            arguments.append({"scalar": items.tobytes().hex()})
        process.ask(
            "open",
            self.kernel,
            source=one.text,
            options=self.options,
            kernel=self.kernel,
            arguments=arguments,
            **{"global": sizes, "local": local},
        )

    def _argument(self, argument: Argument, layout: Layout | None) -> dict[str, object]:
        if argument.content is None:
            return {"local": argument.local}
        if argument.is_buffer:
            content = self.folder / argument.name
            if layout is not None:
                content = content.with_suffix(".layout")
                columns = matrix_shape(layout, self.launch)[1]
                content.write_bytes(layout.converted(argument.content, columns).tobytes())
            result = str(self.folder / f"{argument.name}.result") if argument.written else None
            return {"buffer": str(content), "result": result}
        return {"scalar": argument.content.tobytes().hex()}

    def _results(self, process: PlatformProcess, layouts: Sequence[Layout] = ()) -> dict[str, np.ndarray]:
        process.ask("run", self.kernel)
        results = {}
        for argument in self.launch.arguments:
            if argument.written and argument.content is not None:
                data = (self.folder / f"{argument.name}.result").read_bytes()
                results[argument.name] = np.frombuffer(data, argument.content.dtype)
        for layout in layouts:
            if layout.buffer in results:
                rows, columns = matrix_shape(layout, self.launch)
                results[layout.buffer] = layout.restored(results[layout.buffer], columns, rows)
        return results

    def _warm(self, process: PlatformProcess) -> float:
        return float(process.ask("warm", self.kernel, seconds=self.sample_seconds)["seconds"])


def _sizes(launch: Launch, merged: Merged | None) -> tuple[tuple[int, ...], tuple[int, ...] | None]:
    """Return the sizes of a candidate's launch, as the host code of `--host` computes them."""
    if merged is None:
        return launch.global_size, launch.local_size
    x, *others = launch.global_size
    if merged.items:
        return (-(-x // merged.factor), *others), None
    local = launch.local_size
    if local is not None:
        local = (local[0] // merged.factor, *local[1:]) if local[0] % merged.factor == 0 else None
    return (x // merged.factor, *others), local


def matrix_shape(layout: Layout, launch: Launch) -> tuple[int, int]:
    """Return the rows and columns of a buffer that has another layout."""
    columns = layout.factor
    for name in layout.names:
        value = launch.number(name)
        if value is None:
            raise LaunchError(f"{layout.buffer} has {layout.pitch} columns, whose number is not known here")
        columns *= value
    (content,) = (a.content for a in launch.arguments if a.name == layout.buffer)
    assert content is not None
    if columns < 1 or content.size % columns:
        raise LaunchError(
            f"{layout.buffer} has {content.size} elements, no multiple of its {columns} columns"
        )
    return content.size // columns, columns
