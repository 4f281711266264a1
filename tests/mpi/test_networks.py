# SPDX-License-Identifier: Apache-2.0
"""Whole networks under mpiexec: one result (law 1), and errors and signals that end the job instead of leaving ranks waiting."""

import contextlib
import importlib
import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from invariance.mixed_network import hash_of
from invariance.test_levels import areas_network
from lowlevel import digest_of
from mpi import jobs
from neuropil import _core
from neuropil.parallel import launch
from sonata.test_links import network, results

TESTS = jobs.ROOT / "tests"

HASHES = f"""
import json, os, pathlib, sys
sys.path.insert(0, {str(TESTS)!r})
import neuropil
from invariance.mixed_network import hash_of
world = neuropil.parallel.ranks.world()
line = json.dumps([hash_of(comm=world, **settings) for settings in json.loads(os.environ["SETTINGS"])] + [world.rank, world.size])
"""


def strategies(*names, **settings):
    return [{"exchange": {"strategy": name}, **settings} for name in names]


CONFIGURATIONS = {
    1: strategies("alltoallv"),
    2: [*strategies(*sorted(_core.strategies())), {"threads": 2, "exchange": {"strategy": "alltoallv", "halves": True}}],
    3: [*strategies("auto", distribution="shuffled"), *strategies("allgather", distribution="consecutive")],
    4: [
        *strategies("alltoallv", "nbx", "shared"),
        *strategies("nbx", distribution="by_area", areas=[["A", 2.0], ["B", 1.0]]),
        {"exchange": {"strategy": "persistent", "regime": "sparse", "halves": True}},
    ],
}


@pytest.fixture(scope="module")
def expected():
    return hash_of()


@pytest.mark.parametrize("ranks", CONFIGURATIONS)
def test_one_result(kind, expected, ranks, tmp_path):
    found = jobs.lines(kind, ranks, HASHES, tmp_path, SETTINGS=json.dumps(CONFIGURATIONS[ranks]))
    hashes = [expected] * len(CONFIGURATIONS[ranks])
    assert [json.loads(line) for line in found] == [[*hashes, rank, ranks] for rank in range(ranks)]


STIMULATORS = f"""
import json, os, sys
sys.path.insert(0, {str(TESTS)!r})
import neuropil
from sonata.test_links import listed_edges, load, results
world = neuropil.parallel.ranks.world()
net = load(os.environ["SONATA"], world)
line = json.dumps([world.rank, listed_edges(net), *results(net)])
"""


@pytest.mark.slow
@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_stimulators_of_sonata_files(kind, ranks, tmp_path):
    """Each rank lists a part of the 117 edges."""
    net = network()
    path, expected = net.to_sonata(tmp_path / "net"), results(net)
    (tmp_path / "lines").mkdir()
    found = [json.loads(line) for line in jobs.lines(kind, ranks, STIMULATORS, tmp_path / "lines", SONATA=str(path))]
    assert [rank for rank, *_ in found] == [*range(ranks)]
    assert sum(n for _, n, *_ in found) == 117
    assert max(n for _, n, *_ in found) < 117 or ranks == 1
    assert all(digests == [*expected] for _, _, *digests in found)


LEVELS = f"""
import json, os, pathlib, sys
sys.path.insert(0, {str(TESTS)!r})
import neuropil
from invariance.test_levels import areas_network
rows = []
for strategy, local in json.loads(os.environ["EXCHANGES"]):
    threads = 2 if strategy == "alltoallv" else 1  # cores are few
    found, counters, window = areas_network(shares=(2, 1, 1), threads=threads, exchange=neuropil.exchange(strategy, local=local))
    rows.append([strategy, local, found, counters["exchanges"], counters["local_exchanges"] > 0, window, neuropil.rank()])
line = json.dumps(rows)
"""
EXCHANGES = [("alltoallv", "neighbor"), ("nbx", "allgather"), ("shared", "persistent"), ("auto", "")]


