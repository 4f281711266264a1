# SPDX-License-Identifier: Apache-2.0
"""Electrical synapses against the equations of coupled cells, and bit for bit against the gap junctions of a native network."""

from pathlib import Path

import numpy as np
import pytest
from pyNN.errors import ConnectionError, NonExistentParameterError
from scipy.linalg import expm

import neuropil as npl
from neuropil.engine import load_model_text
from neuropil.pynn import NotSupported

PASSIVE = {"g_Na": 0.0, "g_Kv1": 0.0, "g_Kv3": 0.0, "C_m": 40.0, "g_L": 10.0, "E_L": -70.0}
START = np.array([-20.0, -70.0, -55.0, -90.0])


def passive(sim):
    """Four cells that decay to -70 mV."""
    sim.state.net.relax_waveforms(tolerance=1e-8, most_iterations=50)
    cells = sim.Population(4, sim.native_cell_type("hh_psc_alpha_gap")(**PASSIVE), initial_values={"V_m": START})
    cells.record("V_m")
    return cells


def courses(cells, segment=-1):
    return cells.get_data().segments[segment].analogsignals[0].magnitude


def closed_form(junctions, steps):
    """C V' = -g_L (V - E_L) + sum of g (V_j - V); junctions : (one, other, g in uS)."""
    A = -np.eye(4) * PASSIVE["g_L"]
    for i, j, g in junctions:
        A[[i, j], [j, i]] += 1e3 * g
        A[[i, j], [i, j]] -= 1e3 * g
    return np.array([-70.0 + expm(A / PASSIVE["C_m"] * 0.1 * k) @ (START + 70.0) for k in range(steps + 1)])


def test_a_connection_couples_both_cells(sim):
    cells = passive(sim)
    junctions = [(0, 1, 0.007), (1, 2, 0.003), (0, 2, 0.0015), (2, 3, 0.02)]
    made = sim.Projection(cells, cells, sim.FromListConnector(junctions, column_names=["weight"]), sim.ElectricalSynapse())
    sim.run(6.0)
    np.testing.assert_allclose(courses(cells), closed_form(junctions, 60), atol=2e-6)
    found = {(i, j): w for i, j, w in made.get("weight", "list")}
    assert found == pytest.approx({(i, j): g for i, j, g in junctions}) and len(made) == made.size() == 4


def ends(sim, cells):
    sim.Projection(cells[:1], cells[1:], sim.AllToAllConnector(), sim.ElectricalSynapse(weight=0.004))
    sim.Projection(cells[3:], cells[2:3], sim.AllToAllConnector(), sim.ElectricalSynapse(weight=0.01))
    return [(0, 1, 0.004), (0, 2, 0.004), (0, 3, 0.004), (2, 3, 0.01)]


def all_to_all(sim, cells):
    """PyNN's all to all within a population has each pair twice, so there are two junctions."""
    sim.Projection(cells, cells, sim.AllToAllConnector(), sim.ElectricalSynapse(weight=0.002))
    return [(i, j, 0.002) for i in range(4) for j in range(4) if i != j]


def assembly(sim, cells):
    sim.Projection(cells[:2] + cells[3:], cells[2:3], sim.AllToAllConnector(), sim.ElectricalSynapse(weight=0.005))
    return [(0, 2, 0.005), (1, 2, 0.005), (3, 2, 0.005)]


def distance(sim, cells):
    cells.positions = np.array([[0.0, 1.0, 3.0, 7.0], [0.0] * 4, [0.0] * 4])
    pre, post = cells[:2], cells[2:]
    sim.Projection(pre, post, sim.FixedProbabilityConnector(1.0), sim.ElectricalSynapse(weight=lambda d: 1e-3 * d))
    return [(0, 2, 0.003), (0, 3, 0.007), (1, 2, 0.002), (1, 3, 0.006)]


@pytest.mark.parametrize("connectors", ["kernel", "pynn"])
@pytest.mark.parametrize("connect", [ends, all_to_all, assembly, distance])
def test_connectors(sim, connect, connectors):
    sim.setup(timestep=0.1, threads=1, connectors=connectors)
    cells = passive(sim)
    junctions = connect(sim, cells)
    sim.run(3.0)
    np.testing.assert_allclose(courses(cells), closed_form(junctions, 30), atol=2e-6)


