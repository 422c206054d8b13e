"""The parts of a SPIR-V module: instructions sorted into sections, functions split into blocks.

Checks: ids are defined once, and before their use where the specification requires it; instructions are in
allowed positions; every block ends in exactly one terminator; capabilities, extensions, addressing and memory
model are supported; sizes are within the limits of the specification.
"""

from collections.abc import Iterator

from weft.dataclasses import dataclass, field
from weft.frontend.spirv.binary import Instruction, Operand, Words
from weft.frontend.spirv.capabilities import CAPABILITIES, EXTENSIONS, IGNORED_SETS, OPENCL_STD
from weft.frontend.spirv.errors import InvalidModule

MOST_PARAMETERS = 255
MOST_FUNCTION_VARIABLES = 524_287
MOST_MODULE_VARIABLES = 65_535

TERMINATORS = frozenset(("Branch", "BranchConditional", "Switch", "Return", "ReturnValue", "Unreachable"))
_MERGES = ("SelectionMerge", "LoopMerge")
_DEBUG = ("Name", "MemberName", "Source", "SourceContinued", "SourceExtension", "ModuleProcessed")
_ANNOTATIONS = ("Decorate", "MemberDecorate", "DecorateId", "DecorateString", "MemberDecorateString")
_ANYWHERE = ("Line", "NoLine", "Nop")


@dataclass(frozen=True)
class Line:
    """The source location of an instruction."""

    file: str
    line: int
    column: int


@dataclass
class Block:
    """A basic block: its label, the instructions before the terminator, and the terminator."""

    label: int
    instructions: list[Instruction] = field(default_factory=list)
    terminator: Instruction | None = None

    @property
    def end(self) -> Instruction:
        """The terminator; every block of a valid module has one."""
        assert self.terminator is not None
        return self.terminator

    def successors(self) -> tuple[int, ...]:
        """Return the labels of the successors."""
        match self.end.name:
            case "Branch":
                return (self.end.id(0),)
            case "BranchConditional":
                return self.end.id(1), self.end.id(2)
            case "Switch":
                return self.end.id(1), *self.end.numbers(2)[1::2]
        return ()


@dataclass
class Function:
    """A function; one without blocks is defined in another module."""

    definition: Instruction
    parameters: list[Instruction] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)

    @property
    def id(self) -> int:
        """The id by which calls refer to the function."""
        return self.definition.result

    def instructions(self) -> Iterator[Instruction]:
        """Yield all instructions of all blocks."""
        for block in self.blocks:
            yield from block.instructions
            yield block.end


Operands = tuple[Operand, ...]


@dataclass
class Module:
    """The parts of a module."""

    version: tuple[int, int]
    capabilities: set[str] = field(default_factory=set)
    imports: dict[int, str] = field(default_factory=dict)
    entry_points: dict[int, str] = field(default_factory=dict)
    modes: dict[int, dict[str, Operands]] = field(default_factory=dict)
    strings: dict[int, str] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)
    decorations: dict[int, dict[str, list[Operands]]] = field(default_factory=dict)
    member_decorations: dict[int, list[tuple[int, str]]] = field(default_factory=dict)
    globals: list[Instruction] = field(default_factory=list)
    functions: list[Function] = field(default_factory=list)
    definitions: dict[int, Instruction] = field(default_factory=dict)
    lines: dict[int, Line] = field(default_factory=dict)
    # Scopes of alias information on memory accesses, which Weft does not use.
    alias_scopes: set[int] = field(default_factory=set)
    # The embedded source text and its file name, if present.
    source: str = ""
    source_file: str = ""

    def decoration(self, id: int, name: str) -> Operands | None:
        """Return the operands of a decoration of an id, or None."""
        operand_lists = self.decorations.get(id, {}).get(name)
        return operand_lists[0] if operand_lists else None

    def is_decorated(self, id: int, name: str) -> bool:
        """Return whether an id has a decoration."""
        return name in self.decorations.get(id, {})


def take_apart(words: Words) -> Module:
    """Split a module into its parts; raise InvalidModule."""
    module = Module(words.version)
    _Sorter(module).run(words.instructions)
    _check_uses(module, words)
    return module


