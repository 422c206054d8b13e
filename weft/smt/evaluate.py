"""The number that a term is in a lane, for given inputs: the definition of what terms mean."""

from collections.abc import Mapping, Sequence

from .arithmetic import apply, compared, keeps_promises
from .terms import INPUT, LANE, Term, walk


class Program:
    """A term made ready to be evaluated many times: its subterms in order, each with its operands' places."""

    def __init__(self, term: Term, flags: bool = True) -> None:
        self.flags = flags
        self._nodes: list[tuple[Term, tuple[int, ...]]] = []
        places: dict[Term, int] = {}
        for at in walk(term):
            places[at] = len(self._nodes)
            self._nodes.append((at, tuple(places[a] for a in at.args)))

    def run(self, lane: int, inputs: Mapping[str, int]) -> int | None:
        """The term's number modulo 2^width; None if the IR leaves it undefined."""
        values: list[int | None] = []
        for at, places in self._nodes:
            op = at.op
            found: int | None
            if isinstance(at.data, int):
                found = at.data
            elif op == LANE:
                found = lane % (1 << at.width)
            elif op == INPUT:
                found = inputs[at.key] % (1 << at.width)
            else:
                found = _computed(at, [values[p] for p in places], self.flags)
            values.append(found)
        return values[-1]

    def run_lanes(self, lanes: Sequence[int], inputs: Mapping[str, int]) -> list[int] | None:
        """The numbers of several lanes; None if one of them is undefined."""
        found = []
        for lane in lanes:
            number = self.run(lane, inputs)
            if number is None:
                return None
            found.append(number)
        return found


def evaluate(term: Term, lane: int, inputs: Mapping[str, int], flags: bool = True) -> int | None:
    """The term's number modulo 2^width; None if the IR leaves it undefined.

    With `flags` that includes what `nsw`, `nuw`, `nneg`, `exact` and `disjoint` exclude.
    """
    return Program(term, flags).run(lane, inputs)


def _computed(term: Term, numbers: list[int | None], flags: bool) -> int | None:
    """What an operation makes of its operands, of which None is poison."""
    if term.op == "select" and numbers[0] is not None:
        return numbers[1] if numbers[0] else numbers[2]
    given = [number for number in numbers if number is not None]
    if len(given) < len(numbers):
        return None
    if term.op == "icmp":
        return int(compared(str(term.data), term.args[0].width, given[0], given[1]))
    source = term.args[0].width
    found = apply(term.op, term.width, given, source)
    if found is not None and flags and term.flags:
        return found if keeps_promises(term.op, term.flags, term.width, source, given, found) else None
    return found
