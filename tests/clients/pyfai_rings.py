"""pyFAI's integration of a detector's picture over angles on OpenCL; its own code for the CPU checks."""

import numpy as np
from pyFAI.integrator.azimuthal import AzimuthalIntegrator
from pyFAI.opencl.sort import Separator
from silx.opencl.common import ocl

TOLERANCE = 1e-3


def main() -> None:
    assert ocl.nb_devices
    assert {platform.name for platform in ocl.platforms} == {"Weft"}
    detector = AzimuthalIntegrator(
        dist=0.1, poni1=0.05, poni2=0.05, pixel1=1e-4, pixel2=1e-4, rot1=0.05, wavelength=1e-10
    )
    rng = np.random.default_rng(7)
    picture = rng.poisson(100, (500, 400)).astype(np.float32)

    def check(integrate, method: tuple[str, str], *numbers: int, **options: object) -> None:
        options["unit"] = "q_nm^-1"
        found, expected = (
            integrate(picture, *numbers, method=(*method, way), **options).intensity
            for way in ("opencl", "cython")
        )
        assert np.nanmax(abs(found - expected)) < TOLERANCE, (integrate.__name__, method)

    for pixels in ("no", "bbox"):
        for table in ("csr", "lut"):
            check(detector.integrate1d, (pixels, table), 300)
    check(detector.integrate2d, ("bbox", "csr"), 120, 90)
    check(detector.sigma_clip_ng, ("no", "csr"), 300, thres=3, max_iter=3)
    check(detector.medfilt1d_ng, ("no", "csr"), 300)
    numbers = rng.random((256, 256), dtype=np.float32)
    sorts = Separator(256, 256)
    assert (sorts.sort_horizontal(numbers).get() == np.sort(numbers, 1)).all()
    assert (sorts.sort_vertical(numbers).get() == np.sort(numbers, 0)).all()
    print("right")


if __name__ == "__main__":
    main()
