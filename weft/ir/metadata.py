"""Metadata nodes and the properties of loops.

A module keeps nodes as LLVM's text, which is parsed here.

    !5 = distinct !{!5, !6}                                     the loop whose latch has `!llvm.loop !5`
    !6 = !{!"llvm.loop.parallel_accesses", !7}                  a property of it
"""

from collections.abc import Iterable

from weft.lazy_pattern import lazy_pattern

from .function import Block, Module
from .instruction import Instruction

LOOP = "llvm.loop"
_OPERAND = lazy_pattern(r'(?:"[^"]*"|[^,"])+')
_INTEGER = lazy_pattern(r"i\d+ (-?\d+)$")
_REFERENCE = lazy_pattern(r"!\d+$")


def node_text(module: Module, reference: str) -> str:
    """Return the text of a node, given a reference such as `!5`."""
    return module.metadata[int(reference[1:])]


def node_operands(text: str) -> list[str]:
    """Return the operands of a node `!{…}`: references, strings and constants with their types."""
    return [operand.strip() for operand in _OPERAND.findall(text[text.index("{") + 1 : text.rindex("}")])]


def node_references(text: str) -> list[str]:
    """Return the operands of a node that are references to other nodes."""
    return [operand for operand in node_operands(text) if _REFERENCE.match(operand)]


def node_integers(module: Module, reference: str) -> tuple[int, ...]:
    """Return the operands of a node that are integers."""
    matches = map(_INTEGER.match, node_operands(node_text(module, reference)))
    return tuple(int(match[1]) for match in matches if match is not None)


def integer_node(module: Module, *numbers: int, bits: int = 32) -> str:
    """Add a node of integers and return its reference."""
    return module.add_metadata(f"!{{{', '.join(f'i{bits} {number}' for number in numbers)}}}")


def loop_properties(latch: Block) -> list[str]:
    """Return the loop properties of a latch, as texts of nodes."""
    return [node_text(latch.parent.parent, node) for node in _property_nodes(latch)]


def set_loop_properties(terminator: Instruction, nodes: Iterable[str]) -> None:
    """Replace the loop properties of a latch, given its terminator."""
    module = terminator.parent.parent.parent
    terminator.metadata[LOOP] = module.add_metadata(f"distinct !{{{', '.join(['{self}', *nodes])}}}")


def add_loop_properties(latch: Block, *nodes: str) -> None:
    """Add loop properties to a latch."""
    set_loop_properties(latch.terminator, (*_property_nodes(latch), *nodes))


def make_distinct_loop_id(latch: Block) -> None:
    """Give a copied loop a loop id of its own, with the same properties."""
    if LOOP in latch.terminator.metadata:
        add_loop_properties(latch)


def _property_nodes(latch: Block) -> list[str]:
    node = latch.terminator.metadata.get(LOOP)
    if node is None:
        return []
    return [r for r in node_references(node_text(latch.parent.parent, node)) if r != node]
