# SPDX-License-Identifier: Apache-2.0
"""Values with units are converted where the unit is known, refused where it is not, and never read without their unit."""

import pickle
import sys
from types import ModuleType

import numpy as np
import pytest
import quantities as pq

import neuropil as npl


class Pint:
    """What neuropil uses of pint.Quantity: dimensionality, to, magnitude."""

    SCALE = {"mV": 1e-3, "V": 1.0, "ms": 1e-3, "s": 1.0, "pA": 1e-12, "nA": 1e-9, "Hz": 1.0, "kHz": 1e3}  # noqa: RUF012

    def __init__(self, magnitude, unit):
        self.magnitude, self.unit, self.dimensionality = magnitude, unit, unit[-1]

    def to(self, unit):
        if unit[-1] != self.dimensionality:
            raise TypeError("other dimension")
        return Pint(self.magnitude * self.SCALE[self.unit] / self.SCALE[unit], unit)


class Brian:
    """What neuropil uses of brian2.Quantity: values in SI with a dimension, division, get_best_unit."""

    __module__ = "brian_of_tests.units"

    def __init__(self, value, dim):
        self.value, self.dim = value, dim

    def __truediv__(self, other):
        if isinstance(other, Brian):
            return self.value / other.value if self.dim == other.dim else Brian(self.value / other.value, f"{self.dim}/{other.dim}")
        return Brian(self.value / other, self.dim)

    def __rtruediv__(self, other):
        return Brian(other / self.value, f"1/{self.dim}")

    def get_best_unit(self):
        raise NotImplementedError

    def __float__(self):
        return self.value


@pytest.fixture(params=["quantities", "pint", "brian2"])
def made(request, monkeypatch):
    """A function (number, unit) -> quantity of a library."""
    if request.param == "quantities":
        return lambda number, unit: number * getattr(pq, unit)
    if request.param == "pint":
        return Pint
    brian = ModuleType("brian_of_tests")
    for name, value, dim in [("mV", 1e-3, "V"), ("ms", 1e-3, "s"), ("pA", 1e-12, "A"), ("Hz", 1.0, "1/s")]:
        setattr(brian, name, Brian(value, dim))
    monkeypatch.setitem(sys.modules, "brian_of_tests", brian)
    units = {
        "V": (1.0, "V"),
        "mV": (1e-3, "V"),
        "s": (1.0, "s"),
        "ms": (1e-3, "s"),
        "nA": (1e-9, "A"),
        "pA": (1e-12, "A"),
        "kHz": (1e3, "1/s"),
    }
    return lambda number, unit: Brian(np.asarray(number) * units[unit][0], units[unit][1])


def test_values_are_converted(net, made):
    cells = net.create("iaf_psc_exp", 3, V_m=made(-0.065, "V"), I_e=made(np.array([0.1, 0.2, 0.3]), "nA"), tau_m=made(0.012, "s"))
    np.testing.assert_allclose(cells.V_m, -65.0)
    np.testing.assert_allclose(cells.I_e, [100.0, 200.0, 300.0])
    np.testing.assert_allclose(cells.tau_m, 12.0)
    cells.V_th = made(-50.0, "mV")
    np.testing.assert_allclose(cells.V_th, -50.0)
    p = net.connect(cells, cells, weight=made(0.05, "nA"), delay=made(0.0015, "s"))
    np.testing.assert_allclose(p.weight, 50.0)
    np.testing.assert_allclose(p.delay, 1.5)
    for some in (p, p.connections()):
        some.weight = made(0.06, "nA")
        some.set(delay=made(0.002, "s"))
        np.testing.assert_allclose(p.weight, 60.0)
        np.testing.assert_allclose(p.delay, 2.0)
    plastic = net.connect(cells, cells, weight=1.0, synapse="stdp_synapse")
    plastic.set(tau_plus=made(0.03, "s"))
    np.testing.assert_allclose(plastic["tau_plus"], 30.0)
    assert npl.Network(resolution=made(0.0002, "s")).resolution == pytest.approx(0.2)
    drive = net.stimulate(cells, npl.poisson(rate=made(8.0, "kHz")), weight=made(10.0, "pA"), delay=made(1.0, "ms"))
    assert drive.pre.rate[0] == pytest.approx(8000.0) and drive.weight[0] == pytest.approx(10.0)
    assert npl.stdp(tau_plus=made(0.02, "s")).parameters["tau_plus"] == pytest.approx(20.0)
    net.run(made(0.002, "s"))
    assert net.time == 2.0


def test_lists_of_values_are_converted(net):
    cells = net.create("iaf_psc_exp", 2, V_m=[-65.0 * pq.mV, -0.06 * pq.V])
    assert cells.V_m.tolist() == [-65.0, -60.0]


def test_another_dimension_is_refused(net, made):
    with pytest.raises(npl.errors.BadParameter, match=r"V_m.*can be converted to mV"):
        net.create("iaf_psc_exp", 1, V_m=made(1.0, "s"))
    cells = net.create("iaf_psc_exp", 1)
    for call in (lambda: net.connect(cells, cells, weight=made(1.0, "mV")), lambda: net.run(made(1.0, "mV"))):
        with pytest.raises(npl.errors.BadParameter, match="can be converted to"):
            call()
    assert net.n_nodes == 1 and len(net.projections) == 0 and net.time == 0.0


