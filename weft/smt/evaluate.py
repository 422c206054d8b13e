"""The number that a term is in a lane, for given inputs: the definition of what terms mean."""

from collections.abc import Mapping, Sequence

from .terms import CONST, INPUT, LANE, Term, apply, compared, signed, walk


def evaluate(term: Term, lane: int, inputs: Mapping[str, int], flags: bool = True) -> int | None:
    """The term's number modulo 2^width; None if the IR leaves it undefined.

    With `flags` that includes what `nsw`, `nuw`, `nneg`, `exact` and `disjoint` exclude.
    """
    values: dict[Term, int | None] = {}
    for at in walk(term):
        if at.op == CONST:
            found: int | None = at.data  # type: ignore[assignment]
        elif at.op == LANE:
            found = lane % (1 << at.width)
        elif at.op == INPUT:
            found = inputs[at.key] % (1 << at.width)
        else:
            found = _computed(at, tuple(values[a] for a in at.args), flags)
        values[at] = found
    return values[term]


def _computed(term: Term, numbers: tuple[int | None, ...], flags: bool) -> int | None:
    """What an operation makes of its operands, of which None is poison."""
    if term.op == "select" and numbers[0] is not None:
        return numbers[1] if numbers[0] else numbers[2]
    if None in numbers:
        return None
    given: tuple[int, ...] = numbers  # type: ignore[assignment]
    if term.op == "icmp":
        return int(compared(str(term.data), term.args[0].width, *given))
    found = apply(term.op, term.width, given, term.args[0].width)
    if found is None or (flags and term.flags and not keeps_promises(term, given, found)):
        return None
    return found


def evaluate_lanes(
    term: Term, lanes: Sequence[int], inputs: Mapping[str, int], flags: bool = True
) -> list[int] | None:
    """The numbers of several lanes; None if one of them is undefined."""
    found = [evaluate(term, lane, inputs, flags) for lane in lanes]
    return None if None in found else found  # type: ignore[return-value]


def keeps_promises(term: Term, numbers: tuple[int, ...], result: int) -> bool:
    """Whether an operation on such numbers does what its flags say."""
    a, b = numbers[0], numbers[-1]
    width, source = term.width, term.args[0].width
    for flag in term.flags:
        match flag:
            case "nuw":
                kept = _exact(term.op, a, b) == result
            case "nsw":
                second = b if term.op == "shl" else signed(b, source)
                kept = _exact(term.op, signed(a, source), second) == signed(result, width)
            case "nneg":
                kept = signed(a, source) >= 0
            case "disjoint":
                kept = a & b == 0
            case "exact" if term.op in ("lshr", "ashr"):
                kept = a % (1 << b) == 0
            case "exact":
                kept = signed(a, source) % signed(b, source) == 0 if term.op == "sdiv" else a % b == 0
            case _:
                kept = True
        if not kept:
            return False
    return True


def _exact(op: str, a: int, b: int) -> int:
    match op:
        case "add":
            return a + b
        case "sub":
            return a - b
        case "mul":
            return a * b
        case "shl":
            return a << b
    return a  # trunc
