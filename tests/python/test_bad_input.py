# SPDX-License-Identifier: Apache-2.0
"""Bad input: a typed error that names the parameter, the value and what is allowed, and nothing has changed."""

import numpy as np
import pytest

import neuropil as npl
from neuropil import Network
from neuropil.errors import (
    BadDelay,
    BadLength,
    BadParameter,
    BadType,
    ForeignNodes,
    IllegalConnection,
    OutOfRange,
    ReadOnly,
    TooLarge,
    UnknownAttribute,
    UnknownName,
)

NAN, INF = float("nan"), float("inf")


class Setting:
    """A network with one of everything."""

    def __init__(self):
        self.net = Network(seed=5, threads=2)
        self.a = self.net.create("iaf_psc_exp", 10, V_m=npl.normal(-65.0, 5.0))
        self.device = self.net.create("poisson_generator", rate=5.0)
        self.sender = self.net.create("spike_generator", spike_times=[1.0])
        self.net.connect(self.a, self.a, npl.fixed_indegree(3), weight=2.0)
        self.other = Network(threads=1).create("iaf_psc_exp", 3)

    def everything(self):
        """What a failed call may not change; the last entries show the next random draws."""
        net, a = self.net, self.a
        values = {name: np.asarray(v).tolist() for name, v in a.get().items()}
        devices = [self.device.get("rate").tolist(), self.sender.spike_times.tolist()]
        return (values, devices, net.n_nodes, len(net._populations), net.n_connections, net.time, net._draws)


@pytest.fixture
def s():
    return Setting()


# (error, what the message must hold, call)
NEW = [
    (BadParameter, ["threads", "0", "from 1"], lambda: Network(threads=0)),
    (BadParameter, ["threads", "-2"], lambda: Network(threads=-2)),
    (BadType, ["threads", "1.5", "whole"], lambda: Network(threads=1.5)),
    (BadParameter, ["resolution", "-0.1"], lambda: Network(resolution=-0.1)),
    (BadParameter, ["resolution", "0"], lambda: Network(resolution=0.0)),
    (BadParameter, ["resolution", "nan"], lambda: Network(resolution=NAN)),
    (BadType, ["resolution", "'fast'"], lambda: Network(resolution="fast")),
    (BadParameter, ["seed", "-1"], lambda: Network(seed=-1)),
    (BadParameter, ["seed", "2^63"], lambda: Network(seed=2**64)),
    (BadParameter, ["block_size", "-5"], lambda: Network(block_size=-5)),
    (BadType, ["mean", "'a'"], lambda: npl.normal("a")),
    (BadType, ["mean", "one number"], lambda: npl.normal([1.0, 2.0])),
    (BadParameter, ["once"], lambda: npl.normal().clip(min=0.0).redraw(min=1.0)),
    (BadParameter, ["coded", "once"], lambda: npl.normal().coded().coded()),
    (BadParameter, ["clip", "before coded"], lambda: npl.normal().coded().clip(min=0.0)),
    (BadParameter, ["bits", "0", "from 1 to 16"], lambda: npl.normal().coded(0)),
    (BadParameter, ["bits", "17", "from 1 to 16"], lambda: npl.normal().coded(bits=17)),
    (BadType, ["bits", "2.5"], lambda: npl.normal().coded(2.5)),
    (BadParameter, ["min <= max"], lambda: npl.normal().redraw(min=3.0, max=1.0).sample(2)),
    (BadType, ["k", "2.5"], lambda: npl.fixed_indegree(2.5)),
    (BadType, ["multapses", "0"], lambda: npl.fixed_indegree(2, multapses=0)),
    (BadType, ["tau_minus", "one number"], lambda: npl.stdp(tau_minus=[10.0, 20.0])),
    (UnknownName, ["iaf_psc_ex", "'iaf_psc_exp'"], lambda: npl.describe("iaf_psc_ex")),
]

