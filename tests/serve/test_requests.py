# SPDX-License-Identifier: Apache-2.0
"""Functions of nest by requests: what they give, and what is answered to requests that cannot be met."""

import inspect
import runpy
import socket
from math import log
from pathlib import Path

import pytest

from neuropil import nest
from neuropil.errors import BadParameter
from neuropil.serve import Server, Settings, calls
from neuropil.serve.app import desktop_files
from serve.conftest import TOKEN

ORIGIN = "http://localhost:54286"  # of the command nest-desktop


def test_the_server_says_what_it_is(client):
    status, found = client.ask("/")
    assert status == 200 and found["nest"] == nest.__version__ and set(found) == {"nest", "neuropil"}


def test_what_nest_desktop_asks_first(client):
    models, synapses = client.api("GetKernelStatus", keys=["node_models", "synapse_models"])
    assert {"iaf_psc_alpha", "voltmeter"} <= set(models) and "static_synapse" in synapses
    assert client.ask("/api/ResetKernel") == (200, None)  # NEST Desktop does it by GET


def test_a_neuron_spikes_when_its_equation_says(client):
    client.api("ResetKernel")
    cell = client.api("Create", model="iaf_psc_delta", params={"I_e": 1000.0})
    recorder = client.api("Create", model="spike_recorder")
    client.api("Connect", pre=cell, post=recorder)
    client.api("Simulate", t=20.0)
    (events,) = client.api("GetStatus", nodes_or_conns=recorder, keys="events")
    first = -10.0 * log(1.0 - 15.0 / 40.0)  # ms: tau_m, threshold, R I
    assert set(events["senders"]) == set(cell) and 0.0 <= events["times"][0] - first <= 0.1
    assert client.ask("/api/biological_time") == (200, 20.0)


def test_nodes_are_ids_and_connections_are_columns(client):
    client.api("ResetKernel")
    assert client.api("Create", model="iaf_psc_exp", n=3) == [1, 2, 3]
    client.api("Connect", pre=[1, 2], post=[3], syn_spec={"weight": 2.5, "delay": 1.5})
    found = client.api("GetConnections", source=[2])
    assert (found["source"], found["target"], found["weight"], found["delay"]) == (2, 3, 2.5, 1.5)
    client.api("Disconnect", args=[[1], [3]])
    assert client.api("GetConnections")["source"] == 2
    client.api("SetStatus", nodes_or_conns=[2], params={"V_m": -60.0})
    assert client.api("GetStatus", nodes_or_conns=[1, 2], keys="V_m") == [-70.0, -60.0]


def test_arguments_of_a_query(client):
    assert client.ask("/api/GetKernelStatus?keys=resolution&keys=local_num_threads")[1] == [nest.resolution, nest.local_num_threads]
    assert client.ask('/api/Models?mtype="synapses"&sel=tsodyks2') == client.ask("/api/Models", {"mtype": "synapses", "sel": "tsodyks2"})


def test_every_function_is_offered_or_there_is_a_reason(client):
    public = {name for name in dir(nest) if not name.startswith("_") and name not in ("get", "set")}
    functions = {name for name in public if (name[0].isupper() or name in nest.__all__) and inspect.isfunction(getattr(nest, name))}
    status, offered = client.ask("/api")
    assert status == 200 and set(offered) | set(calls.WITHOUT) == functions and not set(offered) & set(calls.WITHOUT)
    for name in calls.WITHOUT:
        assert client.ask(f"/api/{name}", {})[0] == 403


def test_arguments_that_are_nodes_are_known_by_name():
    """A new function whose nodes have another name must be entered."""
    names = {name for function in calls.functions().values() for name in inspect.signature(function).parameters}
    others = (
        "conn_spec existing find_all keys latency level locations local_only model module_name mtype n new output params port_name positions "
        "properties return_synapsecollection sel size syn_model syn_spec syn_specs synapse_label synapse_model t "
        "third_factor_conn_spec val"
    )
    assert names == (names & calls._NODES) | set(others.split())


# path, body, status, what the message must have
WRONG = [
    ("/api/Create", {"model": "iaf_psc_alph"}, 400, ["iaf_psc_alph", "iaf_psc_alpha"]),
    ("/api/Create", {"model": "iaf_psc_alpha", "params": {"V_n": 1.0}}, 400, ["V_n", "V_m"]),
    ("/api/Create", {"model": "iaf_psc_alpha", "params": {"tau_m": -1.0}}, 400, ["tau_m", "-1"]),
    ("/api/Create", {"modl": "iaf_psc_alpha"}, 400, ["modl", "model"]),
    ("/api/Create", {}, 400, ["model"]),
    ("/api/Connect", {"pre": [777], "post": [778]}, 400, ["777"]),
    ("/api/Connect", {"pre": "all", "post": None}, 400, ["node ids must be integers"]),
    ("/api/Simulate", {"t": -1.0}, 400, ["negative"]),
    ("/api/Simulate", {"t": "long"}, 400, ["str"]),
    ("/api/SetKernelStatus", {"params": {"resolutoin": 0.1}}, 400, ["resolutoin"]),
    ("/api/Install", {"module_name": "../../evil"}, 400, ["evil", "build-model"]),
    ("/api/Simulat", {}, 404, ["Simulat", "Simulate"]),
    ("/api/__class__", {}, 404, ["__class__"]),
    ("/api/NodeCollection", {}, 404, ["NodeCollection"]),
    ("/api/Create", b"{model: 3", 400, ["body of /api/Create", "JSON"]),
    ("/api/Create", b'\xff\xfe"', 400, ["JSON"]),
    ("/api/Create", b"[" * 50_000, 400, ["JSON"]),
    ("/api/Create", [1, 2], 400, ["[1, 2]", "JSON object"]),
    ("/api/Create", b" " * 200_000, 413, ["100000 bytes"]),
    ("/nowhere", {}, 404, ["/nowhere", "/exec"]),
    ("/api", {}, 405, ["POST /api", "GET /api"]),
    ("/exec", None, 405, ["GET /exec"]),
]


