# SPDX-License-Identifier: Apache-2.0
"""The memory model against what networks hold once they are built, and `neuropil plan`."""

import itertools
import json
import math

import numpy as np
import pytest
from typer.testing import CliRunner

import neuropil as npl
from neuropil import cli
from neuropil.base import hooks
from neuropil.cli.commands import plan as command
from neuropil.cli.commands.plan import Wish, parse_memory, parse_ranks, plan_model
from neuropil.cli.commands.plan_plot import plot
from neuropil.plan.plan import Plan, base_bytes, build_rates, largest_scale, least_ranks
from thread_ranks import on_ranks

# --- against networks that are built: every term of net.memory within 5 %


def static(net):
    cells = net.create("iaf_psc_exp", 2000, V_m=npl.normal(-65.0, 5.0))
    net.connect(cells, cells, npl.fixed_indegree(100), weight=30.0, delay=1.5)


def random_delays(net):
    cells = net.create("iaf_psc_exp", 600, V_th=np.linspace(-55.0, -45.0, 600))
    net.connect(
        cells, cells, npl.fixed_indegree(200), weight=npl.normal(30.0, 3.0).redraw(min=0.0), delay=npl.normal(1.5, 0.7).clip(min=0.1)
    )


def few_delays(net):
    cells = net.create("iaf_psc_exp", 500)
    net.connect(cells, cells, npl.pairwise_bernoulli(0.5), weight=npl.normal(30.0, 3.0), delay=npl.uniform(0.5, 0.9))


def both_signs(net):
    cells = net.create("iaf_psc_exp", 1000, C_m=200.0)
    net.connect(
        cells, cells, npl.fixed_total_number(150_000), weight=npl.normal(10.0, 30.0), delay=npl.uniform(0.5, 2.0), double_weights=True
    )


def plastic(net):
    exc, inh = net.create("iaf_psc_alpha", 900), net.create("iaf_psc_alpha", 300)
    net.connect(exc, exc, npl.fixed_indegree(90, autapses=False), weight=20.0, delay=1.5, synapse=npl.stdp_pl_hom())
    net.connect(exc, inh, npl.fixed_indegree(90), weight=20.0, delay=1.5)
    net.connect(inh, exc + inh, npl.fixed_indegree(30, multapses=False), weight=-100.0, delay=1.5)


def sharing_tables(net):
    a, b, c = (net.create("iaf_psc_delta", n) for n in (700, 400, 300))
    for pre, post in ((a, a), (a, b), (b, c), (c, a), (a + b, c), (b, b)):
        net.connect(pre, post, npl.fixed_indegree(8), weight=0.1, delay=1.0)


def sparse_sources(net):
    many = net.create("parrot_neuron", 60_000)
    cells = net.create("iaf_psc_exp", 300)
    net.connect(many, cells, npl.fixed_indegree(40), weight=20.0, delay=2.0)


def outdegree(net):
    cells = net.create("iaf_psc_exp", 1500)
    net.connect(cells, cells, npl.fixed_outdegree(30), weight=20.0, delay=1.0)
    net.connect(cells, cells, npl.fixed_outdegree(20, multapses=False), weight=-20.0, delay=1.0)


def one_to_one_and_all(net):
    a, b = net.create("iaf_psc_exp", 2400), net.create("iaf_psc_exp", 2400)
    net.connect(a, b, npl.one_to_one(), weight=20.0, delay=1.0)
    net.connect(a[:60], b, npl.all_to_all(), weight=-20.0, delay=npl.uniform(1.0, 3.0))


def lists(net):
    net.create("iaf_psc_exp", 1200)
    draw = np.random.default_rng(3)
    net.connect_gids(draw.integers(1, 1201, 40_000), draw.integers(1, 1201, 40_000), weight=draw.normal(10.0, 1.0, 40_000), delay=1.0)


def driven(net):
    cells = net.create("iaf_psc_exp", 2000)
    net.stimulate(cells, npl.poisson(rate=8000.0), weight=30.0)
    net.stimulate(cells, npl.dc(amplitude=100.0), weight=npl.normal(1.0, 0.1))
    net.stimulate(cells, npl.noise(mean=0.0, std=1.0))
    net.record(cells)
    net.record(cells[:500], ["V_m"], interval=1.0)
    net.connect(cells, cells, npl.fixed_indegree(20), weight=20.0, delay=1.0)


def strided(net):
    cells = net.create("iaf_psc_exp", 3000)
    net.connect(cells[::3], cells, npl.fixed_indegree(15), weight=20.0, delay=1.0)
    net.connect(cells[1::3], cells[::2], npl.pairwise_bernoulli(0.02), weight=20.0, delay=1.0)


