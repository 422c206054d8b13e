"""One instruction of a work-item becomes one instruction for W work-items.

Uniform and linear values (see `analysis/lanes.py`) stay scalars: those of the first lane. Varying ones
become vectors. Memory accesses follow the shape of their address: uniform ones stay scalar, consecutive ones
are vector loads and stores, all others gathers and scatters; under a mask the masked forms.
"""

from collections.abc import Callable

from weft.analysis.lanes import Lanes
from weft.analysis.memory_effects import has_no_effects
from weft.ir import Block, ConstantFloat, ConstantInt, Function, Instruction, Module, Value
from weft.ir.builder import Builder
from weft.ir.clone import clone_instruction
from weft.ir.opcodes import BINARY, CASTS
from weft.ir.types import (
    I1,
    I32,
    I64,
    VOID,
    FloatType,
    FunctionType,
    IntType,
    PointerType,
    Type,
    VectorType,
    size_of,
)
from weft.ir.values import ConstantAggregate, ConstantZero, Poison, Undef, const_int

VectorForm = Callable[[str, int], str | None]

# Intrinsics that work lane by lane, with the operands that must stay immediate.
_LANEWISE: dict[str, tuple[int, ...]] = {
    **dict.fromkeys(
        ("fmuladd", "fma", "fabs", "sqrt", "floor", "ceil", "trunc", "rint", "nearbyint", "round",
         "roundeven", "minnum", "maxnum", "minimum", "maximum", "minimumnum", "maximumnum", "copysign",
         "canonicalize",
         "ctpop", "bswap", "bitreverse", "umin", "umax", "smin", "smax", "uadd.sat", "sadd.sat", "usub.sat",
         "ssub.sat", "fshl", "fshr"),
        (),
    ),
    "ctlz": (1,), "cttz": (1,), "abs": (1,),
}  # fmt: skip
_DROPPED = ("llvm.lifetime.", "llvm.experimental.noalias.scope.decl", "llvm.assume", "llvm.dbg.")
_KEPT_METADATA = ("tbaa", "tbaa.struct", "nontemporal", "fpmath", "invariant.load")
_DIVISIONS = ("udiv", "sdiv", "urem", "srem")


class CannotVectorize(Exception):
    """A loop holds something that has no vector form yet; the message says what."""


