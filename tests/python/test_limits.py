# SPDX-License-Identifier: Apache-2.0
"""Values at the edge of what is allowed: infinite thresholds, windows of devices, populations with devices between them."""

import numpy as np
import pytest

import neuropil as npl

INFINITE = [name for name, entry in npl.models().items() if "V_th" in entry.parameters and entry.parameters["V_th"].bound == "not_nan"]


@pytest.mark.parametrize("model", INFINITE)
def test_an_infinite_threshold_is_never_reached(model):
    net = npl.Network(threads=1)
    currents = {name: 800.0 for name in npl.models()[model].parameters if name.startswith("I_e")}
    cell = net.create(model, 3, V_th=np.inf, **currents)
    spikes = net.record(cell)
    net.run(50.0)
    assert len(spikes.times) == 0
    for name in npl.models()[model].recordables:
        assert not np.isnan(cell.get(name)).any()


def test_thresholds_are_numbers():
    net = npl.Network(threads=1)
    with pytest.raises(npl.errors.BadParameter, match="V_th"):
        net.create("iaf_psc_alpha", 1, V_th=np.nan)
    assert net.n_nodes == 0


@pytest.mark.parametrize("given", [{"start": -1.0}, {"origin": -0.1}, {"start": 0.05}, {"stop": 3.14}, {"start": 5.0, "stop": 4.0}])
def test_windows_of_devices_are_checked(given):
    net = npl.Network(threads=1)
    with pytest.raises(npl.errors.BadParameter, match="|".join(given)):
        net.create("poisson_generator", 1, **given)
    device = net.create("poisson_generator", 1, start=10.0, stop=20.0)
    with pytest.raises(npl.errors.BadParameter):
        device.set(**given)
    with pytest.raises(npl.errors.BadParameter, match="stop"):
        device.start = 30.0
    assert (device.start, device.stop) == (10.0, 20.0)


def test_nodes_with_devices_between_them_are_set_together():
    net = npl.Network(threads=1)
    a, _, b = net.create("iaf_psc_alpha"), net.create("poisson_generator"), net.create("iaf_psc_alpha")
    (a + b).I_e = 3.0
    assert (a + b).I_e.tolist() == [3.0, 3.0]
