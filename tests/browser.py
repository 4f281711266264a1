# SPDX-License-Identifier: Apache-2.0
"""Pages in headless Chromium: what a page tells of itself after a script has used it, and its errors."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
NONE = "no browser here: install chromium"

# Put before the program of the page.
WATCH = """<script>window.log = [];
window.addEventListener('error', event => log.push(String(event.message)));
for (const kind of ['error', 'warn']) console[kind] = (...words) => log.push(kind + ': ' + words.join(' '));
</script>"""
# Put behind it; %s fills `found` and may await.
PROBE = """<script>addEventListener('load', () => setTimeout(async () => {
const found = {};
%s
found.log = log;
const home = parent === window ? document : parent.document;
home.body.insertAdjacentHTML('beforeend', '<pre id="found"></pre>');
home.getElementById('found').textContent = JSON.stringify(found);
}, 500));</script>"""


def probed(page: Path, script: str) -> Path:
    """A copy of a page that fills `found` by a script and keeps its errors in `found.log`."""
    copy = page.with_name(f"probed_{page.name}")
    head, _, body = page.read_text().partition("<head>")
    before, _, end = body.rpartition("</body>")
    copy.write_text(f"{head}<head>{WATCH}{before}{PROBE % script}</body>{end}")
    return copy


def looked_at(page: Path, *options: str, width: int = 1200, query: str = "") -> dict[str, Any]:
    """What a probed page found. Chromium's windows are at least 500 pixels wide, so a phone is a frame."""
    assert CHROMIUM is not None
    if width < 500:
        frame = page.with_name("frame.html")
        frame.write_text(f"<!doctype html><body style='margin: 0'><iframe src='{page.name}{query}' width={width} height=900></iframe>")
        page, query = frame, ""
    command = [CHROMIUM, "--headless", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
    command += ["--allow-file-access-from-files", "--virtual-time-budget=8000", f"--window-size={max(width, 500)},900", *options]
    done = subprocess.run([*command, "--dump-dom", page.as_uri() + query], capture_output=True, text=True, timeout=600, check=True)
    found = re.findall(r'<pre id="found">(.+?)</pre>', done.stdout)  # not the empty one in the text of the probe
    assert found, done.stdout[-2000:]
    return dict(json.loads(found[-1].replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">")))
