"""Conditions of proofs as code: they compute what the terms mean, and never trap."""

import random

import pytest

from weft import ir
from weft.interp.ndrange import run_function
from weft.ir.builder import Builder
from weft.ir.types import FunctionType, IntType
from weft.ir.verifier import verify
from weft.smt.evaluate import evaluate
from weft.smt.terms import (
    BINARY,
    DIVISIONS,
    Term,
    binary,
    cast,
    compare,
    constant,
    input_,
    select,
)
from weft.transform.simd.emit_term import emit_term

WIDTHS = (8, 16, 32, 64)
PREDICATES = ("eq", "ne", "ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge")
INPUTS = ("a", "b")


def random_term(rng: random.Random, width: int, depth: int) -> Term:
    """A term of a width over the inputs `a` and `b`, which have that width as well or are converted."""
    kind = rng.randrange(10) if depth else rng.randrange(2)
    if kind == 0:
        return input_(rng.choice(INPUTS), 32) if width == 32 else cast("trunc", input_("c", 64), width)
    if kind == 1:
        return constant(rng.choice((0, 1, 2, 3, 8, 31, -1, -8, 1 << (width - 1))), width)
    if kind == 2:
        source = rng.choice([w for w in WIDTHS if w != width])
        op = "trunc" if source > width else rng.choice(("zext", "sext"))
        return cast(op, random_term(rng, source, depth - 1), width)
    if kind == 3:
        left, right = (random_term(rng, 32, depth - 1) for _ in range(2))
        condition = compare(rng.choice(PREDICATES), left, right)
        return select(condition, random_term(rng, width, depth - 1), random_term(rng, width, depth - 1))
    op = rng.choice(sorted(BINARY))
    return binary(op, random_term(rng, width, depth - 1), random_term(rng, width, depth - 1))


def emitted(term: Term) -> ir.Module:
    """A module with a function of the inputs that computes a term."""
    module = ir.parse("")
    types = (IntType(32), IntType(32), IntType(64))
    function = module.add_function("f", FunctionType(IntType(term.width), types))
    b = Builder(function.add_block("entry"))
    b.ret(emit_term(b, term, dict(zip(("a", "b", "c"), function.arguments, strict=True))))
    verify(module)
    return module


@pytest.mark.parametrize("seed", range(60))
def test_code_computes_the_term(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(5):
        term = random_term(rng, rng.choice(WIDTHS), 3)
        module = emitted(term)
        for _ in range(6):
            words = {"a": rng.getrandbits(32), "b": rng.choice((0, 1, 2**32 - 1)), "c": rng.getrandbits(64)}
            meant = evaluate(term, 0, words, False)
            found = run_function(module, "f", list(words.values()))
            assert meant is None or found == meant, f"{term} with {words}"


@pytest.mark.parametrize("op", sorted(DIVISIONS))
@pytest.mark.parametrize("below", [0, 1, 2**32 - 1])
def test_divisions_do_not_trap(op: str, below: int) -> None:
    module = emitted(binary(op, input_("a", 32), input_("b", 32)))
    for above in (0, 1, 2**31, 2**32 - 1):
        run_function(module, "f", [above, below, 0])
