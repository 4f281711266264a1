# SPDX-License-Identifier: Apache-2.0
"""What cannot be done is refused by its name."""

import pytest

from neuropil.pynn import NotSupported


def projection(sim, post=None, **options):
    cells = sim.Population(2, sim.IF_curr_exp())
    return sim.Projection(cells, cells if post is None else post, sim.AllToAllConnector(), **options)


REFUSED = {
    "SpikeSourceInhGamma": lambda sim: sim.SpikeSourceInhGamma(),
    "StochasticTsodyksMarkramSynapse": lambda sim: sim.StochasticTsodyksMarkramSynapse(),
    "ElectricalSynapse": lambda sim: projection(sim, synapse_type=sim.ElectricalSynapse(weight=0.1)),
    "w_min": lambda sim: projection(
        sim, synapse_type=sim.STDPMechanism(sim.SpikePairRule(), sim.AdditiveWeightDependence(w_min=0.1), weight=0.2, delay=1.0)
    ),
    "TsodyksMarkramSynapse": lambda sim: projection(
        sim, sim.Population(1, sim.IF_curr_delta()), synapse_type=sim.TsodyksMarkramSynapse(weight=0.1, delay=1.0)
    ),
    "PointNeuron(LIF)": lambda sim: sim.PointNeuron(sim.LIF(), a=sim.AlphaPSR()),
    "thread": lambda sim: sim.setup(thread=2),
    "connectors": lambda sim: sim.setup(connectors="nest"),
    "iaf_psc_expo": lambda sim: sim.native_cell_type("iaf_psc_expo"),
    "stdp_synaps": lambda sim: sim.native_synapse_type("stdp_synaps"),
    "gap_junction": lambda sim: sim.native_synapse_type("gap_junction"),
    "poisson_generator": lambda sim: sim.native_cell_type("poisson_generator"),
    "get_data": lambda sim: sim.DCSource(amplitude=0.1).get_data(),
    "v": lambda sim: sim.Population(1, sim.SpikeSourceArray(), initial_values={"v": -60.0}),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(sim, name):
    with pytest.raises(NotSupported) as found:
        REFUSED[name](sim)
    assert found.value.what == name and name in str(found.value)


def test_near_names_are_shown(sim):
    with pytest.raises(NotSupported, match="iaf_psc_exp"):
        sim.native_cell_type("iaf_psc_expo")


def test_options_of_other_simulators_have_no_effect(sim):
    with pytest.warns(UserWarning, match="use_cvode"):
        sim.setup(timestep=0.1, use_cvode=True)


def test_cells_of_a_former_simulation(sim):
    cells = sim.Population(1, sim.IF_curr_exp())
    made = projection(sim, synapse_type=sim.StaticSynapse(weight=0.1, delay=1.0))
    sim.setup(timestep=0.1)
    for use in (cells.get_data, made.__len__, lambda: cells.get("tau_m")):
        with pytest.raises(NotSupported, match="setup"):
            use()
