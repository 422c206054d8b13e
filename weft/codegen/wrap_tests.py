"""Detect loops that LLVM's vectorizer has miscompiled, in its output.

    b[j] = a[j + k] + t[j & 3];

LLVM treats `j & 3` as a two-bit induction variable, and `j + k` as a 32-bit one. It may assume that neither
wraps if it tests that at run time. LLVM 22 tests only the wider one and concludes that the narrower one does
not wrap either, which is wrong: it reads `t[0]` to `t[7]` for eight values of `j`. It is right about
induction variables that are at least as wide as the tested one. Most tests have 32 bits, since addresses have
64. They have 34 bits if LLVM has turned the address of an int, indexed by an int, into two shifts
(`ashr (shl j, 32), 30`).

Such an instruction may appear late in the optimizer, so it cannot be detected in the input. LLVM prints the
functions in which it has vectorized a loop (`PRINT_VECTORIZED`), with the original loop as the remainder
loop. If there is a test, and an address or a trip count comes from an instruction that narrows below the
tested width, the module is compiled again without this optimization. The same is done if LLVM folded the test
of the wider induction variable, but the vector code accesses consecutive elements at an address from such an
instruction.

Works on text: LLVM prints nothing else.
"""

import re

from weft.lazy_pattern import lazy_pattern

# Options for LLVM that print functions after its loop vectorizer has changed them.
PRINT_VECTORIZED = ("-print-changed=quiet", "-filter-passes=loop-vectorize")

_PRINTED = lazy_pattern(rb"^\*\*\* IR Dump After [^\n]* \*\*\*\n(.*?^\}\n)", re.MULTILINE | re.DOTALL)
# Names that LLVM's vectorizer gives to blocks: the test, and the entry of the original loop.
_TEST = "vector.scevcheck"
_ENTRY = "scalar.ph"
_VECTOR_ENTRY = lazy_pattern(r"(?:vector|vec\.epilog)\.ph")
_NAME = r"(\"[^\"]*\"|[-\w.$]+)"
_LABEL = lazy_pattern(rf"{_NAME}:")
_SUCCESSOR = lazy_pattern(rf"label %{_NAME}")
# Instructions from which LLVM may derive an induction variable of other than 64 bits: selected bits,
# quotients, remainders, conversions, and values of other widths carried from one iteration to the next.
_SELECTED = lazy_pattern(r"= and i(\d+) [^,]+, (-?\d+)")
_SHIFTED = lazy_pattern(r"= [al]shr(?: exact)? i(\d+) [^,]+, (\d+)")
_CONVERTED = lazy_pattern(r"= (?:trunc|ptrtoint|ptrtoaddr) .* to i(\d+)|= phi i(\d+)")
_WIDENED = lazy_pattern(r"= [sz]ext (?:nneg )?i32 ")
_OTHER = lazy_pattern(r"= [us](?:div|rem) |= [sz]ext .* to i(?!8\b|16\b|32\b|64\b)\d")
# The tests: of a product, of two numbers, and of the trip count, which must fit in that many bits.
_PRODUCT = lazy_pattern(r"@llvm\.[us]mul\.with\.overflow\.i(\d+)\(")
_COMPARED = lazy_pattern(r"= icmp (?:samesign )?\w+ i(\d+) [^,]+, (\S+)")
_VALUE = lazy_pattern(rf"%{_NAME}")
_RESULT = lazy_pattern(rf"\s*%{_NAME} = (?!load )")
_PHI = lazy_pattern(r"= phi ")
_BRANCH = lazy_pattern(r"\s*(?:br|switch) ")
_POINTER = lazy_pattern(rf"\bptr (?:[a-z]\w*(?:\([^)]*\))? (?:\d+ )?)*%{_NAME}")
_NEIGHBOURS = lazy_pattern(rf"\b(?:load|store)\b.*<.*\bptr (?:[a-z]\w* (?:\d+ )?)*%{_NAME}")

_Blocks = dict[str, list[str]]


def without_functions(diagnostics: bytes) -> bytes:
    """Return LLVM's diagnostics without the functions that it printed."""
    return _PRINTED.sub(b"", diagnostics)


def lacks_wrap_test(diagnostics: bytes) -> bool:
    """Return whether a loop of the printed functions may need a test that it does not have."""
    if b"vector.ph" not in diagnostics:
        return False
    if b"vector.ph" in without_functions(diagnostics):
        return True  # the name of a function is not on one line
    printed = (function.decode(errors="replace") for function in _PRINTED.findall(diagnostics))
    return any(_function_lacks_test(_blocks(text)) for text in printed)


