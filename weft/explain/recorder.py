"""Watches the pipeline compile one kernel and keeps what an explanation needs.

The pipeline itself (`weft/compiler`) is not repeated here: a Recorder is the Trace that it runs its
steps through. Passes change the kernel in place, so instructions and blocks remembered early can be found
again in the final form.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from weft import ir
from weft.analysis.barrier_cfg import BarrierCFG, barrier_cfg
from weft.analysis.divergence import Divergence, divergence
from weft.analysis.kernel_variables import KernelVariables, kernel_variables
from weft.analysis.shapes import Shapes, shapes
from weft.analysis.work_items import is_barrier
from weft.codegen.host import host_target
from weft.ir import Block, Function, Instruction, Value
from weft.ir.debug import DebugInfo, SourceVariable, source_variables
from weft.ir.loops import Loop, loop_forest
from weft.ir.types import VectorType
from weft.kernel import LocalSize
from weft.remarks import Reason
from weft.trace import Trace
from weft.transform.simd.vectorize_work_items import Outcome
from weft.transform.workgroup.context_arrays import ContextLayout
from weft.transform.workgroup.interchange_inner_loops import obstacle

T = TypeVar("T")
# Metadata that tells accesses to memory apart.
ACCESS = "weft.access"


@dataclass(frozen=True)
class BlockSnapshot:
    """A block as it was at some step: its instructions, their text and where it went."""

    block: Block
    name: str
    instructions: tuple[Instruction, ...]
    text: tuple[str, ...]
    successors: tuple[tuple[Block, str], ...]
    divergent: bool = False


@dataclass(frozen=True)
class LoopVerdict:
    """A loop before anything was interchanged, and why it was not (None: it was).

    Blocks are split later, but branches stay: the one back and those out of the loop.
    """

    loop: Loop
    latch: Instruction
    exits: frozenset[Instruction]
    obstacle: Reason | None


class Recorder(Trace):
    """The trace of one compilation.

    `look` is called with it while both the kernel and its work-group function are there, before the pipeline
    removes the kernel.
    """

    debug: DebugInfo
    function: Function
    shape: Divergence
    shapes: Shapes
    cfg: BarrierCFG
    variables: KernelVariables
    layout: ContextLayout
    made: Function

    def __init__(
        self,
        kernel: str,
        text: str,
        local_size: LocalSize | None,
        look: "Callable[[Recorder], None]",
        interchanges_always: bool = False,
        no_interchange: Reason | None = None,
    ) -> None:
        super().__init__(kernel, None, "", None)
        self._text = text
        self._local_size = local_size
        self._look = look
        self._always = interchanges_always
        self._no_interchange = no_interchange  # why no loop at all is interchanged
        self.names: dict[Value, SourceVariable] = {}
        self.origins: dict[Instruction, str] = {}  # barriers, and the step that brought them in
        self.neighbours: dict[
            Instruction, Instruction
        ] = {}  # for code of group functions: what was before it
        self.loops: list[LoopVerdict] = []
        self.before: list[BlockSnapshot] = []
        self.between: list[BlockSnapshot] = []
        self.after: list[BlockSnapshot] = []
        self.module_text = ""
        self.builtins: tuple[str, ...] = ()
        self.bounds: dict[str, tuple[str, ...]] = {}  # work-item loop -> the guards that became its bounds
        self.outcomes: list[Outcome] = []  # what the vectorizer made of the work-item loops
        self.transposed: set[str | None] = set()  # metadata of accesses that go by whole rows,
        self.walked: set[str | None] = set()  # and by pieces of rows, as long as there are some
        self.tagged: dict[str, Instruction] = {}  # metadata of copies -> the kernel's access to memory
        self.vectors = 0  # values of vector types that differ between work-items,
        self.split_vectors = 0  # and values that are computed from components instead

    def step(self, name: str, make: Callable[[], ir.Module]) -> ir.Module:
        """Runs the step that makes the module, and reads its debug information."""
        module = super().step(name, make)
        self.function = module.function(self.kernel)
        self.debug = DebugInfo(module)
        self.names = source_variables(self._text, self.function, self.debug)
        self._note_barriers(name)
        return module

    def run(self, name: str, module: ir.Module, change: Callable[[], T]) -> T:
        """Runs a step that changes the module, and looks at what it does."""
        if name == "place-implicit-barriers" and not self.loops:
            self._judge_loops(self._no_interchange)
        elif name == "interchange-inner-loops":
            self._judge_loops(None)
        elif name == "split-vectors":
            self.vectors = sum(self._is_varying_vector(i) for i in self.function.instructions())
        elif name == "work-group-function":
            self._tag_accesses(module)
            self.cfg = barrier_cfg(self.function)
            self.variables = kernel_variables(self.function, self.cfg, self.shape)
            self.between = snapshot(self.function, self.shape)
        elif name == "keep-only":
            self._look(self)
        known = set(self.function.instructions()) if name == "lower-group-functions" else set()
        result = super().run(name, module, change)
        self._note_barriers(name)
        if name == "lower-group-functions":
            self._note_neighbours(known)
        elif name == "isolate-barriers":
            self.before = snapshot(self.function, divergence(self.function))
        elif name == "locals-to-arguments":
            self.shape = divergence(self.function)
            self.shapes = shapes(self.function, self._local_size)
        elif name in ("merge-tails", "gather-barriers"):
            assert isinstance(result, Divergence)
            self.shape = result
        elif name == "work-group-function":
            self.made, self.layout = result  # type: ignore[misc]
            self.after = snapshot(self.made)
        elif name == "guards-to-bounds":
            self.bounds = {n.header: n.bounds for n in result}  # type: ignore[attr-defined]
        elif name == "split-vectors":
            assert isinstance(result, int)
            self.split_vectors = result
            self.shape = divergence(self.function)
            self.shapes = shapes(self.function, self._local_size)
        elif name == "vectorize-work-items":
            self.outcomes = list(result)  # type: ignore[call-overload]
        elif name == "transpose-rows":
            self.transposed = {call.metadata.get(ACCESS) for call in result}  # type: ignore[attr-defined]
        elif name == "walk-rows":
            self.walked = {call.metadata.get(ACCESS) for call in result.calls}  # type: ignore[attr-defined]
        if name in ("keep-only", "guards-to-bounds", "vectorize-work-items", "settle-inner-loops"):
            self.module_text = ir.print_module(module)
            self.builtins = tuple(f.name or "" for f in module.functions if f.is_declaration)
        return result

    def _is_varying_vector(self, instruction: Instruction) -> bool:
        return isinstance(instruction.type, VectorType) and not self.shape.is_uniform(instruction)

    def _tag_accesses(self, module: ir.Module) -> None:
        """Accesses to memory are copied and copied again: metadata tells whose copy one is."""
        for instruction in self.function.instructions():
            if instruction.opcode in ("load", "store", "atomicrmw", "cmpxchg", "call"):
                tag = module.add_metadata(f"!{{i32 {len(self.tagged)}}}")
                instruction.metadata[ACCESS] = tag
                self.tagged[tag] = instruction

    def _note_barriers(self, step: str) -> None:
        for instruction in self.function.instructions():
            if is_barrier(instruction):
                self.origins.setdefault(instruction, step)

    def _note_neighbours(self, known: set[Instruction]) -> None:
        """New instructions have no place in the source; the one in front of them has nearly the right one."""
        last = None
        for instruction in self.function.instructions():
            if instruction in known:
                last = instruction if "dbg" in instruction.metadata else last
            elif last is not None:
                self.neighbours[instruction] = last

    def _judge_loops(self, for_all: Reason | None) -> None:
        for loop in loop_forest(self.function).loops:
            latch = loop.latches[0].terminator
            exits = frozenset(b.terminator for b in loop.exiting)
            reason = for_all or obstacle(loop, self.shape, host_target().costs, self._always)
            self.loops.append(LoopVerdict(loop, latch, exits, reason))


def snapshot(function: Function, shape: Divergence | None = None) -> list[BlockSnapshot]:
    """The blocks of a function as they are now, under names that are unique."""
    names: dict[Block, str] = {}
    taken: set[str] = set()
    for block in function.blocks:
        base = block.name or "block"
        name, count = base, 0
        while name in taken:
            count += 1
            name = f"{base}.{count}"
        names[block] = name
        taken.add(name)
    # One text for all: each instruction alone would number the whole function again.
    bodies = iter(ir.print_function(function).split("\n")[1:-1])
    found = []
    for block in function.blocks:
        text = []
        for line in bodies:
            if line.startswith("  "):
                text.append(line.strip())
            elif not line:
                break
        divergent = shape is not None and shape.is_divergent_branch(block)
        ways = tuple(_ways(block))
        found.append(
            BlockSnapshot(block, names[block], tuple(block.instructions), tuple(text), ways, divergent)
        )
    return found


def _ways(block: Block) -> list[tuple[Block, str]]:
    terminator = block.terminator
    if terminator.opcode == "br" and len(terminator.operands) == 3:
        labels = ["true", "false"]
    elif terminator.opcode == "switch":
        cases = terminator.operands[2::2]
        labels = ["default", *(str(getattr(c, "signed", "")) for c in cases)]
    else:
        labels = [""]
    joined: dict[Block, list[str]] = {}
    for target, label in zip(terminator.successors(), labels, strict=False):
        joined.setdefault(target, []).append(label)
    return [(target, ", ".join(found)) for target, found in joined.items()]
