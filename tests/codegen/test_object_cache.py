"""The cache on disk: round trips, damage, sharing, bounds, privacy, and silence when the disk refuses."""

import errno
import multiprocessing
import os
import socket
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from weft.codegen import cache as cache_module
from weft.codegen.cache import Cache, default_cache, digest

MIB = 2**20
KEY = digest("a key")


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "cache", 64 * MIB)


def entry_file(cache: Cache, key: str = KEY) -> Path:
    assert cache.folder is not None
    return cache.folder / key[:2] / key


def files_below(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and path.name not in ("ledger", "collected")]


@pytest.mark.parametrize("data", [b"", b"x", os.urandom(100_000)], ids=["empty", "byte", "object"])
def test_stored_data_is_found(cache: Cache, data: bytes):
    assert cache.get(KEY) is None
    cache.put(KEY, data)
    assert cache.get(KEY) == data


def test_a_second_put_replaces_the_first(cache: Cache):
    cache.put(KEY, b"old")
    cache.put(KEY, b"new")
    assert cache.get(KEY) == b"new"
    assert cache.stats().entries == 1


def test_another_cache_object_of_the_same_folder_sees_the_data(cache: Cache):
    cache.put(KEY, b"data")
    assert Cache(cache.folder, MIB).get(KEY) == b"data"


def test_a_look_up_does_not_create_the_folder(cache: Cache):
    assert cache.get(KEY) is None
    assert not cache.folder.exists()


@pytest.mark.parametrize("key", ["", "../../etc/passwd", "abc", KEY.upper(), KEY + "0", "g" * 64])
def test_only_digests_are_keys(cache: Cache, key: str):
    for use in (cache.get, lambda key: cache.put(key, b"")):
        with pytest.raises(ValueError, match="digest"):
            use(key)


def test_different_data_have_different_digests():
    variants = [(), ("",), ("", ""), ("ab",), (b"ab",), ("a", "b"), ("b", "a"), ("ab", ""), ("", "ab")]
    variants.append(("\udc80",))
    assert len({digest(*parts) for parts in variants}) == len(variants)
    assert digest("a", b"b") == digest("a", b"b")
    assert len(KEY) == 64


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def truncate_in_header(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:10])


def empty(path: Path) -> None:
    path.write_bytes(b"")


def garbage(path: Path) -> None:
    path.write_bytes(os.urandom(3000))


