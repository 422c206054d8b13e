"""Text that clang seldom writes for kernels: every kind of constant, flag, ordering and attribute."""

import re
from pathlib import Path

import pytest
from ir_llvm import canonical

from weft import ir
from weft.ir.opcodes import ATOMIC_OPERATIONS, FLOAT_PREDICATES, INTEGER_PREDICATES, OPCODES, ORDERINGS
from weft.ir.verifier import verify

_FOLDER = Path(__file__).parent / "text"


def _round_trip(text: str) -> ir.Module:
    """Checks a module's text in every way there is; returns the module."""
    module = ir.parse(text)
    verify(module)
    printed = ir.print_module(module)
    assert canonical(printed) == canonical(text)
    assert ir.print_module(ir.parse(printed)) == printed
    return module


def _lines(name: str) -> list[str]:
    return (_FOLDER / name).read_text().splitlines()


@pytest.mark.parametrize("constant", _lines("floats.txt"))
def test_floating_point_constants_keep_every_bit(constant: str) -> None:
    type = constant.split()[0]
    _round_trip(f"@g = global {constant}\n\ndefine {type} @f() {{\n  ret {constant}\n}}\n")


def test_not_a_number_keeps_sign_and_payload() -> None:
    module = ir.parse("@g = global float 0xFFF8000020000000\n")
    (variable,) = module.variables
    assert isinstance(variable.initializer, ir.ConstantFloat)
    assert variable.initializer.bits == 0xFFC00001


@pytest.mark.parametrize("constant", _lines("constants.txt"))
def test_constants_of_every_kind(constant: str) -> None:
    _round_trip(
        f"""%s = type {{ i32, %t }}
%t = type <{{ i8, i16 }}>

@g = global [64 x i8] zeroinitializer
@"odd name" = external global i32
@x = constant {constant}

define void @f(ptr %p) {{
  store {constant}, ptr %p
  ret void
}}
"""
    )


def test_globals_with_every_decoration() -> None:
    module = _round_trip((_FOLDER / "globals.ll").read_text())
    assert 'with "quotes" and \\' in module.globals


def test_functions_with_every_decoration() -> None:
    module = _round_trip((_FOLDER / "functions.ll").read_text())
    f = module.function("f")
    assert "range(i32 0, 17)" in f.arguments[1].attributes
    assert "initializes((0, 4), (8, 16))" in f.arguments[4].attributes
    assert f.metadata == {"note": "!0", "other": "!{i32 1}"}


@pytest.mark.parametrize("instruction", _lines("instructions.txt"))
def test_instructions_with_every_flag(instruction: str) -> None:
    arguments = "i32 %a, i32 %b, i64 %w, <4 x i32> %v, float %x, float %y, <4 x float> %z, ptr %p"
    _round_trip(
        f"""define void @f({arguments}) {{
  %stack = alloca i32
  {instruction}
  ret void
}}

declare void @llvm.assume(i1)
declare void @llvm.lifetime.start.p0(ptr)
declare i64 @llvm.read_register.i64(metadata)
declare float @llvm.experimental.constrained.fadd.f32(float, float, metadata, metadata)

!0 = !{{}}
!1 = !{{i64 1, i64 100}}
!2 = !{{i32 1}}
!3 = !{{!"rsp"}}
"""
    )


def test_every_flag_predicate_ordering_and_operation_has_its_line() -> None:
    text = "\n".join(_lines("instructions.txt")) + "\n"
    flags = {flag for opcode in OPCODES.values() for flag in opcode.flags}
    words = {*INTEGER_PREDICATES, *FLOAT_PREDICATES, *ORDERINGS, *ATOMIC_OPERATIONS, *flags, *OPCODES}
    beside = {"ret", "br", "switch", "phi", "unreachable"}  # in the test of control flow
    assert {w for w in words if not re.search(rf"(?<= ){w}(?=[ ,\n])|^{w} ", text, re.MULTILINE)} == beside


def test_operand_bundles_hold_operands() -> None:
    module = ir.parse(
        """define void @f(ptr %p, i64 %n) {
  call void @llvm.assume(i1 true) [ "align"(ptr %p, i64 16, i64 %n), "cold"() ]
  ret void
}

declare void @llvm.assume(i1)
"""
    )
    f = module.function("f")
    call = f.entry.instructions[0]
    assert call.arguments == call.operands[:1]
    assert call in f.arguments[0].users and call in f.arguments[1].users
    f.arguments[0].name = "renamed"
    assert '[ "align"(ptr %renamed, i64 16, i64 %n), "cold"() ]' in ir.print_module(module)


def test_control_flow_with_unnamed_and_oddly_named_values() -> None:
    _round_trip(
        """define i32 @f(i32 %0, i1 %"a b", i32 %"7") {
  br i1 %"a b", label %2, label %"x:y"

2:                                                ; preds = %1
  %3 = add i32 %0, %"7"
  switch i32 %0, label %"x:y" [
    i32 0, label %4
    i32 -7, label %4
    i32 9, label %"x:y"
  ]

4:                                                ; preds = %2, %2
  %5 = phi i32 [ %3, %2 ], [ %3, %2 ]
  add i32 %5, 1
  %7 = add i32 %6, 1
  unreachable

"x:y":                                            ; preds = %2, %2, %1
  %p.1 = phi i32 [ 0, %1 ], [ %3, %2 ], [ %3, %2 ]
  %-weird$name. = phi nsz float [ 0.0, %1 ], [ 1.0, %2 ], [ 1.0, %2 ]
  %"plain" = add i32 %p.1, %p.1
  ret i32 %plain
}

define void @empty_switch(i8 %x) {
entry:
  switch i8 %x, label %end [
  ]

end:
  ret void
}
"""
    )


