# SPDX-License-Identifier: Apache-2.0
"""Links of the site to other sites, by Sphinx's linkcheck: a page that is gone is an error, a server that refuses or is slow is not.

Links into the repository are left out: `pages.site_link` makes them of files that exist. Needs the network, so only .ci/weekly does this.
Its settings are in docs/conf.py.
"""

import json
import re
from pathlib import Path

GONE = re.compile(r"^(404|410) ")  # other pages may be there for people: 403, 429, 5xx
NO_SITE = "NameResolutionError"


def judged(report: Path) -> tuple[list[str], list[str]]:
    """Links that lead nowhere and links that could not be checked, of the output.json that linkcheck wrote."""
    links = [json.loads(line) for line in report.read_text().splitlines()]
    online = any(link["status"] in ("working", "redirected") for link in links)  # else names are not resolved for want of a network
    gone, unsure = [], []
    for link in links:
        if link["status"] in ("broken", "timeout", "rate-limited"):
            info = link["info"] or link["status"]
            lost = link["status"] == "broken" and (GONE.search(info) or (online and NO_SITE in info))
            (gone if lost else unsure).append(f"{link['filename']}:{link['lineno']}: {link['uri']} ({info})")
    return gone, unsure
