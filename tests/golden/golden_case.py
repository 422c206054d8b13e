"""Golden files: the input and the expected output of a pass or analysis in one `.ll` file.

    ; What the file shows.
    ;! opt: -p isolate-barriers
    ;! launch: 8 / 4
    ;! arg a: arange(8, dtype=int32)
    <the input>
    ; ---- expected
    <the output>

Both halves are valid IR. `opt` holds arguments of `weft opt`. With a `launch` and arguments, which are
written as in the kernel tests, the interpreter runs both halves and must end with the same memory. A
refusal is golden too: the expected half is then the message, in comments.
"""

from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent
SEPARATOR = "; ---- expected\n"


@dataclass(frozen=True)
class GoldenCase:
    """One golden file."""

    path: Path
    arguments: tuple[str, ...]  # of weft opt
    launch: str | None
    kernel_arguments: dict[str, str]
    head: str
    input: str
    expected: str

    @property
    def name(self) -> str:
        return str(self.path.relative_to(FOLDER).with_suffix(""))

    def bless(self, output: str) -> None:
        """Makes the output the expectation."""
        self.path.write_text(self.head + self.input + SEPARATOR + output)


def load(path: Path) -> GoldenCase:
    """Reads a file."""
    before, _, expected = path.read_text().partition(SEPARATOR)
    lines = before.splitlines(keepends=True)
    end = next(i for i, line in enumerate(lines) if not line.startswith(";"))
    arguments: tuple[str, ...] = ()
    launch = None
    kernel_arguments = {}
    for line in lines[:end]:
        if not line.startswith(";!"):
            continue
        words, _, value = line[2:].partition(":")
        match words.split():
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
    return GoldenCase(
        path, arguments, launch, kernel_arguments, "".join(lines[:end]), "".join(lines[end:]), expected
    )


def all_cases() -> list[GoldenCase]:
    """All golden files, in order."""
    return [load(path) for path in sorted(FOLDER.rglob("*.ll"))]
