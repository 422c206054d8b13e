"""`weft cache` and `weft cache clear`."""

from pathlib import Path

import pytest

from weft.cli.cache import run
from weft.codegen.cache import default_cache, digest


@pytest.fixture(autouse=True)
def cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("WEFT_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("WEFT_CACHE_SIZE", "10M")
    monkeypatch.delenv("WEFT_CACHE", raising=False)
    return tmp_path / "cache"


def shown(capsys: pytest.CaptureFixture[str]) -> dict[str, str]:
    assert run([]) == 0
    return dict(line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines())


def test_it_shows_folder_entries_bytes_and_limit(cache_folder, capsys):
    for number in range(3):
        default_cache().put(digest(str(number)), bytes(5000))
    assert shown(capsys) == {
        "folder": str(cache_folder),
        "state": "on",
        "entries": "3",
        "bytes": "24576 (24 KiB)",
        "limit": "10485760 (10 MiB)",
    }


def test_a_cache_never_used_is_empty(capsys):
    assert shown(capsys)["entries"] == "0"
    assert run(["clear"]) == 0
    assert capsys.readouterr().out == "removed 0 entries\n"


def test_clear_removes_the_entries(capsys):
    default_cache().put(digest("a"), b"data")
    assert run(["clear"]) == 0
    assert capsys.readouterr().out == "removed 1 entry\n"
    assert default_cache().get(digest("a")) is None


def test_it_says_when_the_cache_is_off_or_unusable(cache_folder, capsys, monkeypatch):
    cache_folder.write_text("a file")
    assert shown(capsys)["state"] == "unusable: it is not a folder"
    monkeypatch.setenv("WEFT_CACHE", "0")
    assert shown(capsys)["state"] == "off"


def test_an_unknown_action_is_an_error(capsys):
    with pytest.raises(SystemExit) as exit_info:
        run(["burn"])
    assert exit_info.value.code == 2
    assert "burn" in capsys.readouterr().err


def test_help_names_the_settings(capsys):
    with pytest.raises(SystemExit) as exit_info:
        run(["--help"])
    assert exit_info.value.code == 0
    assert "WEFT_CACHE_DIR" in capsys.readouterr().out
