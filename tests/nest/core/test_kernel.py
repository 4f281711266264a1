# SPDX-License-Identifier: Apache-2.0
"""The kernel status, the module object, and what may change when."""

import numpy as np
import pytest

import neuropil.nest as nest
from neuropil.nest.kernel import session
from neuropil.nest.kernel_status import ATTRIBUTES
from neuropil.nest.models.nest_names import SYNAPSE_MODELS


@pytest.fixture(autouse=True)
def fresh():
    nest.ResetKernel()
    yield
    nest.set(data_path="")
    nest.ResetKernel()


def test_every_attribute_can_be_read():
    status = nest.GetKernelStatus()
    assert set(status) == set(ATTRIBUTES) == set(nest.kernel_status)
    for name in ATTRIBUTES:
        assert repr(getattr(nest, name)) == repr(nest.get(name))


@pytest.mark.parametrize("name", [name for name, attribute in ATTRIBUTES.items() if attribute.set is None])
def test_read_only_attributes(name):
    with pytest.raises(AttributeError, match="read only"):
        setattr(nest, name, 1)
    with pytest.raises(ValueError, match="readonly"):
        nest.set(**{name: 1})


@pytest.mark.parametrize(
    "name", [name for name, a in ATTRIBUTES.items() if a.set and name not in ("min_delay", "max_delay", "tics_per_ms")]
)
def test_what_is_there_can_be_set_again(name):
    value = nest.get(name)
    setattr(nest, name, value)
    assert repr(nest.get(name)) == repr(value)


def test_unknown_names():
    with pytest.raises(AttributeError):
        nest.no_such = 1
    with pytest.raises(AttributeError):
        _ = nest.no_such
    with pytest.raises(ValueError, match="no_such"):
        nest.set(no_such=1)
    with pytest.raises(KeyError):
        nest.get("no_such")


def test_a_refused_set_changes_nothing():
    with pytest.raises(nest.NESTErrors.TypeMismatch):
        nest.set(rng_seed=7, local_num_threads="a")
    assert nest.rng_seed == 143202461


def test_settings_are_fixed_by_nodes():
    nest.set(resolution=0.5, local_num_threads=2, rng_seed=3)
    nest.Create("parrot_neuron")
    for name, value in (("resolution", 0.1), ("local_num_threads", 1), ("total_num_virtual_procs", 4)):
        with pytest.raises(nest.NESTError):
            setattr(nest, name, value)
    assert (nest.resolution, nest.local_num_threads, nest.rng_seed) == (0.5, 2, 3)


def test_delay_bounds():
    nest.set(min_delay=0.5, max_delay=3.0)
    nodes = nest.Create("parrot_neuron", 2)
    for delay in (0.4, 3.1):
        with pytest.raises(nest.NESTErrors.BadDelay):
            nest.Connect(nodes, nodes, syn_spec={"delay": delay})
    nest.Connect(nodes, nodes, syn_spec={"delay": 2.0})
    assert (nest.min_delay, nest.max_delay) == (0.5, 3.0)
    with pytest.raises(nest.NESTError):
        nest.min_delay = 0.1


def test_delays_follow_connections():
    nodes, recorder = nest.Create("parrot_neuron", 2), nest.Create("spike_recorder")
    assert nest.min_delay == nest.max_delay == nest.resolution
    nest.Connect(nodes, nodes, syn_spec={"delay": 2.04})
    assert (nest.min_delay, nest.max_delay) == (2.0, 2.0)
    nest.Connect(nodes, recorder, syn_spec={"delay": 0.5})
    assert (nest.min_delay, nest.max_delay) == (0.5, 2.0)


@pytest.mark.parametrize(
    ("time", "error"),
    [(-1.0, nest.NESTErrors.BadParameter), (0.05, nest.NESTErrors.BadParameter), ("a", TypeError), (np.inf, nest.NESTErrors.BadParameter)],
)
def test_times_that_cannot_be_simulated(time, error):
    with pytest.raises(error):
        nest.Simulate(time)
    nest.Simulate(1.0)  # the kernel is none the worse for it
    assert nest.biological_time == 1.0


def test_prepare_run_cleanup_are_simulate():
    found = []
    for parts in ([30.0], [10.0, 0.0, 15.0, 5.0]):
        nest.ResetKernel()
        cell, recorder = nest.Create("iaf_psc_exp", params={"I_e": 500.0}), nest.Create("spike_recorder")
        nest.Connect(cell, recorder)
        if len(parts) == 1:
            nest.Simulate(parts[0])
        else:
            with nest.RunManager():
                for part in parts:
                    nest.Run(part)
        found.append(recorder.events["times"].tolist())
    assert found[0] == found[1] != []


