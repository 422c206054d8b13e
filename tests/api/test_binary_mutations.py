"""Binaries of wrong structure or wrong claims, with right checksums: each is refused or works."""

import contextlib
import dataclasses
import json
import random
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from weft import binary as binary_module
from weft import program, unit
from weft.codegen.cache import digest
from weft.codegen.program_text import ProgramText
from weft.compiler.describe_kernels import describe_kernels
from weft.errors import WeftError
from weft.frontend.link_options import parse_link_options
from weft.frontend.metadata import read_kernels
from weft.group_code import compile_form
from weft.kernel import KernelTraits
from weft.launch_form import LaunchForm
from weft.records import to_json
from weft.runtime.codes import CL_INVALID_BINARY, CL_SUCCESS
from weft.runtime.program import _loaded

SOURCE = """
struct pair { int a; float b; };
kernel void first(global float *x, constant float *y, local float *z, struct pair p, float4 v) {
    int i = get_global_id(0);
    z[get_local_id(0)] = sin(x[i]) + v.x;
    barrier(CLK_LOCAL_MEM_FENCE);
    x[i] = z[0] + y[p.a] * p.b;
}
kernel __attribute__((reqd_work_group_size(4, 1, 1)))
void second(read_only image2d_t t, sampler_t s, global float4 *x) {
    x[get_global_id(0)] = read_imagef(t, s, (float2)(0.5f, 0.5f));
}
"""
MAGIC = program._BINARY_MAGIC
ODD_VALUES = [
    None, True, -1, 0, 3, 2**31, 2**63, 2**70, 1.5, float("nan"), "", "x", "../../x", "a/b", "\0", "\ud800",
    [], {}, [[]], [0], [""], [None], {"a": 1}, [0] * 3, "9" * 50, "global", "local", "value",
]  # fmt: skip


def sign(magic: bytes, fields: Any) -> bytes:
    body = fields if isinstance(fields, bytes) else json.dumps(fields).encode()
    return magic + digest(body).encode() + body


@pytest.fixture(scope="module")
def fields() -> dict[str, Any]:
    data = program.build(SOURCE, "").binary()
    assert sign(MAGIC, data[len(MAGIC) + 64 :]) == data
    return json.loads(data[len(MAGIC) + 64 :])


@pytest.fixture(autouse=True)
def nothing_is_known(monkeypatch):
    monkeypatch.setattr(binary_module, "is_known", lambda _data: False)
    monkeypatch.setattr(unit, "is_known", lambda _data: False)


def status(data: bytes) -> int:
    """What clCreateProgramWithBinary says of a binary; any exception it does not expect comes through."""
    try:
        _loaded(data)
    except (WeftError, ValueError):
        return CL_INVALID_BINARY
    return CL_SUCCESS


def places(value: Any, path: tuple = ()) -> Iterator[tuple]:
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from places(item, (*path, key))


def changed(value: Any, path: tuple, change: Callable[[Any], Any]) -> Any:
    if not path:
        return change(value)
    copy = value.copy()
    copy[path[0]] = changed(value[path[0]], path[1:], change)
    return copy


def without(value: Any, path: tuple) -> Any:
    def drop(holder: Any) -> Any:
        copy = holder.copy()
        del copy[path[-1]]
        return copy

    return changed(value, path[:-1], drop)


def test_the_binary_itself_is_accepted(fields):
    assert status(sign(MAGIC, fields)) == CL_SUCCESS


def test_every_field_is_needed_and_has_its_type(fields):
    chance = random.Random(7)
    bare = {**fields, "builtins": []}
    assert status(sign(MAGIC, bare)) == CL_SUCCESS
    count = 0
    for path in places(bare):
        if path and isinstance(path[-1], str):
            assert status(sign(MAGIC, without(bare, path))) == CL_INVALID_BINARY, path
        value = bare
        for key in path:
            value = value[key]
        for odd in chance.sample(ODD_VALUES, 6):
            data = sign(MAGIC, changed(bare, path, lambda _value, odd=odd: odd))
            if not says_the_same(path, value, odd):
                assert status(data) == CL_INVALID_BINARY, (path, odd)
                count += 1
    assert count > 300


def says_the_same(path: tuple, value: Any, odd: Any) -> bool:
    """Whether a binary with `odd` in place of `value` is one that Weft could have written."""
    if path == ("log",):
        return isinstance(odd, str) and odd != "\ud800"
    if path in (("kernels",), ("builtins",)) and odd == []:
        return True
    return odd == value and type(odd) is type(value)


def test_traits_are_what_the_kernel_is_like(fields):
    bare = {**fields, "builtins": []}
    traits = bare["kernels"][0]["traits"]
    assert traits.keys() == {field.name for field in dataclasses.fields(KernelTraits)}
    for name, value in traits.items():
        other = not value if isinstance(value, bool) else value + 1 if isinstance(value, int) else [True] * 3
        assert other != value
        path = ("kernels", 0, "traits", name)
        lie = sign(MAGIC, changed(bare, path, lambda _value, other=other: other))
        assert status(lie) == CL_INVALID_BINARY, name


