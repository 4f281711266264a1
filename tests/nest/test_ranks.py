# SPDX-License-Identifier: Apache-2.0
"""Law 1: cases give bit for bit the same on each of two ranks as on one. GetConnections is left out: it gives the connections of the own rank."""

import json

import pytest
from tests.nest.corpus import digests

from mpi import jobs

THEMES = ["networks", "node_collections", "parameters", "precise", "recorders", "stimulators"]
LEFT_OUT = (
    "plastic_synapses",
    "delays_between_grid_points",
    "delays_set_later",
    "stdp_between_precise_neurons",
)  # read connections of the own rank
CODE = f"""
import os, sys, tempfile
sys.path[:0] = [{str(jobs.ROOT)!r}, {str(jobs.ROOT / "tests")!r}]
os.chdir(tempfile.mkdtemp(dir=os.environ["SCRATCH"]))
import json
from tests.nest.corpus import digests
line = json.dumps(digests.report({THEMES}, {LEFT_OUT}))
"""


def test_ranks_change_nothing(tmp_path, monkeypatch):
    kind = jobs.any_kind()
    for name in ("found", "scratch", "here"):
        (tmp_path / name).mkdir()
    ours = [json.loads(line) for line in jobs.lines(kind, 2, CODE, tmp_path / "found", SCRATCH=str(tmp_path / "scratch"))]
    monkeypatch.chdir(tmp_path / "here")
    alone = digests.report(THEMES, LEFT_OUT)
    assert len(ours) == 2
    assert len(alone) > 100
    assert digests.failures(alone) == {}
    for found in ours:
        assert {case: entry for case, entry in found.items() if entry != alone[case]} == {}


DRAWN = """
import nest
a, b = nest.Create("iaf_psc_alpha", 7), nest.Create("iaf_psc_alpha")
nest.Connect(a, a, {"rule": "fixed_indegree", "indegree": 3})
nest.Connect(a, b)
nest.GetConnections(a, a).weight = nest.random.normal(5.0, 1.0)
nest.GetConnections(a, b).weight = nest.random.uniform(1.0, 2.0)  # one of the ranks has none of them
nest.Connect(a, a, {"rule": "fixed_indegree", "indegree": 2}, {"weight": nest.random.uniform(1.0, 2.0)})
product = nest.random.uniform(1.0, 2.0) * nest.random.normal()
for rule in ({"rule": "fixed_outdegree", "outdegree": 2}, {"rule": "fixed_indegree", "indegree": 2}, "one_to_one"):
    nest.Connect(a, a, rule, {"weight": product, "delay": 1.0 + nest.random.uniform() ** 2})
nest.Connect(a, b, "all_to_all", {"weight": product, "delay": nest.random.uniform(1.0, 2.0)})
found = nest.GetConnections()
rows = [list(row) for row in zip(found.source, found.target, found.weight, found.delay)]
"""


def test_values_drawn_for_connections_that_exist(tmp_path):
    kind = jobs.any_kind()
    code = "from neuropil.nest_alias import install\ninstall()\n" + DRAWN + "import json\nline = json.dumps(rows)\n"
    (tmp_path / "1").mkdir(), (tmp_path / "2").mkdir()
    alone, both = ([json.loads(line) for line in jobs.lines(kind, n, code, tmp_path / str(n))] for n in (1, 2))
    assert len(alone[0]) == 7 * 3 + 7 + 7 * 2 + 7 * 5 + 7
    assert sorted(alone[0]) == sorted(both[0] + both[1])


EDITED = """
import nest
cells = nest.Create("iaf_psc_exp", 12, {"I_e": 420.0})
plastic = {"synapse_model": "stdp_synapse_lbl", "weight": 40.0, "delay": 1.5, "synapse_label": 1}
nest.Connect(cells, cells, {"rule": "fixed_indegree", "indegree": 6}, plastic)
nest.Connect(cells, cells, {"rule": "fixed_indegree", "indegree": 3}, {"weight": 25.0, "delay": 1.0})
nest.Connect(cells[1], cells[0], syn_spec={**plastic, "weight": -10.0, "Wmax": -20.0})
nest.Simulate(50.0)
model = {"synapse_model": "stdp_synapse_lbl"}
every = nest.GetConnections()

def rows():
    keys = ("source", "target", "weight", "delay", "synapse_model", "synapse_label", "lambda")
    return [list(row) for row in zip(*(every.get(key) for key in keys))]

nest.GetConnections(cells[:4], **model).set({"lambda": 0.05, "synapse_label": 7})
nest.GetConnections(cells[4:8]).delay = 1.2
nest.GetConnections(cells[8:], synapse_model="static_synapse").weight = -30.0
nest.GetConnections(cells[2], cells[:6]).disconnect()
listed = nest.GetConnections(cells[9:])  # lists are for the connections of a rank
listed.set([{"weight": 0.1 * s + t} if t % 3 else {"delay": 1.4} for s, t in zip(listed.sources(), listed.targets())])
every = nest.GetConnections()
refused, before = 0, rows()
for given in [{"weight": 5.0, "alpha": 1.5}, {"weight": 5.0}, {"delay": 1.2, "mu_plus": -1.0}, {"delay": 9.0}, {"alpha": float("nan")}]:
    try:
        nest.GetConnections(**model).set(given)
    except Exception:
        refused += rows() == before
nest.Simulate(50.0)
found = rows()
"""


