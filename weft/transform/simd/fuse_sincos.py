"""Fuse sin and cos of the same argument into one call of sincos, remainder and quotient into one of remquo.

    %s = call float @_Z3sinf(float %x)      %s = call float @_Z6sincosfPU9CLprivatef(float %x, ptr %cosine)
    %c = call float @_Z3cosf(float %x)      %c = load float, ptr %cosine

Sine and cosine start with the same argument reduction and use the same two polynomials. LLVM does not see
that, because the reduction of large arguments is in a branch. Remainder and quotient come from the same loop.
The results are bit-identical.

Runs after vectorization, before the library is linked. Fuses pairs within a block; refuses pairs in different
blocks or with different flags. Linear time.
"""

from enum import unique
from typing import NamedTuple

from weft.ir import Block, Function, Instruction, Value
from weft.ir.builder import Builder
from weft.ir.types import FunctionType, PointerType, Type, alignment_of
from weft.lazy_pattern import lazy_pattern
from weft.remarks import SILENT, Message, Remarks

_PRIVATE = PointerType(0)


class _Results(NamedTuple):
    """Two functions of `operands` arguments, and one that returns the first result and stores the second."""

    first: str
    second: str
    both: str
    stored: str
    operands: int

    def symbol(self, form: str) -> str:
        """Return the symbol of the function with both results, for arguments of mangled types."""
        if self.operands == 1:
            stored = "S_" if form.startswith("Dv") else form
        else:
            stored = _OPERANDS.sub("i", form)
        return f"_Z{len(self.both)}{self.both}{form}PU9CLprivate{stored}"


_RESULTS = (
    _Results("sin", "cos", "sincos", "cosine", 1),
    _Results("remainder", "__weft_quotient", "remquo", "quotient", 2),
)
_BY_NAME = {name: results for results in _RESULTS for name in (results.first, results.second)}
_RESULT = lazy_pattern(r"^_Z\d+(sin|cos|remainder|__weft_quotient)((?:Dv\d+_)?[fd](S_|[fd])?)$")
_OPERANDS = lazy_pattern(r"[fd](?:S_|[fd])$")


@unique
class FusedSincos(Message):
    """Remarks about two functions of the same arguments."""

    FUSED = "{first} and {second} of the same argument fused into one call"
    DIFFERENT_BLOCKS = "{first} and {second} of the same argument are in different blocks"
    DIFFERENT_FLAGS = "{first} and {second} of the same argument have different fast-math flags"


def fuse_sincos(function: Function, remarks: Remarks = SILENT) -> int:
    """Fuse the pairs of a work-group function; return their number."""
    pairs = [pair for block in function.blocks for pair in _pairs(block)]
    places: dict[Type, Instruction] = {}
    for pair in pairs:
        remarks.passed(FusedSincos.FUSED, pair.first, **pair.names)
        _join(function, pair, places)
    if remarks:
        _tell_missed(function, remarks)
    return len(pairs)


def pairs_of(symbols: frozenset[str]) -> list[str]:
    """Return the symbols of functions with two results that may replace some of these."""
    symbols_of_both = []
    for symbol in sorted(symbols):
        if (match := _RESULT.match(symbol)) is not None:
            results = _BY_NAME[match[1]]
            other = f"_Z{len(results.second)}{results.second}{match[2]}"
            if match[1] == results.first and other in symbols:
                symbols_of_both.append(results.symbol(match[2]))
    return symbols_of_both


class _Pair(NamedTuple):
    """Two calls with the same arguments, and their mangled types."""

    results: _Results
    first: Instruction
    second: Instruction
    form: str

    @property
    def names(self) -> dict[str, str]:
        return {"first": self.results.first, "second": self.results.second.removeprefix("__weft_")}


def _result(i: Instruction) -> tuple[_Results, str, str] | None:
    """Return the function of which a call computes one result, the call's own name, and its mangled types."""
    match = _RESULT.match(i.callee_name) if i.opcode == "call" else None
    if match is None:
        return None
    results = _BY_NAME[match[1]]
    return (results, match[1], match[2]) if len(i.arguments) == results.operands else None


def _tell_missed(function: Function, remarks: Remarks) -> None:
    """Report first results that were not fused with a second one of the same arguments, and why."""
    left = [(i, *result) for i in function.instructions() if (result := _result(i)) is not None]
    for i, results, name, form in left:
        if name != results.first:
            continue
        others = [o for o, _, other, _ in left if other == results.second and o.arguments == i.arguments]
        if not others:
            continue
        pair = _Pair(results, i, others[0], form)
        same_block = any(other.block is i.block for other in others)
        message = FusedSincos.DIFFERENT_FLAGS if same_block else FusedSincos.DIFFERENT_BLOCKS
        remarks.missed(message, i, **pair.names)


def _pairs(block: Block) -> list[_Pair]:
    """Return the pairs of calls in a block."""
    unpaired: dict[tuple[_Results, tuple[Value, ...], tuple[str, ...]], dict[str, Instruction]] = {}
    pairs = []
    for i in block.instructions:
        result = _result(i)
        if result is None:
            continue
        results, name, form = result
        key = (results, tuple(i.arguments), i.flags)
        calls = unpaired.setdefault(key, {})
        calls.setdefault(name, i)
        if len(calls) == 2:
            pairs.append(_Pair(results, calls[results.first], calls[results.second], form))
            del unpaired[key]
    return pairs


def _join(function: Function, pair: _Pair, places: dict[Type, Instruction]) -> None:
    """Replace two calls by one; `places` has variables for second results by type, which are read at once."""
    first, second = pair.first, pair.second
    module, block = function.parent, first.parent
    type, stored = first.type, second.type
    types = (*(a.type for a in first.arguments), _PRIVATE)
    both = module.declare(pair.results.symbol(pair.form), FunctionType(type, types))
    if stored not in places:
        name = pair.results.stored
        places[stored] = Builder.in_entry(function).alloca(stored, alignment_of(stored), name)
    place = places[stored]
    earlier = first if block.index(first) < block.index(second) else second
    b = Builder(block, earlier)
    new = b.call(both, [*first.arguments, place], first.name)
    new.flags = first.flags
    loaded = b.insert(Instruction("load", stored, [place], second.name, (), {"align": alignment_of(stored)}))
    first.replace_all_uses_with(new)
    second.replace_all_uses_with(loaded)
    first.erase()
    second.erase()
