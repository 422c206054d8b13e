"""Compile C with the `ziglang` wheel, without a system compiler, for glibc 2.17 and later."""

import importlib.util
import os
import platform
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

GLIBC = "2.17"  # the minimum version of the wheel's manylinux tag
_WARNINGS = ("-Wall", "-Wextra", "-Wno-unused-parameter", "-Wno-missing-field-initializers")


class CompileError(Exception):
    """The C compiler failed; the message contains its output."""


def system(machine: str = "") -> str:
    """Return the target of a machine (default: this one) in Zig's form, such as `x86_64-linux-gnu.2.17`."""
    return f"{machine or platform.machine()}-linux-gnu.{GLIBC}"


def platform_tag(machine: str) -> str:
    """Return the platform tag of a wheel for the target `system(machine)`."""
    return f"manylinux_{GLIBC.replace('.', '_')}_{machine}.manylinux2014_{machine}"


def _compiler() -> list[str]:
    """Return the command of the compiler, without Python: the interpreter may be part of another program."""
    spec = importlib.util.find_spec("ziglang")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        if (path := Path(folder, "zig")).is_file():
            return [str(path), "cc"]
    raise CompileError("the C compiler is not installed: the package 'ziglang' is missing or incomplete")


def _environment(scratch: Path) -> dict[str, str]:
    """Return the compiler's environment; its caches are in `scratch` if the usual folder is not writable."""
    environment = dict(os.environ)
    home = environment.get("HOME")
    usual = environment.get("XDG_CACHE_HOME") or (home and os.path.join(home, ".cache"))
    if not usual or not _is_writable(Path(usual)):
        environment.setdefault("ZIG_GLOBAL_CACHE_DIR", str(scratch / "zig-global"))
    environment.setdefault("ZIG_LOCAL_CACHE_DIR", str(scratch / "zig-local"))
    return environment


def _is_writable(folder: Path) -> bool:
    """Whether files can be created in `folder`, which is created if it does not exist."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK | os.X_OK)


def compile_c(
    sources: Sequence[Path | str],
    output: Path,
    *,
    shared: bool = True,
    include: Sequence[Path | str] = (),
    arguments: Sequence[str] = (),
    target: str = "",
) -> None:
    """Compile and link `sources` into the shared object or program `output`; raises CompileError.

    `target` is the target in Zig's form; empty for this machine.
    """
    output.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="weft-build-") as scratch:
        kind = ["-shared", "-fPIC", "-fvisibility=hidden", "-Wl,-Bsymbolic"] if shared else []
        binary = Path(scratch) / output.name
        command = [*_compiler(), "-target", target or system(), "-std=gnu11", "-O2"]
        command += ["-fno-sanitize=all", "-g0", *_WARNINGS, *kind, *(f"-I{folder}" for folder in include)]
        command += [*map(str, sources), *arguments, "-o", str(binary)]
        environment = _environment(Path(scratch))
        result = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if result.returncode:
            raise CompileError(f"{' '.join(command)}\n{result.stderr}")
        # Replace the file by renaming: a library that a process has mapped must not be overwritten in place.
        fresh = output.with_name(f".{output.name}.{os.getpid()}")
        fresh.write_bytes(binary.read_bytes())
        fresh.chmod(0o755)
        fresh.replace(output)
