"""Replace `unreachable` by returns after LLVM has used it.

`if (n > 8) __builtin_unreachable();` and `__builtin_assume(n <= 8);` let LLVM simplify the code that follows.
If the remaining `unreachable` were reached, execution would continue with whatever follows in memory.
Violated assumptions would have the same effect later, so they are dropped.

Works on text: it runs between LLVM's passes, and parsing the program would take longer than they do.
"""

import re

from weft.lazy_pattern import lazy_pattern

_FUNCTION = lazy_pattern(r"^define .*?^\}$", re.MULTILINE | re.DOTALL)
_TYPE = lazy_pattern(r"(<[^@\n]*>|\{[^@\n]*\}|\[[^@\n]*\]|[^\s@]+) @")
_UNREACHABLE = lazy_pattern(r"^  unreachable\b", re.MULTILINE)
_ASSUMPTION = lazy_pattern(r"^  (?:tail )?call void @llvm\.assume\([^\n]*\n", re.MULTILINE)


def has_unreachable_or_assumptions(text: str) -> bool:
    """Return whether a module contains `unreachable` or assumptions."""
    return "\n  unreachable" in text or "@llvm.assume(" in text


def return_from_unreachable(text: str) -> str:
    """Return the module with returns in place of `unreachable`, and without assumptions."""
    return _FUNCTION.sub(lambda function: _returning(function[0]), _ASSUMPTION.sub("", text))


def _returning(function: str) -> str:
    if "\n  unreachable" not in function:
        return function
    type = _TYPE.search(function)
    assert type is not None
    result = "ret void" if type[1] == "void" else f"ret {type[1]} zeroinitializer"
    return _UNREACHABLE.sub(f"  {result}", function)
