"""Write remarks in LLVM's YAML format (https://llvm.org/docs/Remarks.html).

    --- !Passed
    Pass:            vectorize-work-items
    Name:            Loop
    DebugLoc:        { File: 'dct.cl', Line: 20, Column: 5 }
    Function:        DCT
    Args:
      - Width:           '8'
      - String:          ' lanes'
    ...

Viewers such as opt-viewer concatenate the values of all arguments. Arguments that the text of a remark does
not contain follow it in parentheses.
"""

from collections.abc import Iterator

from weft.remarks import Argument, Location, Remark, RemarkKind, shown

from .report import Report

_TAGS = {RemarkKind.PASSED: "Passed", RemarkKind.MISSED: "Missed", RemarkKind.ANALYSIS: "Analysis"}
# Arguments by which Weft's own remarks refer to one another.
_INTERNAL = ("access", "access_group", "block")
_WIDTH = 17


def llvm_remarks(report: Report) -> str:
    """Return all remarks on a program, one document each."""
    return "".join(
        "\n".join(_document(remark, report.file)) + "\n"
        for kernel in report.kernels
        for remark in kernel.remarks
    )


def _document(remark: Remark, file: str) -> Iterator[str]:
    yield f"--- !{_TAGS[remark.kind]}"
    yield _field("Pass", _quoted(remark.by))
    yield _field("Name", _quoted(remark.name))
    if remark.location is not None:
        yield _field("DebugLoc", _location(remark.location, file))
    yield _field("Function", _quoted(remark.function))
    yield "Args:"
    for name, text in _pieces(remark):
        yield f"  - {_field(_key(name), _quoted(text))}"
    yield "..."


def _pieces(remark: Remark) -> Iterator[tuple[str, str]]:
    """Yield the text in pieces, each with the name of its argument."""
    yield from remark.message.pieces(remark.arguments)
    before = " ("
    for name, value in remark.arguments.items():
        if name in remark.message.parameters or name in _INTERNAL or not _is_plain(value):
            continue
        yield "", f"{before}{name.replace('_', ' ')} "
        yield name, shown(value, remark.arguments)
        before = ", "
    if before != " (":
        yield "", ")"


def _is_plain(value: Argument) -> bool:
    return value not in (None, "", False) and not isinstance(value, tuple)


def _field(name: str, value: str) -> str:
    return f"{name + ':':<{_WIDTH}}{value}"


def _key(name: str) -> str:
    return "".join(word.capitalize() for word in name.split("_")) if name else "String"


def _location(place: Location, file: str) -> str:
    return f"{{ File: {_quoted(place.file or file)}, Line: {place.line}, Column: {place.column} }}"


def _quoted(text: str) -> str:
    """Quote a scalar with single quotes; control characters require double quotes."""
    if text.isprintable():
        return "'" + text.replace("'", "''") + "'"
    return '"' + "".join(_escaped(character) for character in text) + '"'


def _escaped(character: str) -> str:
    if character in '"\\':
        return f"\\{character}"
    return character if character.isprintable() else f"\\U{ord(character):08x}"
