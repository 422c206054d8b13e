"""The vector forms of memory accesses."""

from enum import unique

from weft.dataclasses import dataclass
from weft.remarks import Message


@unique
class AccessForm(Message):
    """A form of an access in vector code."""

    ONE_LOAD = "one load for all lanes"
    VECTOR_LOAD = "vector load"
    MASKED_VECTOR_LOAD = "masked vector load"
    REVERSED_LOAD = "reversed vector load"
    REVERSED_MASKED_LOAD = "reversed masked vector load"
    STRIDED_LOAD = "vector loads and shuffles, stride {stride}"
    SHUFFLED_LOAD = "vector load and a shuffle"
    PIECES_LOAD = "{pieces} vector loads of {lanes} lanes"
    SHUFFLED_PIECES_LOAD = "{pieces} vector loads of {lanes} lanes and a shuffle"
    GATHER = "gather"
    MASKED_GATHER = "masked gather"
    VECTOR_GATHER = "gather of vectors"
    MASKED_VECTOR_GATHER = "masked gather of vectors"
    LOAD_BY_LANE = "one vector load per lane"
    ONE_STORE = "one store for all lanes"
    LAST_LANE_STORE = "the last lane's value"
    VECTOR_STORE = "vector store"
    MASKED_VECTOR_STORE = "masked vector store"
    BLENDED_VECTOR_STORE = "vector store of what was there and what active lanes store"
    REVERSED_STORE = "reversed vector store"
    REVERSED_MASKED_STORE = "reversed masked vector store"
    SPREAD_STORE = "masked vector stores of spread elements"
    SHUFFLED_STORE = "vector store and a shuffle"
    PIECES_STORE = "{pieces} vector stores of {lanes} lanes"
    SHUFFLED_PIECES_STORE = "{pieces} vector stores of {lanes} lanes and a shuffle"
    SCATTER = "scatter"
    MASKED_SCATTER = "masked scatter"
    STORE_BY_LANE = "one vector store per lane"
    SELECTED_ELEMENT = "all {elements} elements, with selects"
    FUNCTION_FOR_LANES = "for all lanes"
    LANE_BY_LANE = "lane by lane"
    TRANSPOSED_ROWS = "whole rows, transposed"
    TRANSPOSED_ROW_PIECES = "pieces of rows, transposed"


# Forms with an address for each lane.
GATHERS_AND_SCATTERS = frozenset(
    (
        AccessForm.GATHER,
        AccessForm.MASKED_GATHER,
        AccessForm.VECTOR_GATHER,
        AccessForm.MASKED_VECTOR_GATHER,
        AccessForm.SCATTER,
        AccessForm.MASKED_SCATTER,
    )
)
# Forms whose addresses are consecutive or strided.
LINEAR_FORMS = frozenset(
    (
        AccessForm.VECTOR_LOAD,
        AccessForm.MASKED_VECTOR_LOAD,
        AccessForm.STRIDED_LOAD,
        AccessForm.SHUFFLED_LOAD,
        AccessForm.VECTOR_STORE,
        AccessForm.MASKED_VECTOR_STORE,
        AccessForm.BLENDED_VECTOR_STORE,
        AccessForm.SPREAD_STORE,
        AccessForm.SHUFFLED_STORE,
    )
)


@dataclass(frozen=True)
class WideAccess:
    """The form of one access and its parameters.

    `proved`: the prover derived the shape of the addresses. `edge`: this is the slow path of a loop that is
    versioned for in-bounds accesses.
    """

    form: AccessForm
    stride: int = 1
    pieces: int = 1
    lanes: int = 1
    elements: int = 1
    proved: bool = False
    edge: bool = False

    def __str__(self) -> str:
        text = self.form.text(vars(self))
        return f"{'at the edge ' if self.edge else ''}{text}{', proved' if self.proved else ''}"
