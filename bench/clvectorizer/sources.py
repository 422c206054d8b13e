"""The forms of each kernel that `weft vectorize` produces.

A bundle is plain data: the input of `worker.py` on machines without Weft.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from bench.clvectorizer.subjects import APPLICATIONS, PATTERNS, WALKS, Subject
from weft.frontend.options import parse_options
from weft.source.choice import choose
from weft.source.refusal import Refused
from weft.source.rewrite import INTER, INTRA, Request, Rewritten, vectorize

FACTORS = (2, 4, 8, 16)
NAIVE = "naive"
AUTO = "auto"


def inter(factor: int) -> str:
    """Return the name of eV."""
    return f"eV{factor}"


def intra(factor: int) -> str:
    """Return the name of iV."""
    return f"iV{factor}"


def both(factor: int) -> str:
    """Return the name of both methods, loops first."""
    return f"iV{factor}+eV{factor}"


def both_inter_first(factor: int) -> str:
    """Return the name of both methods, work-items first."""
    return f"eV{factor}+iV{factor}"


@dataclass(frozen=True)
class Form:
    """A program in which `inter` work-items are merged into one."""

    source: str
    inter: int = 1


@dataclass
class Bundle:
    """The forms by kernel and name, and the reasons for those that were refused."""

    forms: dict[str, dict[str, Form]] = field(default_factory=dict)
    refused: dict[str, dict[str, str]] = field(default_factory=dict)

    def document(self) -> dict[str, Any]:
        """Return the bundle in a form for JSON."""
        return asdict(self)


def make_bundle() -> Bundle:
    """Create all forms of all kernels."""
    bundle = Bundle()
    for subject in (*APPLICATIONS, *PATTERNS):
        _add(bundle, subject, _requests(subject in PATTERNS))
    for subject in WALKS:
        _add(bundle, subject, {})
    return bundle


def request(inter: int = 0, intra: int = 0, order: Sequence[str] = (INTRA, INTER)) -> Request:
    """Return a request; the sizes of the study are multiples of all factors, and sums may be reassociated."""
    first, second = order
    return Request(inter, intra, exact=True, fast_math=True, order=(first, second))


def _requests(patterns: bool) -> dict[str, Request]:
    requests = {inter(factor): request(factor) for factor in FACTORS}
    if not patterns:
        requests |= {intra(factor): request(0, factor) for factor in FACTORS}
        requests |= {both(factor): request(factor, factor) for factor in FACTORS}
        requests |= {both_inter_first(factor): request(factor, factor, (INTER, INTRA)) for factor in FACTORS}
    return requests


def _add(bundle: Bundle, subject: Subject, requests: dict[str, Request]) -> None:
    text = subject.file.read_text()
    forms = bundle.forms.setdefault(subject.name, {NAIVE: Form(text)})
    for name, wanted in requests.items():
        try:
            forms[name] = form_of(text, subject, wanted)
        except Refused as why:
            bundle.refused.setdefault(subject.name, {})[name] = why.reason


def form_of(text: str, subject: Subject, wanted: Request) -> Form:
    """Create one form; raise Refused."""
    rewritten: Rewritten = vectorize(text, parse_options(""), subject.file.name, wanted)
    return Form(rewritten.text, wanted.inter or 1)


def choices(platform: str, forms: dict[str, dict[str, Form]]) -> dict[str, tuple[str, Form, str]]:
    """Return what `weft vectorize --auto` chooses for a platform, by application: name, form and reason.

    The name is that of a form with the same source, or `auto` if there is none.
    """
    chosen_by_subject = {}
    for subject in APPLICATIONS:
        if subject.name in forms:
            text = subject.file.read_text()
            choice = choose(
                *(text, parse_options(""), platform), file=subject.file.name, fast_math=True, exact=True
            )
            (one,) = choice.kernels
            form = Form(choice.rewritten.text, one.candidate.inter or 1)
            name = next((n for n, f in forms[subject.name].items() if f == form), AUTO)
            reason = next(iter(choice.lines())).removeprefix(f"{subject.name}: ")
            chosen_by_subject[subject.name] = (name, form, reason)
    return chosen_by_subject
