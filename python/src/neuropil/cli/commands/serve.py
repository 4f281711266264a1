# SPDX-License-Identifier: Apache-2.0
"""`neuropil serve`: NEST Server, for NEST Desktop."""

from __future__ import annotations

import os
from typing import Annotated

import typer

TOKEN = "NEUROPIL_SERVE_TOKEN"


def main(
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; NEST Desktop looks at 52425. 0: any free one.")] = 52425,
    scripts: Annotated[str, typer.Option(help="Scripts that clients may run: off, restricted (nest, numpy, math) or full.")] = "off",
    origin: Annotated[list[str] | None, typer.Option(help="Web pages of this origin may ask, too, e.g. http://localhost:8000.")] = None,
    wait: Annotated[float, typer.Option(min=0.1, help="Longest time that a call waits for others [s].")] = 300.0,
) -> None:
    """Serve networks to NEST Desktop, as a NEST Server.

    Only programs of this machine that know the token are answered. The token is that of NEUROPIL_SERVE_TOKEN, or a new one.
    NEST Desktop sends scripts, so it needs --scripts restricted. Who may send scripts may execute code as you: see docs/howto/nest_desktop.md.
    """
    import secrets

    from neuropil.serve import Server, Settings

    token = os.environ.get(TOKEN) or secrets.token_urlsafe(24)
    server = Server(Settings(token, scripts, tuple(origin or ())), port, wait)
    server.run(lambda: typer.echo("\n".join(greeting(server.port, token, scripts))))
    typer.echo("the server has ended")


def greeting(port: int, token: str, scripts: str) -> list[str]:
    """What the command prints when it begins."""
    from neuropil.base.libraries import pip_install
    from neuropil.serve.app import DESKTOP, desktop_files

    url = f"http://localhost:{port}"
    query = f"?nest_server_url={url}&nest_server_access_token={token}"
    desktop = f"{url}{DESKTOP}/{query}" if desktop_files() else f"not installed: {pip_install('neuropil[desktop]')}"
    off = "off; NEST Desktop needs --scripts restricted"
    lines = [f"NEST Server  {url}", f"token        {token}", f"scripts      {off if scripts == 'off' else scripts}"]
    return [*lines, f"NEST Desktop {desktop}", "Ctrl-C ends the server."]
