"""Give every `switch` a default that can be reached.

If the cases of a `switch` cover all possible values, such as those of `x & 1`, LLVM makes its default
unreachable. Work-items would seem to leave the kernel there, and their branches never to meet again, so the
last case becomes the default:

    switch i8 %x, label %never [         switch i8 %x, label %b [
      i8 0, label %a                       i8 0, label %a
      i8 1, label %b                     ]
    ]

A `switch` with one case stays unchanged; LLVM leaves none. The probabilities of the cases are dropped.

Works on text: it runs between LLVM's passes, and parsing the program would take longer than they do.
"""

import re

from weft.lazy_pattern import lazy_pattern

_LABEL = r'"[^"\n]*"|[^\s,:"]+'
_FUNCTION = lazy_pattern(r"^define .*?^\}$", re.MULTILINE | re.DOTALL)
# A block with only `unreachable` or a branch: LLVM lets several dead ends lead to one.
_SHORT_BLOCK = lazy_pattern(
    rf"^(?P<name>{_LABEL}):[^\n]*\n  (?:unreachable|br label %(?P<next>{_LABEL}))[^\n]*\n", re.MULTILINE
)
_SWITCH = lazy_pattern(
    rf"^(?P<head>  switch i[^\n]*, label %)(?P<default>{_LABEL}) \[\n"
    rf"(?P<cases>(?:    i[^\n]*\n)+)    i[^\n]*, label %(?P<last>{_LABEL})\n  \](?:, !prof !\d+)?",
    re.MULTILINE,
)
_TARGET = lazy_pattern(rf"label %({_LABEL})")


def reachable_defaults(text: str) -> str:
    """Return the module in which no `switch` has an unreachable default."""
    if "\n  unreachable" not in text or "\n  switch " not in text:
        return text
    return _FUNCTION.sub(lambda function: _with_defaults(function[0]), text)


def _with_defaults(function: str) -> str:
    ends = _dead_ends(function)

    def switch(match: re.Match[str]) -> str:
        if match["default"] not in ends:
            return match[0]
        return f"{match['head']}{match['last']} [\n{match['cases']}  ]"

    changed = _SWITCH.sub(switch, function)
    left = function
    while changed != left:
        left, changed = changed, _without(ends.difference(_TARGET.findall(changed)), changed)
    return changed


def _without(blocks: set[str], function: str) -> str:
    return _SHORT_BLOCK.sub(lambda block: "" if block["name"] in blocks else block[0], function)


def _dead_ends(function: str) -> set[str]:
    """Return the blocks that do nothing and lead nowhere."""
    following = {block["name"]: block["next"] for block in _SHORT_BLOCK.finditer(function)}
    ends: set[str] = set()
    while more := {name for name, after in following.items() if after is None or after in ends} - ends:
        ends |= more
    return ends
