"""Numbers in place of what clang found to have no result: `(int)FLT_MAX`, which LLVM calls poison.

OpenCL C leaves it to the implementation what becomes of a number that is too large for an integer. To LLVM a
branch on poison is undefined behaviour, so that it removes whatever leads there:

    int least = (int)FLT_MAX;
    for (…) if (a[i] < least) least = a[i];        // a loop that cannot be entered

The number is the one that x86 processors give, the least one, and 0 for integers of fewer than 32 bits. Run
on what clang wrote, in which only constants have become poison.
"""

import re

# Not behind a `<`: the masks of shuffles have poison where an element does not matter.
_TYPED = re.compile(
    r'^(  (?:store |ret |%[^\n"=]+ = )(?:[^\n"<]*?[ (])?)i(8|16|32|64) poison\b', re.MULTILINE
)
_SECOND = re.compile(
    r'^(  %[^\n"=]+ = (?:icmp \w+|[a-z]+)(?: nsw| nuw| exact| disjoint)* i(8|16|32|64) [^\n",]+), poison\b',
    re.MULTILINE,
)


def settle_poison(text: str) -> str:
    """The module with numbers for integers that are poison."""
    while any(f"i{bits} poison" in text for bits in (8, 16, 32, 64)):
        text, count = _TYPED.subn(lambda m: f"{m[1]}i{m[2]} {_number(m[2])}", text)
        if not count:
            break
    if ", poison" in text:
        text = _SECOND.sub(lambda m: f"{m[1]}, {_number(m[2])}", text)
    return text


def _number(bits: str) -> int:
    return -(1 << (int(bits) - 1)) if int(bits) >= 32 else 0
