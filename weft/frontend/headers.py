"""Headers that a client hands over as programs (clCompileProgram), for clang to include by their names.

clang sees them in a folder that does not exist, by its option to take one file for another: so neither
diagnostics nor `__FILE__` depend on where the texts really lie while clang runs.
"""

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

FOLDER = "/weft-headers/"


@contextmanager
def include_arguments(headers: Mapping[str, str]) -> Iterator[list[str]]:
    """The arguments with which clang finds `headers` (include name -> text) before any folder of the user."""
    if not headers:
        yield []
        return
    with tempfile.TemporaryDirectory(prefix="weft-headers-") as folder:
        arguments = ["-I", FOLDER]
        for number, (name, text) in enumerate(headers.items()):
            place = os.path.join(folder, str(number))
            with open(place, "wb") as file:
                file.write(text.rstrip("\0").encode("utf-8", "surrogateescape"))
            arguments += ["-remap-file", f"{FOLDER}{name.lstrip('/')};{place}"]
        yield arguments


def without_folder(log: str) -> str:
    """A build log that calls embedded headers by the names the client gave them."""
    return log.replace(FOLDER, "")
