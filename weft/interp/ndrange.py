"""Run kernels over NDRanges, and single functions.

Work-items of a group take turns, in the order of local ids: each runs from one barrier to the next. All must
stop at the same barrier, reached through the same calls, before any continues. For sub-group barriers and
functions, this applies to the work-items of the sub-group. In loops that may wait for other work-items, each
work-item runs for a limited number of iterations, then the others run, so that all make progress.
"""

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from itertools import product
from typing import Any

from weft.dataclasses import replace
from weft.ir import Function, Instruction, Module, print_instruction
from weft.ir.address_spaces import LOCAL

from .arguments import Binder
from .code import WAITING, Code, Place, Suspension
from .errors import BarrierDivergence
from .machine import DEFAULT_STEP_LIMIT, Machine
from .memory import Allocation, Local, Memory
from .sub_group_functions import is_sub_group_function
from .workitem import (
    DEFAULT_SUB_GROUP_SIZE,
    SUB_GROUP_BARRIERS,
    Group,
    NDRange,
    Triple,
    WorkItem,
    source_name,
)

Row = list[tuple[WorkItem, Suspension]]


def run_ndrange(
    module: Module,
    kernel: str,
    global_size: Sequence[int] | int,
    local_size: Sequence[int] | int,
    arguments: Sequence[Any],
    *,
    global_offset: Sequence[int] | int = (0, 0, 0),
    observers: Iterable[object] = (),
    externals: Mapping[str, Callable[..., Any]] | None = None,
    memory: Memory | None = None,
    trap_division: bool = False,
    step_limit: int = DEFAULT_STEP_LIMIT,
    sub_group_size: int = DEFAULT_SUB_GROUP_SIZE,
) -> None:
    """Execute a kernel for every work-item of an NDRange.

    Global and constant pointers take numpy arrays (used in place) or None, local pointers `Local(nbytes)`,
    values take numbers, sequences, numpy values or bytes. `externals` are Python functions for symbols that
    the module only declares. `step_limit` bounds the blocks that one call of a function may run. A division
    by zero yields 0; OpenCL C leaves the number open. With `trap_division` it is an error, as in LLVM.
    """
    ndrange = replace(_ndrange(global_size, local_size, global_offset), sub_group_size=sub_group_size)
    machine = Machine(
        module,
        memory=memory,
        observers=observers,
        externals=externals,
        trap_division=trap_division,
        step_limit=step_limit,
    )
    function = module.function(kernel)
    bound = _bind(machine, function, arguments)
    code = machine.code(function)
    nx, ny, nz = ndrange.num_groups
    for z, y, x in product(range(nz), range(ny), range(nx)):
        group = Group(ndrange, (x, y, z))
        values = [_local(value, function, index) for index, value in enumerate(bound)]
        if code.suspends:
            _run_in_turns(code, group, values)
        else:
            for item in _items(group):
                code.run(item, values)


def run_function(
    module: Module,
    name: str,
    arguments: Sequence[Any],
    *,
    observers: Iterable[object] = (),
    externals: Mapping[str, Callable[..., Any]] | None = None,
    memory: Memory | None = None,
    trap_division: bool = True,
    step_limit: int = DEFAULT_STEP_LIMIT,
) -> Any:
    """Call one function as a single work-item and return its result.

    Integers are returned unsigned, vectors and structs as tuples. A pointer may also be passed as bytes, an
    address of `memory`, or an (allocation, offset) pair.
    """
    machine = Machine(
        module,
        memory=memory,
        observers=observers,
        externals=externals,
        trap_division=trap_division,
        step_limit=step_limit,
    )
    function = module.function(name)
    values = [_local(v, function, i) for i, v in enumerate(_bind(machine, function, arguments))]
    code = machine.code(function)
    item = WorkItem(Group(_ndrange(1, 1, 0), (0, 0, 0)), (0, 0, 0))
    if not code.suspends:
        return code.run(item, values)
    suspension = code.suspend(item, values)
    while True:
        try:
            next(suspension)
        except StopIteration as finished:
            return finished.value


def _ndrange(
    global_size: Sequence[int] | int, local_size: Sequence[int] | int, global_offset: Sequence[int] | int
) -> NDRange:
    sizes = (global_size,) if isinstance(global_size, int) else tuple(global_size)
    if not 1 <= len(sizes) <= 3:
        raise ValueError(f"an NDRange must have 1 to 3 dimensions, got {len(sizes)}")
    whole, local = _triple(sizes, 1), _triple(local_size, 1)
    for size, part in zip(whole, local, strict=True):
        if part < 1 or size < 0:
            raise ValueError(f"local size {local} does not divide global size {whole}")
    return NDRange(len(sizes), whole, local, _triple(global_offset, 0))


