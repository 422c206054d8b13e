"""The code of a kernel in one form, from its first launch on: a state machine (diagram in docs/tiers.md).

A form starts in baseline code, which compiles quickly. Another process compiles the optimized code, which
then takes over. If something fails, launches run the code that exists.
"""

import ctypes
from collections.abc import Sequence
from enum import Enum
from threading import Condition

from weft import settings
from weft.abi import TIER_BETTER, TIER_CLOCK
from weft.codegen.cache import default_cache, digest
from weft.codegen.host import known_host_target
from weft.compile_server.client import compile_form
from weft.compile_server.messages import Request
from weft.dataclasses import dataclass, replace
from weft.errors import OptimizationFailed
from weft.faults import Fault, interrupt_in, report, suppressed_faults
from weft.frontend.clang import available as clang_available
from weft.group_code import WorkGroupFunction, load_form
from weft.kernel import CodeOptions, KernelCode
from weft.launch_form import LaunchForm
from weft.locks import new_lock
from weft.tiers.background import background, possible
from weft.toolchain import toolchain_key

# Instructions of a launch for each thread. A launch with more takes longer in baseline code than compiling
# optimized code does: an instruction takes 0.03 to 0.2 ns, so 0.015 to 0.1 s.
MOST_BASELINE_WORK = 500_000_000
# How much longer baseline code of a kernel that accesses images takes than its number of instructions
# suggests: image functions for all formats are calls of some hundred instructions.
GENERIC_IMAGES = 10
# Launches with at least this many work-items request optimized code before they compile baseline code.
MANY_ITEMS = 2048


class State(Enum):
    """The code that launches of a form run."""

    EMPTY = "nothing was compiled yet"
    BASELINE = "baseline code; nobody compiles optimized code"
    COMPILING = "baseline code; optimized code is being compiled elsewhere, or waits for that"
    OPTIMIZED = "optimized code, for good"
    BASELINE_ONLY = "baseline code, for good: optimizing failed, or would cost too much"
    FAILED = "nothing: the fault of the optimizing tier is an error on request"
    UNAVAILABLE = "nothing: not even baseline code of this form can be compiled, so launches use another form"


SETTLED = frozenset((State.OPTIMIZED, State.BASELINE_ONLY))
WITHOUT_CODE = frozenset((State.EMPTY, State.UNAVAILABLE))


@dataclass(frozen=True)
class LaunchContext:
    """The launch for which code is requested: its work-items, and the number of waits of the host before it.

    `in_loops`: the instructions that a work-item runs in loops, as far as arguments determine them.
    `threads`: how many threads run work-groups. `is_passing`: later launches will need other code, so code
    for this one is not optimized.
    """

    waits: int = 0
    items: int = 0
    in_loops: int = 0
    threads: int = 1
    is_passing: bool = False


