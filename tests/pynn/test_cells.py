# SPDX-License-Identifier: Apache-2.0
"""Cell types: parameters come back as they were given, membranes follow their equations."""

import numpy as np
import pytest
from pyNN.errors import NonExistentParameterError
from pyNN.parameters import ArrayParameter, Sequence

from neuropil import pynn


def plain(value):
    return np.asarray(value.value if isinstance(value, ArrayParameter) else value, float)


@pytest.mark.parametrize("name", pynn.list_standard_models())
def test_parameters_come_back(sim, name):
    kind = getattr(sim, name)
    cells = sim.Population(3, kind())
    for parameter, default in kind.default_parameters.items():
        for value in np.atleast_1d(cells.get(parameter, simplify=False)):
            assert plain(value) == pytest.approx(plain(default)), parameter


def test_parameters_of_some_cells(sim):
    cells = sim.Population(6, sim.IF_cond_exp(tau_m=lambda i: 10.0 + i, cm=0.5))
    cells[1:3].set(tau_m=50.0)
    cells[5].cm = 2.0
    np.testing.assert_allclose(cells.get("tau_m"), [10.0, 50.0, 50.0, 13.0, 14.0, 15.0])
    np.testing.assert_allclose(cells.get("cm"), [0.5] * 5 + [2.0])
    with pytest.raises(NonExistentParameterError):
        cells.get("tau_syn_X")


def test_initial_values_of_some_cells(sim):
    cells = sim.Population(4, sim.IF_curr_exp(), initial_values={"v": -60.0})
    cells[1:3].initialize(v=[-61.0, -62.0], isyn_exc=0.5)
    np.testing.assert_array_equal(cells.initial_values["v"].evaluate(), [-60.0, -61.0, -62.0, -60.0])
    np.testing.assert_array_equal(cells[2:].initial_values["isyn_exc"].evaluate(), [0.5, 0.0])
    cells.record(["v", "isyn_exc"])
    sim.run(0.1)
    segment = cells.get_data().segments[0]
    np.testing.assert_array_equal(segment.filter(name="v")[0].magnitude[0], [-60.0, -61.0, -62.0, -60.0])
    np.testing.assert_array_equal(segment.filter(name="isyn_exc")[0].magnitude[0], [0.0, 0.5, 0.5, 0.0])


def test_interval_of_spikes(sim):
    """T = tau_ref + tau_m ln(RI / (RI - theta))."""
    drive = np.array([1.0, 1.5, 2.5])
    cells = sim.Population(
        3, sim.IF_curr_exp(tau_m=20.0, cm=1.0, tau_refrac=3.0, v_rest=-65.0, v_reset=-65.0, v_thresh=-50.0, i_offset=drive)
    )
    cells.record("spikes")
    sim.run(300.0)
    for train, current in zip(cells.get_data().segments[0].spiketrains, drive, strict=True):
        expected = 3.0 + 20.0 * np.log(20.0 * current / (20.0 * current - 15.0))
        assert np.diff(train.magnitude).mean() == pytest.approx(expected, abs=0.1)


@pytest.mark.parametrize("receptor, sign", [("excitatory", 1.0), ("inhibitory", -1.0)])
def test_synaptic_current(sim, receptor, sign):
    """An exponential current of a peak of w: v is a difference of exponentials."""
    tau_m, tau_s, w, cm = 20.0, 5.0, 0.3, 0.5
    cells = sim.Population(1, sim.IF_curr_exp(tau_m=tau_m, cm=cm, tau_syn_E=tau_s, tau_syn_I=tau_s, v_thresh=0.0))
    source = sim.Population(1, sim.SpikeSourceArray(spike_times=[3.0]))
    synapse = sim.StaticSynapse(weight=sign * w, delay=2.0)
    sim.Projection(source, cells, sim.OneToOneConnector(), synapse, receptor_type=receptor)
    cells.record("v")
    sim.run(30.0)
    signal = cells.get_data().segments[0].analogsignals[0]
    t = np.maximum(signal.times.magnitude - 5.0, 0.0)
    expected = -65.0 + sign * w / cm / (1.0 / tau_s - 1.0 / tau_m) * (np.exp(-t / tau_m) - np.exp(-t / tau_s))
    np.testing.assert_allclose(signal.magnitude[:, 0], expected, atol=1e-9)


