"""Text that clang seldom writes for kernels: every kind of constant, flag, ordering and attribute."""

import pytest
from ir_llvm import canonical

from weft import ir
from weft.ir.opcodes import FLOAT_PREDICATES, INTEGER_PREDICATES
from weft.ir.verifier import verify


def _round_trip(text: str) -> ir.Module:
    """Checks a module's text in every way there is; returns the module."""
    module = ir.parse(text)
    verify(module)
    printed = ir.print_module(module)
    assert canonical(printed) == canonical(text)
    assert ir.print_module(ir.parse(printed)) == printed
    return module


_FLOATS = [
    *("float 1.0", "float 0.1e1", "float 1.250000e+00", "float -0.0", "float 0x7FF0000000000000"),
    *("float 0xFFF0000000000000", "float 0x7FF8000000000000", "float 0x7FF8000020000000"),
    *("float 0x7FF0000020000000", "float 0xFFFFFFFFE0000000", "float 0x36A0000000000000", "float 1.0e+10"),
    *("float 0x3FB99999A0000000", "float 0x47EFFFFFE0000000", "float 5.0e-1", "float +2.5"),
    *("double 1.0", "double -0.0", "double 0x7FF4000000000001", "double 1.0e300", "double 4.9e-324"),
    *("double 0x3FB999999999999A", "double 1.234567e+06", "double 1.2345678e+06", "double 0xFFF8000000000000"),
    *("half 0xH3C00", "half 0xH8000", "half 0xH7C00", "half 0xH7E01", "half 0xHFFFF", "half 0xH0001", "half 1.5"),
    *("bfloat 0xR3F80", "bfloat 0xR8000", "bfloat 0xR7FC1", "bfloat 0xRFF80", "bfloat 1.5", "bfloat -3.0"),
    *("x86_fp80 0xK3FFF8000000000000000", "x86_fp80 0xK7FFFC000000000000000", "x86_fp80 0xK00000000000000000001"),
    *("fp128 0xL00000000000000003FFF000000000000", "fp128 0xL123456789ABCDEF0FEDCBA9876543210"),
]


@pytest.mark.parametrize("constant", _FLOATS)
def test_floating_point_constants_keep_every_bit(constant: str) -> None:
    type = constant.split()[0]
    _round_trip(f"@g = global {constant}\n\ndefine {type} @f() {{\n  ret {constant}\n}}\n")


def test_not_a_number_keeps_sign_and_payload() -> None:
    module = ir.parse("@g = global float 0xFFF8000020000000\n")
    (variable,) = module.variables
    assert isinstance(variable.initializer, ir.ConstantFloat)
    assert variable.initializer.bits == 0xFFC00001


_CONSTANTS = [
    *("i1 true", "i1 false", "i8 -1", "i8 255", "i64 -9223372036854775808", "i64 u0xFF", "i32 s0xFFFF"),
    *("i128 -170141183460469231731687303715884105728", "i128 340282366920938463463374607431768211455"),
    *("i7 63", "i33 -4294967296", "i256 1", "i1 1", "i1 -1"),
    *("ptr null", "ptr addrspace(3) null", "ptr undef", "i32 poison", "float undef", "float zeroinitializer"),
    *("i32 zeroinitializer", "<4 x i32> zeroinitializer", "<4 x float> poison", "{ i32, float } undef"),
    *("<4 x i32> <i32 1, i32 -2, i32 undef, i32 poison>", "<2 x i1> <i1 true, i1 false>"),
    *("<4 x i32> splat (i32 7)", "<2 x float> splat (float 0x3FB99999A0000000)", "<4 x i32> <i32 1, i32 1, i32 1, i32 1>"),
    *("<2 x ptr> splat (ptr @g)", "<2 x ptr> <ptr @g, ptr null>", "<8 x half> splat (half 0xH3C00)", "<2 x i1> splat (i1 true)"),
    *("[3 x i8] [i8 1, i8 2, i8 3]", '[4 x i8] c"abc\\00"', '[5 x i8] c"\\22\\\\\\0A\\FF%"', "[0 x i32] zeroinitializer"),
    *("[2 x [2 x i16]] [[2 x i16] [i16 1, i16 2], [2 x i16] zeroinitializer]", "[0 x i8] []"),
    *("{ i32, float } { i32 1, float 2.0 }", "<{ i8, i32 }> <{ i8 1, i32 2 }>", "{} {}", "{} zeroinitializer"),
    *("%s { i32 1, %t <{ i8 2, i16 3 }> }", "%t <{ i8 1, i16 2 }>", "[1 x %s] [%s { i32 4, %t zeroinitializer }]"),
    *("ptr @g", "ptr @f", 'ptr @"odd name"', "ptr getelementptr (i8, ptr @g, i64 4)"),
    *("ptr getelementptr inbounds ([4 x i32], ptr @g, i64 0, i64 2)", "ptr getelementptr nuw (i8, ptr @g, i32 3)"),
    *("ptr getelementptr inbounds nuw (%s, ptr @g, i32 0, i32 1, i32 1)", "ptr getelementptr nusw nuw (i8, ptr @g, i64 1)"),
    "ptr getelementptr inbounds inrange(-8, 16) (i8, ptr @g, i64 8)",
    *("i64 ptrtoint (ptr @g to i64)", "ptr inttoptr (i64 4096 to ptr)", "ptr addrspace(4) addrspacecast (ptr @g to ptr addrspace(4))"),
    *("i32 trunc (i64 ptrtoint (ptr @g to i64) to i32)", "i64 sub (i64 ptrtoint (ptr @f to i64), i64 ptrtoint (ptr @g to i64))"),
    *("i64 add nuw nsw (i64 ptrtoint (ptr @g to i64), i64 8)", "i64 xor (i64 ptrtoint (ptr @g to i64), i64 -1)"),
    *("i64 ptrtoaddr (ptr @g to i64)", "i32 bitcast (<2 x i16> <i16 1, i16 2> to i32)"),
    "<2 x ptr> getelementptr (i8, ptr @g, <2 x i64> <i64 1, i64 2>)",
]  # fmt: skip


