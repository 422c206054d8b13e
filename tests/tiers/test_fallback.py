"""Kernels that cannot be optimized run baseline code: whatever failed, in this process or in the other."""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pyopencl as cl
import pytest
from fault_support import Store
from tier_support import launch, only_code, patched_entry, run, sums_kernel, wait_until

from weft import group_code
from weft.compiler import compile_work_group as compiler
from weft.compiler import passes
from weft.errors import BudgetExceeded, BuildError, OptimizationFailed, ToolError
from weft.group_code import compile_form
from weft.kernel import CodeOptions, KernelCode
from weft.launch_form import LaunchForm
from weft.program import Kernel, build
from weft.tiers import background, tiered_code
from weft.tiers.background import Background
from weft.tiers.tiered_code import LaunchContext, State
from weft.tile_policy import Tile

TOLD = "weft: kernel 'sums' runs baseline code, because it could not be optimized: "
LOCAL = (64, 1, 1)

pytestmark = pytest.mark.usefixtures("store")


@pytest.fixture
def told(capfd: pytest.CaptureFixture[str]) -> Callable[[], str]:
    """What was said in one line since the last time."""

    def read() -> str:
        text = capfd.readouterr().err
        assert text.count("\n") == 1 and "Traceback" not in text, text
        return text

    return read


