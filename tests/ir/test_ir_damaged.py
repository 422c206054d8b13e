"""Damaged text is a ParseError or still IR: never another exception, never a hang."""

import random

import pytest
from ir_corpus import SOURCES, compiled

from weft import ir
from weft.ir.lexer import tokenize


def _damage(text: str, chance: random.Random) -> str:
    """The text with one line damaged in one of the ways that files get damaged."""
    lines = text.split("\n")
    at = chance.randrange(len(lines))
    tokens = tokenize(lines[at]) or [""]
    spot = chance.randrange(len(tokens))
    other = chance.choice(tokenize(chance.choice(lines)) or ["("])
    match chance.randrange(6):
        case 0:
            del tokens[spot]
        case 1:
            tokens[spot] = other
        case 2:
            tokens.insert(spot, other)
        case 3:
            del tokens[spot:]
        case 4:
            tokens[spot] = tokens[spot][: len(tokens[spot]) // 2]
        case _:
            return "\n".join(lines[:at])
    indent = "  " if lines[at].startswith(" ") else ""
    lines[at] = indent + " ".join(tokens)
    return "\n".join(lines)


@pytest.mark.parametrize("source", SOURCES)
def test_damaged_text_is_a_parse_error_or_still_a_module(source: str) -> None:
    text = compiled(source, "O1")
    chance = random.Random(source)
    outcomes = {"error": 0, "module": 0}
    for _ in range(60):
        try:
            module = ir.parse(_damage(text, chance))
        except ir.ParseError:
            outcomes["error"] += 1
        else:
            ir.print_module(module)
            outcomes["module"] += 1
    assert outcomes["error"] > 5 and outcomes["module"] > 5, outcomes
