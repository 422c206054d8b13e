"""Programs: sources, binaries, builds and their records."""

import pytest
from api_support import (
    NULL,
    World,
    address,
    call,
    check,
    create,
    ffi,
    handles,
    number,
    query,
    refused,
    sizes,
    text,
)
from fake_compiler import FakeCompiler

from weft.api import constants as c


def source_program(world: World, *pieces: str) -> int:
    """A program of the given strings."""
    strings = [ffi.new("char[]", piece.encode()) for piece in pieces]
    array = ffi.new("char *[]", strings)
    return create("clCreateProgramWithSource", world.context, len(pieces), array, NULL)


def build(program: int, options: str | None = None) -> int:
    """The code of clBuildProgram."""
    given = NULL if options is None else ffi.new("char[]", options.encode())
    return call("clBuildProgram", program, 0, NULL, given, 0, 0)


def test_source_is_the_strings_in_order(world: World) -> None:
    program = source_program(world, "add ", "emp", "ty")
    assert text("clGetProgramInfo", program, c.CL_PROGRAM_SOURCE) == "add empty"


def test_an_empty_source_is_a_source(world: World, compiler: FakeCompiler) -> None:
    program = source_program(world, "")
    assert text("clGetProgramInfo", program, c.CL_PROGRAM_SOURCE) == ""
    assert call("clCompileProgram", program, 0, NULL, NULL, 0, NULL, NULL, 0, 0) != c.CL_INVALID_OPERATION
    assert build(program) == c.CL_SUCCESS


def test_lengths_cut_the_strings(world: World) -> None:
    strings = [ffi.new("char[]", b"addition"), ffi.new("char[]", b" empty")]
    array = ffi.new("char *[]", strings)
    program = create("clCreateProgramWithSource", world.context, 2, array, sizes(3, 0))
    assert text("clGetProgramInfo", program, c.CL_PROGRAM_SOURCE) == "add empty"


def test_source_creation_checks_its_parameters(world: World) -> None:
    one = ffi.new("char *[]", [NULL])
    for context, count, strings, code in (
        (0, 1, one, c.CL_INVALID_CONTEXT),
        (world.context, 0, one, c.CL_INVALID_VALUE),
        (world.context, 1, NULL, c.CL_INVALID_VALUE),
        (world.context, 1, one, c.CL_INVALID_VALUE),
    ):
        assert refused("clCreateProgramWithSource", context, count, strings, NULL) == code


def test_unbuilt_program_has_no_kernels(world: World, compiler: FakeCompiler) -> None:
    program = source_program(world, "add")
    for param in (c.CL_PROGRAM_NUM_KERNELS, c.CL_PROGRAM_KERNEL_NAMES):
        assert call("clGetProgramInfo", program, param, 0, 0, NULL) == c.CL_INVALID_PROGRAM_EXECUTABLE
    name = ffi.new("char[]", b"add")
    assert refused("clCreateKernel", program, name) == c.CL_INVALID_PROGRAM_EXECUTABLE
    count = ffi.new("uint32_t *")
    code = call("clCreateKernelsInProgram", program, 0, NULL, count)
    assert code == c.CL_INVALID_PROGRAM_EXECUTABLE
    status = query("clGetProgramBuildInfo", program, world.device, c.CL_PROGRAM_BUILD_STATUS)
    assert int.from_bytes(status, "little", signed=True) == c.CL_BUILD_NONE
    assert query("clGetProgramInfo", program, c.CL_PROGRAM_BINARY_SIZES) == bytes(8)


def test_successful_build_is_recorded(world: World, compiler: FakeCompiler) -> None:
    program = source_program(world, "add empty")
    assert build(program, "-D X=1") == c.CL_SUCCESS
    assert compiler.builds == [("add empty", "-D X=1")]
    info = ("clGetProgramBuildInfo", program, world.device)
    assert number(*info, c.CL_PROGRAM_BUILD_STATUS) == c.CL_BUILD_SUCCESS
    assert text(*info, c.CL_PROGRAM_BUILD_OPTIONS) == "-D X=1"
    assert text(*info, c.CL_PROGRAM_BUILD_LOG) == "a warning\n"
    assert number(*info, c.CL_PROGRAM_BINARY_TYPE) == c.CL_PROGRAM_BINARY_TYPE_EXECUTABLE
    assert number("clGetProgramInfo", program, c.CL_PROGRAM_NUM_KERNELS) == 2
    assert text("clGetProgramInfo", program, c.CL_PROGRAM_KERNEL_NAMES) == "add;empty"
    assert number("clGetProgramInfo", program, c.CL_PROGRAM_DEVICES) == world.device


def test_failed_build_is_recorded_and_can_be_repeated(world: World, compiler: FakeCompiler) -> None:
    program = source_program(world, "add nonsense")
    assert build(program) == c.CL_BUILD_PROGRAM_FAILURE
    info = ("clGetProgramBuildInfo", program, world.device)
    status = query(*info, c.CL_PROGRAM_BUILD_STATUS)
    assert int.from_bytes(status, "little", signed=True) == c.CL_BUILD_ERROR
    assert text(*info, c.CL_PROGRAM_BUILD_LOG) == "error: what is nonsense?\n"
    assert refused("clCreateKernel", program, ffi.new("char[]", b"add")) == c.CL_INVALID_PROGRAM_EXECUTABLE
    assert build(program) == c.CL_BUILD_PROGRAM_FAILURE


def test_bad_options_are_refused(world: World, compiler: FakeCompiler) -> None:
    program = source_program(world, "add")
    assert build(program, "-bad") == c.CL_INVALID_BUILD_OPTIONS
    assert build(program) == c.CL_SUCCESS


