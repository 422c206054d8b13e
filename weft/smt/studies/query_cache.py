"""A cache of query results: terms that differ only in the names of their inputs are the same query.

Results live in memory as long as a `QueryCache`, and on disk in a store that the caller provides (such as the
cache of compiled code), where other processes find them. The compiler's queries take less time than opening a
file, so they stay in memory.
"""

import json
from collections.abc import Callable
from typing import Any, Protocol

from weft.dataclasses import asdict, replace

from ..facts import Facts
from ..terms import INPUT, Term, walk
from ..verdict import Atom, Condition, Counterexample, Verdict

# Part of every key on disk: increment it when a procedure changes.
VERSION = 1
MOST = 4096


class Store(Protocol):
    """Data by key, for example on disk."""

    def get(self, key: str) -> bytes | None:
        """Return the data of a key, if any."""
        ...

    def put(self, key: str, data: bytes) -> None:
        """Store data."""
        ...


class Query:
    """A query in canonical form: subterms are numbered, inputs are named by number."""

    def __init__(self, term: Term, facts: Facts, *details: object) -> None:
        self.terms: list[Term] = []
        self.keys: list[str] = []
        self._numbers: dict[Term, int] = {}
        lines = [str(details), str(facts.flags), str(self._number(term))]
        # Facts about other terms are irrelevant unless they share an input.
        for fact in facts.terms():
            parts = [facts.ranges.get(fact), facts.signed_ranges.get(fact), facts.residues.get(fact)]
            lines.append(f"{self._number(fact)}: {parts}")
        self.text = "\n".join([*self._written, *lines])

    @property
    def _written(self) -> list[str]:
        lines = []
        for at in self.terms:
            data = self.keys.index(at.key) if at.op == INPUT else at.data
            places = ",".join(str(self._numbers[a]) for a in at.args)
            lines.append(f"{at.op}{at.width}({places}){data}{'.'.join(sorted(at.flags))}")
        return lines

    def _number(self, term: Term) -> int:
        for at in walk(term):
            if at not in self._numbers:
                self._numbers[at] = len(self.terms)
                self.terms.append(at)
                if at.op == INPUT and at.key not in self.keys:
                    self.keys.append(at.key)
        return self._numbers[term]

    # Results with numbers instead of names, so that they apply to the same query with other names

    def plain(self, verdict: Verdict, condition: Condition | None) -> dict[str, Any] | None:
        """Return a result without names; None if it uses terms that are not in the query."""
        result: dict[str, Any] = {"verdict": _plain(verdict, self.keys), "atoms": None}
        if condition is not None:
            if any(a.term not in self._numbers for a in condition.atoms):
                return None
            result["atoms"] = [[a.relation, self._numbers[a.term], a.number] for a in condition.atoms]
            result["under"] = _plain(condition.verdict, self.keys)
        return result

    def named(self, plain: dict[str, Any]) -> tuple[Verdict, Condition | None]:
        """Return a result with the names of this query."""
        verdict = _named(plain["verdict"], self.keys)
        if plain["atoms"] is None:
            return verdict, None
        atoms = tuple(Atom(r, self.terms[place], number) for r, place, number in plain["atoms"])
        return verdict, Condition(atoms, _named(plain["under"], self.keys))


def _plain(verdict: Verdict, keys: list[str]) -> dict[str, Any]:
    result = asdict(replace(verdict, counterexample=None))
    example = verdict.counterexample
    if example is not None:
        inputs = [[keys.index(k), v] for k, v in example.inputs.items()]
        result["counterexample"] = [inputs, list(example.addresses), example.lane]
    return result


def _named(plain: dict[str, Any], keys: list[str]) -> Verdict:
    fields = dict(plain)
    example = fields.pop("counterexample")
    fields["places"] = tuple(fields["places"])
    if example is None:
        return Verdict(**fields)
    inputs, addresses, lane = example
    named = Counterexample({keys[k]: v for k, v in inputs}, tuple(addresses), lane)
    return Verdict(**fields, counterexample=named)


Compute = Callable[[], tuple[Verdict, Condition | None]]


class QueryCache:
    """A cache of results. It is thread-safe; two threads may compute the same result."""

    def __init__(self, store: Store | None = None, digest: Callable[..., str] | None = None) -> None:
        self._store, self._digest = store, digest
        self._memory: dict[str, dict[str, Any]] = {}

    def look_up(self, query: Query, compute: Compute) -> tuple[Verdict, Condition | None]:
        """Return the result of a query from memory or the store, or compute and store it."""
        plain = self._memory.get(query.text) or self._stored(query)
        if plain is not None:
            return query.named(plain)
        verdict, condition = compute()
        plain = query.plain(verdict, condition)
        if plain is not None:
            self._remember(query, plain)
            if self._store is not None and self._digest is not None:
                self._store.put(self._key(query), json.dumps(plain).encode())
        return verdict, condition

    def _remember(self, query: Query, plain: dict[str, Any]) -> None:
        if len(self._memory) >= MOST:
            self._memory.clear()
        self._memory[query.text] = plain

    def _key(self, query: Query) -> str:
        assert self._digest is not None
        return self._digest("smt answer", str(VERSION), query.text)

    def _stored(self, query: Query) -> dict[str, Any] | None:
        if self._store is None or self._digest is None:
            return None
        data = self._store.get(self._key(query))
        if data is None:
            return None
        plain: dict[str, Any] = json.loads(data)
        self._remember(query, plain)
        return plain
