"""The compilation unit: the state that passes share while a kernel becomes a work-group function."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from weft import abi
from weft.analysis.barrier_cfg import BarrierCFG, barrier_cfg
from weft.analysis.divergence import Divergence, divergence
from weft.analysis.kernel_variables import KernelVariables, kernel_variables
from weft.analysis.rough_divergence import rough_divergence
from weft.analysis.sub_group_size import sub_group_size, uses_sub_groups
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
    from weft.transform.simd.outcome import Outcome
    from weft.transform.workgroup.private_arrays_by_lane import LaneArray

else:
    why_no_vector_form = deferred("weft.transform.simd.kernel_legality", "why_no_vector_form")

_CALLED = lazy_pattern(r"\bcall [^@\n]*@(_Z\w+)\(")
# Eight-byte slots of an argument block, for work-group functions whose kernel no longer exists.
_SLOTS = range(0, 1024, 8)


@dataclass(frozen=True)
class Limits:
    """Code sizes, in instructions, above which passes refuse, by the names in `weft opt --limit`."""

    short_tail: int = SHORT_TAIL
    """The maximum size of a replicated tail (merge-tails)."""
    small_regions: int = SMALL
    """The size that all regions of a kernel together may always have (merge-barriers)."""
    inlined: int = MOST_INLINED
    """The most code that LLVM may inline from the library of built-ins (keep-calls)."""
    images: int = MOST_INLINED
    """The most image-function code to inline before vectorization (inline-image-functions)."""
    versions: int = MOST_VERSIONS
    """The most code that versions of loops may add to a kernel (vectorize-work-items)."""
    builtin: int = 0
    """The assumed size of each built-in; 0: its actual size."""


@dataclass
class CompilationUnit:
    """A kernel in its own module. Passes change `module` and `function` in place.

    `function` is the kernel, and after the pass work-group-function its work-group function.
    """

    kernel: str
    """The kernel's name, from which the names of its work-group function and other symbols are derived."""
    module: Module
    function: Function
    form: LaunchForm
    options: CodeOptions
    target: Target
    restricted: Mapping[int, bool]
    """The offsets of pointers to buffers in the argument block, and whether each is a `restrict` pointer."""
    functions: tuple[str, ...] = ()
    """The modules of functions that are not inlined."""
    private_bytes: int = 0
    """The private memory of a work-item, in bytes."""
    brought: Mapping[str, str] = field(default_factory=dict)
    """Definitions of built-ins that came with the program."""
    sub_group_size: int = 0
    """The size of sub-groups; 0 for kernels that do not use sub-groups, or no longer do."""
    independent: bool = False
    """Whether sub-groups may wait for one another, so that each must make progress."""
    limits: Limits = Limits()
    remarks: Remarks = SILENT

    built_together: tuple[Function, ...] = ()
    """During a build: the functions that passes process together."""

    # Results of passes for later passes and the code generator.
    has_marked_loops: bool = False
    """Whether LLVM should unroll loops at build time."""
    layout: ContextLayout | None = None
    inlines_images: bool = False
    """Whether image functions are inlined into the kernel."""
    sub_group_lanes: int = 0
    """The lanes of loops with operations across lanes; 0 if there are none."""
    outcomes: "Sequence[Outcome]" = ()
    arrays_by_lane: "Sequence[LaneArray]" = ()
    loops: "tuple[RecordedLoop, ...]" = ()
    requires_noalias: bool = False
    """Whether the code requires buffers that do not overlap."""
    jammed: tuple[int, int, int] = (1, 1, 1)
    """The number of work-items in each dimension that the kernel runs at once."""
    blocked: bool = False
    """Whether loops run in strips over all work-items."""
    block: abi.GroupBlock | None = None
    """The best order of groups."""
    llvm_failed: bool = False
    """Whether LLVM failed to vectorize the loops of a single work-item."""
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
        """Return a unit for compiling a kernel for a launch form.

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
        """Return a unit for a function of a module, at any point of the pipeline.

        Properties known only for built programs are assumed: no function stays a function, and no pointers to
        buffers are `restrict` pointers.
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
        """Return a unit for functions of a program during its build."""
        first, form = functions[0], LaunchForm(None)
        return cls("", module, first, form, options, target, {}, built_together=tuple(functions))

    @property
    def all_functions(self) -> tuple[Function, ...]:
        """The functions that passes process."""
        return self.built_together or (self.function,)

    @cached_property
    def rows_of_sub_groups(self) -> int | Reason:
        """The size of sub-groups, if their functions become operations across lanes; otherwise why not.

        Decided once, before sub-group functions are lowered.
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
        size = rows_of_sub_groups(known, self.sub_group_size)
        if isinstance(size, int) and options.lanes not in (0, size):
            return Reason(InMemory.LANES, lanes=options.lanes)
        if isinstance(size, Reason):
            return size
        assert known is not None
        if known[0] <= options.unroll:
            return Reason(InMemory.UNROLLED, most=options.unroll, row=known[0])
        refused = why_not_in_lanes(self.function, size, known, form.wide)
        if refused is not None:
            return refused
        refusal = why_no_vector_form(self.function, size, widen, self.target)
        return Reason(InMemory.NOT_VECTORIZED, refusal=refusal) if refusal is not None else size

    @property
    def iterations(self) -> abi.Extents | None:
        """The trip counts of the work-item loops in each dimension, as far as they are known."""
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
        """The divergence analysis; the coarser one for baseline code."""
        if self._divergence is None:
            if self.options.baseline:
                self._divergence = rough_divergence(self.function, self.form.largest)
            else:
                self._divergence = divergence(self.function, self.form.largest, self.form.wide)
        return self._divergence

    @divergence.setter
    def divergence(self, divergence: Divergence) -> None:
        self._divergence = divergence

    @property
    def regions(self) -> BarrierCFG:
        """The parallel regions between the barriers of the kernel."""
        if self._regions is None:
            self._regions = barrier_cfg(self.function)
        return self._regions

    @property
    def variables(self) -> KernelVariables:
        """The storage of values that are live across regions."""
        if self._variables is None:
            self._variables = kernel_variables(self.function, self.regions, self.divergence)
        return self._variables

    def forget_analyses(self) -> None:
        """Invalidate analyses: the function has changed."""
        self._divergence = self._regions = self._variables = None

    @property
    def llvm_vectorizes(self) -> bool:
        """Whether LLVM should vectorize the kernel's own loops: work-groups have a single work-item."""
        if self.llvm_failed or self.functions or not self.form.single_item:
            return False
        return bool(loop_forest(self.function).loops)

    @property
    def disjoint(self) -> dict[int, bool]:
        """The offsets of pointers to buffers in the argument block, and whether each buffer is disjoint."""
        return {place: self.form.noalias or restrict for place, restrict in self.restricted.items()}

    @cached_property
    def library(self) -> tuple[str, ...]:
        """The definitions of the built-ins that are called, once all passes that add calls have run."""
        called = dict.fromkeys(f.name or "" for f in self.module.functions if f.is_declaration and f.users)
        called |= dict.fromkeys(s for text in self.functions for s in _CALLED.findall(text))
        return link_in(called, self.target, builtin_flags(self.options), self.brought).modules

    @property
    def builtin_sizes(self) -> Mapping[str, int]:
        """The number of instructions of each called built-in."""
        if not self.limits.builtin:
            return instructions(self.library)
        declared = (f.name or "" for f in self.module.functions if f.is_declaration)
        return dict.fromkeys((name for name in declared if name.startswith("_Z")), self.limits.builtin)
