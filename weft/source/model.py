"""The source model: a program as libclang parses it, with the exact range of each node.

`parse(text, options)` returns a `Source`: the text, and a tree of `Node` for each function that it defines. A
node from the body of a macro has the range of the macro's use and `macro` set; a macro argument has the range
where it is written. So a node can be replaced if and only if `macro` is empty, and text that is not replaced
is unchanged.

libclang is an optional dependency (`pip install 'weft[source]'`). It uses the base header, extensions and
target of Weft's front end, so built-in functions resolve as in a build.
"""

import ctypes
from bisect import bisect_right
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from itertools import pairwise
from typing import Any

from weft.dataclasses import dataclass, field
from weft.errors import WeftError
from weft.frontend.options import EXTENSIONS, FEATURES, BuildOptions
from weft.frontend.several import HEADER
from weft.source.refusal import Refused, SourceError
from weft.source.types import SourceType

_MAIN = "<kernel>.cl"
# Deeper programs are refused: each level costs a few Python frames in each walk.
_DEPTH = 120

_BINARY = (
    "", "", "", "*", "/", "%", "+", "-", "<<", ">>", "", "<", ">", "<=", ">=", "==", "!=", "&", "^", "|",
    "&&", "||", "=", "*=", "/=", "%=", "+=", "-=", "<<=", ">>=", "&=", "^=", "|=", ",",
)  # fmt: skip
_UNARY = ("", "post++", "post--", "pre++", "pre--", "&", "*", "+", "-", "~", "!")
_SCALARS = {
    "CHAR_S": "char", "SCHAR": "char", "UCHAR": "uchar", "CHAR_U": "uchar", "SHORT": "short",
    "USHORT": "ushort", "INT": "int", "UINT": "uint", "LONG": "long", "ULONG": "ulong", "HALF": "half",
    "FLOAT": "float", "DOUBLE": "double", "ENUM": "int",
}  # fmt: skip
_SPACES = {"__global ": 1, "__constant ": 2, "__local ": 3}


class LibclangMissing(WeftError):
    """The optional dependency is not installed."""


