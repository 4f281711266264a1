# SPDX-License-Identifier: Apache-2.0
"""The window of a spike_dilutor: with p_copy = 1 the spikes that pass are known."""

import numpy as np
import pytest

import neuropil.nest as nest

TIMES = np.arange(1.0, 60.0)


@pytest.fixture(autouse=True)
def fresh():
    nest.ResetKernel()
    yield
    nest.ResetKernel()


def passed(before=None, later=None, runs=(40.0, 20.0), delays=(1.0, 1.0)):
    """Times of the spikes of TIMES that a parrot behind a dilutor repeats; the dilutor is given other values between two runs."""
    nest.ResetKernel()
    generator, dilutor = nest.Create("spike_generator", params={"spike_times": TIMES}), nest.Create("spike_dilutor", params=before)
    parrot, recorder = nest.Create("parrot_neuron"), nest.Create("spike_recorder")
    nest.Connect(generator, dilutor, syn_spec={"delay": delays[0]})
    nest.Connect(dilutor, parrot, syn_spec={"delay": delays[1]})
    nest.Connect(parrot, recorder)
    for ms, values in zip(runs, (later, None), strict=True):
        nest.Simulate(ms)
        dilutor.set(values or {})
    return recorder.events["times"].round(1).tolist()


@pytest.mark.parametrize(
    ("window", "first", "last"),
    [
        ({}, 3.0, 60.0),
        ({"stop": 10.0}, 3.0, 12.0),
        ({"start": 10.0}, 13.0, 60.0),
        ({"start": 10, "stop": 15.0}, 13.0, 17.0),
        ({"start": 10.0, "stop": 15.0, "origin": 5.0}, 18.0, 22.0),
        ({"start": 10.0, "stop": 45.0}, 13.0, 47.0),
    ],
)
def test_spikes_pass_within_the_window(window, first, last):
    """The ends are those of NEST 3.10, where a window looks min_delay back."""
    assert passed(window) == np.arange(first, last + 1.0).tolist()
    assert passed(window, runs=(12.3, 47.7)) == np.arange(first, last + 1.0).tolist()


@pytest.mark.parametrize(("delays", "last"), [((2.0, 2.0), 14.0), ((1.0, 3.0), 15.0), ((3.0, 1.0), 13.0)])
def test_ends_with_other_delays_are_those_of_nest_3_10(delays, last):
    assert passed({"stop": 11.0}, delays=delays)[-1] == last


def test_an_empty_window_and_one_that_changes():
    assert passed({"start": 10.0, "stop": 10.0}) == []
    assert passed({"start": float("inf")}) == []
    assert passed({"stop": 20.0}, {"start": 50.0, "stop": 57.0}) == [*np.arange(3.0, 23.0), *np.arange(53.0, 60.0)]


def test_dilutors_have_windows_of_their_own_beside_frozen():
    generator, recorder = nest.Create("spike_generator", params={"spike_times": TIMES}), nest.Create("spike_recorder")
    dilutors, parrots = nest.Create("spike_dilutor", 3, {"start": [5.0, 15.0, 25.0], "stop": 30.0}), nest.Create("parrot_neuron", 3)
    dilutors[1].frozen = True
    nest.Connect(generator, dilutors)
    nest.Connect(dilutors, parrots, "one_to_one")
    nest.Connect(parrots, recorder)
    nest.Simulate(60.0)
    assert [(recorder.events["senders"] == gid).sum() for gid in parrots.tolist()] == [25, 0, 5]
    assert dilutors.start == (5.0, 15.0, 25.0)
    assert nest.GetDefaults("spike_dilutor", "stop") > 1e300


@pytest.mark.parametrize("values", [{"start": -1.0}, {"start": 10.05}, {"start": 10.0, "stop": 5.0}, {"origin": -5.0}])
def test_windows_that_cannot_be_are_refused(values):
    with pytest.raises(nest.NESTErrors.BadProperty):
        nest.Create("spike_dilutor", params=values)
    dilutor = nest.Create("spike_dilutor", params={"start": 7.0})
    with pytest.raises(nest.NESTErrors.BadProperty):
        dilutor.set(values)
    with pytest.raises(nest.NESTErrors.BadProperty):
        nest.SetDefaults("spike_dilutor", values)
    with pytest.raises(nest.NESTErrors.TypeMismatch):
        dilutor.start = "soon"
    with pytest.raises(nest.NESTErrors.BadProperty, match="stop"):
        dilutor.stop = 6.0
    assert dilutor.get(["start", "origin"]) == {"start": 7.0, "origin": 0.0}
