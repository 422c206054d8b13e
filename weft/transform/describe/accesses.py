"""Describe the memory accesses of a kernel: what each touches, and how work-items' addresses differ.

Each access gets a number, in metadata that its copies in the work-group function keep: a pass's remark about
a copy refers to the access of that number.
"""

from collections.abc import Iterator
from enum import unique

from weft.analysis.consecutive import Prepared, quick_proofs
from weft.analysis.naming import EXCHANGE, Naming, type_name
from weft.analysis.shape import Strides
from weft.analysis.shapes import Shapes
from weft.analysis.work_items import is_barrier, work_item_function
from weft.dataclasses import dataclass
from weft.ir import Function, Instruction, Value
from weft.ir.symbols import readable
from weft.ir.tags import number_accesses
from weft.ir.types import LABEL, VOID, Type, VectorType, store_size_of
from weft.lazy_pattern import lazy_pattern
from weft.remarks import Location, Message, Reason, Remarks

from .regions import Regions

# vloadN(offset, p) and vstoreN(data, offset, p); captures the function and N.
_VECTOR_MEMORY = lazy_pattern(r"^(vload|vstore)a?(?:_half)?(\d*)")
_ELEMENT_SIZES = {"c": 1, "h": 1, "s": 2, "t": 2, "Dh": 2, "i": 4, "j": 4, "f": 4, "l": 8, "m": 8, "d": 8}
_POINTEE = lazy_pattern(r"K?(Dh|[a-z])$")
# Operations that do not preserve strides, as the source spells them.
_OPERATORS = {
    "udiv": "/", "sdiv": "/", "urem": "%", "srem": "%", "and": "&", "or": "|", "xor": "^", "shl": "<<",
    "lshr": ">>", "ashr": ">>", "call": "a function", "icmp": "a comparison", "fptosi": "a conversion",
    "fptoui": "a conversion",
}  # fmt: skip


@unique
class MemoryAccess(Message):
    """An access to memory."""

    ACCESS = "{operation} {space} {object}: {shape}"


@unique
class AccessShape(Message):
    """How the addresses differ between work-items along x, the dimension of SIMD lanes."""

    UNIFORM = "uniform"
    UNIFORM_IN_X = "uniform in x"
    CONSECUTIVE = "consecutive"
    STRIDED = "strided {stride}"
    STRIDED_BYTES = "strided {stride} B"
    VARYING = "varying"


@unique
class WhyVarying(Message):
    """Why the analysis does not know how an address differs between neighbours along x."""

    READ = "by a value read from {memory}"
    INDEX_MAY_WRAP = "its {bits}-bit index may wrap around"
    WAY_TAKEN = "by the path taken"
    STRIDE_UNKNOWN = "its stride is known only at run time"
    OPERATION = "through {operation}"
    DIVERGENT_CHOICE = "selected by a divergent condition"
    MAY_BE_PRIVATE = "it may point to private memory, which differs between work-items"


@dataclass(frozen=True)
class _Touched:
    """What an instruction reads or writes; `strides` are None if they are unknown."""

    operation: str
    pointer: Value
    type: Type
    size: int
    strides: Strides


def describe_accesses(
    function: Function, shapes: Shapes, naming: Naming, regions: Regions, lanes: int, remarks: Remarks
) -> None:
    """Emit a remark for each access; `lanes` is the number of work-items in the prover's queries."""
    module = function.parent
    numbers = number_accesses(function, module)
    proof = quick_proofs(Prepared(function, shapes, naming), lanes)
    for instruction in function.instructions():
        for touched in _touched(instruction, shapes):
            space, name = naming.memory(touched.pointer)
            if name == EXCHANGE:
                continue
            shape = _shape(touched.strides, touched.size)
            varying = shape.message is AccessShape.VARYING
            place = _place(instruction, touched.pointer, naming)
            remarks.anchors.setdefault(("access", numbers[instruction]), place)
            provable = varying and touched.operation in ("load", "store")
            remarks.analysis(
                MemoryAccess.ACCESS,
                place,
                access=numbers[instruction],
                operation=touched.operation,
                type=type_name(touched.type) if touched.type is not VOID else "",
                bytes=touched.size,
                space=space,
                object=name,
                shape=shape,
                strides=touched.strides,
                reason=_why_varying(touched.pointer, shapes, naming) if varying else None,
                proved=proof(instruction) if provable else None,
                regions=regions.of(instruction),
            )


def _touched(instruction: Instruction, shapes: Shapes) -> Iterator[_Touched]:
    operands = instruction.operands
    match instruction.opcode:
        case "load":
            yield _plain("load", operands[0], instruction.type, shapes)
        case "store":
            yield _plain("store", operands[1], operands[0].type, shapes)
        case "atomicrmw" | "cmpxchg":
            yield _plain("atomic", operands[0], operands[1].type, shapes)
        case "call" if not is_barrier(instruction) and work_item_function(instruction) is None:
            callee = instruction.callee.name or ""
            if callee.startswith(("llvm.lifetime", "llvm.experimental", "llvm.assume", "llvm.dbg")):
                return
            if callee.startswith(("llvm.memcpy", "llvm.memmove")):
                yield _plain("copy to", operands[0], VOID, shapes)
                yield _plain("copy from", operands[1], VOID, shapes)
            elif callee.startswith("llvm.memset"):
                yield _plain("fill", operands[0], VOID, shapes)
            else:
                for pointer in instruction.arguments:
                    if pointer.type.is_pointer:
                        yield _by_builtin(readable(callee), callee, instruction, pointer, shapes)


