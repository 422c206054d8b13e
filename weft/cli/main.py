"""The `weft` command: finds the subcommand and runs it; errors become one line and an exit status.

Exit status: 0 done, 1 failed, 2 wrong usage, 130 interrupted.
"""

import importlib
import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper

from weft import __version__
from weft.errors import WeftError
from weft.faults import Fault, report
from weft.settings import InvalidSetting

# Each is a module of this package with `run(arguments) -> exit status`. It is imported only when used, so
# that `weft --help` and `weft icd` do not wait for LLVM.
COMMANDS = {
    "devices": "show the devices and their properties",
    "icd": "print the path of the OpenCL driver, or register it with loaders",
    "prepare": "compile modules and built-ins ahead, so that programs start sooner",
    "cache": "show or clear the cache of compiled kernels",
    "explain": "show what the compiler does with the kernels of a program, and why",
    "profile": "run a program and show how the divergent loops of its kernels ran",
    "consecutive": "prove which memory accesses of a kernel are consecutive, and for which inputs",
    "vectorize": "rewrite kernels to use vector types, as OpenCL C for any device",
    "patterns": "classify the memory access patterns of kernels",
    "opt": "run compiler passes over a file of LLVM IR",
    "tta": "compile kernels for a transport-triggered processor and show their schedules",
    "target": "show the properties and the cost table of a target processor",
    "settings": "show the WEFT_* environment variables and their values",
}


def usage() -> str:
    """Return the text of `weft --help`."""
    width = max(map(len, COMMANDS))
    lines = [f"  {name:<{width}}  {summary}" for name, summary in COMMANDS.items()]
    return "\n".join(
        [
            "usage: weft [--help] [--version] COMMAND ...",
            "",
            "OpenCL for CPUs, written in Python on LLVM.",
            "",
            "commands:",
            *lines,
            "",
            "`weft COMMAND --help` explains a command.",
        ]
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit status."""
    _prepare_streams()
    words = list(sys.argv[1:] if arguments is None else arguments)
    if not words:
        print(usage(), file=sys.stderr)
        return 2
    name, *remaining = words
    if name in ("-h", "--help", "help"):
        print(usage())
        return 0
    if name in ("-V", "--version"):
        print(f"weft {__version__}")
        return 0
    if name not in COMMANDS:
        print(f"weft: unknown command {name!r}; available: {', '.join(COMMANDS)}", file=sys.stderr)
        return 2
    try:
        status: int = importlib.import_module(f"weft.cli.{name}").run(remaining)
        sys.stdout.flush()
    except (WeftError, InvalidSetting) as error:
        return _fail(name, str(error))
    except BrokenPipeError:
        # The reader (`head`, a pager) has exited, so discard all output, including the final flush.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        return _fail(name, f"{error.filename}: {error.strerror}" if error.filename else str(error))
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        report(f"{name} failed", Fault.of(error))
        return 1
    return status


def _prepare_streams() -> None:
    """Open missing standard streams; escape characters that they cannot encode."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115 (open until the program ends)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _fail(name: str, message: str) -> int:
    print(f"weft {name}: {message}", file=sys.stderr)
    return 1
