"""Renders a zoom into the Mandelbrot set with an OpenCL kernel on all cores and writes a PNG.

Uses the Weft platform through pyopencl; `--platform` takes any other that is installed. Prints what the
compiler and the device needed, and how much quicker all threads are than one.
"""

import argparse
import os
import struct
import subprocess
import sys
import time
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

# Weft has a cache of its own; pyopencl's would hide what a build costs.
os.environ.setdefault("PYOPENCL_NO_CACHE", "1")
import pyopencl as cl

KERNEL = Path(__file__).with_suffix(".cl")
BAND = 24  # rows per launch: small enough for a progress line, large enough to keep all cores busy

# sRGB colours at equal distances around the loop: night, deep blue, ice, cream, gold, copper, wine.
PALETTE = ("#04071f", "#0c2f7a", "#4f9fd6", "#f2f6f0", "#f7c34a", "#b5521b", "#3d0b1e")

VIEW = np.dtype(
    [
        ("centre_x", np.float64),
        ("centre_y", np.float64),
        ("pixel", np.float64),
        ("width", np.int32),
        ("height", np.int32),
        ("limit", np.int32),
        ("colours", np.int32),
        ("cycle", np.float32),
        ("phase", np.float32),
        ("light_x", np.float32),
        ("light_y", np.float32),
    ],
    align=True,
)


class Renderer:
    """The kernel, built for one device, and the picture it fills band by band."""

    def __init__(self, platform: str, options: argparse.Namespace) -> None:
        self.device = find_device(platform)
        self.context = cl.Context([self.device])
        profiling = cl.command_queue_properties.PROFILING_ENABLE
        self.queue = cl.CommandQueue(self.context, properties=profiling)
        self.shape = (options.height, options.width)
        started = time.perf_counter()
        program = cl.Program(self.context, KERNEL.read_text())
        program.build([f"-DSAMPLES={options.samples}"])
        self.build_seconds = time.perf_counter() - started
        flags = cl.mem_flags
        palette = linear_light(PALETTE)
        self.palette = cl.Buffer(self.context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=palette)
        self.picture = cl.Buffer(self.context, flags.WRITE_ONLY, options.width * options.height * 4)
        view = np.zeros((), VIEW)
        view["centre_x"], view["centre_y"] = options.centre
        view["pixel"] = options.extent / options.width
        view["width"], view["height"] = options.width, options.height
        view["limit"], view["colours"] = options.limit, len(PALETTE)
        view["cycle"], view["phase"] = options.cycle, options.phase
        view["light_x"], view["light_y"] = -0.6, 0.8
        self.kernel = program.mandelbrot
        self.kernel.set_args(self.picture, self.palette, view)

    def render(self, bands: Sequence[int], progress: Callable[[int], None] | None = None) -> list[float]:
        """Renders the bands; returns the seconds of kernel time of each."""
        height, width = self.shape
        events = []
        for band in bands:
            rows = min(BAND, height - band * BAND)
            offset = (0, band * BAND)
            events.append(cl.enqueue_nd_range_kernel(self.queue, self.kernel, (width, rows), None, offset))
        self.queue.flush()
        for done, event in enumerate(events, 1):
            event.wait()
            if progress:
                progress(done)
        return [1e-9 * (event.profile.end - event.profile.start) for event in events]

    def pixels(self) -> np.ndarray:
        """The finished picture: height x width x RGBA."""
        result = np.empty((*self.shape, 4), np.uint8)
        cl.enqueue_copy(self.queue, result, self.picture)
        return result


def find_device(name: str) -> cl.Device:
    """The first device of the platform whose name holds `name`."""
    platforms = cl.get_platforms()
    for platform in platforms:
        if name.lower() in platform.name.lower():
            return platform.get_devices()[0]
    found = ", ".join(platform.name for platform in platforms) or "none"
    sys.exit(f"no OpenCL platform {name!r}; available: {found}")


def linear_light(colours: Sequence[str]) -> np.ndarray:
    """sRGB colours as `#rrggbb` to rows of three floats that can be mixed and averaged."""
    encoded = np.array([list(bytes.fromhex(text[1:])) for text in colours]) / 255
    linear = np.where(encoded <= 0.04045, encoded / 12.92, ((encoded + 0.055) / 1.055) ** 2.4)
    return linear.astype(np.float32)