@pytest.mark.parametrize(("path", "body", "status", "words"), WRONG)
def test_a_wrong_request_is_told_what_is_wrong(client, path, body, status, words):
    found, answer = client.ask(path, body)
    assert found == status and [word for word in words if word not in answer["message"]] == []
    assert answer["lineNumber"] == -1 and answer["error"]
    assert client.ask("/api/Rank") == (200, 0)


def test_errors_of_neuropil_carry_what_they_are_about(client):
    answer = client.ask("/api/Create", {"model": "iaf_psc_alpha", "params": {"tau_m": -1.0}})[1]
    assert answer["parameter"] == "tau_m" and float(answer["value"]) == -1.0 and answer["allowed"]


def test_an_error_that_no_client_can_cause_is_a_fault(client, monkeypatch, capsys):
    def broken() -> None:
        raise AssertionError("broken")

    monkeypatch.setitem(calls.functions(), "Rank", broken)
    assert client.ask("/api/Rank")[0] == 500
    assert "AssertionError: broken" in capsys.readouterr().err
    monkeypatch.undo()
    assert client.ask("/api/Rank") == (200, 0)


@pytest.mark.parametrize("path", ["/", "/api", "/api/Rank", "/exec", "/nowhere", "/desktopped"])
@pytest.mark.parametrize("headers", [{"token": None}, {"token": "wrong"}, {"token": TOKEN + "x"}, {"token": ""}])
def test_nothing_without_the_token(client, path, headers):
    for body in (None, {}):
        status, answer = client.ask(path, body, **headers)
        assert status == 403 and "NESTServerAuth" in answer["message"] and TOKEN not in answer["message"]


def test_the_pages_of_nest_desktop_need_no_token(client):
    """They are public files; the link to them carries the token."""
    for path in ("/desktop", "/desktop/", "/desktop/index.html"):
        assert client.raw(path, token=None)[0] in ((200, 307) if desktop_files() else (404,))


def test_requests_that_are_cut_off_or_no_http(client, capsys):
    for sent in (
        b"POST /api/Rank HTTP/1.1\r\nHost: localhost\r\nNESTServerAuth: %s\r\nContent-Length: 99\r\n\r\n{" % TOKEN.encode(),
        b"\x16\x03no http\r\n\r\n",
    ):
        with socket.create_connection(("127.0.0.1", client.port)) as connection:
            connection.sendall(sent)
            connection.shutdown(socket.SHUT_WR)
            assert b"200 OK" not in connection.recv(1000)
    assert client.ask("/api/Rank") == (200, 0)
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize("host", ["evil.org", "evil.org:52425", "localhost.evil.org", "127.0.0.1.evil.org:1", "", "0.0.0.0:52425"])
def test_other_names_of_the_machine_are_refused(client, host):
    """A page of another site can let its name mean this machine."""
    for path in ("/", "/desktop/"):
        status, answer = client.ask(path, Host=host)
        assert status == 403 and "localhost" in answer["message"] and repr(host) in answer["message"]
    assert client.ask("/", Host="127.0.0.1:52425")[0] == client.ask("/", Host="[::1]:52425")[0] == 200


def test_pages_of_other_sites_may_not_ask(client):
    asked = {"token": None, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "nestserverauth,content-type"}
    for origin, allowed in ((ORIGIN, ORIGIN), ("http://evil.org", None), ("null", None), (ORIGIN + ".evil.org", None)):
        status, headers, _ = client.raw("/exec", method="OPTIONS", Origin=origin, **asked)
        assert (status == 200) is (allowed is not None) and headers["Access-Control-Allow-Origin"] == allowed
    refused = client.raw("/", Origin=ORIGIN, token="wrong")
    assert refused[0] == 403 and refused[1]["Access-Control-Allow-Origin"] == ORIGIN  # so that the page can show the message


def test_the_example(client):
    """The kernel counts the spikes, too."""
    example = runpy.run_path(str(Path(__file__).resolve().parents[2] / "examples/nest_server.py"))
    rate = example["main"](f"http://localhost:{client.port}", TOKEN)
    assert rate == client.ask("/api/local_spike_counter")[1] / 200 / 0.5 > 10.0
    with pytest.raises(SystemExit, match="ResetKernel: NESTServerAuth: not the token"):
        example["main"](f"http://localhost:{client.port}", "wrong")


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"token": "short"}, "token"),
        ({"token": "with a space"}, "token"),
        ({"scripts": "all"}, "scripts = 'all'.*restricted"),
        ({"origins": ("*",)}, r"origin = '\*'"),
        ({"origins": ("localhost:8000",)}, "origin = 'localhost:8000'"),
    ],
)
def test_wrong_settings(wrong, words):
    with pytest.raises(BadParameter, match=words):
        Settings(**{"token": TOKEN, **wrong})


def test_a_port_that_is_taken(client):
    with pytest.raises(BadParameter, match=f"port = {client.port}: must be a free port"):
        Server(Settings(TOKEN), client.port)
    with pytest.raises(BadParameter, match="port = 70000"):
        Server(Settings(TOKEN), 70000)
