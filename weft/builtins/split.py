"""Split the text of an LLVM module into one self-contained module per function, which can be cached."""

import re
from collections.abc import Iterable

from weft.lazy_pattern import lazy_pattern

# References of an entity of the module: functions and globals, attribute groups, metadata nodes.
_REFERENCE = lazy_pattern(r'@"[^"]+"|@[\w.$]+|(?<=[ )])#\d+|!\d+')
_NAME = lazy_pattern(r'@"[^"]+"|@[\w.$]+|%[\w.$]+(?= = type)|#\d+|!\d+')


def split(text: str, symbols: Iterable[str]) -> dict[str, str]:
    """Return for each symbol a module with its definition and everything that it refers to.

    The definition becomes linkonce_odr: the linker keeps one of several and drops it once inlined.
    """
    header, entities = _entities(text)
    references = {name: _REFERENCE.findall(body) for name, body in entities.items()}
    result = {}
    for symbol in symbols:
        root = f"@{symbol}" if re.fullmatch(r"[\w.$]+", symbol) else f'@"{symbol}"'
        closure = {root: None}
        pending = [root]
        while pending:
            for name in references[pending.pop()]:
                if name in entities and name not in closure:
                    closure[name] = None
                    pending.append(name)
        body = [_shareable(entities[root])] + [entities[name] for name in closure if name != root]
        result[symbol] = "\n".join([*header, *body]) + "\n"
    return result


def _shareable(definition: str) -> str:
    return re.sub(r"^define (?:dso_local )?", "define linkonce_odr ", definition)


def _entities(text: str) -> tuple[list[str], dict[str, str]]:
    """Return the lines that all parts share (layout, triple) and the named top-level entities of a module."""
    header: list[str] = []
    entities: dict[str, str] = {}
    lines = iter(text.splitlines())
    for line in lines:
        if line.startswith("target "):
            header.append(line)
        elif line.startswith(("define", "declare", "@", "attributes #", "!")):
            body = [line]
            while body[0].startswith("define") and body[-1] != "}":
                body.append(next(lines))
            name = _NAME.search(line)
            if name and not line.startswith("!llvm") and not line.startswith("!opencl"):
                entities[name.group()] = "\n".join(body)
    return header, entities
