"""Programs compiled and linked separately: objects, libraries, headers, binaries, and what is refused."""

import struct
from typing import Any

import pytest
from api_support import (
    NULL,
    World,
    address,
    attempt,
    call,
    check,
    create,
    ffi,
    handles,
    number,
    query,
    refused,
    text,
)

from weft.api import constants as c

SQUARE = "int square(int x) { return x * x; }"
KERNEL = """
int square(int x);
kernel void squares(global int *p) { p[get_global_id(0)] = square(p[get_global_id(0)]); }
"""
STRUCTURE = "typedef struct { int a[SIZE]; } S; int square(S x)"
NOTIFY = "void(uintptr_t, void *)"


def string(value: str | None) -> Any:
    return NULL if value is None else ffi.new("char[]", value.encode())


def program_of(world: World, source: str) -> int:
    piece = string(source)
    return create("clCreateProgramWithSource", world.context, 1, ffi.new("char *[]", [piece]), NULL)


def compile_it(program: int, options: str | None = None, **headers: int) -> int:
    """The code of clCompileProgram; headers are named without their `.h`."""
    names = [ffi.new("char[]", f"{name}.h".encode()) for name in headers]
    return call(
        "clCompileProgram", program, 0, NULL, string(options), len(headers),
        handles(*headers.values()) if headers else NULL, ffi.new("char *[]", names) if names else NULL, 0, 0,
    )  # fmt: skip


def compiled(world: World, source: str, options: str | None = None, **headers: int) -> int:
    program = program_of(world, source)
    assert compile_it(program, options, **headers) == c.CL_SUCCESS
    return program


def link(world: World, *programs: int, options: str | None = None) -> tuple[int, int]:
    """The program and code of clLinkProgram."""
    return attempt(
        "clLinkProgram", world.context, 0, NULL, string(options), len(programs), handles(*programs), 0, 0
    )


def binary_type(world: World, program: int) -> int:
    return number("clGetProgramBuildInfo", program, world.device, c.CL_PROGRAM_BINARY_TYPE)


def squares(world: World, program: int) -> list[int]:
    """What the kernel `squares` makes of 0 to 7."""
    kernel = create("clCreateKernel", program, string("squares"))
    buffer = world.filled(struct.pack("8i", *range(8)))
    check("clSetKernelArg", kernel, 0, 8, address(handles(buffer)))
    size = ffi.new("size_t[]", [8])
    check("clEnqueueNDRangeKernel", world.queue, kernel, 1, NULL, size, NULL, 0, NULL, NULL)
    check("clReleaseKernel", kernel)
    return list(struct.unpack("8i", world.contents(buffer)))


SQUARES = [x * x for x in range(8)]


def test_compiled_object_is_no_executable(world: World) -> None:
    program = compiled(world, KERNEL, "-D X=1")
    assert binary_type(world, program) == c.CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT
    build = ("clGetProgramBuildInfo", program, world.device)
    assert number(*build, c.CL_PROGRAM_BUILD_STATUS) == c.CL_BUILD_SUCCESS
    assert text(*build, c.CL_PROGRAM_BUILD_OPTIONS) == "-D X=1"
    assert refused("clCreateKernel", program, string("squares")) == c.CL_INVALID_PROGRAM_EXECUTABLE
    code = call("clGetProgramInfo", program, c.CL_PROGRAM_NUM_KERNELS, 0, 0, NULL)
    assert code == c.CL_INVALID_PROGRAM_EXECUTABLE


def test_objects_are_linked_to_an_executable(world: World) -> None:
    program, code = link(world, compiled(world, SQUARE), compiled(world, KERNEL))
    assert code == c.CL_SUCCESS
    assert binary_type(world, program) == c.CL_PROGRAM_BINARY_TYPE_EXECUTABLE
    assert text("clGetProgramInfo", program, c.CL_PROGRAM_KERNEL_NAMES) == "squares"
    assert squares(world, program) == SQUARES


def test_library_is_linked_with_an_object(world: World) -> None:
    options = "-create-library -enable-link-options -cl-fast-relaxed-math"
    library, code = link(world, compiled(world, SQUARE), options=options)
    assert code == c.CL_SUCCESS
    assert binary_type(world, library) == c.CL_PROGRAM_BINARY_TYPE_LIBRARY
    build = ("clGetProgramBuildInfo", library, world.device)
    assert text(*build, c.CL_PROGRAM_BUILD_OPTIONS) == options
    program, code = link(world, library, compiled(world, KERNEL), options="-cl-finite-math-only")
    assert code == c.CL_SUCCESS
    assert squares(world, program) == SQUARES


