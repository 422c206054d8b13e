"""Records of divergent loops: what compiled code tells the runtime about them, and is told.

A record is a row of a variable in the object code (`weft.abi` has its layout): the strategy by which a loop
is to run, if it was compiled with several, and counters. While a call runs, the counters are variables of the
function, which LLVM keeps in registers; they are added to the record where the function ends.
"""

from weft import abi
from weft.dataclasses import dataclass
from weft.ir import Block, Function, Instruction, Value
from weft.ir.builder import Builder
from weft.ir.debug import DebugInfo
from weft.ir.function import GlobalVariable
from weft.ir.loops import Loop
from weft.ir.types import I8, I64, VOID, ArrayType, FunctionType, IntType
from weft.ir.values import ConstantZero, const_int

# Bytes of a cache line: no two records share one, since threads write them.
ALIGNMENT = 64
# What copies of loops are for that are compiled with several strategies: they have the record of the loop.
VERSION = "version"


@dataclass(frozen=True)
class RecordedLoop:
    """What a record is about: the name of a loop's header, its strategies, its source line.

    The line is 0 where it is not known.
    """

    name: str
    strategies: tuple[str, ...] = ()
    line: int = 0


class LoopRecords:
    """The records of a work-group function. With `counts`, iterations are counted."""

    def __init__(self, function: Function, symbol: str, counts: bool) -> None:
        self.function, self.symbol, self.counts = function, symbol, counts
        self.loops: list[RecordedLoop] = []
        self._variable: GlobalVariable | None = None
        self._counters: dict[tuple[int, str], Instruction] = {}
        self._numbers: dict[Block, int] = {}

    def add(self, name: str, strategies: tuple[str, ...] = (), line: int = 0) -> int:
        """A new record; returns its number."""
        self.loops.append(RecordedLoop(name, strategies, line))
        return len(self.loops) - 1

    def field(self, b: Builder, record: int, offset: int) -> Value:
        """The address of a field."""
        if self._variable is None:
            module = self.function.parent
            self._variable = module.add_variable(self.symbol, ArrayType(I8, 0))
        return b.byte_offset(self._variable, record * abi.LOOP_RECORD_SIZE + offset)

    def count(self, b: Builder, loop: Loop, mode: str, amount: Value) -> None:
        """Counts iterations of a loop, if iterations are counted."""
        if not self.counts:
            return
        header = recorded_header(loop.header)
        if header not in self._numbers:
            self._numbers[header] = self.add(header.name or "", line=self._line(loop))
        key = (self._numbers[header], mode)
        if key not in self._counters:
            entry = self.function.entry
            self._counters[key] = Builder.in_entry(self.function).alloca(I64, 8, f"iterations.{mode}")
            start = next(i for i in entry.instructions if i.opcode != "alloca")
            Builder(entry, start).store(const_int(I64, 0), self._counters[key], 8)
        counter = self._counters[key]
        b.store(b.add(b.load(I64, counter, 8), amount), counter, 8)

    def _line(self, loop: Loop) -> int:
        """The source line of a loop, 0 if it is not known."""
        module = self.function.parent
        debug = DebugInfo(module)
        places = debug.loop_range(loop.latch.terminator) if loop.latch is not None else None
        place = places[0] if places is not None else debug.location(loop.header.terminator)
        return 0 if place is None else place.line

    def count_lanes(self, b: Builder, loop: Loop, mode: str, active: Value, width: int) -> None:
        """Counts an iteration of the active lanes."""
        if not self.counts:
            return
        module = self.function.parent
        bits = b.emit("bitcast", IntType(width), [active])
        number = bits if width == 64 else b.cast("zext", bits, I64)
        found = module.declare("llvm.ctpop.i64", FunctionType(I64, (I64,)))
        self.count(b, loop, mode, b.call(found, [number]))
        self.count(b, loop, "lanes", const_int(I64, width))

    def count_serial(self, header: Block, loop: Loop) -> None:
        """Counts the iterations of scalar code, of a loop or a copy of it with that header."""
        if self.counts:
            b = Builder(header, header.instructions[header.first_non_phi])
            self.count(b, loop, "serial", const_int(I64, 1))

    def call(self, b: Builder, what: str, record: int, *arguments: Value) -> Value:
        """Calls a function of the library that chooses among the versions of a loop."""
        module = self.function.parent
        name = f"__weft_{what}"
        symbol = f"_Z{len(name)}{name}Pm" + "m" * (1 + len(arguments))
        place = self.field(b, record, 0)
        given = [place, const_int(I64, len(self.loops[record].strategies)), *arguments]
        result = I64 if what == "strategy_to_try" else VOID
        type = FunctionType(result, tuple(v.type for v in given))
        return b.call(module.declare(symbol, type), given)

    def _note_launches(self) -> None:
        """Has the first work-group of a launch tell of it, for the loops with several versions."""
        chosen = [number for number, loop in enumerate(self.loops) if loop.strategies]
        if not chosen:
            return
        entry = self.function.entry
        # Only an alloca of the first block has a fixed place, or becomes registers.
        places = [found for found in entry.instructions if found.opcode == "alloca"]
        for place in reversed(places):
            if entry.instructions[0] is not place:
                place.move_before(entry.instructions[0])
        rest = entry.split(len(places), "launched")
        entry.terminator.erase()
        first = self.function.add_block("launched.first", entry)
        b = Builder(entry)
        x, y, z = self.function.arguments[-3:]
        other = b.binary("or", b.binary("or", x, y), z)
        b.cond_br(b.icmp("eq", other, const_int(I64, 0)), first, rest)
        b = Builder(first)
        for number in chosen:
            self.call(b, "loop_launched", number)
        b.br(rest)

    def finish(self) -> tuple[RecordedLoop, ...]:
        """Writes the counters down where the function ends; returns what the records are about."""
        self._note_launches()
        if self._counters:
            for block in self.function.blocks:
                if block.terminator.opcode == "ret":
                    b = Builder(block, block.terminator)
                    for (record, mode), counter in self._counters.items():
                        place = self.field(b, record, abi.LOOP_COUNTS[mode])
                        add_atomically(b, place, b.load(I64, counter, 8))
        if self._variable is None:
            return ()
        type = ArrayType(I8, len(self.loops) * abi.LOOP_RECORD_SIZE)
        self._variable.value_type = type
        self._variable.initializer = ConstantZero(type)
        self._variable.suffix = (f"align {ALIGNMENT}",)
        return tuple(self.loops)


def recorded_header(header: Block) -> Block:
    """The header of the loop that a record is about: that of which a version is a copy."""
    origin = header.origin
    return origin.block if origin is not None and origin.purpose == VERSION else header


def add_atomically(b: Builder, place: Value, amount: Value) -> None:
    """Adds to a number in memory that other threads add to."""
    b.emit("atomicrmw", I64, [place, amount], operation="add", ordering="monotonic", align=8)
