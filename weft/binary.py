"""The format of program binaries: a magic word, a checksum, and JSON that contains Weft's version.

A checksum detects corruption, but does not authenticate the writer. Weft records the binaries that it writes,
in this process and, for the user's other processes, in the cache, which only the user can access. All other
binaries must be verified before use (`verify_binary.py`).
"""

import json
from collections.abc import Mapping
from typing import Any

from weft import __version__
from weft.codegen.cache import default_cache, digest
from weft.dataclasses import dataclass
from weft.records import parse_json, to_json

_known: set[str] = set()


@dataclass(frozen=True)
class CacheEntry:
    """The cache entry of a build: digests of the included files, and the binary."""

    dependencies: tuple[tuple[str, str], ...]
    binary: str

    def to_bytes(self) -> bytes:
        """Return the stored form."""
        return json.dumps(to_json(self)).encode()


def pack(magic: bytes, fields: Mapping[str, Any]) -> bytes:
    """Return a binary that contains `fields`."""
    body = json.dumps({"weft": __version__, **fields}).encode()
    return magic + digest(body).encode() + body


def unpack(magic: bytes, data: bytes) -> dict[str, Any]:
    """Return the fields of a binary, of any types; raises ValueError unless this version wrote it."""
    start = len(magic) + 64
    body = data[start:]
    if not data.startswith(magic) or data[len(magic) : start] != digest(body).encode():
        raise ValueError("not a Weft binary, or a corrupt one")
    fields = parse_json(body)
    if not isinstance(fields, dict):
        raise ValueError("not a Weft binary")
    version = fields.pop("weft", None)
    if version != __version__:
        raise ValueError(f"made by Weft {version!r:.40}, this is {__version__}: rebuild from source")
    return fields


def is_known(data: bytes) -> bool:
    """Whether a binary was written or checked by Weft for this user."""
    key = _key(data)
    return key in _known or default_cache().get(key) is not None


def remember(data: bytes) -> None:
    """Note that a binary needs no check."""
    key = _key(data)
    _known.add(key)
    default_cache().put(key, b"")


def _key(data: bytes) -> str:
    return digest("binary", __version__, data)
