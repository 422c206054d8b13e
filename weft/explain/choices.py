"""What became of each region's work-item loops, and how its accesses to memory are done."""

import re
from collections.abc import Mapping
from dataclasses import replace

from weft.ir import Instruction
from weft.kernel import CodeOptions
from weft.transform.simd.cannot_vectorize import NotVectorized
from weft.transform.simd.vectorize_work_items import EDGE, Outcome

from .recorder import ACCESS, Recorder
from .report import Access, Barrier, Choice, Region

_LOOP = re.compile(r"region\.(\d+)\.[xyz]")
# Forms of accesses for which the lanes' addresses lie side by side.
_SIDE_BY_SIDE = ("vector", "masked vector")
_TESTED = "tested at run time"
_PROVED = ", proved"


class Choices:
    """What was chosen for the regions of a recorded kernel.

    `llvm` has what LLVM made of the accesses that were left to it, if that was asked for.
    """

    def __init__(self, record: Recorder, options: CodeOptions, llvm: Mapping[Instruction, str]) -> None:
        self._options, self._llvm = options, llvm
        self._outcomes: dict[int, list[Outcome]] = {}
        self._how: dict[tuple[Instruction, int], list[tuple[str, ...]]] = {}
        # Variants of a region's loops for certain inputs: lanes by condition, and how accesses are done then.
        self._variants: dict[int, dict[str, int]] = {}
        self._cases: dict[tuple[Instruction, int], dict[str, None]] = {}
        for outcome in record.outcomes:
            match = _LOOP.match(outcome.header)
            if match is None:
                continue
            number = int(match[1])
            if outcome.condition:
                self._variants.setdefault(number, {})[outcome.condition] = outcome.width
            else:
                self._outcomes.setdefault(number, []).append(outcome)
            for instruction, how in outcome.accesses:
                tag = instruction.metadata.get(ACCESS, "")
                original = record.tagged.get(tag)
                if tag in record.transposed:
                    how = ("whole rows, transposed", *how[1:])
                if tag in record.walked:
                    how = ("pieces of rows, transposed", *how[1:])
                if original is not None and outcome.condition:
                    if how[0].endswith(_PROVED):
                        case = f"{how[0].removesuffix(_PROVED)} if {outcome.condition}"
                        self._cases.setdefault((original, number), {})[case] = None
                elif original is not None:
                    self._how.setdefault((original, number), []).append(how)

    def region(self, region: Region, barriers: tuple[Barrier, ...]) -> Region:
        """A region with what was chosen for it."""
        start = barriers[region.start]
        around = start.place if start.kind == "interchange" and region.start in region.ends else None
        return replace(region, choice=self._choice(region), interchanged=around)

    def _choice(self, region: Region) -> Choice | None:
        if region.kind != "loops":
            return None
        outcomes = self._outcomes.get(region.number)
        if outcomes is None:
            return self._unseen()
        # A loop that is there twice, for whole groups and for a part of them, counts once.
        outcome = next((o for o in outcomes if o.width > 1), outcomes[0])
        cases = self._variants.get(region.number, {}).items()
        refusal = str(outcome.refusal) if outcome.refusal is not None else ""
        why = "; ".join(filter(None, (refusal, *(f"{n} lanes if {c}" for c, n in cases))))
        costs = (outcome.estimate.wide, outcome.estimate.scalar) if outcome.estimate else (None, None)
        if outcome.width > 1:
            said = "; ".join(filter(None, (why, outcome.interior, outcome.divergent)))
            reason = f"WEFT_LANES={outcome.width}" if self._options.lanes else said
            return Choice("lanes", outcome.width, reason, *costs)
        scatters = outcome.refusal is not None and outcome.refusal.message is NotVectorized.SCATTERS
        return Choice("llvm" if outcome.straight and not scatters else "serial", 1, why, *costs)

    def _unseen(self) -> Choice | None:
        """The choice for a region of which the vectorizer saw no loop."""
        if self._options.level == 0:
            return Choice("serial", 1, "the code is not optimized")
        if self._options.lanes == 1:
            return Choice("llvm", 1, "WEFT_LANES=1")
        if self._options.waits:
            return Choice("serial", 1, "work-items may wait for one another in functions that it calls")
        if self._options.method in ("loops", "horizontal"):
            return Choice("llvm", 1, f"WEFT_WORKGROUP={self._options.method}")
        return None

    def access(
        self, access: Access, instruction: Instruction, choices: Mapping[int, Choice | None]
    ) -> Access:
        """An access with what the code does for many work-items at once."""
        found: dict[str, None] = {}
        tested = False
        for number in access.regions:
            forms = self._how.get((instruction, number))
            if forms is None:
                found[self._outside_lanes(instruction, choices.get(number))] = None
            for form in forms or ():
                tested |= len(form) > 1
                found[" or, if an index wraps around, ".join(form)] = None
            found.update(self._cases.get((instruction, number), {}))
        for word in [word for word in found if word.startswith(EDGE)]:
            if word.removeprefix(EDGE) in found:
                del found[word]  # as elsewhere
        how = "; ".join(word for word in found if word)
        access = replace(access, how=how)
        # LLVM's vectors may be the kernel's own ones.
        known = how.removeprefix("LLVM: ") if access.bytes <= 8 else how
        on_condition = " if " in access.proved and not tested  # vector code for some inputs only
        if access.shape == "varying" and known.startswith(_SIDE_BY_SIDE) and not on_condition:
            # What the lanes' analysis knows of one loop is more than what holds for the whole kernel.
            stride = re.search(r"stride (-?\d+)", how)
            shape = f"strided {stride[1]}" if stride else "consecutive"
            return replace(access, shape=shape, detail=_TESTED if tested else "", proved="")
        return access

    def _outside_lanes(self, instruction: Instruction, choice: Choice | None) -> str:
        if choice is None or choice.kind == "lanes":
            return ""
        if choice.kind == "llvm":
            made = self._llvm.get(instruction)
            return f"LLVM: {made}" if made else "left to LLVM"
        return "one by one"


def merged(accesses: list[Access]) -> tuple[Access, ...]:
    """The accesses with copies that unrolling made counted, not listed."""
    counted: dict[Access, int] = {}
    for access in accesses:
        counted[access] = counted.get(access, 0) + 1
    return tuple(replace(access, times=times) for access, times in counted.items())
