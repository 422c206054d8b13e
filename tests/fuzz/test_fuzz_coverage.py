"""The random kernels contain what they are there to try: each of these shapes is in many of them."""

import re
from collections import Counter
from collections.abc import Mapping

from fuzz_kernel import RandomCase, kernel_cases
from fuzz_sub_groups import sub_group_cases
from fuzz_worker import fuzzing
from hypothesis import given
from hypothesis import strategies as st

KERNELS = 400
# Of so many kernels each shape is in at least one of a hundred.
LEAST = KERNELS // 100

# Text of the kernel with its indentation.
SHAPES = {
    "for": r"^ +for \(uint i",
    "while": r"^ +while \(",
    "do": r"^ +do \{",
    "switch": r"^ +switch \(",
    "else": r"^ +else \{",
    "break": r"\) break;",
    "continue": r"\) continue;",
    "early return": r"\) return;",
    "long loop": r"% 24u;",
    "nested loops": r"^( +)(?:for|while|do)\b.*\{\n(?:\1 .*\n)*?\1 +(?:for \(uint i|while|do)\b",
    "barrier": r"^    barrier\(",
    "barrier in a branch": r"^( +)(?:if|else|switch)\b.*\{\n(?:\1 .*\n)*?\1 +barrier\(",
    "barrier in a loop": r"^( +)(?:for|while|do)\b.*\{\n(?:\1 .*\n)*?\1 +barrier\(",
    "barrier in a loop as long as a loaded value": r"^( +).*uni\[.* % \du;\n\1(?:for|while|do)\b.*\{\n"
    r"(?:\1 .*\n)*?\1 +barrier\(",
    "barrier that no work-item reaches": r"\(uint\)uni\[6\]\) barrier\(",
    "condition that only the values make uniform": r"15u\) < \(uint\)uni\[6\]",
    "exchange through local memory": r"tile\d\[lid\] = ",
    "exchange through global memory": r"scratch\[lid\] = ",
    "value told by one work-item": r"if \(lid == (?:0u|size - 1u)\) tile",
    "local atomic": r"atomic_\w+\(&tile",
    "local atomic of some work-items": r"if \(.*\) atomic_\w+\(&tile",
    "global atomic": r"atomic_\w+\(&counters",
    "copy of a group": r"async_work_group_copy",
    "work-group function": r"work_group_(?:any|all|reduce|scan)",
    "helper function": r"\+= helper\d\(",
    "helper function with barriers": r"helper\d\(.*tile",
    "private array": r"^ +uint \w+\[8\];",
    "structure": r"^ +struct record \w+;",
    "vector of float": r"^ +float4 \w+;",
    "vector of int": r"^ +u?int4 \w+;",
    "vector of bytes": r"^ +uchar4 \w+;",
    "vectors chosen by elements": r"select\(",
    "vector in a loop": r"^( +)(?:for|while|do)\b.*\{\n(?:\1 .*\n)*?\1 +(?:float4|u?int4) ",
    "vector load": r"vload4\(",
    "element of a vector chosen at run time": r"\*\)&v",
    "8 bits": r"^ +u?char [uv]\d+;",
    "16 bits": r"^ +u?short [uv]\d+;",
    "64 bits": r"^ +u?long \w+;",
    "double": r"^ +double \w+;",
    "half": r"^ +half \w+;",
    "vector of half": r"^ +half4 \w+;",
    "8 and 16 bits alone": r"^ +(?:uchar|char|ushort|short) v\d+ = .*;\n(?:.*\n)+?"
    r" +for \(.*\) \{\n(?: +v\d+ .*;\n)+    \}\n",
    "few bits shifted by data": r"\((?:char|short)\)\([^()]*\) (?:<<|>>) [a-z(]|\b[uv]\d+ (?:<<|>>)=? [a-z(]",
    "sign shifted out of few bits": r"\(uint\)(?:\(int\))?(?:in8|in16|v\d+)\b(?:\[[^\]]*\])? "
    r">> (?:1[5-9]|2\d|3\d)",
    "few bits divided by what is the same for all": r"/ \((?:uchar|short|char|ushort)\)\(.*\| 1u\)",
    "division that only some do": r"\? .* / .* : ",
    "index that wraps": r"in(?:8|16)\[(?:128 \+ )?\(u?char\)\(",
    "index of 16 bits": r"in(?:8|16)\[(?:256 \+ \()?\(u?short\)\(",
    "counter of few bits": r"for \(; i\d+ != t\d+; i\d+ \+= -?\d\)",
    "loads and stores at odd distances": r"out(?:8|16)\[gid \* [35]u",
    "exchange of bytes": r"\(__local uchar \*\)",
    "vector of few bits": r"^ +(?:char4|ushort4|char3|short2) \w+;",
    "vectors of few bits shifted": r"v\d+ = v\d+(?:\.\w+)? (?:<<|>>) ",
    "few bits and floating point": r"\(float\)(?:in8|in16|v\d+|\(u?char\)|\(u?short\))",
    "memory of bytes": r"narrow\[gid\]",
    "memory of 64 bits": r"wide\[gid\]",
    "chain of ten operations or more": r"(?:^ +\w+ (v\d+)c\d+ = .*\n){10}",
    "chain of the same for all": r"(?:^ +\w+ u\d+c\d+ = .*\n){4}",
    "unrolled chain": r"#pragma unroll\n +for \(uint k_ = 2u; ",
    "chain as an index": r"^ +(\w+) (v\d+) = \2c\d+;\n.* \+= in\[\(uint\)\2 & 63u\];",
    "chain as a guard": r"^ +(\w+) (v\d+) = \2c\S+;\n +if \(\(\(uint\)\2 & 7u\)",
    "chain as a number of iterations": r"k_ < \(\(uint\)[uv]\d+ & 7u\)",
    "chain of sums of ids": r"^ +uint v\d+c0 = (?:lid|gid)",
    "quotient before its guard": r"^ +\w+ (v\d+)q = \1x / \1y, \1r = \1x % \1y;",
    "guard by a condition": r"^ +(v\d+)z = \1y == 0 \? ",
    "guard by a branch": r"^ +if \((v\d+)y == 0\) \1z = 1; else",
    "guard by a switch": r"^ +switch \((v\d+)y\)",
    "guard in a loop": r"if \((v\d+)y == 0\) break; \1z",
    "guard in a function": r"guarded_quotient\(\(int\)\(v",
    "guard of the least number by -1": r"INT_MIN && v\d+d == -1",
    "guard of a vector of quotients": r"^ +int4 (v\d+)k = \1i / \1j;",
    "conversion to 8 bits": r"^ +u?char (v\d+)c = (?:\(u?char\)|convert_\w+)\(\1f\);",
    "conversion to 16 bits": r"^ +u?short (v\d+)c = (?:\(u?short\)|convert_\w+)\(\1f\);",
    "conversion to 32 bits": r"^ +u?int (v\d+)c = (?:\(u?int\)|convert_\w+)\(\1f\);",
    "conversion as an index": r"flat\[.*v\d+c\b",
    "conversion of a double": r"^ +double (v\d+)f = .*\n +\w+ \1c = ",
    "conversion of a vector": r"convert_uchar4\(v\d+g\)",
    "local index of quotient and remainder": r"(v\d+)q = \1t / \d+ \* \d+ \+ \1t % \d+;",
    "local pieces": r"(?:^ +piece\d+\[v\d+q \+ \d+\] = .*\n){3}",
    "global index of quotient and remainder": r"in\[gid / 8u \* 16u",
    "ten calls of the library": r"(?:^ +(?:v\d+[abc]) = .*\(.*\n){10}",
    "calls with floats": r"clamp\(\w+\(.*, -100.0f, 100.0f\)",
    "calls with doubles": r"clamp\(\w+\(.*, -100.0, 100.0\)",
    "calls with integers": r"^ +v\d+[abc] = \(\w+\)\((?:rotate|hadd|rhadd|mul_hi|mad_sat)",
    "pointer to one of two inputs": r"\*p\d+ = .* \? in : in",
    "pointer to one of two outputs": r"__global uint \*p\d+ = ",
    "pointer to one of two local arrays": r"__local uint \*p\d+ = ",
    "pointer to one of two private arrays": r"^ +uint \*p\d+(?:\[2\])? = ",
    "pointer that walks": r"p\d+ < in \+ 60; p\d+ \+= ",
    "structure by pointer": r"^ +struct record \*p\d+ = |touch_record\(",
    "sum beside a counter of few bits": r"\+ v\d+u\].*;\n +v\d+n \+= ",
    "counter of few bits as an index": r"w\[.* & \d+u\)(?: \+ 1u)?\] = in\[k_ \+ v\d+u\]",
    "sum in memory": r"k_.*\{\n(?:.*\n)*? +(?:wide\[gid\]|narrow\[gid\]|out\[gid \* 4u \+ \du\]) \+= ",
    "sum in local memory": r"^( +)(tile\d)\[lid\] = (?:.*\n)+?\1for .*k_.*\{\n(?:.*\n)*? +\2\[lid\] [-+^]?= ",
    "sum in memory in a loop in a loop": r"k_.*\{\n(?:.*\n)*? +for \(uint q_ = 0u; .*\) (?:\{ if|\w+\[gid)",
    "union": r"^ +union (?:bits|parts) \w+;",
    "function that calls itself last": r"^ +(?:return|if).* (tail\d)\(left - 1u(?:.*\n)+?.*= \1\(\(",
    "function that combines what it returns": r"return (?:.*[+*^|,] )?tail\d\(left - 1u, "
    r".*\)(?: [+^|] .*|\));",
    "large function": r"^uint helper\d\((?:.*\n){25,}?^\}",
    "function called several times": r"(helper\d)\(.*\n(?:.*\n)*?.*\1\(.*\n(?:.*\n)*?.*\1\(",
    "two dimensions": r"launch: \(\d+, \d+\) /",
    "three dimensions": r"launch: \(\d+, \d+, \d+\) /",
    "one work-item": r"/ \(1,\)",
    "offset": r"/ .* \+ \(",
}