CREATE = [
    (UnknownName, ["iaf_psc_ex", "'iaf_psc_exp'"], lambda s: s.net.create("iaf_psc_ex")),
    (BadType, ["model", "3"], lambda s: s.net.create(3)),
    (BadParameter, ["n", "0", "at least 1"], lambda s: s.net.create("iaf_psc_exp", 0)),
    (BadParameter, ["n", "-1"], lambda s: s.net.create("iaf_psc_exp", -1, V_m=npl.normal())),
    (BadType, ["n", "2.5"], lambda s: s.net.create("iaf_psc_exp", 2.5)),
    (UnknownName, ["taum", "'tau_m'"], lambda s: s.net.create("iaf_psc_exp", 3, taum=10.0)),
    (BadParameter, ["tau_m", "-3", "> 0"], lambda s: s.net.create("iaf_psc_exp", 3, tau_m=-3.0)),
    (BadParameter, ["tau_m", "nan"], lambda s: s.net.create("iaf_psc_exp", 3, tau_m=NAN)),
    (BadParameter, ["V_m", "inf"], lambda s: s.net.create("iaf_psc_exp", 3, V_m=[1.0, INF, 2.0])),
    (BadLength, ["V_m", "2", "3"], lambda s: s.net.create("iaf_psc_exp", 3, V_m=[1.0, 2.0])),
    (BadLength, ["V_m", "1x3"], lambda s: s.net.create("iaf_psc_exp", 3, V_m=[[1.0, 2.0, 3.0]])),
    (BadType, ["V_m", "'x'"], lambda s: s.net.create("iaf_psc_exp", 3, V_m="x")),
    (BadType, ["V_m"], lambda s: s.net.create("iaf_psc_exp", 3, V_m=[1.0, [2.0]])),
    (BadType, ["V_m", "1j"], lambda s: s.net.create("iaf_psc_exp", 3, V_m=1j)),
    (BadType, ["V_m", "None"], lambda s: s.net.create("iaf_psc_exp", 3, V_m=None)),
    (BadParameter, ["std=-1"], lambda s: s.net.create("iaf_psc_exp", 3, V_m=npl.normal(0.0, -1.0))),
    (BadParameter, ["tau_m", "> 0"], lambda s: s.net.create("iaf_psc_exp", 30, tau_m=npl.normal(0.0, 1.0))),
    (BadParameter, ["V_reset", "below V_th"], lambda s: s.net.create("iaf_psc_exp", V_reset=-50.0)),
    (TooLarge, ["GB"], lambda s: s.net.create("iaf_psc_exp", 10**11)),
    (TooLarge, ["GB"], lambda s: s.net.create("iaf_psc_exp", 10**11, V_m=npl.normal())),
    (BadParameter, ["n", "1e+15"], lambda s: s.net.create("iaf_psc_exp", 10**15)),
    (BadParameter, ["spike_times", "earlier"], lambda s: s.net.create("spike_generator", spike_times=[3.0, 2.0])),
    (BadParameter, ["spike_times", "0.05", "resolution"], lambda s: s.net.create("spike_generator", spike_times=[0.05])),
    (BadParameter, ["spike_times", "nan"], lambda s: s.net.create("spike_generator", 3, spike_times=[NAN])),
    (UnknownName, ["spike_time"], lambda s: s.net.create("spike_generator", spike_time=[1.0])),
    (BadLength, ["amplitude_values"], lambda s: s.net.create("step_current_generator", amplitude_times=[1.0, 2.0], amplitude_values=[1.0])),
]

