"""Sub-groups that may wait for one another: each makes progress independently of the others.

Sub-groups run sequentially, as in other kernels (`sub_groups.py`), until one waits in a loop for another one
(`analysis/waiting_loops.py`). It then yields (`yield_in_loops.py`): the pool calls the work-group function
once more, on another stack, and that call continues with the next sub-group. From then on stacks take turns
(`device/sub_groups.c`). The state that all stacks share is in the context arena: which sub-group is next, how
many have not returned, where each continues, and what sub-groups keep across barriers. When no sub-group is
left to begin, the function waits for those on other stacks:

    entry:                                               next.sub_group:
      %more = call i32 @weft_begin_sub_groups(…)           %first = load i32, ptr %next
      ; 1: called on another stack                         br i1 %begins, label %begin, label %begun
      br i1 %first.stack, label %stand, label %next.sub_group
                                                         begun:
    begin:                                                 call void @weft_await_sub_groups()
      store i32 %following, ptr %next                      ; all are at a barrier, or have returned
      ; continues at the sub-group's position              br i1 %ended, label %end, label %again

On a stack other than the thread's own, the call of `weft_await_sub_groups` does not return. Stacks are in the
context arena too, after all context arrays.
"""

from weft.abi import AWAIT_SUB_GROUPS, BEGIN_SUB_GROUPS, END_SUB_GROUPS
from weft.ir import Block
from weft.ir.builder import Builder
from weft.ir.types import I32, I64, PTR, VOID, FunctionType, align_up
from weft.ir.values import const_int

from .context_arrays import ITEM_ROUNDING, ContextArena
from .sub_groups import SubGroups, Turns

_BEGIN = FunctionType(I32, (*[PTR] * 5, *[I64] * 3, PTR, I32, PTR, I64))
_PLAIN = FunctionType(VOID, ())
# Stack bytes reserved for library functions and signal handlers.
_LIBRARY_BYTES = 64 << 10
# Stack bytes per instruction: its value may be spilled, as a vector register, in several versions of a loop.
_INSTRUCTION_BYTES = 4 * 64
_ZERO = const_int(I32, 0)


class IndependentTurns(Turns):
    """The switch between sub-groups at work-group barriers and where they wait for one another.

    `private_bytes` is the size of work-items' private memory on the stack.
    """

    def __init__(
        self, entry: Builder, sub_groups: SubGroups, arena: ContextArena, waits: bool, private_bytes: int
    ) -> None:
        self._private_bytes = private_bytes
        super().__init__(entry, sub_groups, arena, waits)

    def _prepare(self, entry: Builder) -> None:
        f = self._function
        self._next_item = self._arena.array(entry, self._arena.layout.add_array(8), "next")
        self._running = entry.byte_offset(self._next_item, 4, "running")
        if not self.waits:
            self._next = f.add_block("next.sub_group")
        self._begins, begun = f.add_block("begin"), f.add_block("begun")
        b = Builder(self._next)
        first = b.load(I32, self._next_item, 4, "first")
        b.cond_br(b.icmp("ult", first, self._sub_groups.items), self._begins, begun)
        b = Builder(self._begins)
        self._sub_groups.choose(b, first)
        b.store(b.add(first, const_int(I32, self._sub_groups.size)), self._next_item, 4)
        b = Builder(begun)
        end = f.add_block("end")
        b.call(f.parent.declare(AWAIT_SUB_GROUPS, _PLAIN), [])
        if self.waits:
            again = f.add_block("again")
            b.cond_br(b.icmp("eq", b.load(I32, self._running, 4), _ZERO), end, again)
            b = Builder(again)
            b.store(_ZERO, self._next_item, 4)
            b.br(self._next)
        else:
            b.br(end)
        b = Builder(end)
        b.call(f.parent.declare(END_SUB_GROUPS, _PLAIN), [])
        b.ret()

    def leave(self, block: Block, start: Block) -> None:
        """Emit the return of a sub-group from the kernel."""
        b = Builder(block)
        if self.waits:
            self._return(b)
        b.br(self._next)

    def begin(self, entry: Builder, start: Block) -> None:
        """Emit the end of the function's entry, once all context arrays are allocated."""
        f, number = self._function, self._sub_groups.number()
        stack = self._stack_bytes()
        stacks = self._arena.layout.add_array(stack // self._sub_groups.size)
        arguments = [f, *f.arguments, self._next_item, self._sub_groups.items]
        arguments += [self._arena.array(entry, stacks, "stacks"), const_int(I64, stack)]
        more = entry.call(f.parent.declare(BEGIN_SUB_GROUPS, _BEGIN), arguments, "more")
        first_stack = f.add_block("first.stack")
        entry.cond_br(entry.icmp("eq", more, _ZERO), first_stack, self._next)
        b = Builder(first_stack)
        b.store(_ZERO, self._next_item, 4)
        if not self.waits:
            b.br(self._next)
            Builder(self._begins).br(start)
            return
        b.store(number, self._running, 4)
        self._stand(b, start, self._next)
        Builder(self._begins).br(self._switch)

    def _stack_bytes(self) -> int:
        """Return the stack size of a sub-group, a multiple of its work-items' share of an array."""
        instructions = sum(len(block.instructions) for block in self._function.blocks)
        needed = _LIBRARY_BYTES + _INSTRUCTION_BYTES * instructions + self._private_bytes
        return align_up(needed, ITEM_ROUNDING * self._sub_groups.size)
