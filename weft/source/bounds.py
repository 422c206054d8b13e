"""Compute the largest index of a buffer in a launch from ids, given numbers and induction variables."""

from collections.abc import Mapping, Sequence

from weft.kernel import KernelCode
from weft.smt.studies.integers import Poly, Variable
from weft.source.index_form import Indices
from weft.source.model import Function, Node, Source
from weft.source.patterns import indices
from weft.source.shapes import literal, without_casts

Span = tuple[int, int]
_ARRAYS_END = 1 << 31


def greatest_index(
    source: Source,
    kernel: Function,
    code: KernelCode,
    name: str,
    global_size: Sequence[int],
    local_size: Sequence[int] | None,
    numbers: Mapping[str, int],
) -> tuple[int | None, str]:
    """Return the greatest index of any access to a buffer, in elements; or None and the reason."""
    spans = _spans(global_size, local_size) | _names(source, kernel, numbers)
    greatest = -1
    for index in indices(code, _three(local_size)):
        access = index.access
        if access.object != name:
            continue
        place = f"the index of {access.line}:{access.column}"
        span = _span(index.offset, spans) if index.offset is not None else None
        if span is None:
            return None, f"{place}, {access.index}, depends on more than ids, known numbers and counters"
        if span[0] < 0 or span[1] >= _ARRAYS_END:
            return None, f"{place}, {access.index}, goes from {span[0]} to {span[1]} bytes"
        greatest = max(greatest, span[1] // index.element)
    return (greatest, "") if greatest >= 0 else (None, "it has no access")


def _three(sizes: Sequence[int] | None) -> tuple[int, int, int] | None:
    if sizes is None:
        return None
    x, y, z = (*sizes, 1, 1)[:3]
    return x, y, z


def _spans(global_size: Sequence[int], local_size: Sequence[int] | None) -> dict[str, Span]:
    """Return the least and greatest values of ids and sizes."""
    spans: dict[str, Span] = {"gid": (0, global_size[0] - 1)}
    for dimension in range(3):
        whole = global_size[dimension] if dimension < len(global_size) else 1
        spans[f"get_global_id({dimension})"] = (0, whole - 1)
        spans[f"get_global_size({dimension})"] = (whole, whole)
        spans[f"get_global_offset({dimension})"] = (0, 0)
        if local_size is not None:
            part = local_size[dimension] if dimension < len(local_size) else 1
            spans[f"get_local_id({dimension})"] = (0, part - 1)
            spans[f"get_local_size({dimension})"] = (part, part)
            spans[f"get_group_id({dimension})"] = (0, whole // part - 1)
            spans[f"get_num_groups({dimension})"] = (whole // part, whole // part)
    if local_size is not None:
        spans["lid"] = (0, local_size[0] - 1)
    return spans


def _names(source: Source, kernel: Function, numbers: Mapping[str, int]) -> dict[str, Span]:
    """Return the values of numbers that the kernel does not assign, and of counters within their loops."""
    read = Indices(source, kernel)
    spans: dict[str, Span] = {}
    for parameter in kernel.parameters:
        if parameter.name in numbers and read.is_set_once(parameter.key, parameter.name):
            spans[parameter.name] = (numbers[parameter.name], numbers[parameter.name])
    for key, loop in read.counters.items():
        name = key.partition("@")[0]
        span = _counted(loop, key, spans) if loop.kind == "FOR_STMT" else None
        if span is not None and read.is_alone(name):
            spans[name] = span
    return spans


def _counted(loop: Node, key: str, known: Mapping[str, Span]) -> Span | None:
    """Return the values of a counter in the body of `for (i = 0; i < n; i++)`."""
    first, condition, _, _ = loop.parts
    if first is None or condition is None:
        return None
    compared = without_casts(condition)
    if compared.kind != "BINARY_OPERATOR" or compared.op not in ("<", "<="):
        return None
    counter, bound = (without_casts(n) for n in compared.children)
    if counter.key != key:
        return None
    start = literal(first.children[-1].children[-1] if first.kind == "DECL_STMT" else first.children[-1])
    end = literal(bound)
    if end is None and bound.kind == "DECL_REF_EXPR" and bound.name in known:
        end = known[bound.name][1]
    if start is None or end is None or start < 0:
        return None
    return start, max(end - (compared.op == "<"), start)


def _span(poly: Poly, spans: Mapping[str, Span]) -> Span | None:
    """Return bounds of a polynomial, which need not be tight."""
    low = high = 0
    for monomial, factor in poly.parts:
        a = b = 1
        for atom in monomial:
            span = spans.get(atom.name) if isinstance(atom, Variable) else None
            if span is None:
                return None
            ends = [x * y for x in (a, b) for y in span]
            a, b = min(ends), max(ends)
        low += min(a * factor, b * factor)
        high += max(a * factor, b * factor)
    return low, high
