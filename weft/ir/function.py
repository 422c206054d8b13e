"""Blocks, functions, global variables and modules."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from weft.dataclasses import dataclass

from .instruction import Instruction
from .opcodes import TERMINATORS
from .types import LABEL, VOID, FunctionType, NamedType, PointerType, Type
from .values import Argument, Constant, GlobalValue, Value

if TYPE_CHECKING:
    from .flow import Flow


# A search for an instruction starts this many instructions before the last one that was found.
BEFORE = 16


@dataclass(frozen=True)
class Origin:
    """The block that a block was copied from, and the purpose of the copy."""

    block: "Block"
    purpose: str


class Block(Value):
    """A basic block: phis first, one terminator last. A copy knows its origin."""

    __slots__ = ("_near", "function", "instructions", "origin")

    def __init__(self, name: str | None = None) -> None:
        super().__init__(LABEL, name)
        self.instructions: list[Instruction] = []
        self.function: Function | None = None
        self.origin: Origin | None = None
        self._near = 0  # index of the last instruction that was searched

    def append(self, instruction: Instruction) -> Instruction:
        """Append an instruction."""
        instruction.block = self
        self.instructions.append(instruction)
        return instruction

    def insert(self, index: int, instruction: Instruction) -> Instruction:
        """Insert an instruction at a position."""
        instruction.block = self
        self.instructions.insert(index, instruction)
        return instruction

    def index(self, instruction: Instruction) -> int:
        """Return the position of an instruction.

        The search starts near the last result, so walking along a long block takes constant time per step.
        """
        start = max(self._near - BEFORE, 0)
        try:
            self._near = self.instructions.index(instruction, start)
        except ValueError:
            self._near = self.instructions.index(instruction, 0, start)
        return self._near

    def insert_before(self, other: Instruction, instruction: Instruction) -> Instruction:
        """Insert an instruction before another one of this block."""
        return self.insert(self.index(other), instruction)

    @property
    def parent(self) -> "Function":
        """The function of a block that is in one."""
        assert self.function is not None
        return self.function

    @property
    def terminator(self) -> Instruction:
        last = self.instructions[-1]
        assert last.is_terminator, f"block %{self.name} has no terminator"
        return last

    def phis(self) -> list[Instruction]:
        """Return the phis of the block."""
        result = []
        for instruction in self.instructions:
            if instruction.opcode != "phi":
                break
            result.append(instruction)
        return result

    @property
    def first_non_phi(self) -> int:
        """Index of the first instruction that is not a phi."""
        for index, instruction in enumerate(self.instructions):
            if instruction.opcode != "phi":
                return index
        return len(self.instructions)

    def successors(self) -> "list[Block]":
        """Return the successors in operand order, each once."""
        last = self.instructions[-1]
        if last.opcode == "br":  # the most frequent case
            operands: list[Any] = last.operands
            if len(operands) == 1:
                return operands[:]
            if operands[1] is not operands[2]:
                return operands[1:]
        return list(dict.fromkeys(self.terminator.successors()))

    def predecessors(self) -> "list[Block]":
        """Return the predecessors, each once."""
        return [u.block for u in self.users if u.opcode in TERMINATORS and u.block is not None]

    def split(self, index: int, name: str | None = None) -> "Block":
        """Move the instructions from `index` on to a new block after this one, and branch to it.

        Phis of the successors are updated to take their values from the new block.
        """
        assert self.function is not None
        tail = self.function.add_block(name, after=self)
        tail.instructions = self.instructions[index:]
        for instruction in tail.instructions:
            instruction.block = tail
        del self.instructions[index:]
        for successor in tail.successors():
            for phi in successor.phis():
                phi.replace_operand(self, tail)
        self.append(Instruction("br", VOID, [tail]))
        return tail

    def __iter__(self) -> Iterator[Instruction]:
        return iter(self.instructions)


class Function(GlobalValue):
    """A function; a declaration if it has no blocks.

    `prefix` holds LLVM's words before the result type (linkage, calling convention, result attributes),
    `suffix` those after the parameters (attributes, section, alignment).
    """

    is_function = True
    __slots__ = ("arguments", "blocks", "flow", "function_type", "metadata", "module", "prefix", "suffix")

    def __init__(self, name: str, function_type: FunctionType) -> None:
        super().__init__(PointerType(0), name)
        self.function_type = function_type
        self.arguments = [Argument(t, None, i) for i, t in enumerate(function_type.parameters)]
        self.blocks: list[Block] = []
        self.prefix: tuple[str, ...] = ()
        self.suffix: tuple[str, ...] = ()
        self.metadata: dict[str, str] = {}
        self.module: Module | None = None
        self.flow: Flow | None = None

    @property
    def parent(self) -> "Module":
        """The module of a function that is in one."""
        assert self.module is not None
        return self.module

    @property
    def is_declaration(self) -> bool:
        return not self.blocks

    @property
    def entry(self) -> Block:
        return self.blocks[0]

    def add_block(self, name: str | None = None, after: Block | None = None) -> Block:
        """Add an empty block at the end or after another one."""
        block = Block(name)
        block.function = self
        if after is None:
            self.blocks.append(block)
        else:
            self.blocks.insert(self.blocks.index(after) + 1, block)
        return block

    def remove_block(self, block: Block) -> None:
        """Remove a block with all its instructions; no use of their values may remain outside."""
        self.remove_blocks([block])

    def remove_blocks(self, blocks: Sequence[Block]) -> None:
        """Remove blocks that may use each other's values."""
        for block in blocks:
            for instruction in block.instructions:
                instruction.set_operands(())
        for block in blocks:
            for instruction in block.instructions:
                instruction.block = None
            block.instructions = []
            self.blocks.remove(block)
            block.function = None

    def drop_body(self) -> None:
        """Remove all blocks, which makes the function a declaration."""
        self.remove_blocks(list(self.blocks))

    def instructions(self) -> Iterator[Instruction]:
        """Yield all instructions, block by block."""
        for block in self.blocks:
            yield from block.instructions


