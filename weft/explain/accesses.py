"""The memory accesses of a recorded kernel: what each touches, and how work-items' addresses differ."""

import re
from collections.abc import Callable, Iterator

from weft.analysis.shape import Strides
from weft.analysis.shapes import Shapes
from weft.analysis.work_items import is_barrier, work_item_function
from weft.functions import readable
from weft.ir import Instruction, Value
from weft.ir.debug import Location
from weft.ir.types import LABEL, VOID, Type, VectorType, store_size_of
from weft.target import Target

from .consecutive import Prepared, quick_words
from .naming import EXCHANGE, Naming, type_name
from .recorder import Recorder
from .regions import Regions
from .report import Access

# vloadN(offset, p) and vstoreN(data, offset, p): where the offset is, and N.
_VECTOR_MEMORY = re.compile(r"^(vload|vstore)a?(?:_half)?(\d*)")
_ELEMENT_SIZES = {"c": 1, "h": 1, "s": 2, "t": 2, "Dh": 2, "i": 4, "j": 4, "f": 4, "l": 8, "m": 8, "d": 8}
_POINTEE = re.compile(r"K?(Dh|[a-z])$")
# Operations that strides do not survive, as the source spells them.
_OPERATORS = {
    "udiv": "/", "sdiv": "/", "urem": "%", "srem": "%", "and": "&", "or": "|", "xor": "^", "shl": "<<",
    "lshr": ">>", "ashr": ">>", "call": "a function", "icmp": "a comparison", "fptosi": "a conversion",
    "fptoui": "a conversion",
}  # fmt: skip


def explain_accesses(
    record: Recorder, naming: Naming, regions: Regions, target: Target
) -> list[tuple[Instruction, Access]]:
    """All accesses in the order of the source, with the instructions that make them."""
    proved = quick_words(Prepared(record.function, record.shapes, naming), target.lanes(32))
    found = [
        (instruction, access)
        for instruction in record.function.instructions()
        for access in _accesses(instruction, record, naming, regions, proved)
    ]
    return sorted(found, key=lambda pair: _position(pair[1]))


def _position(access: Access) -> tuple[str, int, int]:
    place = access.place
    return (place.file, place.line, place.column) if place is not None else ("\uffff", 0, 0)


def _accesses(
    instruction: Instruction,
    record: Recorder,
    naming: Naming,
    regions: Regions,
    proved: Callable[[Instruction], str],
) -> Iterator[Access]:
    for kind, pointer, type, size, strides in _touched(instruction, record.shapes):
        space, name = naming.memory(pointer)
        if name == EXCHANGE:
            continue
        shape, detail = verdict(strides, size) if strides is not None else ("varying", "")
        if shape == "varying":
            detail = _why_varying(pointer, record.shapes, naming)
        yield Access(
            place=_place(instruction, pointer, naming),
            kind=kind,
            type=type_name(type) if type is not VOID else "",
            bytes=size,
            space=space,
            object=name,
            shape=shape,
            detail=detail,
            proved=proved(instruction) if shape == "varying" and kind in ("load", "store") else "",
            regions=regions.of(instruction),
        )


def _touched(
    instruction: Instruction, shapes: Shapes
) -> Iterator[tuple[str, Value, Type, int, Strides | None]]:
    """Kind, pointer, type, bytes and strides of what an instruction reads or writes."""
    operands = instruction.operands
    match instruction.opcode:
        case "load":
            type = instruction.type
            yield "load", operands[0], type, store_size_of(type), _strides(operands[0], shapes)
        case "store":
            type = operands[0].type
            yield "store", operands[1], type, store_size_of(type), _strides(operands[1], shapes)
        case "atomicrmw" | "cmpxchg":
            type = operands[1].type
            yield "atomic", operands[0], type, store_size_of(type), _strides(operands[0], shapes)
        case "call" if not is_barrier(instruction) and work_item_function(instruction) is None:
            callee = instruction.callee.name or ""
            if callee.startswith(("llvm.lifetime", "llvm.experimental", "llvm.assume", "llvm.dbg")):
                return
            if callee.startswith(("llvm.memcpy", "llvm.memmove")):
                yield "copy to", operands[0], VOID, 0, _strides(operands[0], shapes)
                yield "copy from", operands[1], VOID, 0, _strides(operands[1], shapes)
            elif callee.startswith("llvm.memset"):
                yield "fill", operands[0], VOID, 0, _strides(operands[0], shapes)
            else:
                name = readable(callee)
                for pointer in instruction.arguments:
                    if pointer.type.is_pointer:
                        type, size, strides = _by_builtin(name, callee, instruction, pointer, shapes)
                        yield name, pointer, type, size, strides


