"""Code for a machine before it is scheduled: blocks of operations on values, in SSA form.

A value is a word or one bit. An operand is a value or a constant. In addition to the machine's operations
there is `select` (condition, a, b), which becomes two guarded moves.
"""

from collections.abc import Iterator

from weft.dataclasses import dataclass, field

SELECT = "select"
# The kind of memory that only spilled values are in.
SPILL = "spill"


class Value:
    """What an operation computes or a phi takes: a word, or a bit if `boolean`."""

    __slots__ = ("boolean", "number")

    def __init__(self, number: int, boolean: bool) -> None:
        self.number, self.boolean = number, boolean

    def __repr__(self) -> str:
        return f"{'b' if self.boolean else 'w'}{self.number}"


Operand = Value | int
Guard = tuple[Value, bool]


@dataclass(frozen=True)
class Access:
    """What is known of the memory that a load or store accesses: `size` bytes from `offset` of `stem`.

    `kind` tells objects apart that never overlap; "" may be any. `item` is (region, work-item): accesses of
    different work-items of one region do not depend on one another.
    """

    kind: str
    stem: object
    offset: int
    size: int
    item: tuple[int, int] | None = None

    def may_alias(self, other: "Access") -> bool:
        """Whether the order of the two may matter, if one of them is a store."""
        a, b = self.item, other.item
        if a is not None and b is not None and a[0] == b[0] and a[1] != b[1]:
            return False
        if self.kind != other.kind and ((self.kind and other.kind) or SPILL in (self.kind, other.kind)):
            return False
        if self.stem is not None and self.stem is other.stem:
            return self.offset < other.offset + other.size and other.offset < self.offset + self.size
        return True


@dataclass(eq=False)
class Operation:
    """One operation; with a guard it happens only if the guard's value is as said."""

    name: str
    operands: list[Operand]
    result: Value | None = None
    guard: Guard | None = None
    access: Access | None = None

    def values(self) -> Iterator[Value]:
        """The values that it takes, the guard's too."""
        for operand in self.operands:
            if isinstance(operand, Value):
                yield operand
        if self.guard is not None:
            yield self.guard[0]

    def __str__(self) -> str:
        guard = f"?{'' if self.guard[1] else '!'}{self.guard[0]} " if self.guard else ""
        result = f"{self.result} = " if self.result is not None else ""
        return f"{guard}{result}{self.name} {', '.join(map(str, self.operands))}"


@dataclass(eq=False)
class Phi:
    """A value that depends on where control comes from."""

    result: Value
    incoming: dict["Block", Operand]


@dataclass(eq=False)
class Block:
    """Operations in order, then a branch: to `then` if `condition` holds (or is None), else to `other`.

    Without a target the program ends. `parallel`: if it branches to itself, the regions in which its
    iterations are independent, because they are work-items.
    """

    name: str
    phis: list[Phi] = field(default_factory=list)
    operations: list[Operation] = field(default_factory=list)
    condition: Value | None = None
    then: "Block | None" = None
    other: "Block | None" = None
    parallel: frozenset[int] = frozenset()

    def successors(self) -> list["Block"]:
        """The blocks that may come next, each once."""
        return list(dict.fromkeys(b for b in (self.then, self.other) if b is not None))

    def __repr__(self) -> str:
        return f"<{self.name}>"


@dataclass
class Code:
    """A program: blocks in order, the first one is the entry. `slots`: bytes of memory for spilled values."""

    blocks: list[Block]
    values: int
    spill_base: int
    spilled: int = 0

    def new_value(self, boolean: bool = False) -> Value:
        """A value that nothing computes yet."""
        self.values += 1
        return Value(self.values, boolean)

    def copy(self) -> "Code":
        """A copy of the code in new blocks; values and facts about accesses are shared."""
        new = {block: Block(block.name, parallel=block.parallel) for block in self.blocks}
        for block, made in new.items():
            made.phis = [Phi(p.result, {new[b]: v for b, v in p.incoming.items()}) for p in block.phis]
            made.operations = [
                Operation(o.name, list(o.operands), o.result, o.guard, o.access) for o in block.operations
            ]
            made.condition = block.condition
            made.then = new[block.then] if block.then is not None else None
            made.other = new[block.other] if block.other is not None else None
        return Code(list(new.values()), self.values, self.spill_base, self.spilled)

    def predecessors(self) -> dict[Block, list[Block]]:
        """The blocks from which each block is reached."""
        found: dict[Block, list[Block]] = {block: [] for block in self.blocks}
        for block in self.blocks:
            for successor in block.successors():
                found[successor].append(block)
        return found

    def __str__(self) -> str:
        lines = []
        for block in self.blocks:
            lines.append(f"{block.name}:")
            for phi in block.phis:
                pairs = ", ".join(f"{b.name}: {v}" for b, v in phi.incoming.items())
                lines.append(f"  {phi.result} = phi {pairs}")
            lines += (f"  {operation}" for operation in block.operations)
            if block.then is None:
                lines.append("  halt")
            elif block.condition is None:
                lines.append(f"  jump {block.then.name}")
            else:
                lines.append(
                    f"  branch {block.condition}, {block.then.name}, {block.other and block.other.name}"
                )
        return "\n".join(lines)