def test_conductance_is_in_microsiemens(sim):
    cells = sim.Population(1, sim.IF_cond_exp(tau_syn_I=4.0, v_thresh=0.0))
    source = sim.Population(1, sim.SpikeSourceArray(spike_times=[1.0]))
    sim.Projection(source, cells, sim.OneToOneConnector(), sim.StaticSynapse(weight=0.02, delay=1.0), receptor_type="inhibitory")
    cells.record("gsyn_inh")
    sim.run(10.0)
    g = cells.get_data().segments[0].analogsignals[0]
    t = g.times.magnitude - 2.0
    np.testing.assert_allclose(g.magnitude[:, 0], np.where(t > -1e-9, 0.02 * np.exp(-t / 4.0), 0.0), atol=1e-12)
    assert g.units.dimensionality.string == "uS"


def test_gif_takes_arrays(sim):
    cells = sim.Population(2, sim.GIF_cond_exp(tau_eta=(5.0, 50.0), a_eta=[(0.1, 0.2), (0.3, 0.4)], tau_gamma=(2.0,), a_gamma=(10.0,)))
    np.testing.assert_allclose([cell.value for cell in cells.get("a_eta", simplify=False)], [[0.1, 0.2], [0.3, 0.4]])
    cells[1:].set(a_eta=ArrayParameter((0.5, 0.6)))
    np.testing.assert_allclose([cell.value for cell in cells.get("a_eta", simplify=False)], [[0.1, 0.2], [0.5, 0.6]])


def test_composed_neuron(sim):
    """Each receptor has a time constant of its own."""
    receptors = {name: sim.CurrExpPostSynapticResponse(tau_syn=tau) for name, tau in (("fast", 1.0), ("slow", 20.0))}
    cells = sim.Population(1, sim.PointNeuron(sim.LIF(tau_m=10.0, v_thresh=0.0), **receptors))
    source = sim.Population(1, sim.SpikeSourceArray(spike_times=[1.0]))
    for name in receptors:
        sim.Projection(source, cells, sim.AllToAllConnector(), sim.StaticSynapse(weight=0.1, delay=1.0), receptor_type=name)
    cells.record(["fast.isyn", "slow.isyn"])
    sim.run(12.0)
    segment = cells.get_data().segments[0]
    for name, tau in (("fast", 1.0), ("slow", 20.0)):
        (current,) = segment.filter(name=f"{name}.isyn")
        assert current.magnitude[-1, 0] == pytest.approx(0.1 * np.exp(-10.0 / tau))
    assert cells.get("slow.tau_syn") == 20.0


def test_native_cells(sim):
    """Names and units are the kernel's; weights are nA."""
    cells = sim.Population(2, sim.native_cell_type("iaf_psc_exp")(tau_syn_ex=5.0, V_th=0.0))
    source = sim.Population(1, sim.SpikeSourceArray(spike_times=[1.0]))
    sim.Projection(source, cells, sim.AllToAllConnector(), sim.StaticSynapse(weight=0.1, delay=1.0), receptor_type="excitatory")
    cells.initialize(V_m=-60.0)
    cells.record(["V_m", "I_syn_ex"])
    sim.run(2.0)
    segment = cells.get_data().segments[0]
    assert segment.filter(name="I_syn_ex")[0].magnitude[-1, 0] == pytest.approx(100.0)  # pA
    assert segment.filter(name="V_m")[0].magnitude[0, 0] == -60.0
    np.testing.assert_array_equal(cells.get("tau_syn_ex", simplify=False), [5.0, 5.0])


def test_native_cells_with_numbered_receptors(sim):
    cells = sim.Population(1, sim.native_cell_type("iaf_psc_exp_multisynapse")(n_synapses=2, tau_syn_2=7.0))
    source = sim.Population(1, sim.SpikeSourceArray(spike_times=[1.0]))
    sim.Projection(source, cells, sim.AllToAllConnector(), sim.StaticSynapse(weight=-0.2, delay=1.0), receptor_type="2")
    cells.record(["I_syn_1", "I_syn_2"])
    sim.run(2.0)
    segment = cells.get_data().segments[0]
    assert [segment.filter(name=f"I_syn_{k}")[0].magnitude[-1, 0] for k in (1, 2)] == pytest.approx([0.0, -200.0])


def test_spikes_between_steps():
    from neuropil import pynn as sim

    sim.setup(timestep=1.0, threads=1, spike_precision="off_grid")
    cells = sim.Population(1, sim.IF_curr_exp(tau_m=20.0, cm=1.0, v_rest=-65.0, v_reset=-65.0, v_thresh=-50.0, i_offset=1.0))
    source = sim.Population(1, sim.SpikeSourceArray(spike_times=Sequence([1.234])))
    for each in (cells, source):
        each.record("spikes")
    sim.run(40.0)
    assert cells.get_data().segments[0].spiketrains[0].magnitude[0] == pytest.approx(20.0 * np.log(20.0 / 5.0), abs=1e-6)
    np.testing.assert_allclose(source.get_data().segments[0].spiketrains[0].magnitude, [1.234], atol=1e-9)
