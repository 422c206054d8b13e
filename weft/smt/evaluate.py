"""Evaluate a term in a lane for given inputs; this defines the meaning of terms."""

from collections.abc import Callable, Mapping, Sequence

from weft.integers import operation

from .terms import CONST, INPUT, LANE, Term, walk

Function = Callable[..., int | None]


class Program:
    """A term prepared for repeated evaluation: its subterms in order, each with the positions of its
    operands."""

    def __init__(self, term: Term, flags: bool = True) -> None:
        self._nodes: list[tuple[Term, Function | None, tuple[int, ...]]] = []
        places: dict[Term, int] = {}
        for at in walk(term):
            places[at] = len(self._nodes)
            self._nodes.append((at, _function(at, flags), tuple(places[a] for a in at.args)))

    def run(self, lane: int, inputs: Mapping[str, int]) -> int | None:
        """Return the term's number modulo 2^width; None if the IR leaves it undefined."""
        values: list[int | None] = []
        for at, function, places in self._nodes:
            op = at.op
            number: int | None
            if function is not None:
                number = _computed(op, function, [values[p] for p in places])
            elif isinstance(at.data, int):
                number = at.data
            else:
                number = (lane if op == LANE else inputs[at.key]) % (1 << at.width)
            values.append(number)
        return values[-1]

    def run_lanes(self, lanes: Sequence[int], inputs: Mapping[str, int]) -> list[int] | None:
        """Return the numbers of several lanes; None if one of them is undefined."""
        numbers = []
        for lane in lanes:
            number = self.run(lane, inputs)
            if number is None:
                return None
            numbers.append(number)
        return numbers


def evaluate(term: Term, lane: int, inputs: Mapping[str, int], flags: bool = True) -> int | None:
    """Return the term's number modulo 2^width; None if the IR leaves it undefined.

    With `flags`, violations of `nsw`, `nuw`, `nneg`, `exact` and `disjoint` are undefined.
    """
    return Program(term, flags).run(lane, inputs)


def _function(term: Term, flags: bool) -> Function | None:
    """Return the function that an operation computes; None for a leaf."""
    if term.op in (CONST, LANE, INPUT):
        return None
    kept = term.flags if flags else frozenset[str]()
    return operation(term.op, term.width, term.args[0].width, kept, str(term.data))


def _computed(op: str, function: Function, numbers: list[int | None]) -> int | None:
    """Apply an operation to its operands; None is poison."""
    if op == "select" and numbers[0] is not None:
        return numbers[1] if numbers[0] else numbers[2]
    return None if None in numbers else function(*numbers)
