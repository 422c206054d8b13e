"""Several modules as one: what a linker does, before anything is optimized."""

from collections.abc import Sequence

from weft.codegen.binding import LlvmContext, complaints


def join(modules: Sequence[str]) -> str:
    """One module with the definitions of all; raises ToolError when two define the same symbol."""
    joined = None
    with LlvmContext() as context:
        for text in modules:
            with complaints("read a compiled program"):
                part = context.parse(text)
                part.verify()
            if joined is None:
                joined = part
            else:
                with complaints("link the programs"):
                    joined.link_in(part)
        return str(joined)
