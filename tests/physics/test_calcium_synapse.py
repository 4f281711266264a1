# SPDX-License-Identifier: Apache-2.0
"""calcium_synapse against the two equations of Graupner & Brunel (2012): integrated in small steps, and to twelve digits. Its laws."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

import neuropil as npl
import simd_levels
from lowlevel import connect, drawn, floats, kernel, rows
from neuropil import _core
from programs import Program, on_other_ranks, restored
from thread_ranks import on_ranks, the_same

Floats = NDArray[np.float64]
H, MS = 0.1, 300.0
PRE, POST = 4, 3
DP = {
    "tau_Ca": 20.0, "C_pre": 1.0, "C_post": 2.0, "D": 13.7, "theta_d": 1.0, "theta_p": 1.3,
    "gamma_d": 200.0, "gamma_p": 321.808, "rho_star": 0.5, "tau": 150_000.0, "w0": 0.0, "w1": 100.0,
}  # fmt: skip


def slope(p: dict[str, float], rho: Any, up: Any, down: Any) -> Any:
    """tau drho/dt above (1) or below (0) the thresholds of potentiation and depression."""
    return -rho * (1 - rho) * (p["rho_star"] - rho) + p["gamma_p"] * (1 - rho) * up - p["gamma_d"] * rho * down


def jumps(p: dict[str, float], pre: Floats, post: Floats) -> tuple[Floats, Floats]:
    """Times and sizes of the jumps of calcium, by the times at which spikes reach the synapse."""
    at = np.concatenate([pre + p["D"], post])
    size = np.repeat([p["C_pre"], p["C_post"]], [len(pre), len(post)])
    order = np.argsort(at, kind="stable")
    return at[order], size[order]


def stepped(p: dict[str, float], pre: Floats, post: Floats, rho: float, start: float = 0.0) -> Floats:
    """rho at each presynaptic spike, in explicit steps of 0.01 ms."""
    dt = 0.01
    raised = np.zeros(round((pre.max() + p["D"] + 1) / dt) + 1)
    at, size = jumps(p, pre, post)
    inside = at <= pre.max()
    np.add.at(raised, np.round(at[inside] / dt).astype(int), size[inside])
    c, course = 0.0, np.empty(len(raised) + 1)
    half, reads = np.exp(-dt / 2 / p["tau_Ca"]), np.round(pre / dt).astype(int)
    for k in range(round(start / dt), reads.max() + 1):
        course[k] = rho
        c = (c + raised[k]) * half  # in the middle of the step
        rho += dt / p["tau"] * slope(p, rho, c > p["theta_p"], c > p["theta_d"])
        c *= half
    return course[reads]


def solved(p: dict[str, float], pre: Floats, post: Floats, rho: float, start: float = 0.0) -> Floats:
    """The same by an adaptive solver of order 8, from one crossing of a threshold to the next."""
    at, size = jumps(p, pre, post)
    reads = np.unique(pre)
    stops = np.unique(np.concatenate([[start], at, reads]))
    c, found = 0.0, {}
    for begin, end in zip(stops, [*stops[1:], None], strict=True):
        if begin in reads:
            found[begin] = rho
        c += size[at == begin].sum()
        if end is None:
            break
        cross = [begin + p["tau_Ca"] * np.log(c / p[theta]) for theta in ("theta_p", "theta_d") if c > p[theta]]
        cuts = np.unique([begin, *(x for x in cross if begin < x < end), end])
        for a, b in pairwise(cuts):
            level = c * np.exp(-((a + b) / 2 - begin) / p["tau_Ca"])
            f = lambda t, y, v=level: slope(p, y, v > p["theta_p"], v > p["theta_d"]) / p["tau"]  # noqa: E731
            rho = solve_ivp(f, (a, b), [rho], method="DOP853", rtol=1e-13, atol=1e-15).y[0, -1]
        c *= np.exp(-(end - begin) / p["tau_Ca"])
    return np.array([found[t] for t in pre])


def drawn_parameters(rng: np.random.Generator) -> dict[str, float]:
    """Fast enough that rho goes through its whole range; either order of the thresholds, and weights of either sign."""
    return {
        "tau_Ca": rng.uniform(5.0, 40.0),
        "C_pre": rng.uniform(0.3, 2.0),
        "C_post": rng.uniform(0.3, 2.0),
        "D": round(rng.choice([0.0, 0.04, rng.uniform(0.0, 30.0)]), 2),
        "theta_d": rng.uniform(0.5, 3.0),
        "theta_p": rng.uniform(0.5, 3.0),
        "gamma_d": rng.uniform(0.0, 300.0),
        "gamma_p": rng.uniform(0.0, 300.0),
        "rho_star": rng.uniform(0.1, 0.9),
        "tau": 10.0 ** rng.uniform(2.0, 5.0),
        "w0": rng.uniform(-50.0, 50.0),
        "w1": rng.uniform(-50.0, 50.0),
    }


def drawn_trains(rng: np.random.Generator) -> list[Floats]:
    """Poisson trains and bursts with a spike in nearly every step, some of them two; all sorted [ms]."""
    trains = []
    for k in range(PRE + POST):
        train = rng.uniform(1.0, MS - 10.0, rng.integers(3, 40))
        if k % 2:
            train = np.concatenate([train[:5], rng.uniform(0, 15.0, 60) + rng.uniform(20.0, 200.0)])
        trains.append(np.sort(np.round(train, 1)))
    return trains


def sent(p: dict[str, Any], trains: list[Floats], w: float, delay: float = 1.2, made: float = 0.0, **settings: Any) -> dict[Any, Floats]:
    """Transmitted weights in order, by source and target, of synapses that are made at a time [ms]."""
    net = npl.Network(resolution=H, **settings)
    parrots = net.create("parrot_neuron", PRE + POST)
    for node, train in zip(parrots, trains, strict=True):
        net.connect(net.create("spike_generator", spike_times=train), node, delay=1.0)
    net.run(made)
    record = net.record_weights()
    synapse = npl.synapse("calcium_synapse", **p)
    net.connect(
        parrots[:PRE], parrots[PRE:], weight=w, delay=delay, synapse=synapse, receptor=1, weight_recorder=record, double_weights=True
    )
    net.run(MS - made)
    mine = {(s, t): (record.source == s + 1) & (record.target == PRE + t + 1) for s in range(PRE) for t in range(POST)}
    return {pair: record.weight[m][np.argsort(record.times[m], kind="stable")] for pair, m in mine.items()}


@pytest.mark.parametrize("seed", range(4))
def test_weights_follow_the_equations_in_small_steps(seed: int) -> None:
    """Tolerance: each of at most 200 crossings of a threshold is misplaced by up to half a step of 0.01 ms, at random."""
    rng = np.random.default_rng(seed)
    p, trains = drawn_parameters(rng) | {"tau": 5000.0, "w0": 0.0, "w1": 1.0}, drawn_trains(rng)
    found = sent(p, trains, 0.4)
    moved = 0.0
    for (s, t), weights in found.items():
        expected = stepped(p, trains[s] + 1.0, trains[PRE + t] + 1.0 + 1.2, 0.4)
        np.testing.assert_allclose(weights, expected, atol=2e-3)
        moved = max(moved, float(np.ptp(expected)))
    assert moved > 0.1


@pytest.mark.parametrize("seed", [*range(5), *(pytest.param(k, marks=pytest.mark.slow) for k in range(5, 20))])
def test_weights_follow_the_equations_to_twelve_digits(seed: int) -> None:
    """Also of synapses with an axonal delay, and of those that are made in a run: spikes before do not count."""
    rng = np.random.default_rng(100 + seed)
    p, trains = drawn_parameters(rng), drawn_trains(rng)
    delay, made = 2.5, 100.0 if seed % 3 == 0 else 0.0
    axonal = float(rng.choice([0.0, 0.7, 2.0])) if made == 0.0 else 0.0
    rho = rng.uniform(0.0, 1.0)
    found = sent(p | {"axonal_delay": axonal}, trains, p["w0"] + rho * (p["w1"] - p["w0"]), delay, made)
    for (s, t), weights in found.items():
        pre, post = trains[s] + 1.0 + axonal, trains[PRE + t] + 1.0 + delay - axonal
        pre, post = np.round(pre[pre > made + 1e-9], 9), np.round(post[post > made + (delay if made else 0.0) + 1e-9], 9)
        assert len(weights) == len(pre)
        if len(pre):
            expected = solved(p, pre, post, rho, made)
            np.testing.assert_allclose((weights - p["w0"]) / (p["w1"] - p["w0"]), expected, atol=2e-12)


def paired(dt_ms: float, pairs: int = 60, rate: float = 1.0, rho: float = 0.5, **given: float) -> float:
    """Efficacy after pairs of spikes, the postsynaptic one dt_ms after the presynaptic one at the synapse."""
    net = npl.Network(resolution=H)
    cells = net.create("parrot_neuron", 2)
    at = 200.0 + np.arange(pairs) * 1000.0 / rate
    for cell, train in ((cells[:1], [*at, at[-1] + 500.0]), (cells[1:], at + dt_ms - 1.0)):
        net.connect(net.create("spike_generator", spike_times=np.round(train, 1)), cell, delay=1.0)
    made = net.connect(
        cells[:1], cells[1:], weight=rho, delay=1.0, receptor=1, synapse=npl.synapse("calcium_synapse", **DP | {"w1": 1.0} | given)
    )
    net.run(at[-1] + 600.0)
    return float(made.weight[0])


def mean_of_pairs(lag: float, pairs: int = 60, period: float = 1000.0) -> float:
    """The paper's estimate: rho relaxes at rates that are means over a period, without the small cubic term."""
    t = np.arange(0.0, period, 0.01)
    c = sum(DP[size] * np.exp(-((t - at) % period) / DP["tau_Ca"]) for size, at in (("C_pre", DP["D"]), ("C_post", lag)))
    up, down = (DP[f"gamma_{x}"] * (c > DP[f"theta_{x}"]).mean() for x in "pd")
    rest = up / (up + down)
    return float(rest + (0.5 - rest) * np.exp(-pairs * period * (up + down) / DP["tau"]))


