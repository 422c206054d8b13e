"""Every entry of the dispatch table exists, and what Weft has not is refused with the proper code."""

import pytest
from api_support import ENTRIES, NULL, World, call, ffi, refused

from weft.api import constants as c
from weft.icd.prototypes import prototypes

IN_C = {"clGetExtensionFunctionAddress", "clGetExtensionFunctionAddressForPlatform"}


def test_every_entry_of_the_dispatch_table_exists() -> None:
    wanted = {prototype.name for prototype in prototypes() if prototype.returns}
    assert wanted - IN_C == set(ENTRIES)


def _zeros(parameters: tuple) -> list:
    return [NULL if parameter.c_type.endswith("*") else 0 for parameter in parameters]


@pytest.mark.parametrize("prototype", [p for p in prototypes() if p.name in ENTRIES], ids=lambda p: p.name)
def test_entries_survive_zeros_and_return_a_code(prototype: object) -> None:
    arguments = _zeros(prototype.parameters)
    if prototype.reports_through_pointer:
        code = ffi.new("int32_t *", 1)
        arguments[-1] = code
        assert ENTRIES[prototype.name](*arguments) == 0
        assert code[0] < 0
    elif prototype.returns == "cl_int" and prototype.name != "clUnloadCompiler":
        assert ENTRIES[prototype.name](*arguments) < 0
    else:
        assert ENTRIES[prototype.name](*arguments) == 0


def test_image_and_pipe_queries_need_an_image_or_pipe(world: World) -> None:
    buffer = world.buffer(64)
    for name in ("clGetImageInfo", "clGetPipeInfo"):
        assert call(name, buffer, 0x1110, 0, 0, NULL) == c.CL_INVALID_MEM_OBJECT


def test_internal_errors_do_not_escape(
    world: World, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from weft.api import memory

    def broken(*_arguments: object) -> None:
        raise ZeroDivisionError("a bug")

    def exhausted(*_arguments: object) -> None:
        raise MemoryError

    monkeypatch.setattr(memory, "Buffer", broken)
    assert refused("clCreateBuffer", world.context, 0, 64, 0) == c.CL_OUT_OF_RESOURCES
    assert "ZeroDivisionError: a bug" in capsys.readouterr().err
    monkeypatch.setattr(memory, "Buffer", exhausted)
    assert refused("clCreateBuffer", world.context, 0, 64, 0) == c.CL_OUT_OF_HOST_MEMORY
