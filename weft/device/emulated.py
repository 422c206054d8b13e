"""Devices for other processors: a device server, cross-compiled, runs in qemu's user-mode emulator.

Memory, messages and the order of commands are those of `isolated`. The server is a static program, which the
compiler of the `ziglang` package builds at first use; the cache keeps it. Kernels are compiled for the
processor's description in `weft/target`. docs/targets.md lists the test results.
"""

import os
import tempfile
from collections.abc import Mapping
from functools import cache, partial
from pathlib import Path

from weft import settings
from weft.codegen.cache import default_cache, digest
from weft.codegen.linking.place_object import Detours
from weft.dataclasses import dataclass, replace
from weft.device import server_imports
from weft.device.detours import RoundingDetours
from weft.device.info import Description, HostFacts, device_info
from weft.device.region import RegionPlan
from weft.errors import ToolError
from weft.target import Target, aarch64, ppc64le, riscv64

_FOLDER = Path(__file__).parent
_MEMORY = 1 << 30  # limited, because the emulator keeps a record of each page
_NANOSECONDS = 10**9


@dataclass(frozen=True)
class Emulated:
    """A processor: qemu's name and options for it, the compiler's target name, and its description.

    `detours` handles instructions that qemu cannot translate in place.
    """

    model: str
    system: str
    target: Target
    detours: Detours | None = None


PROCESSORS: Mapping[str, Emulated] = {
    "aarch64": Emulated("neoverse-n1", "aarch64-linux-musl", aarch64.describe("neoverse-n1")),
    "aarch64-sve": Emulated("max,sve256=on", "aarch64-linux-musl", aarch64.describe("neoverse-v1")),
    "riscv64": Emulated(
        "rv64,v=true,vlen=256,elen=64,vext_spec=v1.0",
        "riscv64-linux-musl",
        riscv64.describe("rv64gcv-zvl256b"),
        RoundingDetours(),
    ),
    "ppc64le": Emulated("power9", "powerpc64le-linux-musl", ppc64le.describe("pwr9")),
}


def describe(kind: str, emulator: str, host: HostFacts) -> Description:
    """Describe a device with `pthread`'s threads, the processor's name and vectors, and the host's caches."""
    processor = PROCESSORS[kind]
    threads = settings.get("WEFT_THREADS") or host.cores
    memory = settings.get("WEFT_ISOLATED_MEMORY") or min(_MEMORY, host.memory_bytes // 2)
    name = processor.model.partition(",")[0]
    facts = replace(host, name=f"{name} in qemu", vendor="QEMU", vendor_id=0, clock_mhz=0)
    info = replace(
        device_info(kind, replace(facts, memory_bytes=memory), threads),
        vector_bytes=processor.target.register_bits // 8,
        shares_system_memory=False,
        partitionable=False,
    )
    limit = round(settings.get("WEFT_ISOLATED_SECONDS") * _NANOSECONDS)
    command = partial(_command, kind, emulator)
    plan = RegionPlan(threads, memory, limit, command, processor.target, processor.detours)
    return Description(info, threads, exclusive=False, region=plan)


def _command(kind: str, emulator: str) -> tuple[str, ...]:
    """Return the command of the server; the emulator reads its program from a file of this process."""
    program = os.memfd_create(f"weft-device-server-{kind}")
    with open(program, "wb", closefd=False) as file:
        file.write(server_program(kind))
    return emulator, "-cpu", PROCESSORS[kind].model, f"/proc/{os.getpid()}/fd/{program}"


@cache
def server_program(kind: str) -> bytes:
    """Return the server program for a processor, cached or newly compiled; raises ToolError."""
    system = PROCESSORS[kind].system
    sources = (_FOLDER / name for name in server_imports.SOURCES)
    texts = [path.read_bytes() for path in (*sources, *sorted(_FOLDER.rglob("*.h")))]
    key = digest("device server", system, server_imports.header(), *texts)
    return default_cache().get_or_make(key, partial(_compile, system))


def _compile(system: str) -> bytes:
    from weft.icd import toolchain  # imports modules that only the first use needs

    with tempfile.TemporaryDirectory(prefix="weft-build-") as scratch:
        folder = Path(scratch)
        (folder / "server_imports.h").write_text(server_imports.header())
        output = folder / "server"
        try:
            toolchain.compile_c(
                [_FOLDER / name for name in server_imports.SOURCES],
                output,
                shared=False,
                include=[folder],
                arguments=["-static", "-pthread", "-lm", "-DWEFT_EMULATED=1"],
                target=system,
            )
        except toolchain.CompileError as error:
            raise ToolError(f"the device server does not compile for {system}: {error}") from None
        return output.read_bytes()
