"""Find out at run time where a generic pointer points to, by the address ranges of a work-group's memory.

All address spaces share one flat memory. Queries such as `weft.is_local` (`ir/address_spaces.py`) are
comparisons:

    local      in the local arena; its size is in the launch structure
    private    in the context arena, or in a structure passed to the kernel by value
    global     neither

`kernel_variables` puts private memory whose address may reach such a query into the context arena. The
address after the last byte of an arena belongs to it too, because a pointer to the end of an array may be
queried; no other memory starts there.
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
        """`by_value` has the structures that are passed by value, and their sizes."""
        size = entry.load(I64, entry.byte_offset(launch, abi.LOCAL_BYTES), 8, "local.bytes")
        self._ranges: dict[int, list[tuple[Value, Value]]] = {
            LOCAL: [(entry.cast("ptrtoint", local, I64), size)],
            PRIVATE: [
                (entry.cast("ptrtoint", context, I64), context_bytes),
                *((entry.cast("ptrtoint", at, I64), const_int(I64, bytes)) for at, bytes in by_value),
            ],
        }

    def test(self, b: Builder, pointer: Value, space: int) -> Value:
        """Emit the test whether a pointer points into an address space."""
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
