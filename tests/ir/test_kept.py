"""Modules that were read before are given to the first who asks for them, and to nobody else."""

from weft import ir
from weft.ir.kept import MOST, keep, take


def _text(name: str) -> str:
    return f"define void @{name}() {{\n  ret void\n}}\n"


def test_a_kept_module_is_given_away_once() -> None:
    text = _text("once")
    module = ir.parse(text)
    keep(text, module)
    assert take(text) is module
    again = take(text)
    assert again is not module and ir.print_module(again) == ir.print_module(module)


def test_only_the_last_few_are_kept() -> None:
    modules = {text: ir.parse(text) for text in map(_text, (f"f{n}" for n in range(MOST + 1)))}
    for text, module in modules.items():
        keep(text, module)
    kept = [take(text) is module for text, module in modules.items()]
    assert kept == [False] + [True] * MOST
