"""Installs a wheel for 64-bit ARM in qemu, as on a machine of that kind, and runs Weft there.

    python -m tools.try_wheel dist/weft-...-aarch64.whl            install, `weft target`, the demo
    python -m tools.try_wheel WHEEL --tests shuffle                and kernel tests, by a part of their names
    python -m tools.try_wheel WHEEL --processor neoverse-v1        the same on a processor with SVE
    python -m tools.try_wheel WHEEL --source                       and `make demo` from source, compiled there
    python -m tools.try_wheel WHEEL -- venv/bin/weft devices       and any command, in the home folder there

The root folder contains what such a machine has: Debian's packages of Python for ARM, unpacked, and the
wheels of Weft's dependencies for ARM. The kernel runs the programs in it with qemu (binfmt_misc), in a
separate namespace, so that nothing else on this machine is affected. This requires Linux 6.7 or later,
`apt-get`, `unshare` and `qemu-aarch64-static`. The demo's picture must equal that of this machine, byte for
byte.
"""

import argparse
import platform
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EMULATOR = "qemu-aarch64-static"
PACKAGES = (
    "base-files",
    "bash",
    "coreutils",
    "dash",
    "libpython3.11",
    "libstdc++6",
    "make",
    "python3.11-venv",
)
PLATFORMS = ("manylinux2014", "manylinux_2_17", "manylinux_2_26", "manylinux_2_27", "manylinux_2_28")
USED = ("cffi", "llvmlite", "numpy", "pyopencl", "pytest>", "ziglang")
FOLDERS = ("examples", "tests")
PICTURE = ("--width", "160", "--height", "96", "--output")
DEMO = "examples/mandelbrot.py"

# The text of /proc/cpuinfo on such a processor; qemu shows programs that of this machine.
CPUINFO = """\
processor\t: {core}
BogoMIPS\t: 243.75
Features\t: fp asimd evtstrm aes pmull sha1 sha2 crc32 atomics fphp asimdhp cpuid asimdrdm lrcpc {more}
CPU implementer\t: 0x41
CPU architecture: 8
CPU variant\t: 0x1
CPU part\t: {part}
CPU revision\t: 1

"""


@dataclass(frozen=True)
class Processor:
    """A processor: qemu's name and options for it, its part number, and its additional features."""

    model: str
    part: str
    more: str


PROCESSORS = {
    "neoverse-n1": Processor("neoverse-n1", "0xd0c", "dcpop asimddp ssbs"),
    "neoverse-v1": Processor("max,sve256=on", "0xd40", "dcpop asimddp sve ssbs"),
}

# 64-bit little-endian ELF files for AArch64, executable or position-independent.
_MAGIC = b"\x7fELF\2\1\1" + bytes(9) + b"\2\0\xb7\0"
_MASK = b"\xff" * 7 + b"\0" + b"\xff" * 8 + b"\xfe\xff\xff\xff"

_ENTER = """\
set -e
mount -t proc proc "$ROOT/proc"
mount -t binfmt_misc none "$ROOT/proc/sys/fs/binfmt_misc"
printf %s "$RULE" > "$ROOT/proc/sys/fs/binfmt_misc/register"
for device in null zero random urandom; do mount --bind "/dev/$device" "$ROOT/dev/$device"; done
mount -t tmpfs none "$ROOT/dev/shm"
mount --bind "$ROOT/cpuinfo" "$ROOT/proc/cpuinfo"
exec chroot "$ROOT" /bin/bash -c 'cd && exec "$@"' bash "$@"
"""


