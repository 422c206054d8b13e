"""Replace unsupported operations by functions that emulate them (`soft.cl`).

    %q = udiv i64 %a, %b        %q = call i64 @weft_soft_udiv64(i64 %a, i64 %b)
    %s = fadd double %x, %y     %t = call i64 @weft_soft_add64(i64 …, i64 …)     ; on their bits

These are 64-bit integer division and conversion, double arithmetic including minima and maxima, fused
multiply-add, and rounding to integers. Vectors are scalarized. LLVM's optimizer runs again and inlines the
functions.

Runs after LLVM's optimizer, which has already replaced some of these operations.
"""

from functools import cache
from pathlib import Path

from weft.codegen.cache import default_cache, digest
from weft.codegen.optimise import bitcode
from weft.frontend.compile import compile_source
from weft.frontend.options import parse_options
from weft.frontend.source_key import header_key
from weft.ir import Function, Instruction, Value
from weft.ir.builder import Builder
from weft.ir.types import I1, I32, I64, FloatType, FunctionType, IntType, Type, VectorType
from weft.ir.values import Poison, const_int
from weft.target import Target

SOURCE = Path(__file__).with_name("soft.cl")
_FLOAT = FloatType("float")
_DOUBLE = FloatType("double")
_ARITHMETIC = {"fadd": "add64", "fsub": "sub64", "fmul": "mul64", "fdiv": "div64"}
# Comparisons of doubles: the function, whether to swap the operands, whether to negate the result.
_COMPARISONS = {
    "oeq": ("eq64", False, False), "une": ("eq64", False, True), "olt": ("lt64", False, False),
    "uge": ("lt64", False, True), "ogt": ("lt64", True, False), "ule": ("lt64", True, True),
    "ole": ("le64", False, False), "ugt": ("le64", False, True), "oge": ("le64", True, False),
    "ult": ("le64", True, True), "ord": ("ord64", False, False), "uno": ("ord64", False, True),
}  # fmt: skip
_ROUNDING = {
    "trunc": "trunc", "floor": "floor", "ceil": "ceil", "round": "round", "rint": "rint",
    "nearbyint": "rint", "roundeven": "rint",
}  # fmt: skip


@cache
def soft_library(target: Target) -> bytes:
    """Return the emulation functions as LLVM bitcode; all have the attribute alwaysinline."""
    source, store = SOURCE.read_text(), default_cache()
    key = digest("tta soft functions", source, header_key(), target.data_layout)
    library = store.get(key)
    if library is None:
        library = bitcode(compile_source(source, parse_options(""), target).ir, always_inline=True)
        store.put(key, library)
    return library


def soften(function: Function) -> int:
    """Replace operations that no machine has units for; return their number."""
    candidates = [instruction for instruction in function.instructions() if _is_soft(instruction)]
    for instruction in candidates:
        _replace(instruction)
    return len(candidates)


def _intrinsic(i: Instruction) -> str:
    callee = i.called_function if i.opcode == "call" else None
    name = (callee.name or "") if callee is not None else ""
    return name.removeprefix("llvm.").split(".")[0] if name.startswith("llvm.") else ""


def _is_soft(i: Instruction) -> bool:
    scalar = i.type.scalar
    first = i.operands[0].type.scalar if i.operands else scalar
    match i.opcode:
        case "udiv" | "urem" | "sdiv" | "srem":
            return isinstance(scalar, IntType) and 32 < scalar.bits <= 64
        case "fadd" | "fsub" | "fmul" | "fdiv":
            return scalar is _DOUBLE
        case "fcmp":
            return first is _DOUBLE
        case "fpext" | "fptrunc":
            return {scalar, first} == {_DOUBLE, _FLOAT}
        case "sitofp" | "uitofp" | "fptosi" | "fptoui":
            whole, number = (first, scalar) if i.opcode.endswith("tofp") else (scalar, first)
            assert isinstance(whole, IntType)
            return whole.bits <= 64 and (number is _DOUBLE or (number is _FLOAT and whole.bits > 32))
        case "call":
            name = _intrinsic(i)
            if name in _ROUNDING:
                return scalar in (_FLOAT, _DOUBLE)
            if name in ("minnum", "maxnum"):
                return scalar is _DOUBLE
            return (name, scalar) in (("fma", _FLOAT), ("fmuladd", _DOUBLE), ("sqrt", _DOUBLE))
    return False


