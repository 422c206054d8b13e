"""Many threads at once, callbacks, and what is left behind."""

import os
import random
import threading
import time
import weakref
from collections.abc import Callable

import numpy as np
import pytest
from device_support import GROUP, Log, address, eventually, function, spin, words

from weft.device.base import Command, Device, Launch, Queue, devices
from weft.device.command import COMPLETE, FAILED_WAIT_LIST, OUT_OF_RESOURCES, RUNNING, SUBMITTED


def in_threads(count: int, work: Callable[[int], object]) -> None:
    """Runs work(i) in `count` threads and raises what any of them raised."""
    errors: list[BaseException] = []

    def run(i: int) -> None:
        try:
            work(i)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads)
    if errors:
        raise errors[0]


def test_several_threads_may_finish_the_same_queue(queue: Queue) -> None:
    counter = np.zeros(1, np.uint64)
    block = words(address(counter))
    for _ in range(200):
        queue.ndrange(function("count"), Launch((10,), (1,)), block, 0, 0)

    def finish(_: int) -> None:
        assert queue.finish() == 0
        assert counter[0] == 2000

    in_threads(4, finish)


def test_several_threads_may_wait_for_the_same_command(device: Device, queue: Queue) -> None:
    user = device.user_command()
    command = spin(queue, 100_000, groups=3, wait=(user,))
    threading.Timer(0.02, user.complete).start()
    in_threads(4, lambda _: command.wait() == 0 or pytest.fail("not complete"))


def test_threads_share_an_in_order_queue(queue: Queue) -> None:
    logs = [Log(300) for _ in range(4)]

    def work(i: int) -> None:
        for value in range(300):
            logs[i].append(queue, value)
            if value % 50 == 0:
                queue.finish()

    in_threads(4, work)
    queue.finish()
    assert [log.read() for log in logs] == [list(range(300))] * 4


def test_random_graphs_from_many_threads_run_in_order() -> None:
    """Each command appends to its thread's log after those it waits for; barriers and queues are mixed."""
    kinds = devices()
    shared = [kinds[i % 2].new_queue(out_of_order=i % 3 == 1, profiling=i % 2 == 0) for i in range(6)]
    counter = np.zeros(1, np.uint64)
    block = words(address(counter))
    launched = [0] * 6

    def work(i: int) -> None:
        choose = random.Random(i)
        log = Log(400)
        recent: list[Command] = []
        last: tuple[Command, ...] = ()
        value = 0
        for _ in range(600):
            queue = choose.choice(shared)
            wait = tuple(choose.sample(recent, min(len(recent), choose.randrange(3))))
            action = choose.randrange(12)
            if action < 6 and value < 400:
                last = (log.append(queue, value, last + wait),)
                recent.append(last[0])
                value += 1
            elif action < 9:
                groups = choose.choice((1, 3, 50))
                launched[i] += groups
                recent.append(queue.ndrange(function("count"), Launch((groups,), (1,)), block, 0, 0, wait))
            elif action == 9:
                recent.append(choose.choice((queue.marker, queue.barrier))(wait))
            elif action == 10:
                choose.choice((queue.flush, queue.finish))()
            elif recent:
                assert choose.choice(recent).wait() == 0
            del recent[:-8]
        if last:
            assert last[0].wait() == 0
        assert log.read() == list(range(value))

    in_threads(6, work)
    assert [queue.finish() for queue in shared] == [0] * 6
    assert counter[0] == sum(launched)


def test_callbacks_are_called_for_every_status(device: Device, queue: Queue) -> None:
    seen: list[int] = []
    user = device.user_command()
    command = spin(queue, 1000, wait=(user,))
    for status in (COMPLETE, RUNNING, SUBMITTED):
        command.on_status(status, seen.append)
    time.sleep(0.01)
    assert seen == []
    user.complete()
    assert command.wait() == 0
    assert eventually(lambda: len(seen) == 3)
    assert seen == [SUBMITTED, RUNNING, COMPLETE]
    command.on_status(COMPLETE, seen.append)
    assert eventually(lambda: seen[3:] == [COMPLETE])


def test_callback_of_a_failed_command_is_given_the_error(device: Device, queue: Queue) -> None:
    seen: list[int] = []
    user = device.user_command()
    queue.marker((user,)).on_status(COMPLETE, seen.append)
    user.on_status(COMPLETE, seen.append)
    user.complete(-77)
    assert eventually(lambda: sorted(seen) == [-77, FAILED_WAIT_LIST])


def test_callback_may_enqueue_wait_and_complete(device: Device, queue: Queue) -> None:
    log = Log(2)
    user = device.user_command()

    def callback(_: int) -> None:
        assert log.append(queue, 2).wait() == 0
        user.complete()

    log.append(queue, 1).on_status(COMPLETE, callback)
    queue.flush()
    assert user.wait() == 0
    assert log.read() == [1, 2]


def test_callback_that_raises_does_not_stop_the_next(
    queue: Queue, capsys: pytest.CaptureFixture[str]
) -> None:
    seen: list[int] = []

    def broken(_: int) -> None:
        raise ValueError("broken callback")

    command = queue.marker()
    command.on_status(COMPLETE, broken)
    command.on_status(COMPLETE, seen.append)
    assert eventually(lambda: seen == [COMPLETE])
    assert "broken callback" in capsys.readouterr().err


def test_callback_of_a_dropped_user_command_fails_and_is_forgotten(device: Device) -> None:
    class Payload:
        statuses: list[int] = []

        def called(self, status: int) -> None:
            self.statuses.append(status)

    payload = Payload()
    gone = weakref.ref(payload)
    user = device.user_command()
    user.on_status(COMPLETE, payload.called)
    del payload, user
    assert eventually(lambda: gone() is None)
    assert Payload.statuses == [OUT_OF_RESOURCES]


def test_many_callbacks_are_all_called(queue: Queue) -> None:
    seen: list[int] = []
    for _ in range(2000):
        queue.ndrange(function("empty"), GROUP, b"", 0, 0).on_status(COMPLETE, seen.append)
    queue.finish()
    assert eventually(lambda: len(seen) == 2000)


def test_neither_threads_nor_memory_grow_with_the_number_of_commands(device: Device) -> None:
    def resident() -> int:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * 4096

    launch = Launch((64,), (1,))

    def work(_: int) -> None:
        for out_of_order in (False, True):
            queue = device.new_queue(out_of_order=out_of_order)
            before: tuple[Command, ...] = ()
            for _ in range(2000):
                before = (queue.ndrange(function("empty"), launch, bytes(900), 500, 500, before),)
            queue.barrier()
            queue.finish()

    def one_round() -> int:
        """The bytes by which the process grew during 12,000 commands of over a kilobyte each."""
        memory = resident()
        work(0)
        in_threads(2, work)
        return resident() - memory

    one_round()
    threads = len(list_threads())
    growth = [one_round() for _ in range(4)]
    assert eventually(lambda: len(list_threads()) <= threads + 1)
    # A leak of a tenth of the commands shows in every round, what other threads of the process
    # allocate only in some.
    assert min(growth) < 1 << 20, growth


def list_threads() -> list[str]:
    return os.listdir("/proc/self/task")
