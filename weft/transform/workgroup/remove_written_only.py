"""Remove private memory that is written but never read, with its stores.

    %e = alloca ptr
    store ptr null, ptr %e

Clang's memory for events looks like this once waiting is a barrier; kept, it would become a context array
if its stores lie in several regions. Memory of which an address goes anywhere but to loads without users,
stores into it and marks of its lifetime stays. Requires nothing.
"""

from collections.abc import Iterable

from weft.ir import Instruction, Value

_ADDRESSES = ("getelementptr", "addrspacecast")


def remove_written_only(pointers: Iterable[Value]) -> None:
    """Removes the memory that `pointers` lead to where nothing reads it."""
    for alloca in dict.fromkeys(map(_memory, pointers)):
        uses = _uses(alloca) if alloca is not None else None
        if alloca is None or uses is None:
            continue
        for user in reversed(uses):  # an address comes before its users
            user.erase()
        alloca.erase()


def _memory(pointer: Value) -> Instruction | None:
    """The private memory that an address leads to, if that is clear."""
    while isinstance(pointer, Instruction) and pointer.opcode in _ADDRESSES:
        pointer = pointer.operands[0]
    return pointer if isinstance(pointer, Instruction) and pointer.opcode == "alloca" else None


def _uses(alloca: Instruction) -> list[Instruction] | None:
    """All instructions that use an address of the memory; None when the memory must stay."""
    found: dict[Instruction, None] = {}
    addresses = [alloca]
    for address in addresses:  # grows
        for user in address.users:
            if user.opcode in _ADDRESSES:
                addresses.append(user)
            elif not _is_idle(user, address):
                return None
            found[user] = None
    return list(found)


def _is_idle(user: Instruction, address: Instruction) -> bool:
    if user.opcode == "load":
        return not user.users and not user.attributes.get("volatile")
    if user.opcode == "store":
        return user.operands[0] is not address
    return user.callee_name.startswith("llvm.lifetime.")
