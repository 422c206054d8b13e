"""Optimization remarks: what a pass did, what it did not do, and why, as typed data.

They follow LLVM's optimization remarks (https://llvm.org/docs/Remarks.html). A remark has the pass that makes
it, a kind, a name (`weft/messages.py`), the function, a location in the source and typed arguments:

    remarks.missed(NotSplit.MOSTLY_MEMORY, at=load, memory=8, mixed=3)

The pipeline passes the collector of the compilation (`Remarks`) to each pass and records which pass runs
(`Remarks.by`). In a production build the collector is `SILENT`, which is false and discards everything. A
pass that must compute something for a remark tests it first: `if remarks: …`.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from enum import Enum, unique
from typing import Any, TypeAlias

from weft.dataclasses import dataclass
from weft.ir import Function, Instruction, Value
from weft.ir.debug import DebugInfo, Location, SourceVariable, source_variables
from weft.ir.loops import Loop
from weft.messages import Argument, Message, Reason, shown

__all__ = [
    "SILENT",
    "Argument",
    "Location",
    "Message",
    "Reason",
    "Remark",
    "RemarkKind",
    "Remarks",
    "Subject",
    "shown",
]

# The subject of a remark.
Subject: TypeAlias = "Instruction | Loop | Location | None"


@unique
class RemarkKind(Enum):
    """As in LLVM: a transformation was done, was not done, or an analysis has a result."""

    PASSED = "passed"
    MISSED = "missed"
    ANALYSIS = "analysis"


@dataclass(frozen=True)
class Remark:
    """A message of a pass about a subject."""

    by: str
    kind: RemarkKind
    message: Message
    function: str
    location: Location | None
    arguments: Mapping[str, Argument]

    @property
    def name(self) -> str:
        """The name of the remark: `TooFewWorkItems`."""
        return self.message.title

    @property
    def text(self) -> str:
        """The remark as readable text."""
        return self.message.text(self.arguments)

    def __getitem__(self, argument: str) -> Any:
        return self.arguments[argument]

    def to_json(self) -> dict[str, Any]:
        """Return the remark as a value for `json.dumps`."""
        return {
            "pass": self.by,
            "kind": self.kind.value,
            "name": self.name,
            "function": self.function,
            "location": _json(self.location, {}),
            "text": self.text,
            "arguments": {name: _json(value, self.arguments) for name, value in self.arguments.items()},
        }


def _json(value: Argument, others: Mapping[str, Argument]) -> Any:
    match value:
        case Message():
            return {"name": value.title, "text": value.text(others)}
        case Reason():
            arguments = {name: _json(v, value.arguments) for name, v in value.arguments.items()}
            return {"name": value.message.title, "text": str(value), "arguments": arguments}
        case Location():
            chain, at = [], value
            while True:
                chain.append({"file": at.file, "line": at.line, "column": at.column, "function": at.function})
                if at.caller is None:
                    break
                at = at.caller
            return {**chain[0], "callers": chain[1:]}
        case tuple():
            return [_json(item, others) for item in value]
    return value


class Remarks:
    """The remarks of one compilation, in the order in which passes make them.

    `source` are the lines of the program. Once the kernel is attached (`attach`), `debug` finds source
    locations and `variables` source variables. A work-group function has no debug information: remarks on its
    contents have the location of their access or region, by its number, if that is in `anchors`.
    """

    def __init__(self, function: str, debug: DebugInfo | None = None, source: tuple[str, ...] = ()) -> None:
        self.function, self.source = function, source
        self.debug = debug
        self.variables: dict[Value, SourceVariable] = {}
        self.anchors: dict[tuple[str, Argument], Location | None] = {}
        self.made: list[Remark] = []
        self._by = ""

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Iterator[Remark]:
        return iter(self.made)

    def attach(self, function: Function, text: str) -> None:
        """Read the debug information of the kernel, which has just been parsed from `text`."""
        module = function.module
        assert module is not None
        self.debug = DebugInfo(module)
        self.variables = source_variables(text, function, self.debug)

    @contextmanager
    def by(self, name: str) -> Iterator[None]:
        """Attribute remarks within this context to a pass."""
        before, self._by = self._by, name
        try:
            yield
        finally:
            self._by = before

    def passed(self, message: Message, at: Subject = None, **arguments: Argument) -> None:
        """Record that a transformation was done."""
        self._add(RemarkKind.PASSED, message, at, arguments)

    def missed(self, reason: Message | Reason, at: Subject = None, **arguments: Argument) -> None:
        """Record that a transformation was not done."""
        if isinstance(reason, Reason):
            self._add(RemarkKind.MISSED, reason.message, at, {**reason.arguments, **arguments})
        else:
            self._add(RemarkKind.MISSED, reason, at, arguments)

    def analysis(self, message: Message, at: Subject = None, **arguments: Argument) -> None:
        """Record the result of an analysis."""
        self._add(RemarkKind.ANALYSIS, message, at, arguments)

    def named(self, *messages: Message) -> list[Remark]:
        """Return the remarks with these names."""
        return [remark for remark in self.made if remark.message in messages]

    def _add(
        self,
        kind: RemarkKind,
        message: Message,
        at: Subject,
        arguments: dict[str, Argument],
    ) -> None:
        location = self.location(at)
        for name in ("access", "region"):
            location = location or self.anchors.get((name, arguments.get(name)))
        self.made.append(Remark(self._by, kind, message, self.function, location, arguments))

    def location(self, at: Subject) -> Location | None:
        """Return the source location of a subject; for a loop, its start."""
        if isinstance(at, Loop):
            return self.extent(at)[0]
        if isinstance(at, Instruction):
            return self.debug.location(at) if self.debug is not None else None
        return at

    def extent(self, loop: Loop) -> tuple[Location | None, Location | None]:
        """Return the source locations of the start and end of a loop."""
        if self.debug is None:
            return None, None
        latch = loop.latches[0].terminator
        found = self.debug.loop_range(latch)
        if found is not None:
            return found
        place = self.debug.location(loop.header.terminator) or self.debug.location(latch)
        return place, place


class _Silent(Remarks):
    """The collector of production builds: it is false and discards everything."""

    def __bool__(self) -> bool:
        return False

    def attach(self, function: Function, text: str) -> None:
        pass

    @contextmanager
    def by(self, name: str) -> Iterator[None]:
        yield

    def _add(
        self,
        kind: RemarkKind,
        message: Message,
        at: Subject,
        arguments: dict[str, Argument],
    ) -> None:
        pass


SILENT = _Silent("")
