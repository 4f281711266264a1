# SPDX-License-Identifier: Apache-2.0
"""Checkpoints of the versions of the format so far, as they were written then, are read: the files stay, a new version adds one.

A file is made by `python -m checkpoint.make_version FILE`."""

from pathlib import Path

import numpy as np
import pytest

import neuropil as npl
from checkpoint.make_version import build, finish
from neuropil.checkpoint.container import VERSION

DATA = Path(__file__).parent / "data"
FILES = sorted(DATA.glob("version*.npc"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_an_old_checkpoint_goes_on(file):
    net = npl.load(file)
    assert net.time == 25.3
    assert net["E"].model == "iaf_psc_exp"
    assert net["E"].positions.shape == (12, 2)
    assert net.extra["note"]["array"].tolist() == [0, 1, 2, 3]
    assert finish(net) == finish(build())
    assert np.isfinite(net.projections["plastic"].weight).all()


def test_there_is_a_file_of_this_version():
    assert DATA / f"version{VERSION}.npc" in FILES
