"""Running client programs, and a C header for them that is generated from Weft's own tables."""

import subprocess
from collections.abc import Mapping, Sequence

from weft.api import constants
from weft.icd.prototypes import prototypes


def header() -> str:
    """All constants and functions of OpenCL 3.0, with plain integers for handles and bit-fields."""
    lines = ["#include <stddef.h>", "#include <stdint.h>"]
    for name, value in vars(constants).items():
        if name.startswith("CL_") and isinstance(value, int):
            lines.append(f"#define {name} ({value}{'ull' if value > 2**31 else ''})")
    lines += [f"{p.declaration(p.name)};" for p in prototypes() if p.returns]
    return "\n".join(lines) + "\n"


def run_program(command: Sequence[str], environment: Mapping[str, str], *, timeout: float = 60) -> str:
    """Run a program that must exit with status 0; returns its standard output."""
    result = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=timeout, check=False
    )
    assert result.returncode == 0, f"status {result.returncode}\n{result.stdout}\n{result.stderr}"
    assert "Traceback" not in result.stderr, result.stderr
    return result.stdout
