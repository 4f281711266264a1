# SPDX-License-Identifier: Apache-2.0
"""Law 1: spikes, traces, weights and connections are the same bits, however the work is dealt out."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import simd_levels
from invariance.mixed_network import STEPS, Mixed, hash_of
from neuropil import _core
from pairwise import matrix


@pytest.fixture(scope="module")
def expected():
    return hash_of()


@pytest.fixture
def restored_simd():
    before = _core.simd()
    yield
    _core.set_simd(before)


def test_the_network_is_worth_testing():
    """Every population spikes, weights of both rules change, and no input saturates."""
    mixed = Mixed()
    mixed.net.build(None)
    before = mixed.net.connections(None, None, "")
    mixed.run()
    stamps, senders = mixed.net.spikes(mixed.spike_records[0])[:2]
    for key, (first, n) in mixed.nodes.items():
        if key not in ("poisson", "dc", "noise", "steps", "late", "late dc"):
            assert ((senders >= first) & (senders < first + n)).any(), key
    assert 5000 < len(stamps) < 100_000
    for synapse in ("stdp_synapse", "stdp_pl_synapse_hom"):
        after = mixed.net.connections(None, None, synapse)
        kind = [s["name"] for s in _core.synapses()].index(synapse)
        old = before["weight"][before["synapse"] == kind]
        assert (after["weight"][: len(old)] != old).mean() > 0.5
        assert after["weight"].std() > 0
    assert mixed.net.connection_count() > 9000


@matrix(
    "threads, block_size, layout, level",
    (1, 2, 3, 4),
    (0, 7, 64, 1000),
    ("auto", "runs", "words", "sorted_auto", "counted_auto"),
    simd_levels.LEVELS,
)
def test_threads_block_sizes_layouts_and_simd(expected, restored_simd, threads, block_size, layout, level):
    simd_levels.use(level)
    assert hash_of(threads=threads, block_size=block_size, layout=layout) == expected


@pytest.mark.parametrize("level", simd_levels.LEVELS)
def test_simd_level_by_environment(expected, restored_simd, level):
    simd_levels.use(level)
    program = (
        "from invariance.mixed_network import hash_of; from neuropil import _core; print(_core.simd(), hash_of(threads=2, layout='words'))"
    )
    path = os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    out = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"NEUROPIL_SIMD": level, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    assert out.stdout.split() == [level, expected]


@pytest.mark.parametrize("pieces", [(1,) * STEPS, (2,) * (STEPS // 2), (100, 33, 34, 33), (STEPS - 1,)])
@pytest.mark.parametrize("threads", [1, 2])
def test_runs_in_pieces(expected, pieces, threads):
    assert hash_of(pieces, threads=threads, block_size=100) == expected


def test_runs_that_are_stopped_and_go_on():
    """A poll that raises ends the run after the interval; what follows is as if nothing had happened."""

    def poll(phase, done, total):
        raise KeyboardInterrupt

    stopped, whole = Mixed(threads=2), Mixed()
    for _ in range(3):
        with pytest.raises(KeyboardInterrupt):
            stopped.net.run(10**8, poll)
    stopped.net.run(50, None)
    whole.net.run(stopped.net.step, None)
    assert stopped.hash() == whole.hash()


@pytest.mark.parametrize(("threads", "block_size", "layout"), [(1, 0, "auto"), (3, 7, "words"), (2, 64, "runs")])
def test_double_weights_have_a_result_of_their_own(expected, threads, block_size, layout):
    doubles = hash_of(doubles=True)
    assert doubles != expected
    assert hash_of(doubles=True, threads=threads, block_size=block_size, layout=layout) == doubles


def test_the_hash_sees_the_seed(expected):
    assert hash_of(seed=13) != expected