class _Sorter:
    """Sorts the instructions in one pass."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._function: Function | None = None
        self._block: Block | None = None
        self._line: Line | None = None
        self._models = 0
        self._groups: dict[int, dict[str, list[Operands]]] = {}
        self._variables = 0

    def run(self, instructions: tuple[Instruction, ...]) -> None:
        for instruction in instructions:
            if instruction.result:
                if instruction.result in self._module.definitions:
                    raise _fault(instruction, f"id {instruction.result} is defined twice")
                self._module.definitions[instruction.result] = instruction
            if instruction.name in _ANYWHERE:
                self._note_line(instruction)
                continue
            if self._line is not None:
                self._module.lines[instruction.place] = self._line
            if self._function is not None:
                self._in_function(instruction, self._function)
            elif instruction.name == "Function":
                self._function = Function(instruction)
                self._module.functions.append(self._function)
                self._variables = 0
            else:
                self._outside(instruction)
        if self._function is not None:
            raise InvalidModule("the last function has no OpFunctionEnd")
        if self._models != 1:
            raise InvalidModule("the module must have exactly one OpMemoryModel")

    def _note_line(self, instruction: Instruction) -> None:
        if instruction.name == "Line":
            file = self._module.strings.get(instruction.id(0))
            if file is None:
                raise _fault(instruction, "the file is not a preceding OpString")
            self._line = Line(file, instruction.number(1), instruction.number(2))
        elif instruction.name == "NoLine":
            self._line = None

    def _outside(self, instruction: Instruction) -> None:
        module = self._module
        name = instruction.name
        if module.functions and name not in _DEBUG and not self._is_ignored(instruction):
            raise _fault(instruction, "must precede the first function")
        match name:
            case "Capability":
                capability = instruction.word(0)
                if capability not in CAPABILITIES:
                    raise InvalidModule(f"capability {capability} is not supported")
                module.capabilities.add(capability)
            case "Extension":
                if instruction.word(0) not in EXTENSIONS:
                    raise InvalidModule(f"the extension {instruction.word(0)!r} is not supported")
            case "ExtInstImport":
                chosen = instruction.word(0)
                if chosen != OPENCL_STD and not chosen.startswith(IGNORED_SETS):
                    raise InvalidModule(f"the extended instructions {chosen!r} are not supported")
                module.imports[instruction.result] = chosen
            case "MemoryModel":
                self._models += 1
                self._memory_model(instruction)
            case "EntryPoint":
                self._entry_point(instruction)
            case "ExecutionMode" | "ExecutionModeId":
                modes = module.modes.setdefault(instruction.id(0), {})
                modes[instruction.word(1)] = instruction.operands[2:]
            case "String":
                module.strings[instruction.result] = instruction.word(0)
            case "Name":
                module.names[instruction.id(0)] = instruction.word(1)
            case "Source":
                if len(instruction.operands) > 3:
                    module.source = instruction.word(3)
                    module.source_file = module.strings.get(instruction.id(2), "")
            case "SourceContinued":
                module.source += instruction.word(0)
            case "DecorationGroup":
                self._groups[instruction.result] = module.decorations.get(instruction.result, {})
            case "GroupDecorate":
                self._decorate_group(instruction)
            case "MemberDecorate":
                members = module.member_decorations.setdefault(instruction.id(0), [])
                members.append((instruction.number(1), instruction.word(2)))
            case "Decorate":
                self._decorate(instruction.id(0), instruction.word(1), instruction.operands[2:])
            case "AliasDomainDeclINTEL" | "AliasScopeDeclINTEL" | "AliasScopeListDeclINTEL":
                module.alias_scopes.add(instruction.result)
            case _ if name in _DEBUG or name in _ANNOTATIONS or self._is_ignored(instruction):
                pass
            case _ if name.startswith(("Type", "Constant", "SpecConstant")) or name in ("Variable", "Undef"):
                if name == "Variable":
                    self._count_variable(instruction, MOST_MODULE_VARIABLES)
                module.globals.append(instruction)
            case _:
                raise _fault(instruction, "must be inside a function")

    def _memory_model(self, instruction: Instruction) -> None:
        addressing, model = instruction.word(0), instruction.word(1)
        if addressing != "Physical64":
            raise InvalidModule(f"addressing model {addressing} is not supported, only Physical64")
        if model != "OpenCL":
            raise InvalidModule(f"memory model {model} is not supported, only OpenCL")

    def _entry_point(self, instruction: Instruction) -> None:
        model, id, name = instruction.word(0), instruction.id(1), instruction.word(2)
        points = self._module.entry_points
        if model != "Kernel":
            raise InvalidModule(f"entry point {name!r} has execution model {model}, only Kernel is supported")
        if id in points or name in points.values():
            raise InvalidModule(f"entry point {name!r} is defined twice")
        points[id] = name

    def _decorate(self, id: int, name: str, operands: Operands) -> None:
        self._module.decorations.setdefault(id, {}).setdefault(name, []).append(operands)

    def _decorate_group(self, instruction: Instruction) -> None:
        group = self._groups.get(instruction.id(0))
        if group is None:
            raise _fault(instruction, f"id {instruction.id(0)} is not a preceding OpDecorationGroup")
        for id in instruction.numbers(1):
            for name, operand_lists in group.items():
                for operands in operand_lists:
                    self._decorate(id, name, operands)

    def _count_variable(self, instruction: Instruction, most: int) -> None:
        self._variables += 1
        if self._variables > most:
            raise _fault(instruction, f"more than {most} variables are not supported")

    def _is_ignored(self, instruction: Instruction) -> bool:
        return instruction.name == "ExtInst" and instruction.operands[1] == ""

    def _in_function(self, instruction: Instruction, function: Function) -> None:
        name = instruction.name
        block = self._block
        if name == "FunctionEnd":
            if block is not None:
                raise _fault(instruction, "the last block of a function has no terminator")
            self._function = None
        elif name == "FunctionParameter":
            if function.blocks:
                raise _fault(instruction, "a parameter follows a block")
            function.parameters.append(instruction)
            if len(function.parameters) > MOST_PARAMETERS:
                raise _fault(instruction, f"more than {MOST_PARAMETERS} parameters are not supported")
        elif name == "Label":
            if block is not None:
                raise _fault(instruction, "the preceding block has no terminator")
            self._block = Block(instruction.result)
            function.blocks.append(self._block)
        elif block is None:
            if not self._is_ignored(instruction):
                raise _fault(instruction, "must be inside a block")
        elif name in TERMINATORS:
            block.terminator = instruction
            self._block = None
        elif name not in _MERGES and not self._is_ignored(instruction):
            self._check_place(instruction, function, block)
            block.instructions.append(instruction)

    def _check_place(self, instruction: Instruction, function: Function, block: Block) -> None:
        last = block.instructions[-1].name if block.instructions else ""
        if instruction.name == "Variable":
            self._count_variable(instruction, MOST_FUNCTION_VARIABLES)
            if len(function.blocks) > 1 or last not in ("", "Variable"):
                raise _fault(instruction, "variables must be at the start of the entry block")
        if instruction.name == "Phi" and (len(function.blocks) == 1 or last not in ("", "Phi")):
            raise _fault(instruction, "is not allowed in the entry block or after other instructions")


def _check_uses(module: Module, words: Words) -> None:
    """Check that every id is defined, and global ids before their use."""
    globals_seen: set[int] = set()
    declared = {i.id(0) for i in words.instructions if i.name == "TypeForwardPointer"}
    for instruction in words.instructions:
        if instruction.name in _DEBUG or instruction.name in _ANNOTATIONS:
            continue  # their targets may have been removed
        for id in instruction.uses:
            if id not in module.definitions:
                raise _fault(instruction, f"id {id} is not defined")
    for instruction in module.globals:
        for id in instruction.uses:
            if id not in globals_seen and not (id in declared and instruction.name.startswith("Type")):
                raise _fault(instruction, f"id {id} is used before its definition")
        globals_seen.add(instruction.result)
    functions = {function.id for function in module.functions}
    for id, name in module.entry_points.items():
        if id not in functions:
            raise InvalidModule(f"entry point {name!r} is not a function")


def _fault(instruction: Instruction, text: str) -> InvalidModule:
    return InvalidModule(f"Op{instruction.name}: {text}")
