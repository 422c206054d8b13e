"""A thread that sends kernels in baseline code to a process that compiles their optimized code.

Kernels with the most run time come first. Jobs are held by weak references, so that released programs are not
compiled. The process exits when it has been idle for some time, and at the latest with this process. If it
dies or sends an invalid reply, the job is sent to a new process once. A second failure is reported to the
job, whose kernel stays in baseline code.
"""

import atexit
import fcntl
import os
import signal
import subprocess
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from io import FileIO
from typing import Protocol, TypeVar

from weft.codegen.isolate import environment, interpreter
from weft.compile_server.client import client, compile_form
from weft.compile_server.messages import Answer, Ready, Request, receive, send
from weft.errors import ToolError, tell
from weft.faults import Fault, report
from weft.limits import Process, confine
from weft.threads import start_thread

T = TypeVar("T")

IDLE_SECONDS = 4.0  # short, because a host program may wait for all its children
_EXIT_SECONDS = 5.0
STARTS = 2  # attempts to start the process, because the system or a user may kill it


@cache
def possible() -> bool:
    """Whether there is a Python interpreter to run the process."""
    try:
        interpreter()
    except ToolError:
        return False
    return True


class Job(Protocol):
    """Code to be compiled: see `TieredCode`."""

    @property
    def request(self) -> Request:
        """Return the request for the compiling process."""

    @property
    def ticks(self) -> int:
        """How long the kernel has run in baseline code."""

    @property
    def key(self) -> str:
        """Return the cache key of the code."""

    def from_cache(self) -> bytes | None:
        """Return the code if the cache has it by now."""

    def finish(self, data: bytes | None, fault: Fault | None) -> None:
        """Take the compiled code or the reason for a failure; neither if the program is ending."""

    def orphan(self) -> None:
        """Handle a fork: in the child, the compilation does not exist."""


class EarlyJob(Protocol):
    """Code that a later launch will probably need: see `Anticipation`."""

    @property
    def request(self) -> Request:
        """Return the request for the compiling process."""

    @property
    def key(self) -> str:
        """Return the cache key of the code."""

    def from_cache(self) -> bytes | None:
        """Return the code if the cache has it by now."""

    def keep(self, data: bytes) -> None:
        """Store the compiled code in the cache."""


class Compiler(Protocol):
    """The interface of a process that compiles."""

    def wait_until_ready(self) -> None:
        """Wait until it can compile; raises ToolError if it ends instead."""

    def ask(self, request: Request) -> Answer:
        """Compile something; raises ToolError if it ends instead, or sends an invalid reply."""

    def interrupt(self) -> bool:
        """Make `ask` in another thread raise ToolError soon; False if a new process would take too long."""

    def close(self) -> None:
        """End the process, even if it is compiling."""

    def disown(self) -> None:
        """Drop a process that belongs to the parent, after a fork."""


