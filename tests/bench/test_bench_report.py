"""What the benchmarks report: ratios, means, goals, the table, the chart, the record and its comparison."""

import re
import statistics
from pathlib import Path

import pytest

from bench import chart, record
from bench.bandwidth import Bandwidth
from bench.drive import Effort, Result
from bench.outcome import Clock, Outcome, goal_of, summarize
from bench.registry import Benchmark, Memory, Task, Unit
from bench.table import Table, duration

IDENTITIES = {name: {"version": f"OpenCL 3.0 {name}", "device": "cpu"} for name in ("weft", "intel")}


def nothing(session: object) -> Task:
    """A benchmark's function that is never called."""
    raise AssertionError("only the names and units of these benchmarks are used")


def outcome(weft: Result, intel: Result, name: str = "stream/copy", **more: object) -> Outcome:
    """An outcome on two platforms."""
    benchmark = Benchmark(name, nothing, Unit.BANDWIDTH, 2e9)
    return Outcome(benchmark, {"weft": weft, "intel": intel}, **more)  # type: ignore[arg-type]


def test_ratio_below_one_means_that_weft_is_faster() -> None:
    found = outcome(Result([2.0, 1.0], build_seconds=[3.0, 1.0]), Result([4.0, 5.0], build_seconds=[2.0]))
    assert found.ratio("intel") == 0.25
    assert found.build_ratio("intel") == 0.5
    assert outcome(Result([2.0]), Result(error="failed")).ratio("intel") is None
    assert found.ratio("missing") is None


def test_processor_time_is_compared_where_it_is_asked_for() -> None:
    weft, intel = Result([2.0], [1.0]), Result([2.0], [4.0])
    assert outcome(weft, intel, clock=Clock.CPU).ratio("intel") == 0.25


def test_means_are_geometric_and_by_family() -> None:
    fast, slow = outcome(Result([1.0]), Result([4.0])), outcome(Result([1.0]), Result([1.0]))
    other = outcome(Result([9.0]), Result([1.0]), "launch/empty")
    found = summarize([fast, slow, other], "stream", "intel")
    assert (found.cases, found.mean, found.worst) == (2, 0.5, 1.0)
    assert found.met


def test_a_much_slower_kernel_or_a_mean_above_the_goal_misses_the_goal() -> None:
    fast, behind = outcome(Result([1.0]), Result([100.0])), outcome(Result([1.3]), Result([1.0]))
    assert not summarize([fast, behind], "stream", "intel").met
    assert not summarize([outcome(Result([0.9]), Result([1.0]))], "stream", "intel").met
    assert summarize([outcome(Result([0.9]), Result([1.0]), "math/sin")], "math", "intel").met


def test_what_memory_limits_counts_as_met_and_shows_in_the_mean() -> None:
    found = summarize([outcome(Result([2.0]), Result([1.0]), limited=True)], "stream", "intel")
    assert found.met
    assert found.mean == 2.0


def test_goals_against_unknown_peers_are_their_own_times() -> None:
    assert goal_of("stream", "acme") == 1.0


def test_table_shows_times_ratios_builds_rates_and_notes() -> None:
    good = outcome(
        Result([2e-6], build_seconds=[0.05], settled_seconds=[0.12]),
        Result([4e-6], build_seconds=[0.1], settled_seconds=[0.1]),
        note="why",
    )
    bad = outcome(Result([3e-3]), Result([2e-3]))
    wrong = outcome(Result([1.0]), Result(error="AssertionError: no"), limited=True)
    table = Table([good.benchmark], ["weft", "intel"])
    assert re.search(r"2\.00 µs +4\.00 µs +0\.50 +50\.0 +100 +1000000 GB/s  why$", table.line(good))
    assert "1.50!" in table.line(bad)
    assert re.search(r"1\.00 s +wrong +- .* at memory bandwidth$", table.line(wrong))
    assert re.search(r"stream +2 +0\.87 +0\.80 +1\.50 +0\.50 +1\.20  short", table.footer([good, bad]))
    assert len(table.header().splitlines()) == 2


def test_table_of_weft_alone_has_no_ratios() -> None:
    alone = Outcome(Benchmark("a/b", nothing, Unit.MILLISECONDS), {"weft": Result([1e-3])})
    table = Table([alone.benchmark], ["weft"])
    assert "1.00 ms" in table.line(alone)
    assert table.footer([alone]) == ""


@pytest.mark.parametrize(("seconds", "text"), [(2.5, "2.50 s"), (0.0123, "12.3 ms"), (5e-8, "0.0500 µs")])
def test_times_have_three_digits_and_a_unit(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_chart_has_a_bar_for_each_ratio_and_loads_nothing() -> None:
    outcomes = [
        outcome(Result([1.0]), Result([2.0]), "a/<quick>"),
        outcome(Result([9.0]), Result([1.0]), "a/slow", note="because"),
        outcome(Result([1.0]), Result(error="AssertionError: no"), "b/wrong"),
    ]
    page = chart.page(outcomes, "a processor", IDENTITIES)
    assert page.count("<rect") == 2
    assert page.count("<svg") == 2
    assert "&lt;quick&gt;" in page
    assert "<title>because</title>" in page
    assert "wrong result" in page
    assert not re.search(r"(src|href)=", page)


def test_record_is_read_back_and_compared(tmp_path: Path) -> None:
    before = [outcome(Result([1.0]), Result([2.0]), "a/x"), outcome(Result([4.0]), Result([2.0]), "a/y")]
    path = tmp_path / "folder" / "old.json"
    record.write(path, record.document(before, Effort(), Clock.WALL, IDENTITIES))
    now = [outcome(Result([2.0]), Result([2.0]), "a/x"), outcome(Result([2.0]), Result([2.0]), "a/y")]
    lines = record.comparison(record.best_times(path), [*now, outcome(Result([1.0]), Result([1.0]), "a/new")])
    assert re.search(r"a/x .* 2\.00 +1\.00\na/y .* 0\.50 +1\.00\n", lines), "the worst first"
    assert lines.endswith(f"{statistics.geometric_mean([2.0, 0.5]):.2f}")
    assert "nothing to compare" in record.comparison({}, now)


def test_file_that_is_no_record_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    for text in ("[]", "{}", "no", '{"benchmarks": [{}]}'):
        path.write_text(text)
        with pytest.raises(record.BadRecord, match="not a record"):
            record.best_times(path)


def test_bandwidth_limits_what_takes_no_longer_than_a_loop(tmp_path: Path) -> None:
    bandwidth = Bandwidth(tmp_path)
    memory = Memory(2.0 * 2**20, 2.0**20)
    seconds = bandwidth.seconds(memory)
    assert 0 < seconds < 1
    assert bandwidth.limits(memory, seconds)
    assert not bandwidth.limits(memory, 2 * seconds)
    assert not bandwidth.limits(None, seconds)
