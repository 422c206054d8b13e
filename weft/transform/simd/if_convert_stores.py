"""If-convert stores in scalar loops that branch on loaded values.

    for (…) if (!visited[edges[e]]) { cost[edges[e]] = …; updated[edges[e]] = 1; }

A condition loaded through a loaded index has no pattern: the branch predictor is wrong every other time,
which costs more than the branch saves. So the few instructions under such a branch always run, and suppressed
stores go to a dummy location:

    body:                                    body:
      br i1 %c, label %then, label %next       %p = select i1 %c, ptr %place, ptr %aside, !unpredictable !0
    then:                                      store i32 %v, ptr %p
      store i32 %v, ptr %place                 br label %next
      br label %next

Loads select their address in the same way, because it may be invalid if the condition does not hold. The
dummy memory is local to the call; its address goes through a volatile variable, because LLVM would otherwise
turn the select back into a branch.

Requires a work-group function whose loops are vectorized. Refuses branches on other conditions, which
processors predict well, and branches around long code, calls, divisions, and volatile and atomic accesses.
Leaves work-item loops alone, which LLVM vectorizes. Linear in the size of the loops.
"""

from enum import unique

from weft.ir import Block, Function, Instruction, Value
from weft.ir.builder import Builder
from weft.ir.loops import Loop
from weft.ir.opcodes import BINARY
from weft.ir.types import I1, I8, ArrayType, PointerType, Type, VectorType, size_of
from weft.ir.values import const_int
from weft.remarks import SILENT, Message, Remarks
from weft.transform.workgroup.work_item_loops import kernel_loops

# Bytes of the dummy memory, and limits of the code under a branch.
_SIZE = 16
_MOST_ACCESSES = 4
_MOST_INSTRUCTIONS = 16
# Depth of the search for the loads that a condition depends on.
_DEPTH = 8
_PLAIN = frozenset(BINARY) - {"udiv", "sdiv", "urem", "srem", "fdiv", "frem"} | {
    *("getelementptr", "sext", "zext", "trunc", "bitcast", "icmp", "fcmp", "select", "load", "store"),
}


@unique
class IfConverted(Message):
    """Remarks about branches around stores."""

    CONVERTED = "{accesses} accesses if-converted: they use dummy memory if the condition is false"
    PREDICTABLE = "the condition of a branch around stores is not loaded by a loaded index"
    TOO_MUCH = "a branch around stores guards too many other instructions"


def if_convert_stores(function: Function, remarks: Remarks = SILENT) -> int:
    """Let stores under unpredictable branches always run; return the number of removed branches."""
    dummy = _DummyMemory(function)
    count = 0
    for loop in kernel_loops(function):
        for block in loop.blocks if not loop.children else ():
            inner = _conditional(block, loop) if block.function is function else None
            if inner is None:
                continue
            branch = block.terminator
            if not _is_small(inner):
                remarks.missed(IfConverted.TOO_MUCH, branch)
            elif not _has_loaded_index(branch.operands[0], loop):
                remarks.missed(IfConverted.PREDICTABLE, branch)
            else:
                accesses = sum(i.opcode in ("load", "store") for i in inner.instructions)
                remarks.passed(IfConverted.CONVERTED, branch, accesses=accesses)
                _if_convert(block, inner, dummy)
                count += 1
    return count


class _DummyMemory:
    """The dummy memory, one for loads and one for stores, created on first use."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.unpredictable = ""
        self._places: dict[tuple[str, PointerType], Value] = {}

    def place(self, opcode: str, type: Type) -> Value:
        """Return a pointer to memory that only redirected accesses use."""
        assert isinstance(type, PointerType)
        module = self.function.parent
        self.unpredictable = self.unpredictable or module.add_metadata("!{}")
        if (opcode, type) not in self._places:
            entry = self.function.entry
            place = Builder.in_entry(self.function).alloca(PointerType(0), 8, "aside.at")
            memory = Builder(entry, place).alloca(ArrayType(I8, _SIZE), _SIZE, "aside")
            start = next(i for i in entry.instructions if i.opcode != "alloca")
            b = Builder(entry, start)
            b.store(memory, place, 8).attributes["volatile"] = True
            address = b.load(PointerType(0), place, 8, "aside")
            address.attributes["volatile"] = True
            self._places[opcode, type] = b.cast("addrspacecast", address, type)
        return self._places[opcode, type]


def _conditional(block: Block, loop: Loop) -> Block | None:
    """Return a block with stores that a branch skips and that continues where the branch else goes."""
    terminator = block.terminator
    if terminator.opcode != "br" or len(terminator.operands) != 3:
        return None
    for inner, after in (terminator.successors(), terminator.successors()[::-1]):
        if inner not in loop or after not in loop or inner is after or inner.phis():
            continue
        stores = any(i.opcode == "store" for i in inner.instructions)
        if stores and inner.predecessors() == [block] and inner.successors() == [after]:
            return inner
    return None


def _is_small(block: Block) -> bool:
    body = block.instructions[:-1]
    accesses = [i for i in body if i.opcode in ("load", "store")]
    if len(body) > _MOST_INSTRUCTIONS or len(accesses) > _MOST_ACCESSES:
        return False
    if any(i.opcode not in _PLAIN for i in body):
        return False
    for access in accesses:
        type = access.accessed_type
        if access.is_ordered or size_of(type) > _SIZE:
            return False
        if isinstance(type, VectorType):
            return False
    return True


def _has_loaded_index(condition: Value, loop: Loop) -> bool:
    """Return whether a condition depends on a load whose address depends on a load in the loop."""
    return any(_loads(load.operands[0], loop) for load in _loads(condition, loop))


def _loads(value: Value, loop: Loop) -> list[Instruction]:
    """Return the loads in a loop from which a value is computed."""
    loads: list[Instruction] = []
    values = [value]
    for _ in range(_DEPTH):
        inside = [v for v in values if isinstance(v, Instruction) and v.block in loop.blocks]
        loads += [i for i in inside if i.opcode == "load"]
        values = [o for i in inside if i.opcode not in ("load", "phi") for o in i.operands]
    return loads


def _if_convert(block: Block, inner: Block, dummy: _DummyMemory) -> None:
    """Move a conditional block before the branch around it."""
    terminator = block.terminator
    yes, after = terminator.successors()
    b = Builder(block, terminator)
    condition = terminator.operands[0]
    if yes is not inner:
        after = yes
        condition = b.binary("xor", condition, const_int(I1, 1))
    for i in inner.instructions[:-1]:
        i.move_before(terminator)
        if i.opcode in ("load", "store"):
            _redirect(i, condition, dummy)
    for phi in after.phis():
        value = phi.incoming_from(inner)
        otherwise = phi.incoming_from(block)
        phi.remove_incoming(inner)
        if value is not otherwise:
            selected = b.select(condition, value, otherwise)
            phi.remove_incoming(block)
            phi.add_incoming(selected, block)
    inner.terminator.erase()
    terminator.erase()
    dummy.function.remove_block(inner)
    Builder(block).br(after)


def _redirect(access: Instruction, condition: Value, dummy: _DummyMemory) -> None:
    """Redirect an access to dummy memory if the condition does not hold."""
    pointer = access.operands[-1]
    block = access.parent
    dummy_address = dummy.place(access.opcode, pointer.type)
    selected = Builder(block, access).select(condition, pointer, dummy_address)
    selected.metadata["unpredictable"] = dummy.unpredictable
    access.set_operand(len(access.operands) - 1, selected)
    access.metadata = {}