def many_small(net):
    """Populations that share groups: equal ones, different ones, and some with a value per neuron."""
    cells = [net.create("iaf_psc_exp", 90, I_e=300.0 + k % 2) for k in range(12)]
    cells += [net.create("iaf_psc_alpha", 30, I_e=300.0 + k, V_th=-55.0) for k in range(30)]
    cells += [net.create("izhikevich", 40, I_e=np.linspace(1.0, 2.0, 40)) for k in range(6)]
    for pre, post in itertools.pairwise(cells):
        net.connect(pre, post, npl.fixed_indegree(20), weight=1.0, delay=1.0)


MODELS = [
    many_small,
    static,
    random_delays,
    few_delays,
    both_signs,
    plastic,
    sharing_tables,
    sparse_sources,
    outdegree,
    one_to_one_and_all,
    lists,
    driven,
    strided,
]


def terms_of(describe, comm=None, **settings):
    net = npl.Network(seed=5, ranks=comm, **settings)
    describe(net)
    plan = net.plan()
    net.build(progress=False)
    return plan, dict(net.memory), net.counters


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("describe", MODELS)
def test_every_term_as_it_becomes(describe, threads):
    plan, found, counters = terms_of(describe, threads=threads)
    assert plan.synapses == pytest.approx(counters["synapses"], rel=0.02)
    for term, size in found.items():
        if term != "total":
            assert plan.bytes.get(term, 0.0) == pytest.approx(size, rel=0.05, abs=300 * threads), term
    assert plan.total == pytest.approx(found["total"], rel=0.03)


@pytest.mark.parametrize("regime", ["dense", "sparse"])
@pytest.mark.parametrize("describe", [static, both_signs, plastic, sparse_sources, sharing_tables])
@pytest.mark.parametrize("ranks", [2, 5])
def test_ranks_on_the_mean(describe, ranks, regime):
    found = on_ranks(ranks, lambda comm: terms_of(describe, comm, threads=2, exchange=npl.exchange("alltoallv", regime=regime)))
    plan = found[0][0]
    for term in ("neurons", "synapses", "index", "traces", "input"):
        assert plan.bytes.get(term, 0.0) == pytest.approx(np.mean([memory[term] for _, memory, _ in found]), rel=0.05, abs=500), term
    assert plan.bytes["routing"] + plan.bytes["buffers"] == pytest.approx(
        np.mean([memory["routing"] for _, memory, _ in found]), rel=0.05, abs=500
    )
    assert ranks * plan.counts["routes"] == pytest.approx(found[0][2]["routes"], rel=0.03)


@pytest.mark.parametrize("describe", [static, random_delays, plastic, driven, many_small])
def test_counting_gives_the_plan_of_the_network_itself(describe):
    here = terms_of(describe, threads=3)[0]
    counted = counting(describe, 1, 3)
    base = counted.bytes["base"]
    found = {k: v - base * (k in ("total", "peak")) for k, v in counted.bytes.items() if k != "base"}
    assert found == pytest.approx({k: v for k, v in here.bytes.items() if k != "built"}, abs=1e-6)
    assert counted.counts == here.counts


def test_a_plan_of_what_was_added():
    net = npl.Network(threads=2)
    static(net)
    net.build(progress=False)
    before = dict(net.memory)
    assert net.plan().bytes["built"] == before["total"]
    assert net.plan().total == pytest.approx(before["total"])
    cells = net.nodes("iaf_psc_exp")
    net.connect(cells, cells, npl.fixed_indegree(50), weight=-30.0, delay=1.5)
    plan = net.plan()
    net.build(progress=False)
    assert plan.total == pytest.approx(net.memory["total"], rel=0.02)


# --- counting


def counting(describe, ranks, threads=1):
    """The plan of a network that only counts."""
    hook = command.Counting(ranks, Wish(threads))
    with hooks.in_force(hook):
        net = npl.Network(seed=5)
        describe(net)
        assert net.n_ranks == ranks
        assert net.threads == threads
        assert net.memory["total"] == pytest.approx(0, abs=1e5), "nothing is kept per node"
        try:
            net.run(10.0)
        except hooks.ScriptDone:
            return hook.outcome.plan
    raise AssertionError("not planned")


