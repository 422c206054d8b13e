"""reikna's Fourier transforms of several lengths and its matrix product on OpenCL; numpy checks."""

import numpy as np
from reikna import cluda
from reikna.fft import FFT
from reikna.linalg import MatrixMul

TRANSFORMS = (((16, 256), (1,)), ((64, 64), (0, 1)), ((4, 1000), (1,)), ((2, 4096), (1,)))


def main() -> None:
    thread = cluda.ocl_api().Thread.create()
    assert thread._device.platform.name == "Weft"
    rng = np.random.default_rng(3)
    for shape, axes in TRANSFORMS:
        numbers = (rng.normal(size=shape) + 1j * rng.normal(size=shape)).astype(np.complex64)
        transform = FFT(numbers, axes=axes).compile(thread)
        buffer = thread.to_device(numbers)
        transform(buffer, buffer)
        expected = np.fft.fftn(numbers, axes=axes)
        assert abs(buffer.get() - expected).max() < 1e-5 * abs(expected).max(), shape
        transform(buffer, buffer, 1)
        assert abs(buffer.get() - numbers).max() < 1e-4, shape
    a, b = (rng.normal(size=shape).astype(np.float32) for shape in ((100, 70), (70, 90)))
    product = MatrixMul(a, b).compile(thread)
    result = thread.empty_like(product.parameter.output)
    product(result, thread.to_device(a), thread.to_device(b))
    assert abs(result.get() - a @ b).max() < 1e-3
    print("right")


if __name__ == "__main__":
    main()