class TieredKernel:
    """The common part of a kernel's forms: compilation, cache, and reports."""

    def __init__(self, code: KernelCode, options: CodeOptions) -> None:
        self.code = code
        self.options = options
        self.lock = new_lock()
        self.changed = Condition(self.lock)
        """Signals that a form has left the state COMPILING."""
        self.is_costly = False
        """The optimization exceeds its budget, in every form."""
        self._reported = False

    @property
    def name(self) -> str:
        return self.code.info.name

    def key(self, form: LaunchForm, options: CodeOptions) -> str:
        """Return the cache key of the code of a form."""
        return digest("work group", toolchain_key(), *self.code.identity, repr((form, options)))

    def load_optimized(self, form: LaunchForm) -> WorkGroupFunction | None:
        """Return the optimized code of a form if the cache has it, else None."""
        data = None if _is_watched() else default_cache().get(self.key(form, self.options))
        if data is not None:
            with suppressed_faults():  # an entry that is no code counts as none
                return load_form(self.code, data)
        return None

    def keep_optimized(self, form: LaunchForm, data: bytes) -> None:
        """Store optimized code in the cache."""
        default_cache().put(self.key(form, self.options), data)

    def load_baseline(self, form: LaunchForm) -> WorkGroupFunction:
        """Return the baseline code of a form, from the cache or newly compiled: for all image formats."""
        options, store = self.options.baseline_tier(), default_cache()
        form = replace(form, known=())
        key = self.key(form, options)
        data = store.get(key)
        if data is not None:
            with suppressed_faults():  # an entry that is no code counts as none
                return load_form(self.code, data)
        data = compile_form(self.code, options, form)
        function = load_form(self.code, data)
        store.put(key, data)
        return function

    def load_any_baseline(self, forms: Sequence[LaunchForm]) -> WorkGroupFunction:
        """Return baseline code of the first form that can be compiled; raises the error of the last one.

        A more specialized form runs more passes. If one of these fails, a less specialized form may succeed.
        """
        for form in forms[:-1]:
            with suppressed_faults():
                return self.load_baseline(form)
        return self.load_baseline(forms[-1])

    def starts_with_baseline(self, form: LaunchForm, context: LaunchContext) -> bool:
        """Whether a form starts in baseline code."""
        options, tiers = self.options, settings.get("WEFT_TIERS")
        usual = (options.method, options.lanes, options.divergent) == ("auto", 0, "auto")
        if tiers == "0" or not options.level or not usual or options.profile or _is_watched():
            return False
        if self.work(form, context) > MOST_BASELINE_WORK and tiers == "1":
            return False
        return tiers == "baseline" or can_tier_up()

    def work(self, form: LaunchForm, context: LaunchContext) -> int:
        """Estimate the number of instructions that each thread runs in a launch in baseline code."""
        times = GENERIC_IMAGES if form.known else 1
        return times * context.items * (self.code.traits.instructions + context.in_loops) // context.threads

    def report_baseline(self, fault: Fault) -> None:
        """Report once that the kernel runs baseline code; other forms of it may be optimized."""
        self.is_costly |= fault.deliberate
        if not self._reported:
            report(f"kernel {self.name!r} runs baseline code, because it could not be optimized", fault)
            self._reported = True


