"""In the manner of Parboil: magnetic resonance imaging, and motion estimation in video."""

import numpy as np

from bench.case import Case, Launch, case

MRI_Q = """
struct Sample { float x, y, z, magnitude; };

__kernel void magnitudes(__global const float *real, __global const float *imaginary,
                         __global float *result) {
    int i = get_global_id(0);
    result[i] = real[i] * real[i] + imaginary[i] * imaginary[i];
}

__kernel void compute_q(__constant struct Sample *samples, int count, __global const float *x,
                        __global const float *y, __global const float *z, __global float *q_real,
                        __global float *q_imaginary) {
    int i = get_global_id(0);
    float px = x[i], py = y[i], pz = z[i], re = 0.0f, im = 0.0f;
    for (int k = 0; k < count; k++) {
        float angle = 6.2831853f * (samples[k].x * px + samples[k].y * py + samples[k].z * pz);
        re += samples[k].magnitude * cos(angle);
        im += samples[k].magnitude * sin(angle);
    }
    q_real[i] += re;
    q_imaginary[i] += im;
}
"""


@case("parboil/mri-q", sizes={"points": 4096, "samples": 512}, small={"points": 256, "samples": 16})
def mri_q(random: np.random.Generator, points: int, samples: int) -> Case:
    """A sum of sines and cosines per point, with the samples in constant memory."""
    table = random.random((samples, 4), np.float32)
    place = random.random((3, points), np.float32)
    signal = random.random((2, points), np.float32)
    angles = 2 * np.pi * (table[:, :3].astype(np.float64) @ place)
    zero = np.zeros(points, np.float32)
    arguments = ("samples", np.int32(samples), "x", "y", "z", "re", "im")
    buffers = {"samples": table, "x": place[0], "y": place[1], "z": place[2], "re": zero, "im": zero}
    buffers |= {"real": signal[0], "imaginary": signal[1], "magnitudes": zero}
    expected = {
        "re": (table[:, 3] @ np.cos(angles)).astype(np.float32),
        "im": (table[:, 3] @ np.sin(angles)).astype(np.float32),
        "magnitudes": signal[0] ** 2 + signal[1] ** 2,
    }
    launches = [
        Launch("magnitudes", ("real", "imaginary", "magnitudes"), (points,), (256,)),
        Launch("compute_q", arguments, (points,), (256,)),
    ]
    return Case(MRI_Q, launches, buffers, expected, tolerance=1e-4, restore=("re", "im"))


GRIDDING = """
struct Sample { float x, y, z, real, imaginary; };

// A Bessel function's series: the weight of a sample falls with the square of its distance.
float weight(float closeness) {
    float t = 2.25f * closeness;
    return 1.0f + t * (1.0f + t * (0.25f + t * (0.027777778f + t * (0.0017361111f + t * 6.9444444e-5f))));
}

__kernel void grid(__global const struct Sample *samples, __global const int *starts, __global float2 *result,
                   int size, float cutoff) {
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    float real = 0.0f, imaginary = 0.0f;
    for (int v = max(z - 1, 0); v <= min(z + 1, size - 1); v++) {
        for (int u = max(y - 1, 0); u <= min(y + 1, size - 1); u++) {
            int row = (v * size + u) * size;
            int end = starts[row + min(x + 1, size - 1) + 1];
            for (int s = starts[row + max(x - 1, 0)]; s < end; s++) {
                float dx = samples[s].x - x, dy = samples[s].y - y, dz = samples[s].z - z;
                float distance = dx * dx + dy * dy + dz * dz;
                if (distance < cutoff) {
                    float w = weight(1.0f - distance / cutoff);
                    real += w * samples[s].real;
                    imaginary += w * samples[s].imaginary;
                }
            }
        }
    }
    result[(z * size + y) * size + x] = (float2)(real, imaginary);
}
"""
CUTOFF = 0.81


def _weights(closeness: np.ndarray) -> np.ndarray:
    t = 2.25 * closeness
    return 1 + t * (1 + t * (1 / 4 + t * (1 / 36 + t * (1 / 576 + t / 14400))))


