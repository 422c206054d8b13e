"""Eight threads on shared buffers with random commands and events: as if one command ran after the other.

Each thread has an in-order and an out-of-order queue of its own and enqueues its steps of a common plan;
wait lists across all queues keep the plan's dependencies, user events hold some steps up, and callbacks are
counted. Threads and memory must not grow from round to round.
"""

import gc
import threading
import time
from contextlib import suppress
from pathlib import Path
from random import Random

import numpy as np
import pyopencl as cl
import pytest
from stress_plan import WORDS, Step, make_plan, pattern, replay

THREADS, QUEUES, BUFFERS, STEPS = 8, 2, 6, 300
SOURCE = """
kernel void step(global uint *target, global const uint *source, uint start, uint value) {
    uint i = start + get_global_id(0);
    target[i] = target[i] * 3 + source[i] + value;
}
"""


class Round:
    """One plan being carried out."""

    def __init__(self, context: cl.Context, plan: list[Step], buffers: list[cl.Buffer]) -> None:
        self.context, self.plan, self.buffers = context, plan, buffers
        self.program = cl.Program(context, SOURCE).build()
        self.events: list[cl.Event | None] = [None] * len(plan)
        self.changed = threading.Condition()
        self.read: dict[int, np.ndarray] = {}
        self.gates: list[cl.UserEvent] = []
        self.called = 0
        self.errors: list[BaseException] = []

    def carry_out(self) -> None:
        """All threads enqueue their steps; returns when every command has ended."""
        threads = [threading.Thread(target=self._guarded, args=(n,)) for n in range(THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if self.errors:
            raise self.errors[0]
        for gate in self.gates:
            gate.set_status(cl.command_execution_status.COMPLETE)
        cl.wait_for_events([event for event in self.events if event is not None])

    def _guarded(self, number: int) -> None:
        try:
            self._enqueue_steps(number)
        except BaseException as error:
            self.errors.append(error)
            with self.changed:
                self.changed.notify_all()

    def _enqueue_steps(self, number: int) -> None:
        out_of_order = cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE
        queues = [cl.CommandQueue(self.context), cl.CommandQueue(self.context, properties=out_of_order)]
        kernel = cl.Kernel(self.program, "step")
        held: list[cl.UserEvent] = []
        for index, step in enumerate(self.plan):
            if step.thread != number:
                continue
            wait = self._events_of(step.after)
            if step.gated:
                held.append(cl.UserEvent(self.context))
                wait.append(held[-1])
            event = self._enqueue(queues[step.queue], kernel, index, step, wait)
            event.set_callback(cl.command_execution_status.COMPLETE, self._count)
            queues[step.queue].flush()
            with self.changed:
                self.events[index] = event
                self.changed.notify_all()
            # Some gates open soon, by the thread that closed them; the others when all is enqueued.
            if len(held) > 2:
                held.pop(0).set_status(cl.command_execution_status.COMPLETE)
        self.gates += held

    def _events_of(self, steps: set[int]) -> list[cl.Event]:
        with self.changed:
            self.changed.wait_for(lambda: self.errors or all(self.events[n] is not None for n in steps))
            return [event for n in sorted(steps) if (event := self.events[n]) is not None]

    def _count(self, _status: int) -> None:
        with self.changed:
            self.called += 1
            self.changed.notify_all()

    def _enqueue(
        self, queue: cl.CommandQueue, kernel: cl.Kernel, index: int, step: Step, wait: list[cl.Event]
    ) -> cl.Event:
        target, source = self.buffers[step.target], self.buffers[step.source]
        start, size = 4 * step.start, 4 * step.count
        match step.kind:
            case "fill":
                return cl.enqueue_fill(
                    queue, target, np.uint32(step.value), size, offset=start, wait_for=wait
                )
            case "write":
                return cl.enqueue_copy(
                    queue, target, pattern(step), dst_offset=start, is_blocking=False, wait_for=wait
                )
            case "read":
                place = self.read[index] = np.empty(step.count, np.uint32)
                return cl.enqueue_copy(
                    queue, place, target, src_offset=start, is_blocking=False, wait_for=wait
                )
            case "copy":
                return cl.enqueue_copy(
                    queue, target, source, byte_count=size, src_offset=start, dst_offset=start, wait_for=wait
                )
            case "rect":
                return cl.enqueue_copy(
                    queue, target, source, src_origin=(8, 8), dst_origin=(16, 0), region=(32, 8),
                    src_pitches=(64,), dst_pitches=(64,), wait_for=wait,
                )  # fmt: skip
            case "kernel":
                kernel.set_args(target, source, np.uint32(step.start), np.uint32(step.value))
                return cl.enqueue_nd_range_kernel(queue, kernel, (step.count,), None, wait_for=wait)
        raise ValueError(f"no command for {step}")


def resources() -> tuple[dict[str, str], int]:
    """The threads of this process, number and name, and its kilobytes of memory."""
    with open("/proc/self/status") as file:
        rows = dict(line.split(":", 1) for line in file)
    threads = {}
    for folder in Path("/proc/self/task").iterdir():
        with suppress(FileNotFoundError, ProcessLookupError):  # it has just ended
            threads[folder.name] = (folder / "comm").read_text().strip()
    return threads, int(rows["VmRSS"].split()[0])


def start_all_workers(context: cl.Context) -> None:
    """Workers start when there is work for them and no host thread waits to do it: have them all start."""
    source = """
kernel void busy(global uint *out) {
    uint x = get_global_id(0);
    for (int i = 0; i < 100; i++) x = x * 1664525u + 1013904223u;
    out[get_global_id(0)] = x;
}
"""
    queue = cl.CommandQueue(context)
    out = cl.Buffer(context, cl.mem_flags.READ_WRITE, 4 << 20)
    kernel = cl.Kernel(cl.Program(context, source).build(), "busy")
    for _ in range(20):
        event = kernel(queue, (1 << 20,), (64,), out)
    queue.flush()
    while event.command_execution_status > cl.command_execution_status.COMPLETE:
        time.sleep(0.01)


def stress(seconds: float, rounds: int) -> None:
    """Rounds until both limits are reached."""
    gc.collect()  # what earlier tests left is not to be released in between
    random = Random(5)
    platform = next(p for p in cl.get_platforms() if p.name == "Weft")
    context = cl.Context(platform.get_devices()[:1])
    start_all_workers(context)
    memory = [np.zeros(WORDS, np.uint32) for _ in range(BUFFERS)]
    buffers = [
        cl.Buffer(context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=m) for m in memory
    ]
    queue = cl.CommandQueue(context)
    end = time.monotonic() + seconds
    before = None
    done = 0
    while done < rounds or time.monotonic() < end:
        plan = make_plan(random, STEPS, THREADS, QUEUES, BUFFERS)
        current = Round(context, plan, buffers)
        current.carry_out()
        expected = replay(plan, memory)
        for index, found in expected.items():
            np.testing.assert_array_equal(current.read[index], found, err_msg=str(plan[index]))
        for number, buffer in enumerate(buffers):
            result = np.empty(WORDS, np.uint32)
            cl.enqueue_copy(queue, result, buffer)
            np.testing.assert_array_equal(result, memory[number], err_msg=f"buffer {number}")
        with current.changed:
            assert current.changed.wait_for(lambda c=current: c.called == STEPS, timeout=60)
        done += 1
        if done == 3:
            before = resources()
    assert before is not None
    budget = time.monotonic() + 10
    while len(resources()[0]) > len(before[0]) and time.monotonic() < budget:
        time.sleep(0.05)  # threads that have just ended are still counted for a moment
    threads, kilobytes = resources()
    new = {number: name for number, name in threads.items() if number not in before[0]}
    assert len(threads) <= len(before[0]), new
    assert kilobytes < before[1] + 20_000


def test_some_rounds() -> None:
    stress(0, 6)


@pytest.mark.slow
def test_a_minute_of_rounds() -> None:
    stress(60, 6)


def test_the_plan_has_dependencies_across_threads() -> None:
    plan = make_plan(Random(1), 100, THREADS, QUEUES, BUFFERS)
    crossing = sum(plan[n].thread != step.thread for step in plan for n in step.after)
    assert crossing > 50