@pytest.mark.parametrize("constant", _CONSTANTS)
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
    module = _round_trip(
        """source_filename = "a \\22b\\22.cl"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

module asm ".globl thing"

%opaque = type opaque
%"quoted type" = type { ptr, [2 x %opaque.0] }
%opaque.0 = type { i32 }

$group = comdat any

@a = private unnamed_addr addrspace(2) constant [2 x i8] c"x\\00", align 1
@b = internal addrspace(3) global [4 x float] undef, align 16
@c = dso_local local_unnamed_addr global i32 0, section ".data.x", comdat($group), align 4
@d = external thread_local(initialexec) global i64
@e = linkonce_odr hidden constant %"quoted type" zeroinitializer, align 8, !note !0
@f = weak_odr dllexport externally_initialized global ptr @e, partition "p"
@0 = private constant i8 3
@"with \\22quotes\\22 and \\5C" = global i8 1
@alias = internal alias i32, ptr @c
@g = global i32 5, no_sanitize_address, code_model "large"

define ptr @use() {
  %x = load i8, ptr @0
  %y = load i8, ptr @"with \\22quotes\\22 and \\5C"
  ret ptr @alias
}

!0 = !{!"text with !7 and \\22", i32 3}
"""
    )
    assert 'with "quotes" and \\' in module.globals


def test_functions_with_every_decoration() -> None:
    module = _round_trip(
        """
%s = type { i32, i64 }

$f = comdat any

@personality = external global i8

define internal fastcc noundef nonnull align 16 dereferenceable(8) ptr @f(ptr noalias noundef readonly captures(none) %0, i32 signext range(i32 0, 17) %n, ptr byval(%s) align 8 %s, ptr captures(address, read_provenance) %1, ptr writeonly initializes((0, 4), (8, 16)) %out) unnamed_addr #0 section ".text.f" comdat($f) align 32 gc "statepoint-example" personality ptr @personality !note !0 !other !{i32 1} {
  ret ptr %0
}

declare !note !0 void @g(i32, ...) local_unnamed_addr #1

declare spir_func void @h(<4 x float> noundef nofpclass(nan inf), ptr addrspace(1) dead_on_unwind writable sret({ i32 }) align 4) nounwind memory(argmem: readwrite, inaccessiblemem: read)

define weak hidden x86_regcallcc range(i8 1, 3) i8 @k(float %x) nounwind willreturn "quoted"="value" "alone" {
  %c = call nnan ninf nofpclass(inf) float @abs(float nofpclass(nan) %x)
  %p = tail call fastcc noundef nonnull ptr @f(ptr noundef nonnull dereferenceable_or_null(16) null, i32 signext 3, ptr byval(%s) align 8 @personality, ptr null, ptr null) #1
  call void (i32, ...) @g(i32 1, double 2.0, ptr @g) nounwind
  call void (i32, ...) @g(i32 1)
  %indirect = call addrspace(0) i32 %p(i32 4) #2
  notail call void @none()
  ret i8 2
}

declare float @abs(float)
declare void @none()

attributes #0 = { nounwind memory(argmem: readwrite) uwtable(sync) "a"="b" vscale_range(1,16) allocsize(1) }
attributes #1 = { alwaysinline cold }
attributes #2 = { "x" }

!0 = !{}
"""
    )
    f = module.function("f")
    assert "range(i32 0, 17)" in f.arguments[1].attributes
    assert "initializes((0, 4), (8, 16))" in f.arguments[4].attributes
    assert f.metadata == {"note": "!0", "other": "!{i32 1}"}


