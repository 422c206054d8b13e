"""`weft settings`: lists every WEFT_* variable with its value and meaning."""

import argparse
import os
import textwrap
from collections.abc import Sequence
from typing import Any

from weft import settings


def run(arguments: Sequence[str]) -> int:
    """Run the command and return its exit status."""
    parser = argparse.ArgumentParser(
        prog="weft settings",
        description="Lists every environment variable that Weft reads; * marks those that are set.",
    )
    parser.add_argument("--markdown", action="store_true", help="print the defaults as a Markdown table")
    if parser.parse_args(arguments).markdown:
        print(markdown())
        return 0
    for name, setting in settings.SETTINGS.items():
        mark = "*" if os.environ.get(name) else " "
        print(f"{mark} {name} = {_text(settings.get(name))}")
        print(textwrap.indent(textwrap.fill(setting.doc, 100), "    "))
    return 0


def markdown() -> str:
    """Return all settings as a Markdown table."""
    rows = [f"| `{s.name}` | {_code(s.default)} | {s.doc} |" for s in settings.SETTINGS.values()]
    return "\n".join(["| variable | default | meaning |", "|---|---|---|", *rows])


def _text(value: Any) -> str:
    """Return a value in the form in which the variable is set."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, int) and value and value % 2**20 == 0:
        return f"{value >> 20}M"
    return str(value)


def _code(value: Any) -> str:
    return f"`{_text(value)}`" if _text(value) else ""
