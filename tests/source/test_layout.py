"""`weft vectorize --layout`: indices for transposed buffers, and refusals with a place."""

from pathlib import Path

import numpy as np
import pytest

from weft.cli.main import main
from weft.frontend.options import parse_options
from weft.source.layout import lay_out
from weft.source.refusal import Refused

HEAD = "__kernel void k(__global float *a, __global const float *b, int n, int m) {"
# What is written for `b[...]` when b is transposed.
INDICES = {
    "c = b[y * n + x];": "c = b[x * b_rows + y];",
    "c = b[x + (y + 1) * n - 1];": "c = b[(x - 1) * b_rows + y + 1];",
    "int at = (y + 1) * n + x; c = b[at - n] - b[at + 1];": "[x * b_rows + y] - b[(x + 1) * b_rows + y + 1];",
    "c = b[2 * x] + b[2 * x + 1];": "c = b[x] + b[b_rows + x];",
    "c = b[y << 10 | x];": "",
    "c = b[(y + 1) * 64 + x - 64 + 1];": "c = b[(x + 1) * b_rows + y];",
    "c = b[y * 64 + x + 33];": "c = b[(x + 33) * b_rows + y];",
    "c = b[(y << 10) + x];": "c = b[x * b_rows + y];",
    "for (int k = 0; k < n; k++) c += b[k * PITCH + x];": "c += b[x * b_rows + k];",
    "c = b[(y * m + x) * n + 3];": "c = b[3 * b_rows + x + m * y];",
    "c = b[x * n + b_index(y)];": "",
    "c = b[y * n + x / 2];": "c = b[(x / 2) * b_rows + y];",
}
TEXT = """#define PITCH 64
int b_index(int i) {{ return i; }}
{head}
    int x = get_global_id(0), y = get_global_id(1);
    float c = 0.0f;
    {body}
    a[y * n + x] = c;
}}
"""
REFUSED = {
    "c = b[y * n + x] + b[x * m + y];": "6:24: b has rows n elements apart elsewhere, not here",
    "c = b[x];": "6:9: b has no rows here",
    "__global const float *p = b; c = p[x];": "6:31: b is used as a pointer",
    "c = vload4(y * n + x, b).x;": "6:9: b is passed to the function vload4",
    "c = *(&b[y * n + x]);": "6:11: the address of an element of b is taken",
    "c = b[y * n + x++];": "6:19: the index has side effects",
    "c = b[y * n + x] + b[(y * n + x) / 2];": "its index is not affine",
    "c = b[y * PITCH + x] + b[y * 64 + x];": "6:28: its rows are not PITCH elements apart",
    "c = b[y * x + n];": "6:9: its index is not row * pitch + column",
    "c = AT(y, x);": "6:9: the macro AT hides an access to b",
}


def program(body: str) -> str:
    macro = "#define AT(r, c) b[(r) * n + (c)]\n" if "AT(" in body else ""
    text = TEXT.format(head=HEAD, body=body)
    return text.replace("#define PITCH 64\n", macro or "#define PITCH 64\n")


@pytest.mark.parametrize(("body", "expected"), INDICES.items())
def test_indices_are_transposed(body: str, expected: str) -> None:
    if not expected:
        with pytest.raises(Refused):
            lay_out(program(body), parse_options(""), "k.cl", "k", ["b"])
        return
    text, (layout,) = lay_out(program(body), parse_options(""), "k.cl", "k", ["b"])
    assert expected in text
    assert "int m, const int b_rows) {" in text
    assert (layout.argument, layout.position, layout.written) == (4, 1, False)


@pytest.mark.parametrize(("body", "message"), REFUSED.items())
def test_other_uses_are_refused(body: str, message: str) -> None:
    with pytest.raises(Refused) as refused:
        lay_out(program(body), parse_options(""), "k.cl", "k", ["b"])
    assert message in str(refused.value)


@pytest.mark.parametrize("blocks", [0, 4])
def test_conversions_are_inverse(blocks: int) -> None:
    text = program("c = b[y * n + x];")
    _, (layout,) = lay_out(text, parse_options(""), "k.cl", "k", ["a"], blocks)
    assert layout.written
    before = np.arange(42)
    after = layout.converted(before, 6)
    assert after[:2].tolist() == ([0, 1] if blocks else [0, 6])
    assert layout.restored(after, 6, 7).tolist() == before.tolist()


def test_the_host_gets_the_conversions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, new = tmp_path / "k.cl", tmp_path / "new.cl"
    path.write_text(program("for (int k = 0; k < n; k++) c += b[k * n + x];"))
    for name in ("host.py", "host.h"):
        host = tmp_path / name
        assert main(["vectorize", str(path), "--layout", "-o", str(new), "--host", str(host)]) == 0
    assert "b[x * b_rows + k]" in new.read_text()
    assert "convert it before the launch, and set argument 4" in capsys.readouterr().err
    assert "b_of_k_to_layout(" in (tmp_path / "host.h").read_text()
    names: dict[str, object] = {}
    exec((tmp_path / "host.py").read_text(), names)  # the module that was written
    array, rows = names["b_of_k_to_layout"](np.arange(6), 3)  # type: ignore[operator]
    assert array.tolist() == [0, 3, 1, 4, 2, 5] and rows == 2
    path.write_text(program("c = b[x];"))
    assert main(["vectorize", str(path), "--layout"]) == 1
    assert "no work-item accesses a buffer by columns" in capsys.readouterr().err
