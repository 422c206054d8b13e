"""Build-log warnings about barriers that only some work-items reach."""

from collections.abc import Callable, Sequence

from weft import ir, settings
from weft.analysis.barrier_divergence import BarrierDivergence, barrier_divergence
from weft.faults import Fault, report
from weft.ir.debug import DebugInfo, Location
from weft.ir.kept import keep
from weft.kernel import KernelCode


def barrier_findings(kernel: KernelCode) -> list[tuple[BarrierDivergence, Location | None]]:
    """Return the barriers that only some work-items reach, with their source locations if known."""
    if not kernel.uses_barrier:
        return []
    module = ir.parse(kernel.text)
    found = barrier_divergence(module.function(kernel.info.name), kernel.info.reqd_work_group_size)
    if not found:
        keep(kernel.text, module)
        return []
    debug = DebugInfo(module)
    return [(finding, debug.location(finding.branch)) for finding in found]


def barrier_warnings(kernels: Sequence[KernelCode], with_lines: Callable[[], Sequence[KernelCode]]) -> str:
    """Return the build-log warnings about barriers that only some work-items reach.

    `with_lines` compiles the same kernels with source lines. It is called only if there are warnings, which
    is rare. Errors here do not make the build fail.
    """
    try:
        if not any(barrier_findings(kernel) for kernel in kernels):
            return ""
        return _messages(with_lines())
    except Exception as error:
        if settings.get("WEFT_VERIFY"):
            raise
        report("there are no warnings about barriers", Fault.of(error))
        return ""


def _messages(kernels: Sequence[KernelCode]) -> str:
    lines = []
    for kernel in kernels:
        for finding, place in barrier_findings(kernel):
            where = f"<source>:{place.line}:{place.column}: " if place is not None else ""
            lines.append(f"{where}warning: kernel '{kernel.info.name}': {finding.message()}\n")
    return "".join(lines)
