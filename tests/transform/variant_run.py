"""Runs kernels on the interpreter, as they are and with a variant of their work-item loop for a case."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache

import numpy as np
from kernel_case import Range
from kernel_ways import packed_launch

from weft import ir
from weft.abi import work_group_symbol
from weft.analysis.evolution import Evolution
from weft.analysis.lanes import Assumed, Pieces
from weft.cli.opt import PassOptions
from weft.compiler.argument_layout import placements
from weft.compiler.build_program import compile_program
from weft.compiler.passes import PASSES
from weft.frontend.options import parse_options
from weft.interp.arguments import allocation_of
from weft.interp.memory import Memory
from weft.interp.ndrange import run_function, run_ndrange
from weft.ir import Instruction, Value
from weft.ir.builder import Builder
from weft.ir.loops import loop_forest
from weft.ir.verifier import verify
from weft.launch_form import LaunchForm
from weft.transform.simd.counted_loop import work_item_lanes
from weft.transform.simd.loop_plan import PlanOptions, plan_loop
from weft.transform.simd.vectorize_loop import Accesses, emit_loop

STEPS = (
    "isolate-barriers",
    "locals-to-arguments",
    "place-implicit-barriers",
    "work-group-function",
    "drop-masks",
    "bounds-from-guards",
)
WIDTH = 8
Arguments = Mapping[str, np.ndarray | np.generic]
Condition = Callable[[Builder, Callable[[str], Value]], Value]


@cache
def _kernel_text(source: str) -> str:
    (kernel,) = compile_program(source, parse_options("")).kernels
    return kernel.text


def _addresses(blocks: Sequence[ir.Block]) -> dict[Value, Instruction]:
    """Addresses of accesses, and one that each is for."""
    accesses = (i for b in blocks for i in b.instructions if i.opcode in ("load", "store"))
    return {i.operands[-1]: i for i in accesses if isinstance(i.operands[-1], Instruction)}


class VariantOfKernel:
    """A kernel whose only work-item loop has vector code for a case."""

    def __init__(
        self, source: str, local_size: int, assumed: Evolution | Pieces, condition: Condition | None
    ) -> None:
        self.text = _kernel_text(source)
        module = ir.parse(self.text)
        (function,) = (f for f in module.functions if not f.is_declaration)
        self.name = function.name or ""
        unit = PassOptions(LaunchForm((local_size, 1, 1))).unit(function)
        for step in STEPS:
            PASSES[step].run(unit)
        function = unit.function
        forest = loop_forest(function)
        (loop,) = forest.loops
        assert loop.preheader is not None
        named = {i.name: i for i in function.instructions()}
        value = None
        if condition is not None:
            b = Builder(loop.preheader, loop.preheader.terminator)
            value = condition(b, lambda name: named[name])
        found = _addresses(list(loop.blocks))
        facts = Assumed(dict.fromkeys(found, assumed), WIDTH)
        options = PlanOptions(WIDTH, lambda symbol, lanes: None)
        plan = plan_loop(loop, forest, work_item_lanes(loop, forest, facts), options)
        self.notes: Accesses = emit_loop(plan, value).accesses
        verify(module)
        self.module = module

    @property
    def ways(self) -> set[str]:
        """How accesses to memory are done, in words."""
        return {str(replace(how, proved=False)) for ways in self.notes.values() for how in ways}

    def run(self, launch: Range, arguments: Arguments) -> dict[str, np.ndarray]:
        """The arrays after the work-groups have run."""
        kernel = ir.parse(self.text).function(self.name)
        arrays = _copies(arguments)
        memory, block = Memory(), bytearray(256)
        for parameter, value in zip(kernel.arguments, arrays.values(), strict=True):
            data = np.asarray(value).tobytes()
            if isinstance(value, np.ndarray):
                data = np.int64(memory.base(allocation_of(value, parameter.name or ""))).tobytes()
            offset = placements(kernel)[parameter].offset
            block[offset : offset + len(data)] = data
        for group in range(launch.global_size[0] // launch.local_size[0]):
            words = [packed_launch(launch), bytes(block), bytes(64), bytes(1 << 16), group, 0, 0]
            run_function(self.module, work_group_symbol(self.name), words, memory=memory)
        return {name: value for name, value in arrays.items() if isinstance(value, np.ndarray)}

    def expected(self, launch: Range, arguments: Arguments) -> dict[str, np.ndarray]:
        """The arrays after the work-items have run, one by one."""
        arrays = _copies(arguments)
        run_ndrange(
            ir.parse(self.text),
            self.name,
            launch.global_size,
            launch.local_size,
            list(arrays.values()),
            global_offset=launch.offset,
        )
        return {name: value for name, value in arrays.items() if isinstance(value, np.ndarray)}


def _copies(arguments: Arguments) -> dict[str, np.ndarray | np.generic]:
    return {name: v.copy() if isinstance(v, np.ndarray) else v for name, v in arguments.items()}
