"""A process that compiles the optimized code of kernels for another one: `python -m weft.tiers.helper`.

Requests come on standard input, answers go to the file whose descriptor is the argument, the first when it is
ready. A process rather than a thread: most of the work is Python's, and the host program's threads need its
lock.
"""

import sys
from typing import IO

from weft.faults import Fault
from weft.group_code import compile_form, load_compiler
from weft.tiers.messages import Answer, Ready, Request, receive, send


def answer(request: Request) -> Answer:
    """Does what a request asks for; whatever goes wrong is the answer."""
    try:
        return Answer(compile_form(request.code, request.options, request.form))
    except Exception as error:  # reported by the process that asked
        return Answer(fault=Fault.of(error))


def main(answers: IO[bytes]) -> None:
    """Answers requests until standard input ends."""
    load_compiler()  # which takes longer than to compile
    send(answers, Ready())

    while True:
        try:
            request = receive(sys.stdin.buffer)
        except EOFError:
            return
        send(answers, answer(request))


if __name__ == "__main__":
    with open(int(sys.argv[1]), "wb") as stream:
        main(stream)
