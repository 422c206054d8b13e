"""Define the generic-pointer functions in clang's module, in terms of the tests that passes recognize.

    declare ptr addrspace(3) @__to_local(ptr addrspace(4))

becomes

    define internal ptr addrspace(3) @__to_local(ptr addrspace(4) %p) alwaysinline {
      %there = call i1 @weft.is_local(ptr addrspace(4) %p)
      %cast = addrspacecast ptr addrspace(4) %p to ptr addrspace(3)
      %result = select i1 %there, ptr addrspace(3) %cast, ptr addrspace(3) null
      ret ptr addrspace(3) %result
    }

Null pointers of all address spaces have the same bits, which LLVM does not assume: casts of null become null.
"""

import re
from collections.abc import Iterable

from weft.ir.address_spaces import SPACE_QUERIES, SPACE_QUERY_DECLARATIONS
from weft.lazy_pattern import lazy_pattern

_NULL_CAST = lazy_pattern(r" addrspacecast \(ptr(?: addrspace\(\d+\))? null to ptr(?: addrspace\(\d+\))?\)")
_DECLARED = lazy_pattern(
    r"^declare [^\n@]*@(?:__to_(private|global|local)|(_Z9get_fencePU9CLgenericK?v))\([^\n]*\n", re.MULTILINE
)

# CLK_LOCAL_MEM_FENCE and CLK_GLOBAL_MEM_FENCE; private memory needs no fence.
FENCE_FLAGS = (("weft.is_local", 1), ("weft.is_global", 2))


def define_generic_functions(ir: str) -> str:
    """Define the functions of generic pointers in a module."""
    if "addrspace(4)" not in ir:
        return ir
    ir = _NULL_CAST.sub(" null", ir)
    needed: dict[str, None] = {}

    def defined(match: re.Match[str]) -> str:
        if match[1]:
            needed[f"weft.is_{match[1]}"] = None
            return _cast(match[1])
        needed.update(dict.fromkeys(name for name, _ in FENCE_FLAGS))
        return _fence(match[2])

    return with_space_queries(_DECLARED.sub(defined, ir), needed)


def with_space_queries(ir: str, names: Iterable[str]) -> str:
    """Add missing declarations of address-space tests to a module."""
    missing = [SPACE_QUERY_DECLARATIONS[name] for name in names if f"\ndeclare i1 @{name}(" not in ir]
    return "\n".join((ir.rstrip("\n"), *missing, "")) if missing else ir


def _cast(space: str) -> str:
    number = SPACE_QUERIES[f"weft.is_{space}"]
    pointer = f"ptr addrspace({number})" if number else "ptr"
    return f"""define internal {pointer} @__to_{space}(ptr addrspace(4) %p) alwaysinline {{
  %there = call i1 @weft.is_{space}(ptr addrspace(4) %p)
  %cast = addrspacecast ptr addrspace(4) %p to {pointer}
  %result = select i1 %there, {pointer} %cast, {pointer} null
  ret {pointer} %result
}}
"""


def _fence(symbol: str) -> str:
    (first, flag), (second, other) = FENCE_FLAGS
    return f"""define internal i32 @{symbol}(ptr addrspace(4) %p) alwaysinline {{
  %first = call i1 @{first}(ptr addrspace(4) %p)
  %second = call i1 @{second}(ptr addrspace(4) %p)
  %other = select i1 %second, i32 {other}, i32 0
  %result = select i1 %first, i32 {flag}, i32 %other
  ret i32 %result
}}
"""
