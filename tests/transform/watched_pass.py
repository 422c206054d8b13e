"""What a pass of the kernel compiler makes of a kernel, on a processor with so many lanes."""

from collections.abc import Callable
from typing import Any, TypeVar

import pytest

from weft import ir
from weft.compiler.build_program import compile_program
from weft.compiler.compile_work_group import compile_work_group
from weft.frontend.options import parse_options
from weft.kernel import CodeOptions
from weft.launch_form import LaunchForm
from weft.target import x86
from weft.trace import Trace

T = TypeVar("T")


class _Reached(Exception):
    """Nothing behind the pass is of interest."""


class _Watch(Trace):
    wanted: str
    result: Any
    text: str

    def run(self, name: str, module: ir.Module, change: Callable[[], T]) -> T:
        result = super().run(name, module, change)
        if name == self.wanted:
            self.result, self.text = result, ir.print_module(module)
            raise _Reached
        return result


def result_of(name: str, source: str, lanes: int, items: int, noalias: bool = False) -> tuple[Any, str]:
    """What a pass returns for a kernel in groups of `items`, and the module behind it."""
    build = parse_options("")
    (kernel,) = compile_program(source, build).kernels
    watch = _Watch(kernel.info.name, None, "", None)
    watch.wanted = name
    target = x86.for_lanes(lanes)
    with pytest.raises(_Reached):
        compile_work_group(
            kernel,
            CodeOptions.of(build),
            LaunchForm((items, 1, 1), noalias=noalias),
            trace=watch,
            target=target,
        )
    return watch.result, watch.text
