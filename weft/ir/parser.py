"""LLVM's textual IR to a Module.

`parse(text)` reads what clang and LLVM 22 print. Debug records are dropped; metadata and attribute
groups are kept as text.
"""

import re

from .function import Alias, Block, Function, GlobalVariable, Module
from .lexer import Cursor, ParseError, tokenize, unquote
from .operand_parser import OperandParser, Scope
from .parse_instruction import parse_instruction
from .types import METADATA, OPAQUE, FunctionType, NamedType, PointerType, Type
from .values import Argument

_LABEL = re.compile(r'^(?:"((?:[^"])*)"|([-\w.$]+)):')
_ATTACHMENT = re.compile(r"^!([a-zA-Z_][\w.]*)$")

# Words that may stand between @name = and the type of a global variable.
_ATTRIBUTE_WITH_ARGUMENT = frozenset(
    ("align", "section", "partition", "comdat", "gc", "personality", "prefix")
)


def parse(text: str) -> Module:
    """Reads a module."""
    parser = _ModuleParser(text)
    return parser.run()


class _ModuleParser:
    def __init__(self, text: str) -> None:
        self.lines = text.split("\n")
        self.module = Module()
        self.operands = OperandParser(self.module)

    def run(self) -> Module:
        lines = self.lines
        self._declare_names()
        bodies: list[tuple[Function, int, int]] = []
        i = 0
        while i < len(lines):
            line = lines[i]
            if not line or line[0] == ";":
                i += 1
            elif line.startswith("define "):
                function = self._function_header(line)
                end = i + 1
                while lines[end] != "}":
                    end += 1
                bodies.append((function, i + 1, end))
                i = end + 1
            elif line.startswith("declare "):
                self._function_header(line)
                i += 1
            elif line[0] == "@":
                self._global(line)
                i += 1
            elif line[0] == "%":
                self._type_definition(line)
                i += 1
            elif line[0] == "!":
                self._metadata(line)
                i += 1
            elif line.startswith("attributes #"):
                number, _, body = line[len("attributes #") :].partition(" = ")
                self.module.attribute_groups[int(number)] = body
                i += 1
            elif line.startswith(("source_filename", "target ", "module asm", "$")):
                self.module.header.append(line)
                i += 1
            elif not line.strip():
                i += 1
            else:
                raise ParseError(f"cannot understand: {line.strip()}")
        for function, start, end in bodies:
            self._body(function, start, end)
        return self.module

    def _declare_names(self) -> None:
        """Makes an object for each global first, because uses may precede definitions."""
        module = self.module
        for line in self.lines:
            if line.startswith(("define ", "declare ")):
                match = re.search(r'@("[^"]*"|[-\w.$]+)\(', line)
                if match is None:
                    raise ParseError(f"a function without a name: {line}")
                name = unquote("@" + match.group(1))
                function = Function(name, FunctionType(METADATA, ()))
                function.module = module
                module.globals[name] = function
            elif line.startswith("@"):
                cursor = Cursor(tokenize(line), line)
                name = unquote(cursor.next())
                if "alias" in cursor.tokens[:12] or "ifunc" in cursor.tokens[:12]:
                    module.globals[name] = Alias(name, line)
                else:
                    module.globals[name] = GlobalVariable(name, METADATA)
            elif line.startswith("%"):
                name = unquote(tokenize(line)[0])
                module.types[name] = NamedType(name)

    def _type_definition(self, line: str) -> None:
        cursor = Cursor(tokenize(line), line)
        named = self.module.types[unquote(cursor.next())]
        cursor.expect("=")
        cursor.expect("type")
        body = self.operands.type(cursor)
        named.body = None if body is OPAQUE else body

    def _metadata(self, line: str) -> None:
        name, _, body = line.partition(" = ")
        if name[1:].isdigit():
            self.module.metadata[int(name[1:])] = body
        else:
            self.module.named_metadata[name[1:]] = body

    def _global(self, line: str) -> None:
        cursor = Cursor(tokenize(line), line)
        variable = self.module.globals[unquote(cursor.next())]
        if isinstance(variable, Alias):
            return
        assert isinstance(variable, GlobalVariable)
        cursor.expect("=")
        prefix = []
        space = 0
        while (token := cursor.next()) not in ("global", "constant"):
            if token == "addrspace":
                space = int(cursor.balanced()[1:-1])
            elif cursor.peek() == "(":
                prefix.append(token + cursor.balanced())
            else:
                prefix.append(token)
        variable.prefix = tuple(prefix)
        variable.is_constant = token == "constant"
        variable.type = PointerType(space)
        variable.value_type = self.operands.type(cursor)
        if cursor.peek() not in ("", ","):
            variable.initializer = self.operands.constant(cursor, variable.value_type)
        suffix = []
        while cursor.accept(","):
            token = cursor.next()
            match = _ATTACHMENT.match(token)
            if match:
                variable.metadata[match.group(1)] = self.operands.metadata_text(cursor)
            elif cursor.peek() == "(":
                suffix.append(token + cursor.balanced())
            elif cursor.peek() not in (",", ""):
                suffix.append(f"{token} {cursor.next()}")
            else:
                suffix.append(token)
        variable.suffix = tuple(suffix)

    def _function_header(self, line: str) -> Function:
        cursor = Cursor(tokenize(line.removesuffix("{").rstrip()), line)
        cursor.next()  # define or declare
        declaration_metadata = {}
        while (match := _ATTACHMENT.match(cursor.peek())) is not None:
            cursor.next()  # a declaration carries its attachments in front
            declaration_metadata[match.group(1)] = self.operands.metadata_text(cursor)
        prefix = []
        while not self.operands.starts_type(cursor):
            prefix.append(self._attribute(cursor))
        result = self.operands.type(cursor)
        function = self.module.globals[unquote(cursor.next())]
        assert isinstance(function, Function)
        cursor.expect("(")
        arguments: list[Argument] = []
        vararg = False
        while not cursor.accept(")"):
            if cursor.accept("..."):
                vararg = True
                continue
            type = self.operands.type(cursor)
            attributes = []
            while cursor.peek() not in (",", ")") and cursor.peek()[0] != "%":
                attributes.append(self._attribute(cursor))
            name = None
            if cursor.peek()[0] == "%":
                name = unquote(cursor.next())
            arguments.append(Argument(type, name, len(arguments), tuple(attributes)))
            cursor.accept(",")
        function.arguments = arguments
        function.function_type = FunctionType(result, tuple(a.type for a in arguments), vararg)
        function.prefix = tuple(prefix)
        suffix = []
        function.metadata = declaration_metadata
        while cursor.peek():
            match = _ATTACHMENT.match(cursor.peek())
            if match:
                cursor.next()
                function.metadata[match.group(1)] = self.operands.metadata_text(cursor)
            else:
                suffix.append(self._attribute(cursor))
        function.suffix = tuple(suffix)
        return function

    def _attribute(self, cursor: Cursor) -> str:
        """One attribute of a function, result or parameter, with its argument."""
        token = cursor.next()
        if cursor.peek() == "(":
            return token + cursor.balanced()
        if token in _ATTRIBUTE_WITH_ARGUMENT and token != "comdat":
            return f"{token} {cursor.next()}"
        if cursor.peek() == "=":
            cursor.next()
            return f"{token}={cursor.next()}"
        return token

    def _body(self, function: Function, start: int, end: int) -> None:
        scope = Scope()
        operands = self.operands
        for argument in function.arguments:
            if argument.name is None:
                scope.values[str(scope.counter)] = argument
                scope.counter += 1
            else:
                scope.define(argument.name, argument)
                if argument.name.isdigit():
                    scope.counter = int(argument.name) + 1
                    argument.name = None
        block: Block | None = None
        i = start
        while i < end:
            line = self.lines[i]
            i += 1
            if not line:
                continue
            if line[0] != " ":
                match = _LABEL.match(line)
                if match is None:
                    raise ParseError(f"cannot understand: {line}")
                name = unquote('%"' + match.group(1) + '"') if match.group(1) is not None else match.group(2)
                block = self._start_block(function, scope, name)
                continue
            if block is None:
                block = self._start_block(function, scope, str(scope.counter))
            text = line.strip()
            if text.startswith("#dbg_") or not text or text[0] == ";":
                continue
            if text.startswith("switch ") and text.endswith("["):
                while not self.lines[i].strip().startswith("]"):
                    text += " " + self.lines[i]
                    i += 1
                text += " " + self.lines[i]
                i += 1
            cursor = Cursor(tokenize(text), text)
            name_token = None
            if cursor.tokens[0][0] == "%":
                name_token = unquote(cursor.next())
                cursor.expect("=")
            instruction = parse_instruction(cursor, operands, scope)
            block.append(instruction)
            if name_token is not None:
                if name_token.isdigit():
                    scope.counter = int(name_token) + 1
                else:
                    instruction.name = name_token
                scope.define(name_token, instruction)
        scope.finish(function)

    @staticmethod
    def _start_block(function: Function, scope: Scope, name: str) -> Block:
        block = scope.block(name)
        if block.function is not None:
            raise ParseError(f"block %{name} is defined twice")
        block.function = function
        function.blocks.append(block)
        if name.isdigit():
            scope.counter = int(name) + 1
        else:
            block.name = name
        return block


def parse_type(text: str, module: Module | None = None) -> Type:
    """Reads a type on its own."""
    return OperandParser(module or Module()).type(Cursor(tokenize(text), text))
