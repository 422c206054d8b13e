"""The command that starts a Python process with the same modules as this one."""

from weft.codegen.isolate import environment, interpreter
from weft.dataclasses import dataclass
from weft.errors import ToolError


@dataclass(frozen=True)
class PythonCommand:
    """The words of a command, and the module path that it needs."""

    words: tuple[str, ...]
    path: str


def module_command(module: str) -> PythonCommand | None:
    """Return the command that runs a module; None if the program embeds Python and has no interpreter."""
    try:
        start = interpreter()
    except ToolError:
        return None
    # As for the compile server, modules are not searched in the folder of the program, nor by `site`.
    return PythonCommand((start, "-P", "-S", "-m", module), environment()["PYTHONPATH"])
