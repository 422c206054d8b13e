"""Entries of samplers."""

from typing import Any

from weft.api import handles
from weft.api.constants import (
    CL_ADDRESS_CLAMP,
    CL_FILTER_NEAREST,
    CL_INVALID_SAMPLER,
    CL_INVALID_VALUE,
    CL_SAMPLER_ADDRESSING_MODE,
    CL_SAMPLER_CONTEXT,
    CL_SAMPLER_FILTER_MODE,
    CL_SAMPLER_NORMALIZED_COORDS,
    CL_SAMPLER_PROPERTIES,
    CL_SAMPLER_REFERENCE_COUNT,
)
from weft.api.context import context_of
from weft.api.info import answer, obj, uint, ulongs
from weft.api.memory_access import read_property_list
from weft.api.registry import creator, entry
from weft.runtime.errors import CLError
from weft.runtime.sampler import Sampler

SAMPLER_INFO = {
    CL_SAMPLER_REFERENCE_COUNT: uint(lambda s: s.references),
    CL_SAMPLER_CONTEXT: obj(lambda s: s.context),
    CL_SAMPLER_NORMALIZED_COORDS: uint(lambda s: s.normalized),
    CL_SAMPLER_ADDRESSING_MODE: uint(lambda s: s.addressing),
    CL_SAMPLER_FILTER_MODE: uint(lambda s: s.filter),
    CL_SAMPLER_PROPERTIES: ulongs(lambda s: s.properties),
}

_DEFAULTS = {
    CL_SAMPLER_NORMALIZED_COORDS: 1,
    CL_SAMPLER_ADDRESSING_MODE: CL_ADDRESS_CLAMP,
    CL_SAMPLER_FILTER_MODE: CL_FILTER_NEAREST,
}


def sampler_of(handle: int) -> Sampler:
    """Return the sampler of a handle."""
    return handles.lookup(handle, Sampler, CL_INVALID_SAMPLER)


@creator("clCreateSampler")
def create_sampler(context: int, normalized: int, addressing: int, filter: int) -> Sampler:
    """Create a sampler."""
    return Sampler(context_of(context), normalized, addressing, filter)


@creator("clCreateSamplerWithProperties")
def create_sampler_with_properties(context: int, properties: Any) -> Sampler:
    """Create a sampler from a property list, with defaults for missing properties."""
    owner = context_of(context)
    listed = read_property_list(properties)
    chosen: dict[int, int] = {}
    for name, value in zip(listed[::2], listed[1::2], strict=True):
        if name not in _DEFAULTS or name in chosen:
            raise CLError(CL_INVALID_VALUE, f"{name:#x} is not a sampler property, or is given twice")
        chosen[name] = value
    normalized, addressing, filter = (_DEFAULTS | chosen).values()
    return Sampler(owner, normalized, addressing, filter, [*listed, 0] if properties else [])


@entry("clRetainSampler")
def retain_sampler(sampler: int) -> None:
    """Add a reference."""
    sampler_of(sampler).retain()


@entry("clReleaseSampler")
def release_sampler(sampler: int) -> None:
    """Drop a reference."""
    sampler_of(sampler).release()


@entry("clGetSamplerInfo")
def get_sampler_info(sampler: int, param: int, size: int, value: Any, size_ret: Any) -> None:
    """Answer a query about a sampler."""
    answer(SAMPLER_INFO, sampler_of(sampler), param, size, value, size_ret)
