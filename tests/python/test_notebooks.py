# SPDX-License-Identifier: Apache-2.0
"""What notebooks show of a network, its nodes, projections and records: tables and a picture."""

import re

import numpy as np
import pytest

import neuropil as npl
from neuropil.analysis import plot_network
from neuropil.model.diagram import Arrow, Box, diagram, expected_synapses, sign_of


@pytest.fixture
def net():
    net = npl.Network(seed=5, threads=1)
    exc = net.create("iaf_psc_exp", 80, I_e=500.0, name="E<1>")
    inh = net.create("iaf_psc_exp", 20)
    net.connect(exc, exc + inh, npl.fixed_indegree(10), weight=npl.normal(20.0, 2.0), delay=1.5)
    net.connect(inh, exc, npl.pairwise_bernoulli(0.5), weight=-50.0, delay=1.5)
    net.stimulate(exc, npl.poisson(rate=1000.0), weight=10.0)
    return net


def cells(html: str) -> list[list[str]]:
    return [re.findall(r"<t[dh]>(.*?)</t[dh]>", row) for row in re.findall(r"<tr>(.*?)</tr>", html)]


# --- tables


def test_a_network_is_shown_with_its_populations_and_projections(net):
    html = net._repr_html_()
    assert html.startswith("<p>Network: 101 nodes in 3 populations") and html.count("<table>") == 2
    assert ["E&lt;1&gt;", "iaf_psc_exp", "80", "1..80", ""] in cells(html) and html == net.summary()._repr_html_()


def test_nodes_are_shown_by_population(net):
    exc, inh, _ = net.populations
    head, *rows = cells((exc[:10] + inh)._repr_html_())
    assert head == ["name", "model", "nodes", "gids of the population"]
    assert rows == [["E&lt;1&gt;", "iaf_psc_exp", "10 of 80", "1..80"], ["", "iaf_psc_exp", "20", "81..100"]]
    assert cells(exc[:0]._repr_html_()) == [head]


def test_records_are_shown_with_their_first_rows(net):
    exc = net.populations[0]
    spikes, trace, counts = net.record(exc), net.record(exc[:2], "V_m"), net.record(exc, "rate", bin=5.0)
    assert cells(spikes._repr_html_()) == [] and "0 spikes of 80 nodes" in spikes._repr_html_()
    net.run(50.0)
    head, *rows = cells(spikes._repr_html_())
    assert head == ["time_ms", "gid"] and rows[-1] == ["...", "..."]
    assert [[float(x) for x in row] for row in rows[:-1]] == np.column_stack([spikes.times, spikes.gids])[:5].tolist()
    assert cells(counts._repr_html_())[0] == ["time_ms", "counts", "rate"] and cells(spikes.copy()._repr_html_()) == [head, *rows]
    head, *rows = cells(trace._repr_html_())
    assert head == ["time_ms", "V_m of 1", "V_m of 2"] and [float(x) for x in rows[1]] == pytest.approx([2.0, *trace["V_m"][1]], rel=1e-5)


def test_records_of_synapses_are_shown(net):
    p = net.projections[1]
    weights = net.record(p, "weight", interval=10.0)
    net.run(20.0)
    head, *rows = cells(weights._repr_html_())
    source, target = p.source[0], p.target[0]
    assert head[:2] == ["time_ms", f"weight of {source} to {target} [0]"] and len(head) == 5
    assert rows == [["10", *["-50"] * 4], ["20", *["-50"] * 4]]


# --- what a picture shows


def test_arrows_have_the_synapses_of_the_rules(net):
    boxes, arrows = diagram(net)
    assert boxes[:2] == [Box("E<1>", "iaf_psc_exp", 80, False), Box("", "iaf_psc_exp", 20, False)]
    assert boxes[2].is_device and boxes[2].nodes == 1
    assert sorted(arrows) == [Arrow(0, 0, 800.0, 1), Arrow(0, 1, 200.0, 1), Arrow(1, 0, 800.0, -1), Arrow(2, 0, 80.0, 1)]
    assert net.time == 0.0 and not net._kernel.built


