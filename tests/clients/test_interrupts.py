"""What handlers of signals raise while a Python program is inside an OpenCL call reaches the program."""

from collections.abc import Callable

from test_python_processes import SESSION

Python = Callable[..., str]

# A signal comes while the program waits for a command, which ends then.
WAITING = (
    SESSION
    + """
import signal, threading, time
context, queue, twice, spin = session()
buffer = cl.Buffer(context, 0, 4000)
go, main = cl.UserEvent(context), threading.get_ident()
def interrupt():
    time.sleep(0.2)
    signal.pthread_kill(main, signal.SIGINT)
    go.set_status(cl.command_execution_status.COMPLETE)
def read():
    threading.Thread(target=interrupt).start()
    try:
        cl.enqueue_copy(queue, np.empty(1000, np.int32), buffer, wait_for=[go])
    except cl.Error:
        while True:
            time.sleep(0.01)
"""
)


def test_an_interrupt_ends_a_blocking_read(python: Python) -> None:
    said = python(
        WAITING
        + """
try:
    read()
except KeyboardInterrupt:
    print("interrupted")
"""
    )
    assert said == "interrupted\n"


def test_a_handler_may_end_the_program(python: Python) -> None:
    said = python(
        WAITING
        + """
signal.signal(signal.SIGINT, lambda *_: exit(0))
try:
    read()
except SystemExit as error:
    print("exit", error.code)
    raise
"""
    )
    assert said == "exit 0\n"


def test_an_interrupt_ends_a_launch_that_waits_for_code(python: Python) -> None:
    said = python(
        "import os; os.environ.update(WEFT_TIERS='1', WEFT_CACHE='0')"
        + SESSION
        + """
import signal, threading, time
from weft.tiers.background import Helper, background
ask = Helper.ask
def stop_and_ask(helper, request):
    os.kill(helper._process.pid, signal.SIGSTOP)
    return ask(helper, request)
Helper.ask = stop_and_ask
parts = session()
check(*parts)
while background._current is None: time.sleep(0.001)
main = threading.get_ident()
threading.Timer(0.2, lambda: signal.pthread_kill(main, signal.SIGINT)).start()
try:
    try:
        check(*parts)
    except cl.Error:
        time.sleep(60)
except KeyboardInterrupt:
    print("interrupted")
Helper.ask = ask
os.kill(background._helper._process.pid, signal.SIGCONT)
check(*parts)
"""
    )
    assert said == "interrupted\n"
