"""Pass ids as arguments to functions that use work-item functions.

    define float @f(float %x)                            define float @f(float %x, i64 %get_global_id.0)
      %i = call i64 @_Z13get_global_idj(i32 0)

    define spir_kernel void @k(…)                        define spir_kernel void @k(…)
      %y = call float @f(float %x)                         %i = call i64 @_Z13get_global_idj(i32 0)
                                                           %y = call float @f(float %x, i64 %i)

Then only kernels call work-item functions, so the passes that turn ids into induction variables need not
handle other functions. A query whose dimension is known only at run time gets all three.

Requires that functions are not recursive. Refuses nothing. Linear in the program times the number of
different queries.
"""

from collections.abc import Sequence

from weft.analysis.work_items import WORK_ITEM_FUNCTIONS, WorkItemFunction, work_item_function
from weft.ir import Argument, Function, Instruction, Value
from weft.ir.builder import Builder
from weft.ir.types import I32, FunctionType
from weft.ir.values import ConstantInt, const_int

# The symbol of a work-item function, and the dimension if it takes one.
_Query = tuple[str, int | None]


def ids_to_arguments(functions: Sequence[Function], kernels: Sequence[Function]) -> None:
    """Replace the calls of work-item functions in `functions`, which are ordered callees first."""
    passed: dict[Function, list[_Query]] = {}
    for function in functions:
        queries = _queries(function, passed)
        if queries:
            passed[function] = list(queries)
        values = {query: _add_argument(function, query) for query in queries}
        type = function.function_type
        function.function_type = FunctionType(type.result, tuple(a.type for a in function.arguments))
        for call in _calls(function):
            called = work_item_function(call)
            if called is not None:
                call.replace_all_uses_with(_result(call, called, values))
                call.erase()
            elif call.called_function in passed:
                _pass(call, [values[query] for query in passed[call.called_function]])
    for kernel in kernels if passed else ():
        for call in _calls(kernel):
            if call.called_function in passed:
                _pass(call, [_call(call, query) for query in passed[call.called_function]])


def _calls(function: Function) -> list[Instruction]:
    return [i for i in function.instructions() if i.opcode == "call"]


def _queries(function: Function, passed: dict[Function, list[_Query]]) -> dict[_Query, None]:
    """Return the queries of a function and of those that it calls."""
    queries: dict[_Query, None] = {}
    for call in _calls(function):
        called = work_item_function(call)
        if called is not None:
            queries.update(dict.fromkeys((_symbol(call), d) for d in _dimensions(call, called)))
        elif call.called_function in passed:
            queries.update(dict.fromkeys(passed[call.called_function]))
    return queries


def _symbol(call: Instruction) -> str:
    callee = call.called_function
    assert callee is not None and callee.name is not None
    return callee.name


def _dimensions(call: Instruction, called: WorkItemFunction) -> tuple[int | None, ...]:
    """Return the dimensions of a query."""
    if not called.takes_dimension:
        return (None,)
    dimension = call.arguments[0]
    if isinstance(dimension, ConstantInt):
        return (dimension.value,) if dimension.value < 3 else ()
    return 0, 1, 2


def _add_argument(function: Function, query: _Query) -> Argument:
    symbol, dimension = query
    module = function.parent
    name = WORK_ITEM_FUNCTIONS[symbol].name
    taken = {a.name for a in function.arguments} | {i.name for i in function.instructions()}
    chosen = name if dimension is None else f"{name}.{dimension}"
    while chosen in taken:
        chosen += ".id"
    argument = Argument(module.function(symbol).function_type.result, chosen, len(function.arguments))
    function.arguments.append(argument)
    return argument


def _result(call: Instruction, called: WorkItemFunction, values: dict[_Query, Argument]) -> Value:
    """Return the result of a query, computed from the new arguments."""
    symbol = _symbol(call)
    if not called.takes_dimension:
        return values[symbol, None]
    dimension = call.arguments[0]
    default = const_int(call.type, called.default)
    if isinstance(dimension, ConstantInt):
        return values[symbol, dimension.value] if dimension.value < 3 else default
    b = Builder(call.parent, call)
    result: Value = default
    for axis in range(3):
        result = b.select(b.icmp("eq", dimension, const_int(I32, axis)), values[symbol, axis], result)
    return result


def _call(call: Instruction, query: _Query) -> Value:
    """Emit a query before a kernel's call, and return its result."""
    module = call.parent.parent.parent
    symbol, dimension = query
    arguments = [] if dimension is None else [const_int(I32, dimension)]
    return Builder(call.parent, call).call(module.function(symbol), arguments)


def _pass(call: Instruction, values: Sequence[Value]) -> None:
    """Add arguments to a call."""
    *arguments, callee = call.operands
    assert isinstance(callee, Function)
    call.set_operands([*arguments, *values, callee])
    call.attributes["function_type"] = callee.function_type
    attributes = call.attributes.get("argument_attributes")
    if attributes:
        call.attributes["argument_attributes"] = (*attributes, *[()] * len(values))
