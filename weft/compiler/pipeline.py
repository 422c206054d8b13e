"""Run passes over a compilation unit and check their contracts."""

from collections.abc import Iterable
from typing import Any

from weft import abi
from weft.compiler.compilation_unit import CompilationUnit
from weft.compiler.passes import LAUNCH_PASSES, PASSES, Pass
from weft.ir import Function, Module
from weft.ir.verifier import verify
from weft.trace import Trace


def run_pipeline(unit: CompilationUnit, trace: Trace, passes: Iterable[Pass] = LAUNCH_PASSES) -> None:
    """Run the passes that apply to the unit, in order."""
    for p in passes:
        if p.when(unit):
            run_pass(p, unit, trace)


def run_pass(p: Pass, unit: CompilationUnit, trace: Trace) -> Any:
    """Run a pass over a unit; return its result."""
    with unit.remarks.by(p.name):
        result = trace.run(p.name, unit.module, lambda: p.run(unit))
    changed = result is None or bool(result)
    if changed and not (p.preserves or p.analysis):
        unit.forget_analyses()
    return result


def passes_after(name: str) -> tuple[Pass, ...]:
    """Return the passes of the launch list after a given one."""
    names = [p.name for p in LAUNCH_PASSES]
    return LAUNCH_PASSES[names.index(name) + 1 :]


class Contracts:
    """Verifies the IR and the contracts around the passes of one kernel."""

    def __init__(self, kernel: str) -> None:
        self._kernel = kernel

    def before(self, step: str, module: Module) -> None:
        """Raise FormError if the step is a pass whose requirements do not hold."""
        function = self._function(module)
        if step in PASSES and function is not None:
            PASSES[step].check_before(function)

    def after(self, step: str, module: Module) -> None:
        """Raise VerificationError if the module is invalid, FormError if the pass broke its contract."""
        verify(module)
        function = self._function(module)
        if step in PASSES and function is not None:
            PASSES[step].check_after(function)

    def _function(self, module: Module) -> Function | None:
        """Return the function that the passes process: the kernel, later its work-group function."""
        function = module.globals.get(abi.work_group_symbol(self._kernel)) or module.globals.get(self._kernel)
        return function if isinstance(function, Function) else None
