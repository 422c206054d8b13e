"""SHA-256 without OpenSSL, which `hashlib` loads first: 4 ms of a process that starts."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hashlib import sha256 as sha256
else:
    try:
        from _sha2 import sha256  # where hashlib has it from without OpenSSL, from Python 3.12 on
    except ImportError:
        try:
            from _sha256 import sha256  # before
        except ImportError:
            from hashlib import sha256

__all__ = ["sha256"]
