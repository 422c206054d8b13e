"""Compiled functions: lists of Python closures, one for each instruction, run block by block.

A frame is a list: the work-item, the result, the arguments, the values and the constants, each value at a
fixed index. A closure takes the frame, reads its operands' slots and writes its result's. A block's
terminator performs the phis of the edge that it takes and returns the next block.

Functions that can reach a barrier run as generators, which yield the call stack and the barrier at each
barrier. Functions with loops in which a work-item may wait for another one are generators too, and yield from
time to time. All others run as plain loops.
"""

from collections.abc import Callable, Generator, Sequence
from typing import TYPE_CHECKING, Any

from weft.ir import Block, Function, Instruction, Value
from weft.ir.address_spaces import PRIVATE
from weft.ir.parser import parse_type
from weft.ir.types import VOID, size_of

from .calls import call, is_suspending, suspending_call
from .constants import depends_on_group
from .errors import InterpreterError, StepLimit, UndefinedBehaviour, UnsupportedInstruction
from .instructions import MAKERS
from .memory import Allocation, located
from .poison import POISON
from .workitem import WorkItem

if TYPE_CHECKING:
    from .machine import Machine

Frame = list[Any]
Op = Callable[[Frame], None]
Place = tuple[Instruction, ...]  # calls from the kernel down to a barrier
Suspension = Generator[Place, None, Any]

ITEM, RESULT, FIRST_ARGUMENT = 0, 1, 2
# Yielded by a work-item that is not at a barrier but may wait for another one.
WAITING: Place = ()
# Iterations of a waiting loop that a work-item runs before others do.
_TURN = 100


class CompiledBlock:
    """The closures of a block."""

    __slots__ = ("body", "may_wait", "segments", "sources", "terminator")

    def __init__(self, may_wait: bool) -> None:
        # the block is the header of a loop in which work-items may wait for one another
        self.may_wait = may_wait
        self.body: list[Op] = []
        # Only in functions that suspend: the closures up to a suspension, and the suspension.
        self.segments: list[tuple[list[Op], Callable[[Frame], Suspension] | None]] = []
        self.terminator: Callable[[Frame], CompiledBlock | None] = _no_terminator
        self.sources: dict[Any, Instruction] = {}


def _no_terminator(frame: Frame) -> None:
    raise UndefinedBehaviour("a block without terminator")


Edge = tuple[CompiledBlock, Op | None]


