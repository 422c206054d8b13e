"""Arithmetic of random kernels with numbers of 8 and 16 bits.

Templates are over {x} and {y}, numbers of any of the four types, {a}, a `uint`, {u}, a `uint` that is the
same for all work-items, {s} and {l}, constants to shift by, of which the second leaves something of few bits
shifted to the left, {i}, the counter of a loop, less than 32, {o}, an odd number, and {k}, one less than 8.

C computes with `int` what is smaller, so that only products of two `ushort`s can overflow: one factor is
signed or a `uint`. Shifts take what is there to shift by: OpenCL counts modulo the number of bits, and says
what shifts of negative numbers give. Divisors are odd or looked at before. Conversions to floating point are
exact, and those back in range.
"""

NUMBERS = ("uchar", "char", "ushort", "short")
SHIFTS = (1, 0, 3, 4, 7, 8, 9, 12, 15, 16, 17, 18, 20, 23, 24, 28, 31)
LEFT_SHIFTS = (1, 0, 2, 3, 5, 7, 8, 11, 15, 24)

# What gives an integer of 32 bits or fewer.
OPERATIONS = (
    "{x} + {y}", "{x} - {y}", "{x} * (short){y}", "(uint){x} * {y}", "{x} & {y}", "{x} | {y}", "{x} ^ {y}",
    "~{x}", "-{x}", "!{x}", "{x} + 1", "{x} * 77", "{x} - 32767",
    # shifts
    "{x} >> {s}", "{x} << {s}", "{x} >> {s}", "{x} << {s}", "{x} >> {a}", "{x} << {a}",
    "{x} >> {y}", "{x} << {y}",
    "(uint){x} >> {s}", "(uint){x} << {s}", "(uint){x} >> {y}", "({x} >> {s}) + 3 * ({y} >> {s})",
    "{a} >> {x}", "(int)({a}) >> {x}", "1u << {x}", "{x} >> (uchar)({u})", "(uint){x} << ({u} & 15u)",
    "({x} << {s}) >> {s}", "(ushort)({x} << {s}) >> {s}", "(char)({x} >> {s}) << {s}", "(ulong){x} >> {s}",
    "(long){x} >> {y}",
    # divisions
    "{x} / ({y} | 1)", "{x} % ({y} | 1)", "{x} / (int)({u} | 1u)", "{x} % (int)({u} | 1u)",
    "{x} / (uchar)({u} | 1u)", "{x} % (char)({u} | 1u)", "{x} / (short)({u} | 1u)",
    "{x} % (ushort)({u} | 1u)",
    "{x} / ({u} | 1u)", "(ushort){x} % ({u} | 1u)", "(long){x} / ((long)(int)({u}) | 1)",
    "{x} / 3", "{x} % -7", "{x} / 256", "{x} % 10", "{y} ? {x} / {y} : {x}", "{y} != 0 ? {x} % {y} : 5",
    # choices
    "{x} < {y}", "{x} == {y}", "{x} < {y} ? {x} : {y}", "{x} >= (int)({a}) ? {y} : {x}",
    "{x} > 0 && {y} != 3",
    "max((short){x}, (short){y})", "min((uchar){x}, (uchar){y})",
    "clamp((char){x}, (char)-7, (char)({y} & 63))", "select((short){x}, (short){y}, (short)({x} > {y}))",
    # built-ins
    "add_sat((char){x}, (char){y})", "sub_sat((ushort){x}, (ushort){y})", "mul_hi((short){x}, (short){y})",
    "rotate((uchar){x}, (uchar){y})", "rotate((short){x}, (short){y})", "abs_diff((char){x}, (char){y})",
    "hadd((short){x}, (short){y})", "rhadd((uchar){x}, (uchar){y})", "abs((short){x})", "popcount((char){x})",
    "clz((ushort){x})", "upsample((uchar){x}, (uchar){y})", "upsample((short){x}, (ushort){y})",
    "mad_sat((short){x}, (short){y}, (short){x})", "as_char((uchar){x})", "as_ushort((short){x})",
    # conversions
    "(int)((float){x} * 0.5f)", "(int)((float){x} * 3.0f - (float){y})", "(float){x} < (float){y} * 0.5f",
    "convert_char_sat((float){x} * 0.5f)", "convert_uchar_sat((float){x} - (float){y})",
    "convert_short_sat_rte((float){x} * 1.5f)", "convert_int_rte((float){x} * 0.25f)",
    "convert_uchar_sat({x})",
    "convert_char_sat({x} - {y})", "convert_ushort_sat((int)({a}))", "(int)((double){x} * 0.25)",
)  # fmt: skip