class TieredCode:
    """The code of one form. The kernel's lock must be held for all methods except those for `Background`.

    Only methods whose names begin with an underscore, `finish` and `orphan` change `state`, as their last
    step: a fork may happen at any time, and in the child no thread would finish a step begun in the parent.
    """

    def __init__(self, kernel: TieredKernel, form: LaunchForm) -> None:
        self.form = form
        self.state = State.EMPTY
        self.function: WorkGroupFunction | None = None
        """The code that launches run."""
        self._kernel = kernel
        self._baseline: WorkGroupFunction | None = None
        self._fault: Fault | None = None
        self._first_waits = 0
        self._work = 0
        """The estimated work of launches enqueued while optimized code was being compiled."""

    def for_launch(self, context: LaunchContext) -> WorkGroupFunction | None:
        """Return the code for a launch, compiled if necessary; None if there can be none of this form."""
        if self.state is State.EMPTY:
            self._start(context)
        if context.is_passing and self.state in (State.BASELINE, State.COMPILING):
            return self.function
        if self.state is State.BASELINE:
            self._request()
        if self.state is State.COMPILING:
            # Launches without a wait of the host program in between belong together. A launch after a wait is
            # probably one of many, and so are launches that together take longer than compiling does.
            self._work += self._kernel.work(self.form, context)
            if context.waits != self._first_waits or self._work > MOST_BASELINE_WORK:
                self._await()
        if self.state is State.FAILED:
            assert self._fault is not None
            raise OptimizationFailed(self._fault.reason)
        return self.function

    # EMPTY -> OPTIMIZED, BASELINE, COMPILING, BASELINE_ONLY, UNAVAILABLE; EMPTY if an exception is raised

    def _start(self, context: LaunchContext) -> None:
        """Load optimized code from the cache, or compile: baseline code if the form starts with that."""
        kernel, form = self._kernel, self.form
        cached = kernel.load_optimized(form)
        if cached is not None:
            self.function = cached
            self.state = State.OPTIMIZED
            return
        if kernel.is_costly:
            self._stay()
            return
        no_baseline: Fault | None = None
        if kernel.starts_with_baseline(form, context):
            background.give_up_early(self.key)
            # A long launch gains if both tiers are compiled at the same time.
            requested = context.items >= MANY_ITEMS and not context.is_passing and self._is_requested()
            try:
                self.function = self._baseline = kernel.load_baseline(form)
            except Exception as error:
                no_baseline = Fault.of(error)
                if requested:
                    background.cancel(self)  # if that is too late, the answer is ignored
            else:
                self._first_waits = context.waits
                self.state = State.COMPILING if requested else State.BASELINE
                return
        elif background.awaits(self.key) and (early := kernel.load_optimized(form)) is not None:
            self.function = early
            self.state = State.OPTIMIZED
            return
        self._optimize(no_baseline)

    def _optimize(self, no_baseline: Fault | None) -> None:
        """Compile optimized code while the launch waits; `no_baseline`: why there is no baseline code."""
        kernel, form = self._kernel, self.form
        try:
            data = compile_form(kernel.code, kernel.options, form)
            function = load_form(kernel.code, data)
        except Exception as error:
            if no_baseline is not None:
                raise
            fault = Fault.of(error)
            if _is_error(fault):
                kernel.report_baseline(fault)
                raise
            self._stay()
            kernel.report_baseline(fault)
            return
        self.function = function
        self.state = State.OPTIMIZED
        if no_baseline is not None:
            report(
                f"kernel {kernel.name!r} starts in optimized code, because baseline code cannot be compiled",
                no_baseline,
            )
            if _is_error(no_baseline):
                raise OptimizationFailed(f"no baseline code: {no_baseline.reason}")
        kernel.keep_optimized(form, data)

    def _stay(self) -> None:
        """Stay in baseline code, because there is no other."""
        kernel, form = self._kernel, self.form
        if form.tile is None:
            any_size = LaunchForm(None, form.id_bits, non_uniform=form.non_uniform)
            plainer = (form, replace(any_size, local_size=form.local_size), any_size)
            function = kernel.load_any_baseline(plainer)
        else:
            try:
                function = kernel.load_baseline(form)
            except Exception as error:  # if such tiles cannot be compiled, the launch runs as work-groups
                interrupt = interrupt_in(error)
                if interrupt is not None:
                    raise interrupt from None
                self.state = State.UNAVAILABLE
                return
        self.function = replace(function, provisional=False)
        self.state = State.BASELINE_ONLY

    # BASELINE -> COMPILING; BASELINE if the program is ending

    def _request(self) -> None:
        """Request optimized code from another process."""
        if self._is_requested():
            self.state = State.COMPILING

    def _is_requested(self) -> bool:
        """Request optimized code from another process; return whether it will be compiled."""
        return settings.get("WEFT_TIERS") != "baseline" and background.want(self)

    # COMPILING -> a result of `_finish`, or BASELINE after an interrupt

    def _await(self) -> None:
        """Wait for optimized code, or compile it if no process has started."""
        try:
            if background.cancel(self):
                self._compile_here()
        except BaseException:
            # The program is interrupted. If it launches the kernel again, that is a new request.
            if self.state is State.COMPILING:
                self.state = State.BASELINE
            raise
        self._kernel.changed.wait_for(lambda: self.state is not State.COMPILING)

    def _compile_here(self) -> None:
        kernel = self._kernel
        try:
            data = compile_form(kernel.code, kernel.options, self.form)
        except Exception as error:
            self._finish(None, Fault.of(error))
            return
        if self._finish(data, None):
            kernel.keep_optimized(self.form, data)

    # COMPILING -> OPTIMIZED, BASELINE_ONLY, FAILED; BASELINE if the program is ending or interrupted

    def _finish(self, data: bytes | None, fault: Fault | None) -> bool:
        """Handle the result of the compilation; return whether optimized code was loaded."""
        # Baseline code stays in memory: launches that have started in it may still run for long.
        assert self._baseline is not None
        state = State.BASELINE if fault is None else State.BASELINE_ONLY
        try:
            if data is not None:
                try:
                    optimized = load_form(self._kernel.code, data)
                    self._patch_entry(optimized)
                    self.function, state = optimized, State.OPTIMIZED
                except Exception as error:
                    fault, state = Fault.of(error), State.BASELINE_ONLY
            self._fault = fault
            if fault is not None:
                self._kernel.report_baseline(fault)
                state = State.FAILED if _is_error(fault) else State.BASELINE_ONLY
        finally:
            if state is State.BASELINE_ONLY:
                self.function = replace(self._baseline, provisional=False)
            self.state = state
            self._kernel.changed.notify_all()
        return state is State.OPTIMIZED

    def _patch_entry(self, optimized: WorkGroupFunction) -> None:
        """Make launches that started in baseline code continue in optimized code, if they can."""
        assert self._baseline is not None
        if optimized.can_follow(self._baseline):
            # An aligned word is written atomically.
            _state_word(self._baseline, TIER_BETTER).value = optimized.address

    # The interface for `Background`

    @property
    def request(self) -> Request:
        """Return the request for the compiling process."""
        return Request(self._kernel.code, self._kernel.options, self.form, known_host_target())

    @property
    def key(self) -> str:
        """Return the cache key of the code."""
        return self._kernel.key(self.form, self._kernel.options)

    def from_cache(self) -> bytes | None:
        """Return the code if the cache has it by now, for example from an early job."""
        return default_cache().get(self.key)

    @property
    def ticks(self) -> int:
        """Return the processor clock cycles during which work-groups ran baseline code."""
        return _state_word(self._baseline, TIER_CLOCK).value if self._baseline is not None else 0

    def finish(self, data: bytes | None, fault: Fault | None) -> None:
        """Take optimized code or the reason for a failure; neither if the program is ending."""
        with self._kernel.lock:
            # After an interrupted launch there may be two requests: the first answer counts.
            loaded = self.state in (State.BASELINE, State.COMPILING) and self._finish(data, fault)
        if loaded and data is not None:
            self._kernel.keep_optimized(self.form, data)

    def orphan(self) -> None:
        """Handle a fork: in the child, the compilation does not exist, so COMPILING -> BASELINE."""
        if self.state is State.COMPILING:
            self.state = State.BASELINE


