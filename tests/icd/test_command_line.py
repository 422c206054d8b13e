"""The `weft` command: dispatch, output, errors and exit status."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import weft
from weft.cli.main import COMMANDS, main
from weft.device.base import devices
from weft.icd import register
from weft.runtime import identity


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"weft {weft.__version__}\n"


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    text = capsys.readouterr().out
    assert all(name in text for name in COMMANDS)


def test_no_command_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert "usage" in capsys.readouterr().err


KERNEL = "kernel void k(global int *o) { o[get_global_id(0)] = N; }"


def run_in_shell(words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    command = f"{shlex.quote(sys.executable)} -m weft.cli {words}"
    environment = {**os.environ, **variables}
    return subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=60, env=environment)


@pytest.mark.parametrize("words", ["settings", "explain --options -DN=1 k.cl"])
def test_a_program_without_standard_output_ends_well(
    words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("k.cl").write_text(KERNEL)
    done = run_in_shell(f"{words} >&-")
    assert (done.returncode, done.stderr) == (0, "")


def test_a_program_without_standard_input_reads_nothing() -> None:
    done = run_in_shell("explain - <&-")
    assert (done.returncode, done.stdout, done.stderr) == (0, "standard input has no kernels\n", "")


def test_characters_that_the_terminal_lacks_are_escaped(tmp_path: Path) -> None:
    file = tmp_path / "k.cl"
    file.write_text(f"/* \N{SNOWMAN} */ {KERNEL}")
    done = run_in_shell(f"explain {shlex.quote(str(file))}", PYTHONIOENCODING="ascii")
    assert done.returncode == 1 and "\\u2603" in done.stdout and not done.stderr


@pytest.mark.parametrize(
    "command", ["explain", "consecutive", "patterns", "tta", "vectorize --inter 4", "vectorize --auto"]
)
def test_build_options_may_start_with_a_dash(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "k.cl"
    file.write_text(KERNEL)
    assert main([*command.split(), "--options", "-DN=7", str(file)]) == 0


def test_devices_shows_the_error_of_the_program(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "program.py"
    file.write_text("1 / 0\n")
    assert main(["devices", "--memory", str(file)]) == 1
    error = capsys.readouterr().err
    assert "ZeroDivisionError: division by zero" in error and "bug in Weft" not in error


def test_unknown_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["frobnicate"]) == 2
    assert "unknown command 'frobnicate'" in capsys.readouterr().err


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([name, "--help"])
    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith(f"usage: weft {name}")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_refuses_unknown_options(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([name, "--nonsense"])
    assert ended.value.code == 2
    assert "--nonsense" in capsys.readouterr().err


def test_icd_prints_the_path_alone(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["icd"]) == 0
    out = capsys.readouterr().out
    assert out == f"{register.library_path()}\n"
    assert Path(out.strip()).is_absolute()


def test_icd_register_and_unregister_in_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["icd", "register", "--dir", str(tmp_path)]) == 0
    assert (tmp_path / "weft.icd").exists()
    assert main(["icd", "unregister", "--dir", str(tmp_path)]) == 0
    assert not (tmp_path / "weft.icd").exists()
    assert main(["icd", "unregister", "--dir", str(tmp_path)]) == 0
    assert "does not exist" in capsys.readouterr().out


def test_icd_register_for_the_system_without_rights(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "vendors").write_text("")
    monkeypatch.setattr(register, "SYSTEM_FOLDER", tmp_path / "vendors")
    assert main(["icd", "register", "--system"]) == 1
    assert capsys.readouterr().err.startswith("weft icd: cannot write")


def test_devices_shows_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["devices"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["device", *(device.kind for device in devices())]
    assert any(line.startswith("compute units") for line in lines)


def test_devices_shows_how_a_program_has_divided_memory(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("""
import sys
from weft.device.base import device
one = device(sys.argv[1])
buffers = [one.allocate(1 << 20) for _ in range(3)]
one.free(buffers[1])
""")
    used = "isolated" if "isolated" in identity.DEVICE_KINDS else "ttasim"
    lines = subprocess.run(
        [sys.executable, "-m", "weft", "devices", "--memory", str(program), used],
        capture_output=True, text=True, timeout=60, check=True,
    ).stdout.splitlines()  # fmt: skip
    assert lines[:2] == [
        "pthread: host memory, managed by the C library",
        "basic: host memory, managed by the C library",
    ]
    if "isolated" in identity.DEVICE_KINDS:
        assert [line.split()[0] for line in lines[2:6]] == ["isolated:", "buffers", "code", "variables"]
        assert "buffers    2 MiB of " in lines[3] and " in 2 chunks, 1 holes, largest free chunk" in lines[3]
        assert ", peak 3 MiB, " in lines[3]
    assert [line.split()[0] for line in lines[-3:]] == ["ttasim:", "buffers", "copies"]


def test_settings_shows_values(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("WEFT_THREADS", "3")
    assert main(["settings"]) == 0
    assert "* WEFT_THREADS = 3" in capsys.readouterr().out


def test_bad_setting_is_one_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("WEFT_THREADS", "many")
    assert main(["settings"]) == 1
    assert capsys.readouterr().err.startswith("weft settings: WEFT_THREADS='many'")


def test_closed_pipe_is_silent() -> None:
    command = f"{shlex.quote(sys.executable)} -m weft.cli settings | true"
    result = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60, check=False)
    assert result.stderr == ""


def test_help_and_icd_do_not_load_llvm() -> None:
    text = """
import sys
from weft.cli.main import main
main(["--help"])
main(["icd"])
assert not {"llvmlite", "numpy", "weft.runtime", "pyopencl"} & set(sys.modules), sys.modules.keys()
"""
    subprocess.run([sys.executable, "-c", text], check=True, timeout=60, stdout=subprocess.DEVNULL)