CONNECT = [
    (BadParameter, ["weight", "nan"], lambda s: s.net.connect(s.a, s.a, weight=NAN)),
    (BadParameter, ["weight[9]", "inf"], lambda s: s.net.connect(s.a, s.a, "one_to_one", weight=[1.0] * 9 + [INF])),
    (BadDelay, ["delay", "-1", "resolution"], lambda s: s.net.connect(s.a, s.a, delay=-1.0)),
    (BadDelay, ["delay", "0.01", "resolution"], lambda s: s.net.connect(s.a, s.a, delay=0.01)),
    (BadDelay, ["delay", "0.01"], lambda s: s.net.connect(s.a, s.a, "one_to_one", delay=[1.0] * 9 + [0.01])),
    (BadDelay, ["delay", "1000000"], lambda s: s.net.connect(s.a, s.a, delay=1e6)),
    (BadParameter, ["delay", "inf"], lambda s: s.net.connect(s.a, s.a, delay=INF)),
    (BadParameter, ["delay", "coded"], lambda s: s.net.connect(s.a, s.a, delay=npl.uniform(1.0, 2.0).coded())),
    (BadDelay, ["delay", "redraw"], lambda s: s.net.connect(s.a, s.a, delay=npl.normal(1.0, 1.0))),
    (BadParameter, ["indegree", "11", "10"], lambda s: s.net.connect(s.a, s.a, npl.fixed_indegree(11, multapses=False))),
    (BadParameter, ["indegree", "10", "9"], lambda s: s.net.connect(s.a, s.a, npl.fixed_indegree(10, multapses=False, autapses=False))),
    (BadParameter, ["outdegree", "11"], lambda s: s.net.connect(s.a, s.a, npl.fixed_outdegree(11, multapses=False))),
    (BadParameter, ["N", "101", "100"], lambda s: s.net.connect(s.a, s.a, npl.fixed_total_number(101, multapses=False))),
    (BadParameter, ["k", "-1"], lambda s: s.net.connect(s.a, s.a, npl.fixed_indegree(-1))),
    (BadParameter, ["p", "1.5"], lambda s: s.net.connect(s.a, s.a, npl.pairwise_bernoulli(1.5))),
    (BadParameter, ["p", "nan"], lambda s: s.net.connect(s.a, s.a, npl.pairwise_bernoulli(NAN))),
    (UnknownName, ["all_to_al", "'all_to_all'"], lambda s: s.net.connect(s.a, s.a, "all_to_al")),
    (BadType, ["rule", "7"], lambda s: s.net.connect(s.a, s.a, 7)),
    (BadLength, ["3", "10"], lambda s: s.net.connect(s.a, s.a[:3], "one_to_one")),
    (BadLength, ["weight", "2", "10"], lambda s: s.net.connect(s.a, s.a, "one_to_one", weight=[1.0, 2.0])),
    (BadLength, ["weight", "(10, 5)", "(5, 10)"], lambda s: s.net.connect(s.a, s.a[:5], weight=np.ones((10, 5)))),
    (BadLength, ["delay", "(1, 10)"], lambda s: s.net.connect(s.a, s.a, "one_to_one", delay=np.ones((1, 10)))),
    (BadType, ["weight", "'heavy'"], lambda s: s.net.connect(s.a, s.a, weight="heavy")),
    (BadParameter, ["post", "at least one"], lambda s: s.net.connect(s.a, s.a[:0])),
    (ForeignNodes, ["post"], lambda s: s.net.connect(s.a, s.other)),
    (ForeignNodes, ["pre"], lambda s: s.net.connect(s.other, s.a)),
    (BadType, ["post", "5"], lambda s: s.net.connect(s.a, 5)),
    (IllegalConnection, ["poisson_generator"], lambda s: s.net.connect(s.a, s.device)),
    (IllegalConnection, ["poisson_generator"], lambda s: s.net.connect(s.a + s.device, s.a + s.device, npl.fixed_indegree(1))),
    (UnknownName, ["stpd", "'stdp_synapse'"], lambda s: s.net.connect(s.a, s.a, synapse="stpd_synapse")),
    (BadType, ["synapse", "3"], lambda s: s.net.connect(s.a, s.a, synapse=3)),
    (BadParameter, ["tau_plus", "-1"], lambda s: s.net.connect(s.a, s.a, synapse=npl.stdp(tau_plus=-1.0))),
    (UnknownName, ["lamda", "'lambda'"], lambda s: s.net.connect(s.a, s.a, synapse=npl.synapse("stdp_synapse", lamda=1.0))),
    (UnknownName, ["exc", "'excitatory'"], lambda s: s.net.connect(s.a, s.a, receptor="exc")),
    (BadParameter, ["receptor", "7"], lambda s: s.net.connect(s.a, s.a, receptor=7)),
    (BadParameter, ["receptor", "2^31"], lambda s: s.net.connect(s.a, s.a, receptor=2**40)),
    (BadParameter, ["indegree", "1000000000000"], lambda s: s.net.connect(s.a, s.a, npl.fixed_indegree(10**12))),
    (TooLarge, ["GB"], lambda s: s.net.connect(s.a, s.a, npl.fixed_indegree(4 * 10**9), weight=npl.normal())),
    (BadLength, ["targets", "1", "2"], lambda s: s.net.connect_gids([1, 2], [3])),
    (BadParameter, ["sources", "0", "1 to 12"], lambda s: s.net.connect_gids([1, 0], [3, 4])),
    (BadParameter, ["targets", "99"], lambda s: s.net.connect_gids([1, 2], [3, 99])),
    (BadType, ["sources", "1.5"], lambda s: s.net.connect_gids([1.5], [3])),
    (BadLength, ["weight"], lambda s: s.net.connect_gids([1, 2], [3, 4], weight=[1.0, 2.0, 3.0])),
    (ForeignNodes, ["sources"], lambda s: s.net.connect_gids(s.other, s.a[:3])),
]

