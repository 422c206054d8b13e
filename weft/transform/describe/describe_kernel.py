"""Describe a kernel before it becomes a work-group function.

Emits remarks about the results of the pipeline's analyses: barriers, parallel regions and replicated tails,
variables that are live across regions, private memory, branches, memory accesses. Numbers accesses, so that
the remarks of later passes can refer to them. Changes nothing else. Linear, except for proofs about
addresses.
"""

from weft.analysis.barrier_cfg import BarrierCFG
from weft.analysis.divergence import Divergence
from weft.analysis.kernel_variables import KernelVariables
from weft.analysis.naming import Naming
from weft.analysis.shapes import Shapes
from weft.ir import Function
from weft.ir.debug import DebugInfo
from weft.remarks import Reason, Remarks
from weft.transform.workgroup.interchange_inner_loops import report_no_interchange

from .accesses import describe_accesses
from .branches import describe_branches, describe_unrolled_loops
from .regions import Regions, describe_regions
from .variables import describe_private_memory, describe_variables


def describe_kernel(
    function: Function,
    cfg: BarrierCFG,
    variables: KernelVariables,
    divergence: Divergence,
    shapes: Shapes,
    lanes: int,
    no_interchange: Reason | None,
    remarks: Remarks,
) -> None:
    """Describe a kernel; `lanes` is the number of work-items in the prover's queries.

    `no_interchange` is the reason if `interchange_inner_loops` did not run.
    """
    module = function.parent
    naming = Naming(function.name or "", remarks.debug or DebugInfo(module), remarks.variables)
    regions = Regions(function, cfg, naming)
    describe_regions(function, regions, divergence, naming, remarks)
    describe_variables(function, variables, divergence, naming, regions, remarks)
    describe_private_memory(variables, naming, remarks)
    describe_branches(function, cfg, divergence, naming, remarks)
    if no_interchange is not None:
        report_no_interchange(function, no_interchange, remarks)
    describe_unrolled_loops(function, naming, remarks)
    describe_accesses(function, shapes, naming, regions, lanes, remarks)
