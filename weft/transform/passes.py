"""Every pass of the kernel compiler by its command-line name, with its contract.

A pass changes one function of a module, in the order of PASSES. Its contract is the forms it requires
and establishes (`weft/analysis/forms.py`); it keeps the others. The pipeline in `weft/compiler.py` calls
the functions of the passes directly, with `Contracts` as its checker; `weft opt` and the golden tests run
passes from this table.
"""

from collections.abc import Callable
from dataclasses import dataclass

from weft import abi
from weft.analysis.barrier_cfg import barrier_cfg
from weft.analysis.divergence import divergence
from weft.analysis.forms import (
    IMPLICIT_BARRIERS,
    ISOLATED_BARRIERS,
    LCSSA,
    LOCALS_AS_ARGUMENTS,
    LOWERED_GROUP_FUNCTIONS,
    WHOLE_GROUP,
    Form,
    check,
)
from weft.analysis.kernel_variables import kernel_variables
from weft.ir import Argument, Function, Module
from weft.ir.graph import post_order
from weft.ir.parser import parse_type
from weft.ir.types import PointerType, align_up, alignment_of, size_of
from weft.ir.verifier import verify
from weft.target import x86

from .canonical.ids_to_arguments import ids_to_arguments
from .canonical.isolate_barriers import isolate_barriers
from .simd.drop_masks import drop_masks
from .simd.guards_to_bounds import guards_to_bounds
from .simd.narrow_integers import narrow_integers
from .simd.pair_sines import pair_sines
from .simd.part_buffers import part_buffers
from .simd.recompute_behind_loops import recompute_behind_loops
from .simd.split_vectors import split_vectors
from .simd.store_aside import store_aside
from .simd.transpose_rows import transpose_rows
from .simd.vectorize_work_items import vectorize_work_items
from .simd.walk_rows import walk_rows
from .workgroup.forget_groups import forget_groups
from .workgroup.gather_barriers import gather_barriers
from .workgroup.guard_divisions import guard_divisions
from .workgroup.interchange_inner_loops import interchange_inner_loops
from .workgroup.keep_calls import keep_calls
from .workgroup.keep_only import keep_only
from .workgroup.locals_to_arguments import LOCAL_SPACE, local_layout, locals_to_arguments
from .workgroup.lower_group_functions import lower_group_functions
from .workgroup.lower_printf import lower_printf
from .workgroup.merge_tails import merge_tails
from .workgroup.order_accesses import order_accesses
from .workgroup.place_implicit_barriers import place_implicit_barriers
from .workgroup.private_arrays_by_lane import private_arrays_by_lane
from .workgroup.settle_inner_loops import settle_inner_loops
from .workgroup.work_group_function import Placement, work_group_function


@dataclass(frozen=True)
class PassOptions:
    """What passes may be told: the local size they may count on (None: any), the width of ids, SIMD lanes.

    `divergent` is the way of divergent loops; `proofs`: whether addresses are put to the prover.
    """

    local_size: tuple[int, int, int] | None = None
    wide: bool = False
    lanes: int = 8
    divergent: str = "auto"
    proofs: bool = True


@dataclass(frozen=True)
class Pass:
    """A pass: `apply` returns the function to go on with."""

    name: str
    summary: str
    apply: Callable[[Function, PassOptions], Function]
    requires: tuple[Form, ...] = ()
    establishes: tuple[Form, ...] = ()

    def check_before(self, function: Function) -> None:
        """Raises FormError unless the function is in the form the pass requires."""
        check(self.requires, function, f"{self.name} requires")

    def check_after(self, function: Function) -> None:
        """Raises FormError unless the function is in the form the pass establishes."""
        check(self.establishes, function, f"{self.name} promises")


def _ids_to_arguments(function: Function, options: PassOptions) -> Function:
    assert function.module is not None
    defined = [f for f in function.module.functions if not f.is_declaration]
    called = {f: [g for i in f.instructions() if (g := i.called_function) in defined] for f in defined}
    order = post_order([function], called.__getitem__)
    ids_to_arguments([f for f in order if f is not function], [function])
    return function


def _lower_printf(function: Function, options: PassOptions) -> Function:
    lower_printf(function)
    return function


