"""The process that `isolate.emit` starts: generates code for modules on which LLVM might abort.

It reads one line of JSON and the modules from standard input, and writes the object file to standard output
and LLVM's messages to standard error.
"""

import json
import sys

from weft.codegen.binding import llvm
from weft.codegen.isolate import NO_WRAP_TESTS, NOT_VECTORIZED
from weft.codegen.optimise import emit_here
from weft.errors import ToolError
from weft.target import describe


def main() -> int:
    """Serve one request; return the exit status."""
    request = json.load(sys.stdin)
    for option in (*NO_WRAP_TESTS, NOT_VECTORIZED):
        llvm().set_option("weft", option)
    try:
        code = emit_here(
            request["modules"],
            describe(*request["target"]),
            request["level"],
            request["exported"],
        )
    except ToolError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    sys.stdout.buffer.write(code)
    return 0


if __name__ == "__main__":
    sys.exit(main())