STIMULATE = [
    (BadParameter, ["rate", "-1"], lambda s: s.net.stimulate(s.a, npl.poisson(rate=-1.0))),
    (BadDelay, ["delay", "0"], lambda s: s.net.stimulate(s.a, npl.poisson(rate=1.0), delay=0.0)),
    (BadLength, ["weight", "3", "10"], lambda s: s.net.stimulate(s.a, npl.poisson(rate=1.0), weight=[1.0, 2.0, 3.0])),
    (BadParameter, ["weight", "nan"], lambda s: s.net.stimulate(s.a, npl.spike_train([1.0]), weight=NAN)),
    (BadLength, ["amplitude_values"], lambda s: s.net.stimulate(s.a, npl.step_current([1.0, 2.0], [1.0]))),
    (BadParameter, ["amplitude", "nan"], lambda s: s.net.stimulate(s.a, npl.dc(NAN))),
    (UnknownName, ["device", "'poisson'", "poisson_generator"], lambda s: s.net.stimulate(s.a, "poisson")),
    (ForeignNodes, ["targets"], lambda s: s.net.stimulate(s.other, npl.poisson(rate=1.0))),
    (IllegalConnection, ["poisson_generator"], lambda s: s.net.stimulate(s.device, npl.poisson(rate=1.0))),
]

RECORD = [
    (UnknownName, ["Vm", "'V_m'"], lambda s: s.net.record(s.a, "Vm")),
    (UnknownName, ["g_ex"], lambda s: s.net.record(s.a, ["V_m", "g_ex"])),
    (UnknownName, ["V_m", "poisson_generator"], lambda s: s.net.record(s.device, "V_m")),
    (UnknownName, ["poisson_generator", "V_m"], lambda s: s.net.record(s.device, "V_m")),
    (BadParameter, ["interval", "0.05", "0.1"], lambda s: s.net.record(s.a, "V_m", interval=0.05)),
    (BadParameter, ["interval", "0"], lambda s: s.net.record(s.a, "V_m", interval=0.0)),
    (BadParameter, ["offset", "-1"], lambda s: s.net.record(s.a, "V_m", offset=-1.0)),
    (BadParameter, ["interval", "spikes"], lambda s: s.net.record(s.a, interval=1.0)),
    (BadParameter, ["start", "state"], lambda s: s.net.record(s.a, "V_m", start=1.0)),
    (BadParameter, ["stop", "2", "start"], lambda s: s.net.record(s.a, start=5.0, stop=2.0)),
    (BadParameter, ["start", "nan"], lambda s: s.net.record(s.a, start=NAN)),
    (BadType, ["quantities", "3"], lambda s: s.net.record(s.a, 3)),
    (BadType, ["quantities"], lambda s: s.net.record(s.a, [])),
    (BadParameter, ["quantities", "repeats"], lambda s: s.net.record(s.a, ["V_m", "V_m"])),
    (ForeignNodes, ["nodes"], lambda s: s.net.record(s.other)),
    (BadType, ["nodes", "'all'"], lambda s: s.net.record("all")),
]

