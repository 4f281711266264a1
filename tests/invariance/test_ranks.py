# SPDX-License-Identifier: Apache-2.0
"""Law 1 over ranks: any number of ranks and threads, distribution, exchange strategy and option gives the same bits."""

import numpy as np
import pytest

import neuropil as npl
from invariance.mixed_network import EVENTS, STEPS, Mixed, hash_of
from lowlevel import array, connect, digest, drawn, floats, kernel, rows
from neuropil import _core
from pairwise import matrix
from thread_ranks import on_ranks, the_same

STRATEGIES = sorted(_core.strategies())
DIRECTED = sorted({*STRATEGIES} - {"allgather"})
TWO_PHASES = ("multisend", "multisend_aggregated", "nbx")


@pytest.fixture(scope="module")
def expected():
    return hash_of()


def hash_on(ranks, pieces=(STEPS,), ranks_per_node=0, **settings):
    return the_same(on_ranks(ranks, lambda comm: hash_of(pieces, comm=comm, **settings), ranks_per_node))


@matrix("strategy, ranks, threads, halves, pieces", STRATEGIES, (1, 2, 3, 5, 8), (1, 2), (False, True), ((STEPS,), (100, 33, 34, 33, 250)))
def test_strategies(expected, strategy, ranks, threads, halves, pieces):
    assert hash_on(ranks, pieces, threads=threads, exchange={"strategy": strategy, "halves": halves}) == expected


WITH_CONSERVATION = [
    (strategy, conservation)
    for strategy in TWO_PHASES
    for conservation in ("allreduce", "reduce_scatter")
    if (strategy, conservation) != ("nbx", "reduce_scatter")  # nbx has a way of its own
]


@pytest.mark.parametrize(("strategy", "conservation"), WITH_CONSERVATION)
@pytest.mark.parametrize("ranks", [3, 8])
def test_phases_and_conservation(expected, ranks, conservation, strategy):
    for phases in (1, 2):
        assert hash_on(ranks, exchange={"strategy": strategy, "phases": phases, "conservation": conservation}) == expected


@matrix(
    "distribution, regime, ranks, threads, block_size, layout",
    ("round_robin", "consecutive", "shuffled"),
    ("dense", "sparse"),
    (1, 2, 3, 7),
    (1, 2),
    (0, 16, 30),
    ("auto", "sorted_auto"),
)
def test_distributions_and_regimes(expected, distribution, regime, ranks, threads, block_size, layout):
    settings = {
        "threads": threads,
        "block_size": block_size,
        "distribution": distribution,
        "exchange": {"regime": regime, "strategy": "nbx"},
    }
    assert hash_on(ranks, layout=layout, **settings) == expected


@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_user_maps(expected, ranks):
    """Also a map that leaves a rank without neurons, and one that covers only the first nodes."""
    rng = np.random.default_rng(ranks)
    for rank_map in (rng.integers(0, ranks, 500), np.zeros(500), rng.integers(0, ranks, 77)):
        assert hash_on(ranks, distribution="by_map", rank_map=rank_map.astype(np.int32)) == expected


@pytest.mark.parametrize("strategy", ["allgather", "alltoall", "persistent", "shared"])
def test_smallest_buffers(expected, strategy):
    assert hash_on(3, exchange={"strategy": strategy, "buffer_bytes": 1}) == expected


def test_routes_in_small_rounds(expected):
    for size in (1, 7, 64):
        assert hash_on(3, exchange={"round_bytes": size}) == expected


@pytest.mark.parametrize("per_node", [1, 2, 3])
def test_nodes_of_ranks(expected, per_node):
    assert hash_on(5, ranks_per_node=per_node, exchange={"strategy": "shared"}) == expected


@pytest.mark.parametrize("pieces", [(1,) * STEPS, (EVENTS[0] - 1, 2, 1)])
def test_runs_in_pieces(expected, pieces):
    assert hash_on(2, pieces, exchange={"strategy": "alltoall"}) == expected


