"""Random straight-line arithmetic on ids, as IR; what wraps is left to chance."""

from hypothesis import strategies as st

WIDTHS = (8, 16, 32, 64)
_FLAGS = {
    **dict.fromkeys(("add", "sub", "mul", "shl"), ("nuw", "nsw")),
    **dict.fromkeys(("lshr", "ashr", "udiv", "sdiv"), ("exact",)),
    "or": ("disjoint",),
}
_BINARY = (
    "add", "add", "sub", "mul", "mul", "shl", "lshr", "ashr", "udiv", "urem", "sdiv", "srem", "and", "and",
    "or", "xor", "icmp", "select", "min", "cast", "cast",
)  # fmt: skip
_PREDICATES = ("eq", "ne", "ugt", "uge", "ult", "ule", "sgt", "sge", "slt", "sle")
_HEAD = """
declare i64 @_Z13get_global_idj(i32) memory(none)
declare i64 @_Z12get_local_idj(i32) memory(none)
declare i64 @_Z12get_group_idj(i32) memory(none)
declare i64 @_Z14get_local_sizej(i32) memory(none)
declare i64 @_Z19get_local_linear_idv() memory(none)
declare i64 @_Z20get_global_linear_idv() memory(none)
"""
_POSITIONS = (
    "_Z13get_global_idj", "_Z12get_local_idj", "_Z12get_local_idj", "_Z12get_local_idj", "_Z12get_group_idj",
    "_Z14get_local_sizej",
)  # fmt: skip
_LINEAR = ("_Z19get_local_linear_idv", "_Z20get_global_linear_idv")


@st.composite
def arithmetic(draw: st.DrawFn) -> str:
    """The text of a module with a kernel @k(i64 %u, i64 %v) that computes numbers and forgets them."""
    lines: list[str] = []
    values: dict[int, list[str]] = {w: [] for w in (1, *WIDTHS)}
    intrinsics: set[str] = set()

    def emit(width: int, text: str) -> None:
        name = f"%v{len(lines)}"
        lines.append(f"  {name} = {text}")
        values[width].append(name)

    def constant(width: int) -> int:
        small = st.integers(-20, 20)
        power = st.builds(
            lambda k, n: (1 << k % width) + n, st.integers(0, 63), st.sampled_from((0, 0, -1, 1))
        )
        value = draw(st.one_of(small, power, power.map(lambda p: -p)))
        return (value + (1 << width - 1)) % (1 << width) - (1 << width - 1)

    def operand(width: int, often: int = 3) -> str:
        known = values[width]
        if known and draw(st.integers(0, often)):
            return known[-1 - draw(st.integers(0, min(len(known) - 1, 5)))]
        return str(constant(width))

    def flags(opcode: str) -> str:
        return "".join(f" {f}" for f in _FLAGS.get(opcode, ()) if draw(st.integers(0, 3)) == 0)

    def cast() -> None:
        source = draw(st.sampled_from([w for w in WIDTHS if values[w]]))
        target = draw(st.sampled_from([w for w in WIDTHS if w != source]))
        value = draw(st.sampled_from(values[source][-6:]))
        if target < source:
            words = "".join(f" {f}" for f in ("nuw", "nsw") if draw(st.integers(0, 5)) == 0)
            emit(target, f"trunc{words} i{source} {value} to i{target}")
        else:
            opcode = draw(st.sampled_from(("zext", "zext nneg", "sext", "sext")))
            emit(target, f"{opcode} i{source} {value} to i{target}")

    emit(64, "add i64 %u, 0")
    emit(64, "add i64 %v, 0")
    for _ in range(draw(st.integers(1, 3))):
        if draw(st.integers(0, 3)):
            emit(64, f"call i64 @{draw(st.sampled_from(_POSITIONS))}(i32 {draw(st.integers(0, 3))})")
        else:
            emit(64, f"call i64 @{draw(st.sampled_from(_LINEAR))}()")
    for _ in range(draw(st.integers(2, 14))):
        opcode = draw(st.sampled_from(_BINARY))
        if opcode == "cast":
            cast()
            continue
        width = draw(st.sampled_from([w for w in WIDTHS if values[w]]))
        if opcode == "icmp":
            emit(1, f"icmp {draw(st.sampled_from(_PREDICATES))} i{width} {operand(width)}, {operand(width)}")
        elif opcode == "select":
            emit(width, f"select i1 {operand(1)}, i{width} {operand(width)}, i{width} {operand(width)}")
        elif opcode == "min":
            name = f"llvm.{draw(st.sampled_from(('smin', 'smax', 'umin', 'umax')))}.i{width}"
            intrinsics.add(f"declare i{width} @{name}(i{width}, i{width}) memory(none)")
            emit(width, f"call i{width} @{name}(i{width} {operand(width)}, i{width} {operand(width)})")
        elif opcode in ("shl", "lshr", "ashr"):
            amount = draw(st.integers(0, width - 1))
            emit(width, f"{opcode}{flags(opcode)} i{width} {operand(width, 9)}, {amount}")
        elif opcode.endswith(("div", "rem")):
            divisor = constant(width) or 3
            emit(width, f"{opcode}{flags(opcode)} i{width} {operand(width, 9)}, {divisor}")
        else:
            emit(width, f"{opcode}{flags(opcode)} i{width} {operand(width)}, {operand(width)}")
    body = "\n".join(lines).replace("i1 -1", "i1 true").replace("i1 0", "i1 false")
    return "\n".join(
        [_HEAD, *sorted(intrinsics), "define void @k(i64 %u, i64 %v) {", "entry:", body, "  ret void", "}"]
    )
