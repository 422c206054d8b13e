"""Describe the kernels of a program for later compilation steps."""

from collections.abc import Iterable

from weft import ir
from weft.abi import (
    ARENA_ALIGNMENT,
    DEFAULT_SUB_GROUP_SIZE,
    LARGEST_ALIGNMENT,
    LARGEST_CONSTANTS,
    SUB_GROUP_SIZES,
    VARIABLE,
    YIELD,
)
from weft.analysis.group_functions import group_function
from weft.analysis.sub_group_functions import concerns_sub_groups, sub_group_function
from weft.analysis.sub_group_size import alone_in_sub_groups, sub_group_size
from weft.analysis.waiting_loops import waiting_loops
from weft.analysis.work_items import BARRIERS, WORK_ITEM_FUNCTIONS
from weft.codegen.call_graph import CallGraph
from weft.codegen.program_text import ProgramText
from weft.compiler.argument_layout import argument_layouts
from weft.compiler.named_barriers import BARRIERS_OF_GROUP
from weft.errors import BuildError
from weft.frontend.metadata import KernelInfo
from weft.functions import kernel_and_functions, refuse_recursion
from weft.ir.address_spaces import LOCAL, SPACE_QUERIES
from weft.ir.parser import parse_type
from weft.ir.symbols import readable
from weft.ir.types import address_space, size_of
from weft.kernel import KernelCode
from weft.kernel_traits import kernel_traits
from weft.transform.workgroup.locals_to_arguments import declared_alignment, local_layout
from weft.transform.workgroup.lower_printf import PRINTF, RUNTIME

# Called symbols that are not in the library.
_OF_THE_COMPILER = BARRIERS | WORK_ITEM_FUNCTIONS.keys() | SPACE_QUERIES.keys() | {PRINTF, RUNTIME, YIELD}


def describe_kernels(
    text: ProgramText, infos: tuple[KernelInfo, ...], progress: bool
) -> tuple[KernelCode, ...]:
    """Describe the kernels in a canonical program for later steps.

    `progress`: sub-groups make progress independently of each other, also in kernels without named barriers.
    """
    skeleton = ir.parse(text.skeleton())
    variables = skeleton.variables
    order = {variable.name: place for place, variable in enumerate(variables)}
    graph = CallGraph(text, [info.name for info in infos])
    refuse_recursion(graph)
    frames = _frames(graph, skeleton)
    kernels = []
    for info in infos:
        reached = text.reached_from([info.name])
        names = {name for function in reached for name in text.names_in(function)}
        used = [variables[n] for n in sorted(order[n] for n in names if n in order)]
        for variable in used:
            if variable.initializer is None and not (variable.name or "").startswith(VARIABLE):
                raise BuildError(
                    f"error: kernel '{info.name}' uses the variable '{variable.name}', which is not defined\n"
                )
            limit = ARENA_ALIGNMENT if variable.type.space == LOCAL else LARGEST_ALIGNMENT
            _check_alignment(f"variable '{variable.name}'", declared_alignment(variable), limit)
        constant_bytes = sum(size_of(v.value_type) for v in used if v.is_constant)
        if constant_bytes > LARGEST_CONSTANTS:
            raise BuildError(
                f"error: the constants of kernel '{info.name}' have {constant_bytes} bytes; the limit is "
                f"{LARGEST_CONSTANTS}\n"
            )
        _, local_bytes = local_layout([v for v in used if address_space(v.type) == LOCAL])
        called = {name for function in reached for name in text.called_by(function)}
        symbols = frozenset(n for n in called if not n.startswith("llvm.") and not text.defines(n))
        if any(map(text.allocates_unknown_sizes, reached)):
            raise BuildError(f"error: kernel '{info.name}' uses private memory of variable size\n")
        largest = max(map(text.private_alignment, reached))
        _check_alignment(f"private memory of kernel '{info.name}'", largest, ARENA_ALIGNMENT)
        by_group = frozenset(s for s in symbols if group_function(s) or sub_group_function(s))
        of_sub_groups = any(map(concerns_sub_groups, symbols))
        uses_barrier = bool(by_group) or not symbols.isdisjoint(BARRIERS)
        arguments = argument_layouts(skeleton.function(info.name), info)
        has_locals = local_bytes > 0 or any(a.kind == "local" for a in arguments)
        kernel_text = text.alone(info.name)
        waits = (progress or BARRIERS_OF_GROUP in names) and _may_wait(text, info.name, kernel_text, reached)
        shares_nothing = not uses_barrier and not has_locals and not of_sub_groups and not waits
        kernels.append(
            KernelCode(
                info=info,
                text=kernel_text,
                arguments=arguments,
                local_bytes=local_bytes,
                private_bytes=frames[info.name],
                builtins=tuple(sorted(symbols - by_group - _OF_THE_COMPILER)),
                uses_barrier=uses_barrier,
                sub_group_size=_sub_group_size(info, kernel_text) if of_sub_groups or waits else 0,
                traits=kernel_traits(text, info.name, kernel_text, arguments, shares_nothing, waits),
            )
        )
    return tuple(kernels)


def _check_alignment(what: str, alignment: int, limit: int) -> None:
    if alignment > limit:
        raise BuildError(f"error: {what} is aligned to {alignment} bytes; the limit is {limit}\n")


def _sub_group_size(info: KernelInfo, text: str) -> int:
    """Return the sub-group size of a kernel that queries or uses sub-groups.

    Raises BuildError if the kernel requires a size that is not supported for it.
    """
    own, _ = kernel_and_functions(text, info.name)
    function = ir.parse(own).function(info.name)
    required = info.sub_group_size
    if required:
        if required not in SUB_GROUP_SIZES:
            sizes = ", ".join(map(str, SUB_GROUP_SIZES))
            raise BuildError(
                f"error: kernel '{info.name}' requires sub-groups of {required} work-items; "
                f"supported sizes: {sizes}\n"
            )
        call = alone_in_sub_groups(function)
        if call is not None:
            raise BuildError(
                f"error: kernel '{info.name}' requires sub-groups of {required} work-items and calls "
                f"'{readable(call.callee_name)}' in divergent code, which is not supported\n"
            )
    return required or sub_group_size(function) or DEFAULT_SUB_GROUP_SIZE


def _may_wait(text: ProgramText, name: str, kernel_text: str, reached: Iterable[str]) -> bool:
    """Whether a kernel, or a function that it calls, has a loop in which work-items may wait for others."""
    if any(YIELD in text.called_by(function) for function in reached):
        return True
    in_functions = any(text.observes(function) for function in reached if function != name)
    if not in_functions and not text.observes(name):
        return False
    own, _ = kernel_and_functions(kernel_text, name)
    return bool(waiting_loops(ir.parse(own).function(name), in_functions))


def _frames(graph: CallGraph, skeleton: ir.Module) -> dict[str, int]:
    """Return the private memory of each function, including that of its callees."""
    frames: dict[str, int] = {}
    for name in graph.order:
        own = sum(size_of(parse_type(t, skeleton)) for t in graph.text.allocated_by(name))
        frames[name] = own + max((frames[callee] for callee in graph.callees(name)), default=0)
    return frames