def _lower_group_functions(function: Function, options: PassOptions) -> Function:
    lower_group_functions(function)
    return function


def _forget_groups(function: Function, options: PassOptions) -> Function:
    forget_groups(function, options.local_size or (1, 1, 1))
    return function


def _isolate_barriers(function: Function, options: PassOptions) -> Function:
    isolate_barriers(function)
    return function


def _locals_to_arguments(function: Function, options: PassOptions) -> Function:
    locals_to_arguments(function)
    return function


def _split_vectors(function: Function, options: PassOptions) -> Function:
    split_vectors(
        function, divergence(function), lambda symbol, lanes: None, x86.for_lanes(options.lanes).costs
    )
    return function


def _interchange_inner_loops(function: Function, options: PassOptions) -> Function:
    interchange_inner_loops(function, divergence(function), x86.for_lanes(options.lanes).costs)
    return function


def _place_implicit_barriers(function: Function, options: PassOptions) -> Function:
    place_implicit_barriers(function, divergence(function))
    return function


def _merge_tails(function: Function, options: PassOptions) -> Function:
    # Kernels in golden files are small; what is long and what explodes is reckoned by their measure.
    merge_tails(function, divergence(function), short=10)
    return function


def _gather_barriers(function: Function, options: PassOptions) -> Function:
    gather_barriers(function, divergence(function), small=0)
    return function


def _work_group_function(function: Function, options: PassOptions) -> Function:
    cfg = barrier_cfg(function)
    variables = kernel_variables(function, cfg, divergence(function))
    name = abi.work_group_symbol(function.name or "")
    made, _ = work_group_function(
        function, name, cfg, variables, placements(function), options.local_size, options.wide
    )
    return made


def _guards_to_bounds(function: Function, options: PassOptions) -> Function:
    guards_to_bounds(function)
    return function


def _narrow_integers(function: Function, options: PassOptions) -> Function:
    narrow_integers(function)
    return function


def _recompute_behind_loops(function: Function, options: PassOptions) -> Function:
    recompute_behind_loops(function)
    return function


def _private_arrays_by_lane(function: Function, options: PassOptions) -> Function:
    private_arrays_by_lane(function, options.lanes)
    return function


def _vectorize_work_items(function: Function, options: PassOptions) -> Function:
    # The built-in library, which knows the vector forms of its functions, is not a pass's to ask.
    forced = 0 if options.divergent == "auto" else options.lanes
    vectorize_work_items(
        function,
        x86.for_lanes(options.lanes),
        lambda symbol, lanes: None,
        forced,
        options.divergent,
        None,
        options.proofs,
    )
    return function


def _drop_masks(function: Function, options: PassOptions) -> Function:
    drop_masks(function)
    return function


def _transpose_rows(function: Function, options: PassOptions) -> Function:
    transpose_rows(function)
    return function


def _walk_rows(function: Function, options: PassOptions) -> Function:
    # As if no buffers of the launch overlapped.
    walk_rows(function, dict.fromkeys(range(0, 1024, 8), True), 4 * options.lanes)
    return function


def _pair_sines(function: Function, options: PassOptions) -> Function:
    pair_sines(function)
    return function


def _part_buffers(function: Function, options: PassOptions) -> Function:
    # As if no buffers of the launch overlapped: pointers take eight bytes each.
    part_buffers(function, dict.fromkeys(range(0, 1024, 8), True))
    return function


def _guard_divisions(function: Function, options: PassOptions) -> Function:
    guard_divisions(function)
    return function


def _order_accesses(function: Function, options: PassOptions) -> Function:
    order_accesses(function)
    return function


def _keep_calls(function: Function, options: PassOptions) -> Function:
    # As if each built-in had 100 instructions, and 400 could be inlined.
    module = function.module
    assert module is not None
    sizes = {f.name or "": 100 for f in module.functions if (f.name or "").startswith("_Z")}
    keep_calls([function], sizes, most=400)
    return function


def _store_aside(function: Function, options: PassOptions) -> Function:
    store_aside(function)
    return function


def _settle_inner_loops(function: Function, options: PassOptions) -> Function:
    settle_inner_loops(function)
    return function


