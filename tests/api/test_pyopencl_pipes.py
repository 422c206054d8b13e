"""Pipes through pyopencl, on every device that has them: packets go from one kernel to another."""

import numpy as np
import pyopencl as cl
import pytest

SOURCE = """
kernel void produce(global const int *source, write_only pipe int to, global int *results) {
    size_t i = get_global_id(0);
    results[i] = write_pipe(to, &source[i]);
}

kernel void consume(read_only pipe int from, global int *target, global int *results) {
    size_t i = get_global_id(0);
    results[i] = read_pipe(from, &target[i]);
}

kernel void produce_as_one(global const int *source, write_only pipe int to, global int *results) {
    size_t i = get_global_id(0);
    reserve_id_t id = work_group_reserve_write_pipe(to, get_local_size(0));
    results[i] = -2;
    if (is_valid_reserve_id(id)) {
        results[i] = write_pipe(to, id, get_local_id(0), &source[i]);
        work_group_commit_write_pipe(to, id);
    }
}

kernel void consume_as_sub_groups(read_only pipe int from, global int *target, global int *results) {
    size_t i = get_global_id(0);
    reserve_id_t id = sub_group_reserve_read_pipe(from, get_sub_group_size());
    results[i] = -2;
    if (is_valid_reserve_id(id)) {
        results[i] = read_pipe(from, id, get_sub_group_local_id(), &target[i]);
        sub_group_commit_read_pipe(from, id);
    }
}

kernel void count(read_only pipe int from, global uint *counts) {
    counts[0] = get_pipe_num_packets(from);
    counts[1] = get_pipe_max_packets(from);
}
"""


def devices_with_pipes() -> list[cl.Device]:
    (platform,) = [p for p in cl.get_platforms() if p.name == "Weft"]
    return [d for d in platform.get_devices() if d.get_info(0x1071)]


