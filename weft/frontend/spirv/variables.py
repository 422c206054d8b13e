"""Translate loads of built-in variables to calls of OpenCL C work-item functions.

%id = OpVariable %pointer Input            ; decorated BuiltIn GlobalInvocationId
%all = OpLoad %v3ulong %id                 ; %x = call i64 @_Z13get_global_idj(i32 0), …
%x = OpCompositeExtract %ulong %all 0      ; %x itself
"""

from weft.frontend.spirv.body import I32, I64, Body, Value, number, zero
from weft.frontend.spirv.errors import InvalidModule
from weft.frontend.spirv.mangle import Parameter
from weft.frontend.spirv.types import Int, Type, Vector, vector

# Variables with a component per dimension, and scalar variables.
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
    "SubgroupId": ("get_sub_group_id", I32),
    "SubgroupLocalInvocationId": ("get_sub_group_local_id", I32),
    "SubgroupSize": ("get_sub_group_size", I32),
    "SubgroupMaxSize": ("get_max_sub_group_size", I32),
    "NumSubgroups": ("get_num_sub_groups", I32),
    "NumEnqueuedSubgroups": ("get_enqueued_num_sub_groups", I32),
}
MASKS = {
    f"Subgroup{which}Mask": f"get_sub_group_{which.lower()}_mask" for which in ("Eq", "Ge", "Gt", "Le", "Lt")
}


def check_variable(name: str, type: Type) -> None:
    """Raise InvalidModule unless a built-in variable is supported and has the right type."""
    if name in VECTORS:
        right = isinstance(type, Vector) and type.count == 3 and isinstance(type.element, Int)
    elif name in SCALARS:
        right = isinstance(type, Int)
    elif name in MASKS:
        right = isinstance(type, Vector) and type.count == 4 and type.element == I32
    else:
        raise InvalidModule(f"built-in variable {name} is not supported")
    if not right:
        raise InvalidModule(f"built-in variable {name} has an invalid type")


def load(body: Body, pointer: Value, type: Type) -> Value:
    """Return the value of a built-in variable, or of the component that `pointer` points to, for this
    work-item."""
    name = pointer.variable
    if name in SCALARS:
        function, returned = SCALARS[name]
        return _as(body, body.call(function, [], [], returned), type)
    if name in MASKS:
        mask = body.call(MASKS[name], [], [], vector(I32, 4))
        if pointer.index is None:
            return mask
        return body.emit(f"extractelement {mask.typed}, {pointer.index.typed}", I32)
    if pointer.index is not None:
        return _as(body, _component(body, name, _narrow(body, pointer.index)), type)
    assert isinstance(type, Vector)
    result = zero(type)
    parts = []
    for index in range(type.count):
        part = _as(body, _component(body, name, number(index)), type.element)
        result = body.emit(f"insertelement {result.typed}, {part.typed}, i32 {index}", type)
        parts.append(part)
    return Value(type, result.text, tuple(parts), loaded=name)


def load_component(body: Body, whole: Value, index: Value, type: Type) -> Value:
    """Return a component, with any index, of a built-in variable that was loaded.

    For an index out of range, the functions return 0 or 1, as in OpenCL C. SPIR-V leaves that open, and
    Khronos's translator relies on it.
    """
    return _as(body, _component(body, whole.loaded, _narrow(body, index)), type)


def _component(body: Body, name: str, dimension: Value) -> Value:
    return body.call(VECTORS[name], [Parameter(I32)], [dimension], I64)


def _narrow(body: Body, index: Value) -> Value:
    """Convert an index to the type that the functions take."""
    if index.text.isdigit():
        return number(int(index.text) & 0xFFFFFFFF)
    return _as(body, index, I32)


def _as(body: Body, value: Value, type: Type) -> Value:
    """Convert an integer to another width."""
    assert isinstance(value.type, Int) and isinstance(type, Int)
    if value.type.width == type.width:
        return value
    return body.cast("trunc" if value.type.width > type.width else "zext", value, type)
