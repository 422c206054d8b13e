"""The platform "Weft" and its devices, as OpenCL objects."""

from collections.abc import Sequence
from functools import cache, cached_property
from pathlib import Path

from weft import __version__, il, settings
from weft.device import base
from weft.device._pool import ffi
from weft.device.base import stop_commands
from weft.runtime import identity
from weft.runtime.codes import (
    CL_DEVICE_TYPE_ACCELERATOR,
    CL_DEVICE_TYPE_CPU,
    CL_INVALID_DEVICE,
    CL_INVALID_PLATFORM,
)
from weft.runtime.hot import lib as hot
from weft.runtime.identity import EXTENSION_VERSIONS, EXTENSIONS
from weft.runtime.objects import CLObject

__all__ = [
    "EXTENSIONS",
    "EXTENSION_VERSIONS",
    "IL_VERSIONS",
    "SPIRV_EXTENSIONS",
    "SPIRV_SETS",
    "Device",
    "Platform",
    "device_uuid",
    "driver_uuid",
    "driver_version",
    "lasting_strings",
    "spirv_capabilities",
    "stop_commands",
    "the_platform",
]


IL_VERSIONS = il.VERSIONS
SPIRV_EXTENSIONS = tuple(sorted(il.EXTENSIONS))
SPIRV_SETS = (il.OPENCL_STD,)
spirv_capabilities = il.capability_numbers


def device_uuid(device: "Device") -> bytes:
    """Return an identifier of a device that does not change on the same machine."""
    try:
        machine = Path("/etc/machine-id").read_text().strip()
    except OSError:
        machine = ""  # containers may lack it
    return _identifier("device", machine, device.info.name)


def driver_uuid() -> bytes:
    """Return an identifier of this version of Weft."""
    return _identifier("driver", __version__)


def _identifier(*words: str) -> bytes:
    from uuid import UUID, uuid5  # few clients query it

    names = UUID("5d0a3f9e-8c35-4d0c-9a53-2f6f2f6b8d11")  # the namespace of Weft's UUIDs
    return uuid5(names, "\n".join(words)).bytes


def driver_version() -> str:
    """Return a version that changes with everything that makes program binaries invalid.

    Programs that store binaries use it as a key.
    """
    from weft.toolchain import toolchain_key  # imports the cache keys, which most queries do not need

    return f"{__version__} {toolchain_key()[:8]}"


@cache
def lasting_strings(values: tuple[str, ...]) -> tuple[int, ...]:
    """Return addresses of strings that stay valid until the process ends, also after Python's shutdown."""
    texts = [value.encode() + b"\0" for value in values]
    place = base.device(base.KINDS[0]).allocate(sum(map(len, texts)))
    found = []
    for text in texts:
        ffi.memmove(ffi.cast("char *", place), text, len(text))
        found.append(place)
        place += len(text)
    return tuple(found)


class Device(CLObject):
    """A root device. It is never deleted, so retain and release do nothing."""

    kind = "device"
    invalid = CL_INVALID_DEVICE
    native_kind = hot.WEFT_HOT_ROOT_DEVICE
    parent: "Device | None" = None
    partition: tuple[int, ...] = ()  # how its parent was partitioned

    def __init__(self, platform: "Platform", native: base.Device) -> None:
        self.platform = platform
        self.native = native
        self.info = native.info
        self.type = CL_DEVICE_TYPE_ACCELERATOR if native.info.is_accelerator else CL_DEVICE_TYPE_CPU

    def is_part_of(self, devices: "Sequence[Device]") -> bool:
        """Whether one of `devices` was partitioned, in one or more steps, into this one and others."""
        above = self.parent
        while above is not None and above not in devices:
            above = above.parent
        return above is not None

    @property
    def root(self) -> "Device":
        """The root device that this one is a part of, or the device itself."""
        device = self
        while device.parent is not None:
            device = device.parent
        return device

    def retain(self) -> None:
        """Root devices are not counted."""

    def release(self) -> None:
        """Root devices are not counted."""

    def attach(self) -> None:
        """Root devices are not counted."""

    def detach(self) -> None:
        """Root devices are not counted."""


class Platform(CLObject):
    """The one platform."""

    kind = "platform"
    invalid = CL_INVALID_PLATFORM
    name = identity.NAME
    vendor = identity.VENDOR
    version = identity.VERSION
    profile = identity.PROFILE
    icd_suffix = identity.ICD_SUFFIX

    @cached_property
    def devices(self) -> tuple[Device, ...]:
        """The devices that WEFT_DEVICES names, in its order; the first is the default device."""
        wanted = [kind.strip() for kind in settings.get("WEFT_DEVICES").split(",") if kind.strip()]
        wanted = [kind for name in wanted for kind in (base.KINDS if name == "all" else (name,))]
        for kind in wanted:
            if kind not in base.KINDS:
                known = ", ".join(base.KINDS)
                raise settings.InvalidSetting(f"WEFT_DEVICES: unknown device {kind!r}; available: {known}")
        return tuple(Device(self, base.device(kind)) for kind in dict.fromkeys(wanted))


@cache
def the_platform() -> Platform:
    """Return the platform object, which is created by the first call."""
    return Platform()
