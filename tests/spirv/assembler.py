"""Modules of SPIR-V from text, for tests: one instruction in a line, as disassemblers write them.

    %add = OpIAdd %uint %a %b

Ids are numbered as they come. Operands are written as the grammar wants them: names of enumerations, masks as
`Aligned|Volatile`, strings in quotes, numbers (of 64 bits with an `L` behind).
"""

import re
import struct

from weft.frontend.spirv.grammar import enumeration, instructions, is_enumeration, is_mask, opencl_std

_WORD = re.compile(r'"[^"]*"|[^\s]+')
_BY_NAME = {entry.name: (number, entry) for number, entry in instructions().items()}
_EXTENDED = {entry.name: number for number, entry in opencl_std().items()}


def assemble(text: str, version: tuple[int, int] = (1, 2)) -> bytes:
    """The bytes of a module."""
    ids: dict[str, int] = {}
    words: list[int] = []
    for line in text.splitlines():
        found = _WORD.findall(line.partition(";")[0])
        if not found:
            continue
        result = ""
        if len(found) > 1 and found[1] == "=":
            result, found = found[0], found[2:]
        number, entry = _BY_NAME[found[0].removeprefix("Op")]
        operands = found[1:]
        made: list[int] = []
        for kind in entry.operands:
            if kind == "R":
                made.append(ids.setdefault(result, len(ids) + 1))
            else:
                _read(kind, operands, made, ids)
        assert not operands, line
        words += [(len(made) + 1) << 16 | number, *made]
    header = (0x07230203, version[0] << 16 | version[1] << 8, 0, len(ids) + 1, 0)
    return struct.pack(f"<{5 + len(words)}I", *header, *words)


def _read(kind: str, operands: list[str], made: list[int], ids: dict[str, int]) -> None:
    if kind[-1] in "?*":
        while operands:
            for letter in (kind[:-1],) if is_enumeration(kind[:-1]) else kind[:-1]:
                _read(letter, operands, made, ids)
            if kind[-1] == "?":
                break
        return
    word = operands.pop(0)
    if is_mask(kind) or is_enumeration(kind):
        by_name = {entry.name: (number, entry) for number, entry in enumeration(kind).items()}
        chosen = [by_name[name] for name in word.split("|")]
        made.append(sum(number for number, _ in chosen))
        for _, entry in sorted(chosen, key=lambda one: one[0]):
            for operand in entry.operands:
                _read(operand, operands, made, ids)
    elif kind == "S":
        data = word.strip('"').encode() + b"\0"
        made += struct.unpack(f"<{-(-len(data) // 4)}I", data.ljust(-(-len(data) // 4) * 4, b"\0"))
    elif kind == "X":
        made.append(_EXTENDED[word])
    elif kind == "O":
        number, entry = _BY_NAME[word]
        made.append(number)
        for operand in entry.operands:
            if operand not in "TR":
                _read(operand, operands, made, ids)
    elif word.startswith("%"):
        made.append(ids.setdefault(word, len(ids) + 1))
    elif word.endswith("L"):
        made += struct.unpack("<2I", struct.pack("<Q", int(word[:-1]) & 0xFFFFFFFFFFFFFFFF))
    elif "." in word:
        made += struct.unpack("<I", struct.pack("<f", float(word)))
    else:
        made.append(int(word, 0) & 0xFFFFFFFF)
