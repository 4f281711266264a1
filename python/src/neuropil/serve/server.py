# SPDX-License-Identifier: Apache-2.0
"""The server in a thread, while the calls are made in the thread that started it."""

from __future__ import annotations

import resource
import signal
import socket
import threading
from collections.abc import Callable
from contextlib import closing

import uvicorn

from .. import errors as native
from .app import Settings, application
from .turns import Turns

__all__ = ["PORT", "Server"]

PORT = 52425  # where NEST Desktop looks
_BACKLOG = 2048  # connections that the system keeps until they are accepted


class Server:
    """`Server(settings, port).run(ready)` serves until Ctrl-C. Port 0: any free one.

    Raises BadParameter where the port is taken.
    """

    def __init__(self, settings: Settings, port: int = PORT, wait: float = 300.0) -> None:
        self.turns = Turns(wait)
        self._socket = _bound(port)
        self.port: int = self._socket.getsockname()[1]
        app = application(settings, self.turns)
        config = uvicorn.Config(app, log_level="warning", lifespan="off", backlog=_BACKLOG, timeout_graceful_shutdown=1)
        self._server = uvicorn.Server(config)

    def run(self, ready: Callable[[], None] = lambda: None) -> None:
        """Serves until Ctrl-C or `stop`. In the main thread, calls whose clients have gone are stopped."""
        if threading.current_thread() is threading.main_thread():
            self._take_signals()
        answering = threading.Thread(target=self._answer, name="NEST Server", daemon=True)
        with closing(self._socket):
            answering.start()
            try:
                ready()
                self.turns.work()
            except KeyboardInterrupt:
                pass
            finally:
                self._server.should_exit = True
                answering.join(timeout=5.0)

    def stop(self) -> None:
        """Ends `run` after the calls that wait."""
        self.turns.close()

    def _answer(self) -> None:
        try:
            self._server.run(sockets=[self._socket])
        finally:
            self.turns.close()

    def _take_signals(self) -> None:
        """A signal reaches a run of the kernel, which looks for signals while it runs."""
        signal.signal(signal.SIGUSR1, lambda *_: self.turns.stop_abandoned())
        main = threading.get_ident()
        self.turns.interrupt = lambda: signal.pthread_kill(main, signal.SIGUSR1)
        signal.signal(signal.SIGTERM, signal.default_int_handler)


def _bound(port: int) -> socket.socket:
    """A socket of this machine only, and room for as many connections as the system allows."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, hard if hard != resource.RLIM_INFINITY and hard < 65536 else 65536), hard))
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind(("127.0.0.1", port))
        found.listen(_BACKLOG)
    except (OSError, OverflowError) as error:
        found.close()
        raise native.bad_parameter("port", port, f"a free port of this machine: {error}") from error
    return found