@dataclass(eq=False, slots=True)
class Node:
    """A statement, declaration or expression.

    `kind` is libclang's name of the kind (`IF_STMT`). `start` and `end` are offsets into the text. `key`
    identifies the variable or function that a declaration declares or a name refers to. `value` is the value
    of an integer literal.
    """

    kind: str
    name: str
    type: SourceType
    start: int
    end: int
    op: str = ""
    key: str = ""
    macro: str = ""
    is_fragment: bool = False
    value: int | None = None
    children: list["Node"] = field(default_factory=list)
    parts: tuple["Node | None", ...] = ()

    def walk(self) -> Iterator["Node"]:
        """Yield the node and all nodes below it, parents first."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack += reversed(node.children)


@dataclass(eq=False)
class Function:
    """A function that the text defines."""

    name: str
    is_kernel: bool
    node: Node
    parameters: list[Node]
    body: Node
    # The offset of the closing parenthesis of the parameters.
    parameters_end: int
    # reqd_work_group_size and work_group_size_hint: name, range and numbers.
    sizes: list[tuple[str, int, int, tuple[int, ...]]]


class Source:
    """A parsed program."""

    def __init__(self, text: str, file: str) -> None:
        self.text, self.file = text, file
        self.functions: dict[str, Function] = {}
        self.names: set[str] = set()
        # Ranges of macro uses.
        self.macros: list[tuple[int, int]] = []
        self._lines = [0]
        for offset, character in enumerate(text):
            if character == "\n":
                self._lines.append(offset + 1)

    def position(self, offset: int) -> tuple[int, int]:
        """Return line and column of an offset, from 1."""
        line = bisect_right(self._lines, offset)
        return line, offset - self._lines[line - 1] + 1

    def line(self, offset: int) -> int:
        """Return the line of an offset, from 1."""
        return self.position(offset)[0]

    def of(self, node: Node) -> str:
        """Return the text of a node."""
        return self.text[node.start : node.end]

    def refused(self, node: Node | int, reason: str) -> Refused:
        """Create the error that says where and why the program is not rewritten."""
        offset = node if isinstance(node, int) else node.start
        return Refused(self.file, *self.position(offset), reason)

    def is_alone(self, start: int, end: int) -> bool:
        """Return whether an expression is delimited: in brackets, an argument, or the right side of an
        assignment."""
        before, after = self.text[:start].rstrip()[-1:], self.text[end : end + 100].lstrip()[:1]
        in_macro = any(first <= start < last for first, last in self.macros)
        return before in ("=", "(", "[", ",") and after in (";", ")", "]", ",") and not in_macro

    def indent(self, offset: int) -> str:
        """Return the white space at the start of the line of an offset."""
        start = self._lines[self.line(offset) - 1]
        line = self.text[start:offset]
        return line[: len(line) - len(line.lstrip())]

    def kernels(self, wanted: list[str]) -> list[Function]:
        """Return the kernels with the wanted names, in source order; all kernels if `wanted` is empty."""
        by_name = {f.name: f for f in self.functions.values() if f.is_kernel}
        for name in wanted:
            if name not in by_name:
                raise WeftError(
                    f"{self.file} has no kernel {name!r}; available: {', '.join(by_name) or 'none'}"
                )
        if not by_name:
            raise WeftError(f"{self.file} has no kernel")
        return [f for f in by_name.values() if not wanted or f.name in wanted]


@cache
def _cindex() -> Any:
    try:
        cindex: Any = import_module("clang.cindex")  # an optional dependency, loaded when it is used
    except ImportError:
        raise LibclangMissing(
            "rewriting source needs libclang: install it with `pip install 'weft[source]'`"
        ) from None
    lib = cindex.conf.lib
    lib.clang_getSpellingLocation.argtypes = [cindex.SourceLocation, *[ctypes.c_void_p] * 4]
    lib.clang_getSpellingLocation.restype = None
    for name in ("clang_getCursorBinaryOperatorKind", "clang_getCursorUnaryOperatorKind"):
        getattr(lib, name).argtypes = [cindex.Cursor]
        getattr(lib, name).restype = ctypes.c_int
    return cindex


def _arguments(options: BuildOptions) -> list[str]:
    enabled = ",".join(f"+{name}" for name in EXTENSIONS + FEATURES)
    arguments = ["-x", "cl", f"-cl-std={options.clang_standard}", "-cl-no-stdinc", "-nostdinc"]
    arguments += ["-target", "spir64"]
    arguments += ["-Xclang", "-fdeclare-opencl-builtins", "-include", str(HEADER)]
    arguments += ["-Xclang", f"-cl-ext=-all,{enabled}", "-ferror-limit=20"]
    arguments += ["-U__SPIR__", "-U__SPIR64__", "-U__SPIR", "-U__SPIR64"]
    arguments += options.feature_macros()
    arguments += [f"-D{name}={definition}" for name, definition in options.defines]
    return arguments + [f"-I{folder}" for folder in options.include_dirs]


def parse(text: str, options: BuildOptions, file: str) -> Source:
    """Parse a program; raise SourceError with clang's diagnostics if it has errors."""
    # Offsets of libclang count bytes, so replace non-ASCII characters, which occur only in comments, by one
    # byte.
    seen = text if text.isascii() else "".join(c if c.isascii() else "?" for c in text)
    cindex = _cindex()
    record_macros = cindex.TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD
    try:
        unit = cindex.Index.create().parse(
            _MAIN, args=_arguments(options), unsaved_files=[(_MAIN, seen)], options=record_macros
        )
    except cindex.TranslationUnitLoadError:
        raise SourceError(f"{file}: libclang cannot read the program") from None
    errors = [d for d in unit.diagnostics if d.severity >= cindex.Diagnostic.Error]
    if errors and seen is not text:
        source = Source(text, file)
        offset = next(at for at, c in enumerate(text) if not c.isascii())
        raise source.refused(offset, "a non-ASCII character outside comments")
    if errors:
        lines = [f"{_place(d.location, file)}: error: {d.spelling}" for d in errors]
        raise SourceError("the program does not compile\n" + "\n".join(lines))
    return _Reader(cindex, unit, Source(text, file)).read()


def _place(location: Any, file: str) -> str:
    if location.file is None:
        return file
    name = file if location.file.name == _MAIN else location.file.name
    return f"{name}:{location.line}:{location.column}"


