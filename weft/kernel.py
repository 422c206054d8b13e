"""The compiler's description of a built kernel, as plain data."""

from collections.abc import Sequence
from math import prod

from weft import settings
from weft.dataclasses import dataclass, field, replace
from weft.errors import BudgetExceeded
from weft.frontend.metadata import KernelInfo
from weft.frontend.options import SUB_GROUPS, BuildOptions
from weft.records import NOT_STORED
from weft.target import Target

LocalSize = tuple[int, int, int]

# Maximum number of instructions of a kernel that is vectorized, and of a kernel with its functions that is
# optimized. They limit time and memory. Unlike a time limit, a count always gives the same code.
MOST_VECTORIZED = 20_000
MOST_OPTIMIZED = 400_000
# The number of rows of work-items that are jammed if they load the same data. Their sums stay in registers:
# with two vector registers for each row, four rows take eight.
ROWS_AT_ONCE = 4
# For tiles with fewer work-items, the cost of the call matters.
SHORT_ROW = 64
# The fewest work-items that read the same columns if loops run in strips. Fewer do not make up for what
# is stored between strips.
LEAST_REUSES = 8


@dataclass(frozen=True)
class CodeOptions:
    """What the build options and settings mean for code generation."""

    level: int
    method: str
    lanes: int = 0  # number of SIMD lanes, used wherever possible; 0: chosen by the cost model
    divergent: str = "auto"  # the strategy of divergent loops, see transform/simd/strategies.py
    profile: bool = False  # count iterations of divergent loops
    proofs: bool = True  # use proofs about addresses
    innermost: str = "auto"  # the dimension of the innermost work-item loop: auto, x, y or z
    unroll: int = 3  # maximum number of iterations of work-item loops that are unrolled
    baseline: bool = False  # compile for the baseline tier, see weft/tiers
    waits: bool = False  # the kernel calls functions in which work-items may wait for one another
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
        """Return the options for a kernel with some traits; raises BudgetExceeded if it is too large.

        Large kernels are not vectorized. Nor are kernels that call functions in which work-items may wait for
        one another, for example for locks: such a function must not run for one lane while other lanes make
        no progress.
        """
        options = self
        if not self.baseline and self.level > 0:
            if traits.instructions > MOST_OPTIMIZED:
                words = f"{traits.instructions} instructions exceed the limit of {MOST_OPTIMIZED}"
                raise BudgetExceeded(words)
            if traits.own_instructions > MOST_VECTORIZED:
                options = replace(options, method="loops", proofs=False)
        return replace(options, method="loops", waits=True) if traits.may_block_progress else options

    def vectorizes(self, traits: "KernelTraits") -> bool:
        """Whether the work-items of a kernel may run in SIMD lanes."""
        within = traits.own_instructions <= MOST_VECTORIZED and not traits.may_block_progress
        return within and self.method in ("auto", "simd")

    def baseline_tier(self) -> "CodeOptions":
        """Return the options for the baseline tier: plain loops, and as little work for LLVM as possible."""
        return replace(self, level=1, method="loops", proofs=False, unroll=0, baseline=True)


@dataclass(frozen=True)
class ArgumentLayout:
    """One kernel argument: the value that clSetKernelArg takes, and its slot in the argument block."""

    kind: str  # "value", "global", "constant", "local", "image", "sampler" or "pipe"
    size: int
    alignment: int
    offset: int
    by_reference: bool = False  # the kernel gets the address of the slot (structures)


@dataclass(frozen=True)
class LoopWork:
    """The instructions that a work-item runs in a loop: a fraction, times the values of some arguments."""

    factor: int
    divisor: int
    arguments: tuple[int, ...]

    def instructions(self, values: Sequence[int]) -> int:
        """Return the number, given the values of its arguments."""
        return self.factor * prod(max(1, value) for value in values) // self.divisor


@dataclass(frozen=True)
class KernelTraits:
    """Properties of a kernel on which decisions of launches depend; computed when its program is built."""

    shares_nothing: bool  # work-items share neither barriers nor local memory, nor wait for one another
    queries_group: bool  # it calls a work-item function whose result depends on the work-group
    dimensions: int  # the number of dimensions in which it queries ids or sizes, from 1 to 3
    column_major: bool  # it has an access that is contiguous along y and not along x
    rows_along_y: bool  # it has such accesses, none contiguous along x but not along y, and no loops
    interleaves_bits: bool  # it has an access whose address interleaves the bits of x and y
    reuses_rows: bool  # work-items that differ in y load the same data in inner loops
    shares_columns: bool  # work-items that differ in y read the same columns of memory in inner loops
    guards_columns: bool  # a guard keeps some work-items out of such a loop
    # Along x, y and z: whether work-items that differ in that dimension may leave a loop at different times.
    divergent_exits: tuple[bool, bool, bool]
    benefits_from_noalias: bool  # it may have loops that store, and several buffers
    may_block_progress: bool  # it calls functions in which work-items may wait for one another
    may_wait: bool  # it has a loop in which sub-groups may wait for one another, and must not block others
    instructions: int  # of the kernel and the functions it calls: lines of IR
    own_instructions: int  # of the kernel alone
    loop_work: tuple[LoopWork, ...]  # of loops that count up to arguments or constants


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
    sub_group_size: int  # work-items per sub-group; 0 if the kernel does not use sub-groups
    traits: KernelTraits
    # Definitions of built-ins by their keys; they are part of the program's binary and used only by it.
    brought: tuple[tuple[str, str], ...] = field(default=(), metadata=NOT_STORED)
    # The processor of the device that runs it; None: the host's.
    target: Target | None = field(default=None, metadata=NOT_STORED)

    @property
    def identity(self) -> tuple[str, ...]:
        """Return everything that determines what the kernel does, for cache keys."""
        target = () if self.target is None else (repr(self.target),)
        return (self.text, *(part for definition in self.brought for part in definition), *target)


@dataclass(frozen=True)
class CompiledProgram:
    """A program compiled up to the point where local sizes matter."""

    kernels: tuple[KernelCode, ...]
    log: str
    dependencies: tuple[tuple[str, str], ...]
    variables: str = ""
    """The module that defines its variables in global memory; empty if there are none."""
