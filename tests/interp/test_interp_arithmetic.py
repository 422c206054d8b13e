"""Every arithmetic instruction, at every width, does what the processor does."""

import zlib

import numpy as np
import pytest
from interp_support import DTYPES, assert_same, both, edge_floats, edge_integers

from weft import ir
from weft.interp import run_function

INTEGERS = ("i8", "i16", "i32", "i64")
FLOATS = ("half", "float", "double")
COUNT = 120

LOOP = """
{declarations}
define void @f({parameters}ptr %out, i64 %n) {{
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
{loads}
{body}
  %po = getelementptr {result}, ptr %out, i64 %i
  store {result} %r, ptr %po, align 1
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}}
"""


def loop(operands: list[str], result: str, body: str, declarations: str = "") -> str:
    """@f, which computes %r from %a, %b … for n elements of arrays."""
    names = "abc"[: len(operands)]
    loads = "\n".join(
        f"  %p{n} = getelementptr {t}, ptr %in{n}, i64 %i\n  %{n} = load {t}, ptr %p{n}, align 1"
        for n, t in zip(names, operands, strict=True)
    )
    parameters = "".join(f"ptr %in{n}, " for n in names)
    return LOOP.format(
        parameters=parameters, loads=loads, body="  " + body, result=result, declarations=declarations
    )


def values(type: str, seed: str, count: int = COUNT) -> np.ndarray:
    rng = np.random.default_rng(zlib.crc32(seed.encode()))
    return edge_floats(type, rng, count) if type in FLOATS else edge_integers(int(type[1:]), rng, count)


def check(
    operands: list[str], result: str, body: str, inputs: list[np.ndarray], declarations: str = ""
) -> None:
    output = np.zeros(len(inputs[0]), DTYPES[result])
    assert_same(*both(loop(operands, result, body, declarations), inputs, output, len(output)))


@pytest.mark.parametrize("type", INTEGERS)
@pytest.mark.parametrize(
    "opcode",
    [
        *("add", "sub", "mul", "and", "or", "xor", "shl", "lshr", "ashr", "or disjoint"),
        *("add nsw", "add nuw", "sub nsw", "sub nuw nsw", "mul nsw", "mul nuw"),
        *("shl nsw", "shl nuw", "lshr exact", "ashr exact"),
    ],
)
def test_integer_operations(opcode: str, type: str) -> None:
    check(
        [type, type],
        type,
        f"%r = {opcode} {type} %a, %b",
        [values(type, opcode + "a"), values(type, opcode + "b")],
    )


@pytest.mark.parametrize("type", INTEGERS)
@pytest.mark.parametrize("opcode", ["udiv", "sdiv", "urem", "srem", "udiv exact", "sdiv exact"])
def test_integer_divisions(opcode: str, type: str) -> None:
    # The processor stops the process where the interpreter raises, so such operands are left out.
    a, b = values(type, opcode + "a", 300), values(type, opcode + "b", 300)
    least = a.dtype.type(1 << (8 * a.itemsize - 1))
    fine = (b != 0) & ~((a == least) & (b == ~b.dtype.type(0)))
    check([type, type], type, f"%r = {opcode} {type} %a, %b", [a[fine], b[fine]])


@pytest.mark.parametrize("type", INTEGERS)
@pytest.mark.parametrize("predicate", ["eq", "ne", "ugt", "uge", "ult", "ule", "sgt", "sge", "slt", "sle"])
def test_integer_comparisons(predicate: str, type: str) -> None:
    body = f"%c = icmp {predicate} {type} %a, %b\n  %r = zext i1 %c to i8"
    a, b = values(type, predicate + "a"), values(type, predicate + "b")
    b[::5] = a[::5]
    check([type, type], "i8", body, [a, b])


@pytest.mark.parametrize("source", INTEGERS)
@pytest.mark.parametrize("target", INTEGERS)
def test_integer_casts(source: str, target: str) -> None:
    for opcode in ["trunc"] if int(source[1:]) > int(target[1:]) else ["zext", "sext"]:
        if source != target:
            check(
                [source], target, f"%r = {opcode} {source} %a to {target}", [values(source, opcode + target)]
            )