def fails_to_emit(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    """LLVM fails for optimized code."""
    emit = compiler.emit_object

    def emit_some(modules: Any, target: Any, level: int, *rest: Any, **more: Any) -> bytes:
        if level > 1:
            raise error
        return emit(modules, target, level, *rest, **more)

    monkeypatch.setattr(compiler, "emit_object", emit_some)


@pytest.mark.parametrize(
    "error", [ToolError("LLVM could not generate code"), MemoryError(), OSError(24, "x")]
)
def test_the_code_generator_may_fail(
    error: Exception, monkeypatch: pytest.MonkeyPatch, told: Callable[[], str]
) -> None:
    fails_to_emit(monkeypatch, error)
    kernel = sums_kernel("no code")
    assert not launch(kernel)  # for good: such a launch is kept
    assert told().startswith(f"{TOLD}{type(error).__name__}")
    assert launch(kernel, local=32) is False  # another form, which is not told of again


def test_code_may_not_load(monkeypatch: pytest.MonkeyPatch, told: Callable[[], str], store: Store) -> None:
    load = group_code.load_code

    def load_some(object_code: bytes, symbol: str, *rest: Any, **more: Any) -> group_code.LoadedCode:
        if symbol.startswith("weft.workgroup"):
            raise ToolError("the code calls what nothing defines: strange")
        return load(object_code, symbol, *rest, **more)

    monkeypatch.setattr(group_code, "load_code", load_some)
    kernel = sums_kernel("not loaded")
    store.clear()
    launch(kernel)
    assert "what nothing defines: strange" in told()
    assert len(store) == 1


def test_entries_of_the_cache_that_are_no_code_are_compiled_again(
    store: Store, capfd: pytest.CaptureFixture[str]
) -> None:
    kernel = sums_kernel("damaged")
    store.clear()
    launch(kernel)
    (key,) = store
    good = store[key]
    store[key] = b"what is no code at all, and yet has the right checksum"
    launch(Kernel(kernel.code, kernel.options))
    assert store[key] == good and capfd.readouterr().err == ""


@pytest.mark.parametrize("verify", ["1", "faults"])
@pytest.mark.parametrize("tiers", ["0", "1"])
def test_faults_are_errors_on_request(verify: str, tiers: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEFT_VERIFY", verify)
    monkeypatch.setenv("WEFT_TIERS", tiers)
    monkeypatch.setattr("weft.tiers.tiered_code.background.want", lambda job: True)
    monkeypatch.setattr("weft.tiers.tiered_code.background.cancel", lambda job: True)
    fails_to_emit(monkeypatch, ToolError("not today"))
    kernel = sums_kernel(f"an error {tiers}")
    if tiers == "1":
        assert launch(kernel, waits=5)
    for waits in (6, 7):
        with pytest.raises((ToolError, OptimizationFailed), match="not today"):
            launch(kernel, waits=waits)


def test_a_budget_that_ends_is_no_fault(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("WEFT_VERIFY", "1")
    asked = []

    def stop(code: KernelCode, options: CodeOptions, form: LaunchForm) -> bytes:
        if options.baseline:
            return compile_form(code, options, form)
        asked.append(form)
        raise BudgetExceeded("1,000 basic blocks are more than 500")

    monkeypatch.setattr(tiered_code, "compile_form", stop)
    kernel = sums_kernel("too large")
    launch(kernel)
    launch(kernel, local=32)
    assert len(asked) == 1  # other forms would take as much
    assert capfd.readouterr().err == ""
    monkeypatch.setenv("WEFT_VERBOSE", "1")
    launch(sums_kernel("too large to be told"))
    assert capfd.readouterr().err == f"{TOLD}BudgetExceeded: 1,000 basic blocks are more than 500\n"


def test_all_is_told_on_request(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("WEFT_VERBOSE", "1")
    fails_to_emit(monkeypatch, ValueError("odd"))
    launch(sums_kernel("verbose"))
    said = capfd.readouterr().err
    assert said.startswith(f"{TOLD}ValueError: odd (compiler/compile_work_group.py:")
    assert "Traceback (most recent call" in said


def test_nobody_need_listen(monkeypatch: pytest.MonkeyPatch) -> None:
    fails_to_emit(monkeypatch, ValueError("odd"))
    reading, writing = os.pipe()
    os.close(reading)
    closed = open(writing, "w", buffering=1)  # noqa: SIM115
    monkeypatch.setattr("sys.stderr", closed)
    launch(sums_kernel("nobody listens"))
    with suppress(BrokenPipeError):
        closed.close()
    launch(sums_kernel("nobody listens, nor could"))


def test_without_baseline_code_the_first_launch_runs_optimized_code(
    monkeypatch: pytest.MonkeyPatch, told: Callable[[], str]
) -> None:
    monkeypatch.setenv("WEFT_TIERS", "1")

    def compile_optimized(code: KernelCode, options: CodeOptions, form: LaunchForm) -> bytes:
        if options.baseline:
            raise KeyError("plain")
        return compile_form(code, options, form)

    monkeypatch.setattr("weft.tiers.tiered_code.compile_form", compile_optimized)
    assert not launch(sums_kernel("no baseline"))
    assert told().startswith(
        "weft: kernel 'sums' starts in optimized code, because baseline code cannot be compiled: KeyError"
    )


def test_tiles_that_fail_altogether_are_not_used(
    monkeypatch: pytest.MonkeyPatch, told: Callable[[], str]
) -> None:
    compile_all = compiler.compile_work_group

    def compile_some(code: Any, options: Any, form: LaunchForm, **more: Any) -> Any:
        if form.tile is not None:
            raise IndexError("tile")
        return compile_all(code, options, form, **more)

    monkeypatch.setattr(compiler, "compile_work_group", compile_some)
    kernel = sums_kernel("tiles")
    assert kernel.tile_function(Tile((64, 1, 1)), LOCAL) is None
    assert told().startswith(f"{TOLD}IndexError")
    assert not launch(kernel)


def test_what_is_known_of_images_is_given_up(
    monkeypatch: pytest.MonkeyPatch, told: Callable[[], str]
) -> None:
    monkeypatch.setenv("WEFT_SPECIALIZE_IMAGES", "1")
    know = passes.specialize_image_formats

    def know_some(function: Any, known: Any, *rest: Any) -> Any:
        if known:
            raise IndexError("known")
        return know(function, known, *rest)

    monkeypatch.setattr(passes, "specialize_image_formats", know_some)
    source = """
    kernel void pixels(read_only image2d_t image, sampler_t sampler, global float4 *out) {
        local float4 shared[4];
        shared[get_local_id(0)] = read_imagef(image, sampler, (int2)(get_global_id(0), 0));
        barrier(CLK_LOCAL_MEM_FENCE);
        out[get_global_id(0)] = shared[3 - get_local_id(0)];
    }"""
    context = cl.Context([d for p in cl.get_platforms() if p.name == "Weft" for d in p.get_devices()][:1])
    queue = cl.CommandQueue(context)
    pixels = np.arange(32, dtype=np.float32).reshape(1, 8, 4)
    format = cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.FLOAT)
    flags = cl.mem_flags.READ_ONLY | cl.mem_flags.COPY_HOST_PTR
    image = cl.create_image(context, flags, format, shape=(8, 1), hostbuf=pixels)
    sampler = cl.Sampler(context, False, cl.addressing_mode.CLAMP_TO_EDGE, cl.filter_mode.NEAREST)
    found = np.empty_like(pixels)
    out = cl.Buffer(context, cl.mem_flags.WRITE_ONLY, found.nbytes)
    kernel = cl.Kernel(cl.Program(context, source).build(), "pixels")
    kernel(queue, (8,), (4,), image, sampler, out)
    cl.enqueue_copy(queue, found, out)
    np.testing.assert_array_equal(found, pixels.reshape(2, 4, 4)[:, ::-1].reshape(1, 8, 4))
    assert "IndexError: known" in told()


# The other process


@pytest.fixture
def behave(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Callable[[str], Background]]:
    """Starts other processes that run some code first."""
    monkeypatch.setenv("WEFT_TIERS", "1")
    made = Background()
    monkeypatch.setattr(tiered_code, "background", made)
    monkeypatch.setattr(made, "cancel", lambda job: False)  # launches wait for the process
    # In place of the interpreter, as some Pythons have a module sitecustomize of their own.
    starter, first = tmp_path / "python-starter", tmp_path / "first.py"
    starter.write_text(f'#!/bin/sh\nshift 3\nexec "{sys.executable}" -P "{first}" "$@"\n')
    starter.chmod(0o755)
    monkeypatch.setattr(background, "interpreter", lambda: str(starter))

    def prepare(code: str) -> Background:
        marker = tmp_path / "marker"
        first.write_text(f"import os\nmarker = {str(marker)!r}\n{code}\n{_HELPER}")
        return made

    yield prepare
    made.close()


_HELPER = """
import runpy
runpy.run_module("weft.tiers.helper", run_name="__main__", alter_sys=True)
"""
_COMPILE = """
import weft.group_code as module
compile_form = module.compile_form
def changed(code, options, form):
    {body}
    return compile_form(code, options, form)
module.compile_form = changed
"""
_SEND = """
import weft.compile_server.messages as module
send = module.send
def changed(stream, message):
    if isinstance(message, module.Ready): send(stream, message)
    else: {body}
module.send = changed
"""
_ONCE = "(os.path.exists(marker) or (open(marker, 'w').close(), {act}))"
_DIE = "os.kill(os.getpid(), 9)"
_NONSENSE = "stream.write(b'hello, world ' * 9), stream.flush()"


@pytest.mark.parametrize(
    "code",
    [
        pytest.param(_COMPILE.format(body=_ONCE.format(act=_DIE)), id="is killed"),
        pytest.param(_ONCE.format(act=_DIE), id="is killed when it starts"),
        pytest.param(
            _SEND.format(body=_ONCE.format(act=_NONSENSE) + "; send(stream, message)"),
            id="says something else",
        ),
    ],
)
def test_a_process_that_fails_once_is_followed_by_another(
    code: str, behave: Callable[[str], Background], capfd: pytest.CaptureFixture[str]
) -> None:
    behave(code)
    kernel = sums_kernel("fails once")
    assert launch(kernel, waits=5)
    code = only_code(kernel)
    wait_until(lambda: code.state is State.OPTIMIZED)
    assert not launch(kernel, waits=6)
    assert code._baseline is not None
    assert kernel.work_group_function(LOCAL).address != code._baseline.address
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        pytest.param(
            _COMPILE.format(body=_DIE), "ToolError: the compiler ended with status -9", id="is killed"
        ),
        pytest.param(
            _COMPILE.format(body="raise RecursionError('too deep')"), "RecursionError: too deep", id="fails"
        ),
        pytest.param(
            _SEND.format(body=_NONSENSE),
            "ToolError: the compiler's reply cannot be read",
            id="says what is no message",
        ),
        pytest.param(
            _SEND.format(body="send(stream, 'hello, world')"),
            "ToolError: the compiler's reply is a str",
            id="says what is no answer",
        ),
        pytest.param(
            _SEND.format(body="send(stream, module.Answer(b'hello, world'))"), "", id="gives what is no code"
        ),
        pytest.param(
            _SEND.format(body="send(stream, module.Answer(message.data[:-999]))"),
            "",
            id="gives half of the code",
        ),
        pytest.param(_SEND.format(body="stream.close()"), "ToolError: the compiler ended", id="says nothing"),
    ],
)
def test_a_process_that_fails_leaves_baseline_code(
    code: str, reason: str, behave: Callable[[str], Background], told: Callable[[], str], store: Store
) -> None:
    behave(code)
    kernel = sums_kernel("fails")
    store.clear()
    assert launch(kernel, waits=5)
    assert not launch(kernel, waits=6)  # which waits for the answer
    code = only_code(kernel)
    function = kernel.work_group_function(LOCAL)
    assert code.state is State.BASELINE_ONLY and code._baseline is not None
    assert function.address == code._baseline.address and not patched_entry(code)
    run(function)
    assert told().startswith(TOLD + reason)
    assert len(store) == 1


def test_a_process_that_somebody_kills_is_followed_by_another(
    behave: Callable[[str], Background], capfd: pytest.CaptureFixture[str], store: Store
) -> None:
    helpers = behave("")
    kernel = sums_kernel("killed")
    assert launch(kernel)
    wait_until(lambda: not launch(kernel))
    assert helpers._helper is not None
    os.kill(helpers._helper._process.pid, signal.SIGKILL)  # it waits for more
    store.clear()
    other = sums_kernel("after it was killed")
    assert launch(other, waits=5) and not launch(other, waits=6)
    assert only_code(other).state is State.OPTIMIZED and capfd.readouterr().err == ""


# Warnings


def test_programs_build_if_warnings_fail(monkeypatch: pytest.MonkeyPatch, told: Callable[[], str]) -> None:
    monkeypatch.setenv("WEFT_CACHE", "0")  # which may have it from an earlier run

    def fail(*arguments: object) -> None:
        raise RecursionError("too deep")

    monkeypatch.setattr("weft.barrier_warnings.barrier_divergence", fail)
    source = "kernel void k(global int *a) { a[get_local_id(0)]++; barrier(CLK_GLOBAL_MEM_FENCE); a[0]++; }"
    assert "k" in build(source, "").kernels
    assert told().startswith("weft: there are no warnings about barriers: RecursionError: too deep")


# What is the user's fault


def test_what_does_not_build_is_refused() -> None:
    with pytest.raises(BuildError):
        build("kernel void k(global int *a) { a[0] = b; }", "")


@pytest.mark.parametrize("tiers", ["0", "1"])
def test_what_has_no_code_at_all_is_refused(
    tiers: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("WEFT_TIERS", tiers)
    # The build would refuse this assembly.
    monkeypatch.setattr("weft.compiler.build_program.check_instructions", lambda *arguments: None)
    source = 'kernel void k(global int *a) { __asm__("no such instruction"); a[get_global_id(0)] = 1; }'
    kernel = build(source, "").kernels["k"]
    for _ in range(2):
        with pytest.raises(ToolError):
            kernel.work_group_function(LOCAL, context=LaunchContext())
    assert capfd.readouterr().err == ""
