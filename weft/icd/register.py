"""Register the driver with OpenCL loaders: `.icd` files, and the record of the interpreter.

pyopencl's bundled loader reads the `.icd` files in its folder `pyopencl/.libs`. Weft's wheel contains such a
file. Its content is relative to the loader (the dynamic linker expands `$ORIGIN`), so it works in any
environment, whichever of the two packages is installed first. `weft icd register` registers a source tree
that was installed in editable mode, by its absolute path.
"""

import importlib.util
import os
import sys
import sysconfig
from pathlib import Path

from weft.errors import WeftError

ICD_FILE = "weft.icd"
LOADER_FOLDER = ("pyopencl", ".libs")
LIBRARY = "libweft_opencl.so"
RELATIVE_CONTENT = f"$ORIGIN/../../weft/icd/{LIBRARY}\n"
SYSTEM_FOLDER = Path("/etc/OpenCL/vendors")
_RECORD = "libweft_opencl.python"


class RegistrationError(WeftError):
    """An `.icd` file cannot be written or removed, or there is nothing to register."""


def library_path() -> Path:
    """Return the absolute path of the driver's shared object; record the interpreter if needed."""
    path = Path(__file__).resolve().parent / LIBRARY
    if not path.is_file():
        raise RegistrationError(f"{path} is missing: Weft is not built; run `pip install` on its source tree")
    if not _tells_interpreter(path):
        record_interpreter(path)
    return path


def _tells_interpreter(library: Path) -> bool:
    """Whether the library is in `lib/pythonX.Y/site-packages`, where it finds its interpreter by its path."""
    folder = library.parents[2].parent
    return folder.name == f"python{sys.version_info.major}.{sys.version_info.minor}"


def shared_libpython() -> Path | None:
    """Return the shared library of this interpreter, for programs that embed Python; None if absent."""
    folder = sysconfig.get_config_var("LIBDIR") or ""
    name = sysconfig.get_config_var("INSTSONAME") or ""
    shared = Path(folder, name)
    return shared if ".so" in name and shared.is_file() else None


def record_interpreter(library: Path) -> None:
    """Record next to `library` which interpreter to load, and the folder of the packages that Weft needs."""
    shared = shared_libpython()
    lines = [
        f"version = {sys.version_info.major}.{sys.version_info.minor}",
        f"program = {sys.executable}",
        f"packages = {sysconfig.get_path('platlib')}",
    ]
    if shared is not None:
        lines.append(f"libpython = {shared}")
    record = library.with_name(_RECORD)
    text = "\n".join(lines) + "\n"
    try:
        if not record.exists() or record.read_text() != text:
            _replace(record, text)
    except OSError as error:
        raise RegistrationError(f"cannot write {record}: {error.strerror}") from error


def loader_folder() -> Path:
    """Return the folder of pyopencl's bundled loader in this environment."""
    found = importlib.util.find_spec("pyopencl")
    if found is None or found.origin is None:
        raise RegistrationError("pyopencl is not installed in this environment; use --dir or --system")
    folder = Path(found.origin).parent / LOADER_FOLDER[-1]
    if not any(folder.glob("libOpenCL*")):
        raise RegistrationError(
            f"{folder} contains no OpenCL loader: this pyopencl uses the system's loader; use --dir or "
            "--system"
        )
    return folder


def register(folder: Path) -> Path:
    """Write the `.icd` file into `folder` and return its path."""
    library = library_path()
    path = folder / ICD_FILE
    if _leads_to(path, library):
        return path
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _replace(path, f"{library}\n")
    except OSError as error:
        raise RegistrationError(f"cannot write {path}: {error.strerror}") from error
    return path


def unregister(folder: Path) -> Path | None:
    """Remove the `.icd` file from `folder`; return its path, or None if there was none."""
    path = folder / ICD_FILE
    try:
        path.unlink()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise RegistrationError(f"cannot remove {path}: {error.strerror}") from error
    return path


def _leads_to(icd_file: Path, library: Path) -> bool:
    """Whether a loader in the folder of `icd_file` would open `library`."""
    try:
        content = icd_file.read_text().strip().replace("$ORIGIN", str(icd_file.parent))
        return os.path.samefile(content, library)
    except OSError:
        return False


def _replace(path: Path, text: str) -> None:
    """Write a file atomically: other processes read either the old or the new text."""
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        fresh.write_text(text)
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)