@pytest.mark.parametrize("type", FLOATS)
@pytest.mark.parametrize("opcode", ["fadd", "fsub", "fmul", "fdiv", "frem"])
def test_float_operations(opcode: str, type: str) -> None:
    a, b = values(type, opcode + "a", 400), values(type, opcode + "b", 400)
    check([type, type], type, f"%r = {opcode} {type} %a, %b", [a, b])


@pytest.mark.parametrize("type", FLOATS)
def test_negation_flips_the_sign_of_everything(type: str) -> None:
    a = values(type, "fneg")
    output = np.zeros(len(a), DTYPES[type])
    found, _, _ = both(loop([type], type, f"%r = fneg {type} %a"), [a], output, len(a))
    bits = a.view(f"u{a.itemsize}")
    assert (found.view(bits.dtype) == bits ^ bits.dtype.type(1 << (8 * a.itemsize - 1))).all()


@pytest.mark.parametrize("type", FLOATS)
@pytest.mark.parametrize(
    "predicate",
    [
        "false",
        "oeq",
        "ogt",
        "oge",
        "olt",
        "ole",
        "one",
        "ord",
        "ueq",
        "ugt",
        "uge",
        "ult",
        "ule",
        "une",
        "uno",
        "true",
    ],
)
def test_float_comparisons(predicate: str, type: str) -> None:
    body = f"%c = fcmp {predicate} {type} %a, %b\n  %r = zext i1 %c to i8"
    a, b = values(type, predicate + "a"), values(type, predicate + "b")
    b[::5] = a[::5]
    check([type, type], "i8", body, [a, b])


@pytest.mark.parametrize("integer", INTEGERS)
@pytest.mark.parametrize("kind", FLOATS)
def test_conversions_between_integers_and_floats(kind: str, integer: str) -> None:
    numbers = values(integer, kind, 300)
    for opcode in ("sitofp", "uitofp"):
        # LLVM converts i64 to half through float, which rounds twice; the interpreter rounds once.
        if (integer, kind) != ("i64", "half"):
            check([integer], kind, f"%r = {opcode} {integer} %a to {kind}", [numbers])
    floats = values(kind, integer, 300)
    for opcode in ("fptosi", "fptoui"):
        check([kind], integer, f"%r = {opcode} {kind} %a to {integer}", [floats])


@pytest.mark.parametrize("source", FLOATS)
@pytest.mark.parametrize("target", FLOATS)
def test_conversions_between_float_formats(source: str, target: str) -> None:
    narrower = FLOATS.index(source) > FLOATS.index(target)
    opcode = "fptrunc" if narrower else "fpext"
    if source != target:
        check([source], target, f"%r = {opcode} {source} %a to {target}", [values(source, target, 500)])


@pytest.mark.parametrize(("kind", "integer"), [("half", "i16"), ("float", "i32"), ("double", "i64")])
def test_bitcasts_keep_every_bit(kind: str, integer: str) -> None:
    bits = values(integer, kind, 500)
    there_and_back = f"%f = bitcast {integer} %a to {kind}\n  %r = bitcast {kind} %f to {integer}"
    check([integer], integer, there_and_back, [bits])


@pytest.mark.parametrize("type", ["float", "double"])
def test_fused_multiply_add(type: str) -> None:
    a, b, c = (values(type, name, 600) for name in "abc")
    # Sums that nearly cancel need the one rounding most.
    with np.errstate(all="ignore"):
        c[::3] = -(a[::3] * b[::3])
    body = f"%r = call {type} @llvm.fma.{_suffix(type)}({type} %a, {type} %b, {type} %c)"
    check(
        [type] * 3, type, body, [a, b, c], f"declare {type} @llvm.fma.{_suffix(type)}({type}, {type}, {type})"
    )


def _suffix(type: str) -> str:
    return {"half": "f16", "float": "f32", "double": "f64"}.get(type, type)


def check_intrinsic(
    name: str, type: str, arity: int, immediates: str = "", result: str | None = None
) -> None:
    result = result or type
    suffix = f"{_suffix(result)}.{_suffix(type)}" if name.endswith(("si.sat", "ui.sat")) else _suffix(type)
    operands = ", ".join(f"{type} %{n}" for n in "abc"[:arity]) + "".join(
        f", {i}" for i in immediates.split(",") if i
    )
    types = ", ".join([type] * arity + [i.split()[0] for i in immediates.split(",") if i])
    callee = f"{result} @llvm.{name}.{suffix}"
    inputs = [values(type, name + n, 200) for n in "abc"[:arity]]
    check([type] * arity, result, f"%r = call {callee}({operands})", inputs, f"declare {callee}({types})")


