"""Tell at run time where a generic pointer points to: by the ranges of addresses of a work-group's memory.

All address spaces are one flat memory. What `weft.is_local` and the like query (`ir/address_spaces.py`)
is a comparison:

    local      in the local arena, whose size the launch structure has
    private    in the context arena, or in a structure that the kernel got by value
    global     neither

Private memory whose address may get to such a query is in the context arena: `kernel_variables` sees to
it. The address after the last byte of an arena counts too, because a pointer to the end of an array may be
queried; nobody else's memory starts there.
"""

from collections.abc import Sequence
from functools import reduce

from weft import abi
from weft.ir import Value
from weft.ir.address_spaces import GLOBAL, LOCAL, PRIVATE
from weft.ir.builder import Builder
from weft.ir.types import I1, I64
from weft.ir.values import const_int


class SpaceTests:
    """The ranges of a work-group's memory, as values of the entry block of its function."""

    def __init__(
        self,
        entry: Builder,
        launch: Value,
        local: Value,
        context: Value,
        context_bytes: Value,
        by_value: Sequence[tuple[Value, int]],
    ) -> None:
        """`by_value` has the structures that were passed by value, and their sizes."""
        size = entry.load(I64, entry.byte_offset(launch, abi.LOCAL_BYTES), 8, "local.bytes")
        self._ranges: dict[int, list[tuple[Value, Value]]] = {
            LOCAL: [(entry.cast("ptrtoint", local, I64), size)],
            PRIVATE: [
                (entry.cast("ptrtoint", context, I64), context_bytes),
                *((entry.cast("ptrtoint", at, I64), const_int(I64, bytes)) for at, bytes in by_value),
            ],
        }

    def test(self, b: Builder, pointer: Value, space: int) -> Value:
        """Whether a pointer points into an address space."""
        address = b.cast("ptrtoint", pointer, I64)
        if space != GLOBAL:
            return self._is_in(b, address, space)
        elsewhere = b.binary("or", self._is_in(b, address, LOCAL), self._is_in(b, address, PRIVATE))
        return b.binary("xor", elsewhere, const_int(I1, 1))

    def _is_in(self, b: Builder, address: Value, space: int) -> Value:
        tests: list[Value] = [
            b.icmp("ule", b.sub(address, start), size) for start, size in self._ranges[space]
        ]
        return reduce(lambda one, other: b.binary("or", one, other), tests)