def test_pairs_depress_before_and_potentiate_after_the_presynaptic_spike() -> None:
    """The curve DP of the paper (figure 2): 60 pairs at 1 Hz."""
    lags = [-100.0, -50.0, -25.0, -10.0, 5.0, 15.0, 30.0, 60.0, 100.0]
    rho = {lag: paired(lag) for lag in lags}
    for lag in lags:
        assert rho[lag] == pytest.approx(mean_of_pairs(lag), abs=0.006)
        assert rho[lag] < 0.5 if lag < 0.0 else rho[lag] > 0.5 or lag == 100.0
    assert min(rho, key=rho.__getitem__) == -25.0 and max(rho, key=rho.__getitem__) == 5.0


def test_calcium_of_one_spike_below_thresholds_changes_nothing() -> None:
    assert paired(500.0, pairs=5, C_post=0.9, C_pre=0.9) == 0.5
    assert paired(500.0, pairs=5, C_post=2.0, C_pre=0.9, gamma_p=0.0) < 0.49


@pytest.mark.parametrize(("rho", "goes_to"), [(0.49, 0.0), (0.51, 1.0), (0.5, 0.5), (0.0, 0.0), (1.0, 1.0)])
def test_without_spikes_the_efficacy_falls_into_one_of_two_states(rho: float, goes_to: float) -> None:
    """One hour in one interval, with a closed form: u = rho - 1/2, 1/u^2 = 4 + (1/u0^2 - 4) exp(-t / (2 tau))."""
    given = {"tau": 100.0, "C_pre": 0.0, "C_post": 0.0}
    assert paired(0.0, pairs=2, rate=1 / 3.6, rho=rho, **given) == pytest.approx(goes_to, abs=1e-6)
    u, t = rho - 0.5, 200.0 + 500.0 + 1.0
    expected = 0.5 + (np.sign(u) / np.sqrt(4 + (1 / u**2 - 4) * np.exp(-t / 200.0)) if u else 0.0)
    assert paired(0.0, pairs=1, rho=rho, **given) == pytest.approx(expected, abs=1e-7)