class Anticipation:
    """Optimized code of a form that a kernel will probably be launched in; see `Background.anticipate`.

    It is stored in the cache, from which the launch takes it.
    """

    def __init__(self, kernel: TieredKernel, form: LaunchForm) -> None:
        self._kernel = kernel
        self.request = Request(kernel.code, kernel.options, form)
        self.key = kernel.key(form, kernel.options)

    def from_cache(self) -> bytes | None:
        """Return the code if the cache has it by now."""
        return default_cache().get(self.key)

    def keep(self, data: bytes) -> None:
        """Store the compiled code in the cache."""
        self._kernel.keep_optimized(self.request.form, data)


def can_tier_up() -> bool:
    """Whether optimized code can follow: clang compiles baseline code, another process optimized code."""
    return clang_available() and possible()


def _state_word(baseline: WorkGroupFunction, offset: int) -> ctypes.c_uint64:
    """Return a word of the state that the entry of baseline code accesses (`codegen/tier_entry.py`)."""
    return ctypes.c_uint64.from_address(baseline.code.data_address + offset)


def _is_error(fault: Fault) -> bool:
    """Whether a fault of the optimized tier makes the launch fail, as in tests."""
    return not fault.deliberate and bool(settings.get("WEFT_VERIFY"))


def _is_watched() -> bool:
    """Whether settings request output about the compilation of optimized code."""
    return bool(settings.get("WEFT_DUMP") or settings.get("WEFT_PRINT"))
