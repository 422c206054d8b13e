"""Calls of the library in random kernels, all with exact results.

Floating point numbers are whole and from -100 to 100 before and after each call, so that products, sums and
halves of them are exact. Which zero a function gives, the positive or the negative one, is not looked at.
Templates are over {f}, {g} and {h}, numbers of the family's type, and {k}, a number from 0 to 3.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Family:
    """Calls that take and give numbers of one type."""

    type_name: str
    first: str  # a number of the type, made of the expression {a}
    bounded: str  # the result of a call, as small as it must be for the next one
    last: str  # a uint made of a number of the type
    calls: tuple[str, ...]


_WHOLE = (
    "fabs({f})", "fmin({f}, {g})", "fmax({f}, {g})", "floor({f} * 0.5f)", "ceil({f} * 0.25f)",
    "rint({f} * 0.5f)",
    "round({f} * 0.5f)", "trunc({f} * 0.125f)", "fma({f}, {g}, {h})", "mad({f}, {g}, {h})", "ldexp({f}, {k})",
    "sqrt({f} * {f})", "fdim({f}, {g})", "step({f}, {g})", "sign({f})", "maxmag({f}, {g})",
    "minmag({f}, {h})",
    "fmod({f}, fabs({g}) + 3.0f)", "remainder({f}, 7.0f)", "clamp({f}, -9.0f, {k}.0f)", "min({f}, {g})",
    "max({f}, {g})",
    "-{f}", "{f} + {g}", "{f} * {g} - {h}", "mix({f}, {g}, 0.5f) * 2.0f",
)  # fmt: skip
# What is for scalars only, or named for a type.
_FLOATS = (
    "{f} < {g} ? {f} : {h}", "(float)(int){f}", "convert_float_rte(convert_int_rtn({f} * 0.5f))",
    "whole_half({f})",
    "mantissa_exponent({f})", "select({f}, {g}, (int)({f} < {h}))", "(float)ilogb(fabs({f}) + 1.0f)",
    "as_float(as_int({f}))", "(float)isgreater({f}, {g})",
    "dot((float4)({f}, {g}, {h}, 1.0f), (float4)(2.0f, {f}, 0.5f, {g})) * 2.0f",
    "cross((float3)({f}, {g}, {h}), (float3)({g}, 2.0f, {f})).y", "pown({f}, 1)", "nextafter({f}, {f})",
    "logb(fabs({f}) + 1.0f)",
)  # fmt: skip
_FLOATS_4 = (
    "{f}.wzyx", "{f} < {g} ? {f} : {h}", "select({f}, {g}, {f} > {h})", "convert_float4(convert_int4({f}))",
    "(float4)(dot({f}.xy, {g}.zw), {h}.xyz)", "(float4)(cross({f}.xyz, {g}.xyz), {h}.w)",
    "as_float4(as_int4({f}))",
)  # fmt: skip
_INTEGERS = (
    "abs_diff({f}, {g})", "add_sat({f}, {g})", "sub_sat({f}, {g})", "hadd({f}, {g})", "rhadd({f}, {g})",
    "clz({f})",
    "rotate({f}, {g})", "popcount({f})", "mul_hi({f}, {g})", "mad_sat({f}, {g}, {h})", "min({f}, {g})",
    "max({f}, {h})",
    "bitselect({f}, {g}, {h})", "abs({f})", "{f} ^ {g}", "~{f}",
)  # fmt: skip


def _double(template: str) -> str:
    """A template over floats with the constants of doubles."""
    for constant in ("0.5", "0.25", "0.125", "3.0", "7.0", "9.0", "2.0", "{k}.0"):
        template = template.replace(f"{constant}f", constant)
    return template


def _integers(name: str, *more: str) -> Family:
    signed = (f"as_{name}({call})" if call.startswith("abs") else call for call in _INTEGERS)
    calls = (
        *signed,
        f"clamp({{f}}, ({name})3, ({name})99)",
        f"select({{f}}, {{g}}, ({name})({{f}} > {{h}}))",
        *more,
    )
    return Family(name, f"({name})({{a}})", f"({name})({{}})", "(uint){}", calls)


_BOUNDED = "clamp({}, -100.0f, 100.0f)"
_MUL24 = ("mul24({f} >> 8, {g} >> 8)", "mad24({f} >> 20, {g} >> 20, {h} >> 2)")

FAMILIES = (
    Family("float", "(float)((int)({a} & 0x7fu) - 60)", _BOUNDED, "(uint)(int){}", _WHOLE + _FLOATS),
    Family(
        "double",
        "(double)((int)({a} & 0x7fu) - 60)",
        "clamp({}, -100.0, 100.0)",
        "(uint)(int){}",
        tuple(map(_double, _WHOLE)),
    ),
    Family(
        "float4",
        "convert_float4((int4)((int)({a} & 0x7fu), 3, (int)({b} & 31u), -7)) - 30.0f",
        _BOUNDED,
        "(uint)(int)({0}.x + {0}.y + {0}.z + {0}.w)",
        _WHOLE + _FLOATS_4,
    ),
    _integers("int", *_MUL24),
    _integers("uint", *_MUL24, "mad_hi({f}, {g}, {h})", "{f} * {g}"),
    _integers("short"),
    _integers("uchar"),
    _integers("long"),
    _integers("ulong", "{f} + {g}"),
    _integers("char"),
    _integers("ushort"),
)

LIBRARY_HELPERS = """\
float whole_half(float x) {
    float whole;
    float rest = modf(x * 0.5f, &whole);
    return whole + 2.0f * rest;
}

float mantissa_exponent(float x) {
    int exponent;
    float mantissa = frexp(x, &exponent);
    return ldexp(mantissa, exponent) + (float)exponent;
}
"""
