"""Evaluate a term in a lane for given inputs; this defines the meaning of terms."""

from collections.abc import Callable, Mapping, Sequence

from weft.integers import operation

from .terms import CONST, INPUT, LANE, Term, walk

Function = Callable[..., int | None]


class Program:
    """A term made ready to be evaluated many times: its subterms in order, each with its operands' places."""

    def __init__(self, term: Term, flags: bool = True) -> None:
        self._nodes: list[tuple[Term, Function | None, tuple[int, ...]]] = []
        places: dict[Term, int] = {}
        for at in walk(term):
            places[at] = len(self._nodes)
            self._nodes.append((at, _function(at, flags), tuple(places[a] for a in at.args)))

    def run(self, lane: int, inputs: Mapping[str, int]) -> int | None:
        """The term's number modulo 2^width; None if the IR leaves it undefined."""
        values: list[int | None] = []
        for at, function, places in self._nodes:
            op = at.op
            found: int | None
            if function is not None:
                found = _computed(op, function, [values[p] for p in places])
            elif isinstance(at.data, int):
                found = at.data
            else:
                found = (lane if op == LANE else inputs[at.key]) % (1 << at.width)
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


def _function(term: Term, flags: bool) -> Function | None:
    """What an operation computes; None for a leaf."""
    if term.op in (CONST, LANE, INPUT):
        return None
    kept = term.flags if flags else frozenset[str]()
    return operation(term.op, term.width, term.args[0].width, kept, str(term.data))


def _computed(op: str, function: Function, numbers: list[int | None]) -> int | None:
    """What an operation makes of its operands, of which None is poison."""
    if op == "select" and numbers[0] is not None:
        return numbers[1] if numbers[0] else numbers[2]
    return None if None in numbers else function(*numbers)
