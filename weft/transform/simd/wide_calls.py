"""Vectorize calls: built-ins and intrinsics by their vector variants, the rest lane by lane."""

from typing import TYPE_CHECKING

from weft.analysis.cross_lane import cross_lane
from weft.analysis.lanes import Lanes
from weft.analysis.memory_effects import has_no_effects, is_atomic_function, is_own_function, only_reads
from weft.dataclasses import dataclass
from weft.ir import Function, Instruction, Value
from weft.ir.address_spaces import MAY_BE_PRIVATE
from weft.ir.types import VOID, FunctionType, PointerType, VectorType, intrinsic_suffix
from weft.ir.values import Constant
from weft.transform.workgroup.private_memory_by_lane import EACH

from .for_lanes import call_for_lanes, has_separate_result
from .lanewise import FOLDS, LANEWISE, VectorForm
from .wide_cross_lane import emit_cross_lane
from .wide_vectors import component, components, joined, padded, part

if TYPE_CHECKING:
    from .widen import Widener

# Intrinsics with lanes of two types, both named.
CONVERTING = ("fptosi.sat", "fptoui.sat", "scmp", "ucmp")
_DROPPED = ("llvm.lifetime.", "llvm.experimental.noalias.scope.decl", "llvm.assume", "llvm.dbg.")
# Vector sizes of built-ins in the library, longest first.
_FORM_SIZES = (16, 8, 4, 2)


def is_dropped(i: Instruction) -> bool:
    """Return whether a call only informs optimizers and can be omitted in lanes."""
    return i.callee_name.startswith(_DROPPED)


def call(w: "Widener", i: Instruction, mask: Value | None) -> None:
    """Emit a call for all lanes."""
    name = i.callee_name
    if is_dropped(i):
        return
    if (across := cross_lane(i)) is not None:
        emit_cross_lane(w, i, across)
        return
    if not w.lanes.is_varying(i) and (has_no_effects(i) or only_reads(i) or name.startswith("llvm.")):
        w.define_scalar(i, w.clone_scalar(i))
    elif name.startswith("llvm."):
        _intrinsic_call(w, i, name.removeprefix("llvm."), mask)
    elif has_no_effects(i) and (form := builtin_form(i, w.width, w.vector_form)) is not None:
        _builtin_call(w, i, form, mask is not None)
    elif is_own_function(i) and has_separate_result(i):
        call_for_lanes(w, i, mask)
    else:
        w.lane_by_lane(i, mask)


def is_shared(lanes: Lanes, i: Instruction, argument: Value) -> bool:
    """Return whether an argument of a call may point to private memory that all lanes share."""
    if not may_point_to_private_memory(argument):
        return False
    # If lanes select between variables, their pointers differ but still point to shared memory.
    sequential = "llvm.access.group" not in i.metadata and not is_atomic_function(i)
    return sequential or lanes.is_uniform(argument)


def may_point_to_private_memory(argument: Value) -> bool:
    """Return whether an argument of a call may be a pointer to memory of one work-item."""
    type = argument.type
    private = isinstance(type, PointerType) and type.space in MAY_BE_PRIVATE
    return private and not isinstance(argument, Constant)


def _intrinsic_call(w: "Widener", i: Instruction, name: str, mask: Value | None) -> None:
    base = name.rpartition(".")[0]
    if EACH in i.metadata:
        w.lane_by_lane(i, mask)
        return
    type = w.wide(i.type)
    if base in LANEWISE:
        immediate = LANEWISE[base]
        operands = [a if k in immediate else w.vector(a) for k, a in enumerate(i.arguments)]
        wide = f"llvm.{base}.{intrinsic_suffix(operands[0].type)}"
    elif base.rpartition(".")[0] in CONVERTING:
        operands = [w.vector(a) for a in i.arguments]
        wide = f"llvm.{base.rpartition('.')[0]}.{intrinsic_suffix(type)}.{intrinsic_suffix(operands[0].type)}"
    elif base.startswith("vector.reduce.") and base.rpartition(".")[2] in FOLDS:
        w.define_vector(i, _folded(w, i, base.rpartition(".")[2]))
        return
    else:
        w.lane_by_lane(i, mask)
        return
    function = w.module.declare(wide, FunctionType(type, tuple(o.type for o in operands)))
    w.define_vector(i, _called(w, i, function, operands))


def _folded(w: "Widener", i: Instruction, opcode: str) -> Value:
    """Return the sum, product or other reduction of each lane's components."""
    vector = i.arguments[0]
    count = components(vector.type)
    wide = w.vector(vector)
    result = component(w.b, wide, count, 0)
    for index in range(1, count):
        result = w.b.binary(opcode, result, component(w.b, wide, count, index))
    return result


@dataclass(frozen=True)
class BuiltinForm:
    """A form of a built-in for vectors of `size` elements."""

    name: str
    size: int


def builtin_form(i: Instruction, width: int, vector_form: VectorForm) -> BuiltinForm | None:
    """Return the longest form of a built-in that the library has for `width` lanes; None if there is none."""
    callee, count = i.called_function, components(i.type)
    if callee is None or i.type is VOID or any(components(a.type) != count for a in i.arguments):
        return None
    sizes = (s for s in _FORM_SIZES if s <= count * width or s == _FORM_SIZES[-1])
    forms = ((vector_form(callee.name or "", size), size) for size in sizes)
    return next((BuiltinForm(name, size) for name, size in forms if name is not None), None)


def _builtin_call(w: "Widener", i: Instruction, form: BuiltinForm, masked: bool) -> None:
    """Call the vector form of a built-in, in several pieces if necessary.

    Inactive lanes and padding may hold poison, on which the library must not branch; they are frozen.
    """
    callee, size, total = i.called_function, form.size, components(i.type) * w.width
    assert callee is not None
    arguments = [w.vector(a) for a in i.arguments]
    result = VectorType(i.type.scalar, size)
    pieces = -(-total // size)
    arguments = [padded(w.b, a, pieces * size) for a in arguments]
    if masked or pieces * size != total:
        arguments = [w.b.emit("freeze", a.type, [a]) for a in arguments]
    signature = FunctionType(result, tuple(VectorType(a.type.scalar, size) for a in arguments))
    function = w.module.declare(form.name, signature, callee.suffix)
    calls = [
        _called(w, i, function, [part(w.b, a, k * size, size) for a in arguments]) for k in range(pieces)
    ]
    w.define_vector(i, part(w.b, joined(w.b, calls), 0, total))


def _called(w: "Widener", i: Instruction, function: Function, operands: list[Value]) -> Instruction:
    call = w.b.call(function, operands, i.name)
    call.flags = i.flags
    if i.attributes.get("suffix"):
        call.attributes["suffix"] = i.attributes["suffix"]
    return call
