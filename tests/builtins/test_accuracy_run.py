"""The measurement behind docs/accuracy.md: sweeps on Weft that can be ended and gone on with."""

from pathlib import Path

import accuracy_run
import pytest
from accuracy_run import (
    Progress,
    Sample,
    Shard,
    State,
    Sweep,
    Sweeper,
    measure,
    merge,
    page,
    sample,
    version_of,
)
from builtin_functions import EXACT, ONE_ARGUMENT, TWO_ARGUMENTS

STRIDE = 100_003
SOURCE = accuracy_run.SWEEP


def _sweep(name: str, state: State) -> Sweep:
    sweep = state.sweeps.setdefault(name, Shard().sweep(STRIDE, version_of(name)))
    Sweeper().run(name, sweep, state, Progress(1))
    return sweep


def test_a_sweep_finds_the_worst_error(tmp_path: Path) -> None:
    state = State(tmp_path / "state.json", fresh=False)
    assert 0.5 < _sweep("exp", state).worst < 3
    assert _sweep("floor", state).worst == 0


def test_a_wrong_function_is_found_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = SOURCE.replace("(FUNCTION(x)", "(x > 1e30f ? 0.0f : FUNCTION(x)")
    monkeypatch.setattr(accuracy_run, "SWEEP", wrong)
    assert _sweep("fabs", State(tmp_path / "state.json", fresh=False)).worst > 1e6


def test_a_sweep_continues_where_it_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = _sweep("log", State(tmp_path / "whole.json", fresh=False))
    path = tmp_path / "state.json"
    monkeypatch.setattr(accuracy_run, "CHUNK", 10_000)
    state = State(path, fresh=False)
    monkeypatch.setattr(state, "save", _ended_after(3, state))
    with pytest.raises(KeyboardInterrupt):
        _sweep("log", state)
    again = State(path, fresh=False)
    assert again.sweeps["log"].done == 30_000
    assert _sweep("log", again) == whole
    assert State(path, fresh=True).sweeps == {}


def _ended_after(count: int, state: State) -> object:
    saved = []
    save = state.save

    def save_and_end() -> None:
        save()
        saved.append(True)
        if len(saved) == count:
            raise KeyboardInterrupt

    return save_and_end


def test_shards_together_do_what_one_process_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(accuracy_run, "STATE", tmp_path / "accuracy.json")
    names = ["log", "floor"]
    parts = []
    for shard in (Shard(number, 3) for number in range(3)):
        parts.append(State(shard.path, fresh=False))
        measure(parts[-1], names, STRIDE, 48, shard)
    together, alone = (State(tmp_path / f"{name}.json", fresh=False) for name in ("together", "alone"))
    merge(together, parts)
    measure(alone, names, STRIDE, 48, Shard())
    assert together.sweeps["log"].worst == alone.sweeps["log"].worst > 0.5
    assert together.samples == alone.samples
    assert {path.name for path in tmp_path.glob("accuracy-*")} == {
        f"accuracy-{k}-of-3.json" for k in range(3)
    }


def test_a_function_that_has_changed_is_measured_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = State(tmp_path / "state.json", fresh=False)
    measure(state, ["floor"], STRIDE, 48, Shard())
    state.sweeps["floor"].worst = 7.0
    measure(state, ["floor"], STRIDE, 48, Shard())
    assert state.sweeps["floor"].worst == 7.0
    monkeypatch.setattr(accuracy_run, "version_of", lambda name: "another")
    measure(state, ["floor"], STRIDE, 48, Shard())
    assert state.sweeps["floor"].worst == 0.0


def test_every_half_is_tried() -> None:
    found = sample("exp", "half", 48)
    assert (found.count, found.worst <= 0.51) == (2**16, True)


def test_other_functions_are_sampled() -> None:
    found = sample("hypot", "double", 48)
    assert found.count >= 48
    assert 0 < found.worst <= 4


def test_the_page_has_a_row_for_each_function(tmp_path: Path) -> None:
    state = State(tmp_path / "state.json", fresh=False)
    state.sweeps = {name: Sweep(1, 0, 2**32, 2**32, 0.75) for name in (*ONE_ARGUMENT, *EXACT)}
    names = [
        f"{name} {element}"
        for name in (*ONE_ARGUMENT, *TWO_ARGUMENTS)
        for element in ("float", "double", "half")
    ]
    state.samples = {name: Sample(5000, 1.25) for name in names}
    text = page(state)
    assert "every float" in text
    assert "| `exp` | 3 | 0.75 | 0 | 1.25 | 1.25 |" in text
    assert text.count("\n| `") == len(ONE_ARGUMENT) + len(EXACT) + len(TWO_ARGUMENTS)
