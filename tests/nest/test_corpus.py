# SPDX-License-Identifier: Apache-2.0
"""The corpus on neuropil.nest beside what NEST gave, which is stored: cases by what they return, scripts by what they print.

Law 1: cases give the same bits on one thread and on three. The stored values are refreshed by python -m tests.nest.corpus.refresh.
"""

import os
import subprocess
import sys

import pytest
from tests.nest.corpus import collect, digests, scripts, store
from tests.nest.corpus.different import KNOWN, REFUSED
from tests.nest.corpus.values import differences

import neuropil.nest as nest
from neuropil.nest.errors import NotSupported

CASES = [(theme, name) for theme in collect.themes() for name in collect.cases(theme)]
ON_THREADS = {
    *digests.names(
        [
            "connecting",
            "editing",
            "networks",
            "precise",
            "recorders",
            "rules",
            "short_term",
            "spatial",
            "stimulators",
            "synapse_collections",
            "synapses",
        ]
    )
}
SCRIPTS = [path.stem for path in scripts.FILES]


@pytest.fixture(autouse=True)
def scratch_folder(tmp_path, monkeypatch):
    """Cases write files into the working folder."""
    monkeypatch.chdir(tmp_path)
    yield
    nest.ResetKernel()


class OnThreads:
    """neuropil.nest whose kernel has three threads after each reset."""

    def __getattr__(self, name):
        return getattr(nest, name)

    def __setattr__(self, name, value):
        setattr(nest, name, value)

    def ResetKernel(self):  # noqa: N802
        nest.ResetKernel()
        nest.local_num_threads = 3


@pytest.mark.parametrize(("theme", "name"), CASES, ids=["/".join(case) for case in CASES])
def test_case(theme, name):
    refused = REFUSED.get(f"{theme}/{name}")
    if refused:
        with pytest.raises(NotSupported) as raised:
            collect.run(nest, collect.cases(theme)[name])
        assert raised.value.what == refused
        return
    found = collect.run(nest, collect.cases(theme)[name])
    lines = differences(found, store.load(theme)[name], KNOWN.get(f"{theme}/{name}", ()))
    assert not lines, "\n".join(lines)
    if f"{theme}/{name}" in ON_THREADS:
        assert digests.digest(f"{theme}/{name}", OnThreads()) == digests.of(found)


def test_a_case_that_raises_on_both_is_no_agreement(monkeypatch):
    """A test of the test: equal errors are failures, those that name something missing included."""

    def wrong(simulator):
        simulator.Create("iaf_psc_exp", -1)

    def missing(simulator):
        raise NotSupported("bread and butter")

    monkeypatch.setattr(digests.collect, "cases", lambda theme: {"wrong": wrong, "missing": missing})
    for case in ("t/wrong", "t/missing"):
        found = digests.digest(case), digests.digest(case, OnThreads())
        assert found[0] == found[1]
        assert digests.failures({"a": found[0]}).keys() == {"a"}


def test_known_differences_are_of_cases():
    assert {tuple(name.split("/")) for name in REFUSED.keys() | KNOWN.keys()} <= set(CASES)


@pytest.mark.parametrize("theme", collect.themes())
def test_every_case_is_stored(theme):
    assert list(store.load(theme)) == list(collect.cases(theme))


def test_the_corpus_is_large_and_its_data_small():
    assert len(CASES) >= 150
    assert sum(entry.stat().st_size for entry in os.scandir(store.DATA)) < 3_000_000


# --- scripts


@pytest.fixture(scope="module")
def printed(tmp_path_factory):
    return scripts.run("neuropil", tmp_path_factory.mktemp("scripts"))["scripts"]


@pytest.mark.parametrize("name", SCRIPTS)
def test_script_prints_what_it_prints_on_nest(printed, name):
    raised = printed[name].get("raised", "")
    assert not raised
    lines = scripts.differences(name, printed[name]["printed"], scripts.stored()[name])
    assert not lines, "\n".join(lines)


def test_a_script_as_users_run_it(tmp_path):
    script = next(path for path in scripts.FILES if path.stem == "one_neuron")
    done = subprocess.run([sys.executable, "-m", "neuropil.nest", str(script)], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == scripts.stored()["one_neuron"]


def test_there_are_85_scripts_and_each_says_what_it_shows():
    assert len(SCRIPTS) >= 85
    for path in scripts.FILES:
        lines = path.read_text().splitlines()
        assert lines[0] == "# SPDX-License-Identifier: Apache-2.0"
        assert lines[1].startswith('"""')
        assert "import nest" in lines
    assert set(scripts.stored()) == set(SCRIPTS)
