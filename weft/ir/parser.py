"""Parse LLVM's textual IR to a Module.

`parse(text)` reads the output of clang and LLVM 22. Debug records are dropped; metadata and attribute groups
are kept as text.
"""

import re

from weft.lazy_pattern import lazy_pattern

from .function import Alias, Block, Function, GlobalVariable, Module
from .lexer import Cursor, ParseError, local_key, local_name, tokenize, unquote
from .operand_parser import OperandParser, Scope
from .parse_instruction import parse_instruction
from .printer import typed_constant
from .types import METADATA, OPAQUE, VOID, FunctionType, NamedType, PointerType, StructType, Type
from .values import Argument

_LABEL = lazy_pattern(r'^("[^"]*"|[-\w.$]+):')
# Debug records in the form before LLVM 19, which are dropped too.
_DEBUG_CALL = lazy_pattern(r"(?:tail )?call void @llvm\.dbg\.\w+\(")
_ATTACHMENT = lazy_pattern(r"^!([a-zA-Z_][\w.]*)$")

# Attributes that are followed by one more token.
_ATTRIBUTE_WITH_ARGUMENT = frozenset(("align", "section", "partition", "gc", "code_model"))
# Words after a function that are followed by a typed constant.
_ATTRIBUTE_WITH_CONSTANT = frozenset(("personality", "prefix", "prologue"))


