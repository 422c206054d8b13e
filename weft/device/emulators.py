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
"""Names of programs without the ending `-static`, which a static one may have."""
DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin"


def find_emulator(kind: str) -> str | None:
    """The path of the program that runs the device's code; None: the device is not there."""
    if os.uname().machine != "x86_64":
        return None
    folders = os.environ.get("PATH") or DEFAULT_PATH
    name = EMULATORS[kind]
    return _which(f"{name}-static", folders) or _which(name, folders)


def _which(name: str, folders: str) -> str | None:
    """As `shutil.which`, whose module takes longer to import than all else that listing devices does."""
    paths = (os.path.join(folder or os.curdir, name) for folder in folders.split(os.pathsep))
    return next((path for path in paths if os.path.isfile(path) and os.access(path, os.X_OK)), None)
