"""Each transition of the state machine of a form's code, with a compiler that answers at once."""

import ctypes
import signal
from dataclasses import dataclass, field, replace
from typing import Any, cast

import pytest
from fault_support import Store

from weft.abi import TIER_BETTER, TIER_STATE_SIZE
from weft.errors import BudgetExceeded, OptimizationFailed
from weft.faults import Fault
from weft.group_code import WorkGroupFunction
from weft.kernel import CodeOptions
from weft.launch_form import LaunchForm
from weft.tiers import tiered_code
from weft.tiers.tiered_code import LaunchContext, State, TieredCode, TieredKernel

OPTIONS = CodeOptions(level=2, method="auto")
FORM = LaunchForm((64, 1, 1))
TILE = LaunchForm(None, tile=(64, 1, 1))
BACK = LaunchContext(waits=1)


@dataclass
class World:
    """What a form's code meets: a compiler, a background and a cache."""

    store: Store = field(default_factory=Store)
    fails: dict[bool, BaseException] = field(default_factory=dict)  # by whether it is baseline code
    accepts: bool = True
    idle: bool = True  # the background has not begun
    early: bytes | None = None  # what it has compiled before it was wanted
    wanted: list[TieredCode] = field(default_factory=list)
    words: Any = field(default_factory=lambda: (ctypes.c_uint64 * (TIER_STATE_SIZE // 8))())

    def compile_form(self, code: Any, options: CodeOptions, form: LaunchForm) -> bytes:
        if options.baseline in self.fails:
            raise self.fails[options.baseline]
        return b"baseline" if options.baseline else b"optimized"

    def load_form(self, code: Any, data: bytes) -> WorkGroupFunction:
        if data not in (b"baseline", b"optimized"):
            raise ValueError("no code")
        loaded = cast(Any, type("Loaded", (), {"data_address": ctypes.addressof(self.words)}))
        return WorkGroupFunction(len(data), 0, 0, 0, loaded, provisional=data == b"baseline")

    def want(self, job: TieredCode) -> bool:
        self.wanted.append(job)
        return self.accepts

    def cancel(self, job: TieredCode) -> bool:
        return self.idle

    def give_up_early(self, key: str) -> None:
        pass

    def awaits(self, key: str) -> bool:
        """An early job that ends now, if there is one."""
        if self.early is not None:
            self.store[key] = self.early
        return self.early is not None

    def code(self, form: LaunchForm = FORM) -> TieredCode:
        traits = type("Traits", (), {"instructions": 10})
        info = type("Info", (), {"name": "k"})
        code = type("Code", (), {"identity": ("k",), "traits": traits, "info": info})
        return TieredCode(TieredKernel(cast(Any, code), OPTIONS), form)

    @property
    def entry(self) -> int:
        return self.words[TIER_BETTER // 8]


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    made = World()
    monkeypatch.setenv("WEFT_TIERS", "1")
    monkeypatch.setenv("WEFT_VERIFY", "0")
    monkeypatch.setattr(tiered_code, "default_cache", lambda: made.store)
    monkeypatch.setattr(tiered_code, "compile_form", made.compile_form)
    monkeypatch.setattr(tiered_code, "load_form", made.load_form)
    monkeypatch.setattr(tiered_code, "background", made)
    monkeypatch.setattr(tiered_code, "can_tier_up", lambda: True)
    return made


def launched(code: TieredCode, context: LaunchContext = LaunchContext()) -> str:  # noqa: B008
    """What a launch begins with."""
    with code._kernel.lock:
        function = code.for_launch(context)
    return "nothing" if function is None else "provisional" if function.provisional else "lasting"


def optimizing(world: World) -> TieredCode:
    """Code in the state COMPILING."""
    code = world.code()
    assert launched(code) == "provisional" and code.state is State.COMPILING
    return code


def test_empty_to_compiling_by_way_of_baseline(world: World) -> None:
    code = optimizing(world)
    assert world.wanted == [code] and list(world.store.values()) == [b"baseline"]


def test_empty_to_compiling_at_once_for_many_work_items(world: World) -> None:
    code, compile_form = world.code(), world.compile_form
    wanted: list[list[TieredCode]] = []

    def compile_and_look(*words: Any) -> bytes:
        wanted.append(list(world.wanted))
        return compile_form(*words)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tiered_code, "compile_form", compile_and_look)
        assert launched(code, LaunchContext(items=1 << 20)) == "provisional"
    assert wanted == [[code]] and world.wanted == [code] and code.state is State.COMPILING
    code.finish(b"optimized", None)
    assert code.state is State.OPTIMIZED


def test_code_that_later_launches_do_not_need_is_not_optimized(world: World) -> None:
    code, passing = world.code(), LaunchContext(items=1 << 20, is_passing=True)
    for context in (passing, replace(passing, waits=1)):
        assert launched(code, context) == "provisional" and code.state is State.BASELINE
    assert not world.wanted
    assert launched(code) == "provisional" and world.wanted == [code]
    assert launched(code, replace(passing, waits=2)) == "provisional" and code.state is State.COMPILING


def test_baseline_code_is_not_compiled_for_image_formats(world: World) -> None:
    form, compile_form = replace(FORM, known=((5, 2),)), world.compile_form
    known: list[Any] = []

    def compile_and_look(code: Any, options: CodeOptions, form: LaunchForm) -> bytes:
        known.append(form.known)
        return compile_form(code, options, form)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tiered_code, "compile_form", compile_and_look)
        code = world.code(form)
        assert launched(code) == "provisional" and code.state is State.COMPILING
        assert launched(code, BACK) == "lasting"
    assert known == [(), form.known]


def test_empty_to_optimized_if_an_early_job_ends_in_time(world: World) -> None:
    world.early, world.fails = b"optimized", {False: AssertionError("nobody should compile it again")}
    code = world.code()
    assert launched(code, LaunchContext(items=1 << 40)) == "lasting" and code.state is State.OPTIMIZED


def test_early_jobs_may_fail(world: World) -> None:
    world.early = b"no code"
    code = world.code()
    assert launched(code, LaunchContext(items=1 << 40)) == "lasting" and code.state is State.OPTIMIZED


def test_an_early_reply_has_no_code(world: World) -> None:
    world.fails = {True: ValueError("odd"), False: ValueError("odd")}
    code = world.code()
    with pytest.raises(ValueError, match="odd"):
        launched(code, LaunchContext(items=1 << 20))
    code.finish(b"optimized", None)
    assert code.state is State.EMPTY and world.wanted == [code]


def test_empty_to_optimized_if_it_is_cached(world: World) -> None:
    code = world.code()
    world.store[code._kernel.key(FORM, OPTIONS)] = b"optimized"
    assert launched(code) == "lasting" and code.state is State.OPTIMIZED and not world.wanted


def test_empty_to_optimized_if_baseline_code_does_not_pay(world: World) -> None:
    code = world.code()
    assert launched(code, LaunchContext(items=1 << 40)) == "lasting"
    assert code.state is State.OPTIMIZED and list(world.store.values()) == [b"optimized"]


def test_empty_to_optimized_if_there_is_no_baseline_code(
    world: World, capfd: pytest.CaptureFixture[str]
) -> None:
    world.fails = {True: ValueError("odd")}
    code = world.code()
    assert launched(code) == "lasting" and code.state is State.OPTIMIZED
    assert "starts in optimized code" in capfd.readouterr().err


def test_empty_to_baseline_only_if_optimizing_fails(
    world: World, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("WEFT_TIERS", "0")
    world.fails = {False: ValueError("odd")}
    code = world.code()
    assert launched(code) == launched(code) == "lasting" and code.state is State.BASELINE_ONLY
    assert capfd.readouterr().err.count("\n") == 1


def test_empty_to_baseline_only_if_another_form_was_too_costly(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEFT_TIERS", "0")
    world.fails = {False: BudgetExceeded("too large")}
    code = world.code()
    assert launched(code) == "lasting" and code._kernel.is_costly
    world.fails = {False: AssertionError("nobody should try again")}
    other = TieredCode(code._kernel, LaunchForm((32, 1, 1)))
    assert launched(other) == "lasting" and other.state is State.BASELINE_ONLY


def test_empty_to_unavailable_if_tiles_have_no_code_at_all(world: World) -> None:
    world.fails = {False: ValueError("odd"), True: ValueError("odd")}
    code = world.code(TILE)
    code._kernel.is_costly = True
    assert launched(code) == "nothing" and code.state is State.UNAVAILABLE


def test_empty_stays_empty_if_nothing_can_be_compiled(world: World) -> None:
    world.fails = {False: ValueError("odd"), True: ValueError("odd")}
    code = world.code()
    for _ in range(2):
        with pytest.raises(ValueError, match="odd"):
            launched(code)
        assert code.state is State.EMPTY
    world.fails = {}
    assert launched(code) == "provisional"


def test_baseline_stays_on_request_and_when_the_program_ends(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.accepts = False
    code = world.code()
    assert launched(code) == launched(code, BACK) == "provisional" and code.state is State.BASELINE
    world.accepts = True
    monkeypatch.setenv("WEFT_TIERS", "baseline")
    assert launched(code, BACK) == "provisional" and code.state is State.BASELINE and len(world.wanted) == 2


def test_compiling_to_optimized_when_the_code_comes(world: World) -> None:
    code = optimizing(world)
    code.finish(b"optimized", None)
    assert code.state is State.OPTIMIZED and world.entry == len(b"optimized")
    assert launched(code) == "lasting" and b"optimized" in world.store.values()


def test_compiling_to_optimized_by_the_launch_that_waits(world: World) -> None:
    code = optimizing(world)
    assert launched(code) == "provisional"  # the host has not waited: launches belong together
    assert launched(code, BACK) == "lasting" and code.state is State.OPTIMIZED and world.entry
    assert b"optimized" in world.store.values()


def test_compiling_to_baseline_if_that_launch_is_interrupted(world: World) -> None:
    code = optimizing(world)
    world.fails = {False: KeyboardInterrupt()}
    with pytest.raises(KeyboardInterrupt):
        launched(code, BACK)
    assert code.state is State.BASELINE
    world.fails = {}
    assert launched(code, BACK) == "lasting" and world.wanted == [code, code]


@pytest.mark.parametrize("kind", [KeyboardInterrupt, TimeoutError])
def test_compiling_to_baseline_wherever_that_launch_is_interrupted(
    kind: type[BaseException],
    world: World,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    def handle(*_: object) -> None:
        raise kind

    def interrupt(*_: object) -> None:
        signal.raise_signal(signal.SIGUSR1)

    before = signal.signal(signal.SIGUSR1, handle)
    try:
        for holder, name in ((world, "cancel"), (tiered_code, "compile_form"), (tiered_code, "load_form")):
            code = optimizing(world)
            with monkeypatch.context() as patch, pytest.raises(kind):
                patch.setattr(holder, name, interrupt)
                launched(code, BACK)
            assert code.state is State.BASELINE
            assert launched(code, BACK) == "lasting" and code.state is State.OPTIMIZED
            code.finish(None, Fault("ValueError: what was wanted before"))
            assert code.state is State.OPTIMIZED
            world.store.clear()
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("data", [None, b"garbage"])
def test_compiling_to_baseline_only_if_there_is_no_code(
    data: bytes | None, world: World, capfd: pytest.CaptureFixture[str]
) -> None:
    code = optimizing(world)
    code.finish(data, None if data else Fault("ValueError: odd"))
    assert code.state is State.BASELINE_ONLY and not world.entry and b"garbage" not in world.store.values()
    assert launched(code, BACK) == "lasting"
    assert capfd.readouterr().err.count("\n") == 1


def test_compiling_to_failed_if_faults_are_errors(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEFT_VERIFY", "1")
    code = optimizing(world)
    code.finish(None, Fault("ValueError: odd"))
    assert code.state is State.FAILED
    for _ in range(2):
        with pytest.raises(OptimizationFailed, match="odd"):
            launched(code)
    budget = optimizing(world)
    budget.finish(None, Fault("too large", deliberate=True))
    assert budget.state is State.BASELINE_ONLY


def test_compiling_to_baseline_when_the_program_ends_or_forks(world: World) -> None:
    code = optimizing(world)
    code.finish(None, None)
    assert code.state is State.BASELINE
    assert launched(code) == "provisional" and code.state is State.COMPILING
    code.orphan()
    assert code.state is State.BASELINE
    code.finish(b"optimized", None)
    code.orphan()
    assert code.state is State.OPTIMIZED
