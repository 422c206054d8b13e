"""LLVM's library without llvmlite's package: the same results; threads and forks wait for each other."""

import subprocess
import sys
import threading
import time
from typing import Any

import pytest

from weft.codegen import llvm_library
from weft.codegen.binding import abandoned, llvm
from weft.codegen.llvm_library import PassContext, host_processor, process_triple
from weft.codegen.machine import machine
from weft.codegen.optimise import PASSES, run_passes
from weft.errors import ToolError
from weft.target import x86

TARGET = x86.describe("x86-64-v3")
MODULE = """
define i32 @f(i32 %a) {
  %slot = alloca i32
  store i32 %a, ptr %slot
  %b = load i32, ptr %slot
  %c = add i32 %b, 0
  ret i32 %c
}
"""


def test_the_processor_is_that_of_llvmlite() -> None:
    binding = llvm()
    assert process_triple() == binding.get_process_triple()
    assert host_processor() == (binding.get_host_cpu_name(), binding.get_host_cpu_features().flatten())


def test_passes_do_what_they_do_in_llvmlite() -> None:
    for name in sorted(set(PASSES) - {"loop-full-unroll"}):
        with PassContext() as context:
            module = context.parse(MODULE)
            context.run([PASSES[name]], module, TARGET)
            ours = context.text(module)
        parsed = llvm().parse_assembly(MODULE, llvm().create_context())
        manager = llvm().create_new_module_pass_manager()
        wrapper = getattr(llvm().ffi.lib, f"LLVMPY_{PASSES[name]}")
        wrapper(manager, -1) if name == "jump-threading" else wrapper(manager)
        options = llvm().create_pipeline_tuning_options(2)
        manager.run(parsed, llvm().create_pass_builder(machine(TARGET, 2), options))
        assert ours == str(parsed), name


def test_modules_are_linked() -> None:
    with PassContext() as context:
        module = context.parse(
            "declare i32 @f(i32)\ndefine i32 @g() {\n  %a = call i32 @f(i32 1)\n  ret i32 %a\n}\n"
        )
        context.link(module, context.parse(MODULE))
        assert "define i32 @f(i32 %a)" in context.text(module)
        with pytest.raises(ToolError, match=r"could not link the modules: .*multiply defined"):
            context.link(module, context.parse(MODULE))


NOT_DOMINATED = """
define i32 @f(i1 %c) {
  br i1 %c, label %then, label %end
then:
  %a = add i32 1, 1
  br label %end
end:
  ret i32 %a
}
"""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("define", "could not parse the module: LLVM IR parsing error\n<string>:1:7: error: expected type"),
        ("define i32 @f(i32 %é) {\n  ret i32 %é\n}", "could not parse the module: LLVM IR parsing error"),
        (NOT_DOMINATED, "could not accept the module: Instruction does not dominate all uses"),
    ],
)
def test_a_module_that_llvm_refuses_is_an_error(text: str, message: str) -> None:
    with pytest.raises(ToolError) as error, PassContext() as context:
        context.parse(text)
    assert message in str(error.value)


def test_text_keeps_all_characters() -> None:
    name = '@"\\C3\\A9 \\22"'
    assert f"{name} = global" in run_passes(f'source_filename = "é"\n{name} = global i32 1\n', (), TARGET)


def test_a_thread_that_uses_llvmlite_has_llvm_for_itself() -> None:
    held, waited = threading.Event(), threading.Event()

    def use() -> None:
        with llvm().ffi.lib._lock:
            held.set()
            time.sleep(0.3)
            waited.set()

    thread = threading.Thread(target=use)
    thread.start()
    held.wait()
    run_passes(MODULE, ["sroa"], TARGET)
    assert waited.is_set()
    thread.join()


def test_a_call_keeps_threads_out_that_use_llvmlite() -> None:
    calls: list[str] = []
    enter, leave = lambda: calls.append("enter"), lambda: calls.append("leave")
    llvm().ffi.lib._lock.register(enter, leave)
    try:
        process_triple()
    finally:
        llvm().ffi.lib._lock.unregister(enter, leave)
    assert calls[:2] == ["enter", "leave"] and len(calls) % 2 == 0


def run(text: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_programs_are_compiled_without_importing_llvmlite() -> None:
    text = """
import os, sys
os.environ["WEFT_CACHE"] = "0"
from weft.compiler.build_program import compile_program
from weft.compiler.compile_work_group import compile_work_group
from weft.frontend.options import parse_options
from weft.kernel import CodeOptions
from weft.launch_form import LaunchForm

options = parse_options("")
source = "kernel void k(global float *a) { int i = get_global_id(0); a[i] = clamp(sin(a[i]), 0.0f, 0.5f); }"
(kernel,) = compile_program(source, options).kernels
for tier in (CodeOptions.of(options).baseline_tier(), CodeOptions.of(options)):
    assert compile_work_group(kernel, tier, LaunchForm((64, 1, 1))).object_code
print(sorted(name for name in sys.modules if name.startswith("llvmlite.binding")))
"""
    assert run(text) == "[]\n"


def test_a_fork_waits_for_a_thread_that_is_inside_llvm() -> None:
    text = f"""
import os, signal, threading, time
from weft.codegen.host import host_target
from weft.codegen.binding import inside
from weft.codegen.optimise import run_passes

def work():
    with inside:
        begun.set()
        time.sleep(0.5)
        ended.set()

begun, ended = threading.Event(), threading.Event()
thread = threading.Thread(target=work)
thread.start()
begun.wait()
child = os.fork()
if child == 0:
    signal.alarm(30)
    assert ended.is_set()
    run_passes({MODULE!r}, ["sroa"], host_target())
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
thread.join()
run_passes({MODULE!r}, ["sroa"], host_target())
print("done")
"""
    assert run(text) == "done\n"


def test_it_is_loaded_when_it_is_first_used() -> None:
    text = """
import weft.codegen.llvm_library as library
from weft.codegen import optimise
assert not library.is_loaded()
optimise.verify("")
assert library.is_loaded()
"""
    assert run(text) == ""
    assert llvm_library.is_loaded()


WHILE_INSIDE = """
import sys, threading
from weft.codegen.binding import llvm
from weft.codegen.llvm_library import _alone

def call():
    other.start()
    other.join(1.0)
    return "llvmlite.binding.ffi" in sys.modules

other = threading.Thread(target=llvm)
early = _alone(call)
other.join(60.0)
print(early, "llvmlite.binding.ffi" in sys.modules)
"""


def test_llvmlite_is_not_imported_while_a_thread_is_inside_llvm() -> None:
    """The thread does not hold llvmlite's lock, so both would be inside."""
    found = subprocess.run([sys.executable, "-c", WHILE_INSIDE], capture_output=True, text=True, timeout=120)
    assert (found.stdout.strip(), found.stderr) == ("False True", "")


def test_threads_that_wait_for_each_other_free_their_own_objects(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a list of calls that have not ended, each takes off its own."""
    other, alone, before = (object(),), llvm_library._alone, list(abandoned)

    def after_another_thread(function: Any, *arguments: Any) -> Any:
        if function is llvm_library._checked:
            abandoned.append(other)
        return alone(function, *arguments)

    monkeypatch.setattr(llvm_library, "_alone", after_another_thread)
    run_passes(MODULE, ["sroa"], TARGET)
    assert abandoned == [*before, other]
    abandoned.remove(other)
