"""Compute the block of a term bottom-up (`transfer.py`)."""

from collections.abc import Sequence

from .blocks import Block, known, made, uniform
from .facts import Facts
from .terms import INPUT, LANE, Term, walk
from .transfer import transfer

_NO_FLAGS: frozenset[str] = frozenset()


class Solver:
    """What facts say about terms in certain lanes of a block; remembers every subterm."""

    def __init__(self, lanes: Sequence[int], facts: Facts) -> None:
        self.lanes, self.facts = tuple(lanes), facts
        self.blocks: dict[Term, Block] = {}

    def of(self, term: Term) -> Block:
        """The block of a term."""
        blocks = self.blocks
        found = blocks.get(term)
        if found is not None:
            return found
        for at in walk(term):
            if at not in blocks:
                blocks[at] = self._informed(at, self._computed(at))
        return blocks[term]

    def _computed(self, term: Term) -> Block:
        count = len(self.lanes)
        if isinstance(term.data, int):
            return known(term.width, (term.data,) * count)
        if term.op == LANE:
            return known(term.width, self.lanes)
        if term.op == INPUT:
            return uniform(term.width, count)
        flags = term.flags if self.facts.flags else _NO_FLAGS
        return transfer(term.op, term.width, term.data, flags, tuple(self.blocks[a] for a in term.args))

    def _informed(self, term: Term, block: Block) -> Block:
        """The block together with what facts say of the term."""
        facts = self.facts
        narrow, signed_range = facts.ranges.get(term), facts.signed_ranges.get(term)
        residue = facts.residues.get(term) if block.is_uniform else None
        if narrow is None and signed_range is None and residue is None:
            return block
        low, high = narrow or (block.low, block.high)
        signed_low, signed_high = signed_range or (block.signed_low, block.signed_high)
        modulus, rest = block.modulus, block.rest
        if residue is not None and residue[0] > modulus:
            modulus, rest = residue
        return made(
            block.width,
            block.offsets,
            modulus,
            rest,
            max(low, block.low),
            min(high, block.high),
            max(signed_low, block.signed_low),
            min(signed_high, block.signed_high),
            block.exact,
            block.signed_exact,
        )
