"""Build modules that were damaged at random; run as a program, which has to survive all of them.

    python mutations.py COUNT SEED FOLDER

It prints how many were built and how many were refused, and every error that is no refusal; modules that led
to one stay in FOLDER.
"""

import random
import struct
import sys
import traceback
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
sys.path.insert(0, str(Path(__file__).parents[1] / "kernels"))

from assembler import assemble
from test_spirv_groups import module as groups
from test_spirv_named_barriers import MADE, TEAMS
from test_spirv_pipes import MODULE as PIPES
from test_spirv_pipes import STORAGE

from tools.opencl_to_spirv import spirv_of
from weft.errors import WeftError
from weft.frontend.spirv.source import SpirvSource
from weft.program import build

KERNELS = Path(__file__).parent.parent / "kernels"
SOURCES = (
    "plain/global_atomics.cl",
    "control/switch_divergent.cl",
    "barriers/divergent_loop_before.cl",
    "functions/divergent_calls.cl",
    "simd/vector_relations.cl",
    "group/half_copies_and_sums.cl",
)
IMAGES = """
typedef struct { int a; float4 b; } S;
constant float tab[3] = {1, 2, 3};
constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_FILTER_NEAREST | CLK_ADDRESS_CLAMP;
kernel void k(global int *a, read_only image2d_t in, write_only image2d_t out, S s, global float *f,
              read_only image2d_array_depth_t depths) {
    local int shared[8];
    int i = get_global_id(0);
    float whole;
    shared[get_local_id(0)] = a[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    float4 v = read_imagef(in, nearest, (int2)(i, 2)) * s.b + fract(f[i], &whole);
    write_imagef(out, (int2)(i, 0), v.wzyx + vload4(i, f) + read_imagef(depths, (int4)(i, 0, 1, 0)));
    for (int j = 0; j < s.a; j++)
        a[i] += shared[j & 7] / (j + 1) + (int)tab[j % 3] + get_image_width(in) + convert_int_sat(f[j]);
}
"""


def modules() -> list[bytes]:
    """Modules that are well formed."""
    texts = [(KERNELS / name).read_text() for name in SOURCES]
    found = [spirv_of(text, "-cl-std=CL3.0") for text in texts]
    written = [assemble(text) for text in (groups(), PIPES, STORAGE, MADE, TEAMS)]
    return [
        *found,
        spirv_of(IMAGES, "-cl-std=CL3.0"),
        spirv_of(IMAGES, "-cl-std=CL3.0", optimized=True),
        *written,
    ]


def damaged(module: bytes, random: random.Random) -> bytes:
    """A module with a few changes."""
    words = list(struct.unpack(f"<{len(module) // 4}I", module))
    for _ in range(random.choice((1, 1, 1, 2, 3, 8))):
        at = random.randrange(len(words))
        match random.randrange(7):
            case 0:
                words[at] ^= 1 << random.randrange(32)
            case 1:
                other = random.randrange(len(words))
                words[at], words[other] = words[other], words[at]
            case 2:
                words[at] = random.choice((0, 1, 0xFFFFFFFF, 0x7FFFFFFF, words[random.randrange(len(words))]))
            case 3:
                words[at] = max(words[at] + random.choice((-1, 1)), 0) & 0xFFFFFFFF
            case 4:
                del words[at : at + random.randrange(1, 5)]
            case 5:
                words[at:at] = words[at : at + random.randrange(1, 9)]
            case 6:
                words = words[: max(at, 6)]
        if len(words) < 6:
            break
    data = struct.pack(f"<{len(words)}I", *words)
    return data[: random.randrange(len(data))] if random.random() < 0.02 else data


def main(count: int, seed: int, folder: Path) -> int:
    """Build so many damaged modules; the number of errors."""
    chosen = random.Random(seed)
    whole = modules()
    ends: Counter[str] = Counter()
    for number in range(count):
        data = damaged(chosen.choice(whole), chosen)
        try:
            build(SpirvSource(data), "")
            ends["built"] += 1
        except WeftError:
            ends["refused"] += 1
        except Exception:
            ends["failed"] += 1
            (folder / f"{seed}-{number}.spv").write_bytes(data)
            print(f"module {number} of seed {seed}: {traceback.format_exc()}")
    print(dict(ends))
    return ends["failed"]


if __name__ == "__main__":
    sys.exit(min(main(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3])), 100))