def _triple(sizes: Sequence[int] | int, missing: int) -> Triple:
    known = (sizes,) if isinstance(sizes, int) else tuple(int(size) for size in sizes)
    x, y, z = (*known, *(missing,) * (3 - len(known)))
    return x, y, z


def _bind(machine: Machine, function: Function, arguments: Sequence[Any]) -> list[Any]:
    if len(arguments) != len(function.arguments):
        raise TypeError(
            f"@{function.name} takes {len(function.arguments)} arguments, {len(arguments)} are given"
        )
    binder = Binder(machine.memory, machine.layouts)
    return [binder.bind(p, value) for p, value in zip(function.arguments, arguments, strict=True)]


def _local(value: Any, function: Function, index: int) -> Any:
    """Replace a Local by new memory."""
    if not isinstance(value, Local):
        return value
    name = function.arguments[index].name or f"argument {index}"
    return Allocation(name, bytearray(value.nbytes), initialised=False, space=LOCAL), 0


def _items(group: Group) -> list[WorkItem]:
    sx, sy, sz = group.size
    return [WorkItem(group, (x, y, z)) for z, y, x in product(range(sz), range(sy), range(sx))]


def _run_in_turns(code: Code, group: Group, arguments: list[Any]) -> None:
    notify = code.machine.observers.barrier
    running = [(item, code.suspend(item, arguments)) for item in _items(group)]
    size = group.ndrange.sub_group_size
    sub_groups = [running[start : start + size] for start in range(0, len(running), size)]
    # Without sub-group functions, all work-items run as one row, so that the first divergent one is reported.
    rows = sub_groups if any(map(_is_sub_group_sync, code.machine.module.functions)) else [running]
    while True:
        stopped = _run_to_barrier(rows)
        item, first = stopped[0]
        for other, place in stopped:
            if place != first:
                raise _divergence(item, first, other, place)
        if first is None:
            return
        if notify is not None:
            notify(group, first[-1])


def _run_to_barrier(rows: list[Row]) -> list[tuple[WorkItem, Place | None]]:
    """Run sub-groups to the next work-group barrier; where a sub-group waits, run the others."""
    stopped: dict[int, tuple[WorkItem, Place | None]] = {}
    running = {number: _run_sub_group(row) for number, row in enumerate(rows)}
    while running:
        for number, turn in list(running.items()):
            try:
                next(turn)
            except StopIteration as end:
                stopped[number] = rows[number][0][0], end.value
                del running[number]
    return [stopped[number] for number in range(len(rows))]


def _run_sub_group(row: Row) -> Generator[None, None, Place | None]:
    """Run the work-items of a sub-group to the next work-group barrier.

    Yield when all work-items have stopped and some of them wait for others.
    """
    while True:
        reached: dict[int, Place | None] = {}
        waiting = list(range(len(row)))
        while waiting:
            reached |= {number: _advance(row[number][1]) for number in waiting}
            waiting = [number for number in waiting if reached[number] == WAITING]
            if waiting:
                yield
        places = [reached[number] for number in range(len(row))]
        first = places[0]
        for (item, _), place in zip(row, places, strict=True):
            if place != first:
                raise _divergence(row[0][0], first, item, place)
        if first is None or not _is_sub_group_sync(first[-1].called_function):
            return first


def _is_sub_group_sync(function: Function | None) -> bool:
    """Return whether only the work-items of a sub-group synchronize in a function."""
    if function is None or not function.is_declaration:
        return False
    name = function.name or ""
    return is_sub_group_function(name) or source_name(name) in SUB_GROUP_BARRIERS


def _advance(suspension: Suspension) -> Place | None:
    """Run a work-item to its next barrier; return None when it has finished."""
    return next(suspension, None)


def _divergence(
    one: WorkItem, place: Place | None, other: WorkItem, different: Place | None
) -> BarrierDivergence:
    error = BarrierDivergence(
        f"work-items of group {one.group.id} reach different barriers: {one.local_id} {_describe(place)}, "
        f"{other.local_id} {_describe(different)}"
    )
    barrier: Instruction | None = (place or different or (None,))[-1]
    if barrier is not None:
        error.locate(barrier, one if place is not None else other)
    return error


def _describe(place: Place | None) -> str:
    if place is None:
        return "has finished"
    block = place[-1].block
    where = f"%{block.name}" if block is not None and block.name else "an unnamed block"
    return f"is at `{print_instruction(place[-1])}` in {where}"