_INTEGERS = "define void @f(i32 %a, i32 %b, i64 %w, <4 x i32> %v, float %x, float %y, <4 x float> %z, ptr %p) {"

_INSTRUCTIONS = [
    *(f"%r = {op}{flags} i32 %a, %b" for op in ("add", "sub", "mul", "shl") for flags in ("", " nuw", " nsw", " nuw nsw")),
    *(f"%r = {op}{flags} <4 x i32> %v, %v" for op in ("udiv", "sdiv", "lshr", "ashr") for flags in ("", " exact")),
    *(f"%r = {op} i32 %a, -3" for op in ("urem", "srem", "and", "xor", "or", "or disjoint")),
    *(f"%r = {op} float %x, %y" for op in ("fadd", "fsub", "fmul", "fdiv", "frem")),
    *(f"%r = fadd {flag} float %x, %y" for flag in ("fast", "nnan", "ninf", "nsz", "arcp", "contract", "reassoc", "afn")),
    "%r = fmul nnan ninf nsz arcp contract afn <4 x float> %z, %z",
    *("%r = fneg float %x", "%r = fneg fast <4 x float> %z", "%r = freeze i32 %a", "%r = freeze <4 x float> poison"),
    *(f"%r = icmp {predicate} i32 %a, %b" for predicate in INTEGER_PREDICATES),
    *(f"%r = fcmp {predicate} float %x, %y" for predicate in FLOAT_PREDICATES),
    *("%r = icmp samesign ult <4 x i32> %v, zeroinitializer", "%r = icmp eq ptr %p, null", "%r = fcmp nnan ord float %x, %y"),
    *("%r = trunc i64 %w to i32", "%r = trunc nuw nsw i64 %w to i8", "%r = zext nneg i32 %a to i64", "%r = sext i32 %a to i64"),
    *("%r = zext <4 x i32> %v to <4 x i64>", "%r = fptrunc float %x to half", "%r = fpext nnan contract float %x to double"),
    *("%r = fptoui float %x to i32", "%r = fptosi <4 x float> %z to <4 x i8>", "%r = uitofp nneg i32 %a to float", "%r = sitofp i64 %w to bfloat"),
    *("%r = ptrtoint ptr %p to i64", "%r = ptrtoaddr ptr %p to i64", "%r = inttoptr i64 %w to ptr addrspace(1)"),
    *("%r = bitcast <4 x i32> %v to i128", "%r = bitcast float %x to i32", "%r = addrspacecast ptr %p to ptr addrspace(4)"),
    *("%r = select i1 true, i32 %a, i32 %b", "%r = select fast <4 x i1> poison, <4 x float> %z, <4 x float> zeroinitializer"),
    *("%r = extractelement <4 x i32> %v, i32 %a", "%r = insertelement <4 x i32> poison, i32 %a, i64 0"),
    *("%r = shufflevector <4 x i32> %v, <4 x i32> poison, <2 x i32> <i32 0, i32 poison>", "%r = shufflevector <4 x i32> %v, <4 x i32> %v, <8 x i32> zeroinitializer"),
    *("%r = extractvalue { i32, [2 x float] } undef, 1, 0", "%r = insertvalue { i32, [2 x float] } zeroinitializer, float %x, 1, 1"),
    "%r = insertvalue [2 x { i8, i64 }] undef, i64 %w, 1, 1, !note !0",
    *("%r = alloca i32", "%r = alloca [4 x float], align 16", "%r = alloca i8, i64 %w, align 1", "%r = alloca i32, align 4, addrspace(5)", "%r = alloca { i32, ptr }, i32 3"),
    *("%r = load i32, ptr %p", "%r = load volatile <4 x float>, ptr %p, align 16, !note !0", "%r = load i64, ptr %p, align 8, !range !1"),
    *("store i32 %a, ptr %p", "store volatile i64 -1, ptr %p, align 1", "store <4 x float> %z, ptr %p, align 16, !nontemporal !2"),
    *(f"%r = load atomic i32, ptr %p {o}, align 4" for o in ("unordered", "monotonic", "acquire", "seq_cst")),
    *(f'store atomic volatile float %x, ptr %p syncscope("agent") {o}, align 4' for o in ("unordered", "monotonic", "release", "seq_cst")),
    *(f"fence {o}" for o in ("acquire", "release", "acq_rel", "seq_cst")),
    'fence syncscope("singlethread") seq_cst',
    *(f"%r = atomicrmw {op} ptr %p, i32 %a monotonic, align 4" for op in ("xchg", "add", "sub", "and", "nand", "or", "xor", "max", "min", "umax", "umin", "uinc_wrap", "udec_wrap", "usub_cond", "usub_sat")),
    *(f"%r = atomicrmw {op} ptr %p, float %x seq_cst, align 4" for op in ("xchg", "fadd", "fsub", "fmax", "fmin", "fmaximum", "fminimum")),
    'atomicrmw volatile add ptr %p, i64 %w syncscope("workgroup") acq_rel, align 8, !note !0',
    *(f"%r = cmpxchg ptr %p, i32 %a, i32 %b {s} {f}, align 4" for s, f in (("monotonic", "monotonic"), ("acquire", "acquire"), ("release", "monotonic"), ("acq_rel", "seq_cst"), ("seq_cst", "acquire"))),
    '%r = cmpxchg weak volatile ptr %p, ptr null, ptr %p syncscope("") seq_cst seq_cst, align 8',
    *("%r = getelementptr i32, ptr %p, i64 %w", "%r = getelementptr inbounds { i32, [4 x i8] }, ptr %p, i64 0, i32 1, i64 %w", "%r = getelementptr inbounds nuw i8, ptr %p, i32 4"),
    *("%r = getelementptr nusw i8, ptr %p, <4 x i32> %v", "%r = getelementptr nuw i8, ptr %p, i64 1, !note !0", "%r = getelementptr [4 x i32], ptr %p"),
    *('call void asm sideeffect "nop # $$", "~{memory},~{flags}"()', '%r = call i32 asm "mov $1, $0", "=r,r"(i32 %a)', '%r = call { i32, i32 } asm sideeffect alignstack inteldialect "x\\0A\\09y", "=r,=r,r"(i32 %a) nounwind'),
    'call void @llvm.assume(i1 true) [ "align"(ptr %p, i64 16), "nonnull"(ptr %p) ]',
    "call void @llvm.lifetime.start.p0(ptr undef)".replace("undef", "%stack"),
    *("%r = call i64 @llvm.read_register.i64(metadata !3)", "%r = call float @llvm.experimental.constrained.fadd.f32(float %x, float %y, metadata !\"round.dynamic\", metadata !\"fpexcept.strict\")"),
]  # fmt: skip


