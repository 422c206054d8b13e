"""Compute the traits of a kernel at build time (`KernelTraits`), which launches use for their decisions.

Most traits are read from the text of the program. The divergence of accesses and loop exits needs the shape
analysis, which matters only to kernels whose work-items share nothing and that use ids along y or z. Trip
counts matter only to kernels with loops. Only these are parsed here; the parsed module is kept for the first
launch.
"""

from collections.abc import Sequence

from weft import ir, settings
from weft.analysis.bit_interleaving import interleaves_bits
from weft.analysis.column_major import Major, access_order
from weft.analysis.column_reuse import guards_columns, shares_columns
from weft.analysis.loop_work import loop_work
from weft.analysis.row_reuse import RowReuse, row_reuse
from weft.analysis.shape import X, Y, Z
from weft.analysis.shapes import shapes
from weft.analysis.work_items import GROUP_QUERIES, WORK_ITEM_FUNCTIONS
from weft.codegen.program_text import ProgramText
from weft.dataclasses import dataclass
from weft.faults import Fault, report
from weft.functions import kernel_and_functions
from weft.ir.kept import keep
from weft.ir.loops import loop_forest
from weft.kernel import MOST_VECTORIZED, ArgumentLayout, KernelTraits, LoopWork

_BUFFERS = ("global", "constant")
_BUFFER_SPACE = 1


@dataclass(frozen=True)
class _Parsed:
    """The traits that require a parsed kernel. By default, accesses suit rows along x."""

    major: Major = Major.NONE
    interleaves_bits: bool = False
    reuses_rows: bool = False
    shares_columns: bool = False
    guards_columns: bool = False
    has_loops: bool = False
    divergent_exits: tuple[bool, bool, bool] = (False, False, False)
    loop_work: tuple[LoopWork, ...] = ()


def kernel_traits(
    program: ProgramText,
    name: str,
    text: str,
    arguments: Sequence[ArgumentLayout],
    shares_nothing: bool,
    may_wait: bool,
) -> KernelTraits:
    """Return the traits of a kernel of a program; `text` is the module that has only this kernel."""
    reached = program.reached_from([name])
    called = {symbol for function in reached for symbol in program.called_by(function)}
    buffers = sum(a.kind in _BUFFERS for a in arguments)
    own, _ = kernel_and_functions(text, name)
    parsed = _Parsed()
    instructions = own.count("\n")
    if instructions <= MOST_VECTORIZED:
        across = shares_nothing and _knows_more_than_x(program, name)
        if across or " = phi i" in own:
            parsed = _parsed(own, name, across)
    return KernelTraits(
        shares_nothing=shares_nothing,
        queries_group=any(f.name in GROUP_QUERIES for s, f in WORK_ITEM_FUNCTIONS.items() if s in called),
        dimensions=max((_dimensions(program, function) for function in reached), default=1),
        column_major=parsed.major in (Major.COLUMN, Major.BOTH),
        rows_along_y=parsed.major is Major.COLUMN and not parsed.has_loops,
        interleaves_bits=parsed.interleaves_bits,
        reuses_rows=parsed.reuses_rows,
        shares_columns=parsed.shares_columns,
        guards_columns=parsed.guards_columns,
        divergent_exits=parsed.divergent_exits,
        benefits_from_noalias=buffers > 1
        and any(map(program.has_phis, reached))
        and any(program.stores_to(function, _BUFFER_SPACE) for function in reached),
        may_block_progress=any(program.may_wait(function) for function in reached if function != name),
        may_wait=may_wait,
        instructions=text.count("\n"),
        own_instructions=instructions,
        loop_work=parsed.loop_work,
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
    """Return the number of dimensions in which a function queries ids or sizes; three if unknown."""
    found = 1
    for symbol in program.called_by(name):
        function = WORK_ITEM_FUNCTIONS.get(symbol)
        if function is not None and function.takes_dimension:
            asked = program.dimensions_of(name, symbol)
            found = max(found, *(d + 1 if d in (0, 1) else 3 for d in asked))
    return found


def _parsed(text: str, name: str, across: bool) -> _Parsed:
    """Compute the traits that require a parsed kernel, including those for y and z if they matter (`across`).

    If the analysis fails, the program still builds; its launches get tiles along x.
    """
    major, interleaved, dimensions = Major.NONE, False, 0
    rows, columns, guarded = False, False, False
    try:
        module = ir.parse(text)
        function = module.function(name)
        loops = loop_forest(function).loops
        if across:
            shape = shapes(function)
            for loop in loops:
                for block in loop.exiting:
                    dimensions |= shape.branch(block)
            major = access_order(function, shape)
            interleaved = interleaves_bits(function, shape)
            rows = isinstance(row_reuse(function, along=1, lanes=0), RowReuse)
            columns = shares_columns(function, shape, axis=1)
            guarded = columns and guards_columns(function, shape, axis=1)
        work = tuple(LoopWork(*times) for times in loop_work(function))
    except Exception as error:
        if settings.get("WEFT_VERIFY"):
            raise
        report(f"launches of kernel {name!r} may be slower than they need be", Fault.of(error))
        return _Parsed()
    keep(text, module)
    exits = bool(dimensions & X), bool(dimensions & Y), bool(dimensions & Z)
    return _Parsed(major, interleaved, rows, columns, guarded, bool(loops), exits, work)
