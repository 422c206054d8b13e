"""SHA-256 without OpenSSL, which `hashlib` would load in 4 ms."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hashlib import sha256 as sha256
else:
    try:
        from _sha2 import sha256  # the module that hashlib uses without OpenSSL, since Python 3.12
    except ImportError:
        try:
            from _sha256 import sha256  # before Python 3.12
        except ImportError:
            from hashlib import sha256

__all__ = ["sha256"]
