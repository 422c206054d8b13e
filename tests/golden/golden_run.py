"""Runs both halves of a golden file on the interpreter."""

import copy
from itertools import product
from typing import Any

import numpy as np
from golden_case import GoldenCase
from kernel_case import Range, evaluate, parse_launch
from kernel_ways import packed_launch

from weft import ir
from weft.abi import work_group_symbol
from weft.compiler.argument_layout import placements
from weft.interp.arguments import allocation_of
from weft.interp.memory import Local, Memory
from weft.interp.ndrange import run_function, run_ndrange

LOCAL_ARENA, CONTEXT_ARENA = 4096, 1 << 16
LOCAL_ARGUMENTS = 2048  # where the local arguments' part of the arena starts


def memory_after(case: GoldenCase, text: str) -> dict[str, np.ndarray]:
    """The arrays among the arguments after the launch of a module's kernel or work-group function."""
    assert case.launch is not None
    launch = parse_launch(case.launch)
    arguments = evaluate(case.kernel_arguments, case.name, launch)
    before = ir.parse(case.input)
    defined = [f for f in before.functions if not f.is_declaration]
    (kernel,) = defined if len(defined) == 1 else (f for f in defined if "spir_kernel" in f.prefix)
    module = ir.parse(text)
    if work_group_symbol(kernel.name) in module.globals:
        _run_groups(module, kernel, launch, arguments)
    else:
        _run_items(module, kernel, launch, arguments)
    return {name: value for name, value in arguments.items() if isinstance(value, np.ndarray)}


def _run_items(module: ir.Module, kernel: ir.Function, launch: Range, arguments: dict[str, Any]) -> None:
    function = module.function(kernel.name or "")
    spaces = [getattr(a.type, "space", 0) for a in function.arguments]
    values = [
        Local(value) if space == 3 else value
        for value, space in zip(arguments.values(), spaces, strict=False)
    ]
    values += [Local(1024)] * (len(spaces) - len(values))  # automatic locals that have become parameters
    run_ndrange(
        module, kernel.name or "", launch.global_size, launch.local_size, values, global_offset=launch.offset
    )


def _run_groups(module: ir.Module, kernel: ir.Function, launch: Range, arguments: dict[str, Any]) -> None:
    memory = Memory()
    block = bytearray(256)
    next_local = LOCAL_ARGUMENTS
    for parameter, value in zip(kernel.arguments, arguments.values(), strict=True):
        placement = placements(kernel)[parameter]
        if placement.kind == "local":
            data = np.int64(next_local).tobytes()
            next_local += value
        elif isinstance(value, np.ndarray) and parameter.type.is_pointer:
            data = np.int64(memory.base(allocation_of(value, parameter.name or ""))).tobytes()
        else:
            data = np.asarray(value).tobytes()
        block[placement.offset : placement.offset + len(data)] = data
    header = packed_launch(launch)
    for z, y, x in product(*map(range, reversed(launch.triple(launch.groups)))):
        arenas = bytes(LOCAL_ARENA), bytes(CONTEXT_ARENA)
        run_function(
            module,
            work_group_symbol(kernel.name),
            [header, bytes(block), *arenas, x, y, z],
            memory=memory,
        )


def assert_same_memory(one: dict[str, np.ndarray], other: dict[str, np.ndarray]) -> None:
    """Asserts that two runs ended with equal arrays."""
    for name, array in copy.copy(one).items():
        np.testing.assert_array_equal(other[name], array, err_msg=name)