def brain(net):
    exc, inh = net.create("iaf_psc_alpha", 80_000_000_000), net.create("iaf_psc_alpha", 20_000_000_000)
    net.stimulate(exc + inh, npl.poisson(rate=8000.0), weight=30.0, delay=1.5)
    net.connect(exc, exc, npl.fixed_indegree(8000, autapses=False), weight=20.0, delay=1.5, synapse=npl.stdp_pl_hom())
    net.connect(exc, inh, npl.fixed_indegree(8000), weight=20.0, delay=1.5)
    net.connect(inh, exc + inh, npl.fixed_indegree(2000), weight=-100.0, delay=npl.normal(1.5, 0.3).clip(min=0.1))
    net.record(exc[:1000])


def test_a_brain_is_counted_exactly():
    plan = counting(brain, 1_000_000, 64)
    assert plan.n_nodes == 10**11 + 1
    assert plan.synapses * 10**6 == pytest.approx(1e15)
    assert plan.bytes["synapses"] == pytest.approx(1e9 * (0.64 * 6 + 0.16 * 2 + 0.2 * 4), rel=0.01)
    assert plan.counts["rows"] == pytest.approx(1e9, rel=0.01)
    assert plan.counts["partners"] == pytest.approx(999_999)
    assert all(math.isfinite(v) and v >= 0 for v in (*plan.bytes.values(), *plan.counts.values(), *plan.seconds.values()))


@pytest.mark.parametrize("n", [2**31 - 1, 2**31, 2**32, 2**32 + 1, 2**40 - 1])
@pytest.mark.parametrize(
    "rule",
    [
        npl.fixed_indegree(100),
        npl.fixed_indegree(100, autapses=False, multapses=False),
        npl.pairwise_bernoulli(1e-9),
        npl.fixed_total_number(10**13),
        npl.fixed_outdegree(1000),
        npl.one_to_one(),
        npl.all_to_all(),
    ],
    ids=lambda rule: rule.name,
)
def test_borders_of_numbers(n, rule):
    def describe(net):
        cells = net.create("iaf_psc_delta", n)
        net.connect(cells, cells, rule, weight=0.1, delay=1.0)

    plan = counting(describe, 100_000, 8)
    edges = {
        "fixed_indegree": 100.0 * n,
        "pairwise_bernoulli": 1e-9 * float(n) ** 2,
        "fixed_total_number": 1e13,
        "fixed_outdegree": 1000.0 * n,
    }
    wanted = edges | {"one_to_one": float(n), "all_to_all": float(n) ** 2}
    assert plan.synapses * 100_000 == pytest.approx(wanted[rule.name], rel=1e-6)
    assert plan.counts["rows"] <= plan.synapses * 1.0001
    assert bool(plan.limits) == (plan.synapses / plan.counts["slices"] > 2**32 - 1), plan.limits


def test_what_no_gid_can_number():
    with pytest.raises(npl.errors.BadParameter, match="2\\^40"):
        counting(lambda net: net.create("iaf_psc_delta", 2**40), 10)


def test_counting_checks_as_always():
    for wrong, error in (
        (lambda net: net.create("iaf_psc_delta", 10, V_mm=1.0), npl.errors.UnknownName),
        (lambda net: net.create("iaf_psc_exp", 10, C_m=-1.0), npl.errors.BadParameter),
        (lambda net: net.connect(*2 * [net.create("iaf_psc_exp", 10)], npl.fixed_indegree(20, multapses=False)), npl.errors.BadParameter),
        (lambda net: net._kernel.build(None), npl.errors.IllegalConnection),
    ):
        with pytest.raises(error):
            counting(wrong, 10)


def test_parameters_of_a_counted_population_can_be_read():
    def describe(net):
        cells = net.create("iaf_psc_exp", 10**9, C_m=300.0)
        assert cells[:3].get("C_m").tolist() == [300.0] * 3
        cells[:2].set(V_th=-40.0)
        assert net._kernel.rank == 0

    counting(describe, 100)


# --- flat


@pytest.mark.parametrize(("exchange", "keep_sources", "growth"), [("neighbor", False, 1.06), ("nbx", False, 1.04), ("nbx", True, 1.1)])
def test_memory_per_rank_hardly_grows_with_ranks(exchange, keep_sources, growth):
    """Weak scaling of Jordan et al. (2018, figure 8): 18 205 neurons with 11 250 inputs each on every rank.

    What grows: rows until every synapse has one, bytes of a source as the logarithm of the ranks, counts per partner.
    """
    from neuropil.cli.jobs import hpc_benchmark

    def at(ranks):
        hook = command.Counting(ranks, Wish(8, exchange=exchange))
        with hooks.in_force(hook):
            net = npl.Network(keep_sources=keep_sources)
            hpc_benchmark.build(net, hpc_benchmark.plan(18_205 * ranks, 11_250))
            with pytest.raises(hooks.ScriptDone):
                net.build()
        return hook.outcome.plan.total - hook.outcome.plan.bytes["base"]

    totals = {ranks: at(ranks) for ranks in (10_000, 100_000, 1_000_000)}
    assert max(totals.values()) <= growth * totals[10_000], totals


