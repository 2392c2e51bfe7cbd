"""The playground in the browser: `fencepost serve`. It needs the extra `fencepost[serve]` (starlette and uvicorn).

Safe by default: it listens on loopback only, every request carries a token, and each run is a process of its own with
limits on time and memory that can open no file of this machine but its own input, the compiler and system headers."""
