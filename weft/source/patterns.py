"""Classify the memory access patterns (MAPs) of a kernel.

An index is a polynomial in ids, induction variables and inputs, from Weft's address analysis of the IR. The
coefficients of the induction variables show what one work-item accesses (WI level), the coefficient of the
lane how adjacent work-items along x differ (WG level):

    SS  a single element each, separate
    RF  a row, all neighbours the same (focused)
    CS  a column, separate
    BS  a block, separate; a window of one row is a block, too
    NS  the neighbours of one element, separate

Any other access has a reason. The patterns are those of CLVectorizer, section 3.
"""

from collections.abc import Sequence

from weft.analysis.address_terms import GLOBAL_BLOCK, LOCAL_BLOCK, NotExpressible, Terms, kernel_terms
from weft.analysis.consecutive import Prepared, prepared, relevant, without_pointer
from weft.consecutive import index_texts
from weft.dataclasses import dataclass, replace
from weft.ir import Instruction, Value
from weft.ir.loops import Loop, loop_forest
from weft.ir.types import store_size_of
from weft.kernel import KernelCode, LocalSize
from weft.smt.studies.integers import Monomial, Poly, Quotient, Variable, substituted, variable
from weft.smt.studies.presburger import LANE_NAME, Integers, NotPresburger

SS, RF, CS, BS, NS, NONE = "SS", "RF", "CS", "BS", "NS", "none"
WORDS = {
    SS: "single, separate",
    RF: "row, focused",
    CS: "column, separate",
    BS: "block, separate",
    NS: "neighbours, separate",
}
# How accesses of adjacent work-items along x relate to each other.
FOCUSED, SEPARATE, APART, UNKNOWN = "focused", "separate", "apart", "unknown"
_LANES = 8
# Maximum distance in elements of accesses in one row.
_NEAR = 2
_LEAST_NEIGHBOURS = 3


@dataclass(frozen=True)
class Access:
    """A load or store: its location, its index in elements, its pattern, and the reason if it has none.

    `walk` describes the accesses of one work-item (single, row, column, block); `neighbours`, those of
    adjacent work-items along x: equal (focused), consecutive (separate), or further apart. `element` is the
    size in bytes, `loops` the number of enclosing loops, `copies` the number of copies in small loops that
    were unrolled.
    """

    kernel: str
    line: int
    column: int
    kind: str
    object: str
    index: str
    pattern: str
    reason: str = ""
    walk: str = "unknown"
    neighbours: str = UNKNOWN
    element: int = 1
    loops: int = 0
    copies: int = 1


@dataclass(frozen=True)
class Index:
    """An access and its offset in bytes, as a polynomial in ids (`gid`, `lid`, `get_global_id(1)`), inputs
    and counters."""

    access: Access
    offset: Poly | None
    element: int


@dataclass(frozen=True)
class _Found:
    access: Access
    offset: Poly | None = None
    element: int = 1
    # The difference between adjacent work-items, and the step of each loop that the address depends on, in
    # bytes.
    lane: Poly | None = None
    steps: tuple[Poly, ...] = ()


class _Names:
    """Gives each value of a kernel a unique name, and records the names of induction variables."""

    def __init__(self, kernel: Prepared) -> None:
        self._kernel = kernel
        self._names: dict[Value, str] = {}
        self.counters: dict[str, Loop] = {}
        self._loops: dict[Value, Loop] = {}
        self.loops = list(loop_forest(kernel.function))
        for loop in self.loops:
            for instruction in loop.header.instructions:
                if instruction.opcode == "phi":
                    self._loops[instruction] = loop

    def __call__(self, value: Value) -> str | None:
        if value not in self._names:
            name = self._kernel.naming.source_name(value)
            if name is None and value not in self._loops:
                return None
            name = name or "counter"
            while name in self._names.values():
                name += "'"
            self._names[value] = name
            if value in self._loops:
                self.counters[name] = self._loops[value]
        return self._names[value]


