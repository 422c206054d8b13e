"""The choices for each region's work-item loops and memory accesses, collected from remarks."""

from weft.analysis.consecutive import Proved
from weft.codegen.llvm_vectorization import CONSECUTIVE_FORMS as LLVM_CONSECUTIVE_FORMS
from weft.codegen.llvm_vectorization import MadeByLLVM
from weft.dataclasses import replace
from weft.kernel import CodeOptions
from weft.remarks import Reason, Remark, RemarkKind, Remarks
from weft.transform.describe.accesses import AccessShape, MemoryAccess
from weft.transform.simd.access_forms import LINEAR_FORMS, AccessForm
from weft.transform.simd.bounds_from_guards import Bounds
from weft.transform.simd.cannot_vectorize import NotVectorized
from weft.transform.simd.vectorize_remarks import Vectorized

from .report import Access, Choice, Region
from .rows import position

_TESTED = "tested at run time"
_ROWS = (AccessForm.TRANSPOSED_ROWS, AccessForm.TRANSPOSED_ROW_PIECES)
_OR = " or, if an index wraps around, "


class Choices:
    """The choices for the regions of a kernel, from its remarks and the options."""

    def __init__(self, remarks: Remarks, options: CodeOptions) -> None:
        self._remarks, self._options = remarks, options
        self._loops: dict[int, list[Remark]] = {}
        for remark in remarks.named(Vectorized.LOOP, *NotVectorized):
            self._loops.setdefault(remark["region"], []).append(remark)
        self._variants: dict[int, dict[str, int]] = {}  # for each region: number of lanes by condition
        for remark in remarks.named(Vectorized.VARIANT):
            self._variants.setdefault(remark["region"], {})[remark["condition"]] = remark["width"]
        rows = {remark["access"]: remark.message for remark in remarks.named(*_ROWS)}
        self._forms: dict[tuple[int, int], list[tuple[Reason, ...]]] = {}
        self._cases: dict[tuple[int, int], dict[str, None]] = {}
        for remark in remarks.named(Vectorized.ACCESS):
            key, forms = (remark["access"], remark["region"]), remark["forms"]
            if remark["access"] in rows:
                forms = (Reason(rows[remark["access"]], **forms[0].arguments), *forms[1:])
            if not remark["condition"]:
                self._forms.setdefault(key, []).append(forms)
            elif forms[0].arguments["proved"]:
                self._cases.setdefault(key, {})[f"{forms[0]} if {remark['condition']}"] = None
        self._llvm = {remark["access"]: remark for remark in remarks.named(MadeByLLVM.ACCESS)}
        self._llvm_lanes = {remark["region"]: remark["lanes"] for remark in remarks.named(MadeByLLVM.REGION)}

    def region(self, region: Region) -> Region:
        """Return a region with its choices."""
        number = region.number
        choice = self._choice(region)
        narrowed = [r for r in self._remarks.named(*Bounds) if r["region"] == number]
        bounds = dict.fromkeys(b for r in narrowed if r.message is Bounds.NARROWED for b in r["bounds"])
        # LLVM's remark is used only if the region is left to LLVM.
        in_lanes = choice is not None and choice.kind == "lanes"
        return replace(
            region,
            choice=choice,
            lanes=None if in_lanes else self._llvm_lanes.get(number),
            bounds=tuple(bounds),
            split=any(r.message is Bounds.SPLIT for r in narrowed),
        )

    def _choice(self, region: Region) -> Choice | None:
        if region.kind != "loops":
            return None
        candidates = self._loops.get(region.number)
        if candidates is None:
            return self._unseen()
        # Loops may exist twice, for complete and for partial groups: use one.
        remark = next((r for r in candidates if r.kind is RemarkKind.PASSED), candidates[0])
        cases = [f"{n} lanes if {c}" for c, n in self._variants.get(region.number, {}).items()]
        costs = remark["cost_in_lanes"], remark["cost_one_by_one"]
        if remark.kind is RemarkKind.PASSED:
            reasons = (remark["fast_path"], remark["divergent"], *remark["left_out"])
            details = "; ".join([*cases, *(str(r) for r in reasons if r)])
            why = f"WEFT_LANES={remark['width']}" if self._options.lanes else details
            return Choice("lanes", remark["width"], why, *costs)
        left_to_llvm = remark["straight"] and remark.message is not NotVectorized.SCATTERS
        details = "; ".join([remark.text, *cases, *map(str, remark["left_out"])])
        return Choice("llvm" if left_to_llvm else "serial", 1, details, *costs)

    def _unseen(self) -> Choice | None:
        """Return the choice for a region that the vectorizer did not process."""
        if self._options.level == 0:
            return Choice("serial", 1, "the code is not optimized")
        if self._options.lanes == 1:
            return Choice("llvm", 1, "WEFT_LANES=1")
        if self._options.waits:
            return Choice("serial", 1, "work-items may wait for one another in functions that it calls")
        if self._options.method in ("loops", "horizontal"):
            return Choice("llvm", 1, f"WEFT_WORKGROUP={self._options.method}")
        return None

    def accesses(self, choices: dict[int, Choice | None]) -> tuple[Access, ...]:
        """Return all accesses in source order; copies from unrolling are counted, not listed."""
        counted: dict[Access, int] = {}
        for remark in sorted(self._remarks.named(MemoryAccess.ACCESS), key=lambda r: position(r.location)):
            access = self._access(remark, choices)
            counted[access] = counted.get(access, 0) + 1
        return tuple(replace(access, times=times) for access, times in counted.items())

    def _access(self, remark: Remark, choices: dict[int, Choice | None]) -> Access:
        """Return an access with its code for several work-items at once."""
        forms: dict[tuple[Reason, ...], None] = {}
        words: dict[str, None] = {}
        is_linear: bool | None = None  # whether the addresses of lanes are linear in the first form
        for region in remark["regions"]:
            key, choice = (remark["access"], region), choices.get(region)
            region_forms = self._forms.get(key, ())
            if not region_forms and choice is not None and choice.kind != "lanes":
                by_llvm = self._llvm.get(remark["access"]) if choice.kind == "llvm" else None
                words[_outside_lanes(choice, by_llvm)] = None
                if is_linear is None:  # LLVM's vectors may stem from the kernel's own vector types
                    is_linear = (
                        by_llvm is not None
                        and by_llvm["form"] in LLVM_CONSECUTIVE_FORMS
                        and remark["bytes"] <= 8
                    )
            for form in region_forms:
                forms[form] = None
                words[_words(form)] = None
                if is_linear is None:
                    is_linear = form[0].message in LINEAR_FORMS and not form[0].arguments["edge"]
            words.update(self._cases.get(key, {}))
        at_edge = {_words(form) for form in forms if form[0].arguments["edge"]}
        elsewhere = {_words(form) for form in forms if not form[0].arguments["edge"]}
        shown = [
            f"at the edge {word}" if word in at_edge and word not in elsewhere else word for word in words
        ]
        tested = any(len(form) > 1 for form in forms)
        access = _row(remark, "; ".join(shown))
        proved = remark["proved"]
        on_condition = proved is not None and proved.message is Proved.ON_CONDITION and not tested
        if remark["shape"].message is AccessShape.VARYING and is_linear and not on_condition:
            # The analysis for lanes of one loop is more precise than the shape in the whole kernel.
            strides = [p.arguments["stride"] for form in forms for p in form]
            stride = next((s for s in strides if s != 1), 1)
            shape = f"strided {stride}" if stride != 1 else "consecutive"
            return replace(access, shape=shape, detail=_TESTED if tested else "", proved="")
        return access


def _words(form: tuple[Reason, ...]) -> str:
    return _OR.join(f"{part}{', proved' if part.arguments['proved'] else ''}" for part in form)


def _outside_lanes(choice: Choice, by_llvm: Remark | None) -> str:
    if choice.kind == "llvm":
        return f"LLVM: {by_llvm.text}" if by_llvm is not None else "left to LLVM"
    return "one by one"


def _row(remark: Remark, how: str) -> Access:
    return Access(
        place=remark.location,
        kind=remark["operation"],
        type=remark["type"],
        bytes=remark["bytes"],
        space=remark["space"],
        object=remark["object"],
        shape=str(remark["shape"]),
        detail=_detail(remark),
        regions=remark["regions"],
        how=how,
        proved=str(remark["proved"] or ""),
    )


def _detail(remark: Remark) -> str:
    """Return why an address varies, or its strides along y and z."""
    if remark["shape"].message is AccessShape.VARYING:
        return str(remark["reason"] or "")
    return "; ".join(
        f"{axis} varying" if stride is None else f"{axis} strided {stride} B"
        for axis, stride in zip("yz", remark["strides"][1:], strict=True)
        if stride != 0
    )