class GlobalVariable(GlobalValue):
    """@name = …: `prefix` are the words before `global`/`constant`, `suffix` those after the value."""

    __slots__ = ("initializer", "is_constant", "metadata", "prefix", "suffix", "value_type")

    def __init__(
        self, name: str, value_type: Type, space: int = 0, initializer: Constant | Value | None = None
    ) -> None:
        super().__init__(PointerType(space), name)
        self.value_type = value_type
        self.initializer: Value | None = initializer
        self.is_constant = False
        self.prefix: tuple[str, ...] = ()
        self.suffix: tuple[str, ...] = ()
        self.metadata: dict[str, str] = {}


class Alias(GlobalValue):
    """@name = alias …, kept as text."""

    __slots__ = ("text",)

    def __init__(self, name: str, text: str) -> None:
        super().__init__(PointerType(0), name)
        self.text = text


class Module:
    """A translation unit. Attribute groups and metadata nodes are kept as LLVM's text, by number."""

    def __init__(self) -> None:
        self.header: list[str] = []  # source_filename, target lines, module asm, comdats
        self.types: dict[str, NamedType] = {}
        self.globals: dict[str, GlobalVariable | Function | Alias] = {}
        self.attribute_groups: dict[int, str] = {}
        self.named_metadata: dict[str, str] = {}
        self.metadata: dict[int, str] = {}

    @property
    def functions(self) -> list[Function]:
        return [g for g in self.globals.values() if isinstance(g, Function)]

    @property
    def variables(self) -> list[GlobalVariable]:
        return [g for g in self.globals.values() if isinstance(g, GlobalVariable)]

    def function(self, name: str) -> Function:
        """Return the function of a name; raise KeyError if there is none."""
        symbol = self.globals.get(name)
        if not isinstance(symbol, Function):
            raise KeyError(f"the module has no function @{name}")
        return symbol

    def add_function(self, name: str, function_type: FunctionType) -> Function:
        """Add a function without body."""
        assert name not in self.globals, f"@{name} exists already"
        function = Function(name, function_type)
        function.module = self
        self.globals[name] = function
        return function

    def declare(self, name: str, function_type: FunctionType, suffix: tuple[str, ...] = ()) -> Function:
        """Return the function of a name; declare it, with `suffix`, if it does not exist."""
        symbol = self.globals.get(name)
        if symbol is None:
            symbol = self.add_function(name, function_type)
            symbol.suffix = suffix
        assert isinstance(symbol, Function)
        return symbol

    def add_variable(
        self, name: str, value_type: Type, space: int = 0, initializer: Value | None = None
    ) -> GlobalVariable:
        """Add a global variable in an address space."""
        assert name not in self.globals, f"@{name} exists already"
        variable = GlobalVariable(name, value_type, space, initializer)
        self.globals[name] = variable
        return variable

    def remove(self, symbol: GlobalVariable | Function | Alias) -> None:
        """Remove a global, including the body of a function; it must have no users elsewhere."""
        if isinstance(symbol, Function):
            symbol.drop_body()
            symbol.module = None
        assert not symbol.users, f"@{symbol.name} still has users"
        assert symbol.name is not None
        del self.globals[symbol.name]

    def become(self, other: "Module") -> None:
        """Take over the contents of another module, which must not be used afterwards."""
        self.header, self.types, self.globals = other.header, other.types, other.globals
        self.attribute_groups = other.attribute_groups
        self.named_metadata, self.metadata = other.named_metadata, other.metadata
        for function in self.functions:
            function.module = self

    def add_metadata(self, text: str) -> str:
        """Add a metadata node and return its reference, such as `!7`; `{self}` in the text stands for the
        reference."""
        number = max(self.metadata, default=-1) + 1
        self.metadata[number] = text.replace("{self}", f"!{number}")
        return f"!{number}"
