"""`weft icd`: the path of the driver's shared object, and its registration with OpenCL loaders."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from weft.icd import register

DESCRIPTION = """\
Without an action: prints the absolute path of the driver's shared object, alone on standard output, as in

    OCL_ICD_VENDORS=$(weft icd) clinfo

`register` writes a file weft.icd that leads OpenCL loaders to the driver, `unregister` removes it: by
default for the loader that pyopencl brings, with --dir in a folder for OCL_ICD_VENDORS, with --system for
all programs of this machine. Both print the path of the file.
"""


def run(arguments: Sequence[str]) -> int:
    """Run the command and return its exit status."""
    parser = argparse.ArgumentParser(
        prog="weft icd", description=DESCRIPTION, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    actions = parser.add_subparsers(dest="action", metavar="{register,unregister}")
    for name, summary in (("register", "write weft.icd"), ("unregister", "remove weft.icd")):
        action = actions.add_parser(name, help=summary, description=f"{summary[0].upper()}{summary[1:]}.")
        where = action.add_mutually_exclusive_group()
        where.add_argument("--dir", type=Path, metavar="DIR", help="in DIR, for OCL_ICD_VENDORS=DIR")
        where.add_argument("--system", action="store_true", help=f"in {register.SYSTEM_FOLDER}")
    options = parser.parse_args(arguments)
    if options.action is None:
        print(register.library_path())
        return 0
    if options.system:
        folder = register.SYSTEM_FOLDER
    else:
        folder = options.dir.absolute() if options.dir else register.loader_folder()
    if options.action == "register":
        print(register.register(folder))
    else:
        removed = register.unregister(folder)
        print(removed if removed else f"{folder / register.ICD_FILE} does not exist")
    return 0
