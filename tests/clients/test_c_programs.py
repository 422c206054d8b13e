"""C programs that know nothing of Python use Weft through an ordinary OpenCL loader."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from weft import profile
from weft.device import isolated

Client = Callable[..., str]


def test_vector_addition(client: Client) -> None:
    assert client("vector_add") == "ok\n"


def test_kernels_with_barriers_tiles_and_structures(client: Client) -> None:
    assert client("kernels") == "ok\n"


def test_signals_and_locale_of_the_program_stay(client: Client) -> None:
    assert client("leaves_process_alone") == "ok\n"


@pytest.mark.parametrize(
    "variable", ["PYTHONHASHSEED=none", "PYTHONMALLOC=none", "PYTHONHOME=/none", "PYTHONINTMAXSTRDIGITS=2"]
)
def test_variables_of_python_do_not_matter(client: Client, tmp_path: Path, variable: str) -> None:
    name, value = variable.split("=")
    for server in ("0", "60"):
        cache = str(tmp_path / server)
        assert client("vector_add", WEFT_SERVER_IDLE=server, WEFT_CACHE_DIR=cache, **{name: value}) == "ok\n"


@pytest.mark.parametrize("server", ["0", "60"])
def test_limit_on_the_size_of_files_does_not_end_the_program(
    client: Client, tmp_path: Path, server: str
) -> None:
    variables = {"WEFT_SERVER_IDLE": server, "WEFT_CACHE_DIR": str(tmp_path), "XDG_RUNTIME_DIR": ""}
    assert client("small_files", **variables) == "ok\n"


@pytest.mark.skipif(not isolated.is_available(), reason="no device isolated on this processor")
def test_limit_on_the_size_of_files_leaves_isolated_without_memory(client: Client) -> None:
    assert client("small_files_isolated", WEFT_DEVICES="isolated") == "ok\n"


def test_many_threads_make_the_first_call(client: Client) -> None:
    for _ in range(5):
        assert client("first_call_race") == "ok\n"


def test_fork_while_threads_are_inside_calls(client: Client) -> None:
    assert client("fork_with_threads") == "ok\n"


def test_callbacks_release_objects_and_build_programs(client: Client) -> None:
    assert client("calls_in_callbacks") == "ok\n"


def test_buffer_is_released_while_a_kernel_is_launched_with_it(client: Client) -> None:
    assert client("release_while_launching") == "ok\n"


@pytest.mark.parametrize("device", ["pthread", "basic", "isolated"])
def test_threads_with_small_stacks(client: Client, device: str) -> None:
    if device == "isolated" and not isolated.is_available():
        pytest.skip("no device isolated on this processor")
    assert client("small_stacks", WEFT_DEVICES=device) == "ok\n"


def test_launch_without_memory_for_a_stack_is_an_error(client: Client) -> None:
    assert client("no_memory_for_stacks", WEFT_DEVICES="basic", WEFT_TIERS="0") == "ok\n"


def test_calls_after_exit_began(client: Client) -> None:
    assert client("calls_at_exit") == "ok\n"


def test_destructor_waits_for_commands(client: Client) -> None:
    assert client("exit_waits_for_work") == "ok\n"


def test_exit_while_other_threads_call(client: Client) -> None:
    for _ in range(3):
        assert client("exit_while_threads_call") == "ok\n"


def test_exit_with_work_outstanding(client: Client) -> None:
    assert client("exit_with_work_outstanding") == "ok\n"


def test_what_loops_counted_is_written_down_at_the_end(client: Client, tmp_path: Path) -> None:
    path = tmp_path / "profile"
    assert client("divergent", WEFT_PROFILE="1", WEFT_PROFILE_FILE=str(path)) == "ok\n"
    (kernel,) = profile.load(path)
    assert kernel.kernel == "triangle" and sum(loop.total for loop in kernel.loops) == sum(range(1, 1025))


def test_program_with_its_own_python_that_ends_first(client: Client, libpython: Path) -> None:
    assert client("embedded_python", str(libpython), sys.executable) == "ok\n"
