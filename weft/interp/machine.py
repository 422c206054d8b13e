"""The state of a run: the module, its memory and its compiled functions."""

from collections.abc import Callable, Collection, Iterable, Mapping
from math import prod
from typing import Any

from weft.ir import Block, ConstantFloat, ConstantInt, Function, GlobalVariable, Module, Value
from weft.ir.address_spaces import LOCAL
from weft.ir.types import ArrayType, FloatType, size_of
from weft.ir.values import (
    ConstantAggregate,
    ConstantExpression,
    ConstantString,
    ConstantZero,
    Poison,
    Undef,
)

from .calls import waits
from .code import Code
from .constants import is_local_variable
from .errors import UnsupportedInstruction
from .formats import float_of_bits
from .layout import Layouts
from .memory import Allocation, Memory, Pointer
from .observers import Observers
from .poison import poison_of, zero_of
from .scalar import constant_operation
from .waiting import callers_of, waiting_loops
from .workitem import Group

DEFAULT_STEP_LIMIT = 1 << 62


class Machine:
    """Executes functions of one module on one memory. Not thread-safe."""

    def __init__(
        self,
        module: Module,
        *,
        memory: Memory | None = None,
        observers: Iterable[object] = (),
        externals: Mapping[str, Callable[..., Any]] | None = None,
        trap_division: bool = True,
        step_limit: int = DEFAULT_STEP_LIMIT,
    ) -> None:
        self.module = module
        self.memory = memory if memory is not None else Memory()
        self.layouts = Layouts(self.memory)
        self.observers = Observers(observers)
        self.externals = dict(externals or {})
        self.trap_division = trap_division
        self.step_limit = step_limit
        self._globals: dict[Value, Allocation] = {}
        self._codes: dict[Function, Code] = {}
        self._suspending: Collection[Function] | None = None
        self._waiting: dict[Function, frozenset[Block]] = {}

    def code(self, function: Function) -> Code:
        """Return the compiled form of a function, created at its first use."""
        code = self._codes.get(function)
        if code is None:
            code = self._codes[function] = Code(self, function)
        return code

    def suspends(self, function: Function) -> bool:
        """Return whether a call of the function can reach a barrier or a loop in which it may wait."""
        if self._suspending is None:
            self._waiting = waiting_loops(self.module)
            barriers = [f for f in self.module.functions if f.is_declaration and waits(f.name or "")]
            self._suspending = callers_of(self.module, [*barriers, *self._waiting])
        return function in self._suspending

    def waiting_loops(self, function: Function) -> Collection[Block]:
        """Return the headers of loops in which a work-item may wait for another one."""
        return self._waiting.get(function, ())

    # Constants

    def constant(self, value: Value, group: Group | None = None) -> Any:
        """Return the value of a constant or global; the address of a local variable depends on the group."""
        match value:
            case ConstantInt():
                return value.value
            case ConstantFloat():
                assert isinstance(value.type, FloatType)
                return float_of_bits(value.type.kind, value.bits)
            case ConstantZero() | Undef():
                return zero_of(value.type)  # any value is valid for undef; the interpreter chooses zero
            case Poison():
                return poison_of(value.type)
            case ConstantAggregate():
                return tuple(self.constant(element, group) for element in value.elements)
            case ConstantString():
                return tuple(value.data)
            case ConstantExpression():
                return constant_operation(self, value, [self.constant(o, group) for o in value.operands])
            case GlobalVariable() | Function():
                return self.global_pointer(value, group)
        raise UnsupportedInstruction(f"{value!r} cannot be evaluated")

    def global_pointer(self, value: GlobalVariable | Function, group: Group | None) -> Pointer:
        """Return the address of a global variable or function."""
        if is_local_variable(value):
            assert isinstance(value, GlobalVariable) and group is not None
            allocation = group.locals.get(value)
            if allocation is None:
                allocation = group.locals[value] = self._allocate_local(value, group)
            return allocation, 0
        allocation = self._globals.get(value)
        if allocation is None:
            if isinstance(value, Function):
                allocation = self._globals[value] = Allocation(f"@{value.name}", bytearray(), writable=False)
            else:
                allocation = self._globals[value] = self._allocate(value, initialised=True)
                # Register the variable before its initializer, which may contain its address.
                if value.initializer is not None:
                    self.layouts[value.value_type].store_partly(
                        allocation, 0, self.constant(value.initializer)
                    )
                allocation.writable = not value.is_constant
        return allocation, 0

    @staticmethod
    def _allocate_local(variable: GlobalVariable, group: Group) -> Allocation:
        type, count = variable.value_type, 1
        if isinstance(type, ArrayType) and not type.count:  # an element per work-item (lowered collectives)
            type, count = type.element, prod(group.ndrange.local_size)
        return Allocation(
            variable.reference, bytearray(size_of(type) * count), initialised=False, space=LOCAL
        )

    @staticmethod
    def _allocate(variable: GlobalVariable, initialised: bool) -> Allocation:
        return Allocation(
            variable.reference, bytearray(size_of(variable.value_type)), initialised=initialised
        )
