"""Compile C with the `ziglang` wheel: no system compiler, and binaries for glibc 2.17 and later."""

import importlib.util
import os
import platform
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

GLIBC = "2.17"  # the oldest that the wheel's manylinux tag promises
_WARNINGS = ("-Wall", "-Wextra", "-Wno-unused-parameter", "-Wno-missing-field-initializers")


class CompileError(Exception):
    """The C compiler failed; the message holds its output."""


def system(machine: str = "") -> str:
    """Return the target of a machine (none named: this one) in Zig's spelling, as `x86_64-linux-gnu.2.17`."""
    return f"{machine or platform.machine()}-linux-gnu.{GLIBC}"


def platform_tag(machine: str) -> str:
    """Return the wheel's platform tag that fits `system`."""
    return f"manylinux_{GLIBC.replace('.', '_')}_{machine}.manylinux2014_{machine}"


def _compiler() -> list[str]:
    """Return the words that start the compiler: the interpreter may be part of another program."""
    spec = importlib.util.find_spec("ziglang")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        if (path := Path(folder, "zig")).is_file():
            return [str(path), "cc"]
    raise CompileError("the C compiler is not installed: the package 'ziglang' is missing or incomplete")


def _environment(scratch: Path) -> dict[str, str]:
    """The compiler's environment; its caches go to `scratch` where the usual place cannot be written."""
    environment = dict(os.environ)
    home = environment.get("HOME")
    usual = environment.get("XDG_CACHE_HOME") or (home and os.path.join(home, ".cache"))
    if not usual or not _is_writable(Path(usual)):
        environment.setdefault("ZIG_GLOBAL_CACHE_DIR", str(scratch / "zig-global"))
    environment.setdefault("ZIG_LOCAL_CACHE_DIR", str(scratch / "zig-local"))
    return environment


def _is_writable(folder: Path) -> bool:
    """Whether files can be made in `folder`, which is made if it is not there."""
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

    `target` is another than that of this machine, in Zig's spelling.
    """
    output.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="weft-build-") as scratch:
        kind = ["-shared", "-fPIC", "-fvisibility=hidden", "-Wl,-Bsymbolic"] if shared else []
        made = Path(scratch) / output.name
        command = [*_compiler(), "-target", target or system(), "-std=gnu11", "-O2"]
        command += ["-fno-sanitize=all", "-g0", *_WARNINGS, *kind, *(f"-I{folder}" for folder in include)]
        command += [*map(str, sources), *arguments, "-o", str(made)]
        environment = _environment(Path(scratch))
        result = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if result.returncode:
            raise CompileError(f"{' '.join(command)}\n{result.stderr}")
        # A library that a running process has mapped must not be overwritten in place: rename over it.
        fresh = output.with_name(f".{output.name}.{os.getpid()}")
        fresh.write_bytes(made.read_bytes())
        fresh.chmod(0o755)
        fresh.replace(output)
