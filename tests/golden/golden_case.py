"""Golden files: the input and the expected output of a pass or analysis in one `.ll` file.

    ; What the file is about.
    ;! shows: fires
    ;! opt: -p isolate-barriers
    ;! launch: 8 / 4
    ;! arg a: arange(8, dtype=int32)
    <the input>
    ; ---- expected
    <the output>

Both halves are valid IR. `opt` holds arguments of `weft opt`. With a `launch` and arguments, which are
written as in the kernel tests, the interpreter runs both halves and must end with the same memory.

`shows` says what the pass does that the folder is named after: it *fires*, *refuses* something that it looked
for, or *leaves alone* a function with nothing to do. A refusal changes nothing and has a remark, with
`--remarks PASS`, as a comment at the end of the expected half. If the input is refused as a whole, the name
of the file starts with `refuses_` and the expected half is the message, in comments. Files of analyses show
none of these.
"""

from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent
SEPARATOR = "; ---- expected\n"
FIRES, REFUSES, LEAVES_ALONE = KINDS = ("fires", "refuses", "leaves alone")


@dataclass(frozen=True)
class GoldenCase:
    """One golden file."""

    path: Path
    shows: str  # one of KINDS, "" for an analysis
    arguments: tuple[str, ...]  # of weft opt
    launch: str | None
    kernel_arguments: dict[str, str]
    head: str
    input: str
    expected: str

    @property
    def name(self) -> str:
        return str(self.path.relative_to(FOLDER).with_suffix(""))

    @property
    def subject(self) -> str:
        """The pass or analysis that the file is about."""
        return self.path.parent.name

    @property
    def is_error(self) -> bool:
        """Whether the input is refused as a whole."""
        return self.path.stem.startswith("refuses_")

    @property
    def passes(self) -> list[str]:
        """The passes that run; one of them is the one that the file is about."""
        return self.arguments[self.arguments.index("-p") + 1].split(",")

    @property
    def remarks(self) -> list[str]:
        """The kinds of the expected remarks of the pass that the file is about."""
        said = (line[2:].split(": ") for line in self.expected.splitlines() if line.startswith("; "))
        return [words[0] for words in said if words[1:2] == [self.subject]]

    @property
    def expected_ir(self) -> str:
        """The expected output without remarks."""
        lines = self.expected.splitlines(keepends=True)
        return "".join(line for line in lines if not line.startswith("; "))

    def bless(self, output: str) -> None:
        """Makes the output the expectation."""
        self.path.write_text(self.head + self.input + SEPARATOR + output)


def load(path: Path) -> GoldenCase:
    """Reads a file."""
    before, _, expected = path.read_text().partition(SEPARATOR)
    lines = before.splitlines(keepends=True)
    end = next(i for i, line in enumerate(lines) if not line.startswith(";"))
    arguments: tuple[str, ...] = ()
    shows = ""
    launch = None
    kernel_arguments = {}
    for line in lines[:end]:
        if not line.startswith(";!"):
            continue
        words, _, value = line[2:].partition(":")
        match words.split():
            case ["shows"]:
                shows = value.strip()
            case ["opt"]:
                arguments = tuple(value.split())
            case ["launch"]:
                launch = value.strip()
            case ["arg", name]:
                kernel_arguments[name] = value.strip()
            case _:
                raise ValueError(f"{path.name}: no such directive: {line}")
    if not arguments:
        raise ValueError(f"{path.name} does not say `opt`")
    head, input = "".join(lines[:end]), "".join(lines[end:])
    return GoldenCase(path, shows, arguments, launch, kernel_arguments, head, input, expected)


def all_cases() -> list[GoldenCase]:
    """All golden files, in order."""
    return [load(path) for path in sorted(FOLDER.rglob("*.ll"))]