def unpack_system(folder: Path, root: Path) -> None:
    """Download Debian's packages for ARM from the mirrors of this machine, and unpack them."""
    for name in ("state/lists/partial", "cache/archives/partial"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    (folder / "status").write_text("")
    places = {
        "Dir::State": folder / "state",
        "Dir::State::status": folder / "status",
        "Dir::Cache": folder / "cache",
        "APT::Architecture": "arm64",
        "APT::Architectures": "arm64",
        "APT::Install-Recommends": "false",
    }
    options = [word for name, value in places.items() for word in ("-o", f"{name}={value}")]
    subprocess.run(["apt-get", "-qq", *options, "update"], check=True)
    subprocess.run(["apt-get", "-qq", "-y", *options, "--download-only", "install", *PACKAGES], check=True)
    for name in ("bin", "lib", "sbin"):
        (root / "usr" / name).mkdir(parents=True, exist_ok=True)
        (root / name).symlink_to(f"usr/{name}")
    for package in sorted((folder / "cache" / "archives").glob("*.deb")):
        with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", package], stdout=subprocess.PIPE) as reader:
            subprocess.run(
                ["tar", "-x", "--keep-directory-symlink", "--no-same-owner", "-C", root],
                stdin=reader.stdout,
                check=True,
            )


def complete_system(root: Path) -> None:
    """Add folders and devices, which packages do not contain."""
    for name in ("proc", "dev/shm", "tmp", "root"):
        (root / name).mkdir(parents=True, exist_ok=True)
    for name in ("null", "zero", "random", "urandom"):
        (root / "dev" / name).touch()
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        (root / "dev" / name).symlink_to(f"/proc/self/fd/{number}")
    (root / "dev" / "fd").symlink_to("/proc/self/fd")
    if not (root / "bin" / "sh").exists():
        (root / "bin" / "sh").symlink_to("dash")


def fetch_wheels(folder: Path, *, to_build: bool) -> None:
    """Download the ARM wheels that Weft and the kernel tests need, or those that `make setup` installs."""
    described = tomllib.loads((ROOT / "pyproject.toml").read_text())
    project = described["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["test"]]
    if to_build:
        wanted += described["build-system"]["requires"]
    else:
        wanted = [name for name in wanted if name.startswith(USED)]
    command = [sys.executable, "-m", "pip", "download", "-qq", "-d", str(folder), "--only-binary=:all:"]
    command += (f"--platform={name}_aarch64" for name in PLATFORMS)
    subprocess.run([*command, "--python-version=3.11", *wanted], check=True)


def run(root: Path, command: Sequence[str], processor: str = "neoverse-n1") -> None:
    """Run a command inside the system, in the home folder, on a processor."""

    def escaped(data: bytes) -> str:
        return "".join(f"\\x{byte:02x}" for byte in data)

    emulator, described = shutil.which(EMULATOR), PROCESSORS[processor]
    rows = (CPUINFO.format(core=core, part=described.part, more=described.more) for core in range(2))
    (root / "cpuinfo").write_text("".join(rows))
    environment = {
        "ROOT": str(root),
        "RULE": f":weft-aarch64:M::{escaped(_MAGIC)}:{escaped(_MASK)}:{emulator}:F",
        "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "HOME": "/root",
        "QEMU_CPU": described.model,
        "PYOPENCL_NO_CACHE": "1",
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": "/root/wheels",
    }
    namespace = ["unshare", "--user", "--map-root-user", "--mount", "--pid", "--fork", "--kill-child"]
    print("+", *command, flush=True)
    done = subprocess.run([*namespace, "bash", "-c", _ENTER, "bash", *command], env=environment, check=False)
    if done.returncode:
        raise SystemExit(f"the command failed with status {done.returncode}")


def prepare(folder: Path, root: Path, wheel: Path, *, to_build: bool) -> None:
    """Create the system, and an environment in it with the wheel, by the pip of its own Python."""
    if not root.is_dir():
        unpack_system(folder / "packages", root)
        complete_system(root)
    home = root / "root"
    fetch_wheels(home / "wheels", to_build=to_build)
    shutil.copy(wheel, home / "wheels")
    if (home / "venv").is_dir():
        run(root, ["venv/bin/pip", "uninstall", "-q", "-y", "weft"])
    else:
        run(root, ["python3.11", "-m", "venv", "venv"])
    run(root, ["venv/bin/pip", "install", "-q", "pyopencl", "pytest", f"wheels/{wheel.name}"])
    run(root, ["venv/bin/pip", "check"])
    for name in FOLDERS:
        shutil.rmtree(home / name, ignore_errors=True)
        shutil.copytree(ROOT / name, home / name, ignore=shutil.ignore_patterns("__pycache__"))


def copy_source(folder: Path) -> None:
    """Copy the files of this source, without build products."""
    shutil.rmtree(folder, ignore_errors=True)
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True
    )
    for name in listed.stdout.split("\0")[:-1]:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)


def compare_pictures(folder: Path, picture: Path) -> None:
    """Require that the demo's picture equals that of this machine."""
    expected = folder / "demo.png"
    if not expected.exists():
        subprocess.run([sys.executable, ROOT / DEMO, *PICTURE, expected], check=True)
    if expected.read_bytes() != picture.read_bytes():
        raise SystemExit("the pictures differ")
    print("the pictures are the same", flush=True)


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("wheel", type=Path)
    parser.add_argument("command", nargs="*", help="another command to run inside, after `--`")
    parser.add_argument("--folder", type=Path, help="keep what is fetched and installed here (700 MB)")
    parser.add_argument("--tests", metavar="TEXT", help="kernel tests whose names contain this; '' for all")
    parser.add_argument("--source", action="store_true", help="`make demo` from source inside, too")
    parser.add_argument("--processor", choices=PROCESSORS, default="neoverse-n1")
    options = parser.parse_args()
    if platform.machine() == "aarch64" or not shutil.which(EMULATOR):
        parser.error(f"this needs {EMULATOR} and a machine of another kind")
    with tempfile.TemporaryDirectory(prefix="weft-wheel-") as scratch:
        folder = (options.folder or Path(scratch)).resolve()
        root, home = folder / "root", folder / "root" / "root"
        prepare(folder, root, options.wheel, to_build=options.source)
        (folder / "demo.png").unlink(missing_ok=True)
        for command in (["venv/bin/weft", "target"], ["venv/bin/python", DEMO, *PICTURE, "demo.png"]):
            run(root, command, options.processor)
        compare_pictures(folder, home / "demo.png")
        if options.source:
            copy_source(home / "source")
            demo = f"ARGS={' '.join(PICTURE)} demo.png"
            run(root, ["make", "-C", "source", "demo", demo], options.processor)
            compare_pictures(folder, home / "source" / "demo.png")
        if options.tests is not None:
            which = ["--devices", "pthread", "--kernels", "0", "--only", options.tests]
            run(root, ["venv/bin/python", "tests/kernels/targets_run.py", *which], options.processor)
        if options.command:
            run(root, options.command, options.processor)
    return 0


if __name__ == "__main__":
    sys.exit(main())