def test_set_and_reset(sim):
    """Weights set for one connection, for all, and by an array count for both directions, also beyond `reset`."""
    cells = passive(sim)
    synapse = sim.ElectricalSynapse(weight=0.5)
    made = sim.Projection(cells, cells, sim.FromListConnector([(0, 1), (2, 1), (0, 1), (3, 0)], column_names=[]), synapse)
    made.set(weight=0.001)
    assert made.get("weight", "list", with_address=False) == pytest.approx([0.001] * 4)
    for connection, weight in zip(made, [0.002, 0.003, 0.004, 0.005], strict=True):
        connection.weight = weight  # of (3, 0), (0, 1), (0, 1), (2, 1)
    junctions = [(3, 0, 0.002), (0, 1, 0.007), (2, 1, 0.005)]
    assert made.get("weight", "list") == [pytest.approx(each) for each in [(3, 0, 0.002), (0, 1, 0.003), (0, 1, 0.004), (2, 1, 0.005)]]
    sim.run(3.0)
    np.testing.assert_allclose(courses(cells), closed_form(junctions, 30), atol=2e-6)
    made.set(weight=np.array([[np.nan, 0.01, np.nan, np.nan]] + [[0.02] * 4] * 3))
    late = sim.Projection(cells[1:2], cells[3:], sim.AllToAllConnector(), sim.ElectricalSynapse(weight=0.006))
    sim.reset()
    sim.run(3.0)
    junctions = [(3, 0, 0.02), (0, 1, 0.02), (2, 1, 0.02), (1, 3, 0.006)]
    np.testing.assert_allclose(courses(cells), closed_form(junctions, 30), atol=2e-5)
    assert len(late) == 1


@pytest.mark.parametrize("model", ["hh_psc_alpha_gap", "hh_cond_beta_gap_traub"])
def test_spiking_cells_as_of_a_native_network(sim, model):
    rng = np.random.default_rng(3)
    pairs = np.array([(i, j) for i in range(8) for j in range(i) if rng.random() < 0.5])
    weights, drive = rng.uniform(0.0005, 0.002, len(pairs)), np.linspace(0.0, 1000.0, 8)
    cells = sim.Population(8, sim.native_cell_type(model)(I_e=drive))
    cells.record(["spikes", "V_m"])
    table = np.column_stack([pairs, weights])
    sim.Projection(cells, cells, sim.FromListConnector(table, column_names=["weight"]), sim.ElectricalSynapse())
    sim.run(30.0)
    segment = cells.get_data().segments[0]

    net = npl.Network(0.1, 1, 2)
    nodes = net.create(model, 8, I_e=drive)
    for one, other in ((0, 1), (1, 0)):
        net.connect(nodes, nodes, npl.explicit(pairs[:, one], pairs[:, other]), weight=1000.0 * weights, synapse="gap_junction")
    spikes, trace = net.record(nodes), net.record(nodes, "V_m", interval=0.1)
    net.run(30.0)
    np.testing.assert_array_equal(segment.analogsignals[0].magnitude[1:], trace["V_m"])
    assert [len(train) for train in segment.spiketrains] == np.bincount(spikes.gids - 1, minlength=8).tolist()
    assert len(spikes.times) > 10


@pytest.mark.slow
def test_own_models_can_be_coupled(sim):
    """A copy of a built-in model, loaded under another name."""
    source = (Path(__file__).resolve().parents[2] / "cpp/nodes/models/hh_psc_alpha_gap.cpp").read_text()
    load_model_text(source.replace("hh_psc_alpha_gap", "coupled_by_pynn"), "coupled_by_pynn.cpp")
    found = []
    for model in ("hh_psc_alpha_gap", "coupled_by_pynn"):
        sim.setup(timestep=0.1, threads=1)
        cells = sim.Population(2, sim.native_cell_type(model)(I_e=[600.0, 0.0]))
        cells.record("V_m")
        sim.Projection(cells[:1], cells[1:], sim.AllToAllConnector(), sim.ElectricalSynapse(weight=0.03))
        sim.run(20.0)
        found.append(courses(cells))
    np.testing.assert_array_equal(*found)
    assert np.ptp(found[0][:, 1]) > 2.0


def test_refused(sim):
    cells = passive(sim)
    others = sim.Population(4, sim.HH_cond_exp())
    synapse = sim.ElectricalSynapse(weight=0.1)
    for pre, post in ((cells, others), (others, cells)):
        with pytest.raises(NotSupported, match=r"hh_cond_exp_traub .*native_cell_type.*hh_psc_alpha_gap"):
            sim.Projection(pre, post, sim.OneToOneConnector(), synapse)
    with pytest.raises(NotSupported, match="receptor"):
        sim.Projection(cells, cells, sim.OneToOneConnector(), synapse, receptor_type="inhibitory")
    with pytest.raises(ConnectionError, match="negative"):
        sim.Projection(cells, cells, sim.OneToOneConnector(), sim.ElectricalSynapse(weight=-0.1))
    made = sim.Projection(cells[:1], cells[1:], sim.AllToAllConnector(), synapse)
    for use in (lambda: sim.ElectricalSynapse(weight=0.1, delay=1.0), lambda: made.get("delay", "list"), lambda: made.set(delay=1.0)):
        with pytest.raises(NonExistentParameterError, match="delay"):
            use()
    with pytest.raises(ConnectionError, match="negative"):
        made.set(weight=-1.0)
