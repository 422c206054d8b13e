"""The platform "Weft" and its devices, as OpenCL objects."""

from functools import cache, cached_property

import weft
from weft import settings
from weft.device import base
from weft.runtime.codes import CL_DEVICE_TYPE_CPU, CL_INVALID_DEVICE, CL_INVALID_PLATFORM
from weft.runtime.objects import CLObject

PLATFORM_EXTENSIONS = ("cl_khr_icd", "cl_khr_extended_versioning")
DEVICE_EXTENSIONS = (
    "cl_khr_byte_addressable_store",
    "cl_khr_fp64",
    "cl_khr_global_int32_base_atomics",
    "cl_khr_global_int32_extended_atomics",
    "cl_khr_local_int32_base_atomics",
    "cl_khr_local_int32_extended_atomics",
)


class Device(CLObject):
    """A root device: always there, so retain and release do nothing."""

    kind = "device"
    invalid = CL_INVALID_DEVICE
    type = CL_DEVICE_TYPE_CPU

    def __init__(self, platform: "Platform", native: base.Device) -> None:
        super().__init__()
        self.platform = platform
        self.native = native
        self.info = native.info

    def retain(self) -> None:
        """Root devices are not counted."""

    def release(self) -> None:
        """Root devices are not counted."""


class Platform(CLObject):
    """The one platform."""

    kind = "platform"
    invalid = CL_INVALID_PLATFORM
    name = "Weft"
    vendor = "Weft developers"
    version = f"OpenCL 3.0 Weft {weft.__version__}"
    profile = "FULL_PROFILE"
    icd_suffix = "WEFT"

    @cached_property
    def devices(self) -> tuple[Device, ...]:
        """The devices that WEFT_DEVICES names, in its order; the first is the default device."""
        by_kind = {native.kind: native for native in base.devices()}
        wanted = [kind.strip() for kind in settings.get("WEFT_DEVICES").split(",") if kind.strip()]
        for kind in wanted:
            if kind not in by_kind:
                known = ", ".join(by_kind)
                raise settings.InvalidSetting(f"WEFT_DEVICES: no device {kind!r}; there are {known}")
        return tuple(Device(self, by_kind[kind]) for kind in dict.fromkeys(wanted))


@cache
def the_platform() -> Platform:
    """The platform object, made at the first call."""
    return Platform()
