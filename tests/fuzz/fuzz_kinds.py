"""The types of random kernels' variables: how their values are read as `uint` and made of `uint`s.

Templates are over {v}, the variable, {w}, one of the same type, {a}, {b}, {c}, expressions, and the names of
`fuzz_narrow.py`: {n} is an expression computed from numbers of few bits. None has undefined behaviour
whatever the values: signed arithmetic is kept in range by masks, or done by unsigned vectors. Floating point
values are never negative, at most a few thousand (doubles: a few thousand millions), and multiples of 1/2 or
halves of such, or are rounded by one operation, so that no contraction can make a difference.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Kind:
    """A type of variables."""

    declaration: str
    reads: tuple[str, ...]
    writes: tuple[str, ...]  # the first one defines the whole variable


SCALARS = {
    "uint": Kind("uint {v}", ("{v}",), ("{v} = {a};", "{v} += {a};", "{v} ^= {a};", "{v}++;")),
    "int": Kind(
        "int {v}",
        ("(uint){v}", "(uint)({v} >> 3)", "(uint)({v} < 0)"),
        (
            "{v} = (int)({a});",
            "{v} = (int)(short)({v} & 0xffff) - (int)({a} & 0xffu);",
            "{v} = {x} * (short){y};",
            "{v} <<= {s};",
            "{v} = ({v} >> 1) / (int)({u} | 1u);",
            "{v} = (({v} >> 1) >> {s}) + {x};",
        ),
    ),
    "long": Kind(
        "long {v}",
        ("(uint){v}", "(uint)({v} >> 9)", "(uint)({v} < (long)(int)({a}))"),
        (
            "{v} = (long)(int)({a}) * 77 - (long)({b});",
            "{v} = ({v} >> 20) + (long)({a});",
            "{v} = ({v} >> 1) % ((long)(int)({u}) | 1);",
        ),
    ),
    "ulong": Kind(
        "ulong {v}",
        ("(uint)({v} >> 32)", "(uint){v}", "(uint)popcount({v})", "(uint)({v} > 0x7ffffffful)"),
        (
            "{v} = (ulong)({a}) * 0x9e3779b97f4a7c15ul;",
            "{v} = ({v} >> 7) ^ ({v} << ({a} & 63u));",
            "{v} /= ({a}) | 1u;",
            "{v} += {w};",
            "{v} %= (ulong)({u}) * 77ul | 1ul;",
        ),
    ),
    "char": Kind(
        "char {v}",
        ("(uint){v}", "(uint)({v} > 9)"),
        (
            "{v} = (char)({a});", "{v} ^= (char)({a});", "{v} = (char)({v} * 5 + {w});", "{v} = (char)({n});",
            "{v} <<= {x};", "{v} >>= {s};", "{v} *= {w};", "{v} /= (char)({u} | 1u);", "{v} -= {x};",
        ),
    ),
    "uchar": Kind(
        "uchar {v}",
        ("(uint){v}",),
        (
            "{v} = (uchar)({a});", "{v} += (uchar)({a});", "{v} = add_sat({v}, {w});", "{v} = (uchar)({n});",
            "{v} >>= {a};", "{v} <<= {s};", "{v}--;", "{v} %= (uchar)({u} | 1u);", "{v} = -{v};",
        ),
    ),
    "short": Kind(
        "short {v}",
        ("(uint){v}", "(uint)({v} >> 5)"),
        (
            "{v} = (short)({a});", "{v} = (short)({v} * 3 - (short)({a}));", "{v} = max({v}, {w});",
            "{v} = (short)({n});", "{v} = (short)({n});", "{v} >>= {x};", "{v} <<= {s};", "{v} *= {w};",
            "{v} %= ({x} | 1);", "{v}++;",
        ),
    ),
    "ushort": Kind(
        "ushort {v}",
        ("(uint){v}", "(uint)({v} << {s})"),
        (
            "{v} = (ushort)({a});", "{v} += (ushort)({a} & 3u);", "{v} = (ushort)({n});", "{v} >>= {s};",
            "{v} <<= {x};", "{v} /= (ushort)({u} | 1u);", "{v} -= {x};", "{v} = rotate({v}, {w});",
        ),
    ),
    "float": Kind(
        "float {v}",
        (
            "(uint){v}", "(uint)({v} * 2.0f)", "(uint)({v} < 100.5f)", "(uint)(short){v}",
            "(uint)convert_char_sat({v})",
        ),
        (
            "{v} = (float)({a} & 0xfffu) * 0.5f;",
            "{v} = (float)((uint){v} & 0xffu) + (float)({a} & 0xffu);",
            "{v} = fmin({v} + {w}, 4000.0f);",
            "{v} = (float)(uchar)({n}) * 0.5f;",
            "{v} = fabs((float)({x} >> 5));",
            "for (uint k_ = 0; k_ < ({a} & 15u) && {v} < 300.0f; k_++) {v} += (float)(k_ & ({b} & 3u));",
        ),
    ),
    "double": Kind(
        "double {v}",
        ("(uint){v}", "(uint)({v} > 100.5)"),
        ("{v} = (double)({a}) * 0.5;", "{v} = fmin({v} + (double)({a}), 4.0e9);", "{v} = floor({v} * 0.5);"),
    ),
    "half": Kind(
        "half {v}",
        (
            "(uint){v}", "(uint)({v} * 2.0h)", "(uint)({v} < 100.5h)", "(uint)convert_uchar_sat({v})",
            "(uint)as_ushort({v})", "(uint)({v} > {w} ? {v} : 3.0h)", "(uint)(short){v}",
        ),
        (
            "{v} = (half)({a} & 0x3ffu) * 0.5h;",
            "{v} = fmin({v} + {w}, 900.0h);",
            "{v} = fmax({v} - {w}, 0.0h);",
            "{v} = (half)(uchar)({n}) * 0.5h;",
            "{v} = fabs((half)({x} >> 5));",
            "{v} = convert_half(fmin((float)({a} & 0xfffu), 700.0f));",
            "{v} = ({a} & 1u) ? {w} : floor({v} * 0.5h);",
            "for (uint k_ = 0; k_ < ({a} & 15u) && {v} < 300.0h; k_++) {v} += (half)(k_ & ({b} & 3u));",
        ),
    ),
}  # fmt: skip

VECTORS = {
    "uint4": Kind(
        "uint4 {v}",
        ("{v}.x", "{v}.s3", "({v}.y + {v}.z)", "((uint *)&{v})[{a} & 3u]", "(uint)any({v} > {w})"),
        (
            "{v} = (uint4)({a}, {b}, 7u, {c});",
            "{v}.s2 = {a};",
            "{v} = {v}.wxyz + (uint4)({a});",
            "{v} ^= vload4(({a}) & 15u, in);",
            "{v} = {v} * {w}.yxwz + {b};",
            "{v} = min({v}, {w} >> 3u);",
            "{v} = ({a} & 1u) ? {v}.zwxy : {w};",
        ),
    ),
    "int4": Kind(
        "int4 {v}",
        ("(uint){v}.x", "(uint)({v}.y ^ {v}.w)", "(uint)any({v} < {w})", "(uint)((int *)&{v})[{a} & 3u]"),
        (
            "{v} = (int4)((int)({a}), (int)({b}), -3, (int)({c}));",
            "{v} = ({v} & 0xffff) - ({w} & 0xffff).wzyx;",
            "{v} = max({v} >> 3, {w});",
            "{v} = {v} < {w}.yxwz;",
            "{v} = select({v}, {w}, {v} > (int)({a}));",
            "{v}.xz = {v}.wy;",
            "((int *)&{v})[{a} & 3u] = (int)({b});",
            "for (uint k_ = 0; k_ < ({a} & 7u); k_++) {v} = ({v} >> 1) ^ (int)(k_ * 77u);",
        ),
    ),
    "uchar4": Kind(
        "uchar4 {v}",
        ("as_uint({v})", "(uint){v}.w", "(uint){v}.x"),
        (
            "{v} = as_uchar4({a});",
            "{v} = (uchar4)((uchar)({a}), {v}.x, 3, (uchar)({b}));",
            "{v} += {w}.yzwx;",
            "{v} = add_sat({v}, {w});",
            "{v} = convert_uchar4(convert_uint4({v}) * {a});",
            "{v} = {v} >> (uchar)({s} & 7);",
            "{v} = {v} << {w};",
            "{v} = {v} / ({w}.wzyx | (uchar)1);",
            "{v} = {v} % (uchar)({u} | 1u);",
            "{v} = {v} < {w} ? {v} * {w} : {w};",
            "{v} = convert_uchar4({v} >= {w}.yxwz);",
            "{v} = convert_uchar4_sat(convert_float4({v}) * 1.5f - 9.0f);",
            "{v} ^= vload4({a} & 15u, (__global const uchar *)in8 + 3);",
        ),
    ),
    "char4": Kind(
        "char4 {v}",
        (
            "as_uint({v})", "(uint){v}.z", "(uint)any({v} < {w})", "(uint)all({v} != {w})",
            "(uint)((char *)&{v})[{a} & 3u]",
        ),
        (
            "{v} = (char4)({x}, (char)({a}), -3, {y});",
            "{v} = {v} >> (char)({s} & 7);",
            "{v} = {v} << {w}.wzyx;",
            "{v} = {v} >> {w};",
            "{v} = {v} < {w}.yxwz;",
            "{v} = select({v}, {w}, {v} > (char)({a}));",
            "{v} = {v} == {w} ? {w}.zwxy : {v};",
            "{v} = as_char4(as_uchar4({v}) + as_uchar4({w}) * (uchar)({a}));",
            "{v} = {v} / (({w} & (char)127) | (char)1);",
            "{v} = convert_char4_sat(convert_short4({v}) * (short)3);",
            "{v}.xz = vload2({a} & 31u, in8 + 1);",
            "{v} = convert_char4(convert_float4({v}) * 0.5f);",
            "for (uint k_ = 0; k_ < ({a} & 7u); k_++) {v} = ({v} >> (char)1) ^ (char)({x} + k_);",
        ),
    ),
    "ushort4": Kind(
        "ushort4 {v}",
        ("(uint){v}.x", "as_uint({v}.wy)", "(uint)any({v} < {w})"),
        (
            "{v} = (ushort4)({x}, (ushort)({a}), {y}, 9);",
            "{v} = {v} * {w}.yzwx + (ushort)({n});",
            "{v} = {v} >> (ushort)({s} & 15);",
            "{v} = {v} << {w};",
            "{v} = as_ushort4(as_short4({v}) >> as_short4({w}));",
            "{v} = {v} % (ushort)({u} | 1u);",
            "{v} = {v} / ({w} | (ushort)1);",
            "{v} = select({v}, {w}.wzyx, {v} > {w});",
            "{v} = convert_ushort4(convert_uint4({v}) * {a} >> 7u);",
            "{v} = as_ushort4({v} < {w});",
            "{v} -= as_ushort4(vload4({a} & 15u, in16 + 5));",
            "{v}.s13 = {w}.s20;",
            "{v} = upsample(convert_uchar4({v}), convert_uchar4({w}));",
        ),
    ),
    "char3": Kind(
        "char3 {v}",
        ("(uint){v}.x", "(uint)({v}.y + {v}.z)", "(uint)any({v} > {w})"),
        (
            "{v} = (char3)({x}, {y}, (char)({a}));",
            "{v} = {v}.zxy >> {w};",
            "{v} = {v} <= {w};",
            "{v} = select({v}, {w}, {v} < {w}.yzx);",
            "{v} = vload3({a} & 31u, in8);",
            "{v} = convert_char3(vload3({a} & 31u, in16 + 1));",
        ),
    ),
    "short2": Kind(
        "short2 {v}",
        ("(uint){v}.x", "(uint){v}.y"),
        (
            "{v} = (short2)((short)({a}), (short)({b}));",
            "{v} = {v}.yx;",
            "{v}.y = (short)({a});",
            "{v} = {v} > {w};",
            "{v} = {v} >> {w}.yx;",
            "{v} = {v} << (short)({s} & 15);",
            "{v} = {v} % (({w} & (short)0x7fff) | (short)1);",
            "{v} = {v} > {w} ? {w} : -({w} >> (short)1);",
            "{v} = mul_hi({v}, {w});",
        ),
    ),
    "long2": Kind(
        "long2 {v}",
        ("(uint){v}.x", "(uint)({v}.y >> 11)"),
        (
            "{v} = (long2)((long)({a}), -(long)({b}));",
            "{v} = ({v} >> 7) ^ {w}.yx;",
            "{v} = convert_long2(convert_int2({v}));",
        ),
    ),
    "half4": Kind(
        "half4 {v}",
        (
            "(uint){v}.x", "(uint)({v}.y + {v}.w)", "(uint)any({v} > {w})", "(uint)((half *)&{v})[{a} & 3u]",
            "(uint)as_ushort4({v}).z",
        ),
        (
            "{v} = convert_half4((uint4)({a}, {b}, 5u, {c}) & 0x3ffu) * 0.5h;",
            "{v}.z = (half)({a} & 0xffu);",
            "{v} = {v}.zwxy;",
            "{v} = fmin({v} + {w}.yxwz, 900.0h);",
            "{v} = fmax({v} - {w}, 0.0h);",
            "{v} = select({v}, {w}.wzyx, {v} > {w});",
            "{v} = ({a} & 1u) ? {v} : {w};",
            "{v} = convert_half4(convert_short4({v}) >> (short)1);",
            "for (uint k_ = 0; k_ < ({a} & 7u); k_++) {v} = fmin({v} + (half4)(1.0h, {v}.xyz), 800.0h);",
        ),
    ),
    "float4": Kind(
        "float4 {v}",
        ("(uint){v}.x", "(uint)({v}.y + {v}.w)", "(uint)any({v} > {w})", "(uint)((float *)&{v})[{a} & 3u]"),
        (
            "{v} = convert_float4((uint4)({a}, {b}, 5u, {c}) & 0x3ffu) * 0.5f;",
            "{v}.z = (float)({a} & 0xffu);",
            "{v} = {v}.zwxy;",
            "{v} = fmin({v} + {w}.yxwz, 4000.0f);",
            "{v} = fmax({v} - {w}, 0.0f);",
            "{v} = select({v}, {w}.wzyx, {v} > {w});",
            "{v} = ({a} & 1u) ? {v} : {w};",
            "for (uint k_ = 0; k_ < ({a} & 7u); k_++) {v} = fmin({v} + (float4)(1.0f, {v}.xyz), 900.0f);",
        ),
    ),
}  # fmt: skip

AGGREGATES = {
    "record": Kind(
        "struct record {v}",
        ("{v}.first", "(uint){v}.second", "{v}.several[{a} % 3u]"),
        (
            "{v} = make_record({a}, {b});",
            "{v}.first = {a};",
            "{v}.second = (short)({a});",
            "{v}.several[{a} % 3u] = {b};",
        ),
    ),
    "union bits": Kind(
        "union bits {v}",
        (
            "{v}.whole", "(uint){v}.bytes.y", "(uint){v}.halves.x", "(uint){v}.byte[{a} & 3u]",
            "as_uint({v}.number)",
            "as_uint({v}.bytes.wzyx)",
        ),
        (
            "{v}.whole = {a};",
            "{v}.bytes = as_uchar4({a});",
            "{v}.byte[{a} & 3u] = (uchar)({b});",
            "{v}.number = (float)({a} & 0xfffu) * 0.5f;",
            "{v}.halves.y ^= (ushort)({a});",
            "{v}.bytes = {v}.bytes.zwxy + {w}.bytes;",
            "{v} = ({a} & 1u) ? {v} : {w};",
        ),
    ),
    "union parts": Kind(
        "union parts {v}",
        ("{v}.pair.y", "(uint){v}.whole", "(uint)({v}.whole >> 17)", "(uint){v}.fields.middle",
        "{v}.fields.high"),
        (
            "{v}.whole = (ulong)({a}) * 0x9e3779b97f4a7c15ul;",
            "{v}.pair = (uint2)({a}, {v}.pair.x);",
            "{v}.fields.middle = (uchar)({a});",
            "{v}.fields.low += (ushort)({a});",
            "{v}.number = (double)({a}) * 0.5;",
            "{v}.fields.high = as_uint(as_uchar4({v}.pair.x).yxwz);",
        ),
    ),
    "array": Kind(
        "uint {v}[8]",
        ("{v}[{a} & 7u]", "{v}[0]"),
        (
            "for (uint k_ = 0; k_ < 8u; k_++) {v}[k_] = {a} + k_ * {b};",
            "{v}[{a} & 7u] = {b};",
            "{v}[5] = {a};",
        ),
    ),
    "bytes": Kind(
        "uchar {v}[5]",
        ("(uint){v}[{a} % 5u]", "(uint){v}[4]"),
        (
            "for (uint k_ = 0; k_ < 5u; k_++) {v}[k_] = (uchar)({a} >> k_);",
            "{v}[{a} % 5u] = (uchar)({b});",
            "{v}[(uchar)({a}) % 5] <<= {x};",
        ),
    ),
    "shorts": Kind(
        "short {v}[9]",
        ("(uint){v}[(uchar)({a}) % 9]", "(uint){v}[4 + ((char)({a}) >> 5)]", "(uint){v}[8]"),
        (
            "for (uint k_ = 0; k_ < 9u; k_++) {v}[k_] = (short)({n} >> k_);",
            "{v}[(ushort)({a}) % 9] = {x};",
            "{v}[4 + ((char)({a}) >> 5)] -= {x};",
            "for (uchar k_ = 250; k_ != 2; k_++) {v}[(uchar)(k_ + 6) & 7] += (short)(k_ * {x});",
        ),
    ),
}  # fmt: skip

KINDS = SCALARS | VECTORS | AGGREGATES

# Kinds that not every implementation has.
OPTIONAL_KINDS = frozenset({"half", "half4"})