@pytest.mark.parametrize("type", INTEGERS)
def test_integer_intrinsics(type: str) -> None:
    for name in ("ctpop", "bitreverse"):
        check_intrinsic(name, type, 1)
    for name in ("ctlz", "cttz", "abs"):
        check_intrinsic(name, type, 1, "i1 false")
        check_intrinsic(name, type, 1, "i1 true")
    if type != "i8":
        check_intrinsic("bswap", type, 1)
    for name in [
        "umin",
        "umax",
        "smin",
        "smax",
        "uadd.sat",
        "sadd.sat",
        "usub.sat",
        "ssub.sat",
        "ushl.sat",
        "sshl.sat",
    ]:
        check_intrinsic(name, type, 2)
    for name in ("fshl", "fshr"):
        check_intrinsic(name, type, 3)


@pytest.mark.parametrize("type", INTEGERS)
@pytest.mark.parametrize("name", ["sadd", "uadd", "ssub", "usub", "smul", "umul"])
def test_arithmetic_with_overflow(name: str, type: str) -> None:
    callee = f"{{ {type}, i1 }} @llvm.{name}.with.overflow.{type}"
    body = f"""%s = call {callee}({type} %a, {type} %b)
  %v = extractvalue {{ {type}, i1 }} %s, 0
  %o = extractvalue {{ {type}, i1 }} %s, 1
  %w = zext i1 %o to {type}
  %r = xor {type} %v, %w"""
    check([type] * 2, type, body, [values(type, name + n) for n in "ab"], f"declare {callee}({type}, {type})")


@pytest.mark.parametrize("type", FLOATS)
def test_float_intrinsics(type: str) -> None:
    for name in ["fabs", "sqrt", "floor", "ceil", "trunc", "rint", "nearbyint", "round", "roundeven"]:
        check_intrinsic(name, type, 1)
    for name in ("copysign", "minimum", "maximum"):
        check_intrinsic(name, type, 2)
    for test in (3, 0x30, 0x198, 0x264):
        body = (
            f"%c = call i1 @llvm.is.fpclass.{_suffix(type)}({type} %a, i32 {test})\n  %r = zext i1 %c to i8"
        )
        check(
            [type],
            "i8",
            body,
            [values(type, "class")],
            f"declare i1 @llvm.is.fpclass.{_suffix(type)}({type}, i32)",
        )
    for result in INTEGERS:
        check_intrinsic("fptosi.sat", type, 1, result=result)
        check_intrinsic("fptoui.sat", type, 1, result=result)


@pytest.mark.parametrize("type", ["float", "double"])
def test_minimum_and_maximum_of_numbers(type: str) -> None:
    for name in ("minnum", "maxnum"):
        a, b = values(type, name + "a"), values(type, name + "b")
        # Which of two zeros or how a signaling NaN is taken is left open.
        open_case = ((a == 0) & (b == 0)) | np.isnan(a) | np.isnan(b)
        a[open_case], b[open_case] = 2.0, np.nan
        callee = f"{type} @llvm.{name}.{_suffix(type)}"
        check(
            [type] * 2,
            type,
            f"%r = call {callee}({type} %a, {type} %b)",
            [a, b],
            f"declare {callee}({type}, {type})",
        )


@pytest.mark.parametrize("type", ["float", "double"])
def test_library_intrinsics_agree_with_the_c_library(type: str) -> None:
    # In double they are the same functions; in float the interpreter's are at least as exact.
    for name in ["exp", "exp2", "log", "log2", "log10", "sin", "cos", "pow", "ldexp"]:
        second = {"pow": type, "ldexp": "i32"}.get(name)
        x = values(type, name, 200)
        operands = [type] + ([second] if second else [])
        inputs = [x] + ([values(second, name + "b", 200)] if second else [])
        suffix = _suffix(type) + (".i32" if name == "ldexp" else "")
        callee = f"{type} @llvm.{name}.{suffix}"
        text = loop(
            operands,
            type,
            f"%r = call {callee}({', '.join(f'{t} %{n}' for t, n in zip(operands, 'ab', strict=False))})",
            f"declare {callee}({', '.join(operands)})",
        )
        found, expected, _ = both(text, inputs, np.zeros(len(x), x.dtype), len(x))
        np.testing.assert_array_equal(np.isnan(found), np.isnan(expected), err_msg=name)
        finite = np.isfinite(expected)
        np.testing.assert_array_equal(found[~finite], expected[~finite], err_msg=name)
        np.testing.assert_array_max_ulp(found[finite], expected[finite], 0 if name == "ldexp" else 2)


