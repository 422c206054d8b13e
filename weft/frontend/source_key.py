"""Cache keys of program sources, computed without importing the rest of the front end."""

import os
from functools import cache
from pathlib import Path

from weft import __version__
from weft.frontend.clang import version
from weft.frontend.headers import file_digest, reads_files
from weft.frontend.options import BuildOptions
from weft.frontend.several import HEADER, INTEL_HEADER
from weft.sha256 import sha256


def source_text(data: bytes) -> str:
    """A program's bytes as the text that compile_source takes; bytes that are not UTF-8 survive."""
    return data.decode("utf-8", "surrogateescape")


def texts_of(source: str, options: BuildOptions) -> list[str]:
    """Where names of files may stand."""
    return [source, *(definition for _, definition in options.defines)]


def translation_key(source: str, options: BuildOptions) -> str:
    """A digest of all that decides a translation, except the contents of included files (`dependencies`)."""
    # Relative includes are looked up from the working directory.
    folder = os.getcwd() if reads_files(texts_of(source, options)) else ""
    return key_of(source, options.key(), folder)


def key_of(*parts: str) -> str:
    """A digest of texts and of the front end."""
    digest = sha256()
    for part in (header_key(), *parts):
        data = part.encode("utf-8", "surrogatepass")
        digest.update(b"%d:" % len(data) + data)
    return digest.hexdigest()


def unchanged(dependencies: tuple[tuple[str, str], ...]) -> bool:
    """Whether every included file still has the contents it was compiled with."""
    return all(file_digest(path) == digest for path, digest in dependencies)


@cache
def header_key() -> str:
    """Identify the front end (its header, its code and its clang) in cache keys.

    By sizes and times of files, as every process asks.
    """
    digest = sha256(f"{__version__} {version()} {os.uname().machine}".encode())
    folder = Path(__file__).parent
    for path in (HEADER, INTEL_HEADER, *sorted(folder.rglob("*.py"))):
        status = path.stat()
        digest.update(f"{path.name} {status.st_size} {status.st_mtime_ns}\n".encode())
    return digest.hexdigest()