class Widener:
    """Emits the vector form of a loop's instructions at a builder's place."""

    def __init__(self, module: Module, lanes: Lanes, width: int, vector_form: VectorForm) -> None:
        self.module, self.lanes, self.width, self.vector_form = module, lanes, width, vector_form
        self.scalars: dict[Value, Value] = {}
        self.vectors: dict[Value, Value] = {}
        self.b: Builder

    # Values

    def scalar(self, value: Value) -> Value:
        """The value of the first lane, of a value that is not varying."""
        return self.scalars.get(value, value)

    def vector(self, value: Value) -> Value:
        """The value of all lanes."""
        shape = self.lanes.of(value)
        if shape is None:
            return self.vectors[value]
        first = self.splat(self.scalar(value))
        return first if shape.stride == 0 else self._steps(value, first, shape.stride)

    def form(self, value: Value, varying: bool) -> Value:
        """The value as a vector or as the first lane's scalar."""
        return self.vector(value) if varying else self.scalar(value)

    def splat(self, value: Value) -> Value:
        """A scalar in all lanes."""
        type = self.wide(value.type)
        if isinstance(value, ConstantInt | ConstantFloat):
            return ConstantAggregate(type, [value] * self.width)
        if isinstance(value, Undef | Poison | ConstantZero):
            return value.__class__(type)
        one = self.b.emit("insertelement", type, [Poison(type), value, const_int(I32, 0)])
        mask = ConstantZero(VectorType(I32, self.width))
        return self.b.emit("shufflevector", type, [one, Poison(type), mask])

    def _steps(self, value: Value, first: Value, stride: int) -> Value:
        """first + lane * stride."""
        if isinstance(value.type, PointerType):
            offsets = self._progression(IntType(64), stride)
            pointer = self.scalar(value)
            return self.b.emit("getelementptr", first.type, [pointer, offsets], element_type=IntType(8))
        assert isinstance(value.type, IntType)
        return self.b.emit("add", first.type, [first, self._progression(value.type, stride)])

    def _progression(self, type: IntType, stride: int) -> Value:
        return ConstantAggregate(
            VectorType(type, self.width), [const_int(type, stride * k) for k in range(self.width)]
        )

    def wide(self, type: Type) -> VectorType:
        """The type of a varying value."""
        number = isinstance(type, FloatType | IntType) and type.bits in (1, 8, 16, 32, 64)
        if not number and not isinstance(type, PointerType):
            raise CannotVectorize(f"values of type {type} differ between work-items")
        return VectorType(type, self.width)

    # Masks; None stands for all lanes

    def all_lanes(self) -> Value:
        return ConstantAggregate(self.wide(I1), [const_int(I1, 1)] * self.width)

    def no_lanes(self) -> Value:
        return ConstantZero(self.wide(I1))

    def both(self, mask: Value | None, condition: Value) -> Value:
        """Lanes of `mask` for which the condition holds; other lanes' conditions may be poison."""
        if mask is None:
            return condition
        return self.b.select(mask, condition, self.no_lanes())

    def inverse(self, mask: Value) -> Value:
        return self.b.binary("xor", mask, self.all_lanes())

    def either(self, a: Value | None, b: Value | None) -> Value | None:
        return None if a is None or b is None else self.b.binary("or", a, b)

    def any_lane(self, mask: Value) -> Value:
        """Whether some lane is active, as a scalar."""
        bits = IntType(self.width)
        return self.b.icmp("ne", self.b.emit("bitcast", bits, [mask]), const_int(bits, 0))

    # Instructions

    def emit(self, i: Instruction, mask: Value | None) -> None:
        """The vector form of an instruction that is neither a phi nor a terminator."""
        if i.attributes.get("volatile") or i.attributes.get("atomic"):
            raise CannotVectorize("volatile and atomic accesses keep their order")
        if i.opcode in ("load", "store") and "llvm.access.group" not in i.metadata:
            self._check_serial(i, mask)
        match i.opcode:
            case "load":
                self._load(i, mask)
            case "store":
                self._store(i, mask)
            case "call":
                self._call(i)
            case "alloca" | "fence" | "atomicrmw" | "cmpxchg":
                raise CannotVectorize(f"{i.opcode} has no vector form")
            case "sext" | "zext" if self._extends_linear(i):
                self._keep(i, self.b.cast("trunc", self.exact(i.operands[0]), i.type, i.name))
            case _ if not self.lanes.is_varying(i):
                self._keep(i, self._clone_scalar(i))
            case _:
                self.vectors[i] = self._widen(i, mask)

    def _extends_linear(self, i: Instruction) -> bool:
        """Whether an extension is one of signed numbers that differ from lane to lane by a stride."""
        shape = self.lanes.of(i)
        return shape is not None and shape.stride != 0 and (i.opcode == "sext" or "nneg" in i.flags)

    def exact(self, value: Value) -> Value:
        """The first lane's number in 64 bits, reckoned so that it does not wrap even if that lane is idle."""
        b = self.b
        if isinstance(value, ConstantInt):
            return const_int(I64, value.signed)
        if isinstance(value, Instruction) and not self.lanes.is_uniform(value) and value.type is not I64:
            match value.opcode:
                case "add" | "sub" | "mul" | "or":
                    left, right = (self.exact(o) for o in value.operands)
                    # An `or` is disjoint, or it would not be linear.
                    return b.binary("add" if value.opcode == "or" else value.opcode, left, right)
                case "shl":
                    shift = value.operands[1]
                    assert isinstance(shift, ConstantInt)
                    return b.binary("shl", self.exact(value.operands[0]), const_int(I64, shift.value))
                case "sext" | "zext" if self._extends_linear(value):
                    return self.exact(value.operands[0])
                case "trunc" if isinstance(value.operands[0], Instruction):
                    source = value.operands[0]
                    if source.opcode in ("sext", "zext") and source.operands[0].type is value.type:
                        return self.exact(source.operands[0])
        return b.cast("sext", self.scalar(value), I64)

    def _check_serial(self, i: Instruction, mask: Value | None) -> None:
        """Memory that work-items use one after the other must look the same to all lanes."""
        if mask is not None or not all(self.lanes.is_uniform(o) for o in i.operands):
            raise CannotVectorize("work-items share private memory in turn")

    def _keep(self, i: Instruction, new: Value) -> None:
        self.scalars[i] = new

    def _clone_scalar(self, i: Instruction) -> Instruction:
        new = clone_instruction(i, {o: self.scalar(o) for o in i.operands if not isinstance(o, Block)})
        return self._insert(new)

    def _insert(self, new: Instruction) -> Instruction:
        new.metadata = {k: v for k, v in new.metadata.items() if k in _KEPT_METADATA}
        return self.b.insert(new)

    def _widen(self, i: Instruction, mask: Value | None) -> Value:
        type = self.wide(i.type)
        if i.opcode in BINARY or i.opcode in CASTS or i.opcode in ("icmp", "fcmp", "fneg", "freeze"):
            operands = [self.vector(o) for o in i.operands]
            if i.opcode in _DIVISIONS and mask is not None:
                one = self.splat(const_int(i.type, 1))  # lanes that do not divide must not trap
                operands[1] = self.b.select(mask, operands[1], one)
        elif i.opcode == "select":
            condition = i.operands[0]
            operands = [
                self.scalar(condition) if self.lanes.is_uniform(condition) else self.vector(condition),
                *(self.vector(o) for o in i.operands[1:]),
            ]
        elif i.opcode == "getelementptr":
            operands = [self.scalar(o) if self.lanes.is_uniform(o) else self.vector(o) for o in i.operands]
        else:
            raise CannotVectorize(f"{i.opcode} has no vector form")
        flags = i.flags
        new = Instruction(i.opcode, type, operands, i.name, flags, dict(i.attributes), dict(i.metadata))
        return self._insert(new)

    def needs_guard(self, i: Instruction) -> bool:
        """Whether an instruction must not run, or is better not run, when no lane is active."""
        if i.opcode in ("load", "store"):
            pointer = i.operands[-1]
            return not self._consecutive(pointer, (i if i.opcode == "load" else i.operands[0]).type)
        if i.opcode == "call":
            callee = i.called_function
            return callee is None or not (callee.name or "").startswith("llvm.")
        return i.opcode in _DIVISIONS and not self.lanes.is_varying(i)

    # Memory

    def _consecutive(self, pointer: Value, type: Type) -> bool:
        shape = self.lanes.of(pointer)
        return shape is not None and shape.stride == size_of(type) and type is not I1

    def _load(self, i: Instruction, mask: Value | None) -> None:
        pointer = i.operands[0]
        if self.lanes.is_uniform(pointer):
            self._keep(i, self._clone_scalar(i))
            return
        type, align = self.wide(i.type), i.attributes["align"]
        if i.type is I1:
            raise CannotVectorize("a load of i1 has no vector form")
        if self._consecutive(pointer, i.type):
            address = self.scalar(pointer)
            if mask is None:
                new = Instruction("load", type, [address], i.name, (), {"align": align}, dict(i.metadata))
                self.vectors[i] = self._insert(new)
                return
            name = f"llvm.masked.load.{_suffix(type)}.{_suffix(address.type)}"
            operands = [address, mask, Poison(type)]
        else:
            address = self.vector(pointer)
            name = f"llvm.masked.gather.{_suffix(type)}.{_suffix(address.type)}"
            operands = [address, mask or self.all_lanes(), Poison(type)]
        self.vectors[i] = self._intrinsic(name, type, operands, (f"align {align}",), i)

    def _store(self, i: Instruction, mask: Value | None) -> None:
        value, pointer = i.operands
        align = i.attributes["align"]
        if self.lanes.is_uniform(pointer) and self.lanes.is_uniform(value):
            self._clone_scalar(i)
            return
        if value.type is I1:
            raise CannotVectorize("a store of i1 has no vector form")
        wide = self.vector(value)
        if self.lanes.is_uniform(pointer) and mask is None:
            last = self.b.emit("extractelement", value.type, [wide, const_int(I32, self.width - 1)])
            self._insert(Instruction("store", VOID, [last, self.scalar(pointer)], None, (), {"align": align}))
            return
        if self._consecutive(pointer, value.type):
            address = self.scalar(pointer)
            if mask is None:
                attributes = {"align": align}
                self._insert(
                    Instruction("store", VOID, [wide, address], None, (), attributes, dict(i.metadata))
                )
                return
            name = f"llvm.masked.store.{_suffix(wide.type)}.{_suffix(address.type)}"
            operands = [wide, address, mask]
        else:
            address = self.vector(pointer)
            name = f"llvm.masked.scatter.{_suffix(wide.type)}.{_suffix(address.type)}"
            operands = [wide, address, mask or self.all_lanes()]
        self._intrinsic(name, VOID, operands, (f"align {align}",), i, attributed=1)

    def _intrinsic(
        self,
        name: str,
        result: Type,
        operands: list[Value],
        words: tuple[str, ...],
        original: Instruction,
        attributed: int = 0,
    ) -> Instruction:
        function = self._declared(name, FunctionType(result, tuple(o.type for o in operands)))
        call = self.b.call(function, operands, original.name if result is not VOID else None)
        call.attributes["argument_attributes"] = tuple(
            words if index == attributed else () for index in range(len(operands))
        )
        call.metadata = {k: v for k, v in original.metadata.items() if k in _KEPT_METADATA}
        return call

    def _declared(self, name: str, type: FunctionType, suffix: tuple[str, ...] = ()) -> Function:
        found = self.module.globals.get(name)
        if isinstance(found, Function):
            return found
        made = self.module.add_function(name, type)
        made.suffix = suffix
        return made

    # Calls

    def _call(self, i: Instruction) -> None:
        callee = i.called_function
        name = callee.name or "" if callee is not None else ""
        if name.startswith(_DROPPED):
            return
        if callee is None:
            raise CannotVectorize("a call through a pointer has no vector form")
        uniform = all(self.lanes.is_uniform(a) for a in i.arguments)
        intrinsic = name.startswith("llvm.")
        base = name.removeprefix("llvm.").rpartition(".")[0]
        if uniform and (has_no_effects(i) or (intrinsic and base in _LANEWISE)):
            self._keep(i, self._clone_scalar(i))
            return
        if intrinsic:
            if base not in _LANEWISE:
                raise CannotVectorize(f"{name} has no vector form")
            immediate = _LANEWISE[base]
            operands = [a if k in immediate else self.vector(a) for k, a in enumerate(i.arguments)]
            type = self.wide(i.type)
            wide = f"llvm.{base}.{_suffix(type)}"
            function = self._declared(wide, FunctionType(type, tuple(o.type for o in operands)))
        else:
            form = self.vector_form(name, self.width) if has_no_effects(i) else None
            if form is None:
                raise CannotVectorize(f"{name} has no vector form")
            operands = [self.vector(a) for a in i.arguments]
            type = self.wide(i.type)
            signature = FunctionType(type, tuple(o.type for o in operands))
            function = self._declared(form, signature, callee.suffix)
        call = self.b.call(function, operands, i.name)
        call.flags = i.flags
        if i.attributes.get("suffix"):
            call.attributes["suffix"] = i.attributes["suffix"]
        self.vectors[i] = call


def _suffix(type: Type) -> str:
    """How LLVM spells a type in the name of an intrinsic."""
    if isinstance(type, VectorType):
        return f"v{type.count}{_suffix(type.element)}"
    if isinstance(type, PointerType):
        return f"p{type.space}"
    return {"half": "f16", "float": "f32", "double": "f64"}.get(str(type), str(type))
