# SPDX-License-Identifier: Apache-2.0
"""NEST Desktop itself, in headless Chromium: it loads a network, has it simulated and plots the spikes."""

import json
import shutil
import subprocess
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from browser import CHROMIUM, NONE, WATCH
from neuropil import nest
from neuropil.serve import app
from serve.conftest import TOKEN, serving

# Clicks as a user does, and tells what the page shows in the end. `step` waits until something is there.
USER = """<script>
const there = async (what, find) => {
  for (let i = 0; i < 1200; i++) { const found = find(); if (found) return found; await new Promise(next => setTimeout(next, 100)); }
  throw new Error('not there: ' + what);
};
// As a user does, who waits until the page has drawn itself: clicks into a half-made one are errors of the page.
const drawn = async () => {
  for (let same = 0, last = ''; same < 20;) {
    await new Promise(next => setTimeout(next, 100));
    const now = document.body.innerHTML;
    same = now === last ? same + 1 : 0;
    last = now;
  }
};
const said = text => [...document.querySelectorAll('button, .v-snackbar__content')].find(
  each => each.textContent.trim().toLowerCase().includes(text));
const use = async () => {
  const found = {};
  try {
    const named = () => [...document.querySelectorAll('.v-list-item-title')].find(each => each.textContent.trim() === 'spike activity');
    await there('project', named);
    await drawn();
    named().click();
    await there('button', () => said('simulate'));
    await drawn();
    said('simulate').click();
    found.said = (await there('message', () => said('%(message)s'))).textContent;
    if (%(plotted)s) found.plots = (await there('plot', () => {
      const plot = document.querySelector('.js-plotly-plot');
      return plot && plot.data && plot.data.some(trace => trace.x && trace.x.length > 100) && plot;
    })).data.map(trace => ({x: [...trace.x], y: [...(trace.y || [])], type: trace.type}));
  } catch (error) { found.failed = String(error); }
  found.log = log;
  fetch('%(listener)s', {method: 'POST', mode: 'no-cors', body: JSON.stringify(found)});
};
addEventListener('load', use);
</script>"""


@pytest.fixture(scope="module")
def desktop(tmp_path_factory):
    """A copy of the pages of NEST Desktop, whose user is `USER`."""
    files = app.desktop_files()
    if CHROMIUM is None:
        pytest.skip(NONE)
    if files is None:
        pytest.skip("NEST Desktop is not here")
    return shutil.copytree(files, tmp_path_factory.mktemp("desktop") / "app")


class Told(BaseHTTPRequestHandler):
    """Keeps what the page found. In real time: Chromium's virtual time does not wait for the database of the page."""

    def do_POST(self):
        self.server.found = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(204)
        self.end_headers()


def used(desktop, monkeypatch, message, plotted, **settings):
    """What the page shows to the user of a server with these settings."""
    page = (app.desktop_files() / "index.html").read_text()
    monkeypatch.setattr(app, "desktop_files", lambda: desktop)
    with HTTPServer(("localhost", 0), Told) as listener, serving(**settings) as client:
        listener.timeout, listener.found = 300.0, None
        words = {"message": message, "plotted": str(plotted).lower(), "listener": f"http://localhost:{listener.server_port}"}
        (desktop / "index.html").write_text(page.replace("<head>", f"<head>{WATCH}").replace("</body>", f"{USER % words}</body>"))
        url = f"http://localhost:{client.port}"
        address = f"{url}/desktop/?nest_server_url={url}&nest_server_access_token={TOKEN}#/nest"
        profile = f"--user-data-dir={desktop.parent / 'profile'}"
        command = [CHROMIUM, "--headless", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", profile]
        browser = subprocess.Popen([*command, "--remote-debugging-port=0", "--window-size=1280,900", address], stderr=subprocess.DEVNULL)
        try:
            listener.handle_request()
        finally:
            browser.terminate()
            browser.wait()
        nest.ResetKernel()
    assert listener.found is not None, "the page told nothing"
    return listener.found


@pytest.mark.slow
def test_a_network_is_simulated_and_plotted(desktop, monkeypatch):
    """The project "spike activity": 100 neurons with Poisson input of 6500 spikes/s, 1 s."""
    found = used(desktop, monkeypatch, "simulation finished", True, scripts="restricted")
    assert "failed" not in found, found
    raster = found["plots"][0]
    nest.ResetKernel()
    nest.SetKernelStatus({"rng_seed": 1})
    noise, cells, recorder = (
        nest.Create("poisson_generator", params={"rate": 6500}),
        nest.Create("iaf_psc_alpha", 100),
        nest.Create("spike_recorder"),
    )
    nest.Connect(noise, cells, syn_spec={"weight": 10})
    nest.Connect(cells, recorder)
    nest.Simulate(1000)
    assert sorted(raster["x"]) == sorted(recorder.events["times"].tolist()) and len(raster["x"]) > 1000
    assert set(raster["y"]) == set(recorder.events["senders"].tolist())
    nest.ResetKernel()


@pytest.mark.slow
def test_what_the_server_refuses_is_shown(desktop, monkeypatch):
    found = used(desktop, monkeypatch, "this server runs no scripts", False)
    assert "--scripts restricted" in found["said"]
