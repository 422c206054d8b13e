"""All values of an input decided, and the sets that come out described by conditions."""

import numpy as np
import pytest

from weft.smt.decide import classify, condition
from weft.smt.facts import Facts
from weft.smt.studies.arrays import evaluate_arrays
from weft.smt.studies.query_cache import Query, QueryCache
from weft.smt.studies.ranges import NOT, YES, decide_range
from weft.smt.studies.synthesis import describe
from weft.smt.terms import Term, binary, cast, constant, input_, lane, substitute
from weft.smt.verdict import Condition, Verdict

STEP = input_("step", 32)
SHIFT = input_("a", 64)


def item(bits: int) -> Term:
    return binary("add", input_("block", bits), lane(bits), ("nsw", "nuw"))


def facts(width: int, bits: int = 32) -> Facts:
    block = input_("block", bits)
    return Facts().with_residue(block, width).with_range(block, 0, 2 ** (bits - 1) - width)


def walsh() -> Term:
    i, nsw = item(32), ("nsw",)
    twice = binary("shl", STEP, constant(1, 32), nsw)
    pair = binary("add", binary("mul", twice, binary("sdiv", i, STEP), nsw), binary("srem", i, STEP), nsw)
    return cast("sext", binary("add", pair, STEP, nsw), 64)


def bitonic() -> Term:
    i, power = item(64), binary("shl", constant(1, 64), SHIFT)
    high = binary("shl", binary("shl", binary("udiv", i, power), SHIFT), constant(1, 64))
    return binary("add", binary("add", high, binary("urem", i, power)), power)


@pytest.mark.parametrize(("width", "count"), [(4, 16_383), (8, 8_191), (16, 4_095)])
def test_fast_walsh_transform_is_decided_for_all_inputs_of_the_paper(width: int, count: int) -> None:
    found = decide_range(walsh(), "step", 1, 2**16, width, facts(width))
    assert (found.yes, found.no, found.unknown) == (count, 65_535 - count, 0)
    assert str(found.condition) == str(found.proved) == f"step % {width} == 0"


@pytest.mark.parametrize(("width", "least"), [(4, 2), (8, 3), (16, 4)])
def test_bitonic_sort_is_decided_for_all_inputs_of_the_paper(width: int, least: int) -> None:
    found = decide_range(bitonic(), "a", 0, 63, width, facts(width, 64))
    assert (found.yes, found.no, found.unknown) == (63 - least, least, 0)
    assert str(found.condition) == str(found.proved) == f"a >= {least}"


@pytest.mark.parametrize("width", [4, 16])
@pytest.mark.parametrize("first", [1, 4000, 65_000])
def test_inputs_decided_separately_have_the_same_results(width: int, first: int) -> None:
    alone = decide_range(walsh(), "step", first, first + 64, width, facts(width), by_class=False)
    together = decide_range(walsh(), "step", first, first + 64, width, facts(width))
    assert (alone.results == together.results).all()
    assert alone.proved is None and str(alone.condition) == str(together.condition)


def test_blocks_that_refute_do() -> None:
    found = decide_range(walsh(), "step", 1, 200, 8, facts(8))
    lanes = np.arange(8)[None, :]
    columns = {"step": np.arange(1, 200)[:, None], "block": found.starts[:, None]}
    addresses, defined = evaluate_arrays(walsh(), lanes, columns)
    wrong = (np.diff(addresses.astype(np.int64), axis=1) != 1).any(axis=1) & defined.all(axis=1)
    assert wrong[found.results == NOT].all() and not wrong[found.results == YES].any()


def test_negative_inputs_are_decided_too() -> None:
    found = decide_range(walsh(), "step", -64, 65, 8, facts(8))
    numbers = np.arange(-64, 65)
    assert found.unknown == 0
    assert (found.results[numbers != 0] == (numbers[numbers != 0] % 8 == 0)).all()


SETS = [
    ("step % 4 == 0", lambda n: n % 4 == 0),
    ("step % 6 == 5", lambda n: n % 6 == 5),
    ("step >= 17", lambda n: n >= 17),
    ("step <= 40", lambda n: n <= 40),
    ("step >= 17 && step <= 40", lambda n: (n >= 17) & (n <= 40)),
    ("step % 8 == 0 && step >= 24", lambda n: (n % 8 == 0) & (n >= 24)),
    ("step & (step - 1) == 0", lambda n: n & (n - 1) == 0),
    ("step & (step - 1) == 0 && step >= 4", lambda n: (n & (n - 1) == 0) & (n >= 4)),
    ("step == 7 || step == 12 || step == 100", lambda n: np.isin(n, (7, 12, 100))),
    ("step != 7 && step != 12", lambda n: ~np.isin(n, (7, 12))),
    ("always", lambda n: n > 0),
    ("never", lambda n: n < 0),
]


@pytest.mark.parametrize(("words", "members"), SETS, ids=[words for words, _ in SETS])
def test_sets_are_described(words, members) -> None:
    found = describe(members(np.arange(1, 200)), 1, STEP)
    assert str(found) == words


def test_a_set_without_a_form_is_not_described() -> None:
    numbers = np.arange(1, 200)
    assert describe(np.isin(numbers, (2, 3, 5, 7, 11, 13, 17, 19, 23)), 1, STEP) is None


class Folder(dict[str, bytes]):
    """A store in memory."""

    def put(self, key: str, data: bytes) -> None:
        self[key] = data


def look_up(cache: QueryCache, name: str) -> tuple[Verdict, Condition | None, bool]:
    """Asks about a term with an input of some name; the last item says whether it had to be computed."""
    term = substitute(walsh(), {STEP: input_(name, 32)})
    given = facts(8)
    calls = []

    def compute() -> tuple[Verdict, Condition | None]:
        calls.append(name)
        return classify(term, 8, given), condition(term, 8, given)

    verdict, under = cache.look_up(Query(term, given, 8), compute)
    return verdict, under, bool(calls)


def test_the_same_query_under_another_name_is_found_in_memory() -> None:
    cache = QueryCache()
    verdict, under, computed = look_up(cache, "step")
    assert computed and verdict.kind == "unknown" and str(under) == "step % 8 == 0"
    verdict, under, computed = look_up(cache, "distance")
    assert not computed and verdict.kind == "unknown" and str(under) == "distance % 8 == 0"


def test_another_process_has_the_results_of_the_store() -> None:
    folder = Folder()
    look_up(QueryCache(folder, lambda *parts: "/".join(parts)), "step")
    _, under, computed = look_up(QueryCache(folder, lambda *parts: "/".join(parts)), "other")
    assert not computed and str(under) == "other % 8 == 0"


def test_other_facts_are_another_query() -> None:
    cache = QueryCache()
    term = walsh()
    first, second = Query(term, facts(8), 8), Query(term, facts(8).with_residue(STEP, 8), 8)
    assert first.text != second.text
    assert Query(term, facts(8), 4).text != first.text
    assert cache.look_up(first, lambda: (classify(term, 8, facts(8)), None))[0].kind == "unknown"
