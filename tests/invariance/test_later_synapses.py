# SPDX-License-Identifier: Apache-2.0
"""Plastic synapses that are made after a run, onto neurons that had none: they read the same postsynaptic traces in any slices."""

import numpy as np
import pytest

from lowlevel import connect, drawn, kernel, rows
from thread_ranks import on_ranks, the_same

TRIPLET = {"synapse": "stdp_triplet_synapse", "synapse_params": {"Aplus": 0.5, "Aplus_triplet": 0.7}}
RULES = [{"synapse": "stdp_synapse", "synapse_params": {"lambda": 0.1, "Wmax": 90.0}}, TRIPLET]
NEURONS = ["iaf_psc_exp", "iaf_psc_exp_ps"]


def sorted_rows(net):
    net.build(None)
    c = net.connections(None, None, "")
    order = np.lexsort([c[k] for k in ("weight", "delay_steps", "target", "source")])
    return [c[k][order].tobytes() for k in ("source", "target", "delay_steps", "weight")]


def results(model, rule, carried=None, **settings):
    """One synapse, in one slice; the others 200 ms later, in all slices. Or: the first synapse has got another tau_minus by then."""
    net = kernel(0.1, seed=5, **settings)
    cells = net.create(model, 40, {"I_e": np.linspace(380.0, 450.0, 40)})
    values = {"weight": drawn("uniform", 5.0, 20.0), "delay": drawn("uniform", 0.5, 4.0), **rule}
    connect(net, rows(cells), rows(cells + 1), **values)
    net.run(1000, None)
    if carried:
        one = net.connections(None, None, "", gather=True)
        net.edit(one["slice"], one["table"], one["position"], 0, parameters={"tau_minus": np.array([carried])})
        values["synapse_params"] = {**rule["synapse_params"], "tau_minus": carried}
    net.run(1000, None)
    connect(net, rows(cells, 40), rows(cells, 40), "fixed_indegree", indegree=5, **values)
    net.run(1500, None)
    return sorted_rows(net)


@pytest.mark.parametrize("carried", [None, 33.0])
@pytest.mark.parametrize("model", NEURONS)
@pytest.mark.parametrize("rule", RULES)
def test_synapses_read_traces_from_before_they_were_made(rule, model, carried):
    expected = results(model, rule, carried)
    for threads, block_size in [(1, 5), (1, 1), (2, 0), (3, 7)]:
        assert results(model, rule, carried, threads=threads, block_size=block_size) == expected
    for ranks in (2, 3):
        assert the_same(on_ranks(ranks, lambda comm: results(model, rule, carried, comm=comm, threads=2))) == expected
