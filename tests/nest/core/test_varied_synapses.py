# SPDX-License-Identifier: Apache-2.0
"""Synapse parameters that differ between the connections of one Connect: drawn by the kernel, or given as arrays."""

import numpy as np
import pytest

import neuropil.nest as nest
from neuropil.nest.errors import NESTErrors
from neuropil.nest.kernel import session


@pytest.fixture(autouse=True)
def fresh():
    nest.ResetKernel()
    yield
    nest.ResetKernel()


def n_tables():
    return len({order for _, order, _, _ in session().network._kernel.table_hashes()})


def test_drawn_parameters_are_columns_of_one_table():
    cells = nest.Create("iaf_psc_exp", 50)
    drawn = {"U": nest.random.uniform(0.1, 0.9), "tau_rec": nest.math.redraw(nest.random.normal(300.0, 50.0), 10.0, 1000.0)}
    nest.Connect(cells, cells, {"rule": "fixed_indegree", "indegree": 10}, {"synapse_model": "tsodyks2_synapse", "tau_fac": 7.0, **drawn})
    c = nest.GetConnections()
    U, tau = np.array(c.get("U")), np.array(c.get("tau_rec"))
    assert len(np.unique(U)) == 500 and U.min() >= 0.1 and U.max() <= 0.9
    assert len(np.unique(tau)) == 500 and abs(np.median(tau) - 300.0) < 15.0
    assert set(c.get("tau_fac")) == {7.0} and n_tables() == 1


def test_expressions_that_the_kernel_cannot_draw():
    cells = nest.Create("iaf_psc_exp", 20)
    product = 0.1 + 0.8 * nest.random.uniform() * nest.random.uniform()
    nest.Connect(
        cells, cells, "all_to_all", {"synapse_model": "tsodyks2_synapse", "U": product, "tau_rec": nest.random.uniform(10.0, 20.0)}
    )
    U = np.array(nest.GetConnections().get("U"))
    assert len(np.unique(U)) == 400 and abs(U.mean() - 0.3) < 0.05 and n_tables() == 1


def test_arrays_and_edits():
    a, b = nest.Create("iaf_psc_exp", 3), nest.Create("iaf_psc_exp", 3)
    p = np.linspace(0.1, 0.9, 9).reshape(3, 3)  # target by target
    nest.Connect(a, b, "all_to_all", {"synapse_model": "bernoulli_synapse", "p_transmit": p})
    c = nest.GetConnections()
    expected = p.T.ravel()
    assert np.array_equal(c.get("p_transmit"), expected)
    c[4].p_transmit = 0.25
    expected[4] = 0.25
    assert np.array_equal(nest.GetConnections().get("p_transmit"), expected) and n_tables() == 1
    c.p_transmit = np.linspace(0.0, 0.8, 9)
    c.set(weight=3.0, delay=2.0)
    assert np.array_equal(nest.GetConnections().get("p_transmit"), np.linspace(0.0, 0.8, 9)) and n_tables() == 1
    with pytest.raises(NESTErrors.BadProperty):
        c.p_transmit = 1.5
    assert np.array_equal(c.get("p_transmit"), np.linspace(0.0, 0.8, 9))


def test_other_calls_with_the_same_specification_draw_others():
    cells, spec = nest.Create("iaf_psc_exp", 4), {"synapse_model": "tsodyks2_synapse", "U": nest.random.uniform()}
    nest.Connect(cells[:2], cells[:2], "all_to_all", spec)
    nest.Connect(cells[2:], cells[2:], "all_to_all", spec)
    assert len(set(nest.GetConnections().get("U"))) == 8 and n_tables() == 1


MODELS = {
    "stdp_synapse": "lambda",
    "stdp_nn_symm_synapse": "alpha",
    "stdp_nn_restr_synapse": "mu_plus",
    "stdp_nn_pre_centered_synapse": "tau_plus",
    "vogels_sprekeler_synapse": "eta",
    "stdp_triplet_synapse": "Aplus",
    "tsodyks_synapse": "tau_rec",
    "ht_synapse": "delta_P",
}


@pytest.mark.parametrize("model", MODELS)
def test_every_model_keeps_them_in_one_table(model):
    cells, key = nest.Create("iaf_psc_exp", 6), MODELS[model]
    nest.Connect(cells, cells, "all_to_all", {"synapse_model": model, key: nest.random.uniform(0.1, 0.2)})
    assert len(set(nest.GetConnections().get(key))) == 36 and n_tables() == 1
    values = np.linspace(0.1, 0.2, 36).reshape(6, 6)
    nest.Connect(cells, cells, "all_to_all", {"synapse_model": model, key: values})
    found = nest.GetConnections().get(key)
    assert sorted(found)[-1] == 0.2 and set(values.ravel()) <= set(found) and n_tables() == 2  # one for each of two calls that overlap


def test_parameters_that_all_connections_share_stay_refused():
    cells = nest.Create("iaf_psc_exp", 2)
    with pytest.raises(NESTErrors.KernelException):
        nest.Connect(cells, cells, "all_to_all", {"synapse_model": "stdp_pl_synapse_hom", "lambda": nest.random.uniform(0.1, 0.2)})
    assert nest.num_connections == 0
