# SPDX-License-Identifier: Apache-2.0
"""docs/coming_from/nest.md: its three programs are one network. That of NEST runs where NEST is installed."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

PAGE = (Path(__file__).resolve().parents[2] / "docs/coming_from/nest.md").read_text()
NEST, OWN, SAME = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
SEEDS = range(1, 7)


def test_one_line_differs():
    first, *rest = SAME.splitlines()
    assert first.startswith("import neuropil.nest as nest")
    assert ["import nest", *rest] == NEST.splitlines()


def own(program: str, **names) -> dict:
    scope: dict = dict(names)
    exec(compile(program, "nest.md", "exec"), scope)
    return scope


@pytest.mark.parametrize("threads", [1, 2])
def test_both_programs_on_neuropil_give_the_same_spikes(threads):
    spikes = own(OWN.replace("threads=2", f"threads={threads}"))["spikes"]
    events = own(SAME.replace("local_num_threads=2", f"local_num_threads={threads}"))["recorder"].events
    order, other = np.lexsort((spikes.gids, spikes.times)), np.lexsort((events["senders"], events["times"]))
    assert len(order) > 1000
    np.testing.assert_array_equal(spikes.gids[order], events["senders"][other])
    np.testing.assert_allclose(spikes.times[order], events["times"][other], atol=1e-9)


def test_the_program_of_nest_has_the_same_mean_rate():
    pytest.importorskip("nest", reason="NEST is not here")
    loop = f"for seed in {list(SEEDS)}:\n    exec(PROGRAM.replace('rng_seed=1', f'rng_seed={{seed}}'))\n"
    script = f"import nest\nnest.verbosity = nest.VerbosityLevel.QUIET\nPROGRAM = {NEST!r}\n{loop}"
    printed = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    of_nest = [int(number) for number in re.findall(r"^(\d+) spikes", printed, re.MULTILINE)]
    ours = [len(own(OWN.replace("seed=1", f"seed={seed}"))["spikes"].times) for seed in SEEDS]
    assert len(of_nest) == len(ours)
    error = np.sqrt((np.var(of_nest, ddof=1) + np.var(ours, ddof=1)) / len(ours))
    assert abs(np.mean(of_nest) - np.mean(ours)) < 4.0 * error
    assert error < 0.06 * np.mean(of_nest)  # else this test would find nothing
