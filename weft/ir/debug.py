"""Debug information in a module's metadata: source lines of instructions and names of variables.

Metadata is kept as text (see `Module`); clang's debug information is read from it on demand:

    store float %x, ptr %p, !dbg !81
    !81 = !DILocation(line: 25, column: 31, scope: !37, inlinedAt: !66)
    !37 = distinct !DISubprogram(name: "getIdx", file: !12, …)

The parser drops debug records (`#dbg_value`), because passes would have to update them; the names that they
give to values are read from the text of the function (`source_variables`).
"""

import re

from weft.dataclasses import dataclass
from weft.lazy_pattern import lazy_pattern

from .function import Function, Module
from .instruction import Instruction
from .types import VOID, quoted
from .values import Value

_FIELD = lazy_pattern(r'(\w+): (?:"((?:[^"\\]|\\.)*)"|([^,()]+))')
_DEFINITION = lazy_pattern(r'^  (%(?:"[^"]*"|[-\w.$]+)) = ')
_RECORD = lazy_pattern(
    r'^\s+#dbg_(?:value|declare)\([^%!]*?(%(?:"[^"]*"|[-\w.$]+)), !(\d+), !DIExpression\((.*?)\), !(\d+)\)'
)
# Expressions that denote the value itself apart from its width, or a part of a variable.
_NEUTRAL = lazy_pattern(
    r"DW_OP_(?:constu, 0|lit0|swap|xderef|stack_value|LLVM_convert, \d+, DW_ATE_\w+|LLVM_fragment, \d+, \d+)"
    r"(?:, |$)"
)


# clang's names for the program, which is passed through a pipe.
_PROGRAM = ("<source>", "<stdin>")
# Maximum length of a chain of inlined calls: of longer ones, the innermost calls and the kernel's are kept.
MOST_CALLS = 64


@dataclass(frozen=True)
class Location:
    """A source location. `file` is empty for the program itself; `column` is 0 if unknown.

    `caller` is the call site of the function that contains the location, if it was inlined.
    """

    line: int
    column: int = 0
    file: str = ""
    function: str = ""
    caller: "Location | None" = None

    def __str__(self) -> str:
        text = f"{self.line}:{self.column}" if self.column else str(self.line)
        return f"{self.file}:{text}" if self.file else text

    @property
    def way(self) -> str:
        """The location with the calls that lead to it."""
        text, at = "", self
        while at.caller is not None:
            text += f"{at} in {at.function}, called at "
            at = at.caller
        return text + str(at)

    @property
    def outermost(self) -> "Location":
        """The location in the kernel itself."""
        at = self
        while at.caller is not None:
            at = at.caller
        return at


@dataclass(frozen=True)
class SourceVariable:
    """A variable of the source and the line of its declaration."""

    name: str
    line: int


