"""Generate software-pipelined loops: a step of the new loop runs one stage of each of several iterations.

    L: A(i); B(i)                     P: A(0)               ; prologue
       branch c(i), L, X       →         branch c(0), K, D0
                                      K: B(i); A(i + 1)     ; the loop of stages
                                         branch c(i + 1), K, D1
                                      D: B(last), to X      ; epilogue, for each exit

`modulo.py` assigns operations to stages. A value that a later stage uses becomes a phi of the new loop; a
value that lives across several steps passes through several phis, one register each. The new loop is ordinary
code, and `schedule.py` finds its transports. A prologue exits early if there are fewer iterations than
stages, so the loop needs no minimum trip count.

Requires: a block that branches to itself, has one other predecessor, and computes its condition. Establishes:
the same results, with up to MOST_STAGES iterations overlapped. Refused: loops that would have more stages.
The caller compares both schedules and decides which is faster.
"""

from collections.abc import Callable, Iterator
from functools import partial

from weft.dataclasses import dataclass, replace

from .clean import substitute
from .code import SELECT, Access, Block, Code, Guard, Operand, Operation, Phi, Value
from .modulo import LoopOperations, ModuloSchedule, varies
from .operations import OPERATIONS, compute

MOST_STAGES = 8
# Offset between the numbers of work-items, or regions, of different iterations.
_APART = 1 << 20
# Limit of the simulation that determines a constant trip count.
MOST_COUNTED = 1 << 12


@dataclass(frozen=True)
class Pipelined:
    """A pipelined loop, named by its block.

    `interval`: the cycles of a step if only units, buses and dependences are considered. `shortcuts`: blocks
    that run only if there are few iterations.
    """

    loop: str
    interval: int
    stages: int
    lead: int
    iterations: int | None
    shortcuts: tuple[str, ...]

    def steps(self, iterations: int) -> int:
        """Return the trip count of the new loop for a trip count of the original one."""
        return max(iterations - self.stages + 1 + self.lead, 1)


def loops(code: Code) -> list[Block]:
    """Return the blocks that branch to themselves and may be pipelined."""
    predecessors = code.predecessors()
    return [
        block
        for block in code.blocks
        if block in block.successors()
        and len(predecessors[block]) == 2
        and block.then is not block.other
        and block.condition is not None  # an infinite loop has none
        and any(o.result is block.condition for o in block.operations)
    ]


def count_iterations(block: Block, before: Block) -> int | None:
    """Return the trip count of a loop if it depends only on constants and is at most MOST_COUNTED, else
    None."""
    defining = {o.result: o for o in block.operations if o.result is not None}
    phis = {phi.result: phi for phi in block.phis}
    needed: dict[Value, None] = {}
    work = [block.condition]
    while work:
        value = work.pop()
        if value is None or value in needed:
            continue
        needed[value] = None
        if value in phis:
            operands = list(phis[value].incoming.values())
        elif value in defining and defining[value].name != SELECT and OPERATIONS[defining[value].name].pure:
            operands = defining[value].operands
        else:
            return None
        work += [o for o in operands if isinstance(o, Value)]
    order = [o for o in block.operations if o.result in needed]
    now: dict[Value, int] = {}
    for value in needed:
        if value in phis:
            first = phis[value].incoming[before]
            if isinstance(first, Value):
                return None
            now[value] = first
    for number in range(1, MOST_COUNTED + 1):
        for operation in order:
            assert operation.result is not None
            operands_now = [now[o] if isinstance(o, Value) else o for o in operation.operands]
            now[operation.result] = _compute(operation, operands_now)
        assert block.condition is not None
        if bool(now[block.condition]) is not (block.then is block):
            return number
        following = {}
        for value in needed:
            if value in phis:
                operand = phis[value].incoming[block]
                following[value] = now[operand] if isinstance(operand, Value) else operand
        now.update(following)
    return None


def _compute(operation: Operation, operands: list[int]) -> int:
    result = compute(operation.name, *operands)
    return result & 1 if operation.result is not None and operation.result.boolean else result


def pipeline_loop(code: Code, block: Block, loop: LoopOperations, plan: ModuloSchedule) -> Pipelined | None:
    """Replace a loop of the code by its pipelined form.

    Return None and change nothing if it has one stage, too many stages, or fewer iterations than stages.
    """
    if not 1 < plan.stages <= MOST_STAGES:
        return None
    pipeline = _Pipeline(code, block, loop, plan)
    if pipeline.iterations is not None and pipeline.iterations < plan.stages - plan.lead:
        return None
    return pipeline.run()


Lookup = Callable[[Operand], Operand]