class _Reader:
    """Converts libclang's cursors to nodes."""

    def __init__(self, cindex: Any, unit: Any, source: Source) -> None:
        self.cindex, self.unit, self.source = cindex, unit, source
        self.lib = cindex.conf.lib
        # Uses of macros: start -> (end, name).
        self.macros: dict[int, tuple[int, str]] = {}

    def read(self) -> Source:
        kinds = self.cindex.CursorKind
        functions = []
        for cursor in self.unit.cursor.get_children():
            if cursor.location.file is None or cursor.location.file.name != _MAIN:
                continue
            if cursor.kind == kinds.MACRO_INSTANTIATION:
                start = cursor.extent.start.offset
                self.macros[start] = (cursor.extent.end.offset, cursor.spelling)
                self.source.macros.append((start, cursor.extent.end.offset))
            elif cursor.kind == kinds.FUNCTION_DECL:
                functions.append(cursor)
            self.source.names.add(cursor.spelling)
        for cursor in functions:
            if cursor.is_definition():
                function = self._function(cursor)
                self.source.functions[function.name] = function
        return self.source

    def _function(self, cursor: Any) -> Function:
        node = self.node(cursor)
        parameters = [n for n in node.children if n.kind == "PARM_DECL"]
        body = next(n for n in node.children if n.kind == "COMPOUND_STMT")
        start = cursor.extent.start
        head = self.source.text[start.offset : body.start]
        tokens = list(cursor.get_tokens())
        is_kernel, end = False, node.start
        for token in tokens:
            offset = token.extent.start.offset
            if offset >= body.start:
                break
            is_kernel = is_kernel or token.spelling in ("__kernel", "kernel")
            if token.spelling == ")":
                end = offset
        if "__attribute__" in head:
            end = self._parameters_end(tokens, cursor.spelling)
        return Function(
            cursor.spelling,
            is_kernel,
            node,
            parameters,
            body,
            end,
            list(_size_attributes(tokens, body.start)),
        )

    @staticmethod
    def _parameters_end(tokens: list[Any], name: str) -> int:
        depth, started = 0, False
        for before, token in pairwise(tokens):
            started = started or (before.spelling == name and token.spelling == "(")
            if started and token.spelling in "()":
                depth += 1 if token.spelling == "(" else -1
                if not depth:
                    return int(token.extent.start.offset)
        raise AssertionError("a function without parameters")

    def node(self, root: Any) -> Node:
        """Return the tree below a cursor."""
        tree = self._made(root)
        stack = [(root, tree, 0)]
        while stack:
            cursor, node, depth = stack.pop()
            if depth > _DEPTH:
                raise self.source.refused(node, f"statements or expressions are nested deeper than {_DEPTH}")
            for below in cursor.get_children():
                child = self._made(below)
                node.children.append(child)
                stack.append((below, child, depth + 1))
        for node in tree.walk():
            if node.kind == "FOR_STMT":
                node.parts = self._for_parts(node)
        _mark_fragments(tree)
        return tree

    def _made(self, cursor: Any) -> Node:
        kind = cursor.kind.name
        start, end = self._offset(cursor.extent.start), self._offset(cursor.extent.end)
        if kind.endswith(("_EXPR", "_OPERATOR")) or kind == "VAR_DECL":
            end = self._balanced(start, end)
        node = Node(kind, cursor.spelling or "", _type(cursor.type), start, end)
        if kind in ("BINARY_OPERATOR", "COMPOUND_ASSIGNMENT_OPERATOR"):
            node.op = _BINARY[self.lib.clang_getCursorBinaryOperatorKind(cursor)]
        elif kind == "UNARY_OPERATOR":
            number = self.lib.clang_getCursorUnaryOperatorKind(cursor)
            node.op = _UNARY[number] if number < len(_UNARY) else ""
        elif kind in ("VAR_DECL", "PARM_DECL"):
            node.key = _key(cursor)
            self.source.names.add(node.name)
        elif kind in ("DECL_REF_EXPR", "CALL_EXPR"):
            referenced = cursor.referenced
            node.key = _key(referenced) if referenced is not None else cursor.spelling
        elif kind == "INTEGER_LITERAL":
            node.value = self._integer(cursor)
        macro = self.macros.get(start)
        if macro is not None and macro[0] == end:
            node.macro = macro[1]
        return node

    def _integer(self, cursor: Any) -> int | None:
        evaluated = self.lib.clang_Cursor_Evaluate
        evaluated.argtypes, evaluated.restype = [self.cindex.Cursor], ctypes.c_void_p
        result = evaluated(cursor)
        if not result:
            return None
        number = self.lib.clang_EvalResult_getAsLongLong
        number.argtypes, number.restype = [ctypes.c_void_p], ctypes.c_longlong
        dispose = self.lib.clang_EvalResult_dispose
        dispose.argtypes, dispose.restype = [ctypes.c_void_p], None
        value = int(number(result))
        dispose(result)
        return value

    def _offset(self, location: Any) -> int:
        offset = ctypes.c_uint()
        self.lib.clang_getSpellingLocation(location, None, None, None, ctypes.byref(offset))
        return offset.value

    def _balanced(self, start: int, end: int) -> int:
        """Extend a range until its parentheses are balanced: libclang omits the last one of
        `(float4)(0.0f)`."""
        text = self.source.text
        missing = text.count("(", start, end) - text.count(")", start, end)
        while missing > 0 and end < len(text) and (text[end].isspace() or text[end] == ")"):
            missing -= text[end] == ")"
            end += 1
        return end

    def _for_parts(self, node: Node) -> tuple[Node | None, ...]:
        """Return the initialization, condition, step and body of a `for`; libclang omits absent ones."""
        body = node.children[-1]
        text = self.source.text
        semicolons: list[int] = []
        depth = 0
        extent = self.unit.get_extent(_MAIN, (node.start, body.start))
        for token in self.unit.get_tokens(extent=extent):
            word, offset = token.spelling, token.extent.start.offset
            if offset >= body.start:
                break
            depth += (word in "([{") - (word in ")]}")
            if word == ";" and depth == 1:
                semicolons.append(offset)
        if len(semicolons) != 2:
            raise self.source.refused(
                node, f"a macro hides parts of this loop: {text[node.start : body.start]}"
            )
        first, second = semicolons
        parts: list[Node | None] = [None, None, None]
        for child in node.children[:-1]:
            parts[0 if child.start < first else 1 if child.start < second else 2] = child
        return (*parts, body)