def test_forgotten_sources_are_planned():
    def memory(comm, keep):
        net = npl.Network(seed=5, ranks=comm, threads=2, keep_sources=keep, exchange=npl.exchange("nbx", regime="sparse"))
        sparse_sources(net)
        plan = net.plan()
        net.build(progress=False)
        return plan.bytes["index"], net.memory["index"]

    kept, forgotten = (np.mean(on_ranks(3, lambda comm, keep=keep: memory(comm, keep)), axis=0) for keep in (True, False))
    assert kept[0] == pytest.approx(kept[1], rel=0.05)
    assert forgotten[0] == pytest.approx(forgotten[1], rel=0.05, abs=500)


# --- how large, how many


def test_largest_scale_and_least_ranks():
    assert largest_scale(1000.0, lambda s: 100.0 + 3.0 * s) == pytest.approx(300.0, rel=1e-3)
    assert largest_scale(50.0, lambda s: 100.0 + 3.0 * s) == 0.0
    assert least_ranks(100.0, lambda m: 20.0 + 8000.0 / m) == 100
    assert least_ranks(100.0, lambda m: 20.0) == 1
    assert least_ranks(10.0, lambda m: 20.0 + 1.0 / m) == 0


def scaled_plastic(factor):
    def describe(net):
        exc, inh = net.create("iaf_psc_alpha", round(900 * factor)), net.create("iaf_psc_alpha", round(300 * factor))
        net.connect(exc, exc, npl.fixed_indegree(90, autapses=False), weight=20.0, delay=1.5, synapse=npl.stdp_pl_hom())
        net.connect(exc, inh, npl.fixed_indegree(90), weight=20.0, delay=1.5)
        net.connect(inh, exc + inh, npl.fixed_indegree(30, multapses=False), weight=-100.0, delay=1.5)

    return describe


def test_the_filled_machine_is_full():
    hook = command.Counting(64, Wish(4, memory=2e9))
    with hooks.in_force(hook):
        net = npl.Network()
        plastic(net)
        with pytest.raises(hooks.ScriptDone):
            net.build()
    factor, base = hook.outcome.factor, hook.outcome.plan.bytes["base"]
    below, above = (counting(scaled_plastic(f), 64, 4) for f in (factor, 1.001 * factor))
    assert below.peak - below.bytes["base"] <= 1.0001 * (2e9 - base) < above.peak - above.bytes["base"]
    assert below.peak - below.bytes["base"] == pytest.approx(below.total - below.bytes["base"] + below.bytes["construction"])


def test_seconds_are_work_times_rates():
    plan = Plan(10, 5.0, {}, 1.0, threads=4, work={"edges": 4e9, "routes": 1e9})
    ns = build_rates()["ns"]
    assert plan.seconds == pytest.approx({"connect": ns["edges"], "route": ns["routes"] / 4})
    assert base_bytes(1e7, 1, 2, False) == 1e7 + 2 * build_rates()["bytes"]["thread"]
    assert base_bytes(1e7, 2, 2, False) > base_bytes(1e7, 2, 2, True)


# --- refusal


def test_a_build_that_cannot_fit_is_refused_before_anything_is_allocated(monkeypatch):
    net = npl.Network(threads=1)
    cells = net.create("iaf_psc_delta", 10_000_000)
    available = npl._core.available_memory()
    per_call = int(0.3 * available / 2 / 10_000_000)  # each alone is fine
    for _ in range(3):
        net.connect(cells, cells, npl.fixed_indegree(per_call), weight=0.1, delay=1.0)
    before = dict(net.memory)
    with pytest.raises(npl.errors.TooLarge, match="build") as error:
        net.build(progress=False)
    assert error.value.needed > error.value.available > 0
    assert net.memory == before


def test_forced_networks_are_not_refused_at_the_door():
    net = npl.Network(threads=1, force=True)
    cells = net.create("iaf_psc_delta", 1_000_000)
    net.connect(cells, cells, npl.fixed_indegree(10**6), weight=0.1, delay=1.0)
    assert not net.plan().fits


# --- the command

