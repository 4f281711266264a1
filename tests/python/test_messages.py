# SPDX-License-Identifier: Apache-2.0
"""Error messages say what was given, what is allowed and what to do, in the user's nouns."""

import re
from pathlib import Path

import pytest

import neuropil as npl
from thread_ranks import on_ranks

ROOT = Path(__file__).resolve().parents[2]
# Phrases of messages that had to be read twice.
RIDDLES = [
    "would not be heard",
    "makes no sense",
    "what it was",
    "mirror image",
    "is not there",
    "are not there",
    "left out but",
    "tells excitation",
    "told apart",
    "are not taken back",
    "out of all proportion",
    "edges of space",
]
CONSTRUCTORS = r"\b(?:bad_\w+|unknown_\w+|Bad[A-Z]\w+|IllegalConnection|NoPositions|NotKept|TooLarge|RankError|Stale|ReadOnly)\("


def messages():
    """(file, text) of each call that makes an error: the call and the two lines after it."""
    for folder, ending in (("python/src/neuropil", "*.py"), ("cpp", "*.?pp"), ("bindings", "*.?pp")):
        for path in (ROOT / folder).rglob(ending):
            if "nest" not in path.relative_to(ROOT).parts:
                lines = path.read_text().splitlines()
                for k, line in enumerate(lines):
                    if re.search(CONSTRUCTORS, line):
                        yield f"{path.relative_to(ROOT)}:{k + 1}", "\n".join(lines[k : k + 3])


def test_no_message_is_a_riddle():
    found = [f"{place}: {phrase}" for place, text in messages() for phrase in RIDDLES if phrase in "".join(re.findall(r'"[^"\n]*"', text))]
    assert not found, "\n".join(found)


@pytest.fixture
def net():
    net = npl.Network(seed=1, threads=1)
    net.create("iaf_psc_exp", 4, name="a")
    net.create("parrot_neuron", 4, name="b")
    return net


def on_grid(net):
    return net.create("iaf_psc_exp", positions=npl.grid((2, 2), extent=(1.0, 1.0), periodic=True))


