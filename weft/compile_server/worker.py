"""The request loop of a process that compiles for another one."""

from collections.abc import Callable, Mapping
from typing import Any

from weft.codegen.host import assume_host_target
from weft.compile_server.messages import Answer, Reader, Request, Writer, receive, send
from weft.faults import Fault
from weft.group_code import compile_form

Handlers = Mapping[type, Callable[[Any], Any]]


def compile_request(request: Request) -> Answer:
    """Execute a compile request. An exception becomes the reply."""
    try:
        if request.host is not None:
            assume_host_target(request.host)
        return Answer(compile_form(request.code, request.options, request.form))
    except Exception as error:  # reported by the process that asked
        return Answer(fault=Fault.of(error))


def serve(requests: Reader, answers: Writer, handlers: Handlers) -> None:
    """Serve requests, each by the handler of its type, until the end of input or an invalid request."""
    while True:
        try:
            request = receive(requests)
        except (EOFError, ValueError):
            return
        handler = handlers.get(type(request))
        if handler is None:
            return
        send(answers, handler(request))
