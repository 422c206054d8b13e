"""Allocate registers for values that live across blocks, over all register files.

A phi and its incoming values share a register if their live ranges do not overlap, which saves moves at the
end of an iteration. Values that are live in a common block get different registers. Register files are filled
evenly, to spread reads and writes over their ports. Values without a register are spilled: a store after the
definition, a load in each block that uses them.

The scheduler allocates the registers of block-local values, and needs some of every file.
"""

from collections import defaultdict

from weft.dataclasses import dataclass, field

from .code import SPILL, Access, Block, Code, Guard, Operand, Operation, Phi, Value
from .errors import Refused
from .machine import Machine

Register = tuple[int, int]
"""A register: the number of its file and its index in the file."""
# Share of each file, and number of registers of each kind, that are reserved for block-local values.
LOCAL_SHARE = 0.2
LEAST_LOCAL = 6


@dataclass(frozen=True)
class Output:
    """A register and the value that it must hold at the end of a block; with a guard, only if the guard
    holds."""

    register: Register
    operand: Operand
    guard: Guard | None = None


@dataclass
class BlockRegisters:
    """The registers of a block: where its inputs are, where its outputs must go, and which ones it may
    use."""

    inputs: dict[Value, Register] = field(default_factory=dict)
    outputs: list[Output] = field(default_factory=list)
    kept: set[Register] = field(default_factory=set)
    """Registers of values that pass through."""
    free: list[Register] = field(default_factory=list)


def allocate(code: Code, machine: Machine) -> dict[Block, BlockRegisters]:
    """Return the registers of all blocks. Spill values that get none, which changes the code."""
    for _ in range(200):
        attempt = _Allocation(code, machine)
        spilled = attempt.assign()
        if not spilled:
            return attempt.result()
        for value in spilled:
            _spill(code, value, attempt)
    raise Refused(f"the machine {machine.name} has too few registers for the kernel")


