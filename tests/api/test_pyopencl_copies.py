"""Buffers with copies in a device's own memory: what moves when, in programs with `pthread` and `ttasim`."""

import os
import subprocess
import sys
import textwrap

PREAMBLE = """
import warnings
warnings.simplefilter("ignore")
import numpy as np, pyopencl as cl
from weft.device.base import device as device_of
(platform,) = [p for p in cl.get_platforms() if p.name == "Weft"]
tta, = platform.get_devices(cl.device_type.ACCELERATOR)
context = cl.Context(platform.get_devices())
queues = {d: cl.CommandQueue(context, d) for d in context.devices}
remote = queues[tta]
home = next((q for d, q in queues.items() if d != tta), remote)
flags = cl.mem_flags
source = '''
kernel void add(global int *a, int by) { a[get_global_id(0)] += by; }
kernel void sum(global int *a, const global int *b, constant int *c) {
    int i = get_global_id(0); a[i] += b[i] + c[i];
}
'''
program = cl.Program(context, source).build()
add, add_all = cl.Kernel(program, "add"), cl.Kernel(program, "sum")
MOVED = device_of("ttasim").memory.copies.moved
HEAP = device_of("ttasim").memory
before = {}

def new(values, more=0):
    return cl.Buffer(context, flags.COPY_HOST_PTR | more, hostbuf=np.array(values, np.int32))

def run(queue, kernel, *arguments, n=64):
    return kernel(queue, (n,), (min(n, 16),), *arguments)

def finish():
    for queue in queues.values():
        queue.finish()

def moved():
    'What moved since the last time: written, read, copied, filled, copies given up.'
    finish()
    now = dict(vars(MOVED))
    change = tuple(now[name] - before.get(name, 0) for name in now)
    before.update(now)
    return change

def words(buffer, queue=None):
    finish()
    found = np.empty(buffer.size // 4, np.int32)
    cl.enqueue_copy(queue or home, found, buffer)
    return found
"""


