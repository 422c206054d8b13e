"""Emit loads and stores of lanes whose addresses are regular piece by piece.

A piece is a vector load or store at the address of its first lane, with a shuffle if its lanes are not in
memory order:

    a[i ^ 1]                          one piece of all lanes, in the order 1 0 3 2 …
    a[2 * s * (i / s) + i % s]        with s = 4: pieces of four consecutive lanes
"""

from typing import TYPE_CHECKING

from weft.analysis.lanes import Lanes, Pieces
from weft.ir import Instruction, Value
from weft.ir.types import Type, VectorType, size_of

from .access_forms import AccessForm
from .lane_accesses import is_of_whole_bytes
from .wide_vectors import components, joined, part, shuffled

if TYPE_CHECKING:
    from .widen import Widener


def _places(pieces: Pieces, type: Type) -> tuple[int, list[int]] | None:
    """Return the offset of a piece's first byte from its first lane, and the element index of each lane.

    None if offsets are not multiples of the element size, or too far apart for a vector.
    """
    size = size_of(type)
    first = min(pieces.order)
    if any((distance - first) % size for distance in pieces.order):
        return None
    places = [(distance - first) // size for distance in pieces.order]
    return (first, places) if max(places) < 2 * len(places) else None


def can_load(pieces: Pieces, type: Type) -> bool:
    """Return whether each piece is a vector load."""
    return is_of_whole_bytes(type) and _places(pieces, type) is not None


def can_store(pieces: Pieces, type: Type) -> bool:
    """Return whether each piece is a vector store: no gaps, and no two lanes store to one element."""
    offset_and_places = _places(pieces, type) if is_of_whole_bytes(type) else None
    return offset_and_places is not None and sorted(offset_and_places[1]) == list(
        range(len(offset_and_places[1]))
    )


def serves_all(lanes: Lanes, address: Instruction, pieces: Pieces) -> bool:
    """Return whether an address is used only by loads and stores that such pieces can do."""
    return all(_is_served(lanes, user, address, pieces) for user in address.users)


def _is_served(lanes: Lanes, user: Instruction, address: Instruction, pieces: Pieces) -> bool:
    if user.block in lanes.masked or user.is_ordered:
        return False
    if user.opcode == "load":
        return can_load(pieces, user.type)
    return (
        user.opcode == "store"
        and user.operands[0] is not address
        and can_store(pieces, user.operands[0].type)
    )


def _load_form(pieces: Pieces, places: list[int]) -> AccessForm:
    if pieces.count == 1:
        return AccessForm.VECTOR_LOAD if _is_in_place(places) else AccessForm.SHUFFLED_LOAD
    return AccessForm.PIECES_LOAD if _is_in_place(places) else AccessForm.SHUFFLED_PIECES_LOAD


def _store_form(pieces: Pieces, places: list[int]) -> AccessForm:
    if pieces.count == 1:
        return AccessForm.VECTOR_STORE if _is_in_place(places) else AccessForm.SHUFFLED_STORE
    return AccessForm.PIECES_STORE if _is_in_place(places) else AccessForm.SHUFFLED_PIECES_STORE


def _is_in_place(places: list[int]) -> bool:
    return places == sorted(places) and max(places) < len(places)


def load_pieces(w: "Widener", i: Instruction, type: Type, pieces: Pieces) -> Value:
    """Load all lanes, one vector per piece."""
    offset_and_places = _places(pieces, type)
    assert offset_and_places is not None
    first, places = offset_and_places
    w.note(i, _load_form(pieces, places), pieces=pieces.count, lanes=len(places))
    wide = VectorType(type, max(places) + 1)
    parts = []
    for number in range(pieces.count):
        address = w.b.byte_offset(w.lane_values.of(i.operands[0], number * len(places)), first)
        piece = w.load_like(i, wide, address, max(i.attributes["align"], pieces.alignment), i.name)
        parts.append(shuffled(w.b, piece, None, places))
    return joined(w.b, parts)


def store_pieces(w: "Widener", i: Instruction, type: Type, wide: Value, pieces: Pieces) -> None:
    """Store all lanes, one vector per piece."""
    offset_and_places = _places(pieces, type)
    assert offset_and_places is not None
    first, places = offset_and_places
    w.note(i, _store_form(pieces, places), pieces=pieces.count, lanes=len(places))
    lanes = len(places)
    assert components(wide.type) == lanes * pieces.count
    for number in range(pieces.count):
        address = w.b.byte_offset(w.lane_values.of(i.operands[1], number * lanes), first)
        piece = part(w.b, wide, number * lanes, lanes)
        piece = shuffled(w.b, piece, None, [places.index(place) for place in range(lanes)])
        w.store_like(i, piece, address, max(i.attributes["align"], pieces.alignment))