def test_order_of_prepare_run_cleanup():
    for function in (lambda: nest.Run(1.0), nest.Cleanup):
        with pytest.raises(nest.NESTError):
            function()
    nest.Prepare()
    assert nest.prepared
    with pytest.raises(nest.NESTError):
        nest.Prepare()
    nest.Run(1.0)
    nest.Cleanup()


def random_network(threads):
    """Spikes and connections of a network with every kind of random number."""
    nest.ResetKernel()
    nest.set(local_num_threads=threads, rng_seed=12)
    cells = nest.Create("iaf_psc_alpha", 30, {"V_m": nest.random.normal(-65.0, 3.0), "I_e": nest.random.uniform(300.0, 500.0)})
    nest.Connect(
        cells,
        cells,
        {"rule": "fixed_indegree", "indegree": 4},
        {"weight": nest.random.normal(20.0, 5.0) * nest.random.uniform(), "delay": 1.5},
    )
    nest.Connect(cells, cells, {"rule": "pairwise_poisson", "pairwise_avg_num_conns": 0.1}, {"weight": 5.0})
    nest.Connect(cells, cells, {"rule": "fixed_outdegree", "outdegree": 1 + nest.random.uniform_int(3)})
    recorder = nest.Create("spike_recorder")
    nest.Connect(cells, recorder)
    nest.Simulate(100.0)
    connections = nest.GetConnections(cells, cells)
    return recorder.events["times"].tolist(), recorder.events["senders"].tolist(), connections.get(["source", "target", "weight"])


@pytest.mark.parametrize(("bits", "spike"), [(10, 4.7001953125), (14, 4.7000732421875), (16, 4.700042724609375)])
def test_resolutions_of_powers_of_two(bits, spike):
    """I_e charges from rest by tau_m / C_m * I_e * (1 - exp(-t / tau_m)): the spike is in the first step at or after the crossing, as in NEST 3.10."""
    nest.set(tics_per_ms=2**bits, resolution=2.0**-bits)
    assert (nest.resolution, nest.tics_per_step) == (2.0**-bits, 1)
    cell, recorder = nest.Create("iaf_psc_exp", params={"I_e": 1000.0}), nest.Create("spike_recorder")
    nest.Connect(cell, recorder)
    nest.Simulate(8.0)
    assert recorder.events["times"].tolist() == [spike]
    crossing = -10.0 * np.log1p(-15.0 / 40.0)
    assert 0.0 <= spike - crossing < 2.0**-bits
    assert abs(cell.V_m - (-70.0 + 40.0 * -np.expm1(-(8.0 - spike - 2.0) / 10.0))) < 1e-6


def test_resolutions_that_are_too_short_are_refused():
    with pytest.raises(nest.NotSupported, match="1e-05 to 1000 ms"):
        nest.set(tics_per_ms=2**20, resolution=2.0**-20)


def test_cleanup_after_a_time_that_was_refused_does_nothing():
    with pytest.raises(nest.NESTErrors.BadParameter):
        nest.Simulate(-1.0)
    nest.Cleanup()
    with pytest.raises(nest.NESTErrors.KernelException, match="Prepare"):
        nest.Cleanup()
    with pytest.raises(nest.NESTErrors.BadParameter):
        nest.Simulate(0.05)
    nest.Simulate(1.0)
    with pytest.raises(nest.NESTErrors.KernelException, match="Prepare"):
        nest.Cleanup()
    nest.Prepare()
    with pytest.raises(nest.NESTErrors.BadParameter):
        nest.Run(-1.0)
    nest.Cleanup()
    with pytest.raises(nest.NESTErrors.KernelException, match="Prepare"):
        nest.Cleanup()


def test_connections_are_listed_whatever_keep_source_table_says():
    nest.keep_source_table = False
    cells = nest.Create("iaf_psc_alpha", 3)
    nest.Connect(cells, cells)
    assert len(nest.GetConnections()) == 9
    nest.Simulate(5.0)
    assert not nest.keep_source_table
    assert len(nest.GetConnections(cells[0])) == 3


@pytest.mark.parametrize("threads", [2, 3])
def test_results_do_not_depend_on_threads(threads):
    assert random_network(threads) == random_network(1)


