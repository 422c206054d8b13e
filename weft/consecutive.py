"""Prove which accesses of a kernel are consecutive for adjacent work-items along x: `weft consecutive`.

The kernel is analysed before it becomes a work-group function, so that terms have the names of the source:
`gid` and `lid` are the global and local ids along x. Blocks of work-items start at multiples of their width.
"""

from weft.analysis.address_terms import (
    GLOBAL_BLOCK,
    LOCAL_BLOCK,
    NotExpressible,
    Terms,
)
from weft.analysis.consecutive import Prepared, relevant, without_pointer
from weft.dataclasses import dataclass, replace
from weft.ir import Instruction
from weft.ir.debug import Location
from weft.smt.decide import condition
from weft.smt.facts import Facts
from weft.smt.studies.integers import Poly, Power, rewritten, substituted, variable, without_modulo
from weft.smt.studies.presburger import LANE_NAME, Integers, NotPresburger
from weft.smt.studies.query_cache import Query, QueryCache
from weft.smt.studies.ranges import Progress, RangeResult, decide_range
from weft.smt.studies.thorough import examine
from weft.smt.terms import Term, inputs, text
from weft.smt.verdict import Condition, Verdict


@dataclass(frozen=True)
class Finding:
    """An access: its location, its index as a term, and the results of the analysis.

    `before` and `after` are the index in elements, before and after modulo elimination; `reason` says why
    there is no term. `offset` is the distance from the start of the object in bytes.
    """

    kernel: str
    place: Location | None
    kind: str
    object: str
    element: int
    before: str = ""
    after: str = ""
    reason: str = ""
    verdict: Verdict | None = None
    condition: Condition | None = None
    offset: Term | None = None
    facts: Facts | None = None
    ranges: tuple[RangeResult, ...] = ()


@dataclass(frozen=True)
class Span:
    """Values low <= value < end of the input `key`."""

    key: str
    low: int
    end: int


def findings(
    kernel: Prepared,
    width: int,
    spans: tuple[Span, ...] = (),
    *,
    z3_ms: int = 2000,
    cache: QueryCache | None = None,
    progress: Progress | None = None,
) -> list[Finding]:
    """Return the finding for each access, in source order."""
    terms = kernel.terms(width)
    cache = cache or QueryCache()
    found = [_finding(kernel, i, terms, width, spans, z3_ms, cache, progress) for i in kernel.accesses()]
    return sorted(
        found, key=lambda f: (f.place.line, f.place.column) if f.place is not None else (1 << 30, 0)
    )


def _finding(
    kernel: Prepared,
    i: Instruction,
    terms: Terms,
    width: int,
    spans: tuple[Span, ...],
    z3_ms: int,
    cache: QueryCache,
    progress: Progress | None,
) -> Finding:
    pointer = i.operands[0] if i.opcode == "load" else i.operands[1]
    place = kernel.naming.place(i)
    name = kernel.naming.memory(pointer)[1]
    base = Finding(kernel.kernel, place, i.opcode, name, 0)
    try:
        address = kernel.address(i, terms)
    except NotExpressible as reason:
        return replace(base, reason=str(reason))
    offset = without_pointer(address.term)
    facts = relevant(address.facts, offset)
    base = replace(base, element=address.element, offset=offset, facts=facts)
    before, after = index_texts(offset, width, facts, address.element)
    base = replace(base, before=before, after=after)

    def compute() -> tuple[Verdict, Condition | None]:
        verdict = examine(offset, width, facts, address.element, z3_ms=z3_ms)
        served = verdict.is_yes and verdict.kind != "pieces"
        return verdict, None if served else condition(offset, width, facts, address.element)

    query = Query(offset, facts, width, address.element, z3_ms)
    verdict, under = cache.look_up(query, compute)
    decided = tuple(
        decide_range(offset, s.key, s.low, s.end, width, facts, address.element, progress=progress)
        for s in spans
        if s.key in inputs(offset)
    )
    return replace(base, verdict=verdict, condition=under, ranges=decided)


def index_texts(offset: Term, width: int, facts: Facts, element: int) -> tuple[str, str]:
    """Return the index in elements as integers that do not wrap, before and after modulo elimination.

    The result is for readers; the machine's term has casts and wraps. It is shown even if integers would
    wrap.
    """
    try:
        poly = Integers(range(width), facts, ideal=True).read(offset, with_sign=True)
    except NotPresburger:
        return text(offset), text(offset)
    # Exponents are not expanded.
    poly = rewritten(poly, lambda atom: variable(str(atom)) if isinstance(atom, Power) else None)
    return _in_ids(poly, element), _in_ids(without_modulo(poly), element)


def _in_ids(poly: Poly, element: int) -> str:
    """Express a term in ids instead of blocks and lanes, and in elements instead of bytes."""
    lane = variable(LANE_NAME)
    ids = {LOCAL_BLOCK: variable("lid") - lane, GLOBAL_BLOCK: variable("gid") - lane}
    poly = substituted(poly, ids)
    if all(factor % element == 0 for _, factor in poly.parts):
        return str(Poly((m, factor // element) for m, factor in poly.parts))
    return f"({poly}) / {element}"