def _gridded(samples: np.ndarray, size: int) -> np.ndarray:
    """Add each sample to the cells around it."""
    result = np.zeros((size, size, size, 2))
    cells = np.floor(samples[:, :3]).astype(int)
    for offset in np.ndindex(3, 3, 3):
        place = cells + np.array(offset) - 1
        distance = ((samples[:, :3].astype(np.float64) - place) ** 2).sum(axis=1)
        chosen = (distance < CUTOFF) & (place >= 0).all(axis=1) & (place < size).all(axis=1)
        values = _weights(1 - distance[chosen] / CUTOFF)[:, None] * samples[chosen, 3:]
        np.add.at(result, tuple(place[chosen].T[::-1]), values)
    return result


@case("parboil/mri-gridding", sizes={"size": 32}, small={"size": 8})
def mri_gridding(random: np.random.Generator, size: int) -> Case:
    """Each cell gathers the nearby samples, whose number differs between cells."""
    samples = random.random((2 * size**3, 5), np.float32)
    samples[:, :3] *= size - 0.01
    return gridding_of(samples, size)


def gridding_of(samples: np.ndarray, size: int) -> Case:
    """Return the gridding of samples at arbitrary positions in a cube."""
    cells = np.floor(samples[:, :3]).astype(np.int64)
    order = np.argsort((cells[:, 2] * size + cells[:, 1]) * size + cells[:, 0], kind="stable")
    samples, cells = np.ascontiguousarray(samples[order]), cells[order]
    bins = (cells[:, 2] * size + cells[:, 1]) * size + cells[:, 0]
    starts = np.searchsorted(bins, np.arange(size**3 + 1)).astype(np.int32)
    expected = _gridded(samples, size).astype(np.float32)
    arguments = ("samples", "starts", "result", np.int32(size), np.float32(CUTOFF))
    return Case(
        GRIDDING,
        [Launch("grid", arguments, (size, size, size), (8, 4, 2))],
        {"samples": samples, "starts": starts, "result": np.zeros_like(expected)},
        {"result": expected},
        tolerance=1e-4,
        may_differ=1e-4,  # a sample may lie on the border of the neighbourhood
    )


SAD = """
#define RANGE 16
#define SIDE (2 * RANGE + 1)
#define POSITIONS (SIDE * SIDE)
#define EACH 18

// A work-group looks for one 4 x 4 block in the other frame, a work-item at 18 of 1089 places.
__kernel void sad(__global const ushort *frame, __global const ushort *other, int width, int other_width,
                  __global ushort *sums) {
    __local ushort block[16];
    int lid = get_local_id(0);
    int column = 4 * get_group_id(0), row = 4 * get_group_id(1);
    if (lid < 16)
        block[lid] = frame[(row + lid / 4) * width + column + lid % 4];
    barrier(CLK_LOCAL_MEM_FENCE);
    __global ushort *mine = sums + POSITIONS * (get_group_id(1) * get_num_groups(0) + get_group_id(0));
    int end = min(EACH * (lid + 1), POSITIONS);
    for (int place = EACH * lid; place < end; place++) {
        __global const ushort *there = other + (row + place / SIDE) * other_width + column + place % SIDE;
        int sum = 0;
        for (int y = 0; y < 4; y++)
            for (int x = 0; x < 4; x++)
                sum += abs(block[4 * y + x] - there[y * other_width + x]);
        mine[place] = (ushort)sum;
    }
}
"""


@case("parboil/sad", sizes={"width": 176, "height": 144}, small={"width": 16, "height": 12})
def sad(random: np.random.Generator, width: int, height: int, reach: int = 16) -> Case:
    """Sums of absolute differences, in groups of 61."""
    frame = random.integers(0, 256, (height, width)).astype(np.uint16)
    other = random.integers(0, 256, (height + 2 * reach, width + 2 * reach)).astype(np.uint16)
    side = 2 * reach + 1
    expected = np.zeros((height // 4, width // 4, side, side), np.uint16)
    for y, x in np.ndindex(side, side):
        difference = np.abs(frame.astype(np.int32) - other[y : y + height, x : x + width])
        blocks = difference.reshape(height // 4, 4, width // 4, 4)
        expected[:, :, y, x] = blocks.sum(axis=(1, 3))
    arguments = ("frame", "other", np.int32(width), np.int32(width + 2 * reach), "sums")
    return Case(
        SAD,
        [Launch("sad", arguments, (61 * width // 4, height // 4), (61, 1))],
        {"frame": frame, "other": other, "sums": np.zeros_like(expected)},
        {"sums": expected},
    )
