"""Records of divergent loops, by which compiled code and the runtime exchange data about them.

A record is a row of a variable in the object code (`weft.abi` has its layout): the strategy to use, if the
loop was compiled with several, and counters. While a call runs, the counters are local variables, which LLVM
keeps in registers; they are added to the record where the function ends.
"""

from weft import abi
from weft.dataclasses import dataclass
from weft.ir import Block, Function, Instruction, Value
from weft.ir.builder import Builder
from weft.ir.debug import DebugInfo
from weft.ir.function import GlobalVariable
from weft.ir.loops import Loop
from weft.ir.types import I8, I64, VOID, ArrayType, IntType
from weft.ir.values import ConstantZero, const_int

# Bytes of a cache line; no two records share one, because threads write them.
ALIGNMENT = 64
# The purpose of copies of a loop that are compiled with different strategies; they share its record.
VERSION = "version"


# Attributes of the pool's functions: they change only records, and are called seldom.
_ATTRIBUTES = ("cold nofree norecurse nounwind memory(argmem: readwrite, inaccessiblemem: readwrite)",)


@dataclass(frozen=True)
class RecordedLoop:
    """The contents of a record: the name of a loop's header, its strategies, its source line (0: unknown)."""

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
        """Add a record; return its number."""
        self.loops.append(RecordedLoop(name, strategies, line))
        return len(self.loops) - 1

    def field(self, b: Builder, record: int, offset: int) -> Value:
        """Return the address of a field."""
        if self._variable is None:
            module = self.function.parent
            self._variable = module.add_variable(self.symbol, ArrayType(I8, 0))
        return b.byte_offset(self._variable, record * abi.LOOP_RECORD_SIZE + offset)

    def count(self, b: Builder, loop: Loop, mode: str, amount: Value) -> None:
        """Count iterations of a loop, if iterations are counted."""
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
        """Return the source line of a loop, 0 if unknown."""
        module = self.function.parent
        debug = DebugInfo(module)
        places = debug.loop_range(loop.latch.terminator) if loop.latch is not None else None
        place = places[0] if places is not None else debug.location(loop.header.terminator)
        return 0 if place is None else place.line

    def count_lanes(self, b: Builder, loop: Loop, mode: str, active: Value, width: int) -> None:
        """Count an iteration of the active lanes."""
        if not self.counts:
            return
        bits = b.emit("bitcast", IntType(width), [active])
        number = bits if width == 64 else b.cast("zext", bits, I64)
        self.count(b, loop, mode, b.call_symbol("llvm.ctpop.i64", I64, [number]))
        self.count(b, loop, "lanes", const_int(I64, width))

    def count_serial(self, header: Block, loop: Loop) -> None:
        """Count the iterations of scalar code: a loop, or its copy with header `header`."""
        if self.counts:
            b = Builder(header, header.instructions[header.first_non_phi])
            self.count(b, loop, "serial", const_int(I64, 1))

    def call(self, b: Builder, function: str, record: int, *arguments: Value) -> Value:
        """Call a function of the pool that selects among the versions of a loop."""
        place = self.field(b, record, 0)
        parameters = [place, const_int(I64, len(self.loops[record].strategies)), *arguments]
        result = I64 if function == abi.STRATEGY_TO_TRY else VOID
        return b.call_symbol(function, result, parameters, suffix=_ATTRIBUTES)

    def _note_launches(self) -> None:
        """Let the first work-group report the launch of each loop that has several versions."""
        chosen = [number for number, loop in enumerate(self.loops) if loop.strategies]
        if not chosen:
            return
        entry = self.function.entry
        # Only an alloca of the first block has a fixed address, or is promoted to registers.
        # Arguments stay in the entry, where later passes expect them.
        rest = entry.split(len(entry.instructions) - 1, "launched")
        entry.terminator.erase()
        first = self.function.add_block("launched.first", entry)
        b = Builder(entry)
        x, y, z = self.function.arguments[-3:]
        any_nonzero = b.binary("or", b.binary("or", x, y), z)
        b.cond_br(b.icmp("eq", any_nonzero, const_int(I64, 0)), first, rest)
        b = Builder(first)
        for number in chosen:
            self.call(b, abi.LOOP_LAUNCHED, number)
        b.br(rest)

    def finish(self) -> tuple[RecordedLoop, ...]:
        """Write the counters to the records where the function ends; return the recorded loops."""
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
    """Return the header of the loop that a record is about: for a version, that of the original loop."""
    origin = header.origin
    return origin.block if origin is not None and origin.purpose == VERSION else header


def add_atomically(b: Builder, place: Value, amount: Value) -> None:
    """Add to a number in memory that other threads may add to."""
    b.emit("atomicrmw", I64, [place, amount], operation="add", ordering="monotonic", align=8)
