"""Simplify terms: recombine quotient and remainder of a division.

    (x / k) * k + x % k  =  x        in machine arithmetic too, for all x and k

The same holds for shifts and masks. Sums that change are rebuilt without their flags; everything else is
unchanged.
"""

from .terms import Term, binary, constant, rebuilt, walk

_REMAINDERS = {"urem": "udiv", "srem": "sdiv"}
Addend = tuple[int, Term]


def simplified(term: Term) -> Term:
    """Recombine divisions whose quotient and remainder are added."""
    if not any(t.op in _REMAINDERS or t.op == "and" for t in walk(term)):
        return term
    results: dict[Term, Term] = {}
    for at in walk(term):
        node = rebuilt(at, tuple(results[a] for a in at.args))
        results[at] = _recombined(node) if node.op in ("add", "sub", "or") else node
    return results[term]


def _recombined(term: Term) -> Term:
    if term.op == "or" and "disjoint" not in term.flags:
        return term
    addends: list[Addend] = []
    _flatten(term, 1, addends)
    for place, (factor, part) in enumerate(addends):
        division = _division(part)
        if division is None:
            continue
        x, k, quotient = division
        for other, (times, candidate) in enumerate(addends):
            if other != place and _is_rounded(candidate, times, factor, x, k, quotient, term.width):
                others = [a for i, a in enumerate(addends) if i not in (place, other)]
                return _recombined(_sum([*others, (factor, x)], term.width))
    return term


def _flatten(term: Term, factor: int, addends: list[Addend]) -> None:
    if term.op in ("add", "sub") or (term.op == "or" and "disjoint" in term.flags):
        _flatten(term.args[0], factor, addends)
        _flatten(term.args[1], -factor if term.op == "sub" else factor, addends)
    elif term.op == "mul" and (number := term.args[1].constant) is not None:
        _flatten(term.args[0], factor * number, addends)
    elif term.op == "shl" and (shift := term.args[1].constant) is not None and shift < term.width:
        _flatten(term.args[0], factor << shift, addends)
    else:
        addends.append((factor, term))


def _division(term: Term) -> tuple[Term, Term, Term] | None:
    """Return x, k and the quotient for a remainder x % k or a mask x & (k - 1)."""
    if term.op in _REMAINDERS:
        x, k = term.args
        return x, k, Term(_REMAINDERS[term.op], term.width, (x, k))
    if term.op == "and":
        for x, mask in (term.args, term.args[::-1]):
            number = mask.constant
            if number and number & (number + 1) == 0:
                shift = constant(number.bit_length(), term.width)
                return x, constant(number + 1, term.width), Term("lshr", term.width, (x, shift))
            power = _power_below(mask)
            if power is not None:
                return x, power, Term("lshr", term.width, (x, power.args[1]))
    return None


def _power_below(mask: Term) -> Term | None:
    """Return the term 1 << s of a mask (1 << s) - 1."""
    if mask.op == "add" and mask.args[1] == constant(-1, mask.width):
        shifted = mask.args[0]
        if shifted.op == "shl" and shifted.args[0].constant == 1:
            return shifted
    return None


def _is_rounded(term: Term, times: int, factor: int, x: Term, k: Term, quotient: Term, width: int) -> bool:
    """Return whether `times * term` is `factor` times x rounded down to a multiple of k."""
    number = k.constant
    if number is not None and _same(term, quotient):
        return (times - factor * number) % (1 << width) == 0
    if (times - factor) % (1 << width):
        return False
    if term.op == "mul":
        return any(_same(a, quotient) and b == k for a, b in (term.args, term.args[::-1]))
    return (
        quotient.op == "lshr"
        and term.op == "shl"
        and _same(term.args[0], quotient)
        and (term.args[1] == quotient.args[1])
    )


def _same(term: Term, quotient: Term) -> bool:
    return term.op == quotient.op and term.args == quotient.args


def _sum(addends: list[Addend], width: int) -> Term:
    total: Term | None = None
    for factor, part in addends:
        scaled = part if factor == 1 else binary("mul", part, constant(factor, width))
        total = scaled if total is None else binary("add", total, scaled)
    assert total is not None
    return total