def _keep_only(function: Function, options: PassOptions) -> Function:
    assert function.module is not None
    keep_only(function.module, function)
    return function


PASSES = {
    p.name: p
    for p in (
        Pass("ids-to-arguments", "passes ids to the functions that ask for them", _ids_to_arguments),
        Pass(
            "lower-printf", "replaces the values that are printed by scalars and their types", _lower_printf
        ),
        Pass(
            "lower-group-functions",
            "replaces copies, waits and collectives of a work-group by code between barriers",
            _lower_group_functions,
            establishes=(LOWERED_GROUP_FUNCTIONS,),
        ),
        Pass(
            "forget-groups",
            "computes local and group ids from global ids, so that a call can run work-items of many groups",
            _forget_groups,
        ),
        Pass(
            "isolate-barriers",
            "puts each barrier into a block of its own",
            _isolate_barriers,
            establishes=(ISOLATED_BARRIERS,),
        ),
        Pass(
            "locals-to-arguments",
            "turns automatic local variables into parameters",
            _locals_to_arguments,
            establishes=(LOCALS_AS_ARGUMENTS,),
        ),
        Pass(
            "split-vectors",
            "splits vectors that differ between work-items into their components, where it pays",
            _split_vectors,
        ),
        Pass(
            "interchange-inner-loops",
            "adds barriers to inner loops so that they run in lock step over all work-items, where it pays",
            _interchange_inner_loops,
            requires=(LCSSA, ISOLATED_BARRIERS),
            establishes=(ISOLATED_BARRIERS,),
        ),
        Pass(
            "place-implicit-barriers",
            "adds barriers at the entry, the exits and the branches that decide which barrier comes next",
            _place_implicit_barriers,
            requires=(ISOLATED_BARRIERS,),
            establishes=(ISOLATED_BARRIERS, IMPLICIT_BARRIERS),
        ),
        Pass(
            "merge-tails",
            "adds barriers in front of long code that comes behind several barriers",
            _merge_tails,
            requires=(ISOLATED_BARRIERS, IMPLICIT_BARRIERS),
            establishes=(ISOLATED_BARRIERS, IMPLICIT_BARRIERS),
        ),
        Pass(
            "gather-barriers",
            "makes barriers one where the code behind them would be copied too often",
            _gather_barriers,
            requires=(ISOLATED_BARRIERS, IMPLICIT_BARRIERS),
            establishes=(ISOLATED_BARRIERS, IMPLICIT_BARRIERS),
        ),
        Pass(
            "work-group-function",
            "adds the function that runs a work-group: loops over the work-items for each parallel region",
            _work_group_function,
            requires=(ISOLATED_BARRIERS, LOCALS_AS_ARGUMENTS, IMPLICIT_BARRIERS),
            establishes=(WHOLE_GROUP,),
        ),
        Pass(
            "keep-only",
            "removes all other functions and what only they needed",
            _keep_only,
            requires=(WHOLE_GROUP,),
            establishes=(WHOLE_GROUP,),
        ),
        Pass(
            "drop-masks",
            "removes masks of numbers that have no other bits, so that ids stay linear",
            _drop_masks,
            requires=(WHOLE_GROUP,),
            establishes=(WHOLE_GROUP,),
        ),
        Pass(
            "guards-to-bounds",
            "turns conditions that only a range of work-items fulfils into bounds of the work-item loops",
            _guards_to_bounds,
            requires=(WHOLE_GROUP,),
            establishes=(WHOLE_GROUP,),
        ),
        Pass(
            "narrow-integers",
            "computes in loops with 16 bits what needs no more of 32",
            _narrow_integers,
            requires=(WHOLE_GROUP,),
            establishes=(WHOLE_GROUP,),
        ),
        Pass(
            "recompute-behind-loops",
            "computes again behind loops what is the same in each iteration",
            _recompute_behind_loops,
            requires=(WHOLE_GROUP,),
            establishes=(WHOLE_GROUP,),
        ),
        Pass(
            "private-arrays-by-lane",
            "gives private arrays a column for each SIMD lane",
            _private_arrays_by_lane,
            requires=(WHOLE_GROUP,),
            establishes=(WHOLE_GROUP,),
        ),
        Pass(
            "vectorize-work-items",
            "runs the work-item loops that hold other loops with one work-item per SIMD lane",
            _vectorize_work_items,
            requires=(WHOLE_GROUP,),
            establishes=(WHOLE_GROUP,),
        ),
        Pass(
            "transpose-rows",
            "loads and stores what lanes find in rows by whole rows, and transposes them",
            _transpose_rows,
            requires=(WHOLE_GROUP,),
            establishes=(WHOLE_GROUP,),
        ),
        Pass(
            "walk-rows",
            "loads and stores pieces of the rows that lanes walk along, and transposes them",
            _walk_rows,
            requires=(WHOLE_GROUP,),
            establishes=(WHOLE_GROUP,),
        ),
        Pass("pair-sines", "computes the sine and the cosine of an angle together", _pair_sines),
        Pass(
            "part-buffers",
            "tells LLVM in which loops accesses by different arguments do not meet",
            _part_buffers,
            requires=(WHOLE_GROUP,),
            establishes=(WHOLE_GROUP,),
        ),
        Pass("guard-divisions", "keeps divisions of integers from stopping the process", _guard_divisions),
        Pass(
            "order-accesses",
            "has LLVM respect the order of a work-item's accesses to the same memory",
            _order_accesses,
            requires=(WHOLE_GROUP,),
            establishes=(WHOLE_GROUP,),
        ),
        Pass("keep-calls", "has LLVM inline no more of the library than pays", _keep_calls),
        Pass(
            "store-aside",
            "keeps loops that run one work-item at a time from branching on what they look up",
            _store_aside,
            requires=(WHOLE_GROUP,),
            establishes=(WHOLE_GROUP,),
        ),
        Pass(
            "settle-inner-loops",
            "tells LLVM's loop vectorizer to leave the kernel's own loops alone",
            _settle_inner_loops,
            requires=(WHOLE_GROUP,),
            establishes=(WHOLE_GROUP,),
        ),
    )
}


