"""Verify that a module or function is well formed. `verify` guarantees:

Module
  - a global is in `module.globals` under its own name; a function refers to its module
  - every global that an instruction, an initializer or a constant expression names is in the module
  - an initializer has the type of its variable, and the parts of constants match their types
  - attribute groups (`#3`) and metadata nodes (`!7`) that are referred to exist
  - a global's use list holds exactly the instructions of the module that have it as an operand

Function
  - the arguments are those of the function type, in number, type and index
  - a name is not empty, and a void result has none; two values may share one, which the printer makes unique
  - the entry block has no predecessors

Block
  - it is in the list of the function it belongs to, once; so is each instruction in that of its block
  - it ends with a terminator and has no other; phis come first
  - each phi has one entry per incoming edge, and equal values for edges from the same block

Instruction
  - an operand is a constant, a global, or an argument, block or instruction of the same function
  - blocks are operands of terminators and phis only
  - an operand's definition dominates its use (in blocks that can be reached)
  - use lists are exact in both directions: `users` counts each operand once and nothing else
  - types of operands and result, flags and attributes match the opcode; a call matches
    the type of the function it calls (verify_types.py has the rules)

The cost is linear in the size of what is verified, plus the dominator tree.
"""

from collections.abc import Callable, Iterable

from weft.lazy_pattern import lazy_pattern

from .dominators import DominatorTree, dominators
from .function import Block, Function, GlobalVariable, Module
from .instruction import Instruction
from .opcodes import TERMINATORS
from .printer import constant_text, print_instruction
from .types import VOID, PointerType
from .values import (
    Argument,
    Constant,
    ConstantAggregate,
    ConstantExpression,
    ConstantFloat,
    ConstantInt,
    ConstantZero,
    GlobalValue,
    Poison,
    Undef,
    Value,
)
from .verify_constants import constant_problems
from .verify_types import type_key, type_problems

_NODE = lazy_pattern(r"!(\d+)")
_GROUP = lazy_pattern(r"^#(\d+)$")
_STRING = lazy_pattern(r'"[^"]*"')
# Constants that cannot be malformed.
_PLAIN = frozenset((ConstantInt, ConstantFloat, ConstantZero, Undef, Poison))


