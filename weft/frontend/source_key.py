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
    """Decode a program for compile_source; bytes that are not UTF-8 are preserved."""
    return data.decode("utf-8", "surrogateescape")


def texts_of(source: str, options: BuildOptions) -> list[str]:
    """Return the texts that may contain names of files."""
    return [source, *(definition for _, definition in options.defines)]


def translation_key(source: str, options: BuildOptions) -> str:
    """Return a digest of everything that determines a translation, except the contents of included files."""
    # Relative includes are resolved from the working directory.
    folder = os.getcwd() if reads_files(texts_of(source, options)) else ""
    return key_of(source, options.key(), folder)


def key_of(*parts: str) -> str:
    """Return a digest of texts and of the front end."""
    digest = sha256()
    for part in (header_key(), *parts):
        data = part.encode("utf-8", "surrogatepass")
        digest.update(b"%d:" % len(data) + data)
    return digest.hexdigest()


def unchanged(dependencies: tuple[tuple[str, str], ...]) -> bool:
    """Return whether every included file still has the contents that were compiled."""
    return all(file_digest(path) == digest for path, digest in dependencies)


@cache
def header_key() -> str:
    """Identify the front end (its header, its code and its clang) in cache keys.

    Files are identified by size and time, because every process computes the key.
    """
    digest = sha256(f"{__version__} {version()} {os.uname().machine}".encode())
    folder = Path(__file__).parent
    for path in (HEADER, INTEL_HEADER, *sorted(folder.rglob("*.py"))):
        status = path.stat()
        digest.update(f"{path.name} {status.st_size} {status.st_mtime_ns}\n".encode())
    return digest.hexdigest()
