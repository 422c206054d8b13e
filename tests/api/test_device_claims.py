"""What each device says of itself is so: a client's program tries it, in a process of its own."""

import os
import subprocess
import sys

import pytest

from weft.device.base import KINDS
from weft.device.emulators import EMULATORS

PROGRAM = r"""
import warnings
warnings.simplefilter("ignore")
import numpy as np, pyopencl as cl
from weft.abi import SUB_GROUP_SIZES

(platform,) = [p for p in cl.get_platforms() if p.name == "Weft"]
(device,) = platform.get_devices()
context = cl.Context([device])
queue = cl.CommandQueue(context, properties=cl.command_queue_properties.PROFILING_ENABLE)
flags = cl.mem_flags
extensions = set(device.extensions.split())
features = {f.name for f in device.opencl_c_features}
code = cl.status_code
random = np.random.default_rng(5)


def kernel(source, name, options="-cl-std=CL3.0"):
    return cl.Kernel(cl.Program(context, source).build(options), name)


def fails(errors, call, *arguments):
    try:
        call(*arguments)
    except cl.Error as error:
        assert error.code in errors, error
    else:
        raise AssertionError("it did not fail")


def buffer_of(array):
    return cl.Buffer(context, flags.COPY_HOST_PTR, hostbuf=array)


def read(buffer, like):
    found = np.empty_like(like)
    cl.enqueue_copy(queue, found, buffer)
    return found


# Sizes: the largest buffer, the largest work-group, all local memory.
whole = cl.Buffer(context, 0, device.max_mem_alloc_size)
ends = np.array([5, 6], np.uint8)
cl.enqueue_copy(queue, whole, ends[:1], dst_offset=0)
cl.enqueue_copy(queue, whole, ends[1:], dst_offset=device.max_mem_alloc_size - 1)
touch = kernel("kernel void touch(global uchar *a, ulong n) { a[0] += 1; a[n - 1] += 1; }", "touch")
touch(queue, (1,), None, whole, np.uint64(device.max_mem_alloc_size))
found = np.zeros(2, np.uint8)
cl.enqueue_copy(queue, found[:1], whole, src_offset=0)
cl.enqueue_copy(queue, found[1:], whole, src_offset=device.max_mem_alloc_size - 1)
assert (found == ends + 1).all(), found
whole.release()
fails([code.INVALID_BUFFER_SIZE], cl.Buffer, context, 0, device.max_mem_alloc_size + 1)
assert device.global_mem_size >= device.max_mem_alloc_size

# Packets of a pipe come out in the order in which a work-item writes them, where there are pipes.
pipes = "__opencl_c_pipes" in features
assert pipes == bool(device.get_info(0x1071)) == bool(device.get_info(0x1057))
if pipes:
    write = kernel(
        "kernel void w(write_only pipe int p) { for (int i = 0; i < 9; i++) write_pipe(p, &i); }", "w"
    )
    read_packets = kernel('''
        kernel void r(read_only pipe int p, global int *a) {
            for (int i = 0; i < 9; i++)
                read_pipe(p, &a[i]);
        }''', "r")
    pipe, packets = cl.Pipe(context, 0, 4, 7), buffer_of(np.full(9, 50, np.int32))
    write(queue, (1,), None, pipe)
    read_packets(queue, (1,), None, pipe, packets)
    assert read(packets, np.zeros(9, np.int32)).tolist() == [0, 1, 2, 3, 4, 5, 6, 50, 50]
else:
    fails([code.INVALID_OPERATION], cl.Pipe, context, 0, 4, 4)
    fails([code.BUILD_PROGRAM_FAILURE], kernel, "kernel void k(read_only pipe int p) {}", "k")

# Generic pointers know where they point to, and the device says so.
generic = "__opencl_c_generic_address_space" in features
assert generic == bool(device.get_info(0x1069))
if generic:
    where = kernel('''
        kernel void where(global int *a, local int *l) {
            int i = get_global_id(0), own = 1;
            int *p = i % 3 == 0 ? (int *)&own : i % 3 == 1 ? (int *)l : (int *)(a + i);
            a[i] = (to_private(p) == p) + 2 * (to_local(p) == p) + 4 * (to_global(p) == p);
        }''', "where")
    places = buffer_of(np.zeros(8, np.int32))
    where(queue, (8,), (4,), places, cl.LocalMemory(16))
    assert read(places, np.zeros(8, np.int32)).tolist() == [1, 2, 4, 1, 2, 4, 1, 2]
else:
    fails([code.BUILD_PROGRAM_FAILURE], kernel, "void f(int *p) { to_local(p); } kernel void k() {}", "k")

dots = "cl_khr_integer_dot_product" in extensions
assert dots == ("__opencl_c_integer_dot_product_input_4x8bit_packed" in features)
dot_source = "kernel void sum(global int *a) { a[0] = dot_4x8packed_ss_int(a[0], a[1]); }"
if dots:
    two = buffer_of(np.array([0x01020304, 0x01FF0102], np.uint32))
    kernel(dot_source, "sum")(queue, (1,), None, two)
    assert read(two, np.zeros(2, np.int32))[0] == 4 * 2 + 3 * 1 - 2 + 1
else:
    fails([code.BUILD_PROGRAM_FAILURE], kernel, dot_source, "sum")

clocks = "cl_khr_kernel_clock" in extensions
scopes = "device", "sub_group", "work_group"
assert [f"__opencl_c_kernel_clock_scope_{name}" in features for name in scopes] == [clocks] * 3
clock_source = "kernel void tell(global ulong *a) { a[0] = clock_read_device(); }"
if clocks:
    first, second = (buffer_of(np.zeros(1, np.uint64)) for _ in range(2))
    tell = kernel(clock_source, "tell")
    tell(queue, (1,), None, first)
    tell(queue, (1,), None, second)
    assert 0 < read(first, np.zeros(1, np.uint64))[0] < read(second, np.zeros(1, np.uint64))[0]
else:
    fails([code.BUILD_PROGRAM_FAILURE], kernel, clock_source, "tell")

items, words = device.max_work_group_size, device.local_mem_size // 4
turn = kernel('''
    kernel void turn(global int *a, local int *l, int words) {
        int i = get_local_id(0), n = get_local_size(0);
        for (int k = i; k < words; k += n) l[k] = k;
        barrier(CLK_LOCAL_MEM_FENCE);
        int sum = 0;
        for (int k = words - 1 - i; k >= 0; k -= n) sum += l[k];
        a[get_global_id(0)] = sum;
    }''', "turn")
sums = buffer_of(np.zeros(items, np.int32))
turn(queue, (items,), (items,), sums, cl.LocalMemory(4 * words), np.int32(words))
expected = [np.arange(words - 1 - i, -1, -items, dtype=np.int64).sum() for i in range(items)]
assert (read(sums, np.zeros(items, np.int32)) == np.array(expected).astype(np.int32)).all()
one = np.int32(1)
fails([code.INVALID_WORK_GROUP_SIZE, code.INVALID_WORK_ITEM_SIZE],
      turn, queue, (2 * items,), (2 * items,), sums, cl.LocalMemory(4), one)
fails([code.OUT_OF_RESOURCES, code.INVALID_KERNEL_ARGS, code.INVALID_ARG_SIZE],
      turn, queue, (items,), (items,), sums, cl.LocalMemory(4 * words + 4096), one)

# Arithmetic.
a, b, d = (random.standard_normal(64).astype(np.float32) for _ in range(3))
result = buffer_of(np.zeros(64, np.float32))
fused = device.single_fp_config & cl.device_fp_config.FMA
if fused:
    product = kernel("kernel void k(global float *r, global float *a, global float *b, global float *d) {"
                     " int i = get_global_id(0); r[i] = fma(a[i], b[i], d[i]); }", "k")
    product(queue, (64,), None, result, buffer_of(a), buffer_of(b), buffer_of(d))
    exact = (a.astype(np.longdouble) * b + d).astype(np.float32)
    assert (read(result, a) == exact).all()
if device.single_fp_config & cl.device_fp_config.CORRECTLY_ROUNDED_DIVIDE_SQRT:
    quotient = kernel("kernel void k(global float *r, global float *a, global float *b) {"
                      " int i = get_global_id(0); r[i] = a[i] / b[i] + sqrt(fabs(a[i])); }", "k",
                      "-cl-std=CL3.0 -cl-fp32-correctly-rounded-divide-sqrt -cl-opt-disable")
    quotient(queue, (64,), None, result, buffer_of(a), buffer_of(b))
    assert (read(result, a) == a / b + np.sqrt(np.abs(a))).all()
if device.single_fp_config & cl.device_fp_config.DENORM:
    tiny = np.full(64, 1e-39, np.float32)
    halved = kernel("kernel void k(global float *r) { r[get_global_id(0)] *= 0.5f; }", "k")
    small = buffer_of(tiny)
    halved(queue, (64,), None, small)
    assert (read(small, tiny) == tiny * np.float32(0.5)).all() and tiny[0] > 0
wide = "kernel void k(global {0} *a) {{ a[get_global_id(0)] = a[get_global_id(0)] * ({0})3; }}"
for name, type, there in (("double", np.float64, "cl_khr_fp64" in extensions),
                          ("half", np.float16, "cl_khr_fp16" in extensions),
                          ("long", np.int64, "__opencl_c_int64" in features)):
    source = ("#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n" if name == "half" else "") + wide.format(name)
    widths = [getattr(device, f"{kind}_vector_width_{name}") for kind in ("preferred", "native")]
    if not there:
        fails([code.BUILD_PROGRAM_FAILURE], kernel, source, "k")
        assert widths == [0, 0]
        continue
    values = (random.standard_normal(64) * 100).astype(type)
    changed = buffer_of(values)
    kernel(source, "k")(queue, (64,), None, changed)
    assert (read(changed, values) == values * type(3)).all(), name
    assert min(widths) >= 1
assert device.double_fp_config == 0 or "cl_khr_fp64" in extensions
assert device.address_bits == 64 and device.endian_little

# Sub-groups, images, output, intermediate language, shared memory: there, or refused.
has_groups = "__opencl_c_subgroups" in features
assert (device.max_num_sub_groups > 0) == has_groups
if has_groups:
    count = kernel(f"__attribute__((intel_reqd_sub_group_size({min(SUB_GROUP_SIZES)})))"
                   " kernel void k(global uint *a) { a[get_global_id(0)] = get_num_sub_groups(); }", "k")
    counted = buffer_of(np.zeros(items, np.uint32))
    count(queue, (items,), (items,), counted)
    assert (read(counted, np.zeros(items, np.uint32)) == device.max_num_sub_groups).all()

flip = '''
kernel void flip(read_only image2d_t from, write_only image3d_t to, read_write image2d_t both) {
    int x = get_global_id(0), y = get_global_id(1);
    const sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
    write_imageui(to, (int4)(y, x, 1, 0), read_imageui(from, nearest, (int2)(x, y)));
    write_imageui(both, (int2)(x, y), read_imageui(both, (int2)(x, y)) + 1);
}'''
if device.image_support:
    assert device.image2d_max_width >= 2048 and device.max_samplers >= 8
    assert {"__opencl_c_images", "__opencl_c_read_write_images", "__opencl_c_3d_image_writes"} <= features
    form = cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.UNSIGNED_INT8)
    pixels = random.integers(0, 255, (16, 16, 4)).astype(np.uint8)
    first = cl.Image(context, flags.COPY_HOST_PTR, form, (16, 16), hostbuf=pixels)
    second = cl.Image(context, 0, form, (16, 16, 2))
    third = cl.Image(context, flags.COPY_HOST_PTR, form, (16, 16), hostbuf=pixels)
    kernel(flip, "flip")(queue, (16, 16), None, first, second, third)
    turned = np.empty((1, 16, 16, 4), np.uint8)
    cl.enqueue_copy(queue, turned, second, origin=(0, 0, 1), region=(16, 16, 1))
    assert (turned[0] == pixels.transpose(1, 0, 2)).all()
    changed = np.empty_like(pixels)
    cl.enqueue_copy(queue, changed, third, origin=(0, 0), region=(16, 16))
    assert (changed == pixels + 1).all()
else:
    assert device.max_read_image_args == device.image2d_max_width == device.max_samplers == 0
    fails([code.BUILD_PROGRAM_FAILURE], kernel, flip, "flip")
    form = cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.UNSIGNED_INT8)
    fails([code.INVALID_OPERATION], cl.Image, context, 0, form, (16, 16))

if device.profile == "FULL_PROFILE":  # pyopencl asks for the size of printf's buffer with too little room
    kernel('kernel void say(int n) { printf("said %d\\n", n + (int)get_global_id(0)); }', "say")(
        queue, (1,), None, np.int32(41)).wait()
else:
    print("said 41", flush=True)

sharing = device.svm_capabilities
double = kernel("kernel void k(global int *a) { a[get_global_id(0)] *= 2; }", "k")
for needed, allocate in ((cl.device_svm_capabilities.COARSE_GRAIN_BUFFER, cl.csvm_empty),
                         (cl.device_svm_capabilities.FINE_GRAIN_BUFFER, cl.fsvm_empty)):
    if not sharing & needed:
        fails([code.INVALID_OPERATION, code.OUT_OF_RESOURCES, code.INVALID_VALUE],
              allocate, context, (64,), np.int32)
        continue
    shared = allocate(context, (64,), np.int32)
    with cl.SVM(shared).map_rw(queue) as there:
        there[:] = np.arange(64)
    double(queue, (64,), None, cl.SVM(shared)).wait()
    with cl.SVM(shared).map_ro(queue) as there:
        assert (there == 2 * np.arange(64)).all()

# The version, and what each one promises.
newest = device.version.startswith("OpenCL 3.1 Weft ")
assert newest or device.version.startswith("OpenCL 3.0 Weft ")
languages = [v.version >> 12 for v in device.opencl_c_all_versions]  # without the patch
assert languages == [1 << 10, 1 << 10 | 1, 1 << 10 | 2, 3 << 10, *([3 << 10 | 1] if newest else [])]
assert device.numeric_version >> 12 == languages[-1]
required = {f"cl_khr_{name}" for name in (
    "device_uuid extended_bit_ops integer_dot_product spirv_queries subgroup_extended_types subgroup_rotate "
    "subgroup_shuffle subgroup_shuffle_relative suggested_local_work_size").split()}
assert newest == (has_groups and required <= extensions)
if newest:
    assert device.il_version.split()[:5] == [f"SPIR-V_1.{minor}" for minor in range(5)]
    promoted = '''
    #if __OPENCL_C_VERSION__ != 310 || __OPENCL_VERSION__ != 310 || CL_VERSION_3_1 != 310
    #error another version
    #endif
    kernel void k(global int *out, local int *none) {
        uint i = get_sub_group_local_id();
        int sum = sub_group_reduce_add((short)i) + sub_group_shuffle((char)i, 1);
        sum += 10 * sub_group_shuffle_xor(i, 1) + 100 * sub_group_shuffle_up(i, 0);
        sum += 1000 * sub_group_shuffle_down(i, 0) + 10000 * sub_group_rotate(i, 1);
        sum += bit_reverse(bitfield_insert(0u, 1u, 31, 1)) + bitfield_extract_signed(4, 2, 1);
        out[get_global_id(0)] = sum + 100000 * dot((uchar4)(1, 0, 0, 0), (uchar4)(1, 2, 3, 4));
    }'''
    n = 4
    at = np.arange(n)
    expected = n * (n - 1) // 2 + 1 + 10 * (at ^ 1) + 1100 * at + 10000 * ((at + 1) % n) + 100000
    found = buffer_of(np.zeros(n, np.int32))
    kernel(promoted, "k", "-cl-std=CL3.1")(queue, (n,), (n,), found, cl.LocalMemory(0))
    assert (read(found, np.zeros(n, np.int32)) == expected).all()
    if device.profile == "FULL_PROFILE":
        sizes = kernel('kernel void say(ulong n) { printf("%zu %tx %zd %ti\\n", (size_t)n << 32,'
                       ' (ptrdiff_t)n << 33, ~(size_t)0, -(ptrdiff_t)n); }', "say", "-cl-std=CL3.1")
        sizes(queue, (1,), None, np.uint64(3)).wait()
else:
    fails([code.INVALID_BUILD_OPTIONS, code.BUILD_PROGRAM_FAILURE], kernel,
          "kernel void k() {}", "k", "-cl-std=CL3.1")
    print("12884901888 600000000 -1 -3", flush=True)

cxx_source = '''
template<typename T> T twice(const T &a) { return 2 * a; }
kernel void k(global int *a) { a[0] = twice(__OPENCL_CPP_VERSION__); }'''
if "cl_ext_cxx_for_opencl" in extensions:
    doubled = buffer_of(np.zeros(1, np.int32))
    kernel(cxx_source, "k", "-cl-std=CLC++")(queue, (1,), None, doubled)
    assert read(doubled, np.zeros(1, np.int32))[0] == 200
else:
    fails([code.INVALID_BUILD_OPTIONS, code.BUILD_PROGRAM_FAILURE], kernel, cxx_source, "k", "-cl-std=CLC++")

# Time, in steps of the clock's.
event = double(queue, (64,), None, buffer_of(np.arange(64, dtype=np.int32)))
event.wait()
took = event.profile.end - event.profile.start
assert took > 0 and took % device.profiling_timer_resolution == 0
print("tried", device.name, device.max_compute_units, device.max_clock_frequency, device.vendor)
"""


# Servers of devices in emulators are compiled at their first use.
SLOW = (*EMULATORS, "basic")


@pytest.mark.parametrize(
    "kind", [pytest.param(k, marks=pytest.mark.slow if k in SLOW else ()) for k in KINDS]
)
def test_device_is_as_it_says(kind: str) -> None:
    environment = {**os.environ, "WEFT_DEVICES": kind, "PYOPENCL_NO_CACHE": "1"}
    command = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("said 41\n12884901888 600000000 -1 -3\n")
    assert f"tried {kind}-" in done.stdout