def test_binaries_of_objects_and_libraries_can_be_linked(world: World) -> None:
    library, _ = link(world, compiled(world, SQUARE), options="-create-library")
    loaded = []
    for program, kind in (
        (library, c.CL_PROGRAM_BINARY_TYPE_LIBRARY),
        (compiled(world, KERNEL), c.CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT),
    ):
        size = int.from_bytes(query("clGetProgramInfo", program, c.CL_PROGRAM_BINARY_SIZES), "little")
        place = ffi.new("unsigned char[]", size)
        places = ffi.new("unsigned char *[]", [place])
        check("clGetProgramInfo", program, c.CL_PROGRAM_BINARIES, 8, address(places), NULL)
        binary = ("clCreateProgramWithBinary", world.context, 1, handles(world.device))
        loaded.append(create(*binary, ffi.new("size_t[]", [size]), places, NULL))
        assert binary_type(world, loaded[-1]) == kind
        assert call("clBuildProgram", loaded[-1], 0, NULL, NULL, 0, 0) == c.CL_INVALID_BINARY
        place[size - 2] = 7
        assert refused(*binary, ffi.new("size_t[]", [size]), places, NULL) == c.CL_INVALID_BINARY
    program, code = link(world, *loaded)
    assert code == c.CL_SUCCESS
    assert squares(world, program) == SQUARES


def test_headers_are_found_by_their_names(world: World) -> None:
    outer = program_of(world, '#include "inner.h"\n#define OUTER (INNER + 1)')
    inner = program_of(world, "#define INNER 41")
    source = "#include <outer.h>\nkernel void squares(global int *p) { p[get_global_id(0)] = OUTER; }"
    program, code = link(world, compiled(world, source, outer=outer, inner=inner))
    assert code == c.CL_SUCCESS
    assert squares(world, program) == [42] * 8
    changed = program_of(world, "#define INNER 1")
    program, _ = link(world, compiled(world, source, outer=outer, inner=changed))
    assert squares(world, program) == [2] * 8


def test_errors_in_headers_are_told_by_the_headers_name(world: World) -> None:
    bad = program_of(world, "int x y;")
    program = program_of(world, '#include "bad.h"')
    assert compile_it(program, bad=bad) == c.CL_COMPILE_PROGRAM_FAILURE
    log = text("clGetProgramBuildInfo", program, world.device, c.CL_PROGRAM_BUILD_LOG)
    assert "bad.h:1:6: error" in log
    assert "/weft-headers" not in log
    status = query("clGetProgramBuildInfo", program, world.device, c.CL_PROGRAM_BUILD_STATUS)
    assert struct.unpack("i", status)[0] == c.CL_BUILD_ERROR


@pytest.mark.parametrize(
    ("sources", "said"),
    [
        ((KERNEL,), "square"),
        ((KERNEL, SQUARE, SQUARE), "square"),
        (("extern constant int there; kernel void k(global int *p) { *p = there; }",), "there"),
        ((KERNEL, "int square(float x) { return x; }"), "but defined as 'i32 (float)'"),
        (("float square(int x) { return x; }", KERNEL), "but defined as 'float (i32)'"),
        ((KERNEL, "int square(float x); int two() { return square(2); }", SQUARE), "'i32 (float)'"),
        (
            (STRUCTURE.replace("SIZE", "8") + "{ return x.a[7]; }", STRUCTURE.replace("SIZE", "4") + ";"
             "kernel void k(global int *p) { S s = {{1}}; *p = square(s); }"),
            "of 16 bytes but defined with one of 32 bytes",
        ),
        ((KERNEL, "int cube(int); int square(int x) { return x < 2 ? 1 : cube(x - 1) * x; }",
          "int square(int); int cube(int x) { return square(x) + 1; }"), "is recursive"),
    ],
    ids=["undefined function", "function defined twice", "undefined variable", "other parameter",
         "other result", "one of two declarations", "larger structure", "recursion"],
)  # fmt: skip
def test_failed_link_gives_a_program_with_a_log(world: World, sources: tuple[str, ...], said: str) -> None:
    program, code = link(world, *(compiled(world, source) for source in sources))
    assert code == c.CL_LINK_PROGRAM_FAILURE
    assert said in text("clGetProgramBuildInfo", program, world.device, c.CL_PROGRAM_BUILD_LOG)
    assert binary_type(world, program) == c.CL_PROGRAM_BINARY_TYPE_NONE
    check("clReleaseProgram", program)