def test_a_weight_that_is_set_is_where_the_efficacy_goes_on() -> None:
    """And float32 weights lose none of it: changes much smaller than their last digit add up."""
    net = npl.Network(resolution=H)
    cells = net.create("parrot_neuron", 2)
    net.connect(net.create("spike_generator", spike_times=np.arange(1.0, 4000.0, 1.0)), cells[:1], delay=1.0)
    slow = npl.synapse("calcium_synapse", **DP | {"C_pre": 0.0, "tau": 1e7, "w1": 1.0})
    both = [net.connect(cells[:1], cells[1:], weight=0.75, synapse=slow, receptor=1, double_weights=d, name=str(d)) for d in (True, False)]
    net.run(4000.0)
    assert both[0].weight[0] - 0.75 == pytest.approx(4000.0 / 1e7 * 0.75 * 0.25 * 0.25, rel=1e-2)
    assert both[1].weight[0] == np.float32(both[0].weight[0])
    both[0].weight = 0.25
    both[1].weight = 0.25
    net.run(10.0)
    assert both[0].weight[0] == pytest.approx(0.25, abs=1e-7)
    assert both[1].weight[0] == np.float32(both[0].weight[0])


@pytest.mark.parametrize(
    ("given", "rho"),
    [
        ({"tau": 1e-3, "gamma_p": 1e6, "gamma_d": 1e6}, 0.5),
        ({"tau": 1e-300, "gamma_p": 3e99, "gamma_d": 1e99}, 0.75),
        ({"tau_Ca": 1e300, "C_pre": 1e300, "tau": 1e-300, "gamma_p": 0.0}, 0.0),
        ({"theta_p": 1e-300, "theta_d": 1e300, "tau": 1.0}, 1.0),
    ],
)
def test_extreme_values_end_in_the_stable_state(given: dict[str, float], rho: float) -> None:
    net = npl.Network(resolution=H)
    cells = net.create("parrot_neuron", 2)
    net.connect(net.create("spike_generator", spike_times=np.arange(1.0, 200.0, 2.0)), cells, delay=1.0)
    made = net.connect(cells[:1], cells[1:], weight=0.3, receptor=1, synapse=npl.synapse("calcium_synapse", w1=1.0, **given))
    net.run(200.0)
    assert made.weight[0] == pytest.approx(rho, abs=1e-6)


