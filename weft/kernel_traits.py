"""Compute the traits of a kernel at build time (`KernelTraits`), which launches use for their decisions.

Most traits are read from the text of the program. The divergence of accesses and loop exits needs the shape
analysis, which matters only to kernels whose work-items share nothing and that use ids along y or z. Trip
counts matter only to kernels with loops. Only these are parsed here; the parsed module is kept for the first
launch.
"""

from collections.abc import Sequence

from weft import ir, settings
from weft.analysis.bit_interleaving import interleaves_bits
from weft.analysis.column_major import has_column_major_access
from weft.analysis.loop_bounds import loop_bounds
from weft.analysis.shape import X, Y, Z
from weft.analysis.shapes import shapes
from weft.analysis.work_items import GROUP_QUESTIONS, WORK_ITEM_FUNCTIONS
from weft.codegen.program_text import ProgramText
from weft.faults import Fault, report
from weft.functions import kernel_and_functions
from weft.ir.kept import keep
from weft.ir.loops import loop_forest
from weft.kernel import MOST_VECTORIZED, ArgumentLayout, KernelTraits

_BUFFERS = ("global", "constant")
_BUFFER_SPACE = 1
_UNIFORM = (False, False, False)
_NO_BOUNDS: "Bounds" = ()

Bounds = tuple[tuple[int, tuple[int, ...]], ...]


def kernel_traits(
    program: ProgramText, name: str, text: str, arguments: Sequence[ArgumentLayout], shares_nothing: bool
) -> KernelTraits:
    """The traits of a kernel of a program; `text` is the module with this kernel alone."""
    reached = program.reached_from([name])
    called = {symbol for function in reached for symbol in program.called_by(function)}
    buffers = sum(a.kind in _BUFFERS for a in arguments)
    own, _ = kernel_and_functions(text, name)
    column_major, interleaved, divergent_exits, bounds = False, False, _UNIFORM, _NO_BOUNDS
    instructions = own.count("\n")
    if instructions <= MOST_VECTORIZED:
        across = shares_nothing and _knows_more_than_x(program, name)
        if across or " = phi i" in own:
            column_major, interleaved, divergent_exits, bounds = _parsed(own, name, across)
    return KernelTraits(
        shares_nothing=shares_nothing,
        asks_for_group=any(f.name in GROUP_QUESTIONS for s, f in WORK_ITEM_FUNCTIONS.items() if s in called),
        dimensions=max((_dimensions(program, function) for function in reached), default=1),
        column_major=column_major,
        interleaves_bits=interleaved,
        divergent_exits=divergent_exits,
        benefits_from_noalias=buffers > 1
        and any(map(program.has_phis, reached))
        and any(program.stores_to(function, _BUFFER_SPACE) for function in reached),
        may_block_progress=any(program.may_wait(function) for function in reached if function != name),
        instructions=text.count("\n"),
        own_instructions=instructions,
        loop_bounds=bounds,
    )


def _knows_more_than_x(program: ProgramText, name: str) -> bool:
    """Whether a kernel may use ids along y or z."""
    for symbol in program.called_by(name):
        function = WORK_ITEM_FUNCTIONS.get(symbol)
        if function is None or not (function.varying or function.name == "get_group_id"):
            continue
        if not function.takes_dimension:
            return True
        if any(dimension != 0 for dimension in program.dimensions_of(name, symbol)):
            return True
    return False


def _dimensions(program: ProgramText, name: str) -> int:
    """The number of dimensions in which a function queries ids or sizes; three if unknown."""
    found = 1
    for symbol in program.called_by(name):
        function = WORK_ITEM_FUNCTIONS.get(symbol)
        if function is not None and function.takes_dimension:
            asked = program.dimensions_of(name, symbol)
            found = max(found, *(d + 1 if d in (0, 1) else 3 for d in asked))
    return found


def _parsed(text: str, name: str, across: bool) -> tuple[bool, bool, tuple[bool, bool, bool], Bounds]:
    """Whether accesses are column-major, whether addresses interleave bits of ids, the dimensions along which
    loop exits diverge, if these are asked for (`across`), and how often loops run.

    A program builds even if the analysis fails: its launches get tiles along x.
    """
    column_major, interleaved, dimensions = False, False, 0
    try:
        module = ir.parse(text)
        function = module.function(name)
        if across:
            shape = shapes(function)
            for loop in loop_forest(function).loops:
                for block in loop.exiting:
                    dimensions |= shape.branch(block)
            column_major = has_column_major_access(function, shape)
            interleaved = interleaves_bits(function, shape)
        bounds = loop_bounds(function)
    except Exception as error:
        if settings.get("WEFT_VERIFY"):
            raise
        report(f"launches of kernel {name!r} may be slower than they need be", Fault.of(error))
        return False, False, _UNIFORM, _NO_BOUNDS
    keep(text, module)
    exits = bool(dimensions & X), bool(dimensions & Y), bool(dimensions & Z)
    return column_major, interleaved, exits, bounds
