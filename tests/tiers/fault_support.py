"""Has the optimizing tier fail at a certain point, and launches kernels meanwhile."""

import copy
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from inspect import CO_GENERATOR
from itertools import cycle
from types import FrameType
from typing import Any, TypeVar

import pytest
from kernel_case import FOLDER, KernelCase, Range, load
from kernel_ways import Bound, the_kernel

import weft
from weft import ir
from weft.compiler import compile_work_group as compiler
from weft.compiler.compile_work_group import CompiledWorkGroup
from weft.device.base import Launch, devices
from weft.errors import ToolError
from weft.kernel import CodeOptions, KernelCode
from weft.program import Kernel
from weft.trace import Trace

T = TypeVar("T")
# The whole compilation, with what is done between the passes.
EVERYTHING = "everything"
KINDS = (AssertionError, RecursionError, MemoryError, TypeError, ToolError)
_PACKAGE = os.path.dirname(weft.__file__) + os.sep


def case_of(name: str) -> KernelCase:
    """A kernel of the kernel tests."""
    return load(FOLDER / f"{name}.cl")


class Store(dict[str, bytes]):
    """A cache in memory."""

    def put(self, key: str, data: bytes) -> None:
        self[key] = data


class Faults:
    """Counts the calls of Weft's functions in each pass of the optimizing tier, and raises at one of them."""

    def __init__(self) -> None:
        self.calls: dict[str, int] = {}
        self.step, self.number = "", 0
        self._kinds = cycle(KINDS)
        self.raised: BaseException | None = None
        self._optimizing = False
        self._inside = False

    def inject(self, step: str, number: int) -> None:
        """Has the call of that number fail, in a pass or in the whole compilation."""
        self.step, self.number, self.raised = step, number, None
        self.calls.clear()

    @contextmanager
    def watch(self) -> Iterator["Faults"]:
        """Within this context compilations of the optimizing tier are counted, and fail."""
        compile_all, run = compiler.compile_work_group, Trace.run

        def compile_some(
            code: KernelCode, options: CodeOptions, *rest: Any, **more: Any
        ) -> CompiledWorkGroup:
            if options.baseline:
                return compile_all(code, options, *rest, **more)
            self._optimizing = True
            try:
                return self._counted(EVERYTHING, lambda: compile_all(code, options, *rest, **more))
            finally:
                self._optimizing = False

        def run_some(trace: Trace, name: str, module: ir.Module, change: Callable[[], T]) -> T:
            if not self._optimizing:
                return run(trace, name, module, change)
            return run(trace, name, module, lambda: self._counted(name, change))

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(compiler, "compile_work_group", compile_some)
            patch.setattr(Trace, "run", run_some)
            yield self

    def _counted(self, step: str, work: Callable[[], T]) -> T:
        self.calls.setdefault(step, 0)
        if self.step not in ("", step) or self._inside:
            return work()

        def count(frame: FrameType, event: str, argument: object) -> None:
            code = frame.f_code
            # A generator is also called to end it, where nobody would hear of what it raises.
            if event == "call" and code.co_filename.startswith(_PACKAGE) and not code.co_flags & CO_GENERATOR:
                self.calls[step] += 1
                if self.calls[step] == self.number and step == self.step:
                    self.raised = next(self._kinds)("injected")
                    raise self.raised

        before = sys.getprofile()
        self._inside = step == self.step
        sys.setprofile(count)
        try:
            return work()
        finally:
            sys.setprofile(before)
            self._inside = False


def launch(kernel: Kernel, case: KernelCase, range: Range) -> None:
    """Launches a kernel on the device and compares what it did with the reference."""
    arguments = case.make_arguments(range)
    expected = copy.deepcopy(arguments)
    case.apply_reference(range, expected)
    size = range.triple(range.local_size)
    function = kernel.work_group_function(size, range.id_bits)
    bound = Bound(kernel, arguments)
    queue = devices()[0].new_queue()
    command = queue.ndrange(
        function.address,
        Launch(range.global_size, range.local_size, range.offset),
        bytes(bound.block.data),
        bound.local_bytes,
        function.context_bytes(size),
    )
    queue.finish()
    assert command.status == 0
    case.compare(expected, bound.results())


def fresh(case: KernelCase) -> Kernel:
    """The kernel of a case as if it had never been launched."""
    kernel = the_kernel(case)
    return Kernel(kernel.code, kernel.options)