def test_a_new_value_of_a_parameter_leaves_the_weight() -> None:
    net = npl.Network(resolution=H)
    cells = net.create("parrot_neuron", 2)
    net.connect(net.create("spike_generator", spike_times=[1.0, 50.0, 60.0, 100.0]), cells[:1], delay=1.0)
    made = net.connect(cells[:1], cells[1:], weight=30.0, receptor=1, synapse=npl.synapse("calcium_synapse", C_pre=3.0, tau=1000.0))
    net.run(70.0)
    before = made.weight[0]
    assert before != 30.0
    for name, value in (("tau", 1e12), ("D", 13.6), ("D", 200.0), ("w1", 90.0)):
        made[name] = value
        assert made.weight[0] == before
    net.run(50.0)
    assert made.weight[0] == pytest.approx(before, rel=1e-6)


def test_a_source_with_more_spikes_than_steps_loses_no_calcium() -> None:
    """Only when the calcium arrives is not exact then."""
    net = npl.Network(resolution=1.0)
    cells = net.create("parrot_neuron", 2)
    for _ in range(100):
        net.connect(net.create("spike_generator", spike_times=[5.0]), cells[:1], delay=1.0)
    net.connect(net.create("spike_generator", spike_times=[50.0]), cells[:1], delay=1.0)
    made = net.connect(cells[:1], cells[1:], weight=50.0, synapse=npl.synapse("calcium_synapse", tau_Ca=1e9), receptor=1)
    net.run(60.0)
    assert made.connections().state("c")[0] == pytest.approx(100.0, rel=1e-6)


@pytest.mark.parametrize(
    "wrong",
    [{"D": -1.0}, {"D": 1001.0}, {"tau": 0.0}, {"tau_Ca": 0.0}, {"theta_p": 0.0}, {"gamma_d": -1.0}, {"gamma_p": 1e101}, {"rho_star": 1.1}, {"w0": 3.0, "w1": 3.0}],
)  # fmt: skip
def test_bad_parameters_are_refused(wrong: dict[str, float]) -> None:
    net = npl.Network(resolution=H)
    cells = net.create("iaf_psc_exp", 2)
    with pytest.raises(npl.errors.BadParameter):
        net.connect(cells, cells, weight=3.0, synapse=npl.synapse("calcium_synapse", **wrong))
    with pytest.raises(npl.errors.BadParameter):
        net.connect(cells, cells, weight=101.0, synapse="calcium_synapse")
    assert len(net.projections) == 0


