"""Give equal instructions equal flags, because LLVM's newgvn confuses them.

A flag states a fact that holds at the instruction: here, that `i` is even.

    if ((i & 3) == 0) use(i / 2);     %q = lshr exact i32 %i, 1
    i /= 2;                           %i.next = lshr i32 %i, 1

newgvn treats these as one value, and uses the flags of one to draw conclusions about the other: `%i.next` is
not 0 because `%i` is not, so the loop never ends. Therefore both get the intersection of their flags.

Instructions are equal if their operations and operands are. Loads from the same address and calls with the
same arguments count as equal too, whatever is stored in between: this costs only some flags. newgvn finds
more equalities (induction variables of two loops, both sides of `a == b`). So the most critical flags are
intersected over all operations of a kind, such as all 32-bit shifts by 1. Flags of sums, products and
addresses, on which proofs about indices rely, are not: values that only newgvn finds equal keep them.

Works on text: the modules go to LLVM as text, with libraries that are never parsed here.
"""

import re

from weft.lazy_pattern import lazy_pattern

_END_OF_FUNCTION = "\n}\n"
_VALUE = r'%(?:"[^"]*"|[-\w.$]+)'
# Flags of operations, attributes of results and arguments of calls, and calling conventions.
_FLAG = (
    r"(?:nuw|nsw|nusw|inbounds|exact|disjoint|nneg|samesign|fast|reassoc|nnan|ninf|nsz|arcp|contract|afn"
    r"|noundef|nonnull|zeroext|signext|align \d+|(?:range|nofpclass|dereferenceable)\([^()]*\)"
    r"|spir_func|fastcc) "
)
_CONVENTIONS = frozenset({"spir_func ", "fastcc "})  # kept, because the called function has one too
_FLAGS = lazy_pattern(rf"(?<![^ (]){_FLAG}")
_INSTRUCTION = lazy_pattern(
    rf"^(  ({_VALUE}) = (?:(?:tail|notail) )?(\w+) )((?:{_FLAG})*)"
    r'([^!"\n]*(?:"[^"\n]*"[^!"\n]*)*)',  # before metadata
    re.MULTILINE,
)
_NAME = lazy_pattern(_VALUE)
_END = lazy_pattern(r"(?:, align \d+)?(?: #\d+)?$")
_WITH_ATTRIBUTES = frozenset({"call", "load"})
_COMMUTATIVE = frozenset({"add", "mul", "and", "or", "xor", "fadd", "fmul"})
# Their operands may be swapped if the predicate, their first word, changes too.
_COMPARISONS = frozenset({"icmp", "fcmp"})
_BY_KIND = frozenset({"lshr", "ashr", "udiv", "sdiv", "trunc", "call"})
_NONE: frozenset[str] = frozenset()


def with_common_flags(text: str) -> str:
    """Return the module in which instructions with the same value have the flags that all of them have."""
    return _END_OF_FUNCTION.join(map(_in_function, text.split(_END_OF_FUNCTION)))


def _in_function(text: str) -> str:
    first: dict[str, str] = {}  # the first value that is equal to a value
    values: dict[tuple[str, ...], str] = {}  # the first value of an expression
    kinds: dict[str, tuple[str, ...]] = {}  # the kinds in which values share their flags
    common: dict[tuple[str, ...], frozenset[str]] = {}
    differ = False
    for _, name, operation, flag_text, operands in _INSTRUCTION.findall(text):
        operands = operands.removesuffix(", ")
        if operation in _WITH_ATTRIBUTES:
            operands = _FLAGS.sub("", _END.sub("", operands))
        named = _NAME.sub(lambda operand: first.get(operand[0], operand[0]), operands)
        parts = sorted(named.replace(",", " ").split()) if operation in _COMMUTATIVE else [named]
        first[name] = name if operation == "alloca" else values.setdefault((operation, *parts), name)
        kind: tuple[str, ...] = (first[name],)
        if operation in _BY_KIND:
            kind = (operation, _NAME.sub("%", operands))
        elif operation in _COMPARISONS:
            kind = (operation, *sorted(named.replace(",", " ").split()[1:]))
        kinds[name] = kind
        flags = frozenset(_FLAGS.findall(flag_text)) - _CONVENTIONS if flag_text else _NONE
        if common.setdefault(kind, flags) != flags:
            common[kind] &= flags
            differ = True

    def with_common(match: re.Match[str]) -> str:
        start, name, _, flag_text, rest = match.groups()
        if not flag_text:
            return match[0]
        flags = common[kinds[name]] | _CONVENTIONS
        return start + "".join(flag for flag in _FLAGS.findall(flag_text) if flag in flags) + rest

    return _INSTRUCTION.sub(with_common, text) if differ else text