def patterns(code: KernelCode, local_size: LocalSize | None = None) -> list[Access]:
    """Return the pattern of each access to memory that work-items share, in source order."""
    accesses = _with_neighbours([_classified(one) for one in _merged(_all(code, local_size))])
    return [f.access for f in sorted(accesses, key=lambda f: (f.access.line, f.access.column))]


def indices(code: KernelCode, local_size: LocalSize | None = None) -> list[Index]:
    """Return the offset of each access, before copies in unrolled loops are merged."""
    lane = variable(LANE_NAME)
    ids = {LOCAL_BLOCK: variable("lid") - lane, GLOBAL_BLOCK: variable("gid") - lane}
    return [
        Index(one.access, None if one.offset is None else substituted(one.offset, ids), one.element)
        for one in _all(code, local_size)
    ]


def _all(code: KernelCode, local_size: LocalSize | None) -> list[_Found]:
    kernel = prepared(code.text, code.info.name, local_size)
    names = _Names(kernel)
    terms = kernel_terms(kernel.shapes, _LANES, names)
    return [_found(kernel, i, terms, names) for i in kernel.accesses()]


def _found(kernel: Prepared, i: Instruction, terms: Terms, names: _Names) -> _Found:
    pointer = i.operands[0] if i.opcode == "load" else i.operands[1]
    place = kernel.naming.place(i)
    line, column = (place.line, place.column) if place is not None else (0, 0)
    assert i.block is not None
    type = i.type if i.opcode == "load" else i.operands[0].type
    base = Access(
        kernel.kernel,
        line,
        column,
        i.opcode,
        kernel.naming.memory(pointer)[1],
        "?",
        NONE,
        element=store_size_of(type),
        loops=sum(i.block in loop for loop in names.loops),
    )
    try:
        address = kernel.address(i, terms)
        offset = without_pointer(address.term)
        facts = relevant(address.facts, offset)
        poly = Integers(range(_LANES), facts, ideal=True).read(offset, with_sign=True)
    except NotExpressible as why:
        return _Found(replace(base, reason=str(why)))
    except NotPresburger:
        return _Found(
            replace(base, reason="its index is not a polynomial of ids, induction variables and inputs")
        )
    counters = [name for name, loop in names.counters.items() if i.block in loop]
    text = index_texts(offset, _LANES, facts, address.element)[0]
    base = replace(base, index=text)
    lane = _coefficient(poly, LANE_NAME)
    if lane is None:
        return _Found(
            replace(base, reason="the difference between adjacent work-items along x is not linear")
        )
    steps: list[Poly] = []
    for name in sorted(counters):
        by = _coefficient(poly, name)
        if by is None:
            return _Found(replace(base, reason=f"the index is not linear in the induction variable {name}"))
        if by.parts:
            steps.append(by)
    return _Found(base, poly, address.element, lane, tuple(steps))


def _merged(accesses: list[_Found]) -> list[_Found]:
    """Merge the copies of an access in an unrolled loop; the distance between the copies becomes a step."""
    places: dict[tuple[object, ...], list[_Found]] = {}
    for one in accesses:
        a = one.access
        places.setdefault((a.line, a.column, a.kind, a.object), []).append(one)
    merged = []
    for group in places.values():
        first = group[0]
        offsets = [one.offset for one in group]
        if len(group) > 1 and first.offset is not None and first.lane is not None and None not in offsets:
            apart = [o - p for o in offsets for p in offsets if o is not None and p is not None and o != p]
            near = [d for d in apart if d.constant == first.element]
            far = [d for d in apart if d.constant is None or abs(d.constant) > len(group) * first.element]
            steps = (*first.steps, *near[:1], *(far[:1] if far else () if near else apart[:1]))
            first = replace(first, steps=steps)
        merged.append(replace(first, access=replace(first.access, copies=len(group))))
    return merged


