# SPDX-License-Identifier: Apache-2.0
"""Own models on several ranks: one compiles, all load; ranks that have different sources are refused."""

from mpi import jobs
from own_models.test_loading import leak

PROGRAM = """
import neuropil as npl
from neuropil.own_models.loading import load_source
rank = npl.rank()
model = load_source({text!r} + ("// rank %d" % rank) * {different}, "leak.cpp")
net = npl.Network(seed=1)
try:
    neurons = net.create(model, 10, V_m=npl.uniform(0.0, 1.0))
    net.run(2.0)
    print(rank, "potential", sum(neurons.V_m))
except npl.NeuropilError as error:
    print(rank, type(error).__name__)
"""


def shown(kind: str, ranks: int, different: bool) -> set[str]:
    program = jobs.python(PROGRAM.format(text=leak("own_on_ranks"), different=different))
    done = jobs.run(kind, ranks, program)
    assert done.returncode == 0, done.stderr
    return {line.partition(" ")[2] for line in done.stdout.splitlines()}


def test_the_same_on_any_number_of_ranks(kind):
    assert len(shown(kind, 1, False) | shown(kind, 3, False)) == 1


def test_different_sources_are_refused(kind):
    assert shown(kind, 2, True) == {"RankError"}