def test_areas_exchange_on_two_levels(kind, tmp_path):
    """Runs of 20, 3.3 and 16.7 ms in windows of 5 ms, the second one ending inside a window; parts of the world of MPI have exchanges of their own."""
    found = jobs.lines(kind, 4, LEVELS, tmp_path, EXCHANGES=json.dumps(EXCHANGES))
    alone = areas_network()[0]
    for rank, line in enumerate(found):
        assert json.loads(line) == [[*exchange, alone, 9, True, 50, rank] for exchange in EXCHANGES]


PROGRAMS = ["test_continuous Rates", "test_continuous Gaps", "test_continuous Glia", "test_growth Grown"]


def program(words):
    """A class of tests/invariance by module and name."""
    module, name = words.split()
    return getattr(importlib.import_module(f"invariance.{module}"), name)


def digests(ranks, **settings):
    """By program. On three ranks, for which there may be no cores, they run until a little after their first changes."""
    made = {words: program(words)(**settings) for words in PROGRAMS}
    until = {words: one.steps if ranks < 3 else one.changes[:2][-1] + 40 for words, one in made.items()}
    return {words: digest_of(one.run(until=until[words]).results()) for words, one in made.items()}


RUN_PROGRAMS = f"""
import json, os, pathlib, sys
sys.path.insert(0, {str(TESTS)!r})
import neuropil
from mpi.test_networks import digests
world = neuropil.parallel.ranks.world()
line = json.dumps(digests(world.size, comm=world, threads=2 if world.size == 2 else 1, block_size=16))
"""


@pytest.mark.parametrize("ranks", [2, 3])
def test_programs(kind, ranks, tmp_path):
    """What ranks tell each other beside spikes."""
    assert [json.loads(line) for line in jobs.lines(kind, ranks, RUN_PROGRAMS, tmp_path)] == [digests(ranks)] * ranks


OWN = """
import json, neuropil
net = neuropil.Network(0.1, seed=3, threads=1)
cells = net.create("iaf_psc_exp", 20, I_e=450.0)
weights = net.record_weights()
net.connect(cells, cells, neuropil.fixed_indegree(3), weight=30.0, delay=1.0, weight_recorder=weights)
spikes, trace = net.record(cells), net.record(cells, "V_m")
net.run(50.0)
if net.rank == 1:  # were these collective, the other ranks would be in another call
    for each in (spikes, trace, weights):
        len(each.view(gather=False))
    net.connections(gather=False).weight
own = [spikes.view(gather=False), weights.view(gather=False), net.connections(gather=False)]
nodes = trace.view(gather=False).nodes
assert (net.ranks_of(nodes) == net.rank).all()
line = json.dumps([[*map(len, own), len(nodes)], [len(spikes), len(weights), len(net.connections()), len(cells)]])
"""


def test_own_parts_make_the_whole(kind, tmp_path):
    found = [json.loads(line) for line in jobs.lines(kind, 3, OWN, tmp_path)]
    assert [sum(column) for column in zip(*(own for own, _ in found), strict=True)] == found[0][1]
    assert all(min(own) > 0 for own, _ in found)


COLLECTED = """
import gc, json, neuropil


def made():
    net = neuropil.Network(0.1, seed=3, exchange="shared")
    cells = net.create("iaf_psc_exp", 20, I_e=450.0)
    net.connect(cells, cells, neuropil.fixed_indegree(3), weight=30.0, delay=1.0)
    net.run(20.0)
    return net


nets = [made()]
for _ in range(5):
    if neuropil.rank() == 1:
        nets.clear()
        gc.collect()
    nets.append(made())
line = json.dumps(nets[-1].counters["spikes"])
"""


def test_a_rank_ends_the_use_of_a_network_when_it_likes(kind, tmp_path):
    """As Python's collection of garbage does; the other ranks are in a message then, and must not be waited for."""
    found = jobs.lines(kind, 2, COLLECTED, tmp_path)
    assert len(found) == 2


