# SPDX-License-Identifier: Apache-2.0
"""Checkpoints that former versions of the NEST front end wrote are read and go on as they did in these versions."""

from pathlib import Path

import pytest

import neuropil as npl
import neuropil.nest as nest
from checkpoint.make_nest_version import finish
from neuropil.nest import checkpoints

DATA = Path(__file__).parent / "data"
FINISHED = {"22852077": "8ea46f79669a9edebef22fe1f2d6a2007f5c43dc2a460d550b56d0a1d5b95b38"}


@pytest.mark.parametrize("commit", FINISHED)
def test_an_old_checkpoint_of_the_nest_front_end_goes_on(commit):
    with pytest.warns(UserWarning, match="what stimulators had sent to recorders"):
        found = checkpoints.load(DATA / f"nest_{commit}.npc")
    assert len(found["cells"]) == 8
    assert finish(found) == FINISHED[commit]


def test_what_was_loaded_is_saved_as_today(tmp_path):
    with pytest.warns(UserWarning):
        found = checkpoints.load(DATA / "nest_22852077.npc")
    checkpoints.save(tmp_path / "again.npc", found)
    assert finish(checkpoints.load(tmp_path / "again.npc")) == FINISHED["22852077"]


def test_a_slice_of_then_is_one_today():
    with pytest.warns(UserWarning):
        found = checkpoints.load(DATA / "nest_22852077.npc")
    assert [collection._step for collection in found["slices"]] == [0, 3]
    with pytest.raises(nest.NESTErrors.BadProperty):
        found["slices"][1] + found["cells"][1:2]


def test_a_file_of_the_native_front_end_is_refused():
    with pytest.raises(npl.errors.BadCheckpoint, match=r"was not saved by neuropil\.nest"):
        checkpoints.load(DATA / "version1.npc")
