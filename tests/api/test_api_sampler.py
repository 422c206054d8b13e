"""Samplers, and images and samplers as kernel arguments."""

import pytest
from api_support import NULL, World, address, call, check, create, ffi, handles, number, query, refused, sizes
from fake_compiler import FakeCompiler
from image_support import image

from weft.api import constants as c

PROPERTIES = [
    c.CL_SAMPLER_FILTER_MODE, c.CL_FILTER_LINEAR, c.CL_SAMPLER_NORMALIZED_COORDS, 0,
    c.CL_SAMPLER_ADDRESSING_MODE, c.CL_ADDRESS_NONE, 0,
]  # fmt: skip


def sampler(world: World, mode: int = c.CL_ADDRESS_REPEAT) -> int:
    return create("clCreateSampler", world.context, 1, mode, c.CL_FILTER_LINEAR)


def test_a_sampler_tells_what_it_was_made_with(world: World) -> None:
    made = sampler(world)
    wanted = {
        c.CL_SAMPLER_CONTEXT: world.context,
        c.CL_SAMPLER_NORMALIZED_COORDS: 1,
        c.CL_SAMPLER_ADDRESSING_MODE: c.CL_ADDRESS_REPEAT,
        c.CL_SAMPLER_FILTER_MODE: c.CL_FILTER_LINEAR,
        c.CL_SAMPLER_REFERENCE_COUNT: 1,
    }
    for param, value in wanted.items():
        assert number("clGetSamplerInfo", made, param) == value
    assert query("clGetSamplerInfo", made, c.CL_SAMPLER_PROPERTIES) == b""
    assert call("clGetSamplerInfo", made, 5, 0, 0, NULL) == c.CL_INVALID_VALUE
    check("clRetainSampler", made)
    check("clReleaseSampler", made)
    check("clReleaseSampler", made)
    for name in ("clRetainSampler", "clReleaseSampler"):
        assert call(name, made) == c.CL_INVALID_SAMPLER
    assert call("clGetSamplerInfo", world.queue, 0, 0, 0, NULL) == c.CL_INVALID_SAMPLER


def test_samplers_of_property_lists(world: World) -> None:
    listed = ffi.new("uint64_t[]", PROPERTIES)
    made = create("clCreateSamplerWithProperties", world.context, listed)
    assert number("clGetSamplerInfo", made, c.CL_SAMPLER_NORMALIZED_COORDS) == 0
    assert number("clGetSamplerInfo", made, c.CL_SAMPLER_ADDRESSING_MODE) == c.CL_ADDRESS_NONE
    assert number("clGetSamplerInfo", made, c.CL_SAMPLER_FILTER_MODE) == c.CL_FILTER_LINEAR
    assert query("clGetSamplerInfo", made, c.CL_SAMPLER_PROPERTIES) == bytes(ffi.buffer(listed))
    plain = create("clCreateSamplerWithProperties", world.context, NULL)
    assert number("clGetSamplerInfo", plain, c.CL_SAMPLER_NORMALIZED_COORDS) == 1
    assert number("clGetSamplerInfo", plain, c.CL_SAMPLER_ADDRESSING_MODE) == c.CL_ADDRESS_CLAMP
    assert number("clGetSamplerInfo", plain, c.CL_SAMPLER_FILTER_MODE) == c.CL_FILTER_NEAREST
    for wrong in ([7, 1, 0], [*PROPERTIES[:2], *PROPERTIES[:2], 0], [c.CL_SAMPLER_FILTER_MODE, 3, 0]):
        code = refused("clCreateSamplerWithProperties", world.context, ffi.new("uint64_t[]", wrong))
        assert code == c.CL_INVALID_VALUE


@pytest.mark.parametrize(
    "wrong", [(2, c.CL_ADDRESS_CLAMP, c.CL_FILTER_LINEAR), (1, 0, 0x1140), (1, 0x1130, 0)]
)
def test_samplers_are_checked(world: World, wrong: tuple[int, int, int]) -> None:
    assert refused("clCreateSampler", world.context, *wrong) == c.CL_INVALID_VALUE
    assert refused("clCreateSampler", 5, 1, c.CL_ADDRESS_CLAMP, c.CL_FILTER_LINEAR) == c.CL_INVALID_CONTEXT


def pictures(world: World) -> int:
    """A kernel whose arguments are an image and a sampler."""
    text = ffi.new("char[]", b"pictures")
    program = create("clCreateProgramWithSource", world.context, 1, ffi.new("char *[]", [text]), NULL)
    check("clBuildProgram", program, 0, NULL, NULL, 0, 0)
    return create("clCreateKernel", program, text)


def at(handle: int) -> tuple[int, object]:
    place = handles(handle)
    return address(place), place


def test_images_and_samplers_as_arguments(world: World, compiler: FakeCompiler) -> None:
    kernel = pictures(world)
    picture, look = image(world), sampler(world)
    first, second = at(picture), at(look)
    launch = ("clEnqueueNDRangeKernel", world.queue, kernel, 1, NULL, sizes(1), NULL, 0, NULL, NULL)
    assert call(*launch) == c.CL_INVALID_KERNEL_ARGS
    check("clSetKernelArg", kernel, 0, 8, first[0])
    check("clSetKernelArg", kernel, 1, 8, second[0])
    check(*launch)
    check("clReleaseSampler", look)  # kernels have its bits
    check(*launch)
    twin = create("clCloneKernel", kernel)
    check("clEnqueueNDRangeKernel", world.queue, twin, *launch[3:])
    check("clReleaseMemObject", picture)
    for target in (kernel, twin):
        code = call("clEnqueueNDRangeKernel", world.queue, target, *launch[3:])
        assert code == c.CL_INVALID_KERNEL_ARGS


def test_wrong_images_and_samplers_as_arguments(world: World, compiler: FakeCompiler) -> None:
    kernel = pictures(world)
    buffer, nothing, look, picture = (at(h) for h in (world.buffer(64), 0, sampler(world), image(world)))
    other = World()
    foreign_image, foreign_sampler = at(image(other)), at(sampler(other))
    for index, size, value, code in (
        (0, 8, buffer[0], c.CL_INVALID_MEM_OBJECT),
        (0, 8, nothing[0], c.CL_INVALID_MEM_OBJECT),
        (0, 8, look[0], c.CL_INVALID_MEM_OBJECT),
        (0, 8, foreign_image[0], c.CL_INVALID_CONTEXT),
        (0, 4, picture[0], c.CL_INVALID_ARG_SIZE),
        (0, 8, 0, c.CL_INVALID_MEM_OBJECT),
        (1, 8, picture[0], c.CL_INVALID_SAMPLER),
        (1, 8, nothing[0], c.CL_INVALID_SAMPLER),
        (1, 8, foreign_sampler[0], c.CL_INVALID_CONTEXT),
        (1, 4, look[0], c.CL_INVALID_ARG_SIZE),
        (1, 8, 0, c.CL_INVALID_SAMPLER),
    ):
        assert call("clSetKernelArg", kernel, index, size, value) == code
    other.close()