class VerificationError(Exception):
    """The IR is malformed; the message lists every problem with the text of the instruction."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


def verify(unit: Module | Function) -> None:
    """Raise VerificationError unless a module, or a function, satisfies all invariants."""
    problems: list[str] = []
    if isinstance(unit, Function):
        _FunctionVerifier(unit, problems.append).run()
    else:
        _verify_module(unit, problems.append)
    if problems:
        raise VerificationError(problems)


def _verify_module(module: Module, report: Callable[[str], None]) -> None:
    uses: dict[Value, dict[Instruction, int]] = {}
    well_typed: set[tuple[object, ...]] = set()
    for name, symbol in module.globals.items():
        if symbol.name != name:
            report(f"@{symbol.name} stands in the module as @{name}")
        if isinstance(symbol, Function):
            if symbol.module is not module:
                report(f"@{name} does not belong to the module that lists it")
            _FunctionVerifier(symbol, report, uses, well_typed).run()
        elif isinstance(symbol, GlobalVariable):
            _verify_variable(module, symbol, report)
    for symbol in module.globals.values():
        expected = uses.get(symbol, {})
        if symbol.users != expected:
            strays = [i for i in symbol.users if i not in expected]
            shown = ", ".join(_text(i) for i in strays) or "an instruction is missing or miscounted"
            report(f"the use list of @{symbol.name} does not match the module: {shown}")
    nodes = [*module.metadata.values(), *module.named_metadata.values()]
    for text in nodes:
        for number in _dangling(module, [text]):
            report(f"metadata refers to !{number}, which does not exist: {text}")


def _verify_variable(module: Module, variable: GlobalVariable, report: Callable[[str], None]) -> None:
    where = f"@{variable.name}"
    if not isinstance(variable.type, PointerType):
        report(f"{where}: the address of a variable is {variable.type}")
    if variable.initializer is not None:
        if variable.initializer.type is not variable.value_type:
            report(f"{where}: {variable.value_type} is initialised with {variable.initializer.type}")
        for problem in _operand_problems(variable.initializer, module):
            report(f"{where}: {problem}")
    for number in _dangling(module, variable.metadata.values()):
        report(f"{where}: metadata !{number} does not exist")


def _dangling(module: Module | None, texts: Iterable[str]) -> list[str]:
    """Return the numbers of metadata nodes that the texts refer to and the module does not have."""
    if module is None:
        return []
    missing = []
    for text in texts:
        for number in _NODE.findall(_STRING.sub("", text) if '"' in text else text):
            if int(number) not in module.metadata:
                missing.append(number)
    return missing


def _operand_problems(value: Value, module: Module | None) -> Iterable[str]:
    """Yield the problems inside a constant or global, without recursion: tables may be deeply nested."""
    work = [value]
    seen: set[Value] = set()
    while work:
        value = work.pop()
        if value in seen:
            continue
        seen.add(value)
        if isinstance(value, GlobalValue):
            if module is not None and module.globals.get(value.name or "") is not value:
                yield f"@{value.name} is not in the module"
        elif isinstance(value, Constant):
            yield from constant_problems(value)
            if isinstance(value, ConstantAggregate):
                work += value.elements
            elif isinstance(value, ConstantExpression):
                work += value.operands
        else:
            yield f"a constant holds {value!r}"


def _text(instruction: Instruction) -> str:
    """Return the instruction for a message, or its parts if it cannot be printed."""
    try:
        return print_instruction(instruction)
    except (KeyError, ValueError, TypeError, AttributeError, IndexError):
        operands = ", ".join(repr(o) for o in instruction.operands)
        return f"%{instruction.name} = {instruction.opcode} {operands}"


class _FunctionVerifier:
    def __init__(
        self,
        function: Function,
        report: Callable[[str], None],
        global_uses: dict[Value, dict[Instruction, int]] | None = None,
        well_typed: set[tuple[object, ...]] | None = None,
    ) -> None:
        self.function = function
        self.module = function.module
        self._report = report
        self.uses: dict[Value, dict[Instruction, int]] = {}
        self.global_uses = global_uses if global_uses is not None else {}
        # The keys (`type_key`) of instructions that were verified.
        self.well_typed = well_typed if well_typed is not None else set()
        self.position: dict[Instruction, int] = {}

    def report(self, message: str, instruction: Instruction | None = None) -> None:
        where = f"@{self.function.name}: {message}"
        self._report(where if instruction is None else f"{where}\n    {_text(instruction)}")

    def run(self) -> None:
        self.signature()
        if not self.function.blocks:
            return
        if not self.membership():
            return  # the other checks walk lists that do not describe the function
        for block in self.function.blocks:
            for instruction in block.instructions:
                self.operands(instruction)
        self.use_lists()
        if self.shape_of_blocks():
            tree = dominators(self.function)
            for block in self.function.blocks:
                self.phis(block)
                self.dominance(block, tree)
        for instruction in self.function.instructions():
            self.types(instruction)

    def signature(self) -> None:
        function = self.function
        types = tuple(a.type for a in function.arguments)
        if types != function.function_type.parameters:
            self.report(f"the arguments do not match the type {function.function_type}")
        for index, argument in enumerate(function.arguments):
            if argument.index != index:
                self.report(f"argument {index} says it is number {argument.index}")
        if len(set(function.arguments)) != len(function.arguments):
            self.report("an argument stands twice")
        for word in function.suffix:
            self.attribute_group(word, None)
        for number in _dangling(self.module, function.metadata.values()):
            self.report(f"metadata !{number} does not exist")

    def attribute_group(self, word: str, instruction: Instruction | None) -> None:
        match = _GROUP.match(word)
        if match and self.module is not None and int(match.group(1)) not in self.module.attribute_groups:
            self.report(f"attribute group {word} does not exist", instruction)

    def membership(self) -> bool:
        good = True
        seen_blocks: set[Block] = set()
        for block in self.function.blocks:
            if block in seen_blocks:
                self.report(f"block %{block.name} stands twice")
                good = False
            seen_blocks.add(block)
            if block.function is not self.function:
                self.report(f"block %{block.name} does not belong to the function that lists it")
                good = False
            for index, instruction in enumerate(block.instructions):
                if instruction in self.position:
                    self.report("an instruction stands twice", instruction)
                    good = False
                self.position[instruction] = index
                if instruction.block is not block:
                    self.report(f"an instruction in block %{block.name} does not belong to it", instruction)
                    good = False
        for value in [*self.function.arguments, *self.function.blocks, *self.position]:
            if value.name == "":
                self.report(f"{value!r} has an empty name")
        return good

    def shape_of_blocks(self) -> bool:
        """Return whether every block has the form that walking the control flow requires."""
        good = True
        for block in self.function.blocks:
            body = block.instructions
            if not body or body[-1].opcode not in TERMINATORS:
                self.report(f"block %{block.name} does not end with a terminator")
                good = False
                continue
            for instruction in body[:-1]:
                if instruction.opcode in TERMINATORS:
                    self.report("a terminator in the middle of a block", instruction)
                    good = False
            first = block.first_non_phi
            for instruction in body[first:]:
                if instruction.opcode == "phi":
                    self.report("a phi after other instructions", instruction)
            for target in body[-1].successors():
                if not isinstance(target, Block) or target.function is not self.function:
                    self.report("a branch to something that is no block of the function", body[-1])
                    good = False
                elif target is self.function.entry:
                    self.report("a branch to the entry block", body[-1])
                    good = False
        return good

    def operands(self, instruction: Instruction) -> None:
        holds_blocks = instruction.opcode in TERMINATORS or instruction.opcode == "phi"
        for value in instruction.operands:
            if isinstance(value, Constant):
                if value.__class__ not in _PLAIN:
                    for problem in _operand_problems(value, self.module):
                        self.report(problem, instruction)
                continue
            table = self.global_uses if isinstance(value, GlobalValue) else self.uses
            counts = table.get(value)
            if counts is None:
                counts = table[value] = {}
            counts[instruction] = counts.get(instruction, 0) + 1
            if value.users.get(instruction, 0) == 0:
                self.report(f"{value!r} does not know this user", instruction)
            if value not in self.position:
                self.origin(value, instruction)
            if isinstance(value, Block) and not holds_blocks:
                self.report("a block as an operand", instruction)
        if instruction.type is VOID and instruction.name is not None:
            self.report(f"a result of type void has the name {instruction.name!r}", instruction)
        if instruction.metadata:
            for number in _dangling(self.module, instruction.metadata.values()):
                self.report(f"metadata !{number} does not exist", instruction)
        for word in instruction.attributes.get("suffix", ()):
            self.attribute_group(word, instruction)

    def origin(self, value: Value, user: Instruction) -> None:
        """Report an operand that belongs to another function or module."""
        match value:
            case GlobalValue():
                for problem in _operand_problems(value, self.module):
                    self.report(problem, user)
            case Argument():
                at = value.index
                if not (at < len(self.function.arguments) and self.function.arguments[at] is value):
                    self.report(f"{value!r} is no argument of the function", user)
            case Block():
                if value.function is not self.function:
                    self.report(f"block %{value.name} is not in the function", user)
            case Instruction():
                self.report(f"%{value.name} ({value.opcode}) is not in the function", user)
            case _:
                self.report(f"{value!r} cannot be an operand", user)

    def use_lists(self) -> None:
        values: list[Value] = [*self.function.arguments, *self.function.blocks, *self.position]
        for value in values:
            expected = self.uses.get(value, {})
            if value.users == expected:
                continue
            for user, count in value.users.items():
                if expected.get(user, 0) != count:
                    self.report(
                        f"{value!r} counts {count} uses where there are {expected.get(user, 0)}", user
                    )

    def types(self, instruction: Instruction) -> None:
        key = type_key(instruction)
        if key is not None and key in self.well_typed:
            return
        good = True
        for problem in type_problems(instruction):
            self.report(problem, instruction)
            good = False
        if good and key is not None:
            self.well_typed.add(key)

    def phis(self, block: Block) -> None:
        phis = block.phis()
        if not phis:
            return
        edges: dict[Value, int] = {}
        for user in block.users:
            if user.opcode in TERMINATORS and user.block is not None:
                edges[user.block] = user.successors().count(block)
        for phi in phis:
            entries: dict[Value, list[Value]] = {}
            for value, source in zip(phi.operands[::2], phi.operands[1::2], strict=False):
                entries.setdefault(source, []).append(value)
            for source, values in entries.items():
                if len(values) != edges.get(source, 0):
                    self.report(
                        f"{len(values)} entries for the {edges.get(source, 0)} edges from %{source.name}", phi
                    )
                if any(not _same(v, values[0]) for v in values):
                    self.report(f"different values for the edges from %{source.name}", phi)
            for source in edges:
                if source not in entries:
                    self.report(f"no value for the edge from %{source.name}", phi)

    def dominance(self, block: Block, tree: DominatorTree) -> None:
        if block not in tree:
            return
        for instruction in block.instructions:
            for index, value in enumerate(instruction.operands):
                if not isinstance(value, Instruction) or value.block is None:
                    continue
                if instruction.opcode == "phi":
                    source = instruction.operands[index + 1] if index % 2 == 0 else None
                    good = isinstance(source, Block) and tree.dominates(value.block, source)
                elif value.block is block:
                    good = self.position.get(value, 0) < self.position[instruction]
                else:
                    good = tree.dominates(value.block, block)
                if not good:
                    self.report(f"{_text(value)} does not dominate its use in", instruction)


def _same(a: Value, b: Value) -> bool:
    """Return whether two values are equal; constants are compared by their text."""
    if a is b:
        return True
    if not isinstance(a, Constant) or not isinstance(b, Constant) or a.type is not b.type:
        return False
    return constant_text(a) == constant_text(b)
