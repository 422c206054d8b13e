"""Work around LLVM back ends that miscompile masked stores and scatters.

For processors with truncating vector stores (AVX-512), LLVM 22 folds a truncation into the masked store that
follows it. If it then finds that the mask has one lane, it stores the untruncated number over the following
memory: eight bytes instead of four. Remainders of one work-item and conditions such as `get_local_id(0) == 0`
produce such masks, some of them only in LLVM's optimizer. So every vector operand of a masked store gets a
fake use, which prevents the folding.

For RISC-V, LLVM 22 turns a scatter to adjacent constant offsets into a store and a shuffle, but shuffles by
the inverse permutation. `llvm.vp.scatter` stays a scatter. Scatters of one lane, or of halves, which are
stored one by one, need not change.

Works on text: the modules go to LLVM as text, with libraries that are never parsed here.
"""

import re

from weft.codegen.fake_uses import declared, fake_use
from weft.lazy_pattern import lazy_pattern
from weft.target import Target

_STORE = lazy_pattern(
    r"^ *(?:tail )?call void @llvm\.masked\.store\.[\w.]+\("
    r'(<\d+ x i(?:8|16|32)> %(?:"[^"]*"|[\w.$-]+)),.*$',
    re.MULTILINE,
)
_SCATTER = lazy_pattern(
    r"^(declare|.* call) void @llvm\.masked\.scatter"
    r"(\.v(\d\d+|[2-9])(?:i8|i16|i32|i64|f32|f64)\.\w+\()(.*<\d+ x i1>[^!#\n]*)\)",
    re.MULTILINE,
)


def keep_stores(text: str, target: Target) -> str:
    """Return the module in a form for which the back end stores to the correct locations."""
    return _predicate_scatters(_keep_truncations(text, target), target)


def _predicate_scatters(text: str, target: Target) -> str:
    """Return the module with scatters that state their number of lanes."""
    if not target.predicated_scatters or "@llvm.masked.scatter." not in text:
        return text

    def predicated(scatter: re.Match[str]) -> str:
        what, rest, lanes, arguments = scatter.groups()
        number = "i32" if what == "declare" else f"i32 {lanes}"
        return f"{what} void @llvm.vp.scatter{rest}{arguments}, {number})"

    return _SCATTER.sub(predicated, text)


def _keep_truncations(text: str, target: Target) -> str:
    """Return the module with a fake use of every vector that a masked store could truncate."""
    if not target.stores_truncated or "@llvm.masked.store." not in text:
        return text
    text, count = _STORE.subn(lambda store: f"{store[0]}\n{fake_use(store[1])}", text)
    return declared(text) if count else text