RULES = [
    npl.all_to_all(),
    npl.one_to_one(),
    npl.fixed_indegree(7),
    npl.fixed_outdegree(3),
    npl.fixed_total_number(123),
    npl.pairwise_bernoulli(0.3),
    npl.pairwise_poisson(0.4),
]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_expected_synapses_are_those_that_are_made(rule):
    net = npl.Network(seed=2, threads=1)
    pre, post = net.create("iaf_psc_exp", 60), net.create("iaf_psc_exp", 60)
    p = net.connect(pre, post, rule, weight=1.0, delay=1.0)
    expected = expected_synapses(p)
    assert abs(len(p) - expected) <= (5.0 * expected**0.5 if rule.name.startswith("pairwise") else 0.0)  # five standard deviations


def test_without_a_formula_synapses_are_counted_once_they_are_built():
    net = npl.Network(seed=2, threads=1)
    sheet = net.create("iaf_psc_exp", positions=npl.grid((8, 8)))
    p = net.connect(sheet, sheet, npl.pairwise_bernoulli(0.8, mask=npl.space.circle(0.3)), weight=1.0, delay=1.0)
    assert expected_synapses(p) is None
    net.run(1.0)
    assert expected_synapses(p) == len(p) > 0


@pytest.mark.parametrize(
    ("weight", "sign"),
    [
        *((2.0, 1), (-1, -1), (0.0, 0), ([1.0, 2.0], 1), (np.array([1.0, -1.0]), 0), (None, 0)),
        *((npl.normal(20.0, 4.0), 1), (npl.normal(0.0, 1.0), 0), (-1.0 * npl.lognormal(0.0, 1.0), -1), (npl.distance * 2.0, 0)),
    ],
)
def test_the_sign_of_weights(weight, sign):
    assert sign_of(weight) == sign


# --- the picture


def test_a_picture_has_a_box_for_each_population_and_an_arrow_for_each_sign(net):
    from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

    ax = net.draw()
    arrows = [patch for patch in ax.patches if isinstance(patch, FancyArrowPatch)]
    boxes = [patch for patch in ax.patches if isinstance(patch, FancyBboxPatch)]
    texts = [text.get_text() for text in ax.texts]
    assert len(boxes) == 3 and len(arrows) == 4
    assert "E<1>  80\niaf_psc_exp" in texts and {"800", "200", "80"} <= set(texts)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["weight > 0", "weight < 0"]
    ax.figure.draw_without_rendering()
    without = net.draw(devices=False)
    assert sum(isinstance(patch, FancyBboxPatch) for patch in without.patches) == 2
    assert net.draw(ax=without) is without


@pytest.mark.parametrize("n", [1, 2, 3, 8, 30])
def test_boxes_do_not_overlap(n):
    boxes = [Box("", "iaf_psc_exp", 1, False)] * n + [Box("", "poisson_generator", 1, True)] * n
    places = np.array([*plot_network.layout(boxes, [Arrow(n + k, k, 1.0, 1) for k in range(n)], True).values()])
    apart = np.abs(places[:, None] - places[None, :])
    clear = (apart[..., 0] > plot_network._SIZE[0]) | (apart[..., 1] > plot_network._SIZE[1])
    assert len(places) == 2 * n and (clear | np.eye(2 * n, dtype=bool)).all()


@pytest.mark.parametrize(
    ("n", "text"), [(320, "320"), (9999, "9999"), (40000, "40 k"), (1_300_000, "1.3 M"), (2.99e8, "299 M"), (1e10, "10 G")]
)
def test_numbers_are_short(n, text):
    assert plot_network.count(n) == text


def test_an_empty_network_is_drawn():
    assert len(npl.Network(threads=1).draw().patches) == 0
