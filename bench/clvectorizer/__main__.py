"""`python -m bench.clvectorizer`: times rewritten kernels on all platforms, and writes
docs/clvectorizer.md."""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from bench.clvectorizer import page, study
from bench.clvectorizer.sources import Bundle, choices, make_bundle
from bench.clvectorizer.study import Chosen, OnPlatform, Study, on_platform
from bench.clvectorizer.subjects import SUBJECTS
from bench.platforms import ROOT, Platform, all_platforms
from bench.progress import Progress
from bench.record import processor_name
from bench.registry import Caches
from bench.side_by_side import add_page_options
from weft.errors import WeftError

RECORDS = Path(__file__).with_name("records")
"""Results from other machines, which are always included."""
RECORD = ROOT / "bench" / "results" / "clvectorizer.json"
_LONGEST = 300.0  # seconds for all forms of a kernel on a platform


def parse_arguments(arguments: Sequence[str]) -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.clvectorizer",
        description="Rewrites the paper's kernels, times them everywhere and writes docs/clvectorizer.md.",
    )
    add = parser.add_argument
    add("only", nargs="*", metavar="KERNEL", help=f"kernels; default: all ({', '.join(SUBJECTS)})")
    add("--platforms", help="short names of platforms, with commas; default: all")
    add("--rounds", type=int, default=9, help="samples of each time (9)")
    add("--seconds", type=float, default=0.02, help="length of a sample (0.02)")
    add("--cores", type=int, default=1, help="how many cores CPUs use, 0 for all (1)")
    add("--merge", type=Path, action="append", default=[], metavar="FILE", help="a record of another machine")
    add("--bundle", type=Path, metavar="FILE", help="only write the sources for another machine's worker")
    add_page_options(parser, RECORD)
    options = parser.parse_args(arguments)
    unknown = [name for name in options.only if name not in SUBJECTS]
    if unknown:
        parser.error(f"not known: {', '.join(unknown)}")
    return options


def main(arguments: Sequence[str]) -> int:
    """Run the study; return 1 if a goal is not met."""
    options = parse_arguments(arguments)
    try:
        if options.bundle:
            options.bundle.write_text(json.dumps(make_bundle().document()))
            print(f"written: {options.bundle}")
            return 0
        results = study.load(options.earlier) if options.earlier else measure(options)
        for platform in results.platforms.values() if options.earlier else ():
            choose_for(platform)  # the table may have changed since
        for path in (*sorted(RECORDS.glob("*.json")), *options.merge):
            other = on_platform(json.loads(path.read_text()))
            if other.device not in results.platforms:
                choose_for(other)
                results.merge(other.device, other)
    except (WeftError, OSError, ValueError) as error:
        print(f"bench.clvectorizer: {error}", file=sys.stderr)
        return 1
    if not options.earlier or options.merge:
        study.save(results, options.record)
    print(f"written: {page.write(results, options.docs)}")
    verdicts = results.verdicts()
    for what, value, ok in verdicts:
        print(f"{'met' if ok else 'short':>6}  {what}: {value}")
    for name, platform in results.platforms.items():
        for subject, form, why in platform.wrong():
            print(f"failed  {name}, {subject}, {form}: {why.splitlines()[0]}")
    return int(not all(ok for _, _, ok in verdicts))


made_bundle = cache(make_bundle)


def choose_for(platform: OnPlatform) -> None:
    """Record what `--auto` chooses for a device that was measured earlier or elsewhere, if that form was
    timed."""
    for subject, (form, _, reason) in choices(platform.platform, made_bundle().forms).items():
        if platform.seconds(subject, form) is not None:
            platform.chosen[subject] = Chosen(form, reason)


def measure(options: argparse.Namespace) -> Study:
    """Measure all forms on all platforms."""
    bundle = make_bundle()
    if options.only:
        bundle.forms = {name: forms for name, forms in bundle.forms.items() if name in options.only}
    wanted = options.platforms.split(",") if options.platforms else None
    platforms = [p for p in all_platforms() if wanted is None or p.name in wanted]
    results = Study({}, bundle.refused)
    steps = sum(len(forms) for forms in bundle.forms.values())
    progress = Progress(len(platforms) * len(bundle.forms), len(platforms) * steps)
    with tempfile.TemporaryDirectory(prefix="weft-clvectorizer-") as scratch:
        folder = Path(scratch)
        for platform in platforms:
            chosen = choices(platform.name, bundle.forms)
            own = Bundle({name: dict(forms) for name, forms in bundle.forms.items()})
            for subject, (form, program, _) in chosen.items():
                own.forms[subject].setdefault(form, program)
            (folder / "bundle.json").write_text(json.dumps(own.document()))
            for subject in bundle.forms:
                progress.begin(f"{platform.name}, {subject}")
                record = _run(platform, subject, folder, options, progress)
                if platform.name not in results.platforms:
                    results.platforms[platform.name] = on_platform(
                        {**record, "results": {}}, processor_name()
                    )
                results.platforms[platform.name].results |= on_platform(record).results
            for subject, (form, _, reason) in chosen.items():
                results.platforms[platform.name].chosen[subject] = Chosen(form, reason)
    progress.clear()
    return results


class WorkerEnded(Exception):
    """A worker's process ended before its work was done."""

    def __init__(self, during: str, status: int) -> None:
        super().__init__(during)
        self.during, self.status = during, status


def _run(
    platform: Platform,
    subject: str,
    folder: Path,
    options: argparse.Namespace,
    progress: Progress,
) -> dict[str, Any]:
    """Return the record of one kernel; forms that end the process are skipped and noted."""
    ended: dict[str, Any] = {}
    while True:
        try:
            record = _attempt(platform, subject, folder, options, progress, list(ended))
        except WorkerEnded as why:
            ended[why.during] = {"error": f"the process ended with status {why.status}"}
            continue
        record["results"][subject] |= ended
        return record


def _attempt(
    platform: Platform,
    subject: str,
    folder: Path,
    options: argparse.Namespace,
    progress: Progress,
    skipped: Sequence[str],
) -> dict[str, Any]:
    reading, writing = os.pipe()
    command = [sys.executable, "-m", "bench.clvectorizer.worker", str(folder / "bundle.json")]
    command += ["--platform", platform.reported, "--subject", subject, "--tell", str(writing)]
    command += [
        "--rounds",
        str(options.rounds),
        "--seconds",
        str(options.seconds),
        "--cores",
        str(options.cores),
    ]
    command += [word for name in skipped for word in ("--skip", name)]
    errors = folder / "errors"
    with errors.open("w") as sink:
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env={**platform.environment(folder, Caches.OFF), "WEFT_TIERS": "0"},
            stdout=subprocess.DEVNULL,
            stderr=sink,
            pass_fds=[writing],
        )
    os.close(writing)
    during, record = "", None
    watchdog = threading.Timer(_LONGEST, process.kill)
    watchdog.start()
    with os.fdopen(reading) as lines:
        for line in lines:
            message = json.loads(line)
            if "record" in message:
                record = message["record"]
            elif "begin" in message:
                during = message["begin"]
            else:
                progress.step()
    status = process.wait()
    watchdog.cancel()
    if record is None:
        if not during:
            raise WeftError(f"{platform.name} does not work: {errors.read_text().strip()[-300:]}")
        raise WorkerEnded(during, status)
    return record


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
