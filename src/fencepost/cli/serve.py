"""fencepost serve: the playground in the browser."""

from __future__ import annotations

import sys
from typing import Annotated

from fencepost.cli.arguments import Option
from fencepost.cli.frame import Reply
from fencepost.errors import UsageError

Port = Annotated[int, Option("--port", "Listen here, on loopback only; 0 takes any port that is free.", "N", minimum=0)]
NoBrowser = Annotated[bool, Option("--no-browser", "Print the address and open nothing.")]
Seconds = Annotated[int, Option("--time-limit", "Stop a run after S seconds.", "S", minimum=1)]
Memory = Annotated[int, Option("--memory", "Stop a run that needs more than N MiB.", "N", minimum=64)]


def serve(port: Port = 8765, no_browser: NoBrowser = False, time_limit: Seconds = 30, memory: Memory = 1024) -> Reply:
    """Open the playground: an editor, models side by side, pictures to step through. Ctrl-C ends it."""
    try:
        from fencepost.serve.app import Limits
        from fencepost.serve.server import serve as start
    except ModuleNotFoundError as missing:
        raise UsageError(
            f"the playground needs {missing.name}: pip install 'fencepost[serve]' (or pip install starlette uvicorn)"
        ) from None

    def told(address: str) -> None:
        print(f"The playground is at {address}\nCtrl-C ends it.", file=sys.stderr, flush=True)

    start(port, Limits(time_limit, memory), browser=not no_browser, told=told)
    return Reply("")