# Operations that compilers may do with fewer bits than C does.
PLAIN_OPERATIONS = (
    "{x} + {y}", "{x} - {y}", "{x} * (short){y}", "(uint){x} * {y}", "{x} & {y}", "{x} | {y}", "{x} ^ {y}",
    "{x} * 77", "{x} + 1", "~{x}", "{x} & 15", "{x} < {y} ? {x} : {y}", "{x} >> {s}", "{x} << {l}",
    "(uint){x} >> {s}", "(uint){x} << {l}", "(uint){x} >> {s}", "({x} << {l}) >> {s}",
    "((uint){x} << {l}) >> {s}", "({x} >> {s}) + 3 * ({y} >> {s})", "({x} * (short){y}) >> {s}",
    "((uint){x} >> {s}) + 3 * ((uint){y} >> {s})", "((uint){x} >> {s}) ^ {y}",
    "((uint){x} >> {s}) + ({x} >> {s})", "{x} + ((uint){y} << {l})", "{x} - ((uint)(int){y} >> {s})",
)  # fmt: skip

# What makes a uint of two.
MIXES = (
    "({p} + {q})", "({p} - {q})", "({p} ^ {q})", "({p} * {q})", "({p} & {q})", "({p} | {q})", "({p} >> {s})",
    "({p} << {s})", "(uint)((int){p} >> {s})", "({p} >> ({q} & 15u))", "({p} < {q} ? {p} : {q})",
)  # fmt: skip

# Numbers in memory, found by indices that wrap as 8 or 16 bits do, or by odd strides.
LOADS = (
    "in8[(uchar)({a})]", "in16[(uchar)({a})]", "in8[128 + (char)({a})]", "in16[256 + ((short)({a}) >> 7)]",
    "((__global const uchar *)in8)[(uchar)({a} >> 3)]", "((__global const ushort *)in16)[128 + (char)({a})]",
    "in8[(ushort)({a}) % 300]", "in16[(ushort)({a}) >> 8]", "in8[{x} & 255]", "in16[{x} & 511]",
)  # fmt: skip
PLAIN_LOADS = (
    "in8[gid * {o}u + {i}]", "in16[gid * {o}u + {i}]", "((__global const ushort *)in16)[gid * {o}u + {k}u]",
    "((__global const uchar *)in8)[gid * {o}u + {i}]", "in16[gid + {i} * {o}u]", "in8[{i} * {o}u + {k}u]",
    "in16[(uchar)(gid + {i} * 50u)]",
)  # fmt: skip
ITEM_LOADS = (
    *PLAIN_LOADS,
    "in8[(uchar)(lid + {s}u * 8u)]", "in16[(uchar)(gid * {o}u + n)]", "in8[128 + (char)(gid * {o}u)]",
    "in16[(ushort)(gid + 65530u) & 255]",
    "in16[256 + ((short)(lid * 4097u) >> 7)]", "in8[(uchar)((uchar)lid - (uchar){s})]",
)  # fmt: skip
ODD = (3, 1, 5, 7)


def input_length(items: int) -> int:
    """How many numbers `in8` and `in16` must hold."""
    return 8 * items + 512


# The numbers in `out8` and `out16` that belong to a work-item: five and three.
STORES = (
    "out8[gid * 5u + {k}u % 5u] = (char)({n});", "out16[gid * 3u + {k}u % 3u] = (ushort)({n});",
    "out16[gid * 3u + {k}u % 3u] += (ushort)({n});", "out8[gid * 5u + {k}u % 5u] ^= (char)({n});",
    "out8[gid * 5u + {k}u % 5u] >>= {s} & 7;", "out16[gid * 3u + {k}u % 3u] <<= {x} & 3;",
    "((__global uchar *)out8)[gid * 5u + {k}u % 5u] -= {x};", "out8[gid * 5u + (uchar)({a}) % 5u] = {x};",
    "((__global short *)out16)[gid * 3u + (uchar)({a}) % 3u] = {x} - {y};",
    "vstore3(vload3(gid, out16) + (ushort3)({x}, {y}, 5), gid, out16);",
    "vstore4((char4)({x}, {y}, -1, (char)({a})), 0, out8 + gid * 5u + {k}u % 2u);",
)  # fmt: skip