class _Pipeline:
    def __init__(self, code: Code, block: Block, loop: LoopOperations, plan: ModuloSchedule) -> None:
        self.code, self.block, self.loop, self.plan = code, block, loop, plan
        self.before = next(b for b in code.predecessors()[block] if b is not block)
        self.iterations = count_iterations(block, self.before)
        self.stages, self.lead, self.order = plan.stages, plan.lead, plan.order()
        self.kernel = Block(f"{block.name}.pipelined", parallel=block.parallel)
        self.results: dict[Value, Operand] = {}
        """Results of the current step of the loop."""
        self.cells: dict[tuple[Value, int], Value] = {}
        """Phis of the loop, by value and age: the number of steps since the iteration of the value
        started."""
        self.waiting: list[tuple[Value, int]] = []
        self.known: dict[tuple[Value, int], Operand] = {}
        """Results in the prologue, by value and iteration."""
        self.stems: dict[object, object] = {}

    def run(self) -> Pipelined:
        block = self.block
        after = block.other if block.then is block else block.then
        assert after is not None
        assert block.condition is not None
        prologue = [Block(f"{block.name}.prologue{n}") for n in range(self.stages - 1)]
        drains: list[tuple[Block, Lookup]] = []
        join = Block(f"{block.name}.end")
        for step, stage in enumerate(prologue):
            self._prologue_step(stage, step)
            stage.then = prologue[step + 1] if step + 1 < len(prologue) else self.kernel
            last = step - self.lead
            if last >= 0 and self.iterations is None:
                drains.append(self._leave_early(stage, step, last, join))
        self._kernel(join, drains)
        self._finish_cells(prologue[-1])
        self._replace(prologue, join, after, drains)
        return Pipelined(
            self.kernel.name,
            self.plan.interval,
            self.stages,
            self.lead,
            self.iterations,
            tuple(drain.name for drain, _ in drains[:-1]),
        )

    # ---- operations of a step

    def _emit(self, block: Block, number: int, iteration: int, get: Lookup) -> Operand | None:
        """Append an operation and return its result, if any. `iteration` distinguishes copies in a block."""
        old = self.loop.operations[number]
        result, guard = old.result, old.guard
        new_guard: Guard | None = None
        if guard is not None:
            bit = get(guard[0])
            if isinstance(bit, int):
                if bool(bit & 1) is not guard[1]:
                    return 0 if result is not None else None
            else:
                new_guard = bit, guard[1]
        operands = [get(operand) for operand in old.operands]
        if old.name == SELECT and isinstance(operands[0], int):
            return operands[1] if operands[0] & 1 else operands[2]
        numbers = [o for o in operands if isinstance(o, int)]
        if len(numbers) == len(operands) and old.name != SELECT and OPERATIONS[old.name].pure:
            return _compute(old, numbers)
        produced = self.code.new_value(result.boolean) if result is not None else None
        block.operations.append(
            Operation(old.name, operands, produced, new_guard, self._access(old.access, iteration))
        )
        return produced

    def _access(self, access: Access | None, iteration: int) -> Access | None:
        """Return the description of an access of an iteration, distinct from other iterations in the same
        block."""
        if access is None or not iteration:
            return access
        item = access.item
        if item is not None:
            apart = iteration * _APART
            item = (
                (item[0], item[1] + apart) if item[0] in self.block.parallel else (item[0] + apart, item[1])
            )
        stem = access.stem
        if varies(access):
            # Stems are compared by identity: use one object per iteration.
            stem = self.stems.setdefault((stem, iteration), (stem, iteration))
        return replace(access, stem=stem, item=item)

    # ---- the prologue: iterations have numbers

    def _value_of(self, operand: Operand, iteration: int, known: dict[tuple[Value, int], Operand]) -> Operand:
        while isinstance(operand, Value) and operand in self.loop.phis:
            phi = self.loop.phis[operand]
            if not iteration:
                return phi.incoming[self.before]
            operand, iteration = phi.incoming[self.block], iteration - 1
        if isinstance(operand, Value) and operand in self.loop.number_of:
            return known[operand, iteration]
        return operand

    def _prologue_step(self, block: Block, step: int) -> None:
        for number in self.order:
            iteration = step - self.plan.stage(number)
            if iteration >= 0:
                self._emit_numbered(block, number, iteration, self.known)

    def _emit_numbered(
        self, block: Block, number: int, iteration: int, known: dict[tuple[Value, int], Operand]
    ) -> None:
        operand = self._emit(
            block, number, iteration, partial(self._value_of, iteration=iteration, known=known)
        )
        result = self.loop.operations[number].result
        if result is not None:
            assert operand is not None
            known[result, iteration] = operand

    def _leave_early(self, block: Block, step: int, last: int, join: Block) -> tuple[Block, Lookup]:
        """Branch to the end of the loop if iteration `last` is the last one."""
        assert self.block.condition is not None
        condition = self._value_of(self.block.condition, last, self.known)
        drain = Block(f"{self.block.name}.short{step}", then=join)
        self._branch(block, condition, block.then, drain)
        known = dict(self.known)
        for later in range(step + 1, last + self.stages):
            for number in self.order:
                iteration = later - self.plan.stage(number)
                if 0 <= iteration <= last:
                    self._emit_numbered(drain, number, iteration, known)
        return drain, lambda operand: self._value_of(operand, last, known)

    def _branch(self, block: Block, condition: Operand, again: Block | None, end: Block) -> None:
        """End a block with a branch: to `again` if the condition continues the old loop, else to `end`."""
        if isinstance(condition, int):
            continues = bool(condition & 1) is (self.block.then is self.block)
            block.condition, block.then, block.other = None, again if continues else end, None
            return
        block.condition = condition
        block.then, block.other = (again, end) if self.block.then is self.block else (end, again)

    # ---- the loop: iterations are distinguished by the step in which they began

    def _at_age(self, operand: Operand, age: int) -> Operand:
        """Return a value of the iteration that began `age` steps ago."""
        if not isinstance(operand, Value):
            return operand
        if operand in self.loop.phis:
            source = self.loop.source_of(operand)
            if source is not None and self.plan.stage(source[0]) == age + source[1]:
                return self.results[self._result(source[0])]
            if age < 0:
                return self._at_age(self.loop.phis[operand].incoming[self.block], age + 1)
            return self._cell(operand, age)
        number = self.loop.number_of.get(operand)
        if number is None:
            return operand
        stage = self.plan.stage(number)
        assert age >= stage
        return self.results[operand] if age == stage else self._cell(operand, age)

    def _result(self, number: int) -> Value:
        result = self.loop.operations[number].result
        assert result is not None
        return result

    def _cell(self, value: Value, age: int) -> Value:
        if (value, age) not in self.cells:
            self.cells[value, age] = self.code.new_value(value.boolean)
            self.waiting.append((value, age))
        return self.cells[value, age]

    def _kernel(self, join: Block, drains: list[tuple[Block, Lookup]]) -> None:
        for number in self.order:
            age = self.plan.stage(number)
            operand = self._emit(self.kernel, number, age, partial(self._at_age, age=age))
            result = self.loop.operations[number].result
            if result is not None:
                assert operand is not None
                self.results[result] = operand
        drain = Block(f"{self.block.name}.epilogue", then=join)
        assert self.block.condition is not None
        self._branch(self.kernel, self._at_age(self.block.condition, self.lead), self.kernel, drain)
        known: dict[tuple[Value, int], Operand] = {}

        def get(operand: Operand, age: int) -> Operand:
            if isinstance(operand, Value):
                source = self.loop.source_of(operand)
                if source is not None and (self._result(source[0]), age + source[1]) in known:
                    return known[self._result(source[0]), age + source[1]]
            return self._at_age(operand, age)

        for later in range(1, self.stages - self.lead):
            for number in self.order:
                age = self.plan.stage(number) - later
                if age < self.lead:
                    continue
                operand = self._emit(drain, number, age, partial(get, age=age))
                result = self.loop.operations[number].result
                if result is not None:
                    assert operand is not None
                    known[result, age] = operand
        drains.append((drain, lambda operand: get(operand, self.lead)))

    def _finish_cells(self, entry: Block) -> None:
        """Create the phis of the loop, with values from the prologue and from the previous step."""
        while self.waiting:
            value, age = self.waiting.pop()
            first = self._value_of(value, self.stages - 1 - age, self.known)
            phi = Phi(self.cells[value, age], {entry: first})
            phi.incoming[self.kernel] = self._at_age(value, age - 1)
            self.kernel.phis.append(phi)

    # ---- the rest of the code

    def _replace(
        self,
        prologue: list[Block],
        join: Block,
        after: Block,
        drains: list[tuple[Block, Lookup]],
    ) -> None:
        code, block = self.code, self.block
        join.then = after
        new: dict[Value, Operand] = {}
        inside = [phi.result for phi in block.phis] + [
            o.result for o in block.operations if o.result is not None
        ]
        needed = self._used_outside()
        for value in inside:
            if value in needed:
                phi = Phi(code.new_value(value.boolean), {end: get(value) for end, get in drains})
                join.phis.append(phi)
                new[value] = phi.result
        self._finish_cells(prologue[-1])
        before = self.before
        before.then = prologue[0] if before.then is block else before.then
        before.other = prologue[0] if before.other is block else before.other
        for phi in after.phis:
            operand = phi.incoming.pop(block)
            phi.incoming[join] = operand
        place = code.blocks.index(block)
        code.blocks[place : place + 1] = [*prologue, self.kernel, *(end for end, _ in reversed(drains)), join]
        substitute(code, new)

    def _used_outside(self) -> set[Value]:
        return {v for block in self.code.blocks if block is not self.block for v in _values(block)}


def _values(block: Block) -> Iterator[Value]:
    for operation in block.operations:
        yield from operation.values()
    for phi in block.phis:
        yield from (v for v in phi.incoming.values() if isinstance(v, Value))
    if block.condition is not None:
        yield block.condition