def test_debug_records_are_dropped_and_locations_kept() -> None:
    module = ir.parse(
        """define void @f(i32 %a) !dbg !5 {
    #dbg_value(i32 %a, !6, !DIExpression(), !7)
  ret void, !dbg !7
}

!5 = distinct !DISubprogram(name: "f", spFlags: DISPFlagDefinition)
!6 = !DILocalVariable(name: "a", arg: 1, scope: !5)
!7 = !DILocation(line: 1, scope: !5)
"""
    )
    text = ir.print_module(module)
    assert "#dbg" not in text
    assert "ret void, !dbg !7" in text and "!DILocation(line: 1, scope: !5)" in text


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("%r = frobnicate i32 %a, 1", "unknown instruction 'frobnicate'"),
        ("%r = add i32 %a", "expected ','"),
        ("%r = add i32 %a, 1 2", "expected ','"),
        ("%r = add wrong %a, 1", "expected a type"),
        ("%r = load i32, ptr @missing", "@missing is used but not defined"),
        ("%r = add i32 %a, 1.5", "not a number of type i32"),
        ("%r = fadd float 0xH3C00, 1.0", "not a number of type float"),
        ("%r = add <vscale x 4 x i32> zeroinitializer, zeroinitializer", "scalable vectors"),
        ("%r = add i32 %a, frob (i32 1)", "unknown constant 'frob'"),
        ("indirectbr ptr null, []", "unknown instruction 'indirectbr'"),
        ("%r = extractvalue { i32 } undef, 3", "no member"),
        ("%r = extractvalue i32 %a, 0", "no member"),
        ("%r = shufflevector <2 x i32> undef, <2 x i32> undef, i32 0", "mask"),
        ("%r = getelementptr i32", "pointer"),
        ("%r = phi i32 [ 0, %x", "the end of line"),
        ("%r = add i32 splat (i32 1), 1", "splat"),
        ("%r = alloca inalloca i32", "inalloca"),
        ("%r = load i32, ptr null ~", "'~'"),
        ('call void @f(i32 %a) [ "x"(i32 1)', "end of line"),
        ("%a = add i32 1, 1", "%a is defined twice"),
        ("%r = add i64 %a, 1", "%a is i32, used as i64"),
        ("%r = store i32 1, ptr null", "%r is void"),
        ("%r = getelementptr i32, ptr null, i64", "end of line"),
        ("add i32 %a, 1,", "end of line"),
        ("%r", "expected '='"),
        ("%r = cmpxchg ptr null, i32 1", "expected ','"),
        ("call void @llvm.x(metadata i32 %a)", "metadata"),
        ("br label @f", "block"),
        ("%r = phi i32 [ 0, 3 ]", "block"),
        ("%r = load i32, ptr inttoptr (i64 1 to ptr", "expected ')'"),
        ("fence frob", "ordering"),
        ("%r = atomicrmw frob ptr null, i32 1 monotonic", "operation"),
        ("%r = icmp frob i32 1, 2", "predicate"),
        ("%r = load i32, ptr null, align x", "number"),
    ],
)
def test_an_error_quotes_the_line(line: str, complaint: str) -> None:
    text = f"declare void @llvm.x(metadata)\n\ndefine void @f(i32 %a) {{\n  {line}\n  ret void\n}}\n"
    with pytest.raises(ir.ParseError) as caught:
        ir.parse(text)
    assert line in str(caught.value)
    assert complaint in str(caught.value)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("define void @f() {\n  ret void\n", "unterminated function"),
        ("define void @f() {\n  br label %x\n}\n", "%x is used but not defined"),
        ("define i32 @f() {\n  ret i32 %x\n}\n", "%x is used but not defined"),
        ("define void @f() {\na:\n  ret void\na:\n  ret void\n}\n", "%a is defined twice"),
        ("define void @f() {\n  ret void\n}\ndefine void @f() {\n  ret void\n}\n", "@f is defined twice"),
        ("@x = global i32 0\n@x = global i32 1\n", "@x is defined twice"),
        ("frob", "syntax error"),
        ("define void @f() {\nfrob\n}\n", "syntax error"),
        ("define void f() {\n}\n", "without a name"),
        ("@g = global", "end of line"),
        ("@g = global i32 0, align", "align"),
        ("attributes #x = { nounwind }", "attributes #x"),
        ("%t = type", "end of line"),
        ("%t = frob", "expected 'type'"),
        ("%t = type i32", "neither a struct nor opaque"),
        ("%t = type { i32 } x", "neither a struct nor opaque"),
        ("%t = type opaque\n%t = type opaque\n", "%t is defined twice"),
        ("%t = type opaque\n@g = global %t { i32 1 }\n", "%t has no members"),
        ("define void @f(i32 %a, i32 %a) {\n  ret void\n}\n", "%a is defined twice"),
        ("define void @f(i32 %a {\n  ret void\n}\n", "in: define void @f(i32 %a {"),
        ("define void @f() {\n  switch i32 0, label %x [\n", "unterminated function"),
        ("define void @f() {\n}\n", "no blocks"),
    ],
)
def test_malformed_modules_are_parse_errors(text: str, complaint: str) -> None:
    with pytest.raises(ir.ParseError) as caught:
        ir.parse(text)
    assert complaint in str(caught.value)