class Code:
    """A compiled function."""

    def __init__(self, machine: "Machine", function: Function) -> None:
        self.machine = machine
        self.function = function
        self.suspends = machine.suspends(function)
        self.template: Frame = [None, None]
        self._slots: dict[Value, int] = {}
        self._prologue: list[Op] = []
        for argument in function.arguments:
            self._slots[argument] = self._new_slot()
        waiting = machine.waiting_loops(function)
        self._blocks = {block: CompiledBlock(block in waiting) for block in function.blocks}
        for instruction in function.instructions():
            if instruction.type is not VOID:
                self._slots[instruction] = self._new_slot()
        for argument in function.arguments:
            self._copy_byval(argument.attributes, self._slots[argument])
        for block in function.blocks:
            self._compile_block(block)
        self._finish_entry()

    # Running

    def run(self, item: WorkItem, arguments: Sequence[Any]) -> Any:
        """Call the function, which must not reach a barrier; return None for void."""
        frame = self.template.copy()
        frame[ITEM] = item
        frame[FIRST_ARGUMENT : FIRST_ARGUMENT + len(arguments)] = arguments
        block: CompiledBlock = self.entry
        op: Any = None
        try:
            for _ in range(self.machine.step_limit):
                for op in block.body:
                    op(frame)
                op = block.terminator
                successor = op(frame)
                if successor is None:
                    return frame[RESULT]
                block = successor
            raise StepLimit(f"@{self.function.name} ran more than {self.machine.step_limit} blocks")
        except InterpreterError as error:
            error.locate(block.sources[op], item)
            raise

    def suspend(self, item: WorkItem, arguments: Sequence[Any]) -> Suspension:
        """Call a function that may reach barriers or wait, as a generator that yields at each."""
        turns = 0
        frame = self.template.copy()
        frame[ITEM] = item
        frame[FIRST_ARGUMENT : FIRST_ARGUMENT + len(arguments)] = arguments
        block: CompiledBlock = self.entry
        op: Any = None
        try:
            for _ in range(self.machine.step_limit):
                if block.may_wait:
                    turns += 1
                    if turns % _TURN == 0:
                        yield WAITING
                for body, suspension in block.segments:
                    for op in body:
                        op(frame)
                    if suspension is not None:
                        op = suspension
                        yield from suspension(frame)
                op = block.terminator
                successor = op(frame)
                if successor is None:
                    return frame[RESULT]
                block = successor
            raise StepLimit(f"@{self.function.name} ran more than {self.machine.step_limit} blocks")
        except InterpreterError as error:
            error.locate(block.sources[op], item)
            raise

    # Slots

    def _new_slot(self, value: Any = None) -> int:
        self.template.append(value)
        return len(self.template) - 1

    def slot(self, value: Value) -> int:
        """Return the frame index of an operand or result."""
        index = self._slots.get(value)
        if index is None:
            machine = self.machine
            if depends_on_group(value):
                index = self._slots[value] = self._new_slot()
                slot = index

                def set_local(frame: Frame) -> None:
                    frame[slot] = machine.constant(value, frame[ITEM].group)

                self._prologue.append(set_local)
            else:
                index = self._slots[value] = self._new_slot(machine.constant(value))
        return index

    def slots(self, values: Sequence[Value]) -> list[int]:
        """Return the frame indices of several operands."""
        return [self.slot(value) for value in values]

    # Compiling

    def _copy_byval(self, attributes: tuple[str, ...], slot: int) -> None:
        """Copy the argument of a byval parameter, so that the callee has its own copy."""
        text = next((a[len("byval(") : -1] for a in attributes if a.startswith("byval(")), None)
        if text is None:
            return
        size = size_of(parse_type(text, self.machine.module))

        def copy(frame: Frame) -> None:
            source, offset = located(frame[slot], size)
            copied = bytearray(source.data[offset : offset + size])
            own = Allocation(f"copy of {source.name}", copied, space=PRIVATE)
            if source.shadow is not None:
                own.shadow = source.shadow[offset : offset + size]
            frame[slot] = own, 0

        self._prologue.append(copy)

    def _compile_block(self, block: Block) -> None:
        compiled = self._blocks[block]
        body: list[Op] = []
        for instruction in block.instructions[block.first_non_phi : -1]:
            if self.suspends and is_suspending(self.machine, instruction):
                suspension = suspending_call(self, instruction)
                compiled.sources[suspension] = instruction
                compiled.segments.append((body, suspension))
                body = []
                continue
            op = self._observed(self._compile(instruction), instruction)
            compiled.sources[op] = instruction
            body.append(op)
        compiled.segments.append((body, None))
        compiled.body = body
        terminator = block.terminator
        compiled.terminator = self._terminator(terminator)
        compiled.sources[compiled.terminator] = terminator

    def _compile(self, instruction: Instruction) -> Op:
        if instruction.opcode == "call":
            return call(self, instruction)
        maker = MAKERS.get(instruction.opcode)
        try:
            if maker is None:
                raise UnsupportedInstruction(f"unsupported instruction {instruction.opcode}")
            return maker(self, instruction)
        except UnsupportedInstruction as error:
            # Fail only if the instruction is reached.
            message = error.message

        def unsupported(frame: Frame) -> None:
            raise UnsupportedInstruction(message)

        return unsupported

    def _finish_entry(self) -> None:
        self.entry = self._blocks[self.function.entry]
        for op in self._prologue:
            self.entry.sources[op] = self.function.entry.instructions[0]
        body, suspension = self.entry.segments[0]
        body[:0] = self._prologue
        self.entry.segments[0] = body, suspension

    def _observed(self, op: Op, instruction: Instruction) -> Op:
        notify = self.machine.observers.value
        if notify is None or instruction.type is VOID:
            return op
        slot = self.slot(instruction)

        def observed(frame: Frame) -> None:
            op(frame)
            notify(frame[ITEM], instruction, frame[slot])

        return observed

    # Control flow

    def _terminator(self, instruction: Instruction) -> Callable[[Frame], CompiledBlock | None]:
        match instruction.opcode:
            case "ret":
                return self._return(instruction)
            case "br":
                jump = self._branch(instruction)
            case "switch":
                jump = self._switch(instruction)
            case _:
                return _unreachable
        notify = self.machine.observers.branch
        if notify is None:
            return jump
        names = {compiled: block for block, compiled in self._blocks.items()}

        def observed(frame: Frame) -> CompiledBlock:
            successor = jump(frame)
            notify(frame[ITEM], instruction, names[successor])
            return successor

        return observed

    def _return(self, instruction: Instruction) -> Callable[[Frame], None]:
        if not instruction.operands:
            return lambda frame: None
        slot = self.slot(instruction.operands[0])

        def ret(frame: Frame) -> None:
            frame[RESULT] = frame[slot]

        return ret

    def _branch(self, instruction: Instruction) -> Callable[[Frame], CompiledBlock]:
        edges = [self._edge(instruction, block) for block in instruction.successors()]
        if len(edges) == 1:
            target, moves = edges[0]
            if moves is None:
                return lambda frame: target

            def jump(frame: Frame) -> CompiledBlock:
                moves(frame)
                return target

            return jump
        condition = self.slot(instruction.operands[0])
        then, otherwise = edges

        def branch(frame: Frame) -> CompiledBlock:
            target, moves = then if frame[condition] else otherwise
            if moves is not None:
                moves(frame)
            return target

        return branch

    def _switch(self, instruction: Instruction) -> Callable[[Frame], CompiledBlock]:
        default, *cases = [self._edge(instruction, block) for block in instruction.successors()]
        keys = [self.machine.constant(value) for value in instruction.operands[2::2]]
        table = dict(zip(keys, cases, strict=True))
        slot = self.slot(instruction.operands[0])

        def switch(frame: Frame) -> CompiledBlock:
            value = frame[slot]
            if value is POISON:
                raise UndefinedBehaviour("control flow depends on a poison value")
            target, moves = table.get(value, default)
            if moves is not None:
                moves(frame)
            return target

        return switch

    def _edge(self, terminator: Instruction, successor: Block) -> Edge:
        source = terminator.block
        assert source is not None
        phis = successor.phis()
        targets = self.slots(phis)
        values = self.slots([phi.incoming_from(source) for phi in phis])
        return self._blocks[successor], self._observed_phis(_moves(targets, values), phis, targets)

    def _observed_phis(self, moves: Op | None, phis: list[Instruction], slots: list[int]) -> Op | None:
        notify = self.machine.observers.value
        if moves is None or notify is None:
            return moves

        def observed(frame: Frame) -> None:
            moves(frame)
            for phi, slot in zip(phis, slots, strict=True):
                notify(frame[ITEM], phi, frame[slot])

        return observed


def _moves(targets: list[int], values: list[int]) -> Op | None:
    """Compile the phis of an edge: all read before any is written."""
    if not targets:
        return None
    if len(targets) == 1:
        (target,), (value,) = targets, values

        def move(frame: Frame) -> None:
            frame[target] = frame[value]

        return move
    if len(targets) == 2:
        (first, second), (one, two) = targets, values

        def move_two(frame: Frame) -> None:
            frame[first], frame[second] = frame[one], frame[two]

        return move_two
    pairs = list(zip(targets, values, strict=True))

    def move_all(frame: Frame) -> None:
        new = [frame[value] for value in values]
        for (target, _), value in zip(pairs, new, strict=True):
            frame[target] = value

    return move_all


def _unreachable(frame: Frame) -> None:
    raise UndefinedBehaviour("unreachable code is reached")
