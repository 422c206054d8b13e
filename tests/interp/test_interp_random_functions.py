"""Random straight-line functions compute what their machine code computes."""

from dataclasses import dataclass, field

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from interp_support import DTYPES, assert_same, both, edge_floats, edge_integers

INTEGERS = ("i8", "i16", "i32", "i64")
FLOATS = ("float", "double")
SCALARS = INTEGERS + FLOATS
VECTORS = tuple(f"<4 x {t}>" for t in SCALARS)


@dataclass
class Writer:
    """A function under construction: its lines, and the names of its values by type."""

    lines: list[str] = field(default_factory=list)
    values: dict[str, list[str]] = field(default_factory=dict)
    declarations: set[str] = field(default_factory=set)

    def emit(self, type: str, text: str) -> None:
        name = f"%v{len(self.lines)}"
        self.lines.append(f"  {name} = {text}")
        self.values.setdefault(type, []).append(name)


def lanes(type: str, element: str) -> str:
    return f"<4 x {element}>" if type[0] == "<" else element


def element(type: str) -> str:
    return type[5:-1] if type[0] == "<" else type


@st.composite
def functions(draw: st.DrawFn) -> tuple[str, str]:
    """A function @f(ptr ints, ptr floats, ptr out), and the type of the array it writes."""
    writer = Writer()
    for index, type in enumerate(SCALARS + VECTORS):
        writer.lines.append(f"  %p{index} = getelementptr i8, ptr %in, i64 {32 * index}")
        writer.emit(type, f"load {type}, ptr %p{index}, align 1")
        writer.lines.append(f"  %q{index} = getelementptr i8, ptr %in, i64 {32 * index + 8}")
        writer.emit(type, f"load {type}, ptr %q{index}, align 1")

    def pick(type: str) -> str:
        return draw(st.sampled_from(writer.values[type]))

    for _ in range(draw(st.integers(3, 25))):
        type = draw(st.sampled_from(SCALARS + VECTORS))
        base = element(type)
        kind = draw(st.sampled_from(("binary", "compare", "cast", "shift", "intrinsic", "shuffle")))
        if kind == "compare":
            opcode = "icmp " if base in INTEGERS else "fcmp "
            predicates = "eq ne ult sge slt ugt" if base in INTEGERS else "oeq une olt uge one ord"
            predicate = draw(st.sampled_from(predicates.split()))
            condition = lanes(type, "i1")
            writer.emit(condition, f"{opcode}{predicate} {type} {pick(type)}, {pick(type)}")
            chosen = writer.values[condition][-1]
            writer.emit(type, f"select {condition} {chosen}, {type} {pick(type)}, {type} {pick(type)}")
        elif kind == "shuffle" and type[0] == "<":
            mask = ", ".join(f"i32 {draw(st.integers(0, 7))}" for _ in range(4))
            writer.emit(type, f"shufflevector {type} {pick(type)}, {type} {pick(type)}, <4 x i32> <{mask}>")
            writer.emit(base, f"extractelement {type} {pick(type)}, i32 {draw(st.integers(0, 3))}")
            writer.emit(
                type, f"insertelement {type} {pick(type)}, {base} {pick(base)}, i32 {draw(st.integers(0, 3))}"
            )
        elif kind == "cast":
            other = draw(st.sampled_from(SCALARS))
            opcode = cast_opcode(base, other, draw(st.booleans()))
            if opcode:
                writer.emit(lanes(type, other), f"{opcode} {type} {pick(type)} to {lanes(type, other)}")
        elif base in FLOATS:
            opcode = draw(st.sampled_from(["fadd", "fsub", "fmul", "fdiv"]))
            writer.emit(type, f"{opcode} {type} {pick(type)}, {pick(type)}")
        elif kind == "shift":
            # The amount is taken modulo the width, so that most shifts are defined.
            mask = int(base[1:]) - 1
            constant = f"splat (i{base[1:]} {mask})" if type[0] == "<" else str(mask)
            writer.emit(type, f"and {type} {pick(type)}, {constant}")
            opcode = draw(st.sampled_from(["shl", "lshr", "ashr"]))
            writer.emit(type, f"{opcode} {type} {pick(type)}, {writer.values[type][-1]}")
        elif kind == "intrinsic":
            name = draw(st.sampled_from(["umin", "smax", "sadd.sat", "usub.sat", "fshl"]))
            suffix = f"v4{base}" if type[0] == "<" else base
            count = 3 if name == "fshl" else 2
            writer.declarations.add(f"declare {type} @llvm.{name}.{suffix}({', '.join([type] * count)})")
            operands = ", ".join(f"{type} {pick(type)}" for _ in range(count))
            writer.emit(type, f"call {type} @llvm.{name}.{suffix}({operands})")
        else:
            opcode = draw(st.sampled_from(["add", "sub", "mul", "and", "or", "xor"]))
            writer.emit(type, f"{opcode} {type} {pick(type)}, {pick(type)}")
    type = draw(st.sampled_from(SCALARS + VECTORS))
    for index in range(4):
        size = np.dtype(DTYPES[element(type)]).itemsize * (4 if type[0] == "<" else 1)
        writer.lines.append(f"  %o{index} = getelementptr i8, ptr %out, i64 {index * size}")
        recent = writer.values[type][-1 - index % len(writer.values[type])]
        writer.lines.append(f"  store {type} {recent}, ptr %o{index}, align 1")
    body = "\n".join(writer.lines)
    declarations = "\n".join(sorted(writer.declarations))
    return f"{declarations}\ndefine void @f(ptr %in, ptr %out) {{\n{body}\n  ret void\n}}\n", type


def cast_opcode(source: str, target: str, signed: bool) -> str | None:
    if source == target:
        return None
    if source in INTEGERS and target in INTEGERS:
        return "trunc" if int(source[1:]) > int(target[1:]) else "sext" if signed else "zext"
    if source in FLOATS and target in FLOATS:
        return "fptrunc" if source == "double" else "fpext"
    if source in INTEGERS:
        return "sitofp" if signed else "uitofp"
    return "fptosi" if signed else "fptoui"


@given(functions(), st.integers(0, 2**32))
@settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
def test_random_functions(function: tuple[str, str], seed: int) -> None:
    text, type = function
    rng = np.random.default_rng(seed)
    memory = np.zeros(32 * 12 + 64, np.uint8)
    for index, name in enumerate(SCALARS * 2):
        size = np.dtype(DTYPES[name]).itemsize
        numbers = edge_floats(name, rng, 8) if name in FLOATS else edge_integers(8 * size, rng, 8)
        memory[32 * index : 32 * index + min(8 * size, 48)] = numbers.view(np.uint8)[: min(8 * size, 48)]
    count = 4 * (4 if type[0] == "<" else 1)
    found, expected, defined = both(text, [memory], np.zeros(count, DTYPES[element(type)]))
    if defined.any():
        assert_same(found, expected, defined)
