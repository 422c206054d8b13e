"""Every built-in function of OpenCL C 1.2 that the library defines, for every type, width and address space.

Parameters: T is the generic type, t its element, I and U the integers of its size, i intN, s int, z size_t,
M a vector of any width, the same one in a call; `*x` points to x in any space that can be written to, `&x` in
any space.
"""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from builtin_harness import INTEGERS, NUMPY

SIGNED = tuple(element for element in INTEGERS if not element.startswith("u"))
FLOATS = ("float", "double", "half")
STORED_AS_HALF = ("float", "double")
ALL = tuple(NUMPY)
VECTORS = (2, 3, 4, 8, 16)
ANY_WIDTH = (1, *VECTORS)
ROUNDINGS = ("", "_rte", "_rtz", "_rtp", "_rtn")

_ANGLES = "sin cos tan exp exp2 exp10 log log2 log10 recip rsqrt sqrt"
_RELATIONS = "isequal isnotequal isgreater isgreaterequal isless islessequal islessgreater"
_ATOMICS = "add sub xchg min max and or xor"

# Names, element types, widths, parameters.
_TABLE: tuple[tuple[str, tuple[str, ...], tuple[int, ...], str], ...] = (
    ("acos acosh acospi asin asinh asinpi atan atanh atanpi cbrt ceil cos cosh", FLOATS, ANY_WIDTH, "T"),
    ("cospi erf erfc exp exp2 exp10 expm1 fabs floor ilogb lgamma log log2 log10", FLOATS, ANY_WIDTH, "T"),
    ("log1p logb rint round rsqrt sin sinh sinpi sqrt tan tanh tanpi tgamma trunc", FLOATS, ANY_WIDTH, "T"),
    ("atan2 atan2pi copysign fdim fmax fmin fmod hypot maxmag minmag", FLOATS, ANY_WIDTH, "T T"),
    ("nextafter pow powr remainder", FLOATS, ANY_WIDTH, "T T"),
    ("fmax fmin", FLOATS, VECTORS, "T t"),
    ("fma mad", FLOATS, ANY_WIDTH, "T T T"),
    ("ldexp pown rootn", FLOATS, ANY_WIDTH, "T i"),
    ("ldexp", FLOATS, VECTORS, "T s"),
    ("fract modf sincos", FLOATS, ANY_WIDTH, "T *T"),
    ("frexp lgamma_r", FLOATS, ANY_WIDTH, "T *i"),
    ("remquo", FLOATS, ANY_WIDTH, "T T *i"),
    ("nan", FLOATS, ANY_WIDTH, "U"),
    (" ".join(f"native_{name} half_{name}" for name in _ANGLES.split()), ("float",), ANY_WIDTH, "T"),
    ("native_divide native_powr half_divide half_powr", ("float",), ANY_WIDTH, "T T"),
    ("abs clz popcount", INTEGERS, ANY_WIDTH, "T"),
    ("abs_diff add_sat hadd rhadd max min mul_hi rotate sub_sat", INTEGERS, ANY_WIDTH, "T T"),
    ("max min", INTEGERS, VECTORS, "T t"),
    ("clamp mad_hi mad_sat", INTEGERS, ANY_WIDTH, "T T T"),
    ("clamp", INTEGERS, VECTORS, "T t t"),
    ("upsample", ("char", "short", "int", "uchar", "ushort", "uint"), ANY_WIDTH, "T U"),
    ("mul24", ("int", "uint"), ANY_WIDTH, "T T"),
    ("mad24", ("int", "uint"), ANY_WIDTH, "T T T"),
    ("degrees radians sign", FLOATS, ANY_WIDTH, "T"),
    ("max min step", FLOATS, ANY_WIDTH, "T T"),
    ("max min", FLOATS, VECTORS, "T t"),
    ("step", FLOATS, VECTORS, "t T"),
    ("clamp mix smoothstep", FLOATS, ANY_WIDTH, "T T T"),
    ("clamp", FLOATS, VECTORS, "T t t"),
    ("mix", FLOATS, VECTORS, "T T t"),
    ("smoothstep", FLOATS, VECTORS, "t t T"),
    ("cross", FLOATS, (3, 4), "T T"),
    ("dot distance", FLOATS, (1, 2, 3, 4), "T T"),
    ("length normalize", FLOATS, (1, 2, 3, 4), "T"),
    ("fast_distance", ("float",), (1, 2, 3, 4), "T T"),
    ("fast_length fast_normalize", ("float",), (1, 2, 3, 4), "T"),
    (_RELATIONS, FLOATS, ANY_WIDTH, "T T"),
    ("isordered isunordered", FLOATS, ANY_WIDTH, "T T"),
    ("isfinite isinf isnan isnormal signbit", FLOATS, ANY_WIDTH, "T"),
    ("any all", SIGNED, ANY_WIDTH, "T"),
    ("bitselect", ALL, ANY_WIDTH, "T T T"),
    ("select", ALL, ANY_WIDTH, "T T I"),
    ("select", ALL, ANY_WIDTH, "T T U"),
    ("vload#", ALL, VECTORS, "z &t"),
    ("vstore#", ALL, VECTORS, "T z *t"),
    ("vload_half", ("half",), (1,), "z &t"),
    ("vload_half# vloada_half#", ("half",), VECTORS, "z &t"),
    (" ".join(f"vstore_half{mode}" for mode in ROUNDINGS), STORED_AS_HALF, (1,), "T z *half"),
    (" ".join(f"vstore_half#{m} vstorea_half#{m}" for m in ROUNDINGS), STORED_AS_HALF, VECTORS, "T z *half"),
    (" ".join(f"atomic_{name} atom_{name}" for name in _ATOMICS.split()), ("int", "uint"), (1,), "shared t"),
    ("atomic_inc atomic_dec atom_inc atom_dec", ("int", "uint"), (1,), "shared"),
    ("atomic_cmpxchg atom_cmpxchg", ("int", "uint"), (1,), "shared t t"),
    (" ".join(f"atom_{name}" for name in _ATOMICS.split()), ("long", "ulong"), (1,), "shared t"),
    ("atom_inc atom_dec", ("long", "ulong"), (1,), "shared"),
    ("atom_cmpxchg", ("long", "ulong"), (1,), "shared t t"),
    ("atomic_xchg", ("float",), (1,), "shared t"),
    ("shuffle", ALL, (2, 4, 8, 16), "M U"),
    ("shuffle2", ALL, (2, 4, 8, 16), "M M U"),
    ("mem_fence read_mem_fence write_mem_fence", ("uint",), (1,), "t"),
    ("prefetch", ALL, ANY_WIDTH, "global z"),
)


