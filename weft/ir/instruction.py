"""Instructions: an opcode, operands with use lists, and opcode-specific attributes.

`attributes` holds what is not an operand, by opcode:

    icmp fcmp          predicate
    getelementptr      element_type, inrange (text)
    alloca             allocated, align, addrspace
    load store         align, volatile, atomic, ordering, syncscope
    atomicrmw          operation, ordering, syncscope, volatile, align
    cmpxchg            weak, volatile, success, failure, syncscope, align
    fence              ordering, syncscope
    call               function_type, tail, prefix, argument_attributes, suffix,
                       bundles: ((tag, number of operands), …)
    extractvalue insertvalue   indices

Blocks are operands of terminators and phis: `br` has [target] or [condition, then, else], `switch`
[value, default, case, target, …], `phi` [value, block, …]. A call has its arguments, then the operands
of its bundles, and the callee last.
"""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from .opcodes import OPCODES, TERMINATORS, Opcode
from .types import Type
from .values import Constant, Value

if TYPE_CHECKING:
    from .function import Block, Function

# Flags that make the result poison for some operands.
_POISON_FLAGS = frozenset(("nsw", "nuw", "exact", "inbounds", "nusw", "nneg", "disjoint"))


class Instruction(Value):
    """An instruction, in at most one block."""

    __slots__ = ("attributes", "block", "flags", "metadata", "opcode", "operands")
    block: "Block | None"

    def __init__(
        self,
        opcode: str,
        type: Type,
        operands: Iterable[Value],
        name: str | None = None,
        flags: tuple[str, ...] = (),
        attributes: dict[str, Any] | None = None,
        metadata: dict[str, str] | None = None,
    ) -> None:
        # Inlined base constructor: the call would take a fifth of the time.
        self.type = type
        self.name = name
        self.users = {}
        self.opcode = opcode
        self.operands: list[Value] = list(operands)
        self.flags = flags
        self.attributes = attributes if attributes is not None else {}
        self.metadata = metadata if metadata is not None else {}
        self.block = None
        for value in self.operands:
            if not isinstance(value, Constant):
                users = value.users
                users[self] = users.get(self, 0) + 1

    # Operands and use lists

    def set_operand(self, index: int, value: Value) -> None:
        """Replace one operand."""
        self._drop_use(self.operands[index])
        self.operands[index] = value
        self._add_use(value)

    def set_operands(self, values: Iterable[Value]) -> None:
        """Replace all operands."""
        for value in self.operands:
            self._drop_use(value)
        self.operands = list(values)
        for value in self.operands:
            self._add_use(value)

    def replace_operand(self, old: Value, new: Value) -> None:
        """Replace every operand that is `old`."""
        for index, value in enumerate(self.operands):
            if value is old:
                self.set_operand(index, new)

    def _add_use(self, value: Value) -> None:
        if not isinstance(value, Constant):
            value.users[self] = value.users.get(self, 0) + 1

    def _drop_use(self, value: Value) -> None:
        if not isinstance(value, Constant):
            count = value.users[self]
            if count == 1:
                del value.users[self]
            else:
                value.users[self] = count - 1

    # Place in the function

    def erase(self) -> None:
        """Remove the instruction from its block and from the use lists; it must have no users."""
        assert not self.users, f"{self!r} still has users"
        self.detach()
        self.set_operands(())

    def detach(self) -> None:
        """Remove the instruction from its block, keeping operands and users."""
        if self.block is not None:
            del self.block.instructions[self.block.index(self)]
            self.block = None

    def move_before(self, other: "Instruction") -> None:
        """Move the instruction before `other`."""
        self.detach()
        assert other.block is not None
        other.block.insert_before(other, self)

    # Properties

    @property
    def parent(self) -> "Block":
        """The block of an instruction that is in one."""
        assert self.block is not None
        return self.block

    @property
    def info(self) -> Opcode:
        return OPCODES[self.opcode]

    @property
    def is_terminator(self) -> bool:
        return self.opcode in TERMINATORS

    def successors(self) -> "list[Block]":
        """Return the target blocks of a terminator, in operand order, with repetitions."""
        operands: list[Any] = self.operands
        if self.opcode == "br":
            return operands[1:] if len(operands) == 3 else operands[:]
        if self.opcode == "switch":
            return [operands[1], *operands[3::2]]
        return []

    # Calls

    @property
    def callee(self) -> Value:
        """The operand that a call calls."""
        return self.operands[-1]

    @property
    def arguments(self) -> list[Value]:
        """The arguments of a call, without operand bundles."""
        bundles = self.attributes.get("bundles")
        return self.operands[: -1 - sum(count for _, count in bundles) if bundles else -1]

    @property
    def called_function(self) -> "Function | None":
        """The function of a direct call; None for anything else."""
        if self.opcode != "call":
            return None
        callee: Any = self.operands[-1]
        return callee if callee.is_function else None

    @property
    def callee_name(self) -> str:
        """The name of the function of a direct call; empty for anything else."""
        callee = self.called_function
        return callee.name or "" if callee is not None else ""

    # Poison-generating flags

    @property
    def has_poison_flags(self) -> bool:
        """Whether flags make the result poison for some operands."""
        return not _POISON_FLAGS.isdisjoint(self.flags)

    def drop_poison_flags(self) -> None:
        """Drop the flags that make the result poison for some operands."""
        self.flags = tuple(flag for flag in self.flags if flag not in _POISON_FLAGS)

    # Accesses to memory

    @property
    def is_ordered(self) -> bool:
        """Whether an access is volatile or atomic."""
        return bool(self.attributes.get("volatile") or self.attributes.get("atomic"))

    @property
    def accessed_type(self) -> Type:
        """The type of the value that a load or store transfers."""
        return self.type if self.opcode == "load" else self.operands[0].type

    # Phis

    def incoming(self) -> "Iterator[tuple[Value, Block]]":
        """Return the (value, block) pairs of a phi."""
        operands: list[Any] = self.operands
        return zip(operands[::2], operands[1::2], strict=True)

    def incoming_from(self, block: "Block") -> Value:
        """Return the value that a phi takes when control comes from `block`."""
        for value, source in self.incoming():
            if source is block:
                return value
        raise KeyError(f"phi %{self.name} has no value for block %{block.name}")

    def add_incoming(self, value: Value, block: "Block") -> None:
        """Add a pair to a phi."""
        self.operands += [value, block]
        self._add_use(value)
        self._add_use(block)

    def remove_incoming(self, block: "Block") -> None:
        """Remove a phi's pairs for `block`."""
        pairs = [(v, b) for v, b in self.incoming() if b is not block]
        self.set_operands([x for pair in pairs for x in pair])
