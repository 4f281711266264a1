# SPDX-License-Identifier: Apache-2.0
"""`neuropil serve` as a process: what it prints, clients that leave in the middle of a run, and its end."""

import http.client
import json
import os
import signal
import subprocess
import sys
from contextlib import contextmanager

import pytest

from neuropil.cli.commands.serve import greeting
from serve.conftest import TOKEN, Client

pytest.importorskip("fastapi")
ENDLESS = "while True:\n    try:\n        pass\n    except Exception:\n        pass\n"
LONG_RUN = "import nest\nnest.Create('iaf_psc_alpha', 1000, params={'I_e': 400.0})\nnest.Simulate(1e7)\n"


@contextmanager
def process(*options):
    """The command on a free port, and its client."""
    command = [sys.executable, "-m", "neuropil", "serve", "--port", "0", *options]
    environment = os.environ | {"NEUROPIL_SERVE_TOKEN": TOKEN, "PYTHONUNBUFFERED": "1"}
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    try:
        first = server.stdout.readline()
        assert first.startswith("NEST Server"), first + server.stderr.read()
        yield server, Client(int(first.rpartition(":")[2]))
    finally:
        server.kill()
        server.wait()


def left(client, source):
    """Sends a script whose client leaves once it runs: GET / is answered at once, and the script was sent before."""
    connection = http.client.HTTPConnection("127.0.0.1", client.port, timeout=600)
    body = json.dumps({"source": source})
    connection.request("POST", "/exec", body, {"NESTServerAuth": TOKEN, "Host": "localhost"})
    assert client.ask("/")[0] == 200
    connection.close()


@pytest.mark.slow
def test_clients_that_leave_do_not_stop_the_others():
    """Neither a run of the kernel nor a script without end keeps the server: both would outlast the test."""
    with process("--scripts", "restricted") as (server, client):
        for source in (LONG_RUN, ENDLESS):
            left(client, source)
            assert client.run("nest.ResetKernel()\nnest.Simulate(10.0)\nt = nest.biological_time", "t") == (
                200,
                {"stdout": "", "data": {"t": 10.0}},
            )
        assert server.poll() is None


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_server_also_in_a_run(number):
    with process("--scripts", "full") as (server, client):
        assert client.ask("/api/Rank") == (200, 0)
        # The script ends its own server: the signal comes while it runs.
        status, found = client.run(f"import os\nos.kill(os.getpid(), {int(number)})\nwhile True: pass")
        assert status == 503 and "the server ends" in found["message"]
        assert server.wait(600) == 0
        printed = server.stdout.read()
        assert TOKEN in printed and printed.endswith("the server has ended\n") and server.stderr.read() == ""


def test_what_the_command_prints(monkeypatch):
    from neuropil.serve import app

    monkeypatch.setattr(app, "desktop_files", lambda: None)
    said = "\n".join(greeting(52425, TOKEN, "off"))
    assert (
        "http://localhost:52425" in said and TOKEN in said and "--scripts restricted" in said and 'pip install "neuropil[desktop]"' in said
    )
    monkeypatch.setattr(app, "desktop_files", lambda: "folder")
    assert f"/desktop/?nest_server_url=http://localhost:52425&nest_server_access_token={TOKEN}" in "\n".join(greeting(52425, TOKEN, "full"))