MODEL = """
import sys
import neuropil as npl
net = npl.Network(threads=7)
per_rank, inputs = int(sys.argv[1]), 100
cells = net.create("iaf_psc_exp", per_rank * npl.n_ranks(), V_m=npl.normal(-65.0, 5.0))
net.connect(cells, cells, npl.fixed_indegree(inputs), weight=30.0, delay=1.5)
net.run(100.0)
print("never")
"""


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "model.py"
    path.write_text(MODEL)
    return path


def test_the_command_tells_everything(model, tmp_path, capsys):
    arguments = ["plan", str(model), "1000", "--ranks", "10:1000", "--threads", "4", "--memory", "16GB"]
    done = CliRunner().invoke(cli.app, [*arguments, "--json-file", str(tmp_path / "plan.json"), "--plot", str(tmp_path / "plan.png")])
    assert done.exit_code == 0, done.output
    assert "never" not in done.output
    for words in (
        "synapses: target, weight",
        "process, Python, MPI",
        "most while building",
        "build (s)",
        "fits in 16.00 GB",
        "least number",
    ):
        assert words in done.output
    found = json.loads((tmp_path / "plan.json").read_text())
    assert [p["ranks"] for p in found["plans"]] == [10, 20, 50, 100, 200, 500, 1000]
    assert [p["n_nodes"] for p in found["plans"]] == [1000 * p["ranks"] for p in found["plans"]], "n_ranks() is what is planned for"
    assert {p["synapses_per_rank"] for p in found["plans"]} == {100_000.0}
    assert all(p["threads"] == 4 for p in found["plans"])
    assert (tmp_path / "plan.png").read_bytes().startswith(b"\x89PNG")


def test_a_model_that_never_runs(tmp_path):
    path = tmp_path / "empty.py"
    path.write_text("import neuropil\nneuropil.Network()")
    with pytest.raises(npl.errors.BadParameter, match="builds or runs"):
        plan_model(str(path), [], [1], Wish(1))


def test_jobs_are_models():
    (found,) = plan_model("hpc_benchmark", ["--n", "18205", "--k", "11250"], [1], Wish(8))
    assert found.plan.n_nodes == 18206
    assert found.plan.synapses == pytest.approx(18205 * 11250, rel=1e-3)


def test_one_number_of_ranks_is_drawn_as_well(tmp_path, model):
    plot(tmp_path / "one.png", plan_model(str(model), ["500"], [8], Wish(2)), Wish(2), "one")
    assert (tmp_path / "one.png").stat().st_size > 5000


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("64", [64]),
        ("64,8", [8, 64]),
        ("7:30", [7, 10, 20, 30]),
        ("1000:1000000", [a * 10**k for k in (3, 4, 5) for a in (1, 2, 5)] + [10**6]),
    ],
)
def test_ranks_as_text(text, found):
    assert parse_ranks(text) == found


@pytest.mark.parametrize("text", ["", "0", "a", "5:1", "1,,2", str(2**31), "1:2:3"])
def test_ranks_that_are_none(text):
    with pytest.raises(npl.errors.BadParameter, match="ranks"):
        parse_ranks(text)


@pytest.mark.parametrize(("text", "size"), [("16GB", 16e9), ("128 GiB", 2.0**37), ("900 mb", 9e8), ("1e6", 1e6), ("2.5TB", 2.5e12)])
def test_memory_as_text(text, size):
    assert parse_memory(text) == size


@pytest.mark.parametrize("text", ["", "GB", "-1GB", "16 GBB", "16XB", "nan", "inf"])
def test_memory_that_is_none(text):
    with pytest.raises(npl.errors.BadParameter, match="memory"):
        parse_memory(text)


def test_bytes_of_checkpoints():
    net = npl.Network(threads=2)
    cells = net.create("iaf_psc_exp", 5000, V_m=npl.normal(-65.0, 1.0), tau_m=npl.uniform(8.0, 12.0))
    net.connect(cells, cells, npl.fixed_indegree(200), weight=npl.normal(1.0, 0.1), delay=npl.uniform(1.0, 3.0))
    net.connect(cells, cells, npl.fixed_indegree(100), weight=1.0, synapse=npl.stdp())
    net.connect(cells, cells, "one_to_one", weight=np.linspace(1.0, 2.0, 5000))
    net.stimulate(cells, npl.poisson(rate=1000.0))
    expected = net.plan().checkpoints
    net.build()
    for store_all, size in zip((False, True), expected, strict=True):
        snapshot = net._kernel.snapshot(store_all)
        found = sum(n * np.dtype(kind).itemsize for common in (False, True) for _, kind, n in snapshot.columns(common))
        assert size == pytest.approx(found, rel=0.05)
