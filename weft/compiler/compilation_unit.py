"""The compilation unit: the state that passes share while a kernel becomes a work-group function."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from weft import abi
from weft.analysis.barrier_cfg import BarrierCFG, barrier_cfg
from weft.analysis.divergence import Divergence, divergence
from weft.analysis.kernel_variables import KernelVariables, kernel_variables
from weft.analysis.rough_divergence import rough_divergence
from weft.analysis.sub_group_functions import sub_group_size, uses_sub_groups
from weft.analysis.waiting_loops import waiting_loops
from weft.builtins.library import instructions, link_in
from weft.builtins.widen import widen
from weft.dataclasses import dataclass, field
from weft.deferred import deferred
from weft.functions import kernel_and_functions
from weft.ir import Function, Module
from weft.ir.kept import take
from weft.ir.loops import loop_forest
from weft.kernel import CodeOptions, KernelCode
from weft.launch_form import LaunchForm
from weft.lazy_pattern import lazy_pattern
from weft.remarks import SILENT, Reason, Remarks
from weft.target import Target
from weft.transform.cost_model.code_size import MOST_VERSIONS
from weft.transform.workgroup.context_arrays import ContextLayout
from weft.transform.workgroup.keep_calls import MOST_INLINED
from weft.transform.workgroup.merge_barriers import SMALL
from weft.transform.workgroup.merge_tails import SHORT_TAIL
from weft.transform.workgroup.sub_groups_to_lanes import InMemory, rows_of_sub_groups, why_not_in_lanes

from .builtin_flags import builtin_flags

if TYPE_CHECKING:
    from weft.transform.simd.kernel_legality import why_no_vector_form
    from weft.transform.simd.loop_records import RecordedLoop
    from weft.transform.simd.vectorize_work_items import Outcome
    from weft.transform.workgroup.private_arrays_by_lane import LaneArray

else:
    why_no_vector_form = deferred("weft.transform.simd.kernel_legality", "why_no_vector_form")

_CALLED = lazy_pattern(r"\bcall [^@\n]*@(_Z\w+)\(")
# Eight-byte slots of an argument block, for work-group functions whose kernel is not there any more.
_SLOTS = range(0, 1024, 8)


@dataclass(frozen=True)
class Limits:
    """From how many instructions on passes find code too long, by the names that `weft opt --limit` takes."""

    short_tail: int = SHORT_TAIL
    """The maximum size of a replicated tail (merge-tails)."""
    small_regions: int = SMALL
    """What all regions of a kernel together may have in any case (merge-barriers)."""
    inlined: int = MOST_INLINED
    """What LLVM may inline of the library of built-ins (keep-calls)."""
    images: int = MOST_INLINED
    """What is inlined of image functions before work-items become lanes (inline-image-functions)."""
    versions: int = MOST_VERSIONS
    """What code that is there several times may add to a kernel (vectorize-work-items)."""
    builtin: int = 0
    """What each built-in has; 0: as many as it has."""


@dataclass
class CompilationUnit:
    """A kernel in a module of its own. Passes change `module` and `function` in place.

    `function` is the kernel, and from the pass work-group-function on its work-group function.
    """

    kernel: str
    """The kernel's name, which its work-group function and other symbols are derived from."""
    module: Module
    function: Function
    form: LaunchForm
    options: CodeOptions
    target: Target
    restricted: Mapping[int, bool]
    """The places of pointers to buffers in the argument block, and which are `restrict` pointers."""
    functions: tuple[str, ...] = ()
    """The modules of functions that stay functions."""
    private_bytes: int = 0
    """The private memory of a work-item."""
    brought: Mapping[str, str] = field(default_factory=dict)
    """Definitions of built-ins that came with the program."""
    sub_group_size: int = 0
    """The work-items of a sub-group; 0 for kernels that do nothing with sub-groups, or no longer do."""
    independent: bool = False
    """Whether sub-groups may wait for one another, so that each must make progress."""
    limits: Limits = Limits()
    remarks: Remarks = SILENT

    built_together: tuple[Function, ...] = ()
    """While a program is built: the functions that passes work on, all at once."""

    # What passes leave to later ones and to the code generator.
    has_marked_loops: bool = False
    """Whether LLVM is to unroll loops at build time."""
    layout: ContextLayout | None = None
    inlines_images: bool = False
    """Whether image functions are part of the kernel."""
    sub_group_lanes: int = 0
    """The lanes of loops with operations across lanes; 0 without such."""
    outcomes: "Sequence[Outcome]" = ()
    arrays_by_lane: "Sequence[LaneArray]" = ()
    loops: "tuple[RecordedLoop, ...]" = ()
    requires_noalias: bool = False
    """Whether the code is wrong for buffers that overlap."""
    jammed: tuple[int, int, int] = (1, 1, 1)
    """The work-items that the kernel runs at once in each dimension."""
    block: abi.GroupBlock | None = None
    """The order in which groups are best run."""
    llvm_failed: bool = False
    """Whether LLVM could not vectorize the loops of a single work-item."""
    _divergence: Divergence | None = None
    _regions: BarrierCFG | None = None
    _variables: KernelVariables | None = None

    @classmethod
    def of_kernel(
        cls,
        kernel: KernelCode,
        options: CodeOptions,
        form: LaunchForm,
        target: Target,
        remarks: Remarks = SILENT,
    ) -> "CompilationUnit":
        """A kernel that is to be compiled for a form of launches.

        Raises BudgetExceeded if it is too large to be optimized.
        """
        name = kernel.info.name
        text, functions = kernel_and_functions(kernel.text, name)
        options = options.for_kernel(kernel.traits)
        module = take(text)
        function = module.function(name)
        remarks.attach(function, text)
        arguments = zip(kernel.arguments, function.arguments, strict=False)
        size, waits = kernel.sub_group_size, kernel.traits.may_wait
        independent = waits and form.may_exceed(size)
        if waits and not independent and not uses_sub_groups(function):
            size = 0
        return cls(
            kernel=name,
            module=module,
            function=function,
            form=form,
            options=options,
            target=target,
            restricted={
                a.offset: "noalias" in p.attributes for a, p in arguments if a.kind in ("global", "constant")
            },
            functions=functions,
            private_bytes=kernel.private_bytes,
            brought=dict(kernel.brought),
            sub_group_size=size,
            independent=independent,
            remarks=remarks,
        )

    @classmethod
    def of_function(
        cls, function: Function, options: CodeOptions, form: LaunchForm, target: Target
    ) -> "CompilationUnit":
        """A function of a module, at any point of the pipeline.

        What only a built program knows is assumed: no function stays a function, and no pointers to buffers
        are `restrict` pointers.
        """
        assert function.module is not None
        name = (function.name or "").removeprefix(abi.work_group_symbol(""))
        buffers = dict.fromkeys(_SLOTS, False)
        size = sub_group_size(function)
        is_kernel = "spir_kernel" in function.prefix
        independent = is_kernel and form.may_exceed(size or abi.DEFAULT_SUB_GROUP_SIZE)
        independent = independent and options.progress and bool(waiting_loops(function))
        if independent:
            size = size or abi.DEFAULT_SUB_GROUP_SIZE
        return cls(
            *(name, function.module, function, form, options, target, buffers),
            sub_group_size=size,
            independent=independent,
        )

    @classmethod
    def of_functions(
        cls, module: Module, functions: Sequence[Function], options: CodeOptions, target: Target
    ) -> "CompilationUnit":
        """Functions of a program that is being built."""
        first, form = functions[0], LaunchForm(None)
        return cls("", module, first, form, options, target, {}, built_together=tuple(functions))

    @property
    def all_functions(self) -> tuple[Function, ...]:
        """The functions that passes work on."""
        return self.built_together or (self.function,)

    @cached_property
    def rows_of_sub_groups(self) -> int | Reason:
        """The work-items of each sub-group, if its functions are operations across lanes; or why not.

        Decided once, before the functions of sub-groups are lowered.
        """
        if self.independent:
            return Reason(InMemory.WAITS)
        options = self.options
        if options.method not in ("auto", "simd"):
            return Reason(InMemory.METHOD, method=options.method)
        if options.innermost not in ("auto", "x"):
            return Reason(InMemory.INNERMOST, dimension=options.innermost)
        form = self.form
        known = form.local_size if form.tile is None and not form.non_uniform else None
        found = rows_of_sub_groups(known, self.sub_group_size)
        if isinstance(found, int) and options.lanes not in (0, found):
            return Reason(InMemory.LANES, lanes=options.lanes)
        if isinstance(found, Reason):
            return found
        assert known is not None
        if known[0] <= options.unroll:
            return Reason(InMemory.UNROLLED, most=options.unroll, row=known[0])
        refused = why_not_in_lanes(self.function, found, known, form.wide)
        if refused is not None:
            return refused
        refusal = why_no_vector_form(self.function, found, widen, self.target)
        return Reason(InMemory.NOT_VECTORIZED, refusal=refusal) if refusal is not None else found

    @property
    def iterations(self) -> abi.Extents | None:
        """How often the work-item loops run in each dimension, as far as that is known."""
        if self.form.extents is None:
            return None
        x, y, z = (
            None if n is None else n // at_once
            for n, at_once in zip(self.form.extents, self.jammed, strict=True)
        )
        return x, y, z

    @property
    def lanes(self) -> int:
        """The 32-bit lanes of a vector register."""
        return self.target.lanes(32)

    @property
    def divergence(self) -> Divergence:
        """What differs between work-items; a rough answer for code that is soon replaced."""
        if self._divergence is None:
            if self.options.baseline:
                self._divergence = rough_divergence(self.function, self.form.largest)
            else:
                self._divergence = divergence(self.function, self.form.largest, self.form.wide)
        return self._divergence

    @divergence.setter
    def divergence(self, found: Divergence) -> None:
        self._divergence = found

    @property
    def regions(self) -> BarrierCFG:
        """The parallel regions between the barriers of the kernel."""
        if self._regions is None:
            self._regions = barrier_cfg(self.function)
        return self._regions

    @property
    def variables(self) -> KernelVariables:
        """How values that live across regions are kept."""
        if self._variables is None:
            self._variables = kernel_variables(self.function, self.regions, self.divergence)
        return self._variables

    def forget_analyses(self) -> None:
        """Invalidate analyses: the function has changed."""
        self._divergence = self._regions = self._variables = None

    @property
    def llvm_vectorizes(self) -> bool:
        """Whether LLVM is to vectorize the kernel's own loops: work-groups have a single work-item."""
        if self.llvm_failed or self.functions or not self.form.single_item:
            return False
        return bool(loop_forest(self.function).loops)

    @property
    def disjoint(self) -> dict[int, bool]:
        """The places of pointers to buffers in the argument block, and which meet no other buffer."""
        return {place: self.form.noalias or restrict for place, restrict in self.restricted.items()}

    @cached_property
    def library(self) -> tuple[str, ...]:
        """The definitions of the built-ins that are called, once all passes that add calls have run."""
        called = dict.fromkeys(f.name or "" for f in self.module.functions if f.is_declaration and f.users)
        called |= dict.fromkeys(s for text in self.functions for s in _CALLED.findall(text))
        return link_in(called, self.target, builtin_flags(self.options), self.brought).modules

    @property
    def builtin_sizes(self) -> Mapping[str, int]:
        """How many instructions the built-ins have that are called."""
        if not self.limits.builtin:
            return instructions(self.library)
        declared = (f.name or "" for f in self.module.functions if f.is_declaration)
        return dict.fromkeys((name for name in declared if name.startswith("_Z")), self.limits.builtin)
