"""Keep LLVM from storing more than a masked store is asked to.

For processors that can store a vector truncated (AVX-512) LLVM 22 makes a truncation part of the masked store
that follows it. Where it finds then that the mask has one lane, it stores the whole number that was to be
truncated, over what lies behind: eight bytes instead of four. Remainders of one work-item and conditions as
`get_local_id(0) == 0` make such masks, some of them in LLVM's own optimizer only. So every vector that a
masked store takes has one more use, of which no code is made: then the two stay apart.
"""

import re

from weft.target import Target

_STORE = re.compile(
    r"^ *(?:tail )?call void @llvm\.masked\.store\.[\w.]+\("
    r'(<\d+ x i(?:8|16|32)> %(?:"[^"]*"|[\w.$-]+)),.*$',
    re.MULTILINE,
)
_DECLARATION = "declare void @llvm.fake.use(...)"


def keep_truncations(text: str, target: Target) -> str:
    """The module with a use of every vector that a masked store could truncate."""
    if not target.stores_truncated or "@llvm.masked.store." not in text:
        return text
    text, count = _STORE.subn(r"\g<0>\n  call void (...) @llvm.fake.use(\1)", text)
    if count and _DECLARATION not in text:
        text += f"\n{_DECLARATION}\n"
    return text