class DebugInfo:
    """Reads the debug information of one module."""

    def __init__(self, module: Module) -> None:
        self._nodes = module.metadata
        self._fields: dict[int, dict[str, str]] = {}
        self._locations: dict[int, Location | None] = {}

    def location(self, instruction: Instruction) -> Location | None:
        """Return the source location of an instruction, or None if it is unknown."""
        return self._location(_number(instruction.metadata.get("dbg")))

    def loop_range(self, latch: Instruction) -> tuple[Location, Location] | None:
        """Return the first and last location of a loop, given the branch of its latch."""
        node = self._nodes.get(_number(latch.metadata.get("llvm.loop")) or -1, "")
        places = [self._location(int(n)) for n in re.findall(r"!(\d+)", node)]
        known = [p for p in places if p is not None]
        return (known[0], known[1]) if len(known) >= 2 else None

    def blocks(self, instruction: Instruction) -> list[Location]:
        """Return the start of each source block that contains an instruction, innermost first.

        The braces of a function, an `if` and similar statements are blocks, and so is an entire `for`.
        """
        locations: list[Location] = []
        at = _number(instruction.metadata.get("dbg"))
        while at is not None and (place := self._location(at)) is not None:
            fields = self._read(at)
            scope = _number(fields.get("scope"))
            while scope is not None and "!DISubprogram(" not in self._nodes.get(scope, ""):
                block = self._read(scope)
                line, column = (int(block.get(key, "0")) for key in ("line", "column"))
                locations.append(Location(line, column, place.file, place.function, place.caller))
                scope = _number(block.get("scope"))
            at = _number(fields.get("inlinedAt"))
        return locations

    def _location(self, number: int | None) -> Location | None:
        if number is None or not self._is_location(number):
            return None
        if number not in self._locations:
            chain = [number]
            while self._is_location(inlined := _number(self._read(chain[-1]).get("inlinedAt"))):
                assert inlined is not None
                chain.append(inlined)
            if len(chain) > MOST_CALLS:
                chain[MOST_CALLS - 1 :] = chain[-1:]
            caller: Location | None = None
            for at in reversed(chain):
                caller = self._place(at, caller)
            self._locations[number] = caller
        return self._locations[number]

    def _is_location(self, number: int | None) -> bool:
        node = self._nodes.get(number, "") if number is not None else ""
        return node.startswith(("!DILocation(", "distinct !DILoc"))

    def _place(self, number: int, caller: Location | None) -> Location | None:
        fields = self._read(number)
        scope = self._subprogram(_number(fields.get("scope")))
        if caller is not None and "__clang_ocl_kern_imp_" in scope.get("linkageName", ""):
            caller = None  # clang calls the body of a kernel from an empty kernel
        line = int(fields.get("line", "0"))
        if not line:
            return None
        column = int(fields.get("column", "0"))
        return Location(line, column, self._file(fields, scope), scope.get("name", ""), caller)

    def _subprogram(self, number: int | None) -> dict[str, str]:
        """Return the fields of the function that contains a scope."""
        while number is not None:
            if "!DISubprogram(" in self._nodes.get(number, ""):
                return self._read(number)
            number = _number(self._read(number).get("scope"))
        return {}

    def _file(self, location: dict[str, str], subprogram: dict[str, str]) -> str:
        # A block in another file than its function (an #include inside a function) names that file.
        scope = _number(location.get("scope"))
        fields = self._read(scope) if scope is not None else {}
        node = _number(fields.get("file") or subprogram.get("file"))
        name = self._read(node).get("filename", "") if node is not None else ""
        return "" if name in _PROGRAM else name

    def variable(self, number: int) -> SourceVariable:
        """Return the variable that a metadata node describes."""
        fields = self._read(number)
        return SourceVariable(fields.get("name", ""), int(fields.get("line", "0")))

    def depth(self, number: int) -> int:
        """Return the number of inlined calls around a location."""
        depth = 0
        at = _number(self._read(number).get("inlinedAt"))
        while at is not None:
            depth += 1
            at = _number(self._read(at).get("inlinedAt"))
        return depth

    def _read(self, number: int) -> dict[str, str]:
        if number not in self._fields:
            text = self._nodes.get(number, "")
            self._fields[number] = {k: quoted or bare for k, quoted, bare in _FIELD.findall(text)}
        return self._fields[number]


def source_variables(text: str, function: Function, info: DebugInfo) -> dict[Value, SourceVariable]:
    """Return the source variables that values of a function hold, from the text that it was parsed from.

    If several variables hold a value, such as arguments of inlined functions, the outermost one names it.
    """
    keys: list[str] = []
    records: list[tuple[str, int, int]] = []
    in_function = False
    for line in text.split("\n"):
        if line.startswith("define "):
            in_function = f"@{quoted(function.name or '')}(" in line
        elif line == "}":
            in_function = False
        elif in_function:
            if match := _DEFINITION.match(line):
                keys.append(match[1])
            elif (match := _RECORD.match(line)) and not _NEUTRAL.sub("", match[3]):
                records.append((match[1], int(match[2]), info.depth(int(match[4]))))
    values = dict(zip(keys, (i for i in function.instructions() if i.type is not VOID), strict=True))
    variables: dict[Value, SourceVariable] = {}
    for key, variable, _ in sorted(records, key=lambda record: record[2]):
        if key in values:
            variables.setdefault(values[key], info.variable(variable))
    return variables


def _number(reference: str | None) -> int | None:
    return int(reference[1:]) if reference is not None and reference[1:].isdigit() else None
