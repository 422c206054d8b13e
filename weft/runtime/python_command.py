"""How to start a Python that finds the modules of this one."""

from weft.codegen.isolate import environment, interpreter
from weft.dataclasses import dataclass
from weft.errors import ToolError


@dataclass(frozen=True)
class PythonCommand:
    """The words of a command, and the path of modules that it needs."""

    words: tuple[str, ...]
    path: str


def module_command(module: str) -> PythonCommand | None:
    """The command that runs a module; None if the program embeds Python and there is no interpreter."""
    try:
        start = interpreter()
    except ToolError:
        return None
    # As the compile server: modules are not to be found in the folder of the program, nor by `site`.
    return PythonCommand((start, "-P", "-S", "-m", module), environment()["PYTHONPATH"])
