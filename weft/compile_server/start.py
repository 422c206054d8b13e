"""Detaches the compile server from the process that starts it: `python -m weft.compile_server.start …`.

The server must be no child of that process, which may wait for all its children. So this one forks at once,
before it imports anything of size, and ends; the arguments are those of `server.py`.
"""

import os
import runpy

if __name__ == "__main__" and os.fork() == 0:
    runpy.run_module("weft.compile_server.server", run_name="__main__", alter_sys=True)
