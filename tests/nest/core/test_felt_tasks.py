# SPDX-License-Identifier: Apache-2.0
"""The scripts of `./run bench felt` do what they say, in small."""

import pytest
from bench import felt as section
from bench.peers import felt

import neuropil.nest as nest

SMALL = {
    "reset": (2, 0),
    "reset_aeif": (2, 0),
    "calls": (3, None),
    "singles": (9, 9),
    "blocks": (9, 900),
    "count_kernel": (3, 4500),
    "count_pairs": (3, 500),
    "count_model": (3, 4500),
    "asked": (7, 5),
    "all_keys": (2, 261),
    "spatial": (2, None),
    "ascii": (4000, 3800),
    "edits": (7, 28),
    "edits_status": (5, 15),
    "spins": (50, 401),
} | dict.fromkeys(felt.MODELS, (1000, 900))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("task", felt.TASKS)
def test_task(task):
    n, expected = SMALL[task]
    nest.ResetKernel()
    found = felt.measured(nest, felt.TASKS[task][0], n)
    assert expected is None or found["check"] == expected
    nest.ResetKernel()


def test_every_task_is_in_the_section():
    assert section.TITLES.keys() == felt.TASKS.keys()
