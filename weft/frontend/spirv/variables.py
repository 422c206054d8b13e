"""Built-in variables: what is loaded from them becomes calls of OpenCL C's work-item functions.

%id = OpVariable %pointer Input            ; decorated BuiltIn GlobalInvocationId
%all = OpLoad %v3ulong %id                 ; %x = call i64 @_Z13get_global_idj(i32 0), …
%x = OpCompositeExtract %ulong %all 0      ; %x itself
"""

from weft.frontend.spirv.body import I32, I64, Body, Value, number, zero
from weft.frontend.spirv.errors import InvalidModule
from weft.frontend.spirv.mangle import Parameter
from weft.frontend.spirv.types import Int, Type, Vector

# Those with a component for each dimension, and those that are one number.
VECTORS = {
    "GlobalInvocationId": "get_global_id",
    "LocalInvocationId": "get_local_id",
    "WorkgroupId": "get_group_id",
    "GlobalSize": "get_global_size",
    "WorkgroupSize": "get_local_size",
    "EnqueuedWorkgroupSize": "get_enqueued_local_size",
    "NumWorkgroups": "get_num_groups",
    "GlobalOffset": "get_global_offset",
}
SCALARS = {
    "WorkDim": ("get_work_dim", I32),
    "GlobalLinearId": ("get_global_linear_id", I64),
    "LocalInvocationIndex": ("get_local_linear_id", I64),
    "SubgroupId": ("get_local_linear_id", I64),
}
# A sub-group is one work-item: numbers that are always the same, and those of work-items in the work-group.
CONSTANTS = {"SubgroupSize": 1, "SubgroupMaxSize": 1, "SubgroupLocalInvocationId": 0}
COUNTS = {"NumSubgroups": "get_local_size", "NumEnqueuedSubgroups": "get_enqueued_local_size"}


def check_variable(name: str, type: Type) -> None:
    """Raise InvalidModule unless a built-in variable is one that Weft has, of its type."""
    if name in VECTORS:
        right = isinstance(type, Vector) and type.count == 3 and isinstance(type.element, Int)
    elif name in SCALARS or name in CONSTANTS or name in COUNTS:
        right = isinstance(type, Int)
    else:
        raise InvalidModule(f"the built-in variable {name} is not supported")
    if not right:
        raise InvalidModule(f"the built-in variable {name} has a wrong type")


def load(body: Body, pointer: Value, type: Type) -> Value:
    """What a built-in variable, or the component of one that `pointer` points to, is for this work-item."""
    name = pointer.variable
    if name in SCALARS:
        function, given = SCALARS[name]
        return _as(body, body.call(function, [], [], given), type)
    if name in CONSTANTS:
        assert isinstance(type, Int)
        return number(CONSTANTS[name], type)
    if name in COUNTS:
        x, y, z = (body.call(COUNTS[name], [Parameter(I32)], [number(n)], I64) for n in range(3))
        plane = body.emit(f"mul {x.typed}, {y.text}", I64)
        return _as(body, body.emit(f"mul {plane.typed}, {z.text}", I64), type)
    if pointer.index is not None:
        return _as(body, _component(body, name, _narrow(body, pointer.index)), type)
    assert isinstance(type, Vector)
    found = zero(type)
    parts = []
    for index in range(type.count):
        part = _as(body, _component(body, name, number(index)), type.element)
        found = body.emit(f"insertelement {found.typed}, {part.typed}, i32 {index}", type)
        parts.append(part)
    return Value(type, found.text, tuple(parts))


def _component(body: Body, name: str, dimension: Value) -> Value:
    return body.call(VECTORS[name], [Parameter(I32)], [dimension], I64)


def _narrow(body: Body, index: Value) -> Value:
    """An index as the functions take it."""
    if index.text.isdigit():
        return number(int(index.text) & 0xFFFFFFFF)
    return _as(body, index, I32)


def _as(body: Body, value: Value, type: Type) -> Value:
    """An integer in another width."""
    assert isinstance(value.type, Int) and isinstance(type, Int)
    if value.type.width == type.width:
        return value
    return body.cast("trunc" if value.type.width > type.width else "zext", value, type)