def _function_lacks_test(blocks: _Blocks) -> bool:
    successors = {name: _successors(lines) for name, lines in blocks.items()}
    predecessors: dict[str, list[str]] = {}
    for name, following in successors.items():
        for successor in following:
            predecessors.setdefault(successor, []).append(name)
    return _loop_narrows(blocks, successors, predecessors) or any(
        _narrow_neighbours([line for name in _loop(header, entry, predecessors) for line in blocks[name]])
        for entry in blocks
        if _VECTOR_ENTRY.match(entry)
        for header in successors[entry]
    )


def _narrow_neighbours(loop: list[str]) -> bool:
    """Return whether a loop accesses vectors in memory at addresses from instructions that narrow numbers."""
    read = {match[1] for line in loop if (match := _NEIGHBOURS.search(line))}
    # Addresses have 64 bits; induction variables of half the width need no test.
    return not read.isdisjoint(_narrowed(loop, 32))


def _loop_narrows(
    blocks: _Blocks, successors: dict[str, list[str]], predecessors: dict[str, list[str]]
) -> bool:
    """Return whether a tested loop uses a trip count or address from an instruction that narrows numbers."""
    for test in blocks:
        if not test.startswith(_TEST):
            continue
        entries = [name for name in successors[test] if _ENTRY in name]
        if not entries:
            return True  # not the expected form
        width = _tested_width(blocks[test])
        for entry in entries:
            for header in successors[entry]:
                loop = _loop(header, entry, predecessors)
                if test in loop:
                    return True
                leaving = [name for name in loop if not loop.issuperset(successors[name])]
                counting = [line for line in blocks[header] if _PHI.search(line)]
                counting += (line for name in leaving for line in blocks[name] if _BRANCH.match(line))
                lines = [line for name in loop for line in blocks[name]]
                used = {value for line in counting for value in _VALUE.findall(line)}
                used.update(value for line in lines for value in _POINTER.findall(line))
                if not used.isdisjoint(_narrowed(lines, width)):
                    return True
    return False


def _narrowed(loop: list[str], width: int) -> set[str]:
    """Return what a loop computes, without loads, from instructions that narrow numbers to fewer bits."""
    users: dict[str, list[str]] = {}
    work: list[str] = []
    for line in loop:
        result = _RESULT.match(line)
        if result:
            for value in _VALUE.findall(line, result.end()):
                users.setdefault(value, []).append(result[1])
            if _narrows(line, width):
                work.append(result[1])
    narrowed: set[str] = set()
    while work:
        name = work.pop()
        if name not in narrowed:
            narrowed.add(name)
            work += users.get(name, ())
    return narrowed


def _tested_width(test: list[str]) -> int:
    """Return the width of the widest induction variable that a block tests; 64 if unknown."""
    widths = [int(bits) for line in test for bits in _PRODUCT.findall(line)]
    for line in test:
        if "= icmp " not in line:
            continue
        compared = _COMPARED.search(line)
        bits = int(compared[1]) if compared else 64
        if compared and bits == 64 and compared[2].isdigit():
            most = int(compared[2])  # a 64-bit trip count that must fit in fewer bits
            bits = bits if most & (most + 1) else most.bit_length()
        widths.append(bits)
    return max(widths, default=64)


def _narrows(line: str, width: int) -> bool:
    """Return whether an instruction produces numbers of fewer bits."""
    bits = _bits(line)
    return bits is not None and bits < width


def _bits(line: str) -> int | None:
    """Return the minimal width of the induction variable that an instruction may add; None if none."""
    selected, shifted, converted = _SELECTED.search(line), _SHIFTED.search(line), _CONVERTED.search(line)
    if selected:
        return (int(selected[2]) & (1 << int(selected[1])) - 1).bit_count()
    if shifted:
        return int(shifted[1]) - int(shifted[2])
    if converted:
        return int(converted[1] or converted[2])
    if _WIDENED.search(line):
        return 32
    return 0 if _OTHER.search(line) else None


def _loop(header: str, entry: str, predecessors: dict[str, list[str]]) -> set[str]:
    """Return the blocks of the loop with this header that is entered from `entry`."""
    blocks = {header}
    work = [name for name in predecessors[header] if name != entry]
    while work:
        name = work.pop()
        if name not in blocks:
            blocks.add(name)
            work += predecessors.get(name, ())
    return blocks


def _blocks(function: str) -> _Blocks:
    """Return the instructions of a function as lines, by block name."""
    lines = iter(function.splitlines())
    for line in lines:
        if line.startswith("define "):
            break
    blocks: _Blocks = {}
    current = blocks.setdefault("", [])  # before the first label
    for line in lines:
        label = _LABEL.match(line)
        if label:
            current = blocks.setdefault(label[1], [])
        else:
            current.append(line)
    return blocks


def _successors(lines: list[str]) -> list[str]:
    """Return the successors of a block with these instructions."""
    return [name for line in lines for name in _SUCCESSOR.findall(line)]
