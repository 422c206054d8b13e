"""Build large programs in a separate process.

LLVM's optimizer runs in the host process. For most programs it takes milliseconds, during which it cannot be
stopped. A large program may take minutes and gigabytes, so it is sent to another process, which has limits
(`weft/limits.py`) and ends when the host program is interrupted. The size of a program is its number of lines
after inlining.

Run as a program, this file is that process: it reads a request from standard input and writes the reply to
standard output.
"""

import pickle
import sys
from collections.abc import Callable, Sequence
from typing import Any

from weft.codegen.call_graph import CallGraph
from weft.codegen.host import host_target
from weft.codegen.isolate import environment, interpreter, last_words
from weft.codegen.program_text import ProgramText
from weft.compiler.build_program import finish_program, link_program
from weft.errors import ToolError, WeftError
from weft.frontend.options import BuildOptions
from weft.frontend.program_source import Source, translate_source
from weft.kernel import CompiledProgram
from weft.limits import check_time, run_process

# Lines of IR with all functions inlined; the optimizer processes that many in half a second.
LARGE = 25_000
# A number of characters that LARGE lines never have.
_LONG = 100 * LARGE

# Precedes the answer, because the interpreter may print something at its start.
_ANSWER = b"\nweft answers:\n"


def build(source: Source, options: BuildOptions, *, debug_info: bool = False) -> CompiledProgram:
    """Call `compile_program`; if the program is large, another process does the steps after the front end."""
    target = host_target()
    translation = translate_source(source, options, target, debug_info=debug_info)
    check_time()
    arguments = (translation, source, options, debug_info, target)
    return _run(finish_program, arguments, is_large([translation.ir]))


def link(modules: Sequence[str], options: BuildOptions) -> CompiledProgram:
    """Call `link_program`, in another process if the program is large."""
    return _run(link_program, (list(modules), options, host_target()), is_large(modules))


def is_large(modules: Sequence[str]) -> bool:
    """Whether linked modules are too large for a call of LLVM in this process."""
    if sum(map(len, modules)) >= _LONG:
        return True
    return inlined_lines("\n".join(modules)) >= LARGE


def inlined_lines(ir: str) -> int:
    """Estimate the number of lines of the kernels of a module after inlining all functions."""
    text = ProgramText(ir)
    kernels = [name for name in text.functions if "spir_kernel" in text.head(name)]
    return sum(CallGraph(text, kernels).inlined_sizes())


def _run(step: Callable[..., CompiledProgram], arguments: Sequence[Any], large: bool) -> CompiledProgram:
    if not large:
        return step(*arguments)
    try:
        command = [interpreter(), "-P", "-m", "weft.build_process"]
    except ToolError:  # the host program embeds Python, and there is no interpreter
        return step(*arguments)
    ended = run_process(command, pickle.dumps((step.__name__, arguments)), environment())
    _, found, answer = ended.output.partition(_ANSWER)
    if not found:
        raise ToolError(f"the program could not be built: {last_words(ended.diagnostics)}")
    outcome = pickle.loads(answer)
    if isinstance(outcome, CompiledProgram):
        return outcome
    raise outcome


def _answer(request: bytes) -> CompiledProgram | WeftError:
    name, arguments = pickle.loads(request)
    step: Callable[..., CompiledProgram] = finish_program if name == finish_program.__name__ else link_program
    try:
        return step(*arguments)
    except WeftError as error:
        return error
    except MemoryError:
        raise
    except Exception:  # reported by the client
        import traceback  # see `Fault.of`

        return ToolError(traceback.format_exc())


if __name__ == "__main__":
    answer = pickle.dumps(_answer(sys.stdin.buffer.read()))
    sys.stdout.buffer.write(_ANSWER + answer)
