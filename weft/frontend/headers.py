"""Read and check the files that a program includes, and present them to clang in place of the file system.

clang would open any file that an #include names: a FIFO blocks it, a device file may be endless, and a file
may change between clang's read and ours. So the files are read here first: regular files of bounded size,
found by the names in the source, in the folders that clang searches. clang sees only these copies, through a
file-system overlay, and the recorded digests are those of the same texts. A name that macros assemble is not
found in the source: clang reports the missing file, and is run again. Headers that a client passes as
programs (clCompileProgram) are files of a virtual folder.
"""

import json
import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType

from weft.errors import BuildError
from weft.lazy_pattern import lazy_pattern
from weft.limits import check_time
from weft.sha256 import sha256

NO_HEADERS: Mapping[str, str] = MappingProxyType({})

FOLDER = "/weft-headers/"

# Maximum bytes of a file, and of all files of a program; real programs have a thousandth.
MOST_BYTES = 64 << 20
MOST_BYTES_IN_ALL = 256 << 20

# A text without these words cannot make clang read a file.
READING_WORDS = ("include", "import", "embed", "dependency")

# Possible file names in a text: they are literals, also in macros.
_NAMES = lazy_pattern(r'"([^"\n]+)"|<([^<>\n]+)>')
# The end of a line that continues in the next, with a backslash or a trigraph.
_CONTINUED = lazy_pattern(r"(?:\\|\?\?/)[ \t\v\f\0]*(?:\r\n|\n\r|\n|\r)")
_MISSING = lazy_pattern(r"^([^\n:]*):\d+:\d+: (?:fatal )?error: '([^'\n]*)' file not found", re.MULTILINE)

_KINDS = (
    (stat.S_ISDIR, "a directory"),
    (stat.S_ISFIFO, "a FIFO"),
    (stat.S_ISCHR, "a character device"),
    (stat.S_ISBLK, "a block device"),
    (stat.S_ISSOCK, "a socket"),
)


class Unreadable(Exception):
    """A file that exists but must not be read; the message has the reason."""


def read_regular(path: str) -> bytes:
    """Return the contents of a regular file; raise Unreadable if it is not regular or too large, OSError if
    missing."""
    _check(os.stat(path))  # before opening it, which can have side effects on a device
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    with open(descriptor, "rb", buffering=0) as file:
        _check(os.fstat(descriptor))
        pieces = []
        remaining = MOST_BYTES + 1
        while remaining and (piece := file.read(remaining)):
            pieces.append(piece)
            remaining -= len(piece)
    if not remaining:
        raise Unreadable(f"it is larger than {MOST_BYTES >> 20} MiB")
    return b"".join(pieces)


def _check(info: os.stat_result) -> None:
    for is_kind, kind in _KINDS:
        if is_kind(info.st_mode):
            raise Unreadable(f"it is {kind}")
    if info.st_size > MOST_BYTES:
        raise Unreadable(f"it is larger than {MOST_BYTES >> 20} MiB")


def file_digest(path: str) -> str:
    """Return the sha256 of a file; empty, like that of a missing file, if it cannot be read."""
    try:
        return sha256(read_regular(path)).hexdigest()
    except (OSError, ValueError, Unreadable):
        return ""


def reads_files(texts: Iterable[str]) -> bool:
    """Return whether a program could make clang read files."""
    return any(word in text for text in map(joined_lines, texts) for word in READING_WORDS)


def joined_lines(text: str) -> str:
    """Join continued lines, which may split words, as clang does."""
    return _CONTINUED.sub("", text) if "\\" in text or "??/" in text else text