def test_reset_forgets():
    nest.set(resolution=0.2, rng_seed=5, data_path="x")
    nest.CopyModel("iaf_psc_exp", "mine", {"C_m": 100.0})
    nodes = nest.Create("mine", 3)
    nest.ResetKernel()
    assert (nest.resolution, nest.rng_seed, nest.data_path, nest.network_size) == (0.1, 143202461, "x", 0)
    assert "mine" not in nest.node_models
    with pytest.raises(nest.NESTErrors.UnknownNode):
        nodes.get("V_m")


def test_names_of_nest_are_there():
    from neuropil.cli.nest_scripts import ALWAYS_REFUSED, OF_NEST

    for name in OF_NEST:
        if name == "server":
            with pytest.raises(nest.NotSupported, match=name):
                _ = nest.server
        else:
            assert getattr(nest, name) is not None
    assert set(ALWAYS_REFUSED) <= set(OF_NEST)


def test_errors_are_of_one_family():
    assert nest.NESTError is nest.NESTErrors.KernelException
    classes = [c for c in vars(nest.NESTErrors).values() if isinstance(c, type)]
    assert len(classes) == 57
    assert all(issubclass(c, nest.NESTError) for c in classes)
    assert issubclass(nest.NotSupported, nest.NESTErrors.NotImplemented)


def test_reset_looks_for_no_names_and_makes_no_models(monkeypatch):
    """Scripts reset often: nothing of what they do not use is made anew."""

    def never(*args):
        raise AssertionError("nearest names of a name that is no error")

    monkeypatch.setattr("neuropil.errors.near_names", never)
    nest.ResetKernel()
    nest.Create("iaf_psc_alpha")
    nest.Connect(nest.Create("parrot_neuron"), nest.GetNodes())
    assert [*session().node_models._models] == ["iaf_psc_alpha", "parrot_neuron"]
    assert [*session().synapse_models._models] == ["static_synapse"]


def test_models_begin_anew_and_copies_come_last():
    """Defaults of one kernel are not those of the next."""
    before = list(nest.node_models), list(nest.synapse_models)
    nest.SetDefaults("iaf_psc_alpha", {"C_m": 77.0})
    nest.SetDefaults("stdp_synapse", {"lambda": 0.5})
    nest.CopyModel("iaf_psc_alpha", "mine")
    assert [*session().node_models][-1] == "mine"
    assert nest.GetDefaults("mine", "C_m") == 77.0
    assert len(session().node_models) == len(before[0]) + 1
    nest.ResetKernel()
    assert nest.GetDefaults("iaf_psc_alpha", "C_m") == 250.0
    assert nest.GetDefaults("stdp_synapse", "lambda") == 0.01
    assert (list(nest.node_models), list(nest.synapse_models)) == before
    with pytest.raises(nest.NESTErrors.UnknownModelName):
        nest.Create("mine")


@pytest.mark.parametrize("model", [name for name in SYNAPSE_MODELS if not name.endswith(("_hpc", "_lbl"))])
def test_a_copy_takes_the_defaults_of_its_model(model):
    no_delay = () if nest.GetDefaults(model, "has_delay") else ("delay",)
    shown = {"readout_cycle_duration", *no_delay, *(("weight",) if model == "diffusion_connection" else ())}
    given = {key: value for key, value in nest.GetDefaults(model).items() if isinstance(value, float) and key not in shown}
    nest.CopyModel(model, "mine", given)
    assert nest.GetDefaults("mine", sorted(given)) == [given[key] for key in sorted(given)]


@pytest.mark.parametrize("model", ["eprop_iaf", "eprop_iaf_psc_delta_adapt", "eprop_iaf_bsshslm_2020"])
def test_ignore_and_spike_of_eprop_neurons_is_refused(model):
    """NEST heeds it: nothing is ignored silently."""
    with pytest.raises(nest.NotSupported, match="ignore_and_spike"):
        nest.Create(model, params={"ignore_and_spike": True})
    cell = nest.Create(model, params={"ignore_and_spike": False})
    with pytest.raises(nest.NotSupported, match="ignore_and_spike"):
        cell.ignore_and_spike = True
    assert not cell.ignore_and_spike


@pytest.mark.parametrize(
    ("ms", "width", "longest"), [(0.05, 0.5, 5.0), (0.125, 0.5, 5.0), (0.5, 0.5, 5.0), (1.0, 5.0, 5.0), (0.3, 1.5, 15.0)]
)
def test_bins_of_detectors_on_other_grids(ms, width, longest):
    """Bins that fit are kept, as in NEST, and so is tau_max where it is a whole number of bins (NEST: always)."""
    nest.resolution = ms
    detector = nest.Create("correlation_detector")
    assert (detector.delta_tau, detector.tau_max) == (pytest.approx(width), pytest.approx(longest))