class _Allocation:
    def __init__(self, code: Code, machine: Machine) -> None:
        self.code, self.machine = code, machine
        self.live_in = _live_in(code)
        self.phis = {block: {phi.result for phi in block.phis} for block in code.blocks}
        self.plain_out: dict[Block, set[Value]] = {}
        for block in code.blocks:
            self.plain_out[block] = set().union(*(self.live_in[s] for s in block.successors()))
        self.entry = {block: self.live_in[block] | self.phis[block] for block in code.blocks}
        self.phi_of = {phi.result: phi for block in code.blocks for phi in block.phis}
        self.values = list(dict.fromkeys(v for block in code.blocks for v in _ordered(self.entry[block])))
        self.classes: dict[Value, list[Value]] = {value: [value] for value in self.values}
        self.registers: dict[Value, Register] = {}
        self.order = {block: number for number, block in enumerate(code.blocks)}
        # The blocks in which a value is live at the entry, live at the end, or passed to a phi of a
        # successor. A phi counts as live where its operand is passed.
        self.entry_of = _inverted(self.entry)
        self.out_of = _inverted(self.plain_out)
        self.given_in = _inverted({b: {p for s in b.successors() for p in self.phis[s]} for b in code.blocks})

    # ---- classes

    def _coalesce(self) -> None:
        for block in self.code.blocks:
            for phi in block.phis:
                for operand in phi.incoming.values():
                    if isinstance(operand, Value) and operand in self.classes:
                        self._join(phi.result, operand)

    def _join(self, a: Value, b: Value) -> None:
        one, other = self.classes[a], self.classes[b]
        if one is other or a.boolean is not b.boolean or any(self._clash(x, y) for x in one for y in other):
            return
        one += other
        for member in other:
            self.classes[member] = one

    def _clash(self, x: Value, y: Value) -> bool:
        """Return whether two values may be live at the same time."""
        if not self.entry_of[x].isdisjoint(self.entry_of[y]) or not self.out_of[x].isdisjoint(self.out_of[y]):
            return True
        for p, v in ((x, y), (y, x)):
            for block in self.given_in[p]:
                needed = block in self.out_of[v] or block in self.given_in[v]
                if needed and self.phi_of[p].incoming[block] is not v:
                    return True
        return False

    # ---- colours

    def _touched(self, members: list[Value]) -> list[Block]:
        blocks: set[Block] = set()
        for value in members:
            blocks |= self.entry_of[value] | self.out_of[value] | self.given_in[value]
        return sorted(blocks, key=self.order.__getitem__)

    def assign(self) -> list[Value]:
        """Assign a register to each class; return the values of classes that get none."""
        self._coalesce()
        groups = list({id(members): members for members in self.classes.values()}.values())
        touched = [self._touched(members) for members in groups]
        used: dict[Block, set[Register]] = {block: set() for block in self.code.blocks}
        left_over: list[list[Value]] = []
        uses = _uses(self.code)
        density = [
            sum(uses.get(v, 0) for v in members) / max(len(blocks), 1)
            for members, blocks in zip(groups, touched, strict=True)
        ]
        for number in sorted(range(len(groups)), key=lambda n: (-density[n], groups[n][0].number)):
            register = self._pick(groups[number][0].boolean, touched[number], used)
            if register is None:
                left_over.append(groups[number])
                continue
            for block in touched[number]:
                used[block].add(register)
            for value in groups[number]:
                self.registers[value] = register
        return [value for members in left_over[:8] for value in members]

    def _pick(self, boolean: bool, blocks: list[Block], used: dict[Block, set[Register]]) -> Register | None:
        files = [n for n, f in enumerate(self.machine.files) if f.boolean is boolean]
        load = {n: max((sum(r[0] == n for r in used[b]) for b in blocks), default=0) for n in files}
        for file in sorted(files, key=lambda n: load[n]):
            count = self.machine.files[file].registers
            if load[file] >= count - max(int(count * LOCAL_SHARE), -(-LEAST_LOCAL // len(files))):
                continue
            for index in range(count):
                if all((file, index) not in used[b] for b in blocks):
                    return file, index
        return None

    # ---- results for the scheduler

    def result(self) -> dict[Block, BlockRegisters]:
        """Return the registers of each block."""
        result = {}
        everything = [(n, i) for n, f in enumerate(self.machine.files) for i in range(f.registers)]
        groups: dict[Value, set[Value]] = {v: set(m) for v, m in self.classes.items()}
        for block in self.code.blocks:
            entry = BlockRegisters({v: self.registers[v] for v in _ordered(self.entry[block])})
            computed = {o.result for o in block.operations if o.result is not None}
            taken = set(entry.inputs.values())
            for value in _ordered(self.plain_out[block]):
                register = self.registers[value]
                taken.add(register)
                if value in computed:
                    entry.outputs.append(Output(register, value))
                else:
                    entry.kept.add(register)
            for successor in block.successors():
                others = [s for s in block.successors() if s is not successor]
                for phi in successor.phis:
                    register, operand = self.registers[phi.result], phi.incoming[block]
                    taken.add(register)
                    if isinstance(operand, Value) and self.registers.get(operand) == register:
                        if operand in computed and operand not in self.plain_out[block]:
                            entry.outputs.append(Output(register, operand))
                        elif operand not in computed:
                            entry.kept.add(register)
                        continue
                    guard: Guard | None = None
                    if any(not groups[phi.result].isdisjoint(self.entry[other]) for other in others):
                        assert block.condition is not None
                        guard = block.condition, successor is block.then
                    entry.outputs.append(Output(register, operand, guard))
            entry.kept |= {output.register for output in entry.outputs}
            entry.free = [register for register in everything if register not in taken]
            result[block] = entry
        return result


def _inverted(values: dict[Block, set[Value]]) -> defaultdict[Value, set[Block]]:
    """Return the blocks of each value."""
    blocks_of: defaultdict[Value, set[Block]] = defaultdict(set)
    for block, members in values.items():
        for value in members:
            blocks_of[value].add(block)
    return blocks_of


def _ordered(values: set[Value]) -> list[Value]:
    return sorted(values, key=lambda value: value.number)


def _uses(code: Code) -> dict[Value, int]:
    counts: dict[Value, int] = {}
    for block in code.blocks:
        for operation in block.operations:
            for value in operation.values():
                counts[value] = counts.get(value, 0) + 1
        for phi in block.phis:
            for operand in phi.incoming.values():
                if isinstance(operand, Value):
                    counts[operand] = counts.get(operand, 0) + 1
    return counts


def _live_in(code: Code) -> dict[Block, set[Value]]:
    """Return the live-in values of each block, without its own phis."""
    upward: dict[Block, set[Value]] = {}
    defined: dict[Block, set[Value]] = {}
    for block in code.blocks:
        known = {phi.result for phi in block.phis}
        needed: set[Value] = set()
        for operation in block.operations:
            needed.update(v for v in operation.values() if v not in known)
            if operation.result is not None:
                known.add(operation.result)
        ends = [block.condition] if block.condition is not None else []
        ends += [v for s in block.successors() for p in s.phis if isinstance(v := p.incoming[block], Value)]
        needed.update(v for v in ends if v not in known)
        upward[block], defined[block] = needed, known
    live = {block: set(needed) for block, needed in upward.items()}
    changed = True
    while changed:
        changed = False
        for block in reversed(code.blocks):
            out: set[Value] = set().union(*(live[s] - {p.result for p in s.phis} for s in block.successors()))
            new = upward[block] | (out - defined[block])
            if new != live[block]:
                live[block] = new
                changed = True
    return live


def _spill(code: Code, value: Value, allocation: _Allocation) -> None:
    """Keep a value in memory between blocks."""
    at = code.spill_base + code.spilled
    code.spilled += 4
    access = Access(SPILL, SPILL, at, 4)

    def store(operand: Operand, guard: Guard | None = None) -> Operation:
        return Operation("st32", [at, operand], guard=guard, access=access)

    phi: Phi | None = allocation.phi_of.get(value)
    for block in code.blocks:
        if phi is not None and phi in block.phis:
            block.phis.remove(phi)
            for source, operand in phi.incoming.items():
                guard: Guard | None = None
                others = [s for s in source.successors() if s is not block]
                if any(value in allocation.entry[other] for other in others):
                    assert source.condition is not None
                    guard = source.condition, block is source.then
                source.operations.append(store(operand, guard))
    for block in code.blocks:
        _reload(code, block, value, at, access)
    for block in code.blocks:
        for number, operation in enumerate(block.operations):
            if operation.result is value:
                block.operations.insert(number + 1, store(value))
                break


def _reload(code: Code, block: Block, value: Value, at: int, access: Access) -> None:
    """Load a spilled value before the first operation of a block that needs it."""
    if any(operation.result is value for operation in block.operations):
        return
    word = code.new_value()
    copy = code.new_value(True) if value.boolean else word
    loads = [Operation("ld32", [at], word, access=access)]
    if value.boolean:
        loads.append(Operation("ne", [word, 0], copy))
    first: int | None = None
    for number, operation in enumerate(block.operations):
        if value not in operation.values():
            continue
        first = number if first is None else first
        operation.operands = [copy if o is value else o for o in operation.operands]
        if operation.guard is not None and operation.guard[0] is value:
            operation.guard = copy, operation.guard[1]
    end = len(block.operations)
    if block.condition is value:
        block.condition = copy
        first = end if first is None else first
    for successor in block.successors():
        for phi in successor.phis:
            if phi.incoming[block] is value:
                phi.incoming[block] = copy
                first = end if first is None else first
    if first is not None:
        # A store of the value at the end of the block is for the successors, so load before it.
        writes = [n for n, o in enumerate(block.operations) if o.name == "st32" and o.operands[0] == at]
        first = min([first, *writes])
        block.operations[first:first] = loads