def _plain(operation: str, pointer: Value, type: Type, shapes: Shapes) -> _Touched:
    size = store_size_of(type) if type is not VOID else 0
    return _Touched(operation, pointer, type, size, _strides(pointer, shapes))


def _by_builtin(name: str, symbol: str, call: Instruction, pointer: Value, shapes: Shapes) -> _Touched:
    """Return what a built-in function accesses through a pointer."""
    matched = _VECTOR_MEMORY.match(name)
    if matched is None:
        return _plain(name, pointer, call.type if name.startswith(("atomic", "atom_")) else VOID, shapes)
    value = call.arguments[0] if matched[1] == "vstore" else call
    type = value.type
    count = type.count if isinstance(type, VectorType) else 1
    letter = _POINTEE.search(symbol)
    element = _ELEMENT_SIZES.get(letter[1], 0) if letter else 0
    offset = _strides(call.arguments[1 if matched[1] == "vstore" else 0], shapes)
    # The vectors of vloada_half3 are four elements apart.
    apart = element * (4 if count == 3 and "a_half" in name else count)
    start = _strides(pointer, shapes)
    sx, sy, sz = (
        None if s is None or o is None or not element else s + o * apart
        for s, o in zip(start, offset, strict=True)
    )
    return _Touched(name, pointer, type, element * count, (sx, sy, sz))


def _strides(value: Value, shapes: Shapes) -> Strides:
    """Return the strides of an address or index in the local ids; None if unknown.

    For private memory, of which each work-item has its own, offsets are compared rather than addresses.
    """
    private = shapes.private_offset(value)
    return (private[1] if private is not None else shapes.of(value)).strides


def _is_private(value: Value) -> bool:
    return isinstance(value, Instruction) and value.opcode == "alloca"


def _why_varying(pointer: Value, shapes: Shapes, naming: Naming) -> Reason | None:
    seen: set[Value] = {pointer}
    work = [pointer]
    for value in work:  # grows: breadth first, nearest operands first
        if not isinstance(value, Instruction) or shapes.of(value).strides[0] is not None:
            continue
        if value.opcode in ("load", "atomicrmw", "cmpxchg"):
            return Reason(WhyVarying.READ, memory=naming.memory(value.operands[0])[1] or "memory")
        # Each work-item has its own private memory: offsets in it differ only by their indices.
        operands = [o for o in value.operands if o.type is not LABEL and not _is_private(o)]
        if not operands:
            return Reason(WhyVarying.MAY_BE_PRIVATE)
        known = [shapes.of(o).strides[0] for o in operands]
        if None not in known:  # this instruction loses the known strides of its operands
            return _losing(value, known[0])
        if value.opcode == "select" and known[0] is None:
            return Reason(WhyVarying.DIVERGENT_CHOICE)
        work += [o for o in operands if o not in seen]
        seen.update(operands)
    # Only cycles are left: an induction variable of a loop with a divergent trip count.
    cyclic = any(isinstance(v, Instruction) and v.opcode == "phi" for v in seen)
    return Reason(WhyVarying.WAY_TAKEN) if cyclic else None


def _losing(value: Instruction, first: int | None) -> Reason:
    """Return why the stride of a value is unknown although those of its operands are known."""
    if value.opcode in ("zext", "sext"):
        return Reason(WhyVarying.INDEX_MAY_WRAP, bits=getattr(value.operands[0].type, "bits", 32))
    if value.opcode == "phi" or (value.opcode == "select" and first == 0):
        return Reason(WhyVarying.WAY_TAKEN)
    if value.opcode == "mul":
        return Reason(WhyVarying.STRIDE_UNKNOWN)
    return Reason(WhyVarying.OPERATION, operation=_OPERATORS.get(value.opcode, value.opcode))


def _place(instruction: Instruction, pointer: Value, naming: Naming) -> Location | None:
    """Return the location of an access: that of its address expression, if it is on the same line."""
    place = naming.place(instruction)
    if isinstance(pointer, Instruction) and pointer.opcode == "getelementptr":
        address = naming.place(pointer)
        if address is not None and (place is None or _same_line(address, place)):
            return address
    return place


def _same_line(one: Location, two: Location) -> bool:
    return (one.line, one.file, one.caller) == (two.line, two.file, two.caller)


def _shape(strides: Strides, size: int) -> Reason:
    along_x, *others = strides
    if along_x is None:
        return Reason(AccessShape.VARYING)
    if along_x == 0:
        return Reason(AccessShape.UNIFORM if not any(s != 0 for s in others) else AccessShape.UNIFORM_IN_X)
    if along_x == size:
        return Reason(AccessShape.CONSECUTIVE)
    if size and along_x % size == 0:
        return Reason(AccessShape.STRIDED, stride=along_x // size)
    return Reason(AccessShape.STRIDED_BYTES, stride=along_x)