def _replace(i: Instruction) -> None:
    """Replace an instruction by calls, one for each element of a vector."""
    operands = list(i.arguments if i.opcode == "call" else i.operands)
    build = Builder(i.parent, i)
    if not isinstance(i.type, VectorType):
        result = _element(i, build, operands)
    else:
        result = Poison(i.type)
        for n in range(i.type.count):
            at = const_int(I32, n)
            parts = [
                build.emit("extractelement", x.type.element, [x, at]) if isinstance(x.type, VectorType) else x
                for x in operands
            ]
            result = build.emit("insertelement", i.type, [result, _element(i, build, parts), at])
    i.replace_all_uses_with(result)
    i.erase()


def _element(i: Instruction, build: Builder, operands: list[Value]) -> Value:
    """Return the result of an instruction for scalar operands."""
    to = i.type.scalar
    kind = operands[0].type
    size = 64 if kind is _DOUBLE else 32
    match i.opcode:
        case "udiv" | "urem" | "sdiv" | "srem":
            wide = [build.cast("zext" if i.opcode[0] == "u" else "sext", x, I64) for x in operands]
            return build.cast("trunc", _call(i, build, f"{i.opcode}64", I64, wide), kind)
        case "fadd" | "fsub" | "fmul" | "fdiv":
            return _call(i, build, _ARITHMETIC[i.opcode], to, operands)
        case "fcmp":
            return _compared(i, build, i.attributes["predicate"], operands)
        case "fpext" | "fptrunc":
            return _call(i, build, "widen" if i.opcode == "fpext" else "narrow", to, operands)
        case "sitofp" | "uitofp":
            wide = [build.cast("sext" if i.opcode[0] == "s" else "zext", operands[0], I64)]
            name = f"{'i' if i.opcode[0] == 's' else 'u'}tof{64 if to is _DOUBLE else 32}"
            return _call(i, build, name, to, wide)
        case "fptosi" | "fptoui":
            name = f"fto{'i' if i.opcode[4] == 's' else 'u'}{size}"
            return build.cast("trunc", _call(i, build, name, I64, operands), to)
    name = _intrinsic(i)
    if name == "fmuladd":
        product = _call(i, build, "mul64", to, operands[:2])
        return _call(i, build, "add64", to, [product, operands[2]])
    if name in ("minnum", "maxnum"):
        first, second = operands
        better = _compared(i, build, "olt" if name == "minnum" else "ogt", operands)
        takes_first = build.emit("or", I1, [better, _compared(i, build, "uno", [second, second])])
        return build.select(takes_first, first, second)
    return _call(i, build, f"{_ROUNDING.get(name, name)}{size}", to, operands)


def _compared(i: Instruction, build: Builder, predicate: str, operands: list[Value]) -> Value:
    if predicate in ("true", "false"):
        return const_int(I1, int(predicate == "true"))
    if predicate in ("one", "ueq"):
        less, more = (_compared(i, build, p, operands) for p in ("olt", "ogt"))
        result: Value = build.emit("or", I1, [less, more])
        return result if predicate == "one" else build.emit("xor", I1, [result, const_int(I1, 1)])
    name, swapped, negated = _COMPARISONS[predicate]
    result = _call(i, build, name, I32, list(reversed(operands)) if swapped else operands)
    return build.icmp("eq" if negated else "ne", result, const_int(I32, 0))


def _call(i: Instruction, build: Builder, name: str, result: Type, operands: list[Value]) -> Value:
    """Call a library function; doubles are passed and returned as bits."""
    module = i.parent.parent.module
    assert module is not None
    bits = [build.cast("bitcast", x, I64) if x.type is _DOUBLE else x for x in operands]
    returned = I64 if result is _DOUBLE else result
    callee = module.declare(f"weft_soft_{name}", FunctionType(returned, tuple(x.type for x in bits)))
    call = build.call(callee, bits)
    return build.cast("bitcast", call, result)