def test_layouts_and_double_weights():
    expected = hash_of(doubles=True)
    for layout in ("runs", "words", "sorted_auto", "counted_auto", "sorted_runs"):
        assert hash_on(3, doubles=True, layout=layout) == expected


# --- corners


def tiny(comm=None, n=3, **settings):
    """Fewer neurons than ranks, a ring of them and of spikes; returns spikes and weights."""
    net = kernel(seed=3, comm=comm, **settings)
    net.create("iaf_psc_exp", n, floats(I_e=600.0))
    connect(net, rows(1, n), rows(1, n), "fixed_indegree", indegree=2, weight=1.0, delay=drawn("uniform", 0.1, 1.2))
    recorder = net.record_spikes(rows(1, n), 0, 10**6)
    net.run(400, None)
    assert net.counters()["synapses"] == net.connection_count() == 2 * n
    return digest(*net.spikes(recorder), net.connections(None, None, "")["weight"], net.counters()["events"])


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_fewer_neurons_than_ranks(strategy):
    assert the_same(on_ranks(8, lambda comm: tiny(comm, exchange={"strategy": strategy}))) == tiny()


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_no_spikes_and_no_connections(strategy):
    def program(comm):
        net = kernel(comm=comm, exchange={"strategy": strategy})
        net.create("iaf_psc_exp", 5, {})
        net.run(50, None)
        connect(net, rows(1, 5), rows(1, 5), weight=1.0, delay=0.5)
        net.run(50, None)
        return net.counters()["spikes"], net.counters()["words_sent"], net.step

    assert the_same(on_ranks(3, program)) == (0, 0, 100)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_neuron_at_once(strategy):
    """All cells fire in the same step, every 2 ms: bursts after nothing."""

    def program(comm=None):
        net = kernel(comm=comm, exchange={"strategy": strategy})
        net.create("ignore_and_fire", 200, floats(rate=500.0, phase=1.0))
        net.create("parrot_neuron", 40, {})
        connect(net, rows(1, 200), rows(201, 40), "fixed_indegree", indegree=30, weight=1.0, delay=0.5)
        recorder = net.record_spikes(rows(1, 240), 0, 10**6)
        net.run(100, None)
        return digest(*net.spikes(recorder))

    assert the_same(on_ranks(4, program)) == program()


def test_weights_that_outgrow_the_scale_do_so_on_all_ranks():
    """Power-law potentiation without bound: the fixed-point scale changes during the run."""

    def program(comm=None, pieces=(2000,)):
        net = kernel(seed=5, comm=comm)
        net.create("poisson_generator", 1, floats(rate=400.0))
        net.create("parrot_neuron", 20, {})
        net.create("iaf_psc_exp", 4, floats(I_e=500.0))
        connect(net, rows(1, 1), rows(2, 20), weight=1.0, delay=0.1)
        grow = {"lambda": 0.3, "alpha": 1e-6, "mu": 0.9}
        connect(
            net,
            rows(2, 20),
            rows(22, 4),
            weight=array(np.linspace(1, 9, 80)),
            delay=1.0,
            synapse="stdp_pl_synapse_hom",
            synapse_params=grow,
        )
        recorder = net.record_spikes(rows(22, 4), 0, 10**6)
        for steps in pieces:
            net.run(steps, None)
        weights = net.connections(None, None, "")["weight"]
        return digest(*net.spikes(recorder), weights), weights.max()

    alone = program()
    assert alone[1] > 9 * 16  # beyond the room that was left
    assert program(pieces=(995, 5, 1000)) == program(pieces=(333, 1, 666, 1000)) == alone
    for ranks in (2, 3):
        assert the_same(on_ranks(ranks, program)) == alone
        assert the_same(on_ranks(ranks, lambda comm: program(comm, (995, 5, 1000)))) == alone


