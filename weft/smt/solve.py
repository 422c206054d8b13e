"""Compute the block of a term bottom-up (`transfer.py`)."""

from collections.abc import Sequence

from .blocks import Block, known, make_block, uniform
from .facts import Facts
from .terms import INPUT, LANE, Term, walk
from .transfer import transfer

_NO_FLAGS: frozenset[str] = frozenset()


class Solver:
    """Computes the blocks of terms in certain lanes under facts; caches every subterm."""

    def __init__(self, lanes: Sequence[int], facts: Facts) -> None:
        self.lanes, self.facts = tuple(lanes), facts
        self.blocks: dict[Term, Block] = {}

    def of(self, term: Term) -> Block:
        """Return the block of a term."""
        blocks = self.blocks
        known_block = blocks.get(term)
        if known_block is not None:
            return known_block
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
        """Refine the block of a term by the facts about it."""
        facts = self.facts
        narrow, signed_range = facts.ranges.get(term), facts.signed_ranges.get(term)
        congruence = facts.residues.get(term) if block.is_uniform else None
        if narrow is None and signed_range is None and congruence is None:
            return block
        low, high = narrow or (block.low, block.high)
        signed_low, signed_high = signed_range or (block.signed_low, block.signed_high)
        modulus, residue = block.modulus, block.residue
        if congruence is not None and congruence[0] > modulus:
            modulus, residue = congruence
        return make_block(
            block.width,
            block.offsets,
            modulus,
            residue,
            max(low, block.low),
            min(high, block.high),
            max(signed_low, block.signed_low),
            min(signed_high, block.signed_high),
            block.exact,
            block.signed_exact,
        )
