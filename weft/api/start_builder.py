"""Start a builder that is detached from its client: `python -m weft.api.start_builder`.

A builder (`build_elsewhere.py`) must not be a child of the client, which may wait for all its children. So
this process forks at once, before expensive imports, and exits. The builder is in its own session, so that an
interrupt from the terminal reaches only the client.
"""

import os

if __name__ == "__main__" and os.fork() == 0:
    os.setsid()
    from weft.api.build_elsewhere import main

    main()