SPREAD = "must be less than 8.6e9 times the smallest weight of the same receptor"
CALLS = [
    (
        npl.errors.BadParameter,
        "n_synapses = 9.* a shape gives more receptors",
        lambda n: n.create("iaf_psc_exp_multisynapse", n_synapses=9),
    ),
    (
        npl.errors.IllegalConnection,
        "post has nodes of iaf_psc_exp and of parrot_neuron: connect",
        lambda n: n.connect(n["a"], n["a"] + n["b"]),
    ),
    (npl.errors.BadParameter, SPREAD, lambda n: [n.connect(n["a"], n["a"], weight=w) for w in (1e-9, 1e9)]),
    (npl.errors.BadParameter, "duration = None: must be given alone, or left out with `until`", lambda n: n.run()),
    (
        npl.errors.BadParameter,
        "delay = 2.0: must be left out: .* have no delay",
        lambda n: n.connect(n["a"], n["a"], delay=2.0, synapse="gap_junction"),
    ),
    (npl.errors.NoPositions, "npl.position: these nodes have no positions; give them in create", lambda n: n["a"].set(V_m=npl.position.x)),
    (npl.errors.BadType, "use & and | instead of `and` and `or`", lambda n: npl.distance < 0.2 and npl.distance > 0.1),
    (npl.errors.BadParameter, "a grid_mask needs positions", lambda n: n.connect(free := plane(n), free, masked())),
    (npl.errors.NoPositions, "for nodes use npl.position", lambda n: on_grid(n).set(V_m=npl.distance)),
    (npl.errors.UnknownName, "unknown parameter 'Vm' of iaf_psc_exp; nearest: 'V_m'", lambda n: n.create("iaf_psc_exp", Vm=-65.0)),
    (npl.errors.UnknownName, "unknown parameter 'Vm' of iaf_psc_exp; nearest: 'V_m'", lambda n: n["a"].set(Vm=-65.0)),
    (npl.errors.UnknownArgument, r"unknown argument 'dt' of Network\(\); nearest: 'resolution'", lambda n: npl.Network(dt=0.1)),
    (
        npl.errors.UnknownArgument,
        r"unknown argument 'indegree' of Network.connect\(\): it belongs to a rule: connect\(pre, post, npl.fixed_indegree\(10\)\)",
        lambda n: n.connect(n["a"], n["a"], "fixed_indegree", indegree=10),
    ),
    (
        npl.errors.UnknownArgument,
        r"a rule: .*npl.pairwise_bernoulli\(0.1\) or npl.symmetric_pairwise_bernoulli\(0.1\)",
        lambda n: n.connect(n["a"], n["a"], p=0.1),
    ),
    (
        npl.errors.UnknownArgument,
        r"npl.fixed_indegree\(..., autapses=False\) or npl.fixed_outdegree\(..., autapses=False\), ...\)",
        lambda n: n.connect(n["a"], n["a"], allow_autapses=False),
    ),
    (
        npl.errors.UnknownArgument,
        r"unknown argument 'rate' of Network.stimulate\(\): it belongs to the device: .*npl.device\(model, rate=...\)",
        lambda n: n.stimulate(n["a"], "poisson_generator", rate=8000.0),
    ),
    (npl.errors.BadType, r"net.stimulate\(targets, device\) makes a device", lambda n: n.connect(npl.poisson(8000.0), n["a"])),
    (
        npl.errors.BadParameter,
        r"given with its parameters: neuropil.fixed_indegree\(k, \*, p=None, mask=None, autapses=True, multapses=True\)$",
        lambda n: n.connect(n["a"], n["a"], "fixed_indegree"),
    ),
    (
        npl.errors.UnknownName,
        r"unknown parameter 'params' of iaf_psc_exp: give each parameter by its name, create\(model, n, V_m=...\)",
        lambda n: n.create("iaf_psc_exp", params={"V_m": -60.0}),
    ),
    (npl.errors.UnknownName, r"'spikes' of iaf_psc_exp: record\(nodes\) records spikes", lambda n: n.record(n["a"], "spikes")),
    (npl.errors.UnknownArgument, r"unknown argument 'intervall' of Network.record\(\)", lambda n: n.record(n["a"], intervall=1.0)),
    (npl.errors.UnknownAttribute, r"unknown attribute 'a' of Network: net\[\"a\"\] gives the nodes", lambda n: n.a),
    (npl.errors.BadType, "parameters and state are attributes: nodes.V_m", lambda n: n["a"]["V_m"]),
    (
        npl.errors.UnknownName,
        "unknown parameter 'weights' of static_synapse; nearest: 'weight'",
        lambda n: n.connect(n["a"], n["a"]).set(weights=3.0),
    ),
    (
        npl.errors.UnknownAttribute,
        r"unknown attribute 'V_m' of Trace: trace\[\"V_m\"\] has the samples",
        lambda n: n.record(n["a"], "V_m").V_m,
    ),
    (
        npl.errors.UnknownAttribute,
        r"unknown attribute 'U' of Projection: p\[\"U\"\] reads and sets",
        lambda n: n.connect(n["a"], n["a"], synapse="tsodyks2_synapse").U,
    ),
    (
        npl.errors.UnknownAttribute,
        r"unknown attribute 'aa' of Projections: net.projections\[\"aa\"\] is the projection",
        lambda n: [n.connect(n["a"], n["a"], name="aa"), n.projections.aa],
    ),
    (
        npl.errors.BadType,
        r"must be a projection or Connections of this network, from net.connections\(...\)",
        lambda n: n.disconnect(n["a"]),
    ),
    (npl.errors.UnknownAttribute, "unknown attribute 'simulate' of Network; nearest: 'run'", lambda n: n.simulate(10.0)),
    (npl.errors.UnknownAttribute, "unknown attribute 'Nework' of neuropil; nearest: 'Network'", lambda n: npl.Nework()),
    (npl.errors.UnknownName, r"unknown model 'multimeter': net.record\(nodes\) records spikes", lambda n: n.create("multimeter")),
    (
        npl.errors.BadLength,
        "post has length 4: must be 3, the number of nodes in pre",
        lambda n: n.connect(n["a"][:3], n["b"], "one_to_one"),
    ),
    (
        npl.errors.BadParameter,
        "indegree = 5: must be a whole number from 0 to 4, the number of sources: each is drawn at most once",
        lambda n: n.connect(n["a"], n["b"], npl.fixed_indegree(5, multapses=False)),
    ),
    (npl.errors.BadParameter, "receptor = 0: must be from 1 to 4 for ht_neuron", lambda n: n.connect(n["a"], n.create("ht_neuron"))),
    (
        npl.errors.BadParameter,
        r"spike_times\[0\] = 0.05: must be a multiple of the resolution \(0.1 ms\)",
        lambda n: n.create("spike_generator", spike_times=[0.05]),
    ),
    (npl.errors.TooLarge, "a population of 1000000000000 neurons needs about", lambda n: n.create("iaf_psc_exp", 10**12)),
    (
        npl.errors.BadParameter,
        r"from 0 to 100, the bounds of the plastic synapse \(Wmax\); .redraw\(min=0, max=100\) keeps a distribution there",
        lambda n: n.connect(n["a"], n["a"], weight=npl.normal(10.0, 5.0), synapse="stdp_synapse"),
    ),
    (npl.errors.BadType, "groups = .*must be a dict of names and nodes", lambda n: n.record(n["a"]).plot(groups=["a"])),
    (npl.errors.BadType, r"duration = '10' \(str\): must be a time in ms", lambda n: n.run("10")),
    (
        npl.errors.ReadOnly,
        r"resolution of Network is read-only: give it to Network\(resolution=...\)",
        lambda n: setattr(n, "resolution", 0.2),
    ),
    (npl.errors.ReadOnly, "time of Network is read-only$", lambda n: setattr(n, "time", 0.2)),
    (FileNotFoundError, "/no/x.npz cannot be written: there is no folder: '/no'", lambda n: n.record(n["a"]).save("/no/x.npz")),
    (npl.errors.BadParameter, "gather=True can be set or removed", lambda n: part(n).set(weight=2.0)),
]