RUN = [
    (BadParameter, ["duration", "-1", "0.1"], lambda s: s.net.run(-1.0)),
    (BadParameter, ["duration", "0.05", "0.1"], lambda s: s.net.run(0.05)),
    (BadParameter, ["duration", "nan"], lambda s: s.net.run(NAN)),
    (BadParameter, ["duration", "inf"], lambda s: s.net.run(INF)),
    (BadParameter, ["2^31"], lambda s: s.net.run(1e12)),
    (BadType, ["duration", "'long'"], lambda s: s.net.run("long")),
]

NODES = [
    (OutOfRange, ["10"], lambda s: s.a[10]),
    (OutOfRange, ["-11"], lambda s: s.a[-11]),
    (OutOfRange, [":11"], lambda s: s.a[:11]),
    (OutOfRange, ["-12"], lambda s: s.a[-12:]),
    (OutOfRange, ["10"], lambda s: s.a[[0, 10]]),
    (OutOfRange, ["empty set of nodes"], lambda s: s.a[:0][0]),
    (BadParameter, ["repeats"], lambda s: s.a[[1, 1]]),
    (BadParameter, ["repeats"], lambda s: s.a[[9, -1]]),
    (BadLength, ["mask", "1", "10"], lambda s: s.a[[True]]),
    (BadType, ["1.5"], lambda s: s.a[1.5]),
    (BadType, ["start"], lambda s: s.a["a":]),
    (BadType, ["index", "positions"], lambda s: s.a[s.a[:3]]),
    (BadParameter, ["step", "0"], lambda s: s.a[::0]),
    (UnknownAttribute, ["Vm", "'V_m'"], lambda s: s.a.Vm),
    (UnknownAttribute, ["Vm", "'V_m'"], lambda s: setattr(s.a, "Vm", 1.0)),
    (UnknownName, ["Vm", "'V_m'"], lambda s: s.a.get("Vm")),
    (UnknownName, ["Vm"], lambda s: s.a.set(V_m=-60.0, Vm=-60.0)),
    (BadType, ["name", "3"], lambda s: s.a.get(3)),
    (ReadOnly, ["gids"], lambda s: setattr(s.a, "gids", 1)),
    (BadParameter, ["tau_m", "0", "> 0"], lambda s: s.a.set(V_m=-60.0, tau_m=0.0)),
    (BadLength, ["tau_m", "2", "10"], lambda s: s.a.set(V_m=-60.0, tau_m=[1.0, 2.0])),
    (BadParameter, ["tau_m", "-1"], lambda s: s.a.set(V_m=npl.normal(), tau_m=[1.0] * 9 + [-1.0])),
    (BadParameter, ["below V_th"], lambda s: s.a.set(V_m=-60.0, V_th=-80.0)),
    (UnknownName, ["rate", "iaf_psc_exp"], lambda s: (s.a + s.device).set(rate=3.0)),
    (BadParameter, ["rate", "-3"], lambda s: setattr(s.device, "rate", -3.0)),
    (BadParameter, ["spike_times"], lambda s: setattr(s.sender, "spike_times", [2.0, 1.0])),
    (ForeignNodes, ["two networks"], lambda s: s.a + s.other),
    (TypeError, ["unsupported"], lambda s: s.a + 3),
    (UnknownName, ["iaf_psc_ex"], lambda s: s.net.nodes("iaf_psc_ex")),
    (BadParameter, ["gids", "13", "1 to 12"], lambda s: s.net.nodes(gids=[1, 13])),
    (BadParameter, ["gids", "repeats"], lambda s: s.net.nodes(gids=[1, 1])),
    (ReadOnly, ["time"], lambda s: setattr(s.net, "time", 5.0)),
    (UnknownAttribute, ["sed", "'seed'"], lambda s: setattr(s.net, "sed", 5)),
    (ForeignNodes, ["target"], lambda s: s.net.connections(target=s.other)),
    (UnknownName, ["nope"], lambda s: s.net.connections(synapse="nope")),
    (AttributeError, ["Netwrk"], lambda s: npl.Netwrk),
]


