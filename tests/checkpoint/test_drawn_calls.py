# SPDX-License-Identifier: Apache-2.0
"""Static synapses that a checkpoint does not hold, because the call that drew them draws them again: also from files made before rules declared
their parameters (data/drawn_calls.npc, written by `python -m checkpoint.test_drawn_calls FILE` then)."""

import sys
from pathlib import Path

import numpy as np

import neuropil as npl

OLD = Path(__file__).parent / "data" / "drawn_calls.npc"


def build():
    """Static synapses by every rule whose parameters are numbers and flags."""
    net = npl.Network(seed=5, threads=1)
    n = net.create("iaf_psc_exp", 40, name="n", V_m=npl.normal(-60.0, 4.0), I_e=400.0)
    rules = [
        npl.all_to_all(autapses=False),
        npl.fixed_indegree(12),
        npl.fixed_indegree(9, autapses=False, multapses=False),
        npl.fixed_outdegree(10, multapses=False),
        npl.fixed_outdegree(11, autapses=False),
        npl.fixed_total_number(500, autapses=False),
        npl.fixed_total_number(400, multapses=False),
        npl.pairwise_bernoulli(0.3, autapses=False),
    ]
    for k, rule in enumerate(rules):
        net.connect(n, n, rule, weight=npl.normal(1.0 + k, 0.5), delay=npl.uniform(0.5, 3.0))
    return net


def edges(net) -> list[bytes]:
    found = net.connections()
    columns = [found.source, found.target, found.weight, found.delay]
    order = np.lexsort(columns)
    return [np.ascontiguousarray(column[order]).tobytes() for column in columns]


def the_rest(net) -> list[bytes]:
    """What the network does until its end."""
    spikes = net.record(net["n"])
    net.run(until=60.0)
    assert len(spikes) > 20
    return [spikes.steps.tobytes(), spikes.gids.tobytes()]


def whole():
    net = build()
    net.run(20.0)
    return net


def test_calls_of_an_old_file_draw_the_same_synapses():
    net, now = npl.load(OLD), whole()
    assert edges(net) == edges(now)
    assert the_rest(net) == the_rest(now)


def test_calls_of_a_new_file_draw_the_same_synapses(tmp_path):
    now = whole()
    now.save(tmp_path / "new.npc")
    net = npl.load(tmp_path / "new.npc")
    assert edges(net) == edges(now)
    assert the_rest(net) == the_rest(now)


def test_no_file_holds_the_synapses(tmp_path):
    """These files test the calls only as long as they do not list the edges."""
    now = whole()
    now.save(tmp_path / "new.npc")
    for file in (OLD, tmp_path / "new.npc"):
        with np.load(file) as columns:
            assert columns["common/drawn_again"].all() and len(columns["common/drawn/rule#"]) == 8


if __name__ == "__main__":
    whole().save(Path(sys.argv[1]))
