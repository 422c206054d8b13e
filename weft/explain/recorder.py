"""Record the compilation of one kernel: its remarks and snapshots of its code.

There is no second pipeline: a Recorder is a Trace, through which the production pipeline runs its passes. It
takes snapshots of the kernel as written, just before it becomes a work-group function, and of that function.
"""

from collections.abc import Callable
from typing import TypeVar

from weft import ir
from weft.dataclasses import dataclass
from weft.ir import Block, Function, Instruction
from weft.ir.names import unique_names
from weft.remarks import Remarks
from weft.trace import Trace

T = TypeVar("T")


@dataclass(frozen=True)
class BlockSnapshot:
    """A block as it was at some step: its instructions, their text and lines, and where it went."""

    name: str
    instructions: tuple[Instruction, ...]
    text: tuple[str, ...]
    lines: tuple[int, ...]
    successors: tuple[tuple[str, str], ...]


class Recorder(Trace):
    """The trace of one compilation, with its remarks."""

    def __init__(self, kernel: str, source: str) -> None:
        super().__init__(kernel, None, "", None)
        self.remarks = Remarks(kernel, source=tuple(source.split("\n")))
        self.before: list[BlockSnapshot] = []
        self.between: list[BlockSnapshot] = []
        self.after: list[BlockSnapshot] = []
        self.module_text = ""  # before LLVM sees it
        self.builtins: tuple[str, ...] = ()

    def run(self, name: str, module: ir.Module, change: Callable[[], T]) -> T:
        """Runs a step that changes the module, and keeps what the code looks like."""
        kernel = module.globals.get(self.kernel)
        if name == "work-group-function" and isinstance(kernel, Function):
            self.between = snapshot(kernel, self.remarks)
        result = super().run(name, module, change)
        if name == "isolate-barriers" and isinstance(kernel, Function):
            self.before = snapshot(kernel, self.remarks)
        elif name == "work-group-function":
            made = next(f for f in reversed(module.functions) if not f.is_declaration)
            self.after = snapshot(made, self.remarks)
        if name in (
            "keep-only",
            "bounds-from-guards",
            "vectorize-work-items",
            "disable-inner-loop-vectorization",
        ):
            self.module_text = ir.print_module(module)
            self.builtins = tuple(f.name or "" for f in module.functions if f.is_declaration)
        return result


def snapshot(function: Function, remarks: Remarks) -> list[BlockSnapshot]:
    """A snapshot of the blocks of a function, with unique names."""
    names = unique_names(function)
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
        instructions = tuple(block.instructions)
        ways = tuple((names[target], label) for target, label in _ways(block))
        found.append(
            BlockSnapshot(names[block], instructions, tuple(text), _lines(instructions, remarks), ways)
        )
    return found


def _lines(instructions: tuple[Instruction, ...], remarks: Remarks) -> tuple[int, ...]:
    """The lines of the program that instructions come from, with those that call what was inlined."""
    found: set[int] = set()
    for instruction in instructions:
        place = remarks.location(instruction)
        while place is not None:
            if not place.file:
                found.add(place.line)
            place = place.caller
    return tuple(sorted(found))


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