VARIED = {"tau_Ca": 15.0, "C_pre": 1.2, "theta_p": 1.4, "gamma_d": 150.0, "rho_star": 0.4, "tau": 3000.0, "w1": 90.0}


def test_equal_values_per_synapse_are_the_common_value() -> None:
    rng = np.random.default_rng(5)
    trains = drawn_trains(rng)
    common = sent(VARIED, trains, 30.0)
    own = sent({k: npl.uniform(v, v) for k, v in VARIED.items()}, trains, 30.0)
    assert all(common[pair].tobytes() == own[pair].tobytes() for pair in common)
    with pytest.raises(npl.errors.BadType):
        sent({"D": npl.uniform(1.0, 2.0)}, trains, 30.0)


class Learning(Program):
    """Recurrent plasticity of several delays, common and differing parameters; more synapses later."""

    steps, changes = 1500, (400,)

    def __init__(self, doubles: bool = False, **settings: Any) -> None:
        net = self.net = kernel(H, seed=3, **settings)
        self.doubles = doubles
        self.cells = net.create("iaf_psc_exp", 80, floats(I_e=300.0))
        noise = net.create("poisson_generator", 1, floats(rate=9000.0))
        connect(net, rows(noise), rows(self.cells, 80), weight=60.0, delay=0.5)
        few = {"C_pre": 0.3, "C_post": 0.5}
        self._learn({"tau": 50_000.0, **few})
        self._learn({"tau": 50_000.0, "D": 4.6, "axonal_delay": 0.5, **few})
        self._learn({"tau": drawn("uniform", 1e4, 1e5), "C_post": drawn("uniform", 0.3, 1.0)})
        self.record = net.record_spikes(rows(self.cells, 80), 0, 10**9)

    def _learn(self, params: dict[str, Any]) -> None:
        connect(
            self.net, rows(self.cells, 80), rows(self.cells, 80), "fixed_indegree", indegree=8, weight=drawn("uniform", 5.0, 60.0),
            delay=drawn("uniform", 0.7, 3.0), doubles=self.doubles, synapse="calcium_synapse", synapse_params=params,
        )  # fmt: skip

    def change(self, step: int) -> None:
        self._learn({"tau": 77_000.0})

    def results(self) -> list[bytes]:
        c = self.net.connections(None, None, "calcium_synapse")
        at = c["slice"], c["table"], c["position"]
        spikes = [np.asarray(x).tobytes() for x in self.net.spikes(self.record)[:2]]
        return [*spikes, np.asarray(self.net.get_state("c", *at)).tobytes(), *(c[k].tobytes() for k in ("source", "target", "weight"))]


def results(cuts: Any = None, **settings: Any) -> list[bytes]:
    return Learning(**settings).run(cuts).results()


@pytest.fixture(scope="module")
def expected() -> list[bytes]:
    found = Learning().run()
    weights = found.net.connections(None, None, "calcium_synapse")["weight"]
    assert np.unique(weights).size > 1000 and len(found.results()[0]) > 1000
    return found.results()


@pytest.mark.parametrize("level", simd_levels.LEVELS)
@pytest.mark.parametrize(("threads", "block_size", "layout"), [(1, 16, "runs"), (2, 0, "words"), (3, 7, "auto")])
def test_threads_slices_layouts_and_simd(expected: list[bytes], threads: int, block_size: int, layout: str, level: str) -> None:
    before = _core.simd()
    simd_levels.use(level)
    try:
        assert results(threads=threads, block_size=block_size, layout=layout) == expected
    finally:
        _core.set_simd(before)


@pytest.mark.parametrize("ranks", [2, 3])
def test_ranks(expected: list[bytes], ranks: int) -> None:
    assert the_same(on_ranks(ranks, lambda comm: results(comm=comm, threads=2, block_size=16))) == expected


@pytest.mark.parametrize("step", [1, 333, 401, 950])
def test_a_cut_changes_nothing(expected: list[bytes], step: int) -> None:
    assert results({step: restored(threads=3, block_size=16)}, threads=2) == expected


def test_a_cut_on_other_ranks(expected: list[bytes]) -> None:
    assert on_other_ranks(Learning, Learning.results, 555, threads=2) == expected
