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
compiled again, without this optimization.
"""

import re

# Options for LLVM that print functions after its loop vectorizer has changed them.
PRINT_VECTORIZED = ("-print-changed=quiet", "-filter-passes=loop-vectorize")

_PRINTED = re.compile(rb"^\*\*\* IR Dump After [^\n]* \*\*\*\n(.*?^\}\n)", re.MULTILINE | re.DOTALL)
# Names that LLVM's vectorizer gives to blocks: where the test is, and what enters the loop as it was.
_TEST = "vector.scevcheck"
_ENTRY = "scalar.ph"
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

_Blocks = dict[str, list[str]]


def without_functions(diagnostics: bytes) -> bytes:
    """What LLVM has to say besides the functions that it prints."""
    return _PRINTED.sub(b"", diagnostics)


def lacks_wrap_test(diagnostics: bytes) -> bool:
    """Whether a loop of the functions that LLVM printed may need a test that it does not have."""
    if _TEST.encode() not in diagnostics:
        return False
    if _TEST.encode() in without_functions(diagnostics):
        return True  # a function with a name that is not on one line
    printed = (function.decode(errors="replace") for function in _PRINTED.findall(diagnostics))
    return any(_loop_narrows(_blocks(text)) for text in printed if _TEST in text)


def _loop_narrows(blocks: _Blocks) -> bool:
    """Whether one of a function's tested loops has an instruction that narrows numbers."""
    successors = {name: _successors(lines) for name, lines in blocks.items()}
    predecessors: dict[str, list[str]] = {}
    for name, following in successors.items():
        for successor in following:
            predecessors.setdefault(successor, []).append(name)
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
