# SPDX-License-Identifier: Apache-2.0
"""The page of a circuit in headless Chromium: any pair can be chosen. Weekly."""

import pytest

import browser
from neuropil import circuit

pytestmark = [pytest.mark.slow, pytest.mark.skipif(browser.CHROMIUM is None, reason=browser.NONE)]

PROBE = """
const view = document.getElementById('pair-view'), pre = document.getElementById('pair-pre'), post = document.getElementById('pair-post');
const seen = () => [view.dataset.pair, document.getElementById('pair-facts').textContent, view.data.map(trace => trace.name), view.data.at(-1).x.length];
found.first = seen();
pre.selectedIndex = pre.options.length - 1;
pre.onchange();
post.selectedIndex = post.options.length - 1;
post.onchange();
found.chosen = [pre.selectedOptions[0].textContent, post.selectedOptions[0].textContent];
found.then = seen();
document.getElementById('pair-next').click();
found.next = seen();
found.wide = document.documentElement.scrollWidth;
"""


def test_any_pair_can_be_shown(tmp_path):
    config = circuit.grow_column(tmp_path / "column", cells=20, seed=1)
    run = circuit.detect_touches(config, tmp_path / "edges.h5")
    report = circuit.write_report(run.path, tmp_path / "report.html")
    found = browser.looked_at(browser.probed(report.page, PROBE))
    assert [line for line in found["log"] if "WebGL" not in line] == []
    pairs = circuit.Connections(circuit.EdgeFile(run.path))
    count = {(s, t): n for s, t, n in zip(pairs.source.tolist(), pairs.target.tolist(), pairs.count.tolist(), strict=True)}
    for state in (found["first"], found["then"], found["next"]):
        pair, facts, names, drawn = state
        cells = tuple(map(int, pair.split()))
        assert drawn == count[cells]
        assert facts.startswith(f"{count[cells]} touches; ")
        assert "expected by cell types and distance; somata" in facts
        assert names[-1] == f"{count[cells]} touches"
        assert {name.partition(": ")[2] for name in names[:-1]} >= {"axon", "basal dendrite", "soma"}
    assert found["first"][0] == f"{report.pair.pre.gid} {report.pair.post.gid}"
    assert found["then"][0].split()[0] == found["chosen"][0].split()[0]
    assert found["then"][0] != found["next"][0]