@dataclass(frozen=True)
class Call:
    """A function and the types of its parameters, as OpenCL C spells them."""

    name: str
    parameters: tuple[str, ...]


def calls() -> list[Call]:
    """All functions of the table, and all conversions."""
    found = [call for row in _TABLE for call in _of_row(*row)]
    for source, to, width in itertools.product(ALL, ALL, ANY_WIDTH):
        modes = [f"{s}{m}" for s in (("", "_sat") if to in INTEGERS else ("",)) for m in ROUNDINGS]
        found += [Call(f"convert_{_spell(to, width)}{mode}", (_spell(source, width),)) for mode in modes]
    return list(dict.fromkeys(found))


def _of_row(names: str, elements: tuple[str, ...], widths: tuple[int, ...], words: str) -> Iterator[Call]:
    for name, element, width in itertools.product(names.split(), elements, widths):
        choices = [_choices(word, element, width) for word in words.split()]
        for parameters in itertools.product(*choices):
            if words.startswith("M M") and parameters[0] != parameters[1]:
                continue
            yield Call(name.replace("#", str(width)), parameters)


def _choices(word: str, element: str, width: int) -> list[str]:
    """The types a parameter may have."""
    if word == "M":
        return [_spell(element, other) for other in (2, 4, 8, 16)]
    if word == "global":
        return [f"const global {_spell(element, width)} *"]
    if word == "shared":
        return [f"volatile {space} {element} *" for space in ("global", "local")]
    if word[0] in "*&":
        pointed = _choices(word[1:], element, width)[0]
        if word[0] == "*":
            return [f"{space} {pointed} *" for space in ("global", "local", "private")]
        return [f"const {space} {pointed} *" for space in ("global", "local", "private", "constant")]
    size = NUMPY[element]().itemsize
    signed = {1: "char", 2: "short", 4: "int", 8: "long"}[size]
    named = {"T": element, "I": signed, "U": f"u{signed}", "i": "int"}
    if word in named:
        return [_spell(named[word], width)]
    return [{"t": element, "s": "int", "z": "size_t"}.get(word, word)]


def _spell(element: str, width: int) -> str:
    return f"{element}{width}" if width > 1 else element