# The same for kernels with functions of sub-groups.
SUB_GROUP_SHAPES = {
    "required size": r"intel_reqd_sub_group_size",
    "reduction": r"^    .*sub_group_reduce_(?:add|min|max)\(",
    "reduction of half": r"sub_group_reduce_\w+\(\(half\)",
    "reduction of bytes": r"sub_group_reduce_\w+\(\(u?char\)",
    "reduction of 64 bits": r"sub_group_reduce_\w+\(\((?:u?long|double)\)",
    "reduction in a loop": r"^( +)(?:for|do)\b.*\{\n(?:\1 .*\n)*?\1 +.*sub_group_reduce",
    "reduction in a branch": r"^( +)(?:if|else)\b.*\{\n(?:\1 .*\n)*?\1 +.*sub_group_reduce",
    "reductions in sequence": r"(?:^ +.*sub_group_reduce_.*\n){3}",
    "reductions around a barrier": r"sub_group_reduce(?:.*\n)+? +barrier\((?:.*\n)+?.*sub_group_reduce",
    "product": r"sub_group_non_uniform_reduce_mul",
    "scan": r"sub_group_scan_inclusive",
    "shuffle": r"sub_group_shuffle\(",
    "cluster": r"sub_group_clustered_reduce",
    "ballot": r"sub_group_ballot\(",
    "work-group function": r"work_group_(?:reduce|any|all)",
    "barrier of a sub-group": r"sub_group_barrier",
    "barrier in a branch": r"^( +)(?:if|else)\b.*\{\n(?:\1 .*\n)*?\1 +barrier\(",
    "barrier in a loop": r"^( +)(?:for|do)\b.*\{\n(?:\1 .*\n)*?\1 +barrier\(",
    "early return": r"\) return;",
    "private array": r"^ +uint a\d+\[",
    "atomic": r"atomic_\w+\(&counters",
    "work-items of a sub-group in turn": r"if \(get_sub_group_local_id\(\) == 0u\)",
    "two dimensions": r"launch: \(\d+, \d+\) /",
    "three dimensions": r"launch: \(\d+, \d+, \d+\) /",
    "partial sub-groups": r"/ \((?:7, 5|20,)\)",
    "four sub-groups or more": r"/ \((?:64|128|256|192),",
}


def test_random_kernels_contain_every_shape() -> None:
    assert _rare(kernel_cases(), SHAPES) == []


def test_random_kernels_with_sub_groups_contain_every_shape() -> None:
    assert _rare(sub_group_cases(), SUB_GROUP_SHAPES) == []


def _rare(cases: st.SearchStrategy[RandomCase], shapes: Mapping[str, str]) -> list[str]:
    """The shapes that fewer than one of a hundred kernels have, and how many do."""
    found: Counter[str] = Counter()

    @fuzzing(KERNELS, repeatable=True)
    @given(case=cases)
    def look(case: RandomCase) -> None:
        text = str(case)
        found.update(name for name, shape in shapes.items() if re.search(shape, text, re.MULTILINE))

    look()
    return [f"{name}: {found[name]}" for name in shapes if found[name] < LEAST]