class Snapshot:
    """The files that a program could include, with the contents that were read."""

    def __init__(self, folders: Iterable[str], headers: Mapping[str, str]) -> None:
        self._here = os.getcwd()
        self._folders = [FOLDER, *folders] if headers else list(folders)
        self._contents: dict[str, bytes] = {}
        self._digests: dict[str, str] = {}
        self._refused: dict[str, str] = {}
        self._tried: set[str] = set()
        self._embedded = {os.path.normpath(name) for name in headers}
        self._left = MOST_BYTES_IN_ALL
        self._asks = False  # whether a text tests for files that may not exist, or embeds files
        self._pending: list[tuple[str, str]] = []
        for name, text in headers.items():
            path = os.path.normpath(f"{FOLDER}{name.lstrip('/')}")
            self._tried.add(path)
            self._contents[path] = text.rstrip("\0").encode("utf-8", "surrogateescape")
            self._pending.append((text, FOLDER))

    def add(self, path: str, text: str) -> None:
        """Add a file with a text that a later `scan` is given."""
        self._tried.add(path)
        self._contents[path] = text.encode("utf-8", "surrogateescape")

    def scan(self, texts: Iterable[str]) -> None:
        """Read all files whose names occur in some texts, and in those files."""
        self._pending += ((text, self._here) for text in texts)
        while self._pending:
            text, folder = self._pending.pop()
            text = joined_lines(text)
            self._asks |= "__has_" in text or "embed" in text
            for name in {quoted or angled for quoted, angled in _NAMES.findall(text)}:
                check_time()
                self._look_for(name, folder)

    def _look_for(self, name: str, folder: str) -> bool:
        """Read the files that a name in a text of `folder` may refer to; return whether any is new."""
        any_new = False
        for place in dict.fromkeys((folder, *self._folders)):
            path = os.path.join(self._here, place, name)
            seen_as = os.path.normpath(path)  # the path as clang's overlay sees it
            if seen_as in self._tried or "\0" in path:
                continue
            if place == self._here and os.path.normpath(name) in self._embedded:
                continue  # the program's folder would take precedence over the embedded headers
            self._tried.add(seen_as)
            try:
                data = read_regular(path)
            except (FileNotFoundError, NotADirectoryError):
                continue
            except OSError as error:
                self._refused[seen_as] = error.strerror or str(error)
                continue
            except Unreadable as error:
                self._refused[seen_as] = str(error)
                continue
            self._left -= len(data)
            if self._left < 0:
                raise BuildError(f"error: the included files have more than {MOST_BYTES_IN_ALL >> 20} MiB\n")
            any_new = True
            self._contents[seen_as] = data
            self._digests[seen_as] = sha256(data).hexdigest()
            text = data.decode("utf-8", "surrogateescape")
            if reads_files([text]):
                self._pending.append((text, os.path.dirname(path)))
        return any_new

    def look_for_missing(self, diagnostics: str) -> bool:
        """Read the files that clang reports as missing; return whether clang should run again."""
        any_new = False
        for including, name in _MISSING.findall(diagnostics):
            any_new |= self._look_for(name, os.path.join(self._here, os.path.dirname(including)))
        self.scan(())
        return any_new

    def explain(self, diagnostics: str) -> str:
        """Explain in diagnostics why an existing file was not found."""

        def why(match: re.Match[str]) -> str:
            including, name = match.groups()
            for place in (os.path.dirname(including), *self._folders):
                reason = self._refused.get(os.path.normpath(os.path.join(self._here, place, name)))
                if reason is not None:
                    return match[0].removesuffix("file not found") + f"cannot be included: {reason}"
            return match[0]

        return _MISSING.sub(why, diagnostics)

    def dependencies(self, included: Iterable[str]) -> tuple[tuple[str, str], ...]:
        """Return (absolute path, sha256) of each file that clang `included`, except embedded headers.

        Also return files that would be included instead if they existed, without digest. If a text tests for
        files or embeds files, return all files that it could refer to.
        """
        paths = dict.fromkeys(os.path.normpath(os.path.join(self._here, path)) for path in included)
        names = {os.path.basename(path) for path in paths}
        for path in sorted(self._tried):
            if self._asks or (path not in self._digests and os.path.basename(path) in names):
                paths.setdefault(path)
        embedded = os.path.normpath(FOLDER) + "/"
        return tuple((p, self._digests.get(p, "")) for p in paths if not p.startswith(embedded))

    def texts(self) -> Iterator[str]:
        """Return the contents of the files as texts."""
        return (data.decode("utf-8", "surrogateescape") for data in self._contents.values())

    @contextmanager
    def arguments(self, own: Iterable[str]) -> Iterator[list[str]]:
        """Yield the arguments with which clang sees these files, those of Weft in `own`, and no others."""
        import tempfile  # slow to import, and not needed by most builds

        with tempfile.TemporaryDirectory(prefix="weft-includes-") as folder:
            files = [{"type": "file", "name": path, "external-contents": path} for path in own]
            for number, (path, data) in enumerate(self._contents.items()):
                place = os.path.join(folder, str(number))
                with open(place, "wb") as file:
                    file.write(data)
                files.append({"type": "file", "name": path, "external-contents": place})
            overlay = os.path.join(folder, "overlay")
            with open(overlay, "wb") as file:
                names = {"redirecting-with": "redirect-only", "use-external-names": "false"}
                text = json.dumps({"version": 0, **names, "roots": files}, ensure_ascii=False)
                file.write(text.encode("utf-8", "surrogateescape"))
            yield ["-ivfsoverlay", overlay, *(["-I", FOLDER] if FOLDER in self._folders else [])]


def without_folder(log: str) -> str:
    """Replace the names of embedded headers in a build log by those that the client gave."""
    return log.replace(FOLDER, "")
