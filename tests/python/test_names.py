# SPDX-License-Identifier: Apache-2.0
"""Names of the front end: few at the top, former ones work and warn, numbers that could be a gid or a position are refused."""

import inspect
import warnings

import numpy as np
import pytest

import neuropil as npl
from neuropil.base.named import named_arguments


def test_at_most_sixty_names_at_the_top():
    assert len(npl.__all__) <= 60
    assert all(hasattr(npl, name) for name in npl.__all__)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("BadParameter", lambda: npl.errors.BadParameter),
        ("Spikes", lambda: npl.results.Spikes),
        ("load_trace", lambda: npl.results.load_trace),
        ("Synapse", lambda: npl.classes.Synapse),
        ("Distribution", lambda: npl.classes.Distribution),
        ("distributions", lambda: npl.parallel.layouts),
        ("strategies", lambda: npl.parallel.strategies),
        ("pages", lambda: npl.parallel.pages),
        ("clone", lambda: npl.Network.copy),
    ],
)
def test_former_names_are_the_new_ones_and_warn(old, new):
    with pytest.warns(DeprecationWarning, match=f"neuropil.{old} is now neuropil.") as caught:
        assert getattr(npl, old) is new()
    assert caught[0].filename == __file__


def test_all_names_of_the_modules_are_there():
    for module in (npl.errors, npl.results, npl.parallel, npl.classes):
        assert all(getattr(module, name) is not None for name in module.__all__)
        with pytest.raises(AttributeError):
            _ = module.no_such_name


def test_names_that_never_were_are_refused_with_the_nearest():
    with pytest.raises(npl.errors.UnknownAttribute, match="fixed_indegree"):
        _ = npl.fixed_indegre
    with pytest.raises(npl.errors.UnknownAttribute, match="Spikes"):
        _ = npl.results.Spike


def test_former_options_work_and_warn(net):
    cells = net.create("iaf_psc_exp", 3)
    with pytest.warns(DeprecationWarning, match=r"connect\(label=\) is now name=") as caught:
        made = net.connect(cells, cells, weight=1.0, label="all")
    assert caught[0].filename == __file__ and net.projections["all"] is made
    with pytest.raises(npl.errors.UnknownArgument, match="labels"):
        net.connect(cells, cells, weight=1.0, labels="all")
    with pytest.warns(DeprecationWarning, match="source="):
        record = net.record_weights(sources=cells)
    net.connect(cells, cells, "one_to_one", weight=2.0, weight_recorder=record)
    net.connect(net.create("spike_generator", spike_times=[1.0]), cells, weight=1e4)
    net.run(10.0)
    with pytest.warns(DeprecationWarning, match="WeightRecord.weights is now weight"):
        assert record.weights.tolist() == record.weight.tolist()
    assert set(record.weight) == {2.0} and set(record.receptor) == {1}
    with pytest.warns(DeprecationWarning, match="connect_gids"):
        assert len(net.connect_arrays([1], [2], weight=1.0)) == 1


def test_an_option_is_not_taken_for_another_that_is_given():
    @named_arguments
    def function(*, name=""):
        return name

    with pytest.raises(npl.errors.UnknownArgument):
        function(label="a", name="b")


def test_options_that_are_not_there_are_named_with_the_nearest(net):
    cells = net.create("iaf_psc_exp", 2)
    for call, nearest in (
        (lambda: net.connections(sorce=cells), "source"),
        (lambda: net.record(cells, "V_m", intervall=1.0), "interval"),
        (lambda: net.nodes(modell="iaf_psc_exp"), "model"),
        (lambda: net.create("iaf_psc_exp", nme="cells"), "name"),
        (lambda: net.save("x.npc", kep=2), "keep"),
        (lambda: npl.sweep(len, {"x": []}, seed=3), "seeds"),
        (lambda: npl.exchange("shared", phase=2), "phases"),
        (lambda: npl.dry_run(4, rnk=2), "rank"),
        (lambda: npl.tree([], receptor=[]), "receptors"),
    ):
        with pytest.raises((npl.errors.UnknownArgument, npl.errors.UnknownName), match=f"nearest: '{nearest}'"):
            call()


def test_gids_and_positions_are_told_apart(net):
    cells = net.create("iaf_psc_exp", 5)
    assert cells[3] in cells and 4 in cells.gids
    for number in (4, np.int64(4)):
        with pytest.raises(npl.errors.BadType, match="gids"):
            _ = number in cells
    with pytest.raises(npl.errors.BadType, match="connect_gids"):
        net.connect(cells, cells, npl.explicit(cells[:2], cells[:2]), weight=1.0)
    with pytest.raises(npl.errors.BadParameter, match="position from 0 to 4"):
        net.connect(cells, cells, npl.explicit([5], [1]), weight=1.0)


def test_no_weight_is_told_where_it_would_be_a_picoampere(net):
    current, conductance, potential = (net.create(model, 2) for model in ("iaf_psc_exp", "iaf_cond_exp", "iaf_psc_delta"))
    for call in (lambda: net.connect(current, current), lambda: net.stimulate(current, npl.poisson(10.0))):
        with pytest.warns(UserWarning, match="no weight was given, so it is 1 pA.*iaf_psc_exp") as caught:
            made = call()
        assert caught[0].filename == __file__ and set(made.weight) == {1.0}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        net.connect(current, conductance)
        net.connect(current, potential)
        net.connect(current, current, weight=1.0)
        net.stimulate(current, npl.dc(amplitude=3.0))
        net.connect(net.create("hh_psc_alpha_gap", 1), net.nodes("hh_psc_alpha_gap"), synapse="gap_junction")


