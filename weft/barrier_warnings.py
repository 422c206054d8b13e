"""What the build log says about barriers that only some work-items reach."""

from collections.abc import Sequence

from weft import ir
from weft.analysis.barrier_divergence import BarrierDivergence, barrier_divergence
from weft.ir.debug import DebugInfo, Location
from weft.ir.kept import keep
from weft.kernel import KernelCode


def barrier_findings(kernel: KernelCode) -> list[tuple[BarrierDivergence, Location | None]]:
    """The barriers that only some work-items reach, with their places in the source if these are known."""
    if not kernel.uses_barrier:
        return []
    module = ir.parse(kernel.text)
    found = barrier_divergence(module.function(kernel.info.name), kernel.info.reqd_work_group_size)
    if not found:
        keep(kernel.text, module)
        return []
    debug = DebugInfo(module)
    return [(finding, debug.location(finding.branch)) for finding in found]


def barrier_warnings(kernels: Sequence[KernelCode]) -> str:
    """What the build log says about barriers that only some work-items reach."""
    lines = []
    for kernel in kernels:
        for finding, place in barrier_findings(kernel):
            where = f"<source>:{place.line}:{place.column}: " if place is not None else ""
            lines.append(f"{where}warning: kernel '{kernel.info.name}': {finding.message()}\n")
    return "".join(lines)
