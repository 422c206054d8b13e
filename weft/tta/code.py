"""Code for a machine before it is scheduled: blocks of operations on values, in SSA form.

A value is a word or one bit. An operand is a value or a constant. In addition to the machine's operations
there is `select` (condition, a, b), which becomes two guarded moves.
"""

from collections.abc import Iterator

from weft.dataclasses import dataclass, field

SELECT = "select"
# The kind of memory that holds only spilled values.
SPILL = "spill"


class Value:
    """The result of an operation or phi: a word, or a bit if `boolean`."""

    __slots__ = ("boolean", "number")

    def __init__(self, number: int, boolean: bool) -> None:
        self.number, self.boolean = number, boolean

    def __repr__(self) -> str:
        return f"{'b' if self.boolean else 'w'}{self.number}"


Operand = Value | int
Guard = tuple[Value, bool]


@dataclass(frozen=True)
class Access:
    """The memory that a load or store accesses: `size` bytes at `offset` from `stem`.

    Accesses of different kinds never overlap; the kind "" may overlap any except spills. `item` is (region,
    work-item): accesses of different work-items of one region are independent.
    """

    kind: str
    stem: object
    offset: int
    size: int
    item: tuple[int, int] | None = None

    def may_alias(self, other: "Access") -> bool:
        """Return whether the order of two accesses may matter, provided that one is a store."""
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
    """One operation. With a guard, it executes only if the guard's value equals the guard's polarity."""

    name: str
    operands: list[Operand]
    result: Value | None = None
    guard: Guard | None = None
    access: Access | None = None

    def values(self) -> Iterator[Value]:
        """Yield the values that the operation uses, including the guard's."""
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
    """Operations in order, then a branch: to `then` if `condition` is true (or None), else to `other`.

    A block without a target ends the program. If the block branches to itself, `parallel` holds the regions
    in which its iterations are independent work-items.
    """

    name: str
    phis: list[Phi] = field(default_factory=list)
    operations: list[Operation] = field(default_factory=list)
    condition: Value | None = None
    then: "Block | None" = None
    other: "Block | None" = None
    parallel: frozenset[int] = frozenset()

    def successors(self) -> list["Block"]:
        """Return the successors, each once."""
        return list(dict.fromkeys(b for b in (self.then, self.other) if b is not None))

    def __repr__(self) -> str:
        return f"<{self.name}>"


@dataclass
class Code:
    """A program: blocks in order, the entry first. `spilled`: bytes of memory for spilled values at
    `spill_base`.
    """

    blocks: list[Block]
    values: int
    spill_base: int
    spilled: int = 0

    def new_value(self, boolean: bool = False) -> Value:
        """Return a new value that has no definition yet."""
        self.values += 1
        return Value(self.values, boolean)

    def copy(self) -> "Code":
        """Copy the code to new blocks; values and descriptions of accesses are shared."""
        new = {block: Block(block.name, parallel=block.parallel) for block in self.blocks}
        for block, clone in new.items():
            clone.phis = [Phi(p.result, {new[b]: v for b, v in p.incoming.items()}) for p in block.phis]
            clone.operations = [
                Operation(o.name, list(o.operands), o.result, o.guard, o.access) for o in block.operations
            ]
            clone.condition = block.condition
            clone.then = new[block.then] if block.then is not None else None
            clone.other = new[block.other] if block.other is not None else None
        return Code(list(new.values()), self.values, self.spill_base, self.spilled)

    def predecessors(self) -> dict[Block, list[Block]]:
        """Return the predecessors of each block."""
        result: dict[Block, list[Block]] = {block: [] for block in self.blocks}
        for block in self.blocks:
            for successor in block.successors():
                result[successor].append(block)
        return result

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
