# SPDX-License-Identifier: Apache-2.0
"""Slopes by numpy and the phase plane."""

import numpy as np
import pytest
from examples.published_models import MODELS

from neuropil.equations import neuron
from neuropil.errors import BadParameter


@pytest.fixture(scope="module")
def aeif():
    return neuron("aeif", **MODELS["eq_aeif"])


def test_slopes_are_those_of_the_equations(aeif):
    V, w = np.array([-70.6, -55.0, -45.0]), 20.0
    found = aeif.slopes({"V_m": V, "w": w, "g_ex": 3.0}, current=100.0, parameters={"a": 2.0})
    I = -30.0 * (V + 70.6) + 60.0 * np.exp((V + 50.4) / 2.0) - w - 3.0 * V + 100.0  # noqa: E741
    np.testing.assert_allclose(found["V_m"], I / 281.0, rtol=1e-13)
    np.testing.assert_allclose(found["w"], (2.0 * (V + 70.6) - w) / 144.0, rtol=1e-13)
    assert found["g_in"].shape == (3,)


def test_slopes_of_converted_parameters():
    model = neuron("m", "dx/dt = -rate*x + xi*mV/sqrt(ms) : mV (receptor)", parameters={"rate": "20 Hz"})
    assert model.slopes({"x": 3.0})["x"] == pytest.approx(-0.06)
    assert model.slopes({"x": 3.0}, parameters={"rate": 40.0})["x"] == pytest.approx(-0.12)


def test_unknown_names_are_refused(aeif):
    with pytest.raises(BadParameter, match="nearest: V_m"):
        aeif.slopes({"V_n": 1.0})
    with pytest.raises(BadParameter, match="nearest: C_m"):
        aeif.slopes(parameters={"C_n": 1.0})


def test_phase_plane_shows_nullclines(aeif):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    ax = aeif.plot_phase_plane(("V_m", -80.0, -40.0), ("w", -50.0, 300.0), current=400.0)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["dV_m/dt = 0", "dw/dt = 0"]
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_title()) == ("V_m (mV)", "w (pA)", "aeif, 400 pA")
    *_, w_line = (collection for collection in ax.collections if type(collection).__name__ == "QuadContourSet")
    V, w = w_line.get_paths()[0].vertices.T
    np.testing.assert_allclose(w, 4.0 * (V + 70.6), atol=0.5)
