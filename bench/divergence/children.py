"""Python processes that measure under settings of their own: arguments in, lines of JSON out."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from typing import Any


class ChildFailed(Exception):
    """A measuring process ended with an error."""


def lines_of(module: str, settings: Mapping[str, str], *arguments: str) -> Iterator[dict[str, Any]]:
    """Yield what a module prints when it is run as a program with these settings."""
    command = [sys.executable, "-m", module, *arguments]
    environment = os.environ | settings
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        for line in process.stdout:
            yield json.loads(line)
    if process.returncode:
        described = " ".join(f"{name}={value}" for name, value in settings.items())
        raise ChildFailed(f"{module} ended with status {process.returncode} ({described})")