def test_the_example_of_the_howto(kind):
    """Says the same on both ranks, and nothing else, also not at the end of the process."""
    text = (jobs.ROOT / "docs" / "howto" / "mpi.md").read_text()
    code = text.split("```python\n")[1].split("```")[0]
    done = jobs.run(kind, 2, jobs.python(code))
    assert done.returncode == 0, done.stderr
    assert "leaked" not in done.stdout + done.stderr
    said = done.stdout.replace("rank 0 of 2", "").replace("rank 1 of 2", "").split(": ")
    assert len({word.split()[0] for word in said if "spikes" in word}) == 1


# --- errors

NETWORK = """
import neuropil, os, pathlib, sys
me = neuropil.rank()

def tell(error):
    pathlib.Path(os.environ["FOLDER"], str(me)).write_text(f"{type(error).__name__}: {error}")

def described():
    net = neuropil.Network(threads=1)
    cells = net.create("iaf_psc_exp", 10, I_e=500.0)
    net.connect(cells, cells, weight=1.0, delay=0.5)
    return net, cells
"""


def ends(kind, ranks, code, folder):
    """What the ranks told, by rank, and the job, which has ended with a code that tells of an error."""
    done = jobs.run(kind, ranks, jobs.python(NETWORK + code), FOLDER=str(folder))
    assert done.returncode != 0, done.stdout + done.stderr
    return {int(path.name): path.read_text() for path in folder.iterdir()}, done.stderr


FAILING = {
    "create": "net.create('iaf_psc_exp', 5, tau_m=-1.0 if me == 1 else 10.0)",
    "connect": "net.connect(cells, cells, delay=-1.0 if me == 1 else 1.0)",
    "run": "net.run(-1.0 if me == 1 else 5.0)",
    "set": "cells.set(tau_m=-1.0 if me == 1 else 10.0)",
}


@pytest.mark.parametrize("name", FAILING)
def test_a_call_that_fails_on_one_rank_ends_the_job(kind, name, tmp_path):
    _, text = ends(kind, 3, f"net, cells = described()\n{FAILING[name]}\nnet.run(5.0)\nprint('went on', flush=True)", tmp_path)
    assert "BadParameter" in text or "BadDelay" in text
    assert "rank 1 of 3" in text


@pytest.mark.parametrize("name", ["create", "connect", "set"])
def test_a_call_that_fails_on_one_rank_is_refused_on_all(kind, name, tmp_path):
    """The network is unchanged on all of them, and goes on."""
    code = f"""
net, cells = described()
try:
    {FAILING[name]}
except neuropil.errors.NeuropilError as error:
    tell(error)
    net.run(5.0)
    raise
"""
    told, _ = ends(kind, 3, code, tmp_path)
    assert len(told) == 3
    assert told[1].startswith(("BadParameter", "BadDelay"))
    assert "rank 1" in told[0]
    assert told[0].startswith("RankError")


@pytest.mark.parametrize("what", ["net, cells = described()", "pass"])
def test_a_rank_that_returns_early_is_told_of(kind, what, tmp_path):
    """With a network of its own and without one: `if neuropil.rank() == 0:` around a simulation."""
    code = f"""
if me == 1:
    {what}
    sys.exit(0)
try:
    net, cells = described()  # connect is collective
    net.run(5.0)
except neuropil.errors.RankError as error:
    tell(error)
    raise
"""
    told, text = ends(kind, 2, code, tmp_path)
    assert told[0].startswith("RankError")
    assert "has ended" in told[0]
    assert "rank 0 of 2" in text


def test_an_exit_code_of_one_rank_ends_a_run_of_the_others(kind, tmp_path):
    _, text = ends(kind, 2, "net, cells = described()\nif me == 1: sys.exit(3)\nimport signal; signal.pause()", tmp_path)
    assert "exit code 3" in text