def test_a_unit_is_never_dropped(net, made):
    """numpy would read 1 V as the number 1, and brian2's 1 mV as 0.001."""
    cells = net.create("iaf_psc_exp", 2)
    net.connect(cells, cells, weight=1.0)
    for call in (
        lambda: npl.lognormal(made(1.0, "mV"), 1.0),
        lambda: npl.fixed_indegree(made(1.0, "mV")),
    ):
        with pytest.raises(npl.errors.BadType):
            call()


def test_distributions_keep_their_units_until_they_are_used(net):
    potential = npl.normal(-0.065 * pq.V, 5.0 * pq.mV)
    cells = net.create("iaf_psc_exp", 2000, V_m=potential.redraw(min=-0.07 * pq.V), I_e=(1.0 * npl.uniform(0, 100) + 0.1 * pq.nA).coded())
    twin = net.create("iaf_psc_exp", 2000)
    assert cells.V_m.min() >= -70.0 and cells.V_m.mean() == pytest.approx(-63.5, abs=1.0)
    assert cells.I_e.min() >= 100.0 and cells.I_e.max() <= 200.0
    p = net.connect(
        cells[:20],
        twin[:20],
        weight=npl.normal(0.1 * pq.nA, 1.0 * pq.pA),
        delay=npl.uniform(1.0 * pq.ms, 0.002 * pq.s).clip(max=1.5 * pq.ms),
    )
    assert p.weight.mean() == pytest.approx(100.0, abs=1.0) and set(np.round(p.delay, 1)) == {1.0, 1.1, 1.2, 1.3, 1.4, 1.5}
    p.weight = -npl.exponential(0.2 * pq.nA)
    assert -300.0 < p.weight.mean() < -100.0
    p.connections()[:3].weight = npl.normal(0.3 * pq.nA, 0.0)
    assert p.weight.max() == pytest.approx(300.0)
    twin.V_m[:2] = npl.uniform(-0.06 * pq.V, -0.06 * pq.V)
    assert twin.V_m[:3].tolist() == [-60.0, -60.0, -70.0]
    drive = net.stimulate(twin, npl.poisson(rate=npl.uniform(1.0 * pq.kHz, 2.0 * pq.kHz)), weight=npl.normal(0.1 * pq.nA, 0.0))
    assert 1000.0 <= drive.pre.rate[0] <= 2000.0 and drive.weight[0] == pytest.approx(100.0)
    assert repr(potential) == "normal(mean=-0.065 V, std=5.0 mV)" and pickle.loads(pickle.dumps(potential)) == potential


def test_distributions_draw_the_same_with_units_and_without(net):
    plain = net.create("iaf_psc_exp", 50, V_m=2.0 + npl.normal(-65.0, 5.0).redraw(max=-60.0))
    other = npl.Network(resolution=0.1, seed=7).create(
        "iaf_psc_exp", 50, V_m=2.0 + npl.normal(-65.0 * pq.mV, 0.005 * pq.V).redraw(max=-60.0)
    )
    np.testing.assert_array_equal(plain.V_m, other.V_m)


def test_distributions_of_another_dimension_or_without_a_use_of_known_unit_are_refused(net):
    length = npl.uniform(-1.0 * pq.mm, 1.0 * pq.mm)
    with pytest.raises(npl.errors.BadParameter, match=r"mean of V_m.*can be converted to mV"):
        net.create("iaf_psc_exp", 1, V_m=npl.normal(1.0 * pq.s, 1.0))
    with pytest.raises(npl.errors.BadParameter, match="redraw of V_m"):
        net.create("iaf_psc_exp", 1, V_m=npl.normal(-65.0, 1.0).redraw(min=1.0 * pq.s))
    with pytest.raises(npl.errors.BadParameter, match="called once"):
        npl.normal().redraw(min=1.0 * pq.mV).redraw(max=1.0)
    for call in (
        lambda: length.sample(3),
        lambda: length * length,
        lambda: npl.normal() * (5.0 * pq.mV),
        lambda: npl.lognormal(1.0 * pq.mV),
        lambda: npl.uniform_int(3 * pq.mV),
        lambda: npl.pairwise_bernoulli(npl.uniform(0.0, 1.0 * pq.mV)),
        lambda: npl.fixed_indegree(length),
        lambda: net.create("iaf_psc_exp", 4, positions=npl.free(length, dims=2)),
        lambda: net.create("iaf_psc_exp", positions=[[1.0, 2.0]] * pq.mm),
        lambda: net.create("iaf_psc_exp", positions=[[1.0 * pq.mm, 2.0 * pq.mm]]),
        lambda: npl.grid((2, 2), extent=[1.0, 1.0] * pq.mm),
        lambda: npl.space.circle(1.0 * pq.mm),
    ):
        with pytest.raises(npl.errors.BadType, match="divide"):
            call()
    assert net.n_nodes == 0


def test_single_values_are_converted(net):
    cells = net.create("iaf_psc_exp", 3)
    cells.V_m[:2] = np.array([-0.06, -0.05]) * pq.V
    assert cells.V_m.tolist() == [-60.0, -50.0, -70.0]
    p = net.connect(cells, cells, "one_to_one", weight=1.0)
    p.weight[1:] = 0.05 * pq.nA
    assert p.weight.tolist() == [1.0, 50.0, 50.0]
    with pytest.raises(npl.errors.BadParameter, match="converted to mV"):
        cells.V_m[0] = 1.0 * pq.s