def test_reading_is_the_same_on_all_ranks():
    """get, set, connections and weights reach nodes wherever they live."""

    def program(comm=None):
        mixed = Mixed(comm=comm)
        net = mixed.net
        net.run(200, None)
        everyone = mixed._gids("exp")
        net.set(everyone[::3], floats(V_m=-61.5))
        c = net.connections(mixed._at("exp"), None, "")
        net.edit(c["slice"][:50], c["table"][:50], c["position"][:50], 0, weight=c["weight"][:50] * 0.5)
        again = net.get_weights(c["slice"], c["table"], c["position"])
        return digest(net.get(everyone, "V_m"), net.get(everyone, "I_e"), c["source"], c["target"], again, net.counters()["spikes"])

    assert the_same(on_ranks(3, program)) == program()


def test_a_plan_is_of_one_rank():
    def program(comm=None):
        net = kernel(comm=comm)
        net.create("iaf_psc_exp", 100, {})
        connect(net, rows(1, 100), rows(1, 100), "fixed_indegree", indegree=40, weight=drawn("normal", 1.0, 0.1), delay=1.0)
        plan = net.plan()
        assert net.connection_count() == 4000  # of all ranks, built or not
        net.build(None)
        assert net.connection_count() == 4000
        assert net.plan()["counts"].get("synapses", 0.0) == 0.0
        return plan["counts"]["synapses"], plan["bytes"]["synapses"]

    assert program() == (4000.0, 24000.0)
    assert the_same(on_ranks(4, program)) == (1000.0, 6000.0)


# --- failures


def raised(ranks, program):
    return on_ranks(ranks, program)


def test_what_one_rank_cannot_do_is_raised_on_all():
    def program(comm):
        net = kernel(comm=comm)
        net.create("iaf_psc_exp", 10, {})
        net.run(5, None)
        steps = -1 if comm.rank == 1 else 5
        net.run(steps, None)

    results = raised(3, program)
    assert [type(r).__name__ for r in results] == ["RankError", "BadParameter", "RankError"]
    assert "rank 1" in str(results[0]) and "steps" in str(results[0])