def test_an_interrupt_ends_a_run(kind, tmp_path):
    code = NETWORK + "net, cells = described()\nnet.run(1e8, progress=lambda *_: pathlib.Path(os.environ['FOLDER'], str(me)).touch())"
    line, environment = jobs.command(kind, 3, jobs.python(code))
    with subprocess.Popen(
        line,
        env=environment | {"FOLDER": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as job:
        try:
            while len(list(tmp_path.iterdir())) < 3 and job.poll() is None:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    job.wait(0.05)
            job.send_signal(signal.SIGINT)
            out, _ = job.communicate(timeout=jobs.NO_HANG)
        finally:
            if job.poll() is None:
                job.kill()
    assert job.returncode != 0, out


# --- jobs

SMALL = ("--scale", "0.02", "--k-scale", "0.1", "--duration", "50", "--warmup", "10", "--threads", "1")


def spike_hash(folder, *options):
    environment = launch.environment("ompi", jobs.clean_environment())
    command = [str(Path(sys.executable).parent / "neuropil"), "job", "microcircuit", *SMALL, "--output", str(folder), *options]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=jobs.LIMIT)
    assert done.returncode == 0, done.stdout + done.stderr
    assert ("imbalance over 2 ranks (max / mean): neurons 1." in done.stdout) == ("--ranks" in options)
    result = json.loads((folder / "result.json").read_text())
    return result["spike_hash"]


def test_a_job_on_ranks(tmp_path):
    jobs.own_kind()
    alone = spike_hash(tmp_path / "1")
    assert spike_hash(tmp_path / "2", "--ranks", "2") == alone
    assert spike_hash(tmp_path / "3", "--ranks", "2", "--exchange", "nbx", "--distribution", "shuffled") == alone


INTERRUPTED = """
net, cells = described()
net.build()
signal.signal(signal.SIGINT, signal.default_int_handler)
def press(phase, done, total):
    if me == 1:
        os.kill(os.getpid(), signal.SIGINT)
try:
    net.run(1e8, progress=press)
except (KeyboardInterrupt, neuropil.errors.RankError) as error:
    stopped = net.time
    net.run(1.0)  # goes on, on all ranks
    line = json.dumps([me, type(error).__name__, str(error), stopped, net.time - stopped])
"""


def test_an_interrupt_of_one_rank_stops_all_at_the_same_step(kind, tmp_path):
    found = [json.loads(line) for line in jobs.lines(kind, 3, "import json, signal\n" + NETWORK + INTERRUPTED, tmp_path)]
    assert [line[:2] for line in found] == [[0, "RankError"], [1, "KeyboardInterrupt"], [2, "RankError"]]
    assert all("rank 1 has stopped the run" in line[2] for line in (found[0], found[2]))
    assert len({line[3] for line in found}) == 1
    assert found[0][3] > 0
    assert all(abs(line[4] - 1.0) < 1e-9 for line in found)


DIVERGED = """
net, cells = described()
odd = net.create("iaf_cond_exp", 9)
net.run(1.0)
odd[[4, 7]].I_e = -1e12
try:
    net.run(1e8)
except neuropil.errors.NumericalInstability as error:
    line = json.dumps([me, str(error), error.gid, error.time])
"""


def test_a_diverged_neuron_ends_the_run_on_all_ranks(kind, tmp_path):
    found = [json.loads(line) for line in jobs.lines(kind, 3, "import json\n" + NETWORK + DIVERGED, tmp_path)]
    assert [line[0] for line in found] == [0, 1, 2]
    assert {(line[1], line[2], line[3]) for line in found} == {(found[0][1], 15, 2.0)}


def test_memory_that_runs_out_on_one_rank_ends_the_job(kind, tmp_path):
    """Rank 1 may take 40 MB more than it has: it fails in a table, a route or a step, wherever that is."""
    code = """
import resource
net = neuropil.Network(threads=1, force=True)
cells = net.create("iaf_psc_exp", 20000, I_e=500.0)
net.connect(cells, cells, neuropil.fixed_indegree(2000), weight=neuropil.normal(1.0, 0.1), delay=neuropil.uniform(0.5, 5.0))
if me == 1:
    used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + 40_000_000, used + 40_000_000))
net.run(20.0)
"""
    _, text = ends(kind, 2, code, tmp_path)
    assert "memory" in text or "bad_alloc" in text or "MemoryError" in text, text
