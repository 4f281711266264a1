# SPDX-License-Identifier: Apache-2.0
"""Law 1 in space: the same connections and spikes on any number of ranks."""

import json

import pytest
from tests.nest.spatial import space

from mpi import jobs

CODE = f"""
import sys
sys.path[:0] = [{str(jobs.ROOT)!r}, {str(jobs.ROOT / "tests")!r}]
import json
from tests.nest.spatial import space
line = json.dumps(space.connections())
"""


@pytest.mark.parametrize("ranks", [2, 3])
def test_ranks_change_nothing(ranks, tmp_path):
    kind = jobs.any_kind()
    parts = [json.loads(line) for line in jobs.lines(kind, ranks, CODE, tmp_path)]
    edges, spikes = json.loads(json.dumps(space.connections()))
    assert len(edges) > 5000
    assert sorted(edge for part, _ in parts for edge in part) == edges
    assert len(spikes) > 100
    assert all(found == spikes for _, found in parts)
