# SPDX-License-Identifier: Apache-2.0
"""Small scripts, each run here on neuropil.nest and compared with what NEST gave (stored; refreshed by python -m tests.nest.corpus.refresh)."""

import os

import pytest
from tests.nest.corpus import collect, store
from tests.nest.corpus.different import KNOWN, REFUSED
from tests.nest.corpus.values import differences

import neuropil.nest as nest
from neuropil.nest.errors import NotSupported

CASES = [(theme, name) for theme in collect.themes() for name in collect.cases(theme)]


@pytest.fixture(autouse=True)
def scratch_folder(tmp_path, monkeypatch):
    """Cases write files into the working folder."""
    monkeypatch.chdir(tmp_path)
    yield
    nest.ResetKernel()


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


def test_known_differences_are_of_cases():
    assert {tuple(name.split("/")) for name in REFUSED.keys() | KNOWN.keys()} <= set(CASES)


@pytest.mark.parametrize("theme", collect.themes())
def test_every_case_is_stored(theme):
    assert list(store.load(theme)) == list(collect.cases(theme))


def test_the_corpus_is_large_and_its_data_small():
    assert len(CASES) >= 150
    assert sum(entry.stat().st_size for entry in os.scandir(store.DATA)) < 3_000_000