@pytest.mark.parametrize("instruction", _INSTRUCTIONS)
def test_instructions_with_every_flag(instruction: str) -> None:
    _round_trip(
        f"""{_INTEGERS}
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
        ("%r = add <vscale x 4 x i32> zeroinitializer, zeroinitializer", "unknown length"),
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
        ("define void @f() {\n  ret void\n", "no end"),
        ("define void @f() {\n  br label %x\n}\n", "%x is used but not defined"),
        ("define i32 @f() {\n  ret i32 %x\n}\n", "%x is used but not defined"),
        ("define void @f() {\na:\n  ret void\na:\n  ret void\n}\n", "%a is defined twice"),
        ("define void @f() {\n  ret void\n}\ndefine void @f() {\n  ret void\n}\n", "@f is defined twice"),
        ("@x = global i32 0\n@x = global i32 1\n", "@x is defined twice"),
        ("frob", "cannot understand"),
        ("define void @f() {\nfrob\n}\n", "cannot understand"),
        ("define void f() {\n}\n", "without a name"),
        ("@g = global", "end of line"),
        ("@g = global i32 0, align", "align"),
        ("attributes #x = { nounwind }", "attributes #x"),
        ("%t = type", "end of line"),
        ("%t = frob", "expected 'type'"),
        ("define void @f(i32 %a, i32 %a) {\n  ret void\n}\n", "%a is defined twice"),
        ("define void @f(i32 %a {\n  ret void\n}\n", "in: define void @f(i32 %a {"),
        ("define void @f() {\n  switch i32 0, label %x [\n", "no end"),
        ("define void @f() {\n}\n", "no blocks"),
    ],
)
def test_malformed_modules_are_parse_errors(text: str, complaint: str) -> None:
    with pytest.raises(ir.ParseError) as caught:
        ir.parse(text)
    assert complaint in str(caught.value)
