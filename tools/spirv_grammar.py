"""Write `weft/frontend/spirv/grammar_tables.py` from Khronos' machine-readable grammar of SPIR-V.

    python -m tools.spirv_grammar /usr/include/spirv/unified1

The folder contains `spirv.core.grammar.json` and `extinst.opencl.std.100.grammar.json` (Debian package
`spirv-headers`). The tables contain what reading a module for OpenCL requires: numbers, names and kinds of
operands. For what requires unsupported capabilities, they contain only number and name, for the error
message.
"""

import argparse
import json
import textwrap
from pathlib import Path
from typing import Any

from weft.frontend.spirv.capabilities import CAPABILITIES

TABLES = Path(__file__).parents[1] / "weft" / "frontend" / "spirv" / "grammar_tables.py"

# A letter for each kind of operand that is not an enumeration.
LETTERS = {
    "IdResultType": "T",
    "IdResult": "R",
    "IdRef": "I",
    "IdScope": "I",
    "IdMemorySemantics": "I",
    "LiteralInteger": "L",
    "LiteralFloat": "L",
    "LiteralString": "S",
    "LiteralContextDependentNumber": "N",
    "LiteralExtInstInteger": "X",
    "LiteralSpecConstantOpInteger": "O",
    "PairLiteralIntegerIdRef": "NI",
    "PairIdRefLiteralInteger": "IL",
    "PairIdRefIdRef": "II",
}

_WIDTH = 106

HEAD = '''\
"""The grammar of SPIR-V as far as modules for OpenCL use it; written by `tools/spirv_grammar.py`.

An instruction is a line `number name operands`. An operand is a letter (T type of the result, R result, I id,
L literal word, S string, N number of the type in question, X number of an extended instruction, O opcode) or
the name of an enumeration, and may end in `?` (optional) or `*` (any number). `! capabilities` in place of
operands says which capabilities it would take, none of which Weft supports. Lines of enumerations are alike.
"""
'''


def operands(entries: list[dict[str, Any]], kinds: set[str]) -> str:
    """Return the operands of an instruction or an enumerant, as spelled in the tables."""
    words = []
    for entry in entries:
        word = LETTERS.get(entry["kind"], entry["kind"])
        if word == entry["kind"]:
            kinds.add(word)
        words.append(word + entry.get("quantifier", ""))
    return " ".join(words)


def line(number: int, name: str, entry: dict[str, Any], parts: str, kinds: set[str]) -> str:
    """Return one line of a table."""
    needed = entry.get("capabilities", [])
    if needed and not any(capability in CAPABILITIES for capability in needed):
        return f"{number} {name} ! {' '.join(needed)}"
    return f"{number} {name} {operands(entry.get(parts, []), kinds)}".rstrip()


def enumerants(kind: dict[str, Any], kinds: set[str]) -> list[str]:
    """Return the lines of an enumeration; of several names of a number, the first one that Weft supports."""
    lines: dict[int, str] = {}
    for entry in kind["enumerants"]:
        number = int(str(entry["value"]), 0)
        # Capabilities imply others; the supported ones are listed in `capabilities.py`.
        described = {} if kind["kind"] == "Capability" else entry
        written = line(number, entry["enumerant"], described, "parameters", kinds)
        if number not in lines or ("!" in lines[number] and "!" not in written):
            lines[number] = written
    return list(lines.values())


def tables(folder: Path) -> str:
    """Return the text of the generated module."""
    core = json.loads((folder / "spirv.core.grammar.json").read_text())
    std = json.loads((folder / "extinst.opencl.std.100.grammar.json").read_text())
    kinds: set[str] = set()
    instructions: dict[int, str] = {}
    for entry in core["instructions"]:
        written = line(entry["opcode"], entry["opname"].removeprefix("Op"), entry, "operands", kinds)
        instructions.setdefault(entry["opcode"], written)
    extended = [
        line(entry["opcode"], entry["opname"], entry, "operands", kinds) for entry in std["instructions"]
    ]
    by_name = {kind["kind"]: kind for kind in core["operand_kinds"]}
    enumerations: dict[str, list[str]] = {}
    while left := sorted(kinds - enumerations.keys()):
        for name in left:
            enumerations[name] = enumerants(by_name[name], kinds)
    masks = [name for name in enumerations if by_name[name]["category"] == "BitEnum"]
    parts = [HEAD]
    parts.append(f"\nVERSION = ({core['major_version']}, {core['minor_version']})\n")
    parts.append(_text("INSTRUCTIONS", list(instructions.values())))
    parts.append("\nENUMERATIONS = {\n")
    for name in sorted(enumerations):
        parts.append(f'    "{name}": """\n' + _wrapped(enumerations[name]) + '""",\n')
    parts.append("}\n")
    names = "".join(f'        "{name}",\n' for name in sorted(masks))
    parts.append(f"\n# Those whose numbers are bits.\nMASKS = frozenset(\n    [\n{names}    ]\n)\n")
    parts.append(_text("OPENCL_STD", extended))
    return "".join(parts)


def _wrapped(lines: list[str]) -> str:
    """Separate entries by `;`, with as many in a line as fit; only entries longer than a line are broken."""
    entries = [entry if len(entry) >= _WIDTH else entry.replace(" ", "\0") for entry in lines]
    rows = textwrap.wrap("; ".join(entries), _WIDTH, break_long_words=False, break_on_hyphens=False)
    return "".join(row.replace("\0", " ").rstrip() + "\n" for row in rows)


def _text(name: str, lines: list[str]) -> str:
    return f'\n{name} = """\n{_wrapped(lines)}"""\n'


def main() -> None:
    """Write the tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, help="the folder with the grammar's files")
    TABLES.write_text(tables(parser.parse_args().folder))


if __name__ == "__main__":
    main()