def test_no_weight_is_told_of_tripartite_connections_and_of_growth(net):
    cells, glia = net.create("iaf_psc_exp", 4), net.create("astrocyte_lr_1994", 2)
    third_out = {"synapse": "sic_connection", "weight": 1.0}
    astro = net.create("aeif_cond_alpha_astro", 2)
    for call in (
        lambda: net.connect_tripartite(cells, cells, cells),
        lambda: net.grow("axon", "spine"),
    ):
        with pytest.warns(UserWarning, match="no weight was given, so it is 1 pA.*iaf_psc_exp") as caught:
            call()
        assert {warning.filename for warning in caught} == {__file__}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        net.connect_tripartite(cells, astro, glia, third_out=third_out)
        net.grow("axon", "bouton", weight=30.0)


def test_a_drive_is_a_projection_with_a_name(net):
    cells = net.create("iaf_psc_exp", 4)
    drive = net.stimulate(cells, npl.poisson(rate=100.0), weight=20.0, name="background")
    assert net.projections["background"] is drive and drive.pre.model == "poisson_generator" and drive.post == cells
    drive.pre.rate = 50.0
    drive.weight = 3.0
    assert drive.pre.rate[0] == 50.0 and set(drive.weight) == {3.0}
    with pytest.raises(npl.errors.BadParameter, match="name = 'background'"):
        net.stimulate(cells, npl.poisson(rate=1.0), weight=1.0, name="background")
    assert len(net.projections) == 1 and net.n_nodes == 5


def public_functions():
    """All functions of the top level, of `analysis` and of `plot` that have arguments by name."""
    takes_parameters = {"device", "gif_population", "synapse", "traces", "mask_patch"}  # of models, and options of matplotlib
    for module in (npl, npl.analysis, npl.analysis.lfp, npl.plot):
        for name in module.__all__:
            function = getattr(module, name)
            if not inspect.isroutine(function) or name in takes_parameters or not inspect.signature(function).parameters:
                continue
            yield pytest.param(function, id=f"{module.__name__}.{name}")
    yield pytest.param(npl.synapse_model, id="neuropil.synapse_model")
    yield pytest.param(npl.Network, id="neuropil.Network")


@pytest.mark.parametrize("function", [*public_functions()])
def test_an_unknown_argument_is_refused_by_name(function):
    with pytest.raises(npl.errors.UnknownArgument, match="'no_such_argument'"):
        function(no_such_argument=1)


METHODS = ("connect", "disconnect", "draw", "every", "plan", "record", "record_weights", "run", "save", "stimulate", "store", "to_sonata")


@pytest.mark.parametrize("name", METHODS)
def test_methods_of_a_network_refuse_unknown_arguments(net, name):
    with pytest.raises(npl.errors.UnknownArgument, match=f"'no_such_argument' of Network.{name}"):
        getattr(net, name)(no_such_argument=1)


def test_the_nearest_argument_is_told(net):
    cells = net.create("iaf_psc_exp", 2)
    with pytest.raises(npl.errors.UnknownArgument, match=r"unknown argument 'device' of Network.draw\(\); nearest: 'devices'"):
        net.draw(device=False)
    with pytest.raises(npl.errors.UnknownArgument, match="nearest: 'threshold'"):
        npl.neuron("mine", "dV_m/dt = -V_m / tau", treshold="V_m > 1")
    with pytest.raises(npl.errors.UnknownName, match="unknown parameter 'label' of iaf_psc_exp; nearest: 'name'"):
        net.create("iaf_psc_exp", 2, label="cells")
    net.connect(cells, cells, weight=1.0)
    with pytest.warns(DeprecationWarning, match=r"^Network.connections\(sources=\) is now source="):
        net.connections(sources=cells)


def test_the_name_of_a_projection_is_not_that_of_nodes(net):
    cells = net.create("iaf_psc_exp", 4)
    net.connect(cells, cells, weight=20.0, name="drive")
    with pytest.raises(npl.errors.UnknownName, match=r"net\.projections\['drive'\] is the projection"):
        net["drive"]


@pytest.mark.parametrize("receptor", ["inhibitory", "excitatory", 1, 2])
def test_the_sign_of_the_weight_chooses_the_receptor(net, receptor):
    cells = net.create("iaf_psc_exp", 4)
    calls = (
        lambda: net.connect(cells, cells, weight=-1.0, receptor=receptor),
        lambda: net.connect(cells, cells, npl.pairwise_bernoulli(npl.uniform(0.5, 1.0)), weight=-1.0, receptor=receptor),
    )
    for call in calls:
        with pytest.raises(npl.errors.BadParameter, match="for iaf_psc_exp: the sign of the weight chooses the receptor of this model"):
            call()
    with pytest.raises(npl.errors.UnknownName, match="known: 'excitatory', 'inhibitory'"):
        net.connect(cells, cells, weight=1.0, receptor="foo")