def plane(net):
    return net.create("iaf_psc_exp", 3, positions=npl.free(npl.uniform(0.0, 1.0), dims=2))


def masked():
    return npl.pairwise_bernoulli(0.5, mask=npl.space.grid_mask((1, 1)))


def part(net):
    net.connect(net["a"], net["a"])
    return net.connections(gather=False)


@pytest.mark.parametrize(("error", "text", "call"), CALLS, ids=[text[:30] for _, text, _ in CALLS])
def test_messages(net, error, text, call):
    with pytest.raises(error, match=text):
        call(net)


@pytest.mark.parametrize("name", ["run", "reset", "copy"])
def test_calls_by_a_function_of_every_name_themselves(net, name):
    call = {"run": lambda n: n.run(1.0), "reset": lambda n: n.reset(), "copy": lambda n: n.copy()}[name]
    net.every(1.0, call)
    with pytest.raises(npl.errors.BadParameter, match=f"{name} was called by a function of net.every.*call it after the run"):
        net.run(2.0)


@pytest.mark.parametrize("ranks", [1, 2])
def test_a_rank_with_one_synapse_says_the_same(ranks):
    def refused(comm):
        net = npl.Network(seed=1, threads=1, ranks=comm)
        generator, cells = net.create("poisson_generator", 1, rate=100.0), net.create("iaf_psc_exp", 2)
        weight = npl.normal(0.0, 37.5).redraw(min=-75.0, max=75.0)
        with pytest.raises(npl.errors.BadParameter, match=r"redraw\(min=0, max=240\) keeps a distribution there"):
            net.connect(generator, cells, npl.pairwise_poisson(1.7), weight=weight, synapse=npl.stdp(Wmax=240.0))
        return "refused"

    assert on_ranks(ranks, refused) == ["refused"] * ranks
