"""A process that compiles optimized code for another one: `python -m weft.tiers.helper`.

It reads requests from standard input and writes replies to the descriptor given as argument; the first
message says that it is ready. It is a process rather than a thread because most of the work is Python code,
and the host program's threads need the GIL. It is used if there is no compile server.
"""

import signal
import sys

from weft.compile_server.messages import Ready, Request, Writer, send
from weft.compile_server.worker import compile_request, serve
from weft.garbage import own_interpreter, rare_collections
from weft.group_code import load_compiler


def main(answers: Writer) -> None:
    """Answer requests until the end of standard input."""
    signal.pthread_sigmask(signal.SIG_SETMASK, ())  # the thread that has started it may block signals
    with rare_collections():
        load_compiler()  # takes longer than compiling a kernel
    own_interpreter()
    send(answers, Ready())
    serve(sys.stdin.buffer, answers, {Request: compile_request})


if __name__ == "__main__":
    with open(int(sys.argv[1]), "wb") as stream:
        main(stream)
