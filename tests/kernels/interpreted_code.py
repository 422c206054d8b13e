"""Runs the code that Weft makes of a kernel on the interpreter, before LLVM sees it.

There, poison that reaches memory, a branch or an address is found, whatever a processor would make of it.
"""

import re
import struct
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import product
from typing import Any, TypeVar

import numpy as np
from kernel_case import KernelCase, Range
from kernel_ways import link, packed_launch, the_kernel, value_bytes, variables

from weft import abi, ir
from weft.abi import work_group_symbol
from weft.builtins.library import link_in
from weft.codegen.host import host_target
from weft.compiler.builtin_flags import builtin_flags
from weft.compiler.compile_work_group import compile_work_group
from weft.compiler.pipeline import Contracts
from weft.interp.arguments import allocation_of
from weft.interp.memory import POISONED, Memory
from weft.interp.ndrange import run_function
from weft.ir.types import align_up
from weft.launch_form import LaunchForm
from weft.trace import Trace
from weft.transform.workgroup.context_arrays import capacity

T = TypeVar("T")
# The last pass over the code of a work-group.
LAST = "disable-inner-loop-vectorization"
_DECLARED = re.compile(r"^declare [^@\n]*@(_Z[\w.$]+)\(", re.MULTILINE)


class _Kept(Trace):
    """Keeps the code as the last pass left it."""

    text = ""

    def run(self, name: str, module: ir.Module, change: Callable[[], T]) -> T:
        result = super().run(name, module, change)
        if name == LAST:
            self.text = ir.print_module(module)
        return result


def interpreted_code(
    case: KernelCase, launch: Range, arguments: Mapping[str, Any], **options: Any
) -> dict[str, np.ndarray]:
    """The arrays after a launch of the code for its local size, made with some options."""
    kernel = the_kernel(case)
    chosen = replace(kernel.options, level=1, **options)
    trace = _Kept(kernel.name, None, "", Contracts(kernel.name))
    local_size = launch.triple(launch.local_size)
    size = None if launch.non_uniform else local_size
    form = LaunchForm(size, launch.id_bits, noalias=True, non_uniform=launch.non_uniform)
    made = compile_work_group(kernel.code, chosen, form, trace=trace)
    library = link_in(_DECLARED.findall(trace.text), host_target(), builtin_flags(chosen))
    module = ir.parse(link([trace.text, *library.modules, *variables(kernel)]))
    memory, block, local_bytes = Memory(), bytearray(kernel.argument_bytes), kernel.local_bytes
    buffers = {}
    for layout, described, value in zip(
        kernel.arguments, kernel.info.arguments, arguments.values(), strict=True
    ):
        if layout.kind == "value":
            data = value_bytes(value, described.type_name, layout.size)
        elif layout.kind == "local":
            start = align_up(local_bytes, abi.ARENA_ALIGNMENT)
            local_bytes = start + value
            data = struct.pack("<Q", start)
        else:
            buffers[described.name] = value, allocation_of(value, described.name)
            data = struct.pack("<Q", memory.base(buffers[described.name][1]))
        block[layout.offset : layout.offset + len(data)] = data
    context = made.item_bytes * capacity(int(np.prod(local_size))) + made.group_bytes
    for z, y, x in product(*map(range, reversed(launch.triple(launch.groups)))):
        arenas = bytes(local_bytes), bytes(context)
        words = [packed_launch(launch, None, local_bytes), bytes(block), *arenas, x, y, z]
        run_function(module, work_group_symbol(kernel.name), words, memory=memory)
    for name, (_, allocation) in buffers.items():
        assert allocation.shadow is None or POISONED not in allocation.shadow, f"poison in {name}"
    return {name: value for name, (value, _) in buffers.items()}
