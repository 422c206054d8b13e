"""The compiler's description of a built kernel, as plain data."""

from weft import settings
from weft.dataclasses import dataclass, field, replace
from weft.errors import BudgetExceeded
from weft.frontend.metadata import KernelInfo
from weft.frontend.options import SUB_GROUPS, BuildOptions
from weft.records import NOT_STORED
from weft.target import Target

LocalSize = tuple[int, int, int]

# Instructions of a kernel up to which its work-items run in lanes, and of a kernel with its functions up to
# which it is optimized. They bound time and memory; a count, unlike a clock, always gives the same code.
MOST_VECTORIZED = 20_000
MOST_OPTIMIZED = 400_000
# Rows of work-items that run at once where they load the same data. Their sums stay in registers: with two
# registers of lanes for each, four take eight.
ROWS_AT_ONCE = 4


@dataclass(frozen=True)
class CodeOptions:
    """What the build options and settings mean for code generation."""

    level: int
    method: str
    lanes: int = 0  # so many work-items side by side wherever possible; 0: as the cost model says
    divergent: str = "auto"  # the strategy of divergent loops, see transform/simd/strategies.py
    profile: bool = False  # iterations of divergent loops are counted
    proofs: bool = True  # what can be proved of addresses is used
    innermost: str = "auto"  # the dimension of the innermost work-item loop: auto, x, y or z
    unroll: int = 3  # work-item loops of up to so many iterations are unrolled
    baseline: bool = False  # the tier of the first launches: see weft/tiers
    waits: bool = False  # functions are called in which work-items may wait for one another
    progress: bool = True  # sub-groups make progress independently of each other
    fast_relaxed_math: bool = False
    finite_math_only: bool = False
    denorms_are_zero: bool = False
    correctly_rounded_divide_sqrt: bool = False

    @classmethod
    def of(cls, options: BuildOptions) -> "CodeOptions":
        """Return the code options of a build with `options`."""
        return cls(
            level=0 if options.opt_disable else settings.get("WEFT_OPT_LEVEL"),
            method="loops" if options.opt_disable else settings.get("WEFT_WORKGROUP"),
            lanes=0 if options.opt_disable else settings.get("WEFT_LANES"),
            divergent=settings.get("WEFT_DIVERGENT"),
            profile=settings.get("WEFT_PROFILE"),
            proofs=settings.get("WEFT_PROOFS"),
            innermost=settings.get("WEFT_INNERMOST"),
            unroll=settings.get("WEFT_UNROLL"),
            progress=not options.no_sub_group_progress and SUB_GROUPS not in options.without,
            fast_relaxed_math=options.fast_relaxed_math,
            finite_math_only=options.finite_math_only,
            denorms_are_zero=options.denorms_are_zero,
            correctly_rounded_divide_sqrt=options.correctly_rounded_divide_sqrt,
        )

    def for_kernel(self, traits: "KernelTraits") -> "CodeOptions":
        """For a kernel with certain traits; raises BudgetExceeded if it is too large to be optimized.

        In large kernels, and in those that call functions in which work-items may wait for one another, as
        for locks, work-items do not run in SIMD lanes: such a function must not be run for one lane while
        others stand still.
        """
        made = self
        if not self.baseline and self.level > 0:
            if traits.instructions > MOST_OPTIMIZED:
                words = f"{traits.instructions} instructions exceed the limit of {MOST_OPTIMIZED}"
                raise BudgetExceeded(words)
            if traits.own_instructions > MOST_VECTORIZED:
                made = replace(made, method="loops", proofs=False)
        return replace(made, method="loops", waits=True) if traits.may_block_progress else made

    def vectorizes(self, traits: "KernelTraits") -> bool:
        """Whether the work-items of a kernel may run in SIMD lanes."""
        within = traits.own_instructions <= MOST_VECTORIZED and not traits.may_block_progress
        return within and self.method in ("auto", "simd")

    def baseline_tier(self) -> "CodeOptions":
        """For the baseline tier: plain loops, and as little work for LLVM as possible."""
        return replace(self, level=1, method="loops", proofs=False, unroll=0, baseline=True)


@dataclass(frozen=True)
class ArgumentLayout:
    """One kernel argument: what clSetKernelArg takes, and its slot in the argument block."""

    kind: str  # "value", "global", "constant", "local", "image", "sampler" or "pipe"
    size: int
    alignment: int
    offset: int
    by_reference: bool = False  # the kernel gets the slot's address (structures)


@dataclass(frozen=True)
class KernelTraits:
    """What a kernel is like, as far as launches decide by it: found once, when its program is built."""

    shares_nothing: bool  # work-items share neither barriers nor local memory, nor wait for one another
    asks_for_group: bool  # it calls a work-item function that tells of its work-group
    dimensions: int  # the highest dimension that it asks for an id or a size in, from 1 to 3
    column_major: bool  # it has an access that is contiguous along y and not along x
    rows_along_y: bool  # it has such accesses, none that is contiguous along x and not along y, and no loops
    interleaves_bits: bool  # it has an access whose address interleaves the bits of x and y
    reuses_rows: bool  # work-items that differ in y load the same in inner loops
    # Along x, y and z: whether work-items that differ in that dimension may leave a loop at different times.
    divergent_exits: tuple[bool, bool, bool]
    benefits_from_noalias: bool  # it may have loops that store, and several buffers
    may_block_progress: bool  # it calls functions in which work-items may wait for one another
    may_wait: bool  # it has a loop in which sub-groups may wait for one another, and must not block others
    instructions: int  # of the kernel and the functions it calls: lines of IR
    own_instructions: int  # of the kernel alone
    # Of each innermost loop, how often it runs with those around it: a number of times, and that times the
    # values of the arguments of these numbers.
    loop_bounds: tuple[tuple[int, tuple[int, ...]], ...]


@dataclass(frozen=True)
class KernelCode:
    """A kernel after the build-time part of its compilation."""

    info: KernelInfo
    text: str  # canonical IR of a module with this kernel alone
    arguments: tuple[ArgumentLayout, ...]
    local_bytes: int
    private_bytes: int
    builtins: tuple[str, ...]  # mangled names of the built-ins it calls
    uses_barrier: bool
    sub_group_size: int  # the work-items of a sub-group; 0 if it does nothing with sub-groups
    traits: KernelTraits
    # Definitions of built-ins by their keys, which came with the program and belong to it alone.
    brought: tuple[tuple[str, str], ...] = field(default=(), metadata=NOT_STORED)
    # The processor of the device that runs it; None: the host's.
    target: Target | None = field(default=None, metadata=NOT_STORED)

    @property
    def identity(self) -> tuple[str, ...]:
        """All that decides what the kernel does, for cache keys."""
        target = () if self.target is None else (repr(self.target),)
        return (self.text, *(part for definition in self.brought for part in definition), *target)


@dataclass(frozen=True)
class CompiledProgram:
    """A program up to the point where local sizes matter."""

    kernels: tuple[KernelCode, ...]
    log: str
    dependencies: tuple[tuple[str, str], ...]
    variables: str = ""
    """The module that defines its variables in global memory; empty if there are none."""
