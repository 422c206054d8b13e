"""What the search for wrong kernels does with those it finds."""

from typing import Any

import fuzz_worker
import pytest
from fuzz_worker import Shrinking, described


def test_each_of_several_failures_is_described_with_its_kernel() -> None:
    first, second = AssertionError("out differs"), ValueError("not a module")
    first.add_note("kernel void a")
    second.add_note("kernel void b")
    text = described(ExceptionGroup("2 distinct failures", [first, second]))
    for part in ("AssertionError: out differs\nkernel void a", "ValueError: not a module\nkernel void b"):
        assert part in text


def test_kernels_are_not_shrunk_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []

    def check(case: Any, ways: tuple[str, ...]) -> None:
        seen.append(case)
        assert case == "right"

    monkeypatch.setattr(fuzz_worker, "check", check)
    tried = Shrinking(seconds=-1.0)
    tried.check("right", ("way",))  # type: ignore[arg-type]
    for _ in range(2):
        with pytest.raises(AssertionError):
            tried.check("wrong", ("way",))  # type: ignore[arg-type]
    tried.check("smaller", ("way",))  # type: ignore[arg-type]
    tried.check("right", ("way",))  # type: ignore[arg-type]
    assert seen == ["right", "wrong"]
