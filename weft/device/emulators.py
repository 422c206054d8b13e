"""The devices for other processors, by name, and the program of qemu that each needs to be there.

The build reads this for the C side, which lists devices before Python runs. So it imports nothing of Weft.
"""

import os
import platform
import shutil

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
    if platform.machine() != "x86_64":
        return None
    folders = os.environ.get("PATH") or DEFAULT_PATH
    name = EMULATORS[kind]
    return shutil.which(f"{name}-static", path=folders) or shutil.which(name, path=folders)
