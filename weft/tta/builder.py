"""Append operations to blocks, with constant folding and local common subexpression elimination."""

from .code import SELECT, Access, Block, Code, Guard, Operand, Operation, Value
from .errors import Refused
from .machine import Machine
from .operations import OPERATIONS, WORD, compute


class Builder:
    """Appends operations to a block."""

    def __init__(self, code: Code, machine: Machine) -> None:
        self.code, self.machine = code, machine
        self._has = {name for unit in machine.units for name in unit.operations}
        self._known: dict[tuple[object, ...], Value] = {}
        self._made: dict[Value, tuple[str, Operand, Operand]] = {}
        self.block: Block | None = None

    def at(self, block: Block) -> None:
        """Continue at the end of a block; results computed in other blocks are not reused."""
        self.block = block
        self._known = {}

    def has(self, name: str) -> bool:
        """Return whether a unit of the machine has an operation."""
        return name in self._has

    def op(self, name: str, *operands: Operand, boolean: bool = False) -> Operand:
        """Emit an operation that does not access memory and return its result; raise Refused if no unit has
        it.
        """
        operation = OPERATIONS[name]
        if all(isinstance(o, int) for o in operands):
            return compute(name, *(o for o in operands if isinstance(o, int)))
        arguments = list(operands)
        if operation.commutes and isinstance(arguments[0], int):
            arguments.reverse()
        simple = self._simplified(name, arguments)
        if simple is not None:
            return simple
        if name not in self._has:
            raise Refused(f"no unit of the machine {self.machine.name} has the operation {name}")
        boolean = boolean or operation.boolean
        key = (name, boolean, *arguments)
        if operation.commutes and key not in self._known:
            key = (
                (name, boolean, *reversed(arguments))
                if (name, boolean, *reversed(arguments)) in self._known
                else key
            )
        known = self._known.get(key)
        if known is None:
            known = self._append(Operation(name, arguments, self.code.new_value(boolean)))
            self._known[key] = known
            if len(arguments) == 2:
                self._made[known] = (name, arguments[0], arguments[1])
        return known

    def _simplified(self, name: str, operands: list[Operand]) -> Operand | None:
        """Return a simpler operand that an operation is equal to, or None."""
        a = operands[0]
        b = operands[1] if len(operands) > 1 else None
        if name in ("add", "sub", "ior", "xor", "shl", "shr", "shru") and b == 0 and isinstance(b, int):
            return a
        if name in ("and", "mul") and b == 0 and isinstance(b, int):
            return 0
        if name == "mul" and b == 1 and isinstance(b, int):
            return a
        if name == "mul" and isinstance(b, int) and b & (b - 1) == 0:
            return self.op("shl", a, b.bit_length() - 1)
        if name == "and" and b == WORD and isinstance(b, int):
            return a
        if name in ("and", "ior") and a is b:
            return a
        if isinstance(a, Value) and a.boolean and isinstance(b, int):
            if (name, b) in (("and", 1), ("ne", 0), ("eq", 1)):
                return a
            if (name, b) == ("ior", 1):
                return 1
            if (name, b) in (("eq", 0), ("ne", 1)):
                return self.negate(a)
        if (name == "ltu" and b == 0 and isinstance(b, int)) or (name in ("ltu", "lt", "ne") and a is b):
            return 0
        if (name == "leu" and a == 0 and isinstance(a, int)) or (name in ("leu", "le", "eq") and a is b):
            return 1
        if name == "sub" and isinstance(b, int):
            return self.op("add", a, -b & WORD)
        if name == "add" and isinstance(b, int) and isinstance(a, Value):
            before = self._made.get(a)
            if before is not None and before[0] == "add" and isinstance(before[2], int):
                return self.op("add", before[1], (before[2] + b) & WORD)
        return None

    def _append(self, operation: Operation) -> Value:
        assert self.block is not None
        self.block.operations.append(operation)
        assert operation.result is not None
        return operation.result

    def negate(self, bit: Operand) -> Operand:
        """Return the complement of a bit."""
        return self.op("xor", bit, 1, boolean=True)

    def select(self, condition: Operand, a: Operand, b: Operand, boolean: bool = False) -> Operand:
        """Return `a` if the condition bit is set, else `b`."""
        if isinstance(condition, int):
            return a if condition & 1 else b
        if a is b or (isinstance(a, int) and isinstance(b, int) and a == b):
            return a
        if isinstance(a, int) and isinstance(b, int) and {a, b} == {0, 1}:
            return condition if a else self.negate(condition)
        key = (SELECT, condition, a, b)
        if key not in self._known:
            self._known[key] = self._append(
                Operation(SELECT, [condition, a, b], self.code.new_value(boolean))
            )
        return self._known[key]

    def load(self, size: int, address: Operand, access: Access, guard: Guard | None = None) -> Value:
        """Load `size` bytes from an address into a word, zero-extended."""
        self._require(f"ld{8 * size}")
        return self._append(
            Operation(f"ld{8 * size}", [address], self.code.new_value(), guard=guard, access=access)
        )

    def store(self, size: int, address: Operand, value: Operand, access: Access) -> None:
        """Store the low `size` bytes of a word to an address."""
        self._require(f"st{8 * size}")
        assert self.block is not None
        self.block.operations.append(Operation(f"st{8 * size}", [address, value], access=access))

    def _require(self, name: str) -> None:
        if name not in self._has:
            raise Refused(f"no unit of the machine {self.machine.name} has the operation {name}")
