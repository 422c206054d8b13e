"""`weft vectorize`: what is written, and when nothing is."""

from pathlib import Path

import pytest

from weft.cli.main import main

ADD = """// adds one
__kernel void add(__global const float *a, __global float *c) {
    int i = get_global_id(0); /* the place */
    c[i] = a[i] + 1.0f;
}
"""
ADDED = """// adds one
/* weft vectorize --inter 4: 4 work-items in one; global size / 4 */
__kernel void add(__global const float *a, __global float *c) {
    int i = get_global_id(0) * 4; /* the place */
    vstore4(vload4(0, &a[i]) + 1.0f, 0, &c[i]);
}
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "add.cl"
    path.write_text(ADD)
    return path


def test_writes_to_a_new_file(program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    new = program.with_name("new.cl")
    assert main(["vectorize", str(program), "--inter", "4", "--exact", "-o", str(new)]) == 0
    assert new.read_text() == ADDED
    assert program.read_text() == ADD
    assert "divide the global size along x by 4" in capsys.readouterr().err


def test_in_place(program: Path) -> None:
    assert main(["vectorize", str(program), "--inter", "4", "--exact", "--in-place"]) == 0
    assert program.read_text() == ADDED


@pytest.mark.parametrize("suffix", ["py", "h"])
def test_writes_what_the_host_needs(program: Path, suffix: str) -> None:
    host = program.with_name(f"launch.{suffix}")
    new = program.with_name("new.cl")
    assert main(["vectorize", str(program), "--inter", "4", "-o", str(new), "--host", str(host)]) == 0
    text = host.read_text()
    assert "enqueue_add(" in text
    if suffix == "py":
        compile(text, "launch.py", "exec")
    assert "const ulong items" in new.read_text()


def test_a_program_without_kernels_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, new = tmp_path / "k.cl", tmp_path / "new.cl"
    path.write_text("int f(int x) { return x; }\n")
    for how in (["--inter", "4"], ["--intra", "4"], ["--auto"]):
        assert main(["vectorize", str(path), *how, "-o", str(new)]) == 1
        assert "k.cl has no kernel" in capsys.readouterr().err
        assert not new.exists()


REFUSED = {
    "int i = get_global_id(0); if (i > 3) barrier(1); a[i] = i;": "1:80: barrier is in divergent",
    "int i = get_global_id(0); a[i] = 1; if (i > 3) return; a[i] = 2;": "1:79: some work-items return here",
    "int i = get_global_id(n); a[i] = 1;": "1:51: the dimension of get_global_id is not a constant",
    "a[n] = 1;": "nothing in k becomes a vector",
    "int i = get_global_id(0); e: if (a[i] > 3) { a[i]--; goto e; }": "goto is not supported",
    "int i = get_global_id(0); SET(a[i])": "the macro SET hides",
    "int i = ": "error: expected",
}


@pytest.mark.parametrize(
    ("body", "message"), REFUSED.items(), ids=[m.split(":")[-1] for m in REFUSED.values()]
)
def test_refusal_has_a_place_and_writes_nothing(
    body: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, new = tmp_path / "k.cl", tmp_path / "new.cl"
    macro = "#define SET(x) x = get_global_id(0);\n" if "SET" in body else ""
    path.write_text(f"{macro}__kernel void k(__global int *a, int n) {{ {body} }}\n")
    assert main(["vectorize", str(path), "--inter", "4", "-o", str(new)]) == 1
    assert message in capsys.readouterr().err
    assert not new.exists()
