# SPDX-License-Identifier: Apache-2.0
"""The page of `neuropil report` in headless Chromium: no errors, every chart drawn, keys, phone width, dark mode. Weekly."""

import json
import re
import shutil
import subprocess

import pytest
from typer.testing import CliRunner

from neuropil import cli

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = [pytest.mark.slow, pytest.mark.skipif(CHROMIUM is None, reason="no browser here: install chromium")]

# Put before the program of the page.
WATCH = """<script>window.log = [];
window.addEventListener('error', event => log.push(String(event.message)));
for (const kind of ['error', 'warn']) console[kind] = (...words) => log.push(kind + ': ' + words.join(' '));
</script>"""
# Put behind it: what the charts show, before and after keys and clicks.
PROBE = """<script>addEventListener('load', () => setTimeout(() => {
const canvases = [...document.querySelectorAll('canvas')], found = {};
const inked = canvas => {
  const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data, seen = new Set();
  for (let k = 0; k < data.length; k += 4) seen.add((data[k] << 16) | (data[k + 1] << 8) | data[k + 2]);
  return seen.size;
};
found.drawn = canvases.map(canvas => Number(canvas.dataset.drawn || 0));
found.colours = canvases.map(inked);
found.labels = canvases.map(canvas => canvas.getAttribute('aria-label'));
const first = canvases[0], press = key => { first.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true })); return first.dataset.view; };
first.focus();
found.focused = document.activeElement === first;
found.views = [first.dataset.view, press('+'), press('ArrowRight'), press('0')];
const before = first.toDataURL();
const button = first.parentElement.querySelector('.legend button');
button.click();
found.hidden = [button.getAttribute('aria-pressed'), first.toDataURL() !== before];
found.page = [getComputedStyle(document.body).backgroundColor, document.documentElement.scrollWidth, innerWidth];
found.log = log;
(parent === window ? document : parent.document).body.insertAdjacentHTML('beforeend', '<pre id="found"></pre>');
(parent === window ? document : parent.document).getElementById('found').textContent = JSON.stringify(found);
}, 500));</script>"""


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    cli.add_jobs()
    options = ["--scale", "0.01", "--k-scale", "0.1", "--duration", "300", "--threads", "1", "--report", "--output", str(folder)]
    answer = CliRunner().invoke(cli.app, ["job", "microcircuit", *options])
    assert answer.exit_code == 0, answer.output
    text = (folder / "report.html").read_text()
    watched = folder / "watched.html"
    watched.write_text(text.replace("<head>", f"<head>{WATCH}").replace("</body>", f"{PROBE}</body>"))
    return watched


def looked_at(page, *options, width=1200):
    """What the page tells of itself. Chromium's windows are at least 500 pixels wide, so a phone is a frame."""
    if width < 500:
        frame = page.with_name("frame.html")
        frame.write_text(f"<!doctype html><body style='margin: 0'><iframe src='{page.name}' width={width} height=900></iframe>")
        page = frame
    command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files", "--virtual-time-budget=8000"]
    size = f"--window-size={max(width, 500)},900"
    done = subprocess.run([*command, size, *options, "--dump-dom", page.as_uri()], capture_output=True, text=True, timeout=300, check=True)
    found = re.findall(r'<pre id="found">(.+?)</pre>', done.stdout)  # not the empty one in the text of the probe
    assert found, done.stdout[-2000:]
    return json.loads(found[-1].replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">"))


@pytest.mark.parametrize("options", [(), ("--blink-settings=preferredColorScheme=0",)], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1200, 390])
def test_the_page_works(page, options, width):
    found = looked_at(page, *options, width=width)
    assert found["log"] == []
    assert len(found["drawn"]) > 20
    assert min(found["drawn"]) > 0
    assert min(found["colours"]) > 2  # the ground, the axes and the data
    assert all(found["labels"])
    whole, nearer, beside, again = found["views"]
    low, high, *_ = map(float, whole.split())
    zoomed = [float(value) for value in nearer.split()]
    assert zoomed[1] - zoomed[0] == pytest.approx((high - low) / 2, rel=1e-3)
    assert float(beside.split()[0]) > zoomed[0]
    assert again == whole
    assert found["focused"]
    assert found["hidden"] == ["false", True]
    ground, wide, inner = found["page"]
    assert ground == ("rgb(20, 23, 27)" if options else "rgb(255, 255, 255)")
    assert inner == width
    assert wide <= width
