# SPDX-License-Identifier: Apache-2.0
"""NEST Server on neuropil: `neuropil serve`, for NEST Desktop and REST clients; see docs/howto/nest_desktop.md.

Nothing here is imported by `import neuropil`. Needs FastAPI and uvicorn: pip install "neuropil[serve]"
"""

from ..errors import MissingLibrary

try:
    import fastapi  # noqa: F401
    import uvicorn  # noqa: F401
except ImportError as error:
    raise MissingLibrary(
        f'neuropil.serve needs fastapi and uvicorn (pip install "neuropil[serve]"), which cannot be imported: {error}', "fastapi", "serve"
    ) from error

from .app import Settings, application
from .server import Server
from .turns import Turns

__all__ = ["Server", "Settings", "Turns", "application"]