def write_png(path: Path, pixels: np.ndarray) -> None:
    """Writes height x width x 3 bytes as a PNG, each row as its difference to the row above."""
    height, width, _ = pixels.shape
    rows = pixels.reshape(height, width * 3)
    differences = np.diff(rows, axis=0, prepend=np.zeros((1, width * 3), np.uint8))
    filtered = np.pad(differences, ((0, 0), (1, 0)), constant_values=2)

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    image = zlib.compress(filtered.tobytes(), 9)
    path.write_bytes(
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", image) + chunk(b"IEND", b"")
    )


def progress_line(total: int) -> Callable[[int], None]:
    """A function that shows how many of `total` steps are done: a bar on a terminal, else four lines."""
    started = time.perf_counter()

    def show(done: int) -> None:
        seconds = time.perf_counter() - started
        if sys.stdout.isatty():
            bar = "━" * (40 * done // total)
            end = "\n" if done == total else ""
            print(f"\rrendering   {bar:<40} {100 * done // total:3} %  {seconds:.1f} s", end=end, flush=True)
        elif 4 * done // total > 4 * (done - 1) // total:
            print(f"rendering   {100 * done // total:3} %  {seconds:.1f} s", flush=True)

    return show


def speed_up(renderer: Renderer, bands: Sequence[int], arguments: Sequence[str]) -> float:
    """How much quicker all threads are than one: both render each of the bands, turn by turn.

    A process of its own, with WEFT_THREADS=1, is the single thread; taking turns makes both suffer alike
    from whatever else the machine does.
    """
    command = [sys.executable, __file__, *arguments, "--serve"]
    environment = os.environ | {"WEFT_THREADS": "1"}
    pipe = subprocess.PIPE
    alone = together = 0.0
    with subprocess.Popen(command, env=environment, stdin=pipe, stdout=pipe, text=True, bufsize=1) as process:
        assert process.stdin and process.stdout
        for band in bands:
            print(band, file=process.stdin)
            alone += float(process.stdout.readline())
            together += sum(renderer.render([band]))
        process.stdin.close()
    return alone / together


def serve(renderer: Renderer) -> None:
    """Renders the bands whose numbers come on standard input; answers with the seconds of each."""
    for line in sys.stdin:
        print(*renderer.render([int(line)]), flush=True)


def parse_arguments(arguments: Sequence[str]) -> argparse.Namespace:
    """The options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--platform", default="Weft", help="part of the platform's name (Weft)")
    parser.add_argument("--width", type=int, default=1920)
    parser.add_argument("--height", type=int, default=1080)
    parser.add_argument("--samples", type=int, default=3, help="points per pixel in each direction (3)")
    parser.add_argument("--centre", type=float, nargs=2, default=(-1.250665, 0.02012), metavar=("X", "Y"))
    parser.add_argument("--extent", type=float, default=1.9e-4, help="width of the view in the plane")
    parser.add_argument("--limit", type=int, default=3000, help="iterations at most")
    parser.add_argument(
        "--cycle", type=float, default=1.3, help="logarithm of iterations per round of colours"
    )
    parser.add_argument("--phase", type=float, default=0.2, help="where the colours start, 0 to 1")
    parser.add_argument("--output", type=Path, default=Path("mandelbrot.png"))
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args(arguments)


def main(arguments: Sequence[str]) -> None:
    options = parse_arguments(arguments)
    renderer = Renderer(options.platform, options)
    if options.serve:
        serve(renderer)
        return
    bands = range(-(-options.height // BAND))

    device = renderer.device
    print(f"device      {device.name} ({device.max_compute_units} compute units)")
    print(f"platform    {device.platform.name}, {device.platform.version}")
    print(f"build       {1000 * renderer.build_seconds:.0f} ms")
    times = renderer.render(bands, progress_line(len(bands)))
    points = options.width * options.height * options.samples**2
    print(f"kernel      {sum(times):.2f} s for {points / 1e6:.1f} million points")
    write_png(options.output, renderer.pixels()[:, :, :3])
    print(f"picture     {options.output} ({options.width} x {options.height})")
    if device.platform.name == "Weft" and device.max_compute_units > 1:
        print(f"speed-up    {speed_up(renderer, bands[::8], arguments):.2f} x over one thread")


if __name__ == "__main__":
    main(sys.argv[1:])
