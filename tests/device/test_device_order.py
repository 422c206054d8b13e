"""Which command waits for which: queues, wait lists, markers, barriers, user commands, failures."""

import threading

import numpy as np
import pytest
from device_support import GROUP, Log, address, eventually, function, spin, words

from weft.device.base import Device, Launch, Queue
from weft.device.command import FAILED_WAIT_LIST, OUT_OF_RESOURCES, QUEUED, SUBMITTED


def test_in_order_queue_runs_commands_one_after_the_other(queue: Queue) -> None:
    log = Log(500)
    for i in range(500):
        log.append(queue, i)
    assert queue.finish() == 0
    assert log.read() == list(range(500))


def test_in_order_queue_keeps_order_of_slow_and_fast_commands(queue: Queue) -> None:
    log = Log(20)
    for i in range(10):
        spin(queue, 50_000 * (i % 3), groups=4)
        log.append(queue, i)
    queue.finish()
    assert log.read() == list(range(10))


def test_wait_list_orders_commands_of_an_out_of_order_queue(unordered: Queue) -> None:
    log = Log(100)
    before = log.append(unordered, 0)
    for i in range(1, 100):
        before = log.append(unordered, i, (before,))
    unordered.finish()
    assert log.read() == list(range(100))


def test_out_of_order_commands_do_not_wait_for_a_blocked_one(device: Device, unordered: Queue) -> None:
    log = Log(2)
    gate = device.user_command()
    blocked = log.append(unordered, 1, (gate,))
    assert log.append(unordered, 2).wait() == 0
    assert blocked.status == QUEUED
    gate.complete()
    assert blocked.wait() == 0
    assert log.read() == [2, 1]


def test_wait_list_orders_commands_across_queues(device: Device) -> None:
    queues = [device.new_queue(out_of_order=i % 2 == 1) for i in range(4)]
    log = Log(200)
    before = log.append(queues[0], 0)
    for i in range(1, 200):
        before = log.append(queues[i * 7 % 4], i, (before,))
    assert before.wait() == 0
    assert log.read() == list(range(200))


def test_wait_list_orders_commands_across_devices(device: Device, pthread: Device) -> None:
    log = Log(3)
    here, there = device.new_queue(), pthread.new_queue()
    first = spin(here, 2_000_000)
    second = log.append(there, 1, (first,))
    third = log.append(here, 2, (second,))
    assert third.wait() == 0
    assert log.read() == [1, 2]


def test_every_command_of_a_long_wait_list_is_waited_for(device: Device, unordered: Queue) -> None:
    log = Log(301)
    gate = device.user_command()
    parts = tuple(log.append(unordered, i, (gate,)) for i in range(300))
    last = log.append(unordered, 1000, parts)
    gate.complete()
    last.wait()
    assert sorted(log.read()[:300]) == list(range(300))
    assert log.read()[300] == 1000


def test_user_command_holds_its_dependents_until_the_host_completes_it(device: Device, queue: Queue) -> None:
    log = Log(1)
    user = device.user_command()
    assert user.status == SUBMITTED
    held = log.append(queue, 7, (user,))
    queue.flush()
    assert held.status == QUEUED
    threading.Timer(0.02, user.complete).start()
    assert queue.finish() == 0
    assert log.read() == [7]
    assert user.status == held.status == 0


def test_user_command_completes_only_once(device: Device) -> None:
    user = device.user_command()
    with pytest.raises(ValueError):
        user.complete(1)
    assert user.complete(-3)
    assert not user.complete()
    assert user.status == user.wait() == -3


def test_dependents_of_a_user_command_that_nobody_can_complete_fail(device: Device, queue: Queue) -> None:
    user = device.user_command()
    held = queue.marker((user,))
    del user
    assert held.wait() == FAILED_WAIT_LIST


def test_failure_reaches_dependents_of_dependents_and_nothing_runs(device: Device, unordered: Queue) -> None:
    log = Log(20)
    user = device.user_command()
    first = log.append(unordered, 0, (user,))
    second = log.append(unordered, 1, (first,))
    third = unordered.marker((second,))
    other = log.append(unordered, 2)
    user.complete(-42)
    assert [c.wait() for c in (first, second, third, other)] == [FAILED_WAIT_LIST] * 3 + [0]
    assert log.append(unordered, 3, (first,)).wait() == FAILED_WAIT_LIST
    assert log.read() == [2]


def test_failure_runs_down_a_chain_of_a_hundred_thousand(device: Device) -> None:
    queue = device.new_queue(out_of_order=True)
    user = device.user_command()
    command = queue.marker((user,))
    for _ in range(100_000):
        command = queue.marker((command,))
    user.complete(-1)
    assert command.wait() == FAILED_WAIT_LIST


