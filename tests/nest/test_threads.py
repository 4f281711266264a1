# SPDX-License-Identifier: Apache-2.0
"""Law 1: every case gives bit for bit the same on one thread and on three."""

import numpy as np
import pytest
from tests.nest.corpus import collect
from tests.nest.corpus.different import OPEN
from tests.nest.corpus.values import plain

import neuropil.nest as nest
from neuropil.nest.errors import NotSupported

THEMES = ("connecting", "recorders", "rules", "spatial", "stimulators", "synapse_collections", "synapses")
OF_THREADS = ("recorders/recorders_on_two_threads", "synapse_collections/threads_do_not_change_what_is_found", "recorders/ascii_")
CASES = [f"{theme}/{name}" for theme in THEMES for name in collect.cases(theme)]
SAME = [case for case in CASES if case not in OPEN and not case.startswith(OF_THREADS) and "two_threads" not in case and "on_threads" not in case]


class OnThreads:
    """neuropil.nest whose kernel has three threads after each reset."""

    def __getattr__(self, name):
        return getattr(nest, name)

    def __setattr__(self, name, value):
        setattr(nest, name, value)

    def ResetKernel(self):  # noqa: N802
        nest.ResetKernel()
        nest.local_num_threads = 3


def result(simulator, case, folder):
    theme, name = case.split("/")
    folder.mkdir()
    try:
        return collect.run(simulator, collect.cases(theme)[name])
    except NotSupported as missing:
        pytest.skip(f"not there yet: {missing}")


def bits(value):
    return np.asarray(value.values).tobytes() if hasattr(value, "values") and not isinstance(value, dict) else repr(plain(value))


@pytest.mark.parametrize("case", SAME)
def test_threads_change_nothing(case, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    one, three = (result(simulator, case, tmp_path / kind) for simulator, kind in ((nest, "one"), (OnThreads(), "three")))
    assert one.keys() == three.keys()
    assert [key for key in one if bits(one[key]) != bits(three[key])] == []
    nest.ResetKernel()