VECTORS = {
    "arithmetic": "%s = mul <4 x i32> %a, %b\n  %r = sub <4 x i32> %s, <i32 1, i32 2, i32 -3, i32 4>",
    "shuffle": "%r = shufflevector <4 x i32> %a, <4 x i32> %b, <4 x i32> <i32 7, i32 0, i32 2, i32 5>",
    "insert": "%e = extractelement <4 x i32> %b, i32 2\n  %r = insertelement <4 x i32> %a, i32 %e, i64 1",
    "select": "%c = icmp slt <4 x i32> %a, %b\n  %r = select <4 x i1> %c, <4 x i32> %a, <4 x i32> %b",
    "bitcast to wider lanes": "%w = bitcast <4 x i32> %a to <2 x i64>\n"
    "  %x = mul <2 x i64> %w, <i64 3, i64 5>\n  %r = bitcast <2 x i64> %x to <4 x i32>",
    "bitcast to narrower lanes": "%w = bitcast <4 x i32> %a to <16 x i8>\n"
    "  %x = add <16 x i8> %w, splat (i8 200)\n  %r = bitcast <16 x i8> %x to <4 x i32>",
    "bits of a mask": "%c = icmp ult <4 x i32> %a, %b\n  %m = bitcast <4 x i1> %c to i4\n"
    "  %z = zext i4 %m to i32\n  %r = insertelement <4 x i32> %b, i32 %z, i32 0",
    "reduction": "%s = call i32 @llvm.vector.reduce.add.v4i32(<4 x i32> %a)\n"
    "  %t = call i32 @llvm.vector.reduce.smax.v4i32(<4 x i32> %b)\n  %u = xor i32 %s, %t\n"
    "  %r = insertelement <4 x i32> %a, i32 %u, i32 3",
    "floats": "%x = sitofp <4 x i32> %a to <4 x float>\n  %y = sitofp <4 x i32> %b to <4 x float>\n"
    "  %z = fmul <4 x float> %x, %y\n  %r = bitcast <4 x float> %z to <4 x i32>",
    "saturation": "%r = call <4 x i32> @llvm.sadd.sat.v4i32(<4 x i32> %a, <4 x i32> %b)",
}
DECLARED = """declare i32 @llvm.vector.reduce.add.v4i32(<4 x i32>)
declare i32 @llvm.vector.reduce.smax.v4i32(<4 x i32>)
declare <4 x i32> @llvm.sadd.sat.v4i32(<4 x i32>, <4 x i32>)
"""


@pytest.mark.parametrize("name", VECTORS)
def test_vectors(name: str) -> None:
    a, b = values("i32", name + "a"), values("i32", name + "b")
    output = np.zeros(COUNT, "u4")
    text = loop(["<4 x i32>"] * 2, "<4 x i32>", VECTORS[name], DECLARED)
    assert_same(*both(text, [a, b], output, COUNT // 4))


def test_a_permutation_counts_the_last_bits_of_each_index() -> None:
    table = np.arange(8, dtype=np.float64) + 0.5
    index = np.array([0, 7, 8, -1, 13, 2**40 + 3, -6, 1], np.int64)
    text = """
declare <8 x double> @llvm.x86.avx512.permvar.df.512(<8 x double>, <8 x i64>)
define void @f(ptr %table, ptr %index, ptr %out) {
  %t = load <8 x double>, ptr %table, align 8
  %i = load <8 x i64>, ptr %index, align 8
  %r = call <8 x double> @llvm.x86.avx512.permvar.df.512(<8 x double> %t, <8 x i64> %i)
  store <8 x double> %r, ptr %out, align 8
  ret void
}
"""
    out = np.zeros(8)
    run_function(ir.parse(text), "f", [table, index, out])
    np.testing.assert_array_equal(out, table[index % 8])
