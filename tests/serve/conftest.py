# SPDX-License-Identifier: Apache-2.0
"""A server in this process, and how tests ask it."""

import http.client
import json
import sys
import threading
from contextlib import contextmanager
from importlib.util import find_spec

import pytest

# Without FastAPI only test_command.py is collected: its skip names the missing package, and CI fails on it.
collect_ignore = [] if find_spec("fastapi") else ["test_browser.py", "test_requests.py", "test_scripts.py", "test_turns.py"]
TOKEN = "a-token-of-tests"


class Client:
    """Asks the server at `port`; a reply is the status and the JSON."""

    def __init__(self, port: int) -> None:
        self.port = port

    def ask(self, path, body=None, method=None, **headers):
        """Without a body: GET. headers: `token`, `host`, ... instead of the right ones; None leaves one out."""
        status, _, text = self.raw(path, body, method, **headers)
        return status, json.loads(text)

    def raw(self, path, body=None, method=None, **headers):
        sent = {"NESTServerAuth": headers.pop("token", TOKEN), "Host": f"localhost:{self.port}"} | headers
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=600)
        connection.request(method or ("GET" if body is None else "POST"), path, data, {k: v for k, v in sent.items() if v is not None})
        reply = connection.getresponse()
        found = reply.status, reply.headers, reply.read()
        connection.close()
        return found

    def api(self, name, **arguments):
        """The answer of a function of nest, which must be good."""
        status, found = self.ask(f"/api/{name}", arguments)
        assert status == 200, found
        return found

    def run(self, source, *wanted):
        """The reply to a script."""
        return self.ask("/exec", {"source": source, "return": list(wanted)})


@contextmanager
def serving(**settings):
    """A server, whose calls are made in a thread; ends after the block."""
    from neuropil.serve import Server, Settings

    server = Server(Settings(TOKEN, **settings), port=0)
    ready = threading.Event()
    thread = threading.Thread(target=server.run, args=(ready.set,))
    thread.start()
    assert ready.wait(600)
    try:
        yield Client(server.port)
    finally:
        server.stop()
        thread.join(600)


@pytest.fixture(autouse=True)
def without_nest(monkeypatch):
    """Scripts that import nest get neuropil's, also where tests before these have imported NEST itself."""
    for name in [name for name in sys.modules if name == "nest" or name.startswith("nest.")]:
        monkeypatch.delitem(sys.modules, name)


@pytest.fixture(scope="module")
def client():
    """Of a server that runs restricted scripts and reads at most 100 000 bytes."""
    with serving(scripts="restricted", largest=100_000) as found:
        yield found
        found.ask("/api/ResetKernel")
