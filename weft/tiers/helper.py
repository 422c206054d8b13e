"""A process that compiles the optimized code of kernels for another one: `python -m weft.tiers.helper`.

Requests come on standard input, answers go to the file whose descriptor is the argument, the first when it is
ready. A process rather than a thread: most of the work is Python's, and the host program's threads need its
lock. It is started where there is no compile server.
"""

import sys

from weft.compile_server.messages import Ready, Request, Writer, send
from weft.compile_server.worker import compile_request, serve
from weft.group_code import load_compiler


def main(answers: Writer) -> None:
    """Answers requests until standard input ends."""
    load_compiler()  # which takes longer than to compile
    send(answers, Ready())
    serve(sys.stdin.buffer, answers, {Request: compile_request})


if __name__ == "__main__":
    with open(int(sys.argv[1]), "wb") as stream:
        main(stream)
