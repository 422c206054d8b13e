"""Regular expressions that are compiled when they are first used.

Python compiles a pattern in about 0.1 ms. Weft's modules have 250 patterns; a process that compiles a few
kernels uses a third of them. `weft prepare` compiles all of them ahead (`module_archive.py`).
"""

import re
from typing import TYPE_CHECKING, Any

from weft.module_archive import pattern_of

_METHODS = ("findall", "finditer", "fullmatch", "match", "search", "split", "sub", "subn")

if TYPE_CHECKING:
    from re import compile as lazy_pattern
else:

    class lazy_pattern:
        """A pattern that is compiled at its first use."""

        def __init__(self, text: str | bytes, flags: int = 0) -> None:
            self.pattern = text
            self._flags = flags

        def __getattr__(self, name: str) -> Any:
            if name not in _METHODS:
                raise AttributeError(f"a pattern has no {name!r} here")
            compiled = pattern_of(self.pattern, self._flags) or re.compile(self.pattern, self._flags)
            for method in _METHODS:
                self.__dict__[method] = getattr(compiled, method)
            return self.__dict__[name]