class Pipes:
    """A queue with the kernels of SOURCE."""

    def __init__(self, device: cl.Device) -> None:
        self.context = cl.Context([device])
        self.queue = cl.CommandQueue(self.context)
        program = cl.Program(self.context, SOURCE).build(["-cl-std=CL3.0"])
        self.kernels = {kernel.function_name: kernel for kernel in program.all_kernels()}

    def pipe(self, packets: int) -> cl.Pipe:
        return cl.Pipe(self.context, 0, 4, packets)

    def buffer(self, array: np.ndarray) -> cl.Buffer:
        return cl.Buffer(self.context, cl.mem_flags.COPY_HOST_PTR, hostbuf=array)

    def produce(
        self, pipe: cl.Pipe, values: np.ndarray, name: str = "produce", local: int | None = None
    ) -> np.ndarray:
        results = self.buffer(np.full(len(values), 7, np.int32))
        size = None if local is None else (local,)
        self.kernels[name](self.queue, values.shape, size, self.buffer(values), pipe, results)
        return self.read(results, len(values))

    def consume(
        self, pipe: cl.Pipe, count: int, name: str = "consume", local: int | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        target, results = (self.buffer(np.full(count, -1, np.int32)) for _ in range(2))
        size = None if local is None else (local,)
        self.kernels[name](self.queue, (count,), size, pipe, target, results)
        return self.read(target, count), self.read(results, count)

    def count(self, pipe: cl.Pipe) -> list[int]:
        counts = self.buffer(np.zeros(2, np.int32))
        self.kernels["count"](self.queue, (1,), None, pipe, counts)
        return self.read(counts, 2).tolist()

    def read(self, buffer: cl.Buffer, count: int) -> np.ndarray:
        found = np.empty(count, np.int32)
        cl.enqueue_copy(self.queue, found, buffer)
        return found


@pytest.fixture(scope="module", params=[d.name for d in devices_with_pipes()])
def pipes(request: pytest.FixtureRequest) -> Pipes:
    return Pipes(next(d for d in devices_with_pipes() if d.name == request.param))


def test_each_work_item_gets_a_packet_of_its_own(pipes: Pipes) -> None:
    pipe = pipes.pipe(50_000)
    for start in range(3):  # the later rounds go over the end of the memory
        values = np.arange(40_000, dtype=np.int32) + start
        assert (pipes.produce(pipe, values) == 0).all()
        assert pipes.count(pipe) == [40_000, 50_000]
        found, results = pipes.consume(pipe, len(values))
        assert (results == 0).all()
        np.testing.assert_array_equal(np.sort(found), values)
    assert pipes.count(pipe) == [0, 50_000]


def test_full_and_empty_pipes_refuse(pipes: Pipes) -> None:
    pipe = pipes.pipe(100)
    assert (pipes.consume(pipe, 10)[1] < 0).all()
    results = pipes.produce(pipe, np.arange(300, dtype=np.int32))
    assert (results == 0).sum() == 100
    assert (results < 0).sum() == 200
    assert (pipes.produce(pipe, np.zeros(2, np.int32)) < 0).all()
    found, results = pipes.consume(pipe, 130)
    assert (results == 0).sum() == 100
    assert (found[results < 0] == -1).all()
    assert len(set(found[results == 0])) == 100


def test_groups_write_and_read_their_packets_in_order(pipes: Pipes) -> None:
    pipe = pipes.pipe(1000)
    values = np.arange(960, dtype=np.int32)
    assert (pipes.produce(pipe, values, "produce_as_one", 32) == 0).all()
    assert (pipes.produce(pipe, values[:64], "produce_as_one", 64) == -2).all()
    found, results = pipes.consume(pipe, 960, "consume_as_sub_groups", 32)
    assert (results == 0).all()
    parts = found.reshape(-1, 16)  # of a sub-group
    np.testing.assert_array_equal(parts - parts[:, :1], np.tile(np.arange(16), (60, 1)))
    np.testing.assert_array_equal(np.sort(found), values)


def test_packets_of_the_wrong_size_are_refused(pipes: Pipes) -> None:
    narrow = cl.Pipe(pipes.context, 0, 2, 100)
    assert (pipes.produce(narrow, np.zeros(8, np.int32)) < 0).all()
    assert pipes.count(narrow) == [0, 100]


def test_packets_of_no_bytes_are_refused(pipes: Pipes) -> None:
    source = """
    typedef struct {} Empty;
    kernel void k(read_only pipe Empty from, global int *result) {
        Empty packet;
        *result = read_pipe(from, &packet);
    }
    """
    result = pipes.buffer(np.array([7], np.int32))
    program = cl.Program(pipes.context, source).build(["-cl-std=CL3.0"])
    program.k(pipes.queue, (1,), None, pipes.pipe(4), result)
    assert pipes.read(result, 1) < 0


def test_kernels_that_run_at_the_same_time_share_a_pipe(pipes: Pipes) -> None:
    pipe, other = pipes.pipe(64), cl.CommandQueue(pipes.context)
    values = np.arange(5000, dtype=np.int32)
    source, written = pipes.buffer(values), pipes.buffer(np.zeros_like(values))
    target, read = pipes.buffer(np.full_like(values, -1)), pipes.buffer(np.zeros_like(values))
    pipes.kernels["produce"](pipes.queue, values.shape, None, source, pipe, written)
    pipes.kernels["consume"](other, values.shape, None, pipe, target, read)
    pipes.queue.finish()
    other.finish()
    sent = values[pipes.read(written, len(values)) == 0]
    found = pipes.read(target, len(values))[pipes.read(read, len(values)) == 0]
    left = pipes.count(pipe)[0]
    assert len(found) + left == len(sent)
    rest, _ = pipes.consume(pipe, left) if left else (np.empty(0, np.int32), None)
    np.testing.assert_array_equal(np.sort(np.concatenate((found, rest))), sent)


def test_functions_of_pipes_are_linked_from_several_objects() -> None:
    context = cl.Context([devices_with_pipes()[0]])
    helper = "int take(read_only pipe int p, global int *to) { return read_pipe(p, to); }"
    kernel = """
    int take(read_only pipe int p, global int *to);
    kernel void k(read_only pipe int p, global int *to) { to[1] = take(p, to) + 10 * read_pipe(p, to); }
    """
    objects = [cl.Program(context, text).compile(["-cl-std=CL3.0"]) for text in (helper, kernel)]
    queue, linked = cl.CommandQueue(context), cl.link_program(context, objects)
    found = np.array([5, 5], np.int32)
    buffer = cl.Buffer(context, cl.mem_flags.COPY_HOST_PTR, hostbuf=found)
    linked.k(queue, (1,), None, cl.Pipe(context, 0, 4, 4), buffer)
    cl.enqueue_copy(queue, found, buffer)
    assert found.tolist() == [5, -11]
