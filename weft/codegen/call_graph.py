"""The call graph of a program, the sizes of its functions, and the choice of functions that are not inlined.

Sizes are instruction counts (lines of text), so that compilation is deterministic.
"""

from collections import Counter
from collections.abc import Collection, Iterable

from weft.codegen.program_text import ProgramText
from weft.dataclasses import dataclass
from weft.ir.graph import cycles, post_order

# What clang calls the function that has the code of a kernel.
_BODY_OF_KERNEL = "__clang_ocl_kern_imp_"
# A function that is called once adds nothing to the program when it is inlined: it may be larger.
_FOR_THE_ONLY_CALL = 8


@dataclass(frozen=True)
class InliningBudget:
    """How much is inlined: `largest` instructions in a kernel, and a program of `growth` times its size."""

    largest: int = 10_000
    growth: float = 1.5


class CallGraph:
    """The functions that some kernels reach, callees before their callers."""

    def __init__(self, text: ProgramText, kernels: Iterable[str]) -> None:
        self.text = text
        self.kernels = tuple(kernels)
        self._callees: dict[str, tuple[str, ...]] = {}
        self.order = post_order(self.kernels, self.callees)
        self._calls: Counter[str] = Counter()
        for name in self.order:
            self._calls.update({g: n for g, n in text.calls_in(name).items() if text.defines(g)})

    def callers_first(self) -> list[str]:
        """The functions in the order in which to inline them.

        LLVM inlines the functions of a module one by one, each wherever it is called. If callers come first,
        a function is copied as it was written. Else it holds all that it calls when it is copied, which takes
        quadratic time in the depth of calls.
        """
        return self.order[::-1]

    def callees(self, name: str) -> tuple[str, ...]:
        """The functions of the program that a function calls."""
        found = self._callees.get(name)
        if found is None:
            calls = self.text.calls_in(name)
            found = self._callees[name] = tuple(g for g in calls if self.text.defines(g))
        return found

    def recursive(self) -> frozenset[str]:
        """The functions that lead back to themselves."""
        return frozenset(name for cycle in cycles(self.order, self.callees) for name in cycle)

    def leading_to(self, names: Collection[str]) -> frozenset[str]:
        """These functions and all that call them, directly or not."""
        found = {name for name in self.order if name in names}
        if not found:
            return frozenset()
        callers: dict[str, list[str]] = {}
        for name in self.order:
            for callee in self.callees(name):
                callers.setdefault(callee, []).append(name)
        work = list(found)
        while work:
            new = [c for c in callers.get(work.pop(), ()) if c not in found]
            found.update(new)
            work += new
        return frozenset(found)

    def inlined_sizes(self) -> list[int]:
        """The instructions of each kernel with all that it calls inlined."""
        sizes, _ = self._sizes(frozenset(), None)
        return [sizes[name] for name in self.kernels]

    def largest(self) -> int:
        """The instructions of the largest kernel with all that it calls inlined."""
        return max(self.inlined_sizes(), default=0)

    def to_keep(self, candidates: Collection[str], budget: InliningBudget) -> frozenset[str]:
        """The candidates that must stay functions for the program to keep to a budget.

        Small ones are inlined first, and those called once. A budget of 0 keeps all.
        """
        candidates = frozenset(n for n in candidates if not n.startswith(_BODY_OF_KERNEL))
        if not budget.largest:
            return candidates
        plain = sum(self.text.size(name) for name in self.order)
        most = max(budget.largest, budget.growth * plain)
        threshold = budget.largest
        while True:
            sizes, kept = self._sizes(candidates, threshold)
            fits = all(sizes[name] <= budget.largest for name in self.kernels)
            if threshold < 8 or (fits and sum(sizes[n] for n in {*kept, *self.kernels}) <= most):
                return frozenset(kept)
            threshold //= 2

    def _sizes(
        self, candidates: Collection[str], threshold: int | None
    ) -> tuple[dict[str, int], dict[str, None]]:
        """The sizes of all functions if candidates larger than a threshold stay functions, and these."""
        sizes: dict[str, int] = {}
        kept: dict[str, None] = {}
        for name in self.order:
            size = self.text.size(name)
            for callee, times in self.text.calls_in(name).items():
                if callee in sizes and callee not in kept:  # not yet there: one that leads back here
                    size += times * sizes[callee]
            sizes[name] = size
            if threshold is not None and name in candidates:
                most = threshold * (_FOR_THE_ONLY_CALL if self._calls[name] == 1 else 1)
                if size > most:
                    kept[name] = None
        return sizes, kept