def _classified(one: _Found) -> _Found:
    """Add the pattern or the reason why there is none."""
    if one.lane is None:
        return one
    walk = _walk(one.steps, one.element)
    pattern, reason = _pattern(one.lane, walk, one.element)
    neighbours = FOCUSED if not one.lane.parts else SEPARATE if one.lane.constant == one.element else APART
    access = replace(one.access, pattern=pattern, reason=reason, walk=walk, neighbours=neighbours)
    return replace(one, access=access)


def _pattern(lane: Poly, level: str, element: int) -> tuple[str, str]:
    if not lane.parts:
        if level == "row":
            return RF, ""
        return NONE, f"{level}, focused: adjacent work-items along x access the same {_thing(level)}"
    if lane.constant != element:
        apart = lane.constant
        whole = apart is not None and apart % element == 0
        words = f"{apart // element} elements" if apart is not None and whole else f"{lane} bytes"
        return NONE, f"{level}, but adjacent work-items along x are {words} apart"
    if level == "single":
        return SS, ""
    if level == "column":
        return CS, ""
    if level in ("block", "row"):
        return BS, "" if level == "block" else "a block of one row"
    return NONE, f"{level}, separate"


def _walk(steps: Sequence[Poly], element: int) -> str:
    """Classify the accesses of a work-item by the steps of its loops."""
    if not steps:
        return "single"
    if len(steps) == 1:
        return "row" if abs(steps[0].constant or 0) == element else "column"
    return "block" if any(abs(s.constant or 0) == element for s in steps) else "scattered block"


def _thing(level: str) -> str:
    return "element" if level == "single" else level


def _coefficient(poly: Poly, name: str) -> Poly | None:
    """Return the coefficient of a variable; None if the polynomial is not linear in it."""
    parts: list[tuple[Monomial, int]] = []
    mine = Variable(name)
    for monomial, factor in poly.parts:
        count = monomial.count(mine)
        others = tuple(atom for atom in monomial if atom != mine)
        if count > 1 or any(not isinstance(atom, Variable) and _mentions(atom, name) for atom in others):
            return None
        if count:
            parts.append((others, factor))
    return Poly(parts)


def _mentions(atom: object, name: str) -> bool:
    """Return whether an atom contains a variable; the text of an atom names all its variables."""
    word, text = "", f"{atom} "
    for character in text:
        if character.isalnum() or character in "_'":
            word += character
            continue
        if word == name:
            return True
        word = ""
    return False


def _at_most(poly: Poly) -> int | None:
    """Bound the absolute value of a sum of constants and remainders, such as 2 * (y % 2) - 1."""
    low = high = 0
    for monomial, factor in poly.parts:
        most = 1
        for atom in monomial:
            divisor = atom.b.constant if isinstance(atom, Quotient) and atom.op == "mod" else None
            if not divisor:
                return None
            most *= abs(divisor) - 1
        ends = (factor * most, factor * most if not monomial else 0)
        low, high = low + min(ends), high + max(ends)
    return max(abs(low), abs(high))


def _with_neighbours(accesses: list[_Found]) -> list[_Found]:
    """Classify single elements around one place as neighbours: some in its row, some in adjacent rows."""
    groups: dict[str, list[_Found]] = {}
    for one in accesses:
        if one.access.pattern == SS and one.access.kind == "load":
            groups.setdefault(one.access.object, []).append(one)
    around: set[int] = set()
    for group in groups.values():
        places = {one.offset for one in group if one.offset is not None}
        if len(places) < _LEAST_NEIGHBOURS:
            continue
        near = far = False
        for a in places:
            for b in places:
                if a == b:
                    continue
                apart = _at_most(a - b)
                close = apart is not None and apart <= _NEAR * group[0].element
                near, far = near or close, far or not close
        if near and far:
            around.update(id(one) for one in group)
    return [
        replace(one, access=replace(one.access, pattern=NS)) if id(one) in around else one for one in accesses
    ]
