"""Start the compile server, detached from this process's parent: `python start.py DESCRIPTOR NAME SECONDS`.

The server must not be a child of that process, which may wait for all its children. So this process forks at
once, before expensive imports, and exits; the arguments are those of `server.py`.
"""

import gc
import os
import sys

if __name__ == "__main__" and os.fork() == 0:
    # Modules are never freed, and collecting garbage among them takes as long as a small program.
    gc.disable()
    from weft.compile_server.server import main

    main(int(sys.argv[1]), sys.argv[2], float(sys.argv[3]))