def _by_builtin(
    name: str, symbol: str, call: Instruction, pointer: Value, shapes: Shapes
) -> tuple[Type, int, Strides | None]:
    """Type, bytes and strides of what a built-in function does with a pointer."""
    matched = _VECTOR_MEMORY.match(name)
    if matched is None:
        type = call.type if name.startswith(("atomic", "atom_")) else VOID
        return type, store_size_of(type) if type is not VOID else 0, _strides(pointer, shapes)
    value = call.arguments[0] if matched[1] == "vstore" else call
    type = value.type
    count = type.count if isinstance(type, VectorType) else 1
    letter = _POINTEE.search(symbol)
    element = _ELEMENT_SIZES.get(letter[1], 0) if letter else 0
    offset = _strides(call.arguments[1 if matched[1] == "vstore" else 0], shapes)
    # vloada_half3 keeps its vectors four elements apart.
    apart = element * (4 if count == 3 and "a_half" in name else count)
    start = _strides(pointer, shapes)
    sx, sy, sz = (
        None if s is None or o is None or not element else s + o * apart
        for s, o in zip(start, offset, strict=True)
    )
    return type, element * count, (sx, sy, sz)


def _strides(value: Value, shapes: Shapes) -> Strides:
    """How much an address or index changes with the local id in each dimension; None: in any way.

    In private memory, of which each work-item has its own, places are compared and not addresses.
    """
    private = shapes.private_offset(value)
    return (private[1] if private is not None else shapes.of(value)).strides


def _is_private(value: Value) -> bool:
    return isinstance(value, Instruction) and value.opcode == "alloca"


def _why_varying(pointer: Value, shapes: Shapes, naming: Naming) -> str:
    """What hides from the analysis how an address differs between neighbours along x."""
    seen: set[Value] = {pointer}
    work = [pointer]
    for value in work:  # grows: what is nearest first
        if not isinstance(value, Instruction) or shapes.of(value).strides[0] is not None:
            continue
        if value.opcode in ("load", "atomicrmw", "cmpxchg"):
            name = naming.memory(value.operands[0])[1]
            return f"by a value read from {name}" if name else "by a value read from memory"
        # Of private memory each work-item has its own: places in it differ by their indices only.
        operands = [o for o in value.operands if o.type is not LABEL and not _is_private(o)]
        known = [shapes.of(o).strides[0] for o in operands]
        if None not in known:  # so it is this instruction that loses what is known of its operands
            if value.opcode in ("zext", "sext"):
                bits = getattr(operands[0].type, "bits", 32)
                return f"its {bits}-bit index may wrap around"
            if value.opcode == "phi" or (value.opcode == "select" and known[0] == 0):
                return "by the way taken"
            if value.opcode == "mul":
                return "its stride is known only at run time"
            return f"through {_OPERATORS.get(value.opcode, value.opcode)}"
        if value.opcode == "select" and known[0] is None:
            return "chosen by a condition that differs"
        work += [o for o in operands if o not in seen]
        seen.update(operands)
    # What is left are cycles: a counter of a loop that work-items repeat differently often.
    return "by the way taken" if any(isinstance(v, Instruction) and v.opcode == "phi" for v in seen) else ""


def _place(instruction: Instruction, pointer: Value, naming: Naming) -> Location | None:
    """Where an access stands: at the expression of its address, if that is on the same line."""
    place = naming.place(instruction)
    if isinstance(pointer, Instruction) and pointer.opcode == "getelementptr":
        address = naming.place(pointer)
        if address is not None and (place is None or _same_line(address, place)):
            return address
    return place


def _same_line(one: Location, two: Location) -> bool:
    return (one.line, one.file, one.caller) == (two.line, two.file, two.caller)


def verdict(strides: Strides, size: int) -> tuple[str, str]:
    """The word for the shape of an address along x, where SIMD lanes lie, and what happens along y and z."""
    along_x, *others = strides
    rest = [_along(axis, stride) for axis, stride in zip("yz", others, strict=True) if stride != 0]
    if along_x is None:
        return "varying", "" if len(rest) == 0 or others == [None, None] else "; ".join(rest)
    if along_x == 0:
        return ("uniform", "") if not rest else ("uniform in x", "; ".join(rest))
    if along_x == size:
        return "consecutive", "; ".join(rest)
    word = f"strided {along_x // size}" if size and along_x % size == 0 else f"strided {along_x} B"
    return word, "; ".join(rest)


def _along(axis: str, stride: int | None) -> str:
    return f"{axis} varying" if stride is None else f"{axis} strided {stride} B"
