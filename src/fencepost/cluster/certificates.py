"""Certificates for `tls://`: who has one of the set may come in, nobody else.

The set is made by the `openssl` program: it is on nearly every system, it is needed once and on one machine only, and
workers get by with what Python has. An authority signs one certificate for scheduler, workers and users, and its key is
thrown away: nobody can sign another.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from fencepost.errors import UsageError

AUTHORITY, CERTIFICATE, KEY = "ca.pem", "cert.pem", "key.pem"
_DAYS = "825"


def security(folder: str | None) -> Any:
    """Dask's settings for a folder of certificates; without one, what dask's own configuration says."""
    from distributed import Security

    if folder is None:
        return Security()
    authority, certificate, key = (_file(Path(folder), name) for name in (AUTHORITY, CERTIFICATE, KEY))
    roles = {f"tls_{role}_{what}": value for role in ("client", "scheduler", "worker")
             for what, value in (("cert", certificate), ("key", key))}  # fmt: skip
    return Security(require_encryption=True, tls_ca_file=authority, **roles)


def _file(folder: Path, name: str) -> str:
    if not (folder / name).is_file():
        raise UsageError(
            f"--certificates {folder}: {name} is missing; expected {AUTHORITY}, {CERTIFICATE} and {KEY}, which "
            "`fencepost cluster --certificates FOLDER` makes where the folder does not exist"
        )
    return str(folder / name)


def make(folder: Path) -> None:
    """A new set in a new folder."""
    openssl = shutil.which("openssl")
    if openssl is None:
        raise UsageError(
            f"--certificates {folder}: the openssl program, which makes certificates, is not installed; "
            f"put {AUTHORITY}, {CERTIFICATE} and {KEY} there"
        )
    try:
        folder.mkdir(mode=0o700, parents=True)
        with tempfile.TemporaryDirectory(prefix="fencepost-") as scratch:
            _sign(openssl, folder, Path(scratch))
    except OSError as error:
        raise UsageError(f"--certificates {folder}: {error.strerror}") from None


def _sign(openssl: str, folder: Path, scratch: Path) -> None:
    def run(*arguments: str) -> None:
        done = subprocess.run([openssl, *arguments], capture_output=True, text=True, check=False)
        if done.returncode:
            raise UsageError(f"--certificates {folder}: openssl: {(done.stderr.strip() or 'failed').splitlines()[-1]}")

    curve = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    run("req", "-x509", *curve, "-days", _DAYS, "-subj", "/CN=fencepost authority", "-keyout", str(scratch / "ca.key"),
        "-out", str(folder / AUTHORITY))  # fmt: skip
    run("req", *curve, "-subj", "/CN=fencepost", "-keyout", str(folder / KEY), "-out", str(scratch / "request"))
    run("x509", "-req", "-in", str(scratch / "request"), "-CA", str(folder / AUTHORITY), "-CAkey",
        str(scratch / "ca.key"), "-CAcreateserial", "-CAserial", str(scratch / "serial"), "-days", _DAYS, "-out",
        str(folder / CERTIFICATE))  # fmt: skip
    (folder / KEY).chmod(0o600)
