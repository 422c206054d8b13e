"""Print analyses as annotated IR: the text of a function with comments at its lines.

    header:                                    ; divergent: not run by all work-items equally often
      %k = phi i32 [ 0, %entry ], [ %n, %header ]   ; divergent
      br i1 %more, label %header, label %exit       ; divergent branch

The text is still valid IR.
"""

from collections.abc import Callable, Mapping

from weft.dataclasses import dataclass
from weft.ir import Block, Function, Value, print_function
from weft.ir.types import VOID

from .barrier_cfg import BarrierCFG, barrier_cfg
from .divergence import Divergence, divergence
from .forms import IMPLICIT_BARRIERS, ISOLATED_BARRIERS, LCSSA, Form, check
from .kernel_variables import KernelVariables, kernel_variables
from .shape import AXES, AXIS_NAMES
from .shapes import Shapes, shapes

# The column in which comments start, unless the line is longer.
COLUMN = 72

Comments = Mapping[Value, str]


def annotated(function: Function, comments: Comments) -> str:
    """Return the text of a function with comments at its blocks and instructions."""
    # The printer writes a line for each block and instruction; only a switch takes several.
    places: list[Value] = [p for b in function.blocks for p in (b, *b.instructions)]
    head, *lines = print_function(function).split("\n")
    result = [head]
    remaining = iter(places)
    inside_switch = False
    for line in lines:
        if inside_switch or line in ("", "}"):
            inside_switch = inside_switch and line.strip() != "]"
            result.append(line)
            continue
        place = next(remaining)
        comment = comments.get(place)
        result.append(f"{line:<{COLUMN - 1}} ; {comment}" if comment else line)
        inside_switch = line.endswith("[")
    return "\n".join(result)


def divergence_comments(function: Function, shape: Divergence) -> Comments:
    """Mark values and branches as uniform or divergent, and blocks that are not run uniformly."""
    comments: dict[Value, str] = {}
    for block in function.blocks:
        if not shape.runs_uniformly(block):
            comments[block] = "divergent: not run by all work-items equally often"
        for instruction in block.instructions:
            if instruction.type is not VOID:
                comments[instruction] = "uniform" if shape.is_uniform(instruction) else "divergent"
        if len(block.successors()) > 1:
            branch = "divergent" if shape.is_divergent_branch(block) else "uniform"
            comments[block.terminator] = f"{branch} branch"
    return comments


def shape_comments(function: Function, result: Shapes) -> Comments:
    """Show the shape of each value, and the dimensions along which blocks and branches diverge."""
    comments: dict[Value, str] = {}
    for block in function.blocks:
        if not result.runs_uniformly(block):
            comments[block] = f"not run by all along {_dimensions(result.divergent_runs(block))}"
        for instruction in block.instructions:
            private = result.private_offset(instruction)
            if private is not None:
                comments[instruction] = f"private, offset {private[1]}"
            elif instruction.type is not VOID:
                comments[instruction] = str(result.of(instruction))
        if len(block.successors()) > 1:
            diverging = result.branch(block)
            comments[block.terminator] = f"divergent {_dimensions(diverging)}" if diverging else "uniform"
    return comments


def _dimensions(mask: int) -> str:
    return " ".join(name for axis, name in zip(AXES, AXIS_NAMES, strict=True) if mask & axis)


def barrier_cfg_comments(cfg: BarrierCFG) -> Comments:
    """Show the regions that start at each barrier block, and the regions that contain each other block."""
    comments: dict[Value, str] = {}
    for barrier in cfg.barriers:
        starting = [str(n) for n, region in enumerate(cfg.regions) if region.barrier is barrier]
        comments[barrier] = f"barrier, to region {', '.join(starting)}" if starting else "barrier, the end"
    holding: dict[Block, list[str]] = {}
    for number, region in enumerate(cfg.regions):
        for block in region.blocks:
            text = str(number)
            if block is region.entry:
                ends = ", ".join(f"%{s.name}" for s in region.successors) or "no barrier"
                text += f" from %{region.barrier.name} to {ends}"
            holding.setdefault(block, []).append(text)
    comments.update((block, f"region {'; '.join(numbers)}") for block, numbers in holding.items())
    return comments


def kernel_variables_comments(variables: KernelVariables) -> Comments:
    """Show the storage of values that are live across regions, and of private memory."""
    comments: dict[Value, str] = dict.fromkeys(variables.recomputed, "recomputed in each region")
    comments |= dict.fromkeys(variables.uniform, "kept once for the group")
    comments |= dict.fromkeys(variables.context, "context array")
    comments |= dict.fromkeys(variables.shared_memory, "one for all work-items")
    comments |= dict.fromkeys(variables.context_memory, "context array")
    return comments


@dataclass(frozen=True)
class Analysis:
    """An analysis: its command-line name, the forms it requires, and its results as comments."""

    name: str
    summary: str
    requires: tuple[Form, ...]
    comments: Callable[[Function], Comments]

    def annotated(self, function: Function) -> str:
        """Return the annotated text of a function; raise FormError if it lacks a required form."""
        check(self.requires, function, f"{self.name} requires")
        return annotated(function, self.comments(function))


def _kernel_variables(function: Function) -> Comments:
    variables = kernel_variables(function, barrier_cfg(function), divergence(function))
    return kernel_variables_comments(variables)


ANALYSES = {
    a.name: a
    for a in (
        Analysis(
            "divergence",
            "shows which values and branches are the same for all work-items of a group",
            (LCSSA,),
            lambda function: divergence_comments(function, divergence(function)),
        ),
        Analysis(
            "shapes",
            "shows how each value differs between neighbouring work-items",
            (LCSSA,),
            lambda function: shape_comments(function, shapes(function)),
        ),
        Analysis(
            "barrier-cfg",
            "shows the parallel regions between barriers",
            (ISOLATED_BARRIERS, IMPLICIT_BARRIERS),
            lambda function: barrier_cfg_comments(barrier_cfg(function)),
        ),
        Analysis(
            "kernel-variables",
            "shows how values that outlive a parallel region are kept",
            (LCSSA, ISOLATED_BARRIERS, IMPLICIT_BARRIERS),
            _kernel_variables,
        ),
    )
}