class Contracts:
    """Verifies the IR around the passes of one kernel, and their contracts."""

    def __init__(self, kernel: str) -> None:
        self._kernel = kernel

    def before(self, step: str, module: Module) -> None:
        """Raises FormError if the step is a pass and may not run yet."""
        function = self._function(module)
        if step in PASSES and function is not None:
            PASSES[step].check_before(function)

    def after(self, step: str, module: Module) -> None:
        """Raises VerificationError if the module is broken, FormError if the pass broke its promise."""
        verify(module)
        function = self._function(module)
        if step in PASSES and function is not None:
            PASSES[step].check_after(function)

    def _function(self, module: Module) -> Function | None:
        """What the passes work on: the kernel, later its work-group function."""
        found = module.globals.get(abi.work_group_symbol(self._kernel)) or module.globals.get(self._kernel)
        return found if isinstance(found, Function) else None


def placements(function: Function) -> dict[Argument, Placement]:
    """Where a work-group function finds the parameters of a kernel, from its types alone.

    Values and pointers follow one another in the argument block; a parameter that bears the name of an
    automatic local variable is that variable, and lies in the local arena.
    """
    module = function.module
    assert module is not None
    names = {a.name for a in function.arguments}
    automatic = [v for v in module.variables if _space(v.type) == LOCAL_SPACE and v.name in names]
    offsets = {v.name: offset for v, offset in local_layout(automatic)[0].items()}
    found: dict[Argument, Placement] = {}
    end = 0
    for argument in function.arguments:
        if argument.name in offsets:
            found[argument] = Placement("automatic", offsets[argument.name])
            continue
        kind, type = "value", argument.type
        for attribute in argument.attributes:
            if attribute.startswith("byval("):
                kind, type = "byval", parse_type(attribute[len("byval(") : -1], module)
        if _space(type) == LOCAL_SPACE:
            kind = "local"
        start = align_up(end, max(alignment_of(type), abi.ARGUMENT_ALIGNMENT))
        found[argument] = Placement(kind, start)
        end = start + size_of(type)
    return found


def _space(type: object) -> int:
    return type.space if isinstance(type, PointerType) else 0