def test_text_that_can_be_misread_is_refused(fields):
    (kernel,) = (k for k in fields["kernels"] if k["info"]["name"] == "first")
    text = re.sub(r"(= .*call .*@_Z12get_local_idj)\(", r"\1 (", kernel["text"])
    infos = tuple(info for info in read_kernels(text) if info.name == "first")
    (misread,) = describe_kernels(ProgramText(text), infos, True)
    lie = {**to_json(misread), "text": text}
    assert kernel["traits"]["queries_group"] and not lie["traits"]["queries_group"]
    assert status(sign(MAGIC, {**fields, "kernels": [lie], "builtins": []})) == CL_INVALID_BINARY


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"null", b"[]", b"3", b'"x"', b"[" * 100_000, b'{"a":' * 100_000, b"\xff\xfe", b"9" * 10_000,
     b'{"weft": []}', b'{"weft": "' + b"9" * 10_000 + b'"}'],
)  # fmt: skip
def test_what_is_no_program_at_all_is_refused(body):
    assert status(sign(MAGIC, body)) == CL_INVALID_BINARY
    assert status(sign(unit._MAGIC, body)) == CL_INVALID_BINARY


def mutated(text: str, chance: random.Random) -> str:
    """IR with a few lines or words dropped, doubled or exchanged."""
    lines = text.split("\n")
    for _ in range(chance.randint(1, 3)):
        at, other = chance.randrange(len(lines)), chance.randrange(len(lines))
        kind = chance.randrange(5)
        if kind == 0:
            del lines[at]
        elif kind == 1:
            lines.insert(other, lines[at])
        elif kind == 2:
            lines[at], lines[other] = lines[other], lines[at]
        else:
            words = lines[at].split(" ")
            pool = [w for line in lines for w in line.split(" ") if w]
            words[chance.randrange(len(words))] = chance.choice(pool)
            lines[at] = " ".join(words)
    return "\n".join(lines)


@pytest.mark.parametrize("kernel", [0, 1])
def test_mutated_ir_is_refused_or_compiles_or_fails_with_an_error(fields, kernel):
    chance = random.Random(kernel)
    text = fields["kernels"][kernel]["text"]
    accepted = []
    for _ in range(150):
        other = mutated(text, chance)
        data = sign(
            MAGIC, changed({**fields, "builtins": []}, ("kernels", kernel, "text"), lambda _t, o=other: o)
        )
        if status(data) == CL_SUCCESS and other.split() != text.split():
            accepted.append(data)
    assert accepted
    for data in accepted[:6]:
        loaded = list(program.load_binary(data).kernels.values())[kernel]
        with contextlib.suppress(Exception):  # a launch that fails is an error code; it must not be a crash
            compile_form(loaded.code, loaded.options, LaunchForm((4, 1, 1)))


def test_mutated_objects_are_refused_or_linked_or_fail_to_link():
    made = unit.compile_unit(SOURCE, "", {})
    chance = random.Random(3)
    fields = json.loads(made.binary()[len(unit._MAGIC) + 64 :])
    linked = refused = 0
    for _ in range(60):
        data = sign(unit._MAGIC, {**fields, "ir": mutated(fields["ir"], chance)})
        if status(data) == CL_INVALID_BINARY:
            refused += 1
            continue
        try:
            unit.link_executable([unit.load_unit(data)], parse_link_options(""))
            linked += 1
        except WeftError:
            refused += 1
    assert linked and refused


def test_definitions_of_built_ins_stay_with_the_program_that_brought_them(fields, monkeypatch, tmp_path):
    """A binary whose sine is another function changes neither other programs nor what they find cached."""
    from weft.builtins import library
    from weft.builtins.precompiled import Precompiled

    key, sine = next((k, m) for k, m in fields["builtins"] if "@_Z3sinf(" in m)
    start = sine.index("{\n", sine.index("@_Z3sinf("))
    end = sine.index("\n}", start)
    wrong = f"{sine[:start]}{{\n  ret float 4.200000e+01{sine[end:]}"
    data = sign(MAGIC, {**fields, "builtins": [[key, wrong]]})
    # A machine on which nothing was compiled yet.
    monkeypatch.setenv("WEFT_CACHE_DIR", str(tmp_path))
    fresh = library.Library(library.default_cache())
    monkeypatch.setattr(library, "_library", lambda: fresh)
    monkeypatch.setattr(library, "_ahead", lambda target: Precompiled(None))

    theirs, ours = program.load_binary(data).kernels["first"], program.build(SOURCE, "").kernels["first"]
    assert dict(theirs.code.brought) == {key: wrong}
    assert theirs.code.identity != ours.code.identity
    codes = [compile_form(k.code, k.options.baseline_tier(), LaunchForm((4, 1, 1))) for k in (theirs, ours)]
    assert codes[0] != codes[1]
    assert "4.200000e+01" not in fresh._stored(key)
    # Where the library has it, a binary's is not taken.
    assert program.load_binary(data).kernels["first"].code.brought == ()


def test_a_binary_with_damaged_definitions_is_refused(fields, monkeypatch, tmp_path):
    from weft.builtins import library

    monkeypatch.setenv("WEFT_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(library, "_library", lambda: library.Library(library.default_cache()))
    key, module = fields["builtins"][0]
    for text in ("", "define", module[:-9], module.replace("ret ", "rett ", 1), "\0", module + "}"):
        assert (
            status(sign(MAGIC, {**fields, "builtins": [[key, text]]})) == CL_INVALID_BINARY
            or not text.strip()
        )
