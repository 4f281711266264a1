# SPDX-License-Identifier: Apache-2.0
"""Random scripts (stored with what NEST gave) on neuropil.nest: all agree, or differ on purpose."""

import subprocess
import sys

import pytest
from tests.nest.fuzz import answers
from tests.nest.fuzz.different import reason
from tests.nest.fuzz.runner import Runner
from tests.nest.fuzz.shrink import shrink
from tests.nest.fuzz.verdicts import verdict
from tests.nest.fuzz.worker import with_root

import neuropil.nest as nest

STORED = answers.load()


@pytest.fixture(autouse=True)
def scratch_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    yield
    nest.ResetKernel()


@pytest.mark.parametrize("part", range(10))
def test_random_scripts(part):
    wrong = []
    for entry in STORED[part::10]:
        found = verdict(entry["script"], Runner(nest).run(entry["script"]), entry["outcome"])
        if not found.good and not reason(entry["script"], found):
            wrong.append(f"seed {entry['seed']}: {found.what}: {found.detail}")
    assert not wrong, "\n".join(wrong)


def test_there_are_enough_scripts():
    assert len(STORED) >= 300


def test_shrinking_keeps_the_step_that_matters():
    script = [
        {"do": "create", "name": "a", "model": "iaf_psc_exp", "n": 3, "values": {"I_e": 1.0, "V_th": 2.0}},
        {"do": "simulate", "ms": 1.0},
    ]

    def shows(steps):
        return any("V_th" in (step.get("values") or {}) for step in steps)

    assert shrink(script, shows) == [{"do": "create", "name": "a", "model": "iaf_psc_exp", "n": 1, "values": {"V_th": 2.0}}]


@pytest.mark.parametrize(
    ("kind", "seed"),
    [("nest", 0), ("nest", 1), ("native", 0), *(pytest.param(*more, marks=pytest.mark.slow) for more in (("nest", 2), ("native", 1)))],
)
def test_nonsense_ends_in_typed_errors_and_changes_nothing(kind, seed):
    command = [sys.executable, "-X", "faulthandler", "-W", "ignore", "-m", "tests.nest.fuzz.nonsense", kind, str(seed), "70"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=with_root())
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-3000:]
    assert "70 calls" in done.stdout


def test_what_is_missing_is_a_difference():
    script = [{"do": "create", "name": "a", "model": "iaf_psc_exp", "n": 1}]
    missing = {"error": "NotSupported", "base": [], "said": "neuropil.nest has no node model iaf_psc_exp yet"}
    found = verdict(script, [missing], [{"n": 1}])
    assert not found.good
    assert not reason(script, found)
