# SPDX-License-Identifier: Apache-2.0
"""The page of `neuropil report` in headless Chromium: no errors, every chart drawn, keys, phone width, dark mode. Weekly."""

import pytest
from typer.testing import CliRunner

import browser
from neuropil import cli

pytestmark = [pytest.mark.slow, pytest.mark.skipif(browser.CHROMIUM is None, reason=browser.NONE)]

# What the charts show, before and after keys and clicks.
PROBE = """
const canvases = [...document.querySelectorAll('canvas')];
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
"""


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    cli.add_jobs()
    options = ["--scale", "0.01", "--k-scale", "0.1", "--duration", "300", "--threads", "1", "--report", "--output", str(folder)]
    answer = CliRunner().invoke(cli.app, ["job", "microcircuit", *options])
    assert answer.exit_code == 0, answer.output
    return browser.probed(folder / "report.html", PROBE)


@pytest.mark.parametrize("options", [(), ("--blink-settings=preferredColorScheme=0",)], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1200, 390])
def test_the_page_works(page, options, width):
    found = browser.looked_at(page, *options, width=width)
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
