"""`weft settings`: every WEFT_* variable with its value and what it does."""

import argparse
import os
import textwrap
from collections.abc import Sequence

from weft import settings


def run(arguments: Sequence[str]) -> int:
    """Runs the command with its arguments; the exit status."""
    parser = argparse.ArgumentParser(
        prog="weft settings",
        description="Shows every environment variable that Weft reads; * marks those that are set.",
    )
    parser.parse_args(arguments)
    for name, setting in settings.SETTINGS.items():
        mark = "*" if os.environ.get(name) else " "
        value = settings.get(name)
        print(f"{mark} {name} = {'' if value is None else value}")
        print(textwrap.indent(textwrap.fill(setting.doc, 100), "    "))
    return 0
