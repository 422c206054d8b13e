"""Detach a builder from the process that needs it: `python -m weft.api.start_builder`.

A builder (`build_elsewhere.py`) must not be a child of that process, which may wait for all its children. So
this process forks at once, before expensive imports, and exits. The builder is in a session of its own: an
interrupt from the terminal is for the program.
"""

import os

if __name__ == "__main__" and os.fork() == 0:
    os.setsid()
    from weft.api.build_elsewhere import main

    main()