def test_build_checks_its_parameters(world: World, compiler: FakeCompiler) -> None:
    program = source_program(world, "add")
    for target, count, devices, user_data, code in (
        (0, 0, NULL, 0, c.CL_INVALID_PROGRAM),
        (program, 1, NULL, 0, c.CL_INVALID_VALUE),
        (program, 0, handles(world.device), 0, c.CL_INVALID_VALUE),
        (program, 1, handles(5), 0, c.CL_INVALID_DEVICE),
        (program, 0, NULL, 1, c.CL_INVALID_VALUE),
        (program, 1, handles(world.device), 0, c.CL_SUCCESS),
    ):
        assert call("clBuildProgram", target, count, devices, NULL, 0, user_data) == code


def test_program_with_kernels_cannot_be_built_again(world: World, compiler: FakeCompiler) -> None:
    program = source_program(world, "add")
    assert build(program) == c.CL_SUCCESS
    kernel = create("clCreateKernel", program, ffi.new("char[]", b"add"))
    assert build(program) == c.CL_INVALID_OPERATION
    check("clReleaseKernel", kernel)
    assert build(program) == c.CL_SUCCESS


@pytest.mark.parametrize("source", ["add", "nonsense"])
def test_build_callback_is_called_however_the_build_ends(
    world: World, compiler: FakeCompiler, source: str
) -> None:
    called: list[tuple[int, int]] = []

    @ffi.callback("void(uintptr_t, void *)")
    def notify(program: int, data: object) -> None:
        called.append((program, int(ffi.cast("uintptr_t", data))))

    program = source_program(world, source)
    call("clBuildProgram", program, 0, NULL, NULL, address(notify), 42)
    assert called == [(program, 42)]


def test_binary_makes_the_same_program(world: World, compiler: FakeCompiler) -> None:
    program = source_program(world, "add empty")
    assert build(program) == c.CL_SUCCESS
    size = number("clGetProgramInfo", program, c.CL_PROGRAM_BINARY_SIZES)
    binary = ffi.new("uint8_t[]", size)
    places = handles(address(binary))
    check("clGetProgramInfo", program, c.CL_PROGRAM_BINARIES, 8, address(places), NULL)
    status = ffi.new("int32_t[]", [9])
    arguments = (1, handles(world.device), sizes(size), ffi.new("uint8_t *[]", [binary]), status)
    copy = create("clCreateProgramWithBinary", world.context, *arguments)
    assert status[0] == c.CL_SUCCESS
    assert build(copy) == c.CL_SUCCESS
    assert text("clGetProgramInfo", copy, c.CL_PROGRAM_KERNEL_NAMES) == "add;empty"
    assert text("clGetProgramInfo", copy, c.CL_PROGRAM_SOURCE) == ""
    create("clCreateKernel", copy, ffi.new("char[]", b"add"))


def test_foreign_binaries_are_refused(world: World, compiler: FakeCompiler) -> None:
    junk = ffi.new("uint8_t[]", b"\x7fELF junk")
    status = ffi.new("int32_t[]", [9])
    device = handles(world.device)
    pointers = ffi.new("uint8_t *[]", [junk])
    for count, devices, lengths, binaries, code in (
        (1, device, sizes(9), pointers, c.CL_INVALID_BINARY),
        (1, device, sizes(0), pointers, c.CL_INVALID_VALUE),
        (1, device, sizes(9), ffi.new("uint8_t *[]", [NULL]), c.CL_INVALID_VALUE),
        (0, NULL, sizes(9), pointers, c.CL_INVALID_VALUE),
        (1, device, NULL, pointers, c.CL_INVALID_VALUE),
        (1, device, sizes(9), NULL, c.CL_INVALID_VALUE),
        (1, handles(5), sizes(9), pointers, c.CL_INVALID_DEVICE),
    ):
        arguments = (count, devices, lengths, binaries, status)
        assert refused("clCreateProgramWithBinary", world.context, *arguments) == code
    assert refused("clCreateProgramWithBinary", world.context, 1, device, sizes(9), pointers, NULL) == -42


def test_binaries_query_skips_null_places(world: World, compiler: FakeCompiler) -> None:
    program = source_program(world, "add")
    assert build(program) == c.CL_SUCCESS
    places = handles(0)
    check("clGetProgramInfo", program, c.CL_PROGRAM_BINARIES, 8, address(places), NULL)
    code = call("clGetProgramInfo", program, c.CL_PROGRAM_BINARIES, 4, address(places), NULL)
    assert code == c.CL_INVALID_VALUE


def test_all_kernels_of_a_program(world: World, compiler: FakeCompiler) -> None:
    program = source_program(world, "add empty")
    assert build(program) == c.CL_SUCCESS
    count = ffi.new("uint32_t *")
    check("clCreateKernelsInProgram", program, 0, NULL, count)
    assert count[0] == 2
    kernels = handles(0, 0)
    assert call("clCreateKernelsInProgram", program, 1, kernels, NULL) == c.CL_INVALID_VALUE
    check("clCreateKernelsInProgram", program, 2, kernels, NULL)
    names = [text("clGetKernelInfo", kernel, c.CL_KERNEL_FUNCTION_NAME) for kernel in kernels]
    assert names == ["add", "empty"]


def test_what_programs_cannot_do(world: World, compiler: FakeCompiler) -> None:
    program = source_program(world, "add")
    device = handles(world.device)
    name = ffi.new("char[]", b"k")
    assert refused("clCreateProgramWithBuiltInKernels", world.context, 1, device, name) == c.CL_INVALID_VALUE
    assert call("clSetProgramReleaseCallback", program, 8, 0) == c.CL_INVALID_OPERATION
    assert call("clSetProgramSpecializationConstant", program, 0, 4, 8) == c.CL_INVALID_PROGRAM
    check("clUnloadCompiler")
