# SPDX-License-Identifier: Apache-2.0
"""NEST Desktop itself, in headless Chromium: it loads a network, has it simulated and plots the spikes."""

import json
import re
import shutil
import subprocess

import pytest

from browser import CHROMIUM, NONE, WATCH
from neuropil import nest
from neuropil.serve import app
from serve.conftest import TOKEN, serving

# Clicks as a user does, and tells what the page shows in the end. `step` waits until something is there.
USER = """<script>
const there = async (what, find) => {
  for (let i = 0; i < 400; i++) { const found = find(); if (found) return found; await new Promise(next => setTimeout(next, 100)); }
  throw new Error('not there: ' + what);
};
const said = text => [...document.querySelectorAll('button, .v-snackbar__content')].find(
  each => each.textContent.trim().toLowerCase().includes(text));
const use = async () => {
  const found = {};
  try {
    const named = () => [...document.querySelectorAll('.v-list-item-title')].find(each => each.textContent.trim() === 'spike activity');
    (await there('project', named)).click();
    (await there('button', () => said('simulate'))).click();
    found.said = (await there('message', () => said('%(message)s'))).textContent;
    if (%(plotted)s) found.plots = (await there('plot', () => {
      const plot = document.querySelector('.js-plotly-plot');
      return plot && plot.data && plot.data.some(trace => trace.x && trace.x.length > 100) && plot;
    })).data.map(trace => ({x: [...trace.x], y: [...(trace.y || [])], type: trace.type}));
  } catch (error) { found.failed = String(error); }
  found.log = log;
  document.body.insertAdjacentHTML('beforeend', '<pre id="found"></pre>');
  document.getElementById('found').textContent = JSON.stringify(found);
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


def used(desktop, monkeypatch, message, plotted, **settings):
    """What the page shows to the user of a server with these settings."""
    page = (app.desktop_files() / "index.html").read_text()
    user = USER % {"message": message, "plotted": str(plotted).lower()}
    (desktop / "index.html").write_text(page.replace("<head>", f"<head>{WATCH}").replace("</body>", f"{user}</body>"))
    monkeypatch.setattr(app, "desktop_files", lambda: desktop)
    with serving(**settings) as client:
        url = f"http://localhost:{client.port}"
        address = f"{url}/desktop/?nest_server_url={url}&nest_server_access_token={TOKEN}#/nest"
        command = [CHROMIUM, "--headless", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
        command += ["--virtual-time-budget=60000", "--window-size=1280,900", "--dump-dom", address]
        done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=True)
        nest.ResetKernel()
    found = re.findall(r'<pre id="found">(.+?)</pre>', done.stdout)
    assert found, done.stdout[-2000:]
    return json.loads(found[-1].replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">"))


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