REFUSED = {  # by the owner of a connection or of nodes: no other rank can see it
    "weight": lambda net, cells, one: setattr(one, "weight", 1e300),
    "delay": lambda net, cells, one: setattr(one, "delay", 1e6),
    "parameter": lambda net, cells, one: one.set(tau_plus=-1.0),
    "create": lambda net, cells, one: net.create("iaf_psc_exp", 4, tau_m=npl.normal(-10.0, 1.0)),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_one_rank_refuses_for_all_is_the_same_error_on_all(what):
    def program(comm):
        net = npl.Network(seed=1, threads=1, ranks=comm)
        cells = net.create("iaf_psc_exp", 10, I_e=500.0)
        net.connect(cells, cells[3:4], weight=1.0, delay=1.0, synapse=npl.stdp(Wmax=100.0))
        net.run(5.0)
        with pytest.raises(npl.NeuropilError) as error:
            REFUSED[what](net, cells, net.connections(cells[:1], cells))
        net.run(5.0)
        assert net.n_nodes == 10
        return type(error.value).__name__, str(error.value), net.connections().weight.tolist()

    kind, text, _ = the_same(on_ranks(3, program))
    assert kind in ("BadParameter", "BadDelay"), text


def test_different_descriptions_are_found():
    def program(comm):
        net = kernel(comm=comm)
        net.create("iaf_psc_exp", 10 + comm.rank, {})
        net.run(5, None)

    assert {type(r).__name__ for r in raised(2, program)} == {"RankError"}


def test_different_calls_are_found():
    def program(comm):
        net = kernel(comm=comm)
        net.create("iaf_psc_exp", 10, {})
        recorder = net.record_spikes(rows(1, 10), 0, 100)
        net.build(None)
        net.spikes(recorder) if comm.rank == 0 else net.run(5, None)

    results = raised(2, program)
    assert {type(r).__name__ for r in results} == {"RankError"}
    assert "spikes" in str(results[0]) and "run" in str(results[1])


def test_a_rank_that_ends_is_noticed():
    def program(comm):
        if comm.rank == 1:
            return comm.leave()
        net = kernel(comm=comm)
        net.create("iaf_psc_exp", 10, {})
        return net.run(5, None)

    results = raised(2, program)
    assert type(results[0]).__name__ == "RankError"


def test_a_wish_to_stop_stops_all_ranks_at_the_same_step():
    import neuropil

    def program(comm):
        net = kernel(comm=comm)
        net.create("iaf_psc_exp", 10, {})
        connect(net, rows(1, 10), rows(1, 10), weight=1.0, delay=0.1)
        asked = []

        def poll(phase, done, total):
            asked.append(done)
            if phase == "simulating" and comm.rank == 2:
                raise KeyboardInterrupt

        with pytest.raises(
            KeyboardInterrupt if comm.rank == 2 else neuropil.errors.RankError,
            match=None if comm.rank == 2 else "rank 2 has stopped the run",
        ):
            net.run(10**8, poll)
        stopped = net.step
        net.run(10, None)  # goes on
        return stopped, net.step

    stopped, after = the_same(raised(3, program))
    assert 0 < stopped < 10**8 and after == stopped + 10


def test_bad_settings_are_refused_by_name():
    import neuropil

    with pytest.raises(neuropil.errors.UnknownName, match="alltoallv"):
        kernel(exchange={"strategy": "alltoalv"})
    with pytest.raises(neuropil.errors.UnknownName, match="round_robin"):
        kernel(distribution="robin")
    with pytest.raises(neuropil.errors.BadParameter, match="rank_map"):
        kernel(distribution="by_map")
    with pytest.raises(neuropil.errors.BadParameter, match="phases"):
        kernel(exchange={"phases": 3})


@pytest.mark.parametrize("regime", ["dense", "sparse"])
@pytest.mark.parametrize(("n", "indegree", "saves"), [(3000, 20, False), (30_000, 1, True)])  # a bit per gid is less than its row
def test_without_sources_the_spikes_are_the_same_in_less_memory(regime, n, indegree, saves):
    import neuropil

    def program(comm=None, keep=True):
        net = kernel(seed=3, comm=comm, exchange={"regime": regime, "strategy": "alltoallv"}, keep_sources=keep)
        net.create("iaf_psc_exp", n, floats(I_e=500.0))
        connect(net, rows(1, n), rows(1, n), "fixed_indegree", indegree=indegree, weight=5.0, delay=drawn("uniform", 0.5, 1.2))
        recorder = net.record_spikes(rows(1, n), 0, 10**6)
        net.run(300, None)
        if comm is not None and not keep:
            with pytest.raises(neuropil.errors.IllegalConnection, match="keep_sources"):
                net.connections(None, None, "")
            with pytest.raises(neuropil.errors.IllegalConnection, match="keep_sources"):
                connect(net, rows(1, 2), rows(1, 2))
            net.run(0, None)
        return digest(*net.spikes(recorder)), net.gather(np.array([float(net.memory()["index"])])).sum()

    expected = program()[0]
    kept, dropped = (the_same(on_ranks(3, lambda comm, keep=keep: program(comm, keep))) for keep in (True, False))
    assert kept[0] == dropped[0] == expected
    assert dropped[1] < kept[1] if saves else dropped[1] == kept[1]


def test_ranks_that_drew_their_own_values_are_found():
    """An array from a generator without a seed differs from rank to rank, in nothing but its values."""

    def program(what):
        def run(comm):
            own = np.random.default_rng(comm.rank)
            net = kernel(comm=comm)
            net.create("iaf_psc_exp", 10, floats(V_m=own.uniform(-70, -60, 10)) if what == "node" else {})
            weight = array(own.permutation(10)) if what == "weight" else 1.0
            positions = own.permutation(10) if what == "rule" else np.arange(10)
            connect(net, rows(1, 10), rows(1, 10), "explicit", weight=weight, sources=positions, targets=np.arange(10))
            net.run(5, None)

        return run

    for what in ("node", "weight", "rule"):
        assert {type(r).__name__ for r in raised(2, program(what))} == {"RankError"}, what
    assert raised(2, program("nothing")) == [None, None]


def test_options_that_a_strategy_lacks_are_refused_at_once_also_on_one_rank():
    import neuropil

    with pytest.raises(neuropil.errors.BadParameter, match="phases"):
        kernel(exchange={"strategy": "alltoall", "phases": 2})