def run(body: str, **settings: str) -> str:
    """What a program prints on standard error."""
    environment = {**os.environ, "WEFT_DEVICES": "pthread,ttasim", "PYOPENCL_NO_CACHE": "1", **settings}
    command = [sys.executable, "-c", PREAMBLE + textwrap.dedent(body)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return done.stderr


def test_bytes_move_only_when_they_are_needed_elsewhere() -> None:
    errors = run(
        """
        a, b, c = new(range(64)), new([10] * 64), new([100] * 64, flags.READ_ONLY)
        for _ in range(3):
            run(remote, add_all, a, b, c)
        assert moved() == (3 * 256, 0, 0, 0, 0)
        assert (words(b) == 10).all() and moved() == (0, 0, 0, 0, 0)      # valid in both places
        expected = np.arange(64) + 330
        assert (words(a) == expected).all() and moved() == (0, 256, 0, 0, 0)
        assert (words(a) == expected).all() and moved() == (0, 0, 0, 0, 0)
        run(remote, add_all, a, b, c)                                     # still valid there
        assert moved() == (0, 0, 0, 0, 0)
        # Launches on both devices in turn; in an order that events give.
        event = None
        for queue in (home, remote) * 3:
            event = add(queue, (64,), (16,), a, np.int32(1), wait_for=[event] if event else None)
            queue.flush()
        event.wait()
        assert moved() == (3 * 256, 3 * 256, 0, 0, 0)
        expected += 110 + 6
        # What the host writes moves, and no more.
        cl.enqueue_copy(home, a, np.array([7, 8], np.int32), dst_offset=40)
        expected[10:12] = 7, 8
        assert moved() == (0, 0, 0, 0, 0)
        part = np.empty(4, np.int32)
        cl.enqueue_copy(home, part, a, src_offset=36)
        assert (part == expected[9:13]).all() and moved() == (0, 8, 0, 0, 0)
        run(remote, add, a, np.int32(1))
        expected += 1
        assert moved() == (8, 0, 0, 0, 0)
        run(remote, add, cl.Buffer(context, 0, 256), np.int32(1))        # contents that nobody has defined
        assert moved() == (0, 0, 0, 0, 0)
        # A region with rows apart.
        cl.enqueue_copy(home, np.full((2, 2), -1, np.int32), a, is_blocking=True, buffer_origin=(0, 0),
                        host_origin=(0, 0), region=(8, 2), buffer_pitches=(32,))
        cl.enqueue_copy(home, a, np.full((2, 2), -1, np.int32), is_blocking=True, buffer_origin=(0, 4),
                        host_origin=(0, 0), region=(8, 2), buffer_pitches=(32,))
        for row in (4, 5):
            expected[row * 8 : row * 8 + 2] = -1
        assert (words(a) == expected).all()
        """
    )
    assert errors == ""


def test_copies_and_fills_run_where_the_valid_copy_is() -> None:
    errors = run(
        """
        a, b = new(range(64)), new([0] * 64)
        run(remote, add, a, np.int32(1))
        moved()
        cl.enqueue_copy(home, b, a, byte_count=128, dst_offset=64)
        assert moved() == (0, 0, 128, 0, 0)
        copied = cl.enqueue_copy(home, a, a, byte_count=64, src_offset=0, dst_offset=128)
        cl.enqueue_fill_buffer(remote, a, np.int32(5), 0, 16, wait_for=[copied])
        assert moved() == (0, 0, 64, 16, 0)
        cl.enqueue_fill_buffer(remote, b, np.int32(6), 0, 32)                # valid at home: there
        assert moved() == (0, 0, 0, 0, 0)
        expected = np.zeros(64, np.int32)
        expected[16:48], expected[:8] = np.arange(1, 33), 6
        assert (words(b) == expected).all() and moved() == (0, 128, 0, 0, 0)
        run(remote, add, b, np.int32(1))
        assert (words(b) == expected + 1).all() and moved() == (128, 256, 0, 0, 0)
        values = np.arange(1, 65)
        values[32:48], values[:4] = np.arange(1, 17), 5
        assert (words(a) == values).all()
        """
    )
    assert errors == ""


def test_parts_mappings_migrations_and_releases() -> None:
    errors = run(
        """
        whole = new(range(256))
        low, high = whole.get_sub_region(0, 512), whole.get_sub_region(512, 512)
        # Halves on two devices at once, again and again: neither disturbs the other.
        user = cl.UserEvent(context)
        for _ in range(4):
            add(home, (128,), (16,), low, np.int32(1), wait_for=[user])
            add(remote, (128,), (16,), high, np.int32(10), wait_for=[user])
        home.flush(), remote.flush()
        user.set_status(0)
        assert moved() == (512, 0, 0, 0, 0)
        expected = np.arange(256) + np.repeat([4, 40], 128)
        view, _ = cl.enqueue_map_buffer(home, whole, cl.map_flags.READ, 0, (256,), np.int32)
        assert (view == expected).all()
        view.base.release(home)
        assert moved() == (0, 512, 0, 0, 0)
        view, _ = cl.enqueue_map_buffer(home, whole, cl.map_flags.WRITE, 0, (128,), np.int32)
        view[:] = expected[:128] = -3
        view.base.release(home)
        run(remote, add, whole, np.int32(1), n=256)                      # the upper half is still there
        expected += 1
        assert moved() == (512, 0, 0, 0, 0)
        discards = cl.map_flags.WRITE_INVALIDATE_REGION
        view, _ = cl.enqueue_map_buffer(home, whole, discards, 512, (128,), np.int32)
        view[:] = expected[128:] = 9
        view.base.release(home)
        assert moved() == (0, 0, 0, 0, 0)
        assert (words(whole) == expected).all() and moved() == (0, 512, 0, 0, 0)

        host, undefined = cl.mem_migration_flags.HOST, cl.mem_migration_flags.CONTENT_UNDEFINED
        cl.enqueue_migrate_mem_objects(remote, [low, high])              # the lower half is valid in both
        assert moved() == (512, 0, 0, 0, 0)
        run(remote, add, whole, np.int32(1), n=256)
        cl.enqueue_migrate_mem_objects(remote, [low], host)
        assert moved() == (0, 512, 0, 0, 0)
        cl.enqueue_migrate_mem_objects(home, [whole])
        assert moved() == (0, 512, 0, 0, 0)
        assert (words(whole) == expected + 1).all() and moved() == (0, 0, 0, 0, 0)
        fresh = cl.Buffer(context, 0, 256)
        cl.enqueue_migrate_mem_objects(remote, [fresh], undefined)
        cl.enqueue_fill_buffer(remote, fresh, np.int32(1), 0, 256)
        assert moved() == (0, 0, 0, 256, 0)
        run(remote, add, fresh, np.int32(1))
        assert (words(fresh) == 2).all() and moved() == (0, 256, 0, 0, 0)

        assert HEAP.statistics()["buffers"].chunks == 2
        del view, low, high, whole, fresh
        finish()
        assert HEAP.statistics()["buffers"].allocated == 0

        # The client's memory, which a kernel at home could reach without the buffer.
        mine = np.arange(64, dtype=np.int32)
        buffer = cl.Buffer(context, flags.USE_HOST_PTR, hostbuf=mine)
        run(remote, add, buffer, np.int32(1))
        assert moved() == (256, 256, 0, 0, 0) and (mine == np.arange(1, 65)).all()
        shared = cl.SVM(cl.svm_empty(context, cl.svm_mem_flags.READ_WRITE, 64, np.int32))
        shared.mem[:] = 1
        run(remote, add, shared, np.int32(1)).wait()
        assert (shared.mem == 2).all() and HEAP.statistics()["buffers"].allocated == 0
        """
    )
    assert errors == ""


def test_a_full_memory_gives_copies_up_and_a_copy_that_cannot_fit_fails_the_launch() -> None:
    errors = run(
        """
        size = 20 << 20
        buffers = [cl.Buffer(context, 0, size) for _ in range(4)]
        for k, buffer in enumerate(buffers):
            cl.enqueue_fill_buffer(home, buffer, np.int32(k), 0, size)
        zero = new([0] * 64)
        finish()
        run(remote, add_all, buffers[0], buffers[1], zero)               # of the second nothing is written
        assert moved() == (2 * size + 256, 0, 0, 0, 0)
        run(remote, add, buffers[2], np.int32(1))                        # so that one goes
        assert moved() == (size, 0, 0, 0, 1)
        run(remote, add, buffers[3], np.int32(1))    # now the zeros, and the oldest, which is written back
        assert moved() == (size, size, 0, 0, 2)
        for k, buffer in enumerate(buffers):
            found = np.empty(65, np.int32)
            cl.enqueue_copy(home, found, buffer)
            assert (found[:64] == (1, 1, 3, 4)[k]).all() and found[64] == k, (k, found)
        event = add_all(remote, (64,), (16,), *buffers[:3])              # 60 MiB at once
        try:
            remote.finish()
        except cl.RuntimeError as error:
            assert error.code == event.command_execution_status == -5
        after = cl.enqueue_fill_buffer(remote, buffers[0], np.int32(9), 0, size, wait_for=[event])
        remote.finish()
        assert after.command_execution_status == -14
        run(remote, add, buffers[0], np.int32(1))
        assert (words(buffers[0])[:65] == [2] * 64 + [0]).all()
        # Another context has the same memory to share.
        other = cl.Context([tta])
        queue = cl.CommandQueue(other, tta)
        more = [cl.Buffer(other, 0, size) for _ in range(3)]
        for k, buffer in enumerate(more):
            cl.enqueue_fill_buffer(queue, buffer, np.int32(k), 0, size)
            cl.Kernel(cl.Program(other, source).build(), "add")(queue, (64,), (16,), buffer, np.int32(1))
        for k, buffer in enumerate(more):
            assert (words(buffer, queue)[[0, 64]] == (k + 1, k)).all()
        assert (words(buffers[3])[:65] == [4] * 64 + [3]).all()
        """
    )
    assert errors.startswith("weft: kernel 'sum': the device's memory is full: ") and errors.count("\n") == 1


def test_command_buffers_native_kernels_images_and_queues_out_of_order() -> None:
    errors = run(
        """
        import os, sys
        sys.path.insert(0, os.environ["TESTS"])
        from api_support import NULL, address, check, create, ffi, handles, sizes
        from weft.device._pool import lib
        a, b = new(range(64)), new([0] * 64)
        expected = np.arange(64)
        # A command buffer at home, whose commands find their buffer on the device each time.
        add.set_args(a, np.int32(100))
        recorded = create("clCreateCommandBufferKHR", 1, handles(home.int_ptr), NULL)
        rest = 0, NULL, NULL, NULL
        check("clCommandNDRangeKernelKHR", recorded, 0, NULL, add.int_ptr, 1, NULL, sizes(64), NULL, *rest)
        check("clCommandCopyBufferKHR", recorded, 0, NULL, a.int_ptr, b.int_ptr, 0, 0, 256, *rest)
        check("clFinalizeCommandBufferKHR", recorded)
        for _ in range(3):
            run(remote, add, a, np.int32(1)).wait()
            check("clEnqueueCommandBufferKHR", 0, NULL, recorded, 0, NULL, NULL)
            home.finish()
        expected += 303
        assert moved() == (3 * 256, 3 * 256, 0, 0, 0)
        assert (words(a) == expected).all() and (words(b) == expected).all()
        # A function of the client.
        run(remote, add, a, np.int32(1))
        finish()
        arguments = ffi.new("uint64_t[]", [0, 77])
        listed = 1, handles(a.int_ptr), handles(address(arguments)), 0, NULL, NULL
        store = lib.weft_test_function(b"native_store")
        check("clEnqueueNativeKernel", home.int_ptr, store, address(arguments), 16, *listed)
        expected += 1
        expected[:2] = 77, 0
        assert (words(a) == expected).all()
        # An image that is a buffer.
        run(remote, add, a, np.int32(1))
        finish()
        form = cl.ImageFormat(cl.channel_order.R, cl.channel_type.SIGNED_INT32)
        image = cl.Image(context, flags.READ_WRITE, form, shape=(64,), buffer=a)
        text = '''kernel void negate(read_only image1d_buffer_t a, global int *b) {
            b[get_global_id(0)] = -read_imagei(a, (int)get_global_id(0)).x; }'''
        (cpu,) = [d for d in context.devices if d != tta]
        negate = cl.Kernel(cl.Program(context, text).build(devices=[cpu]), "negate")
        run(home, negate, image, b)
        assert (words(b) == -(expected + 1)).all()
        # Queues out of order: chains of launches, each on both devices in turn.
        free = cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE
        ends = [cl.CommandQueue(context, d, free) for d in context.devices]
        chains = [(new([k] * 64), []) for k in range(6)]
        for step in range(6):
            for k, (buffer, events) in enumerate(chains):
                queue = ends[(k + step) % 2]
                one = cl.Kernel(program, "add")
                events.append(one(queue, (64,), (16,), buffer, np.int32(step), wait_for=events[-1:]))
                queue.flush()
        for queue in ends:
            queue.finish()
        for k, (buffer, _) in enumerate(chains):
            assert (words(buffer) == k + 15).all()
        """,
        TESTS=os.path.dirname(__file__),
    )
    assert errors == ""


def test_the_child_of_a_fork_has_copies_of_its_own() -> None:
    errors = run(
        """
        import os
        a = new(range(64))
        run(remote, add, a, np.int32(1))
        remote.finish()
        child = os.fork()
        if not child:
            try:
                run(remote, add, a, np.int32(1))
                good = (words(a) == np.arange(2, 66)).all()
            finally:
                os._exit(0 if good else 1)
        assert os.waitpid(child, 0)[1] == 0
        assert (words(a) == np.arange(1, 65)).all()
        """
    )
    assert errors == ""


def test_a_handler_of_a_signal_may_wait_for_commands_while_bytes_move() -> None:
    errors = run(
        """
        import faulthandler, os, signal, threading, time
        faulthandler.dump_traceback_later(120, exit=True)
        buffers = [new(range(64)) for _ in range(2)]
        inner = {q: (cl.CommandQueue(context, q.device), cl.Kernel(program, "add")) for q in (home, remote)}
        for queue, kernel in inner.values():      # nothing is left to compile
            run(queue, kernel, buffers[0], np.int32(0))
            run(queue, add, buffers[0], np.int32(0))
            queue.finish()
        handled, waiting = 0, False

        def handle(*_):
            global handled, waiting
            if waiting:                           # in other calls the driver may hold locks of its own
                waiting = False
                for queue, kernel in inner.values():
                    run(queue, kernel, buffers[1], np.int32(1))
                    queue.finish()
                handled += 1

        def send(which):
            while not ended:
                os.kill(os.getpid(), which)
                time.sleep(0.003)

        ended, rounds, until = False, 0, time.monotonic() + 2
        which = signal.SIGALRM, signal.SIGWINCH
        for one in which:
            signal.signal(one, handle)
        senders = [threading.Thread(target=send, args=(one,)) for one in which]
        for sender in senders:
            sender.start()
        while time.monotonic() < until or handled < 20:
            for queue in (remote, home):
                run(queue, add, buffers[0], np.int32(1))
                waiting = True
                queue.finish()
                waiting = False
            rounds += 1
        ended = True
        for sender in senders:
            sender.join()
        assert (words(buffers[0]) == np.arange(64) + 2 * rounds).all()
        assert (words(buffers[1]) == np.arange(64) + 2 * handled).all()
        """
    )
    assert errors == ""
