# SPDX-License-Identifier: Apache-2.0
"""Law 1: every case gives bit for bit the same on one thread and on three."""

import pytest
from tests.nest.corpus import digests

import neuropil.nest as nest
from neuropil.nest.errors import NotSupported

THEMES = ["connecting", "editing", "networks", "precise", "recorders", "rules", "spatial", "stimulators", "synapse_collections", "synapses"]


class OnThreads:
    """neuropil.nest whose kernel has three threads after each reset."""

    def __getattr__(self, name):
        return getattr(nest, name)

    def __setattr__(self, name, value):
        setattr(nest, name, value)

    def ResetKernel(self):  # noqa: N802
        nest.ResetKernel()
        nest.local_num_threads = 3


@pytest.mark.parametrize("case", digests.names(THEMES))
def test_threads_change_nothing(case, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    one, three = digests.digest(case), digests.digest(case, OnThreads())
    nest.ResetKernel()
    assert digests.failures({"one thread": one, "three threads": three}) == {}
    assert one == three


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