def _mark_fragments(root: Node) -> None:
    """Mark nodes that are only part of a macro expansion, such as `x * N` with `#define N 1 + 1`."""
    tops: dict[tuple[int, int], list[Node]] = {}
    for node in root.walk():
        for child in node.children:
            same = (node.start, node.end) == (child.start, child.end)
            if child.macro and not (node.macro and same):
                tops.setdefault((child.start, child.end), []).append(child)
    for siblings in tops.values():
        for node in siblings:
            node.is_fragment = len(siblings) > 1


def _key(cursor: Any) -> str:
    location = cursor.location
    if location.file is not None and location.file.name == _MAIN:
        return f"{cursor.spelling}@{location.offset}"
    return str(cursor.spelling)


def _size_attributes(tokens: list[Any], body: int) -> Iterator[tuple[str, int, int, tuple[int, ...]]]:
    words = [t for t in tokens if t.extent.start.offset < body]
    for at, token in enumerate(words):
        name = token.spelling.strip("_")
        if name in ("reqd_work_group_size", "work_group_size_hint"):
            numbers = words[at + 2 : at + 7 : 2]
            if all(t.spelling.isdigit() for t in numbers) and len(numbers) == 3:
                sizes = tuple(int(t.spelling) for t in numbers)
                yield name, numbers[0].extent.start.offset, numbers[0].extent.end.offset, sizes
            else:
                yield name, token.extent.start.offset, token.extent.end.offset, ()


@cache
def _spelled(kind: str) -> str:
    return _SCALARS.get(kind, "")


def _type(type: Any) -> SourceType:
    canonical = type.get_canonical()
    kind = canonical.kind.name
    spelling = type.spelling.replace("__private ", "").replace("__private", "").removeprefix("const ").strip()
    volatile = canonical.is_volatile_qualified()
    space = 3 if type.spelling.startswith("__local ") else 2 if "__constant " in type.spelling else 0
    if kind in _SCALARS:
        return SourceType("scalar", _SCALARS[kind], space, spelling, 0, volatile)
    if kind == "BOOL":
        return SourceType("bool", "bool", space, spelling, 0, volatile)
    if kind in ("EXTVECTOR", "VECTOR"):
        element = _spelled(canonical.element_type.get_canonical().kind.name)
        return SourceType("vector", element, space, spelling, canonical.element_count, volatile)
    if kind == "POINTER":
        pointee = canonical.get_pointee()
        element = _spelled(pointee.kind.name)
        space = next((n for word, n in _SPACES.items() if word in type.spelling), pointee.get_address_space())
        return SourceType(
            "pointer",
            element,
            space,
            spelling,
            0,
            pointee.is_volatile_qualified(),
            type.is_restrict_qualified(),
        )
    if kind in ("CONSTANTARRAY", "INCOMPLETEARRAY"):
        element = _spelled(canonical.element_type.get_canonical().kind.name)
        space = 3 if "__local " in type.spelling else 2 if "__constant " in type.spelling else 0
        count = canonical.element_count if kind == "CONSTANTARRAY" else 0
        return SourceType("array", element, space, spelling, count, volatile)
    return SourceType("record" if kind == "RECORD" else "other", "", space, spelling, 0, volatile)
