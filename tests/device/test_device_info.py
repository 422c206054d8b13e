"""What a device tells of itself, and how the host's facts are read."""

from pathlib import Path

import pytest
from device_support import run_program

from weft.device import info, isolated
from weft.device.base import devices
from weft.device.emulators import EMULATORS, find_emulator
from weft.target import register_bytes


def test_devices_are_the_same_objects_every_time_and_the_parallel_one_comes_first() -> None:
    kinds = ["pthread", "basic", *(["isolated"] if isolated.is_available() else [])]
    kinds += (kind for kind in EMULATORS if find_emulator(kind))
    kinds.append("ttasim")
    assert [device.kind for device in devices()] == kinds
    assert devices()[0] is devices()[0]


def test_facts_are_within_what_opencl_requires() -> None:
    for device in devices():
        facts = device.info
        assert facts.compute_units >= 1
        least = 128 << 20 if facts.is_full else 1 << 20
        assert facts.max_allocation_bytes >= max(facts.global_memory_bytes // 4, least)
        assert facts.max_allocation_bytes <= facts.global_memory_bytes
        assert facts.local_memory_bytes >= 32 << 10
        assert facts.max_constant_bytes >= 64 << 10
        assert facts.max_constant_arguments >= 8
        assert facts.max_parameter_bytes >= 1024
        assert facts.cache_line_bytes in (32, 64, 128, 256) or not facts.global_cache_bytes
        assert facts.name.startswith(device.kind)
        assert facts.vector_width(4) * 4 <= facts.vector_bytes or not facts.vector_bytes
        assert facts.vector_width(1) == (1 if facts.is_accelerator else 16)
        assert facts.vector_width(256) == 1
    assert devices()[1].info.compute_units == 1


def test_number_of_threads_can_be_set() -> None:
    program = "from weft.device.base import devices; print(devices()[0].info.compute_units)"
    assert run_program(program, WEFT_THREADS="3") == "3\n"


def test_devices_are_there_without_importing_the_compiler_or_numpy() -> None:
    program = """
        import sys
        from weft.device.base import devices
        devices()
        print([name for name in ("llvmlite", "numpy", "ziglang") if name in sys.modules])
    """
    assert run_program(program) == "[]\n"


def test_an_arm_processor_has_its_maker_and_its_registers(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "processor\t: 0\nFeatures\t: fp asimd sve\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n\n"
    monkeypatch.setattr(info, "_read", lambda path: text if path == Path("/proc/cpuinfo") else "")
    monkeypatch.setattr("weft.codegen.host.sve_bits", lambda: 256)
    facts = info.host_facts()
    assert (facts.vendor, facts.clock_mhz) == ("ARM", 0) and "sve" in facts.flags
    assert register_bytes("aarch64", facts.flags) == 32 and register_bytes("aarch64", {"sve", "sve128"}) == 16


@pytest.mark.parametrize(
    ("text", "size"),
    [("32K\n", 32768), ("1M", 1 << 20), ("2G", 2 << 30), ("64", 64), ("", 0), ("x", 0), ("-1", 0)],
)
def test_sizes_of_sys_are_read(text: str, size: int) -> None:
    assert info.parse_size(text) == size


def write(folder: Path, **files: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text)


def test_caches_are_read_by_level_without_the_instruction_cache(tmp_path: Path) -> None:
    root = tmp_path / "cpu0" / "cache"
    write(root / "index0", type="Data\n", level="1\n", size="48K\n", coherency_line_size="64\n")
    write(root / "index1", type="Instruction\n", level="1\n", size="32K\n", coherency_line_size="64\n")
    write(root / "index2", type="Unified\n", level="2\n", size="2048K\n", coherency_line_size="64\n")
    assert info.caches(tmp_path) == (64, {1: 48 << 10, 2: 2 << 20})
    assert info.caches(tmp_path / "none") == (64, {})


def test_control_group_limits_of_version_2_bind_from_any_level(tmp_path: Path) -> None:
    proc, mount = tmp_path / "proc", tmp_path / "cgroup"
    write(proc / "self", cgroup="0::/a/b\n")
    write(mount / "a" / "b", cpu__max="max 100000\n", memory__max="max\n")
    write(mount / "a", cpu__max="250000 100000\n", memory__max="1048576\n")
    assert info.processor_limit(info.control_group_folders("cpu", proc, mount)) == 2.5
    assert info.memory_limit(info.control_group_folders("memory", proc, mount)) == 1 << 20


def test_control_group_limits_of_version_1_are_read_at_their_controller(tmp_path: Path) -> None:
    proc, mount = tmp_path / "proc", tmp_path / "cgroup"
    write(proc / "self", cgroup="4:memory:/m\n3:cpu,cpuacct:/c\n1:name=systemd:/x\n")
    write(mount / "cpu" / "c", **{"cpu__cfs_quota_us": "50000\n", "cpu__cfs_period_us": "100000\n"})
    write(mount / "cpu", **{"cpu__cfs_quota_us": "-1\n", "cpu__cfs_period_us": "100000\n"})
    write(mount / "memory" / "m", memory__limit_in_bytes="4096\n")
    assert info.processor_limit(info.control_group_folders("cpu", proc, mount)) == 0.5
    assert info.memory_limit(info.control_group_folders("memory", proc, mount)) == 4096


def test_no_control_groups_mean_no_limits(tmp_path: Path) -> None:
    assert info.processor_limit(info.control_group_folders("cpu", tmp_path, tmp_path)) == float("inf")
    assert info.memory_limit(info.control_group_folders("memory", tmp_path, tmp_path)) >= 1 << 50