class Background:
    """The queue of code that another process compiles. Methods may be called by several threads."""

    def __init__(self, start: Callable[[], Compiler] | None = None) -> None:
        self._start = start or _start
        self._reset()

    def _reset(self) -> None:
        lock = threading.RLock()
        self._changed = threading.Condition(lock)
        self._done = threading.Condition(lock)
        """Signals that an early job has been compiled, or never will be."""
        self._accepted: weakref.WeakSet[Job] = weakref.WeakSet()
        self._wanted: dict[int, weakref.ref[Job]] = {}
        self._current: Job | None = None  # the job that is being compiled
        self._again: Job | None = None  # the job during which a process has died
        self._early: list[EarlyJob] = []
        self._current_early: EarlyJob | None = None
        self._joined: list[Job] = []  # jobs that get the code of the early job; launches wait for them
        self._interrupted = False  # the code that is being compiled is not needed any more
        self._complained = False  # the failure to start a process has been reported
        self._thread: threading.Thread | None = None
        self._helper: Compiler | None = None
        self._closed = False

    def wake(self) -> None:
        """Start the process early: baseline code is about to be compiled, and a start takes a while."""
        with self._changed:
            if not self._closed and self._helper is None:
                self._run_thread()

    def want(self, job: Job) -> bool:
        """Request a job; its `finish` is called in the end.

        Return False if nothing is compiled any more, because the program is ending.
        """
        with self._changed:
            if not self._closed:
                self._accepted.add(job)
                self._wanted[id(job)] = weakref.ref(job)
                self._give_up_early(job.key)
                self._run_thread()
            return not self._closed

    def anticipate(self, jobs: Sequence[EarlyJob]) -> None:
        """Request code that launches will probably need; it is compiled when there are no other jobs."""
        with self._changed:
            if not self._closed and jobs:
                self._early += jobs
                self._run_thread()

    def complete(self, jobs: Sequence[EarlyJob], seconds: float) -> None:
        """Wait until early jobs are done, but at most `seconds`.

        This thread compiles jobs too, from the last one on. The first ones, which should be the longest, are
        left to the process, so that they do not exceed the time of the caller.
        """
        end = time.monotonic() + seconds
        for job in reversed(jobs[1:]):
            with self._changed:
                if job not in self._early:
                    break  # all remaining jobs have started
                self._early.remove(job)
            with suppress(Exception):  # the launch will report it
                if job.from_cache() is None:
                    request = job.request
                    job.keep(compile_form(request.code, request.options, request.form))
            if time.monotonic() >= end:
                return
        with self._changed:
            self._done.wait_for(lambda: self._are_done(jobs), max(end - time.monotonic(), 0))

    def _are_done(self, jobs: Sequence[EarlyJob]) -> bool:
        without_thread = self._thread is None  # it could not be started, or has ended
        return without_thread or (self._current_early not in jobs and not any(j in self._early for j in jobs))

    def give_up_early(self, key: str) -> None:
        """Make way for a launch that is about to compile the code of a key; see `_give_up_early`."""
        with self._changed:
            self._give_up_early(key)

    def awaits(self, key: str) -> bool:
        """Whether an early job has put the code of a key into the cache. Waits for the job if it has started.

        A launch needs that code now; see `_give_up_early`.
        """
        with self._changed:
            self._give_up_early(key)
            begun = self._current_early
            if begun is None or begun.key != key:
                return False
            self._done.wait_for(lambda: self._current_early is not begun)
            return True

    def _give_up_early(self, key: str) -> None:
        """Drop waiting early jobs of a key that a launch needs; interrupt the current one if not needed.

        The current early job is needed if its code is that of the key, or of a requested or joined job.
        """
        self._early = [job for job in self._early if job.key != key]
        current, helper = self._current_early, self._helper
        if current is None or helper is None or self._interrupted:
            return
        needed = {key, *(job.key for wanted in self._wanted.values() if (job := wanted()) is not None)}
        needed |= {job.key for job in self._joined}
        if current.key not in needed:
            self._interrupted = helper.interrupt()

    def cancel(self, job: Job) -> bool:
        """Cancel a requested job that has not started; return whether that succeeded.

        A job whose code an early job compiles has started.
        """
        with self._changed:
            early = self._current_early
            wanted = self._wanted.pop(id(job), None) is not None
            if wanted and early is not None and early.key == job.key and not self._interrupted:
                self._joined.append(job)
                return False
            return wanted

    def close(self) -> None:
        """End the process, and the thread soon afterwards."""
        with self._changed:
            self._closed = True
            left = [job for reference in self._wanted.values() if (job := reference()) is not None]
            if self._again is not None:
                left.append(self._again)
            left += self._joined
            self._joined.clear()
            self._wanted.clear()
            self._early.clear()
            self._again = None
            helper, self._helper = self._helper, None
            self._changed.notify()
        for job in left:
            job.finish(None, None)
        if helper is not None:
            helper.close()

    def after_fork(self) -> None:
        """Repeat requests in the child of a fork: the thread and the helper belong to the parent."""
        for job in self._accepted:
            job.orphan()
        if self._helper is not None:
            self._helper.disown()
        self._reset()

    def _run_thread(self) -> None:
        if self._thread is not None:
            self._changed.notify()
            return
        with suppress(RuntimeError):  # without a thread, launches that wait compile the code themselves
            self._thread = start_thread(self._run, "weft-tiers")

    def _run(self) -> None:
        # A write to a helper that has died must not end the host program.
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGPIPE])
        while self._has_helper():
            with self._changed:
                if not self._wanted and self._again is None and not self._early and not self._closed:
                    self._changed.wait(IDLE_SECONDS)
                again = self._again
                self._current = self._next() if again is None else again
                self._again = None
                if self._current is None and self._early:
                    self._current_early = self._early.pop(0)
                elif self._current is None:
                    helper, self._helper = self._helper, None
                    self._thread = None
                    break
            if self._current is not None:
                self._compile(self._current, last=again is not None)
                self._current = None
            else:
                self._compile_early()
        else:
            return
        if helper is not None:
            helper.close()

    def _has_helper(self) -> bool:
        """Start the process unless it exists, and wait until it is ready; False if that fails."""
        if self._helper is not None:
            return True
        fault: Fault | None = None
        closed = False
        for _ in range(STARTS):
            with self._changed:
                closed = self._closed
            if closed:  # the program is ending
                break
            fault = None
            try:
                helper = self._start()
                with self._changed:
                    self._helper = helper
                helper.wait_until_ready()
            except Exception as error:  # launches that wait for code compile it themselves
                fault = Fault.of(error)
                client.disappoint()
            with self._changed:
                closed = self._closed
                if fault is None and not closed:
                    return True
                left, self._helper = self._helper, None
            if left is not None:
                left.close()
        with self._changed:
            self._thread = None
            again, self._again = self._again, None
            silent, self._complained = closed or self._complained, True
        if fault is not None and not silent:
            tell(f"no process to optimize kernels: {fault.reason}")
        if again is not None:
            self._finish(again, None, None if closed else fault)
        return False

    def _next(self) -> Job | None:
        """Take the next job out of the queue: that of the kernel that has run longest."""
        found: Job | None = None
        for key, reference in list(self._wanted.items()):
            job = reference()
            if job is None:
                del self._wanted[key]
            elif found is None or job.ticks > found.ticks:
                found = job
        if found is not None:
            del self._wanted[id(found)]
        return found

    def _compile_early(self) -> None:
        """Compile an early job. Errors are ignored, because the launch will find them."""
        job, helper, answered = self._current_early, self._helper, False
        answer: Answer | None = None
        assert job is not None
        with suppress(Exception):  # it will be compiled when it is requested
            if helper is not None and job.from_cache() is None:
                answer = helper.ask(job.request)
                answered = True
                if answer.fault is None:
                    job.keep(answer.data)
            answered = helper is not None
        with self._changed:
            self._current_early = None
            self._done.notify_all()
            given_up, self._interrupted = self._interrupted, False
            joined, self._joined = self._joined, []
            if not answered or given_up:
                self._helper = None
        for one in joined:
            if answer is None:  # the kernel stays in baseline code, unless the cache has optimized code
                self._finish(one, one.from_cache(), None)
            else:
                self._finish(one, None if answer.fault else answer.data, answer.fault)
        if answered and not given_up:
            return
        if helper is not None:
            helper.close()
            if not given_up and not self._closed:
                client.disappoint()

    def _compile(self, job: Job, last: bool) -> None:
        """Compile a job. Unless this is the `last` attempt, a process that dies leaves it to a new one."""
        helper = self._helper
        try:
            if helper is None:
                raise ToolError("the program ends")
            found = job.from_cache()
            answer = Answer(found) if found is not None else helper.ask(job.request)
        except Exception as error:  # the thread continues with other kernels
            if helper is not None:
                helper.close()
                client.disappoint()  # a server would fail again
            with self._changed:
                self._helper = None
                if not self._closed and not last:
                    self._again = job
                    return
            self._finish(job, None, None if self._closed else Fault.of(error))
        else:
            self._finish(job, None if answer.fault else answer.data, answer.fault)

    def _finish(self, job: Job, data: bytes | None, fault: Fault | None) -> None:
        try:
            job.finish(data, fault)
        except Exception as error:  # the thread must continue, because launches wait for other jobs
            report(f"kernel {job.request.code.info.name!r} keeps its baseline code", Fault.of(error))


