"""The call graph of a program, the sizes of its functions, and the choice of functions that are not inlined.

Sizes are instruction counts (lines of text), so that compilation is deterministic.
"""

from collections import Counter
from collections.abc import Collection, Iterable

from weft.codegen.program_text import ProgramText
from weft.dataclasses import dataclass
from weft.ir.graph import cycles, post_order

# Prefix of the functions to which clang moves the code of kernels.
_BODY_OF_KERNEL = "__clang_ocl_kern_imp_"
# Inlining a function that is called once adds nothing to the program, so it may be larger.
_FOR_THE_ONLY_CALL = 8


@dataclass(frozen=True)
class InliningBudget:
    """Limits of inlining: `largest` instructions in a kernel, and a program of `growth` times its size."""

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
        """Return the functions in the order in which to inline them.

        LLVM inlines the functions of a module one by one, each at all its calls. If callers come first, a
        function is copied in its original form. Otherwise it already contains all its callees when it is
        copied, which takes time quadratic in the depth of calls.
        """
        return self.order[::-1]

    def callees(self, name: str) -> tuple[str, ...]:
        """Return the functions of the program that a function calls."""
        known = self._callees.get(name)
        if known is None:
            calls = self.text.calls_in(name)
            known = self._callees[name] = tuple(g for g in calls if self.text.defines(g))
        return known

    def recursive(self) -> frozenset[str]:
        """Return the functions that reach themselves."""
        return frozenset(name for cycle in cycles(self.order, self.callees) for name in cycle)

    def leading_to(self, names: Collection[str]) -> frozenset[str]:
        """Return these functions and all that call them, directly or indirectly."""
        reaching = {name for name in self.order if name in names}
        if not reaching:
            return frozenset()
        callers: dict[str, list[str]] = {}
        for name in self.order:
            for callee in self.callees(name):
                callers.setdefault(callee, []).append(name)
        work = list(reaching)
        while work:
            new = [c for c in callers.get(work.pop(), ()) if c not in reaching]
            reaching.update(new)
            work += new
        return frozenset(reaching)

    def inlined_sizes(self) -> list[int]:
        """Return the number of instructions of each kernel with all callees inlined."""
        sizes, _ = self._sizes(frozenset(), None)
        return [sizes[name] for name in self.kernels]

    def largest(self) -> int:
        """Return the number of instructions of the largest kernel with all callees inlined."""
        return max(self.inlined_sizes(), default=0)

    def to_keep(self, candidates: Collection[str], budget: InliningBudget) -> frozenset[str]:
        """Return the candidates that must stay functions for the program to keep to a budget.

        Small functions and those called once are inlined first. A budget of 0 keeps all.
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
        """Return the sizes of all functions if candidates above a threshold stay functions, and these."""
        sizes: dict[str, int] = {}
        kept: dict[str, None] = {}
        for name in self.order:
            size = self.text.size(name)
            for callee, times in self.text.calls_in(name).items():
                if callee in sizes and callee not in kept:  # missing if recursive
                    size += times * sizes[callee]
            sizes[name] = size
            if threshold is not None and name in candidates:
                most = threshold * (_FOR_THE_ONLY_CALL if self._calls[name] == 1 else 1)
                if size > most:
                    kept[name] = None
        return sizes, kept