def test_commands_after_a_failed_one_in_the_queue_run(device: Device, queue: Queue) -> None:
    log = Log(2)
    user = device.user_command()
    failed = log.append(queue, 1, (user,))
    log.append(queue, 2)
    user.complete(-9)
    assert queue.finish() == queue.take_failure() == 0
    assert failed.status == FAILED_WAIT_LIST
    assert log.read() == [2]


def test_arena_that_cannot_be_allocated_fails_the_command(
    queue: Queue, capfd: pytest.CaptureFixture[str]
) -> None:
    command = queue.ndrange(function("empty"), Launch((64,), (1,)), b"", 2**62, 0)
    assert command.wait() == OUT_OF_RESOURCES
    assert queue.ndrange(function("empty"), GROUP, b"", 0, 2**62).wait() == OUT_OF_RESOURCES
    assert queue.take_failure() == OUT_OF_RESOURCES
    assert queue.take_failure() == queue.finish() == 0
    lines = capfd.readouterr().err.splitlines()
    assert [line.rpartition(": out of memory for ")[2] for line in lines] == [
        "its local memory",
        "private variables across barriers",
    ]
    assert queue.ndrange(function("empty"), GROUP, b"", 0, 0).wait() == 0


@pytest.mark.parametrize("out_of_order", [False, True])
def test_marker_without_a_wait_list_waits_for_all_before_it(device: Device, out_of_order: bool) -> None:
    queue = device.new_queue(out_of_order=out_of_order)
    user = device.user_command()
    before = [spin(queue, 1000, wait=(user,)), spin(queue, 1000)]
    marker = queue.marker()
    again = queue.marker()
    assert marker.status == QUEUED
    user.complete()
    assert marker.wait() == again.wait() == 0
    assert [c.status for c in before] == [0, 0]


def test_marker_with_a_wait_list_waits_for_that_alone(device: Device, unordered: Queue) -> None:
    user = device.user_command()
    blocked = unordered.marker((user,))
    done = spin(unordered, 1000)
    assert unordered.marker((done,)).wait() == 0
    assert blocked.status == QUEUED
    user.complete()
    assert unordered.finish() == 0


def test_barrier_holds_later_commands_of_an_out_of_order_queue(device: Device, unordered: Queue) -> None:
    log = Log(30)
    user = device.user_command()
    for i in range(10):
        log.append(unordered, i, (user,))
    barrier = unordered.barrier()
    later = [log.append(unordered, 100 + i) for i in range(10)]
    unordered.flush()
    assert barrier.status == QUEUED
    assert {c.status for c in later} == {QUEUED}
    user.complete()
    unordered.finish()
    assert sorted(log.read()[:10]) == list(range(10))
    assert sorted(log.read()[10:]) == list(range(100, 110))


def test_barrier_with_a_wait_list_holds_later_commands_for_it(device: Device, unordered: Queue) -> None:
    log = Log(4)
    never, soon = device.user_command(), device.user_command()
    blocked = log.append(unordered, 1, (never,))
    unordered.barrier((soon,))
    later = log.append(unordered, 2)
    assert later.status == QUEUED
    soon.complete()
    assert later.wait() == 0
    assert blocked.status == QUEUED
    never.complete()
    unordered.finish()
    assert log.read() == [2, 1]


def test_commands_run_without_a_flush_or_a_wait(queue: Queue) -> None:
    log = Log(3)
    for i in range(3):
        last = log.append(queue, i)
    assert eventually(lambda: last.status == 0)
    assert log.read() == [0, 1, 2]


def test_wait_on_one_queue_starts_what_it_needs_on_another(device: Device) -> None:
    first, second = device.new_queue(), device.new_queue()
    log = Log(2)
    a = log.append(first, 1)
    b = log.append(second, 2, (a,))
    assert b.wait() == 0
    assert log.read() == [1, 2]


def test_queue_may_go_while_its_commands_are_under_way(device: Device) -> None:
    log = Log(50)
    user = device.user_command()
    for out_of_order in (False, True):
        queue = device.new_queue(out_of_order=out_of_order)
        for i in range(25):
            log.append(queue, i, (user,))
        del queue
    user.complete()
    assert eventually(lambda: len(log.read()) == 50)


def test_empty_ndrange_ends_without_running(queue: Queue) -> None:
    assert queue.ndrange(function("forever"), Launch((0,), (1,)), b"", 0, 0).wait() == 0


def test_launch_refuses_sizes_that_do_not_fit() -> None:
    for sizes in (((4,), (3,)), ((4,), (0,)), ((1, 1), (1,)), ((1,) * 4, (1,) * 4), ((), ())):
        with pytest.raises(ValueError):
            Launch(*sizes)
    with pytest.raises(OverflowError):
        Launch((2**40, 2**40), (1, 1))


def test_native_command_calls_a_function_with_a_copy_of_its_arguments(queue: Queue) -> None:
    out = np.zeros(1, np.uint64)
    block = bytearray(words(address(out), 99))
    queue.native(function("native_store"), block)
    block[:] = bytes(16)
    queue.finish()
    assert out[0] == 99