@pytest.mark.parametrize(("error", "words", "call"), NEW)
def test_new_objects(error, words, call):
    with pytest.raises(error) as caught:
        call()
    assert_says(caught.value, words)


@pytest.mark.parametrize(("error", "words", "call"), CREATE + CONNECT + STIMULATE + RECORD + RUN + NODES)
def test_a_refused_call_changes_nothing(s, error, words, call):
    before = s.everything()
    with pytest.raises(error) as caught:
        call(s)
    assert_says(caught.value, words)
    assert s.everything() == before


def test_refused_calls_do_not_change_results():
    """The same spikes, weights and draws as in a network where nothing went wrong."""

    def build(disturbed):
        s = Setting()
        calls = [call for _, _, call in CREATE + CONNECT + STIMULATE + RECORD + RUN + NODES] if disturbed else []
        for call in calls:
            with pytest.raises(Exception):  # noqa: B017  (which one is tested above)
                call(s)
        late = s.net.create("iaf_psc_exp", 20, V_m=npl.uniform(-70.0, -50.0), I_e=300.0)
        s.net.connect(late, late, npl.fixed_indegree(5), weight=npl.normal(20.0, 5.0))
        s.net.stimulate(late, npl.poisson(rate=2000.0), weight=30.0)
        spikes = s.net.record(late)
        s.net.run(50.0)
        return late.gids.tolist(), late.V_m.tolist(), spikes.times.tolist(), spikes.gids.tolist(), s.net.connections().weight.tolist()

    assert build(disturbed=True) == build(disturbed=False)


def assert_says(error, words):
    missing = [word for word in words if word not in str(error)]
    assert not missing, f"{missing} not in: {error}"


def test_errors_carry_their_data(s):
    with pytest.raises(BadParameter) as caught:
        s.a.tau_m = -1.0
    assert (caught.value.parameter, float(caught.value.value), caught.value.allowed) == ("tau_m", -1.0, "a finite number > 0")
    with pytest.raises(UnknownName) as unknown:
        s.net.create("iaf_psc_ex")
    assert (unknown.value.name, unknown.value.near[0]) == ("iaf_psc_ex", "iaf_psc_exp")
    with pytest.raises(UnknownAttribute) as attribute:
        _ = s.a.Vm
    assert (attribute.value.name, attribute.value.near) == ("Vm", ("V_m",))
    with pytest.raises(BadLength) as length:
        s.a.V_m = [1.0, 2.0]
    assert (length.value.parameter, length.value.length, length.value.wanted) == ("V_m", 2, 10)
    with pytest.raises(TooLarge) as large:
        s.net.create("iaf_psc_exp", 10**11)
    assert large.value.needed > large.value.available > 0


def test_attributes_that_are_missing_can_be_asked_for(s):
    assert not hasattr(s.a, "nonsense")
    assert getattr(s.a, "nonsense", 3) == 3
    assert str(KeyError("a")) == "'a'", "a plain KeyError quotes its message"
    with pytest.raises(KeyError) as caught:
        s.a.get("nonsense")
    assert str(caught.value).startswith("unknown parameter")
