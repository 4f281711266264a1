# SPDX-License-Identifier: Apache-2.0
"""by_area and the report of the load of ranks."""

import numpy as np
import pytest

import neuropil as npl
from thread_ranks import on_ranks, the_same


def loaded(comm=None):
    """30 neurons in A on rank 0, 10 in B on rank 1; A has 30 x 4 synapses, B 10 x 2."""
    net = npl.Network(seed=1, threads=1, ranks=comm, distribution=npl.parallel.by_area({"A": 1, "B": 1}))
    a = net.create("ignore_and_fire", 30, rate=100.0, phase=1.0, area="A")
    b = net.create("ignore_and_fire", 10, rate=100.0, phase=1.0, area="B")
    targets = net.create("parrot_neuron", 2, area="B")
    net.connect(a, a, npl.fixed_indegree(4), delay=1.0)
    net.connect(b, targets, npl.fixed_indegree(10), delay=1.0)
    net.run(100.0)
    return net.imbalance(), net.counters


def test_loads_are_those_of_the_ranks():
    def program(comm):
        found, counters = loaded(comm)
        assert all(found.loads[name].sum() == counters[name] for name in ("spikes", "events", "synapses", "bytes_sent"))
        return {name: values.tolist() for name, values in found.loads.items() if name in ("neurons", "synapses", "events")}

    found = the_same(on_ranks(2, program))
    assert found["neurons"] == [30, 12]
    assert found["synapses"] == [120, 20]
    assert found["events"][0] == 6 * found["events"][1] > 0


def test_factors():
    loads = {
        "neurons": np.array([1.0, 3.0]),
        "synapses": np.zeros(2),
        "events": np.array([2.0, 2.0]),
        "compute": np.array([0.0, 1.0]),
        "spikes": np.ones(2),
    }
    found = npl.classes.Imbalance(loads)
    assert [found.factor(name) for name in loads] == [1.5, 1.0, 1.0, 2.0, 1.0]
    assert found.line() == "imbalance over 2 ranks (max / mean): neurons 1.50, synapses 1.00, events 1.00, compute 2.00"
    with pytest.raises(npl.errors.UnknownName, match="neurons"):
        found.factor("neuron")


def test_table_and_plot():
    found, _ = loaded()
    assert found.n_ranks == 1
    rows = repr(found).splitlines()
    assert rows[2].split() == ["neurons", "42", "42", "42", "1.00"]
    assert all(name in repr(found) for name in ("compute (s)", "wait (s)", "memory (B)"))
    axes = found.plot()
    lines = [line for line in axes.get_lines() if len(line.get_xdata()) == 1]
    assert [line.get_label().partition(",")[0] for line in lines][:2] == ["neurons", "synapses"]


@pytest.mark.parametrize(
    ("shares", "error"),
    [
        ({}, npl.errors.BadParameter),
        ({"A": 0.0}, npl.errors.BadParameter),
        ({"A": np.inf}, npl.errors.BadParameter),
        (["A"], npl.errors.BadType),
        ({1: 2.0}, npl.errors.BadType),
    ],
)
def test_wrong_shares(shares, error):
    with pytest.raises(error):
        npl.parallel.by_area(shares)


def test_areas_have_names():
    net = npl.Network(distribution=npl.parallel.by_area({"V1": 2.0, "V2": 1.0}))
    with pytest.raises(npl.errors.UnknownName, match="V1"):
        net.create("iaf_psc_exp", 3, area="V3")
    assert net.n_nodes == 0
    with pytest.raises(npl.errors.BadParameter, match="areas"):
        npl.Network(distribution="by_area")
    with pytest.raises(npl.errors.UnknownName):
        npl.exchange("nbx", local="no such")
