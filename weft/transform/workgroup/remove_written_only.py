"""Remove private memory that is written but never read, with its stores.

    %e = alloca ptr
    store ptr null, ptr %e

Clang's memory for events looks like this once waiting has become a barrier; it would become a context array
if its stores are in several regions. Memory whose address has other uses than loads without users, stores to
it and lifetime markers is kept. Requires nothing.
"""

from collections.abc import Iterable

from weft.ir import Instruction, Value
from weft.ir.slices import chain_start

_ADDRESSES = ("getelementptr", "addrspacecast")


def remove_written_only(pointers: Iterable[Value]) -> None:
    """Remove the memory that `pointers` point to, if it is never read."""
    for alloca in dict.fromkeys(map(_memory, pointers)):
        uses = _uses(alloca) if alloca is not None else None
        if alloca is None or uses is None:
            continue
        for user in reversed(uses):  # an address comes before its users
            user.erase()
        alloca.erase()


def _memory(pointer: Value) -> Instruction | None:
    """Return the private memory that an address points to, if it is known."""
    start = chain_start(pointer, _ADDRESSES)
    return start if isinstance(start, Instruction) and start.opcode == "alloca" else None


def _uses(alloca: Instruction) -> list[Instruction] | None:
    """Return all instructions that use an address of the memory; None if the memory must be kept."""
    uses: dict[Instruction, None] = {}
    addresses = [alloca]
    for address in addresses:  # grows
        for user in address.users:
            if user.opcode in _ADDRESSES:
                addresses.append(user)
            elif not _is_idle(user, address):
                return None
            uses[user] = None
    return list(uses)


def _is_idle(user: Instruction, address: Instruction) -> bool:
    if user.opcode == "load":
        return not user.users and not user.attributes.get("volatile")
    if user.opcode == "store":
        return user.operands[0] is not address
    return user.callee_name.startswith("llvm.lifetime.")