def parse(text: str) -> Module:
    """Parse a module."""
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
        for line in lines:
            if line.startswith("%"):
                self._type_definition(line)
        bodies: list[tuple[Function, int, int]] = []
        i = 0
        while i < len(lines):
            line = lines[i]
            if not line or line[0] in ";%":
                i += 1
            elif line.startswith("define "):
                function = self._function_header(line)
                end = self._end_of_body(i)
                bodies.append((function, i + 1, end))
                i = end + 1
            elif line.startswith("declare "):
                for argument in self._function_header(line).arguments:
                    argument.name = None  # nothing can refer to it
                i += 1
            elif line[0] == "@":
                self._global(line)
                i += 1
            elif line[0] == "!":
                self._metadata(line)
                i += 1
            elif line.startswith("attributes #"):
                number, _, body = line[len("attributes #") :].partition(" = ")
                if not number.isdigit():
                    raise ParseError(f"syntax error: {line.strip()}")
                self.module.attribute_groups[int(number)] = body
                i += 1
            elif line.startswith(("source_filename", "target ", "module asm", "$")):
                self.module.header.append(line)
                i += 1
            elif not line.strip():
                i += 1
            else:
                raise ParseError(f"syntax error: {line.strip()}")
        for function, start, end in bodies:
            self._body(function, start, end)
        return self.module

    def _end_of_body(self, start: int) -> int:
        for index in range(start + 1, len(self.lines)):
            if self.lines[index] == "}":
                return index
        raise ParseError(f"unterminated function: {self.lines[start]}")

    def _declare(self, symbol: GlobalVariable | Function | Alias, line: str) -> None:
        assert symbol.name is not None
        if symbol.name in self.module.globals:
            raise ParseError(f"{symbol.reference} is defined twice in: {line}")
        self.module.globals[symbol.name] = symbol

    def _declare_names(self) -> None:
        """Create all globals first, because uses may precede definitions."""
        module = self.module
        for line in self.lines:
            if line.startswith(("define ", "declare ")):
                match = re.search(r'@("[^"]*"|[-\w.$]+)\(', line)
                if match is None:
                    raise ParseError(f"a function without a name: {line}")
                name = unquote("@" + match.group(1))
                function = Function(name, FunctionType(METADATA, ()))
                function.module = module
                self._declare(function, line)
            elif line.startswith("@"):
                cursor = Cursor(tokenize(line), line)
                name = unquote(cursor.next())
                if "alias" in cursor.tokens[:12] or "ifunc" in cursor.tokens[:12]:
                    self._declare(Alias(name, line), line)
                else:
                    self._declare(GlobalVariable(name, METADATA), line)
            elif line.startswith("%"):
                name = unquote(tokenize(line)[0])
                if name in module.types:
                    raise ParseError(f"type %{name} is defined twice in: {line}")
                module.types[name] = NamedType(name)

    def _type_definition(self, line: str) -> None:
        cursor = Cursor(tokenize(line), line)
        named = self.module.types[unquote(cursor.next())]
        cursor.expect("=")
        cursor.expect("type")
        body = self.operands.type(cursor)
        if not (body is OPAQUE or isinstance(body, StructType)) or cursor.peek():
            raise cursor.error(f"{named} is neither a struct nor opaque")
        named.body = body if isinstance(body, StructType) else None

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
                space = cursor.bracketed_integer()
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
            elif token in _ATTRIBUTE_WITH_ARGUMENT:
                suffix.append(f"{token} {cursor.next()}")
            else:
                suffix.append(token)
        if cursor.peek():
            raise cursor.error(f"unexpected {cursor.found}")
        variable.suffix = tuple(suffix)

    def _function_header(self, line: str) -> Function:
        cursor = Cursor(tokenize(line.removesuffix("{").rstrip()), line)
        cursor.next()  # define or declare
        declaration_metadata = {}
        while (match := _ATTACHMENT.match(cursor.peek())) is not None:
            cursor.next()  # attachments of a declaration precede its type
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
            while cursor.peek() not in (",", ")") and cursor.peek()[:1] != "%":
                attributes.append(self._attribute(cursor))
            name = None
            if cursor.peek()[:1] == "%":
                name = cursor.next()
            arguments.append(Argument(type, name, len(arguments), tuple(attributes)))
            if not cursor.accept(","):
                cursor.expect(")")
                break
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
        """Parse one attribute of a function, result or parameter, with its argument."""
        token = cursor.next()
        if cursor.peek() == "(" and token[0] != "#":
            return token + cursor.balanced()
        if token in _ATTRIBUTE_WITH_ARGUMENT:
            return f"{token} {cursor.next()}"
        if token in _ATTRIBUTE_WITH_CONSTANT:
            return f"{token} {typed_constant(self.operands.constant(cursor, self.operands.type(cursor)))}"
        if cursor.peek() == "=":
            cursor.next()
            return f"{token}={cursor.next()}"
        return token

    def _body(self, function: Function, start: int, end: int) -> None:
        scope = Scope()
        operands = self.operands
        lines = self.lines
        for argument in function.arguments:
            # So far, the name of an argument is its reference in the text.
            key = local_key(argument.name) if argument.name is not None else f"%{scope.counter}"
            argument.name = local_name(key)
            scope.define(key, argument, lines[start - 1])
            if argument.name is None:
                scope.counter = int(key[1:]) + 1
        block: Block | None = None
        i = start
        while i < end:
            line = lines[i]
            i += 1
            if not line:
                continue
            if line[0] != " ":
                match = _LABEL.match(line)
                if match is None:
                    raise ParseError(f"syntax error: {line}")
                block = self._start_block(function, scope, local_key("%" + match.group(1)))
                continue
            text = line.strip()
            if not text or text[0] == ";" or text.startswith("#dbg_") or _DEBUG_CALL.match(text):
                continue
            if block is None:
                block = self._start_block(function, scope, f"%{scope.counter}")
            if text[-1] == "[" and text.startswith("switch "):
                while i < end and lines[i - 1].strip()[:1] != "]":
                    text += " " + lines[i]
                    i += 1
            cursor = Cursor(tokenize(text), text)
            key = ""
            if cursor.tokens[0][0] == "%":
                key = local_key(cursor.next())
                cursor.expect("=")
            instruction = parse_instruction(cursor, operands, scope)
            block.append(instruction)
            if key:
                scope.define(key, instruction, text)
                instruction.name = local_name(key)
                if instruction.name is None:
                    scope.counter = int(key[1:]) + 1
            elif instruction.type is not VOID:
                # An unnamed result takes the next number.
                scope.define(f"%{scope.counter}", instruction, text)
                scope.counter += 1
        if block is None:
            raise ParseError(f"@{function.name} is defined with no blocks")
        scope.finish(function)

    @staticmethod
    def _start_block(function: Function, scope: Scope, key: str) -> Block:
        block = scope.block(key)
        if block.function is not None:
            raise ParseError(f"block {key} is defined twice in @{function.name}")
        block.function = function
        function.blocks.append(block)
        block.name = local_name(key)
        if block.name is None:
            scope.counter = int(key[1:]) + 1
        return block


def parse_type(text: str, module: Module | None = None) -> Type:
    """Parse a single type."""
    return OperandParser(module or Module()).type(Cursor(tokenize(text), text))