def test_edits_in_the_middle_of_a_run(tmp_path):
    """The same on one rank and on two; a value that only the rank with cells[0] can refuse is refused by all, and nothing has changed anywhere."""
    kind = jobs.any_kind()
    code = "from neuropil.nest_alias import install\ninstall()\n" + EDITED + "import json\nline = json.dumps([refused, found])\n"
    (tmp_path / "1").mkdir(), (tmp_path / "2").mkdir()
    alone, both = ([json.loads(line) for line in jobs.lines(kind, n, code, tmp_path / str(n))] for n in (1, 2))
    assert [refused for refused, _ in alone + both] == [5, 5, 5]
    assert sorted(alone[0][1]) == sorted(both[0][1] + both[1][1])


LISTED = """
import nest
cells = nest.Create("iaf_psc_exp", 7, {"I_e": 420.0})
nest.Connect(cells, cells[:4], "all_to_all", {"synapse_model": "stdp_synapse", "weight": 40.0, "delay": 1.5})
nest.Connect(cells, cells, {"rule": "fixed_indegree", "indegree": 3}, {"weight": 25.0, "delay": 1.0})
nest.Connect(nest.Create("poisson_generator"), cells)

def rows():
    found = nest.GetConnections()
    return [list(row) for row in zip(*(found.get(key) for key in ("source", "target", "weight", "delay", "lambda")))]

def numbers(found):
    return [0.1 * s + 0.01 * t for s, t in zip(found.sources(), found.targets())]

one, model = cells[:1], {"synapse_model": "stdp_synapse"}  # of one target: the other ranks hold none of its connections
nest.GetConnections().weight = numbers(nest.GetConnections())
nest.GetConnections(target=one).weight = numbers(nest.GetConnections(target=one))
nest.SetStatus(nest.GetConnections(target=one, **model), "delay", [2.0] * len(nest.GetConnections(target=one, **model)))
plastic = nest.GetConnections(target=cells[2:], **model)
plastic.set([{"lambda": x} if t == 3 else {"weight": x, "delay": 1.2} for x, t in zip(numbers(plastic), plastic.targets())])
some = nest.GetConnections(cells)  # the keys of rank 0 are not those of others
some.set([{"weight": 3.0} if t == 4 else {} for t in some.targets()])
own, refused, before = nest.GetConnections(cells[:2], one, **model), 0, rows()  # on one rank
for given in [{"weight": [1.0] * (len(own) + (len(own) > 0))}, [{"wait": 1.0}] * len(own), [{"weight": "x"}] * len(own), [{"delay": 0.0}] * len(own)]:
    try:
        own.set(given)
    except Exception:
        refused += rows() == before
if nest.NumProcesses() == 1:
    own.weight = nest.random.uniform(1.0, 2.0)
own.weight = [5.0] * len(own) if own else nest.random.uniform(1.0, 2.0)  # later draws have the same numbers on all ranks
nest.GetConnections(cells, cells).weight = nest.random.uniform(1.0, 2.0)
nest.Simulate(20.0)
"""


@pytest.mark.slow
@pytest.mark.parametrize("ranks", [2, 3])
def test_lists_of_values_are_for_the_connections_of_a_rank(tmp_path, ranks):
    kind = jobs.any_kind()
    code = "from neuropil.nest_alias import install\ninstall()\n" + LISTED + "import json\nline = json.dumps([refused, rows()])\n"
    (tmp_path / "1").mkdir(), (tmp_path / "n").mkdir()
    alone, found = ([json.loads(line) for line in jobs.lines(kind, n, code, tmp_path / d)] for n, d in ((1, "1"), (ranks, "n")))
    assert [refused for refused, _ in alone + found] == [4] * (1 + ranks)
    assert len(alone[0][1]) == 7 * 4 + 7 * 3 + 7
    assert sorted(alone[0][1], key=repr) == sorted((row for _, rows in found for row in rows), key=repr)


LENT = """
from neuropil.errors import RankError
from tests.nest.corpus.cases import editing
import nest
model, receptor, weight, recorded = "iaf_tum_2000", 1, 50.0, "I_syn_ex"
found = editing.lent(nest, model, receptor, weight, {"x": 0.9}, [{"U": 0.3}, {"U": [0.2, 0.4, 0.6]}, {"tau_rec": 100.0}], recorded)
try:
    nest.NodeCollection([2, 3]).set(tau_psc=100.0)
except (nest.NESTErrors.BadProperty, RankError):  # the latter on ranks that have none of the connections
    rows = [found.values.tolist(), [nest.NodeCollection([k]).tau_psc for k in (2, 3)]]
"""


def test_parameters_that_connections_have_from_their_source(tmp_path):
    kind = jobs.any_kind()
    path = f"import sys\nsys.path[:0] = [{str(jobs.ROOT)!r}, {str(jobs.ROOT / 'tests')!r}]\n"
    code = path + "from neuropil.nest_alias import install\ninstall()\n" + LENT + "import json\nline = json.dumps(rows)\n"
    found = []
    for n in (1, 3):
        (tmp_path / str(n)).mkdir()
        found += jobs.lines(kind, n, code, tmp_path / str(n))
    assert len(found) == 4
    assert len(set(found)) == 1
    trace, tau_psc = json.loads(found[0])
    assert max(trace) > 0.0
    assert tau_psc == [2.0, 2.0]
