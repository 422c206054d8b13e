"""dpctl lists Weft, and dpnp computes what numpy does: kernels in SPIR-V, which SYCL launches."""

import dpctl
import dpnp
import numpy as np

(device,) = dpctl.get_devices()
assert "Weft" in device.sycl_platform.name, device.sycl_platform.name
assert device.is_cpu and device.has_aspect_usm_shared_allocations

random = np.random.default_rng(1)
a, b = random.random((37, 53)), random.random((37, 53)).astype(np.float32)
i = random.integers(-1000, 1000, 20000)
there = {name: dpnp.asarray(array) for name, array in (("a", a), ("b", b), ("i", i))}


def same(found: dpnp.ndarray, expected: np.ndarray, tolerance: float = 0.0) -> None:
    assert found.dtype == expected.dtype, (found.dtype, expected.dtype)
    np.testing.assert_allclose(dpnp.asnumpy(found), expected, rtol=tolerance, atol=tolerance)


same(there["a"] + there["a"] * 3.0, a + a * 3.0, 1e-15)
same(dpnp.sin(there["b"]), np.sin(b), 1e-6)
same(there["a"].sum(axis=0), a.sum(axis=0), 1e-13)
same(dpnp.cumsum(there["i"]), np.cumsum(i))
same(dpnp.sort(there["i"]), np.sort(i))
same(dpnp.argsort(there["i"], kind="stable"), np.argsort(i, kind="stable"))
same(dpnp.unique(there["i"]), np.unique(i))
same(there["i"][there["i"] > 3], i[i > 3])
same(dpnp.where(there["i"] % 3 == 0, there["i"], -there["i"]), np.where(i % 3 == 0, i, -i))
same(there["a"].T.copy(), a.T.copy())
same(dpnp.max(there["b"], axis=1), b.max(axis=1))
same(dpnp.searchsorted(dpnp.sort(there["i"]), there["i"][:100]), np.searchsorted(np.sort(i), i[:100]))
same(dpnp.exp(there["a"] * 1j), np.exp(a * 1j), 1e-14)
same(dpnp.asarray(b, dtype=dpnp.float16) * 2, b.astype(np.float16) * 2, 1e-3)

queue = dpctl.SyclQueue(device)
memory = dpctl.memory.MemoryUSMShared(4096, queue=queue)
memory.copy_from_host(np.arange(4096, dtype=np.uint8))
assert (memory.copy_to_host() == np.arange(4096, dtype=np.uint8)).all()
print("right")