def test_library_with_a_function_of_two_types_is_not_linked(world: World) -> None:
    objects = [compiled(world, KERNEL), compiled(world, "int square(float x) { return x; }")]
    program, code = link(world, *objects, options="-create-library")
    assert code == c.CL_LINK_PROGRAM_FAILURE
    log = text("clGetProgramBuildInfo", program, world.device, c.CL_PROGRAM_BUILD_LOG)
    assert "'square' is declared as 'i32 (i32)' but defined as" in log


def test_callbacks_are_called_with_the_program(world: World) -> None:
    seen: list[int] = []
    notify = ffi.callback(NOTIFY, lambda program, _data: seen.append(program))
    function = address(notify)
    program = program_of(world, KERNEL + SQUARE)
    check("clCompileProgram", program, 0, NULL, NULL, 0, NULL, NULL, function, 0)
    linked = create("clLinkProgram", world.context, 0, NULL, NULL, 1, handles(program), function, 0)
    check("clBuildProgram", program, 0, NULL, NULL, function, 0)
    assert seen == [program, linked, program]


def test_variables_are_shared_between_objects(world: World) -> None:
    table = compiled(world, "constant int table[2] = {5, 7};")
    source = "extern constant int table[2];\n"
    source += "kernel void squares(global int *p) { p[get_global_id(0)] = table[get_global_id(0) & 1]; }"
    program, code = link(world, table, compiled(world, source))
    assert code == c.CL_SUCCESS
    assert squares(world, program) == [5, 7] * 4


def test_wrong_parameters_of_compile_are_refused(world: World) -> None:
    program = program_of(world, KERNEL)
    other = World()
    foreign = handles(program_of(other, KERNEL))
    one, names = handles(program), ffi.new("char *[]", [string("a.h")])
    for target, count, headers, include, user_data, code in (
        (0, 0, NULL, NULL, 0, c.CL_INVALID_PROGRAM),
        (world.context, 0, NULL, NULL, 0, c.CL_INVALID_PROGRAM),
        (program, 1, NULL, names, 0, c.CL_INVALID_VALUE),
        (program, 1, one, NULL, 0, c.CL_INVALID_VALUE),
        (program, 0, one, NULL, 0, c.CL_INVALID_VALUE),
        (program, 1, one, ffi.new("char *[]", [NULL]), 0, c.CL_INVALID_VALUE),
        (program, 1, handles(7), names, 0, c.CL_INVALID_PROGRAM),
        (program, 1, foreign, names, 0, c.CL_INVALID_CONTEXT),
        (program, 0, NULL, NULL, 1, c.CL_INVALID_VALUE),
    ):
        assert call("clCompileProgram", target, 0, NULL, NULL, count, headers, include, 0, user_data) == code
    assert compile_it(program, "-what") == c.CL_INVALID_COMPILER_OPTIONS
    other.close()


def test_wrong_parameters_of_link_are_refused(world: World) -> None:
    good, source = compiled(world, KERNEL + SQUARE), program_of(world, KERNEL)
    other = World()
    foreign = compiled(other, KERNEL + SQUARE)
    for context, count, programs, code in (
        (0, 1, handles(good), c.CL_INVALID_CONTEXT),
        (world.context, 0, handles(good), c.CL_INVALID_VALUE),
        (world.context, 1, NULL, c.CL_INVALID_VALUE),
        (world.context, 1, handles(world.context), c.CL_INVALID_PROGRAM),
        (world.context, 2, handles(good, source), c.CL_INVALID_OPERATION),
        (world.context, 2, handles(good, foreign), c.CL_INVALID_CONTEXT),
    ):
        assert refused("clLinkProgram", context, 0, NULL, NULL, count, programs, 0, 0) == code
    for options in ("-what", "-enable-link-options", "-create-library -cl-fast-relaxed-math"):
        assert link(world, good, options=options) == (0, c.CL_INVALID_LINKER_OPTIONS)
    other.close()


def test_program_with_kernels_is_not_compiled_again(world: World) -> None:
    program = program_of(world, KERNEL + SQUARE)
    check("clBuildProgram", program, 0, NULL, NULL, 0, 0)
    kernel = create("clCreateKernel", program, string("squares"))
    assert compile_it(program) == c.CL_INVALID_OPERATION
    check("clReleaseKernel", kernel)
    assert compile_it(program) == c.CL_SUCCESS
    assert refused("clCreateKernel", program, string("squares")) == c.CL_INVALID_PROGRAM_EXECUTABLE
