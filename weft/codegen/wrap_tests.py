"""Loops that LLVM's vectorizer has got wrong, found in what it made of them.

    b[j] = a[j + k] + t[j & 3];

To LLVM `j & 3` is a counter of two bits, and `j + k` one of 32. It may take both for counters that do not
wrap around if it tests that at run time. LLVM 22 tests the wider one only, and concludes that the narrower
one does not wrap either, which is wrong: it reads `t[0]` to `t[7]` for eight values of `j`. It is right about
counters of the same width, and addresses have 64 bits: what must be tested has 32, but for numbers that some
instruction of the loop makes narrower.

Such an instruction may appear late in the optimizer, so no look at the module before it tells. LLVM prints
the functions in which it has vectorized a loop (`PRINT_VECTORIZED`), with the loop as it was behind the
vector code, for the iterations that are left over. If it has a test and such an instruction, the module is
compiled again, without this optimization. So it is if LLVM has seen how the test of the wider counter ends
and made none, but the vector code reads or writes neighbours at an address from such an instruction.
"""

import re

# Options for LLVM that print functions after its loop vectorizer has changed them.
PRINT_VECTORIZED = ("-print-changed=quiet", "-filter-passes=loop-vectorize")

_PRINTED = re.compile(rb"^\*\*\* IR Dump After [^\n]* \*\*\*\n(.*?^\}\n)", re.MULTILINE | re.DOTALL)
# Names that LLVM's vectorizer gives to blocks: where the test is, and what enters the loop as it was.
_TEST = "vector.scevcheck"
_ENTRY = "scalar.ph"
_VECTOR_ENTRY = re.compile(r"(?:vector|vec\.epilog)\.ph")
_NAME = r"(\"[^\"]*\"|[-\w.$]+)"
_LABEL = re.compile(rf"{_NAME}:")
_SUCCESSOR = re.compile(rf"label %{_NAME}")
# What makes LLVM see a counter of other than 32 or 64 bits: bits that are selected, a quotient or remainder,
# a conversion to other widths, a number of other width that an iteration has from the one before.
_NARROWING = re.compile(
    r"= (?:(?:and|ashr|lshr)(?: exact)? i\d+ [^,]+, -?\d"
    r"|[us](?:div|rem) "
    r"|(?:trunc|ptrtoint|ptrtoaddr) .* to i(?!32\b|64\b)\d"
    r"|[sz]ext .* to i(?!8\b|16\b|32\b|64\b)\d"
    r"|phi i(?!32\b|64\b)\d)"
)
_LOWER_HALF = re.compile(r"= and i64 [^,]+, 4294967295\b")
# Bits selected of 64: a counter of at least 32, if it is one that addresses neighbours.
_MASK = re.compile(r"= and i64 [^,]+, (-?\d+)")
_SIGN = re.compile(r"= ashr(?: exact)? i64 [^,]+, (\d+)")
_VALUE = re.compile(rf"%{_NAME}")
_RESULT = re.compile(rf"\s*%{_NAME} = (?!load )")
_NEIGHBOURS = re.compile(rf"\b(?:load|store)\b.*<.*\bptr (?:[a-z]\w* (?:\d+ )?)*%{_NAME}")

_Blocks = dict[str, list[str]]


def without_functions(diagnostics: bytes) -> bytes:
    """What LLVM has to say besides the functions that it prints."""
    return _PRINTED.sub(b"", diagnostics)


def lacks_wrap_test(diagnostics: bytes) -> bool:
    """Whether a loop of the functions that LLVM printed may need a test that it does not have."""
    if b"vector.ph" not in diagnostics:
        return False
    if b"vector.ph" in without_functions(diagnostics):
        return True  # a function with a name that is not on one line
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
    """Whether a loop reads or writes vectors in memory at addresses from instructions that narrow numbers."""
    users: dict[str, list[str]] = {}
    work: list[str] = []
    read: set[str] = set()
    for line in loop:
        neighbours = _NEIGHBOURS.search(line)
        if neighbours:
            read.add(neighbours[1])
            continue
        result = _RESULT.match(line)
        if result:
            for value in _VALUE.findall(line, result.end()):
                users.setdefault(value, []).append(result[1])
            if _narrows(line) and not _keeps_half(line):
                work.append(result[1])
    found: set[str] = set()
    while work:
        name = work.pop()
        if name not in found:
            found.add(name)
            work += users.get(name, ())
    return not found.isdisjoint(read)


def _loop_narrows(
    blocks: _Blocks, successors: dict[str, list[str]], predecessors: dict[str, list[str]]
) -> bool:
    """Whether one of a function's tested loops has an instruction that narrows numbers."""
    for test in blocks:
        if not test.startswith(_TEST):
            continue
        entries = [name for name in successors[test] if _ENTRY in name]
        if not entries:
            return True  # not the form that is known
        for entry in entries:
            for header in successors[entry]:
                loop = _loop(header, entry, predecessors)
                if test in loop or any(_narrows(line) for name in loop for line in blocks[name]):
                    return True
    return False


def _narrows(line: str) -> bool:
    return _NARROWING.search(line) is not None and _LOWER_HALF.search(line) is None


def _keeps_half(line: str) -> bool:
    mask, sign = _MASK.search(line), _SIGN.search(line)
    if mask:
        return (int(mask[1]) & (1 << 64) - 1).bit_count() >= 32
    return sign is not None and int(sign[1]) <= 32


def _loop(header: str, entry: str, predecessors: dict[str, list[str]]) -> set[str]:
    """The blocks of the loop that begins with `header` and is entered from `entry`."""
    found = {header}
    work = [name for name in predecessors[header] if name != entry]
    while work:
        name = work.pop()
        if name not in found:
            found.add(name)
            work += predecessors.get(name, ())
    return found


def _blocks(function: str) -> _Blocks:
    """The instructions of a function as lines, by the names of blocks."""
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
    """The blocks that may follow one with these instructions."""
    return [name for line in lines for name in _SUCCESSOR.findall(line)]
