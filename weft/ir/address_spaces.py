"""Address spaces, and the functions that test the address space of a generic pointer.

A generic pointer may point to private, global or local memory. Programs test that with `to_private`,
`to_global`, `to_local` and `get_fence`, or with SPIR-V instructions. The front ends lower these to calls of

    declare i1 @weft.is_local(ptr addrspace(4))       ; memory(none)

one for each space. The result for a null pointer is unspecified. `infer_address_spaces` folds calls whose
result is known; the work-group function compares addresses for the others
(`transform/workgroup/space_tests.py`).
"""

from .instruction import Instruction

PRIVATE, GLOBAL, CONSTANT, LOCAL, GENERIC = range(5)
# Address spaces of memory that work-items share.
SHARED = (GLOBAL, CONSTANT, LOCAL)
# Address spaces of pointers that may point to private memory.
MAY_BE_PRIVATE = (PRIVATE, GENERIC)

# The address spaces whose pointers may alias a pointer of a given one: generic pointers alias all. A buffer
# in global memory may also be accessed as constant memory.
OVERLAPPING_SPACES = {
    PRIVATE: (PRIVATE, GENERIC),
    GLOBAL: (GLOBAL, CONSTANT, GENERIC),
    CONSTANT: (GLOBAL, CONSTANT, GENERIC),
    LOCAL: (LOCAL, GENERIC),
    GENERIC: (PRIVATE, GLOBAL, CONSTANT, LOCAL, GENERIC),
}

SPACE_QUERIES = {"weft.is_private": PRIVATE, "weft.is_global": GLOBAL, "weft.is_local": LOCAL}

SPACE_QUERY_DECLARATIONS = {
    name: f"declare i1 @{name}(ptr addrspace(4)) nounwind willreturn memory(none)" for name in SPACE_QUERIES
}


def space_query(instruction: Instruction) -> int | None:
    """Return the address space that a call tests, if it is an address-space test."""
    return SPACE_QUERIES.get(instruction.callee_name)
