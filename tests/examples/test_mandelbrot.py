"""The example that `make demo` runs: its picture against the definition of the set."""

import struct
import subprocess
import sys
import zlib
from pathlib import Path

import numpy as np

SCRIPT = Path(__file__).resolve().parents[2] / "examples" / "mandelbrot.py"
WIDTH, HEIGHT, LIMIT = 75, 52, 60


def read_png(path: Path) -> np.ndarray:
    """The pixels of a PNG whose rows are differences to the row above, which is all the example writes."""
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    chunks, place = {}, 8
    while place < len(data):
        (size,) = struct.unpack_from(">I", data, place)
        kind, body = data[place + 4 : place + 8], data[place + 8 : place + 8 + size]
        assert struct.unpack_from(">I", data, place + 8 + size)[0] == zlib.crc32(kind + body)
        chunks[kind] = body
        place += 12 + size
    width, height, *rest = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
    assert rest == [8, 2, 0, 0, 0]
    rows = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), np.uint8).reshape(height, 1 + 3 * width)
    assert (rows[:, 0] == 2).all()
    return np.cumsum(rows[:, 1:], axis=0, dtype=np.uint8).reshape(height, width, 3)


def inside() -> np.ndarray:
    """Which pixels lie in the set with all their points."""
    pixel = 3.0 / WIDTH
    result = np.ones((HEIGHT, WIDTH), bool)
    for j in range(2):
        for i in range(2):
            x = -0.6 + pixel * (np.arange(WIDTH) - WIDTH / 2 + (i + (j + 0.5) / 2) / 2)
            y = -pixel * (np.arange(HEIGHT) - HEIGHT / 2 + (j + (i + 0.5) / 2) / 2)
            c = x + 1j * y[:, None]
            z = np.zeros_like(c)
            for _ in range(LIMIT):
                z = np.where(np.abs(z) < 1e3, z * z + c, z)
            result &= np.abs(z) < 2
    return result


def test_picture_shows_the_set(tmp_path: Path) -> None:
    output = tmp_path / "set.png"
    command = [sys.executable, str(SCRIPT), "--width", str(WIDTH), "--height", str(HEIGHT)]
    command += [
        "--centre",
        "-0.6",
        "0",
        "--extent",
        "3",
        "--limit",
        str(LIMIT),
        "--samples",
        "2",
        "--output",
        str(output),
    ]
    result = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert result.returncode == 0, result.stderr
    for word in ("device", "build", "rendering", "kernel", "picture"):
        assert f"\n{word}" in f"\n{result.stdout}"
    picture = read_png(output)
    black = (picture == 0).all(axis=2)
    expected = inside()
    assert picture.shape == (HEIGHT, WIDTH, 3)
    assert expected.sum() > 500
    # Points within the last iterations of the limit may fall on either side.
    assert (black != expected).mean() < 0.01
    assert len(np.unique(picture[~black], axis=0)) > 500


def test_unknown_platform_is_one_line() -> None:
    command = [sys.executable, str(SCRIPT), "--platform", "Nowhere"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert result.returncode == 1
    assert result.stderr.startswith("no OpenCL platform 'Nowhere'; available: ")
    assert "Traceback" not in result.stderr