def _start() -> Compiler:
    """Return a child of the compile server, which is started if necessary, or a Helper."""
    return client.connect(start=True, builds=False) or Helper()


class Helper:
    """A process that compiles only for this process; see Compiler."""

    def __init__(self) -> None:
        # Not standard output, because code that the interpreter runs at its start may print there.
        answers, to_answer = _pipe()
        # Unbuffered, because a buffer has a lock that may be held during a fork.
        self._answers = FileIO(answers)
        try:
            self._process = Process(
                # -P: do not search modules in the folder of the program.
                [interpreter(), "-P", "-m", "weft.tiers.helper", str(to_answer)],
                environment(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                descriptors=[to_answer],
            )
            confine(self._process.pid, serves=True)
        except BaseException:
            self._answers.close()
            raise
        finally:
            os.close(to_answer)

    def wait_until_ready(self) -> None:
        """Wait until it can compile; raises ToolError if it ends instead."""
        self._receive(Ready)

    def ask(self, request: Request) -> Answer:
        """Compile something; raises ToolError if it ends instead, or sends an invalid reply."""
        assert self._process.stdin is not None
        with suppress(OSError):  # the process has ended, so there will be no answer
            send(self._process.stdin, request)
        return self._receive(Answer)

    def _receive(self, kind: type[T]) -> T:
        try:
            found = receive(self._answers)
        except (EOFError, OSError) as error:
            raise ToolError(f"the compiler ended with status {self._status()}") from error
        except ValueError as error:  # also if `close` has been called in the meantime
            raise ToolError("the compiler's reply cannot be read") from error
        if not isinstance(found, kind):
            raise ToolError(f"the compiler's reply is a {type(found).__name__}")
        return found

    def _status(self) -> int:
        """Return the exit status of the process; end it if it only has stopped answering."""
        try:
            return self._process.wait(_EXIT_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()

    def interrupt(self) -> bool:
        """See Compiler."""
        return False

    def close(self) -> None:
        """End the process, even if it is compiling."""
        self._process.kill()
        self._process.wait()
        self._close_pipes()

    def disown(self) -> None:
        """Drop a process that is a child of the parent, after a fork."""
        self._close_pipes()

    def _close_pipes(self) -> None:
        assert self._process.stdin is not None
        for stream in (self._process.stdin, self._answers):
            with suppress(OSError):  # unwritten data may be lost
                stream.close()


def _pipe() -> tuple[int, int]:
    """Create a pipe whose writing end is not a standard descriptor, which the program may have closed."""
    reading, writing = os.pipe()
    try:
        return reading, fcntl.fcntl(writing, fcntl.F_DUPFD_CLOEXEC, 3)
    except OSError:
        os.close(reading)
        raise
    finally:
        os.close(writing)


background = Background()
atexit.register(background.close)
os.register_at_fork(after_in_child=background.after_fork)