def flip_in_data(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[-3] ^= 4
    path.write_bytes(content)


def flip_in_checksum(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[20] ^= 1
    path.write_bytes(content)


def append(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b"\0")


def fifo_in_its_place(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def socket_in_its_place(path: Path) -> None:
    path.unlink()
    # Names of sockets are short.
    folder = os.open(path.parent, os.O_RDONLY)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(f"/proc/self/fd/{folder}/{path.name}")
    os.close(folder)


def link_in_its_place(path: Path) -> None:
    target = path.parent.parent / "target"
    path.rename(target)
    path.symlink_to(target)


def endless_file(path: Path) -> None:
    os.truncate(path, 4 << 30)


def fifo_for_its_folder(path: Path) -> None:
    path.unlink()
    path.parent.rmdir()
    os.mkfifo(path.parent)


def folder_in_its_place(path: Path) -> None:
    path.unlink()
    path.mkdir()
    (path / "file").write_text("something")


@pytest.mark.parametrize(
    "damage",
    [
        truncate,
        truncate_in_header,
        empty,
        garbage,
        flip_in_data,
        flip_in_checksum,
        append,
        folder_in_its_place,
        fifo_in_its_place,
        socket_in_its_place,
        link_in_its_place,
        endless_file,
        fifo_for_its_folder,
    ],
)
def test_a_damaged_entry_is_removed_and_can_be_stored_again(cache: Cache, damage):
    cache.put(KEY, b"good data" * 100)
    damage(entry_file(cache))
    assert cache.get(KEY) is None
    assert not entry_file(cache).exists()
    cache.put(KEY, b"good data" * 100)
    assert cache.get(KEY) == b"good data" * 100


def test_an_entry_under_another_key_is_not_believed(cache: Cache):
    other = digest("another key")
    cache.put(KEY, b"data")
    entry_file(cache, other).parent.mkdir(exist_ok=True)
    entry_file(cache).rename(entry_file(cache, other))
    assert cache.get(other) is None


def test_the_folder_and_its_files_are_private(cache: Cache):
    previous = os.umask(0)
    try:
        cache.put(KEY, b"data")
    finally:
        os.umask(previous)
    assert stat.S_IMODE(cache.folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(entry_file(cache).parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(entry_file(cache).stat().st_mode) == 0o600


@pytest.mark.parametrize("mode", [0o770, 0o777, 0o1777, 0o720, 0o702])
def test_a_folder_others_may_write_to_is_not_used(cache: Cache, mode: int):
    cache.put(KEY, b"data")
    cache.folder.chmod(mode)
    assert cache.get(KEY) is None
    cache.put(digest("second"), b"data")
    assert len(files_below(cache.folder)) == 1
    assert "other users may write" in cache.stats().state
    assert cache.clear() == 0
    cache.folder.chmod(0o755)
    assert cache.get(KEY) == b"data"


def test_a_folder_of_another_user_is_not_used(cache: Cache, monkeypatch: pytest.MonkeyPatch):
    cache.put(KEY, b"data")
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    assert cache.get(KEY) is None
    cache.put(digest("second"), b"data")
    assert len(files_below(cache.folder)) == 1
    assert "another user" in cache.stats().state


def test_a_folder_that_cannot_exist_means_no_cache(tmp_path: Path):
    (tmp_path / "file").write_text("in the way")
    for folder in (tmp_path / "file", tmp_path / "file" / "below", Path("/proc/weft"), Path("/dev/null/x")):
        cache = Cache(folder, MIB)
        cache.put(KEY, b"data")
        assert cache.get(KEY) is None
        assert cache.clear() == 0
        assert cache.stats().entries == 0


@pytest.mark.parametrize("code", [errno.EROFS, errno.ENOSPC, errno.EACCES, errno.EMFILE, errno.EDQUOT])
@pytest.mark.parametrize("call", ["open", "replace", "write", "mkdir"])
def test_a_disk_that_refuses_to_store_means_no_cache(cache: Cache, monkeypatch, call: str, code: int):
    def refuse(*_args, **_keywords):
        raise OSError(code, os.strerror(code))

    with monkeypatch.context() as context:
        context.setattr(os, call, refuse)
        cache.put(KEY, b"data")
    assert cache.get(KEY) is None
    assert files_below(cache.folder.parent) == []
    cache.put(KEY, b"data")
    assert cache.get(KEY) == b"data"


def test_a_full_disk_leaves_no_temporary_file(cache: Cache, monkeypatch):
    cache.put(KEY, b"data")

    def full(*_args, **_keywords):
        raise OSError(errno.ENOSPC, "no space")

    monkeypatch.setattr(os, "replace", full)
    cache.put(digest("second"), b"data")
    assert files_below(cache.folder) == [entry_file(cache)]


def test_a_read_only_cache_can_still_be_read(cache: Cache, monkeypatch):
    cache.put(KEY, b"data")

    def refuse(*_args, **_keywords):
        raise OSError(errno.EROFS, "read-only")

    for call in ("utime", "replace", "unlink", "mkdir"):
        monkeypatch.setattr(os, call, refuse)
    assert cache.get(KEY) == b"data"
    cache.put(digest("second"), b"data")
    assert cache.get(digest("second")) is None


def test_an_entry_that_cannot_be_read_now_is_kept(cache: Cache, monkeypatch):
    cache.put(KEY, b"data")

    def refuse(*_args, **_keywords):
        raise OSError(errno.EMFILE, "too many open files")

    with monkeypatch.context() as context:
        context.setattr(os, "open", refuse)
        assert cache.get(KEY) is None
    assert cache.get(KEY) == b"data"


def test_the_size_stays_below_the_limit_and_the_last_used_entries_survive(tmp_path: Path):
    limit = 2 * MIB
    cache = Cache(tmp_path / "cache", limit)
    favourite, data = digest("favourite"), os.urandom(20_000)
    cache.put(favourite, data)
    largest = 0
    for number in range(400):
        cache.put(digest("filler", str(number)), data)
        os.utime(entry_file(cache, favourite))
        if number % 10 == 0:
            largest = max(largest, cache.stats().bytes)
    assert limit // 2 < largest <= limit
    assert cache.get(favourite) == data
    assert cache.get(digest("filler", "399")) == data
    assert cache.get(digest("filler", "0")) is None


def test_many_short_processes_keep_the_limit_together(tmp_path: Path):
    limit = 80 * 4096
    for number in range(200):
        Cache(tmp_path / "cache", limit).put(digest(str(number)), bytes(3000))
    assert Cache(tmp_path / "cache", limit).stats().bytes <= limit


def test_a_look_up_makes_an_entry_recent(cache: Cache):
    cache.put(KEY, b"data")
    os.utime(entry_file(cache), (1000, 1000))
    cache.get(KEY)
    assert entry_file(cache).stat().st_mtime > time.time() - 100


def test_writing_does_not_look_through_the_folder_each_time(cache: Cache, monkeypatch):
    scans = []
    monkeypatch.setattr(cache_module, "_scan", lambda folder: scans.append(folder) or iter(()))
    for number in range(50):
        cache.put(digest(str(number)), bytes(1000))
    assert scans == []


def test_data_larger_than_half_the_limit_is_not_stored(tmp_path: Path):
    cache = Cache(tmp_path / "cache", 10_000)
    cache.put(KEY, bytes(5_001))
    assert cache.get(KEY) is None


def test_a_sweep_removes_temporary_files_of_dead_processes_only(tmp_path: Path):
    cache = Cache(tmp_path / "cache", 40 * 4096)
    cache.put(KEY, b"data")
    dead, alive = (entry_file(cache).with_name(f"{KEY}.1.{name}.tmp") for name in ("dead", "alive"))
    for path in (dead, alive):
        path.write_bytes(b"part")
    os.utime(dead, (1000, 1000))
    for number in range(12):
        cache.put(digest(str(number)), b"data")
    assert alive.exists() and not dead.exists()
    assert cache.clear() == 13
    assert not alive.exists()


def test_what_killed_writers_left_is_collected_within_the_hour(cache: Cache):
    cache.put(KEY, b"data")
    left = entry_file(cache).with_name(f"{KEY}.1.dead.tmp")
    left.write_bytes(b"part")
    os.utime(left, (time.time() - 5000,) * 2)
    cache.put(digest("soon after"), b"data")
    assert left.exists()
    os.utime(cache.folder / "collected", (time.time() - 4000,) * 2)
    cache.put(digest("an hour later"), b"data")
    assert not left.exists()
    assert cache.get(KEY) == b"data"


def test_a_fifo_in_place_of_the_ledger_does_not_block(cache: Cache):
    cache.put(KEY, b"data")
    for name in ("ledger", "collected"):
        (cache.folder / name).unlink()
        os.mkfifo(cache.folder / name)
    cache.put(digest("second"), b"data")
    assert cache.get(digest("second")) == b"data"
    assert (cache.folder / "ledger").is_file()


def test_the_folder_that_was_checked_is_the_one_that_is_used(cache: Cache, tmp_path: Path, monkeypatch):
    """Somebody exchanges the folder for another one right after its owner and mode were read."""
    cache.put(KEY, b"good data")
    other = Cache(tmp_path / "other", 64 * MIB)
    other.put(KEY, b"bad data")
    fstat = os.fstat

    def exchange(descriptor: int) -> os.stat_result:
        monkeypatch.setattr(os, "fstat", fstat)
        cache.folder.rename(tmp_path / "aside")
        other.folder.rename(cache.folder)
        return fstat(descriptor)

    monkeypatch.setattr(os, "fstat", exchange)
    assert cache.get(KEY) == b"good data"


def test_clear_touches_only_files_of_the_cache(cache: Cache):
    cache.put(KEY, b"data")
    others = [cache.folder / "notes.txt", cache.folder / KEY[:2] / "notes.txt", cache.folder / "photos" / KEY]
    for path in others:
        path.parent.mkdir(exist_ok=True)
        path.write_text("mine")
    assert cache.stats().entries == 1
    assert cache.clear() == 1
    assert cache.get(KEY) is None
    assert all(path.read_text() == "mine" for path in others)


def worker(folder: Path, number: int, keys: list[str], start, failures) -> None:
    """Puts and gets the same keys as its siblings in a small cache, and damages some entries."""
    cache = Cache(folder, 40 * 4096)
    start.wait()
    for round_number in range(30):
        for key in keys:
            expected = key.encode() * 50
            found = cache.get(key)
            if found is not None and found != expected:
                failures.put(f"worker {number} read wrong data")
            cache.put(key, expected)
        if round_number % 5 == number:
            victim = folder / keys[number][:2] / keys[number]
            if victim.exists():
                victim.write_bytes(b"damaged")


def test_processes_share_the_folder_safely(tmp_path: Path):
    spawn = multiprocessing.get_context("spawn")
    keys = [digest("shared", str(n)) for n in range(6)]
    start, failures = spawn.Event(), spawn.Queue()
    arguments = [(tmp_path / "cache", n, keys, start, failures) for n in range(4)]
    processes = [spawn.Process(target=worker, args=a) for a in arguments]
    for process in processes:
        process.start()
    start.set()
    for process in processes:
        process.join(60)
    assert [process.exitcode for process in processes] == [0] * 4
    assert failures.empty()
    assert all(".tmp" not in path.name for path in files_below(tmp_path))
    cache = Cache(tmp_path / "cache", 40 * 4096)
    cache.put(keys[0], b"last")
    assert cache.get(keys[0]) == b"last"


def test_settings_choose_folder_limit_and_use(tmp_path: Path, monkeypatch):
    monkeypatch.setenv("WEFT_CACHE_DIR", str(tmp_path / "own"))
    monkeypatch.setenv("WEFT_CACHE_SIZE", "3M")
    monkeypatch.delenv("WEFT_CACHE", raising=False)
    cache = default_cache()
    assert (cache.folder, cache.limit) == (tmp_path / "own", 3 * MIB)
    cache.put(KEY, b"data")
    assert default_cache().get(KEY) == b"data"
    monkeypatch.setenv("WEFT_CACHE", "0")
    assert default_cache().get(KEY) is None
    default_cache().put(digest("second"), b"data")
    assert default_cache().stats().entries == 1
    assert default_cache().stats().state == "off"
    monkeypatch.setenv("WEFT_CACHE", "1")
    monkeypatch.setenv("WEFT_CACHE_SIZE", "0")
    assert default_cache().get(KEY) is None


def test_the_default_folder_follows_the_user(tmp_path: Path, monkeypatch):
    monkeypatch.delenv("WEFT_CACHE_DIR", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert default_cache().folder == tmp_path / "xdg" / "weft"
    for relative in ("", "relative/path"):
        monkeypatch.setenv("XDG_CACHE_HOME", relative)
        assert default_cache().folder == tmp_path / ".cache" / "weft"


def test_a_user_without_a_home_works_without_a_cache(monkeypatch):
    monkeypatch.delenv("WEFT_CACHE_DIR", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)

    def homeless():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", homeless)
    cache = default_cache()
    cache.put(KEY, b"data")
    assert cache.get(KEY) is None
    assert cache.stats().folder is None


def test_a_relative_folder_is_created_where_it_says(tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    cache = Cache(Path("deep/er/cache"), MIB)
    cache.put(KEY, b"data")
    assert (tmp_path / "deep" / "er" / "cache" / KEY[:2] / KEY).is_file()


def test_the_cache_needs_no_llvm():
    code = "import sys, weft.codegen.cache, weft.cli.cache\nassert 'llvmlite' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_what_takes_long_is_made_once(tmp_path: Path) -> None:
    made: list[int] = []

    def make() -> bytes:
        made.append(1)
        time.sleep(0.2)
        return b"server"

    def use() -> None:
        # Locks of files that are opened twice exclude each other as those of two processes do.
        assert Cache(tmp_path / "cache", 64 * MIB).get_or_make(KEY, make) == b"server"

    threads = [threading.Thread(target=use) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made == [1]
    assert Cache(None, 0).get_or_make(KEY, make) == b"server"  # without a folder it is made each time
    assert made == [1, 1]
