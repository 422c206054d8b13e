"""Benchmarks as data: a program, its buffers and images, the launches of one run, and the expected result.

Most families describe their kernels in this way. A case is created by a function of a random generator and
sizes, so that other programs can use the same kernels with less data.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyopencl as cl

from bench.registry import Memory, Mode, Task, Unit, benchmark
from bench.session import BoundKernel, Session


@dataclass(frozen=True)
class Local:
    """Local memory as an argument."""

    nbytes: int


@dataclass(frozen=True)
class Picture:
    """The initial content of an image: rows of texels, each an array of channels; volumes have layers.

    `format` names the channels and their type, as in FORMATS of `bench.session`.
    """

    texels: np.ndarray
    format: str
    is_array: bool = False
    """Whether the layers are those of an image array."""


@dataclass(frozen=True)
class Sampling:
    """A sampler as an argument."""

    normalized: bool
    addressing: int
    filtering: int


# The name of a buffer or image, a number, local memory, or a sampler.
Argument = str | np.generic | Local | Sampling


@dataclass(frozen=True)
class Launch:
    """A kernel with its arguments and its range."""

    kernel: str
    arguments: tuple[Argument, ...]
    global_size: tuple[int, ...]
    local_size: tuple[int, ...] | None = None


@dataclass(frozen=True)
class Case:
    """A benchmark's program and data, and its expected result."""

    source: str
    launches: Sequence[Launch]
    buffers: Mapping[str, np.ndarray]
    """The initial contents of the buffers."""
    expected: Mapping[str, np.ndarray]
    """The contents of some of them after a run."""
    tolerance: float = 0.0
    """The maximum error of a number, relative to the largest number of the buffer."""
    may_differ: float = 0.0
    """The share of numbers whose error may be larger."""
    restore: tuple[str, ...] = ()
    """Buffers whose initial content is restored before each run, for kernels that work in place."""
    options: str = ""
    images: Mapping[str, Picture] = field(default_factory=dict)
    """The initial contents of the images; `expected` contains the texels of some of them."""

    def task(self, session: Session) -> Task:
        """Return the case as a task on a platform: a run launches kernels that were built before."""
        loaded = _Loaded(self, session)
        bound = loaded.build()
        return Task(lambda: loaded.run(bound), loaded.check)

    def first_launch(self, session: Session) -> Task:
        """Return a task in which each run builds the program, as in programs that run their kernels once."""
        loaded = _Loaded(self, session)
        return Task(lambda: loaded.run(loaded.build()), loaded.check)

    def compare(self, name: str, actual: np.ndarray) -> None:
        """Raise AssertionError if the content of a buffer is not as expected."""
        expected = self.expected[name]
        if not self.tolerance:
            wrong = actual != expected
        else:
            error = np.abs(actual.astype(np.float64) - expected)
            wrong = ~(error <= self.tolerance * max(float(np.abs(expected).max()), 1e-30))
        share = float(wrong.mean())
        assert share <= self.may_differ, f"{share:.2%} of {name} is wrong, first at {np.argmax(wrong)}"


class _Loaded:
    """A case whose buffers and images are on a platform."""

    def __init__(self, case: Case, session: Session) -> None:
        self.case, self.session = case, session
        self.saved = {name: session.upload(case.buffers[name]) for name in case.restore}
        self.buffers = {name: session.upload(array) for name, array in case.buffers.items()}
        self.images = {
            name: session.image(picture.texels, picture.format, picture.is_array)
            for name, picture in case.images.items()
        }

    def build(self) -> list[BoundKernel]:
        """Build the kernels of the launches from source."""
        program = self.session.program(self.case.source, self.case.options)
        return [self._bind(program, launch) for launch in self.case.launches]

    def run(self, bound: Sequence[BoundKernel]) -> None:
        """Enqueue the launches once."""
        for name, source in self.saved.items():
            cl.enqueue_copy(self.session.queue, self.buffers[name], source)
        for launch, kernel in zip(self.case.launches, bound, strict=True):
            self.session.launch(kernel, launch.global_size, launch.local_size)

    def check(self) -> None:
        """Raise AssertionError if a result is wrong."""
        for name, expected in self.case.expected.items():
            if name in self.images:
                actual = self.session.download_image(self.images[name], expected)
            else:
                actual = self.session.download(self.buffers[name], expected)
            self.case.compare(name, actual)

    def _bind(self, program: cl.Program, launch: Launch) -> BoundKernel:
        kernel = cl.Kernel(program, launch.kernel)
        arguments: list[Any] = []
        for argument in launch.arguments:
            if isinstance(argument, str):
                arguments.append(self.images.get(argument) or self.buffers[argument])
            elif isinstance(argument, Local):
                arguments.append(cl.LocalMemory(argument.nbytes))
            elif isinstance(argument, Sampling):
                modes = argument.normalized, argument.addressing, argument.filtering
                arguments.append(cl.Sampler(self.session.context, *modes))
            else:
                arguments.append(argument)
        kernel.set_args(*arguments)
        return BoundKernel(kernel, tuple(arguments))


MakeCase = Callable[..., Case]


@dataclass(frozen=True)
class CaseMaker:
    """Creates a case with the sizes that are measured, or with small ones."""

    make: MakeCase
    sizes: Mapping[str, int] = field(default_factory=dict)
    small: Mapping[str, int] = field(default_factory=dict)

    def full(self, random: np.random.Generator) -> Case:
        """Return the case that is measured."""
        return self.make(random, **self.sizes)

    def quick(self, random: np.random.Generator) -> Case:
        """Return the same kernels with little data, for tests."""
        return self.make(random, **{**self.sizes, **self.small})


CASES: dict[str, CaseMaker] = {}


def case(
    name: str,
    unit: Unit = Unit.MILLISECONDS,
    *,
    work: float = 0.0,
    memory: Memory | None = None,
    sizes: Mapping[str, int] | None = None,
    small: Mapping[str, int] | None = None,
    first_launch: bool = False,
) -> Callable[[MakeCase], MakeCase]:
    """Register a function that creates a case from a random generator and `sizes` as the benchmark `name`.

    With the sizes `small`, a run takes a negligible time. `first_launch`: measure a build and the first run
    after it.
    """

    def register(make: MakeCase) -> MakeCase:
        CASES[name] = maker = CaseMaker(make, sizes or {}, small or {})
        mode = Mode.SINGLE if first_launch else Mode.STREAM
        prepare = benchmark(name, unit, work=work, memory=memory, mode=mode)
        if first_launch:
            prepare(lambda session: maker.full(session.random).first_launch(session))
        else:
            prepare(lambda session: maker.full(session.random).task(session))
        return make

    return register
