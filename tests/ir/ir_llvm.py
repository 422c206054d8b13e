"""LLVM as the judge of our text."""

import re

from llvmlite import binding


def canonical(text: str) -> str:
    """A module as LLVM itself prints it, after it verified it."""
    # A context of its own: in a shared one a second struct of the same name is renamed.
    context = binding.create_context()
    module = binding.parse_assembly(text, context)
    try:
        module.verify()
        return str(module)
    finally:
        module.close()  # in front of its context: the garbage collector keeps no such order


def without_debug_records(text: str) -> str:
    """The text without the records that the parser drops."""
    return re.sub(r"^ +#dbg_.*\n", "", text, flags=re.MULTILINE)
