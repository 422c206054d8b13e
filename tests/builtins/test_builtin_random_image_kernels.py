"""Random kernels with images: the same pixels in SIMD lanes as one work-item at a time.

`python tests/builtins/test_builtin_random_image_kernels.py FIRST LAST` runs more of them, by their seeds.
"""

import os
import random
import sys

import image_reference as ref
import numpy as np
import pyopencl as cl
import pytest
from image_client import image_of, pixels_of, queue
from image_reference import random_pixels

FORMATS = [
    (ref.RGBA, ref.UNORM8), (ref.R, ref.UNORM8), (ref.RGBA, ref.FLOAT), (ref.R, ref.FLOAT),
    (ref.RG, ref.HALF), (ref.RGBA, ref.SNORM16), (ref.RG, ref.UNORM16), (ref.RGBA, ref.HALF),
    (ref.LUMINANCE, ref.SNORM8),
]  # fmt: skip
SIZES = [(37, 9), (130, 5), (200, 4), (16, 16), (1, 3)]
WAYS = [("loops", "0"), ("auto", "0"), ("simd", "4"), ("simd", "16")]
CLAMPING, REPEATING = ("CLAMP", "CLAMP_TO_EDGE"), ("REPEAT", "MIRRORED_REPEAT")


class Generator:
    """Writes a kernel that reads images `a` and `b` and writes `o`."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.normalized = [self.random.random() < 0.5 for _ in range(3)]

    def kernel(self) -> str:
        pick = self.random.choice
        samplers = [
            f"constant sampler_t S{k} = CLK_NORMALIZED_COORDS_{str(real).upper()} | CLK_ADDRESS_"
            f"{pick(CLAMPING + REPEATING if real else CLAMPING)} | CLK_FILTER_{pick(('LINEAR', 'NEAREST'))};"
            for k, real in enumerate(self.normalized)
        ]
        samplers += [
            f"constant sampler_t {mode} = CLK_FILTER_NEAREST | CLK_ADDRESS_{mode};" for mode in CLAMPING
        ]
        body = "\n    ".join(self.statement(3) for _ in range(self.random.randint(1, 5)))
        start = pick((0, 3))
        return (
            "\n".join(samplers)
            + f"""
kernel void k(read_only image2d_t a, read_only image2d_t b, write_only image2d_t o, int n) {{
    int x = (int)get_global_id(0) - {start}, y = (int)get_global_id(1) - {start}, i = 1;
    float4 c = 0.25f;
    {body}
    write_imagef(o, (int2)(x, y), c);
}}
"""
        )

    def statement(self, depth: int) -> str:
        pick, some = self.random.choice, self.random.random()
        if some < 0.4 or depth == 0:
            return f"c {pick(('+=', '='))} {self.read()}{pick(('', ' * 0.5f', '.yxwz'))};"
        if some < 0.55:
            then, otherwise = self.statement(depth - 1), self.statement(depth - 1)
            return f"if ({self.integer()} {pick('<>')} {self.integer(1)}) {{ {then} }} else {{ {otherwise} }}"
        if some < 0.7:
            count = pick(("3", "n", "(x & 3)"))
            return f"for (int i = {pick((-2, 0))}; i < {count}; i++) {{ {self.statement(depth - 1)} }}"
        if some < 0.8:
            return "write_imagef(o, (int2)(x, y), c);"
        if some < 0.9:
            return f"c.{pick('xyzw')} = c.{pick('xyzw')} + (float)x * 0.01f;"
        return f"if ({self.integer(1)} == {pick(range(9))}) return;"

    def read(self) -> str:
        pick, image = self.random.choice, self.random.choice("ab")
        match pick(("near", "near", "any", "inside", "real", "real")):
            case "near":
                at = f"(int2)(x + {pick(range(-4, 5))}{pick(('', ' + i', ' - n'))}, y + {pick(range(-3, 4))})"
                return f"read_imagef({image}, {pick(CLAMPING)}, {at})"
            case "any":
                return f"read_imagef({image}, {pick(CLAMPING)}, (int2)({self.integer()}, {self.integer()}))"
            case "inside":
                at = f"(int2)({self.integer()}, {self.integer()})"
                return f"read_imagef({image}, clamp({at}, (int2)(0), get_image_dim({image}) - 1))"
        sampler = pick(range(3))
        x = f"{pick(('x', 'y', 'i', 'c.x'))} * {pick((1.0, 0.37, 1.5))}f + {pick(range(-8, 9))}.25f"
        y = f"{pick(('x', 'y', 'c.y'))} * {pick((1.0, 0.7))}f - {pick(range(4))}.5f"
        scale = " / 23.0f" if self.normalized[sampler] else ""
        return f"read_imagef({image}, S{sampler}, (float2)({x}, {y}){scale})"

    def integer(self, depth: int = 2) -> str:
        if depth == 0 or self.random.random() < 0.3:
            return self.random.choice(("x", "y", "n", "i", str(self.random.randint(-5, 40))))
        return f"({self.integer(depth - 1)} {self.random.choice('+-*&^')} {self.integer(depth - 1)})"


def check(seed: int, environment: pytest.MonkeyPatch) -> None:
    """Runs the kernel of a seed in all ways."""
    source, choices = Generator(seed).kernel(), random.Random(seed)
    width, height = choices.choice(SIZES)
    inputs = [choices.choice(FORMATS) for _ in range(2)]
    shape, numbers = (1, height, width), np.random.default_rng(seed)
    images = [image_of("image2d_t", *f, random_pixels(numbers, shape, *f)) for f in inputs]
    written = choices.choice(FORMATS)
    nothing = np.zeros_like(random_pixels(numbers, shape, *written))
    local_size = choices.choice((None, (8, 2), (16, 1)))
    size = (width + 8 + -(width + 8) % 16, height + 8 + height % 2)
    results = []
    for method, lanes in WAYS:
        environment.setenv("WEFT_WORKGROUP", method)
        environment.setenv("WEFT_LANES", lanes)
        result = image_of("image2d_t", *written, nothing)
        kernel = cl.Kernel(cl.Program(queue().context, source).build(), "k")
        kernel(queue(), size, local_size, *images, result, np.int32(2))
        results.append(pixels_of("image2d_t", result, nothing))
    for way, other in zip(WAYS[1:], results[1:], strict=True):
        np.testing.assert_array_equal(other, results[0], f"seed {seed}, {way}:\n{source}")


@pytest.mark.parametrize("seed", range(10))
def test_random_kernels_with_images(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEFT_SPECIALIZE_IMAGES", "0")
    monkeypatch.setenv("WEFT_VERIFY", "1")
    check(seed, monkeypatch)


if __name__ == "__main__":
    os.environ |= {"WEFT_SPECIALIZE_IMAGES": "0", "WEFT_VERIFY": "1", "WEFT_CACHE": "0"}
    for number in range(int(sys.argv[1]), int(sys.argv[2])):
        with pytest.MonkeyPatch.context() as patch:
            check(number, patch)
        print(number, flush=True)
