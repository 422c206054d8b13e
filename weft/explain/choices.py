"""What became of each region's work-item loops, and how its accesses to memory are done."""

import re
from collections.abc import Mapping
from dataclasses import replace

from weft.ir import Instruction
from weft.kernel import CodeOptions
from weft.transform.simd.access_forms import IN_ORDER, AccessForm, WideAccess
from weft.transform.simd.cannot_vectorize import NotVectorized
from weft.transform.simd.vectorize_work_items import Outcome

from .recorder import ACCESS, Recorder
from .report import Access, Barrier, Choice, Region
from .vectors import LLVMAccess

_LOOP = re.compile(r"region\.(\d+)\.[xyz]")
_TESTED = "tested at run time"


class Choices:
    """What was chosen for the regions of a recorded kernel.

    `llvm` has what LLVM made of the accesses that were left to it, if that was asked for.
    """

    def __init__(
        self, record: Recorder, options: CodeOptions, llvm: Mapping[Instruction, LLVMAccess]
    ) -> None:
        self._options, self._llvm = options, llvm
        self._outcomes: dict[int, list[Outcome]] = {}
        self._how: dict[tuple[Instruction, int], list[tuple[WideAccess, ...]]] = {}
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
                    how = (WideAccess(AccessForm.TRANSPOSED_ROWS), *how[1:])
                if tag in record.walked:
                    how = (WideAccess(AccessForm.TRANSPOSED_ROW_PIECES), *how[1:])
                if original is not None and outcome.condition:
                    if how[0].proved:
                        case = f"{replace(how[0], proved=False)} if {outcome.condition}"
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
        found: dict[tuple[WideAccess, ...], None] = {}
        words: dict[str, None] = {}
        in_order = None  # whether lanes' addresses are, in what is said first
        for number in access.regions:
            forms = self._how.get((instruction, number), ())
            choice = choices.get(number)
            if not forms and choice is not None and choice.kind != "lanes":
                made = self._llvm.get(instruction) if choice.kind == "llvm" else None
                words[_outside_lanes(choice, made)] = None
                if in_order is None:  # LLVM's vectors may be the kernel's own ones
                    in_order = made is not None and made.is_in_order and access.bytes <= 8
            for form in forms:
                found[form] = None
                words[" or, if an index wraps around, ".join(map(str, form))] = None
                if in_order is None:
                    in_order = form[0].form in IN_ORDER and not form[0].edge
            words.update(self._cases.get((instruction, number), {}))
        for form in found:
            if all(part.edge for part in form) and tuple(replace(p, edge=False) for p in form) in found:
                del words[" or, if an index wraps around, ".join(map(str, form))]  # as elsewhere
        access = replace(access, how="; ".join(words))
        tested = any(len(form) > 1 for form in found)
        on_condition = " if " in access.proved and not tested  # vector code for some inputs only
        if access.shape == "varying" and in_order and not on_condition:
            # What the lanes' analysis knows of one loop is more than what holds for the whole kernel.
            stride = next((p.stride for form in found for p in form if p.stride != 1), 1)
            shape = f"strided {stride}" if stride != 1 else "consecutive"
            return replace(access, shape=shape, detail=_TESTED if tested else "", proved="")
        return access


def _outside_lanes(choice: Choice, made: LLVMAccess | None) -> str:
    if choice.kind == "llvm":
        return f"LLVM: {made}" if made else "left to LLVM"
    return "one by one"


def merged(accesses: list[Access]) -> tuple[Access, ...]:
    """The accesses with copies that unrolling made counted, not listed."""
    counted: dict[Access, int] = {}
    for access in accesses:
        counted[access] = counted.get(access, 0) + 1
    return tuple(replace(access, times=times) for access, times in counted.items())
