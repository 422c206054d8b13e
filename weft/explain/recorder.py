"""Record the compilation of one kernel: its remarks and snapshots of its code.

There is no second pipeline: a Recorder is a Trace, through which the production pipeline runs its passes. It
takes snapshots of the kernel as written, just before it becomes a work-group function, and of that function.
"""

from collections.abc import Callable
from typing import TypeVar

from weft import ir
from weft.abi import work_group_symbol
from weft.ir import Function
from weft.remarks import Remarks
from weft.trace import Trace
from weft.transform.describe.snapshot import BlockSnapshot, snapshot

T = TypeVar("T")


class Recorder(Trace):
    """The trace of one compilation, with its remarks."""

    def __init__(self, kernel: str, source: str) -> None:
        super().__init__(kernel, None, "", None)
        self.remarks = Remarks(kernel, source=tuple(source.split("\n")))
        self.before: list[BlockSnapshot] = []
        self.between: list[BlockSnapshot] = []
        self.after: list[BlockSnapshot] = []
        self.module_text = ""  # before LLVM's optimizer
        self.builtins: tuple[str, ...] = ()

    def run(self, name: str, module: ir.Module, change: Callable[[], T]) -> T:
        """Run a step that changes the module, and take snapshots of the code."""
        kernel = module.globals.get(self.kernel)
        if name == "work-group-function" and isinstance(kernel, Function):
            self.between = snapshot(kernel, self.remarks)
        result = super().run(name, module, change)
        if name == "isolate-barriers" and isinstance(kernel, Function):
            self.before = snapshot(kernel, self.remarks)
        elif name == "work-group-function":
            self.after = snapshot(module.function(work_group_symbol(self.kernel)), self.remarks)
        if name in (
            "keep-only",
            "bounds-from-guards",
            "vectorize-work-items",
            "disable-inner-loop-vectorization",
        ):
            self.module_text = ir.print_module(module)
            self.builtins = tuple(f.name or "" for f in module.functions if f.is_declaration)
        return result
