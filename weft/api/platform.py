"""Entries of the platform."""

from typing import Any

from weft.api import handles
from weft.api.constants import (
    CL_INVALID_PLATFORM,
    CL_INVALID_VALUE,
    CL_PLATFORM_EXTENSIONS,
    CL_PLATFORM_EXTENSIONS_WITH_VERSION,
    CL_PLATFORM_HOST_TIMER_RESOLUTION,
    CL_PLATFORM_ICD_SUFFIX_KHR,
    CL_PLATFORM_NAME,
    CL_PLATFORM_NUMERIC_VERSION,
    CL_PLATFORM_PROFILE,
    CL_PLATFORM_VENDOR,
    CL_PLATFORM_VERSION,
)
from weft.api.info import answer, name_versions, string, uint, ulong, version
from weft.api.memory_access import write_handle
from weft.api.registry import entry
from weft.runtime.errors import CLError
from weft.runtime.platform import EXTENSION_VERSIONS, EXTENSIONS, Platform, the_platform
from weft.versions import NEWEST

PLATFORM_INFO = {
    CL_PLATFORM_PROFILE: string(lambda p: p.profile),
    CL_PLATFORM_VERSION: string(lambda p: p.version),
    CL_PLATFORM_NUMERIC_VERSION: uint(lambda p: version(*NEWEST)),
    CL_PLATFORM_NAME: string(lambda p: p.name),
    CL_PLATFORM_VENDOR: string(lambda p: p.vendor),
    CL_PLATFORM_EXTENSIONS: string(lambda p: " ".join(EXTENSIONS)),
    CL_PLATFORM_EXTENSIONS_WITH_VERSION: name_versions(lambda p: EXTENSION_VERSIONS),
    CL_PLATFORM_HOST_TIMER_RESOLUTION: ulong(lambda p: 1),
    CL_PLATFORM_ICD_SUFFIX_KHR: string(lambda p: p.icd_suffix),
}


def platform_of(handle: int) -> Platform:
    """Return the platform of a handle; NULL is the only platform."""
    if not handle:
        return the_platform()
    return handles.lookup(handle, Platform, CL_INVALID_PLATFORM)


@entry("clGetPlatformIDs")
def get_platform_ids(num_entries: int, platforms: Any, num_platforms: Any) -> None:
    """List the platform."""
    if (platforms and not num_entries) or (not platforms and not num_platforms):
        raise CLError(CL_INVALID_VALUE, "platforms and num_platforms are both NULL")
    if platforms:
        write_handle(platforms, handles.publish(the_platform()))
    if num_platforms:
        num_platforms[0] = 1


@entry("clGetPlatformInfo")
def get_platform_info(platform: int, param: int, size: int, value: Any, size_ret: Any) -> None:
    """Answer a query about the platform."""
    answer(PLATFORM_INFO, platform_of(platform), param, size, value, size_ret)


@entry("clUnloadPlatformCompiler")
def unload_platform_compiler(platform: int) -> None:
    """Ignore the hint that the compiler is not needed soon; it stays loaded."""
    handles.lookup(platform, Platform, CL_INVALID_PLATFORM)


@entry("clUnloadCompiler")
def unload_compiler() -> None:
    """Like clUnloadPlatformCompiler, for the only platform."""
