# SPDX-License-Identifier: Apache-2.0
"""Whole scripts: `python -m neuropil.nest`, `neuropil nest-compat`, on several ranks."""

import subprocess
import sys
from pathlib import Path

import pytest

from mpi import jobs
from neuropil.cli import nest_scripts

SCRIPT = """
import sys
from pathlib import Path
import nest
import nest.random
from nest import raster_plot
from nest.lib.hl_api_connections import Connect
import numpy as np

nest.set(rng_seed=5, verbosity=100)
cells = nest.Create("iaf_psc_alpha", 40, {"V_m": nest.random.normal(-65.0, 3.0), "I_e": nest.random.uniform(200.0, 500.0)})
noise, recorder = nest.Create("poisson_generator", params={"rate": 8000.0}), nest.Create("spike_recorder")
meter = nest.Create("multimeter", params={"record_from": ["V_m"], "interval": 5.0})
Connect(noise, cells, syn_spec={"weight": nest.random.uniform(20.0, 40.0)})
nest.Connect(cells, cells, {"rule": "fixed_indegree", "indegree": 5}, {"weight": nest.random.uniform(10.0, 30.0), "delay": nest.random.uniform(1.0, 2.0)})
nest.Connect(cells, cells, {"rule": "pairwise_bernoulli", "p": 0.1}, {"weight": nest.random.exponential() * nest.random.uniform(1.0, 2.0)})
nest.Connect(cells, cells, {"rule": "symmetric_pairwise_bernoulli", "p": 0.1, "allow_autapses": False, "make_symmetric": True})
nest.Connect(cells, cells, {"rule": "fixed_indegree", "indegree": 1 + nest.random.uniform_int(4)}, {"synapse_model": "stdp_synapse", "weight": 5.0})
nest.Connect(cells, cells, {"rule": "fixed_outdegree", "outdegree": 1 + nest.random.uniform_int(4)})
nest.Connect(cells, cells, {"rule": "pairwise_poisson", "pairwise_avg_num_conns": 0.2})
nest.TripartiteConnect(cells, cells, cells[:10], {"rule": "pairwise_bernoulli", "p": 0.2}, {"rule": "third_factor_bernoulli_with_pool", "p": 0.5, "pool_size": 2})
nest.Connect([1, 1, 5], [3, 4, 4], "one_to_one", {"weight": [1.0, 2.0, 3.0], "delay": [1.0, 1.0, 2.0]})
nest.Connect(cells, recorder)
nest.Connect(meter, cells[:3])
nest.Simulate(50.0)
mine = nest.GetConnections(cells, cells, "static_synapse")
mine.weight = 1.5
nest.Simulate(50.0)
assert set(mine.get("weight")) == {1.5}
events = recorder.events
sums = [float(x) for x in (events["times"].sum(), (events["senders"] * events["times"]).sum(), meter.events["V_m"].sum())]
Path(f"rank{nest.Rank()}").write_text(f"{len(events['times'])} {sums} {nest.num_connections} {sys.argv[1:]}")
"""


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "script.py"
    path.write_text(SCRIPT)
    return path


def command(script):
    return [sys.executable, "-m", "neuropil.nest", str(script), "one", "two"]


def results(done, folder):
    """What each rank wrote."""
    assert done.returncode == 0, done.stdout + done.stderr
    return [path.read_text() for path in sorted(folder.glob("rank*"))]


def test_a_script_runs_as_it_is(script):
    (line,) = results(subprocess.run(command(script), capture_output=True, text=True, timeout=120, cwd=script.parent), script.parent)
    assert line.endswith("['one', 'two']")
    assert int(line.split()[0]) > 100


@pytest.mark.parametrize("ranks", [2, 3])
def test_ranks_change_nothing(script, ranks, monkeypatch):
    """Law 1: every rank gets what one rank alone gets."""
    jobs.need("ompi")
    monkeypatch.chdir(script.parent)
    (alone,) = results(subprocess.run(command(script), capture_output=True, text=True, timeout=120), script.parent)
    assert results(jobs.run("ompi", ranks, command(script)), script.parent) == [alone] * ranks


def test_a_failing_script_fails(tmp_path):
    script = tmp_path / "fails.py"
    script.write_text("import nest\nnest.Create('no_such_model')\n")
    done = subprocess.run([sys.executable, "-m", "neuropil.nest", str(script)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert "UnknownModelName: no_such_model" in done.stderr


def test_usage():
    done = subprocess.run([sys.executable, "-m", "neuropil.nest"], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr[:5]) == (2, "usage")


# --- nest-compat

ASKED = """
import nest as simulator
from nest import Create, Simulate as go
model = "iaf_psc_exp"
params = {"C_m": 200.0, "no_such": 1.0}
cells = Create(model, 10, params)
odd = simulator.Create("music_event_out_proxy")
simulator.CopyModel("stdp_synapse", "mine", {"lambda": 0.1, "tau_minus": 10.0})
simulator.Connect(cells, cells, {"rule": "fixed_indegree", "indegree": 5}, {"synapse_model": "mine", "weight": 3.0})
simulator.Connect(cells, cells, "no_such_rule", "no_such_synapse")
simulator.Disconnect(cells, cells)
simulator.resolution = 0.2
simulator.no_such_function()
go(10.0)
"""


def test_what_a_script_uses():
    found = {(f.kind, f.name): f for f in nest_scripts.read(ASKED)}
    missing = {name for (_, name), finding in found.items() if finding.why}
    assert missing == {
        "iaf_psc_exp.no_such",
        "music_event_out_proxy",
        "stdp_synapse.tau_minus",
        "no_such_rule",
        "no_such_synapse",
        "no_such_function",
    }
    there = {name for (_, name), finding in found.items() if not finding.why}
    assert there >= {
        "Create",
        "Simulate",
        "iaf_psc_exp",
        "iaf_psc_exp.C_m",
        "stdp_synapse",
        "stdp_synapse.weight",
        "fixed_indegree",
        "resolution",
        "CopyModel",
    }
    assert found["node model", "music_event_out_proxy"].lines == [7]


def test_report_of_a_script():
    shown = list(nest_scripts.report(nest_scripts.read(ASKED)))
    assert shown[0] == "not supported: 6"
    assert any("music_event_out_proxy" in line for line in shown)


def compat(*arguments):
    command = [str(Path(sys.executable).parent / "neuropil"), "nest-compat", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


def test_the_command(tmp_path):
    path = tmp_path / "asked.py"
    path.write_text("import nest\nnest.SetMaxBuffered('x', 1)\n")
    done = compat(path)
    assert done.returncode == 1
    assert "MUSIC" in done.stdout
    path.write_text("import nest\nnest.Create('iaf_psc_exp')\n")
    assert compat(path).returncode == 0
    assert compat().returncode == 2


def test_the_table_names_every_model():
    text = compat("--table").stdout
    listed = (*nest_scripts.NODE_MODELS, *nest_scripts.SYNAPSE_MODELS, *nest_scripts.OF_NEST)
    assert not [name for name in listed if f"`{name}`" not in text and not name.endswith(("_hpc", "_lbl"))]
    page = Path(__file__).resolve().parents[3] / "docs" / "howto" / "nest_tables.md"
    assert page.read_text().strip() == text.strip(), "write the page again: neuropil nest-compat --table > docs/howto/nest_tables.md"
