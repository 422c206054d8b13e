"""The devices for other processors, and the qemu program that each requires.

The build reads this module for the C side, which lists devices before Python runs. So it imports nothing from
Weft.
"""

import os

EMULATORS = {
    "aarch64": "qemu-aarch64",
    "aarch64-sve": "qemu-aarch64",
    "riscv64": "qemu-riscv64",
    "ppc64le": "qemu-ppc64le",
}
"""Names of programs without the suffix `-static` of static ones."""
DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin"


def find_emulator(kind: str) -> str | None:
    """Return the path of the program that runs code of the device; None if the device is not available."""
    if os.uname().machine != "x86_64":
        return None
    folders = os.environ.get("PATH") or DEFAULT_PATH
    name = EMULATORS[kind]
    return _which(f"{name}-static", folders) or _which(name, folders)


def _which(name: str, folders: str) -> str | None:
    """Like `shutil.which`, but importing that would take longer than the rest of listing devices."""
    paths = (os.path.join(folder or os.curdir, name) for folder in folders.split(os.pathsep))
    return next((path for path in paths if os.path.isfile(path) and os.access(path, os.X_OK)), None)
