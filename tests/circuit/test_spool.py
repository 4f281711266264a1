# SPDX-License-Identifier: Apache-2.0
"""The spool: what is finished is found again, what was cut or changed is done again or told, never taken for sound."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from circuit import small
from neuropil.circuit import BadFile
from neuropil.circuit.columns import COLUMNS, ROW_BYTES, SOURCE
from neuropil.circuit.spool import Spool, connections_of

KEY = {"option seed": 1, "pre": "all 9"}


def filled(folder, batches=3) -> Spool:
    """A spool with batches of 2 presynaptic cells and 2 pieces each."""
    spool = Spool(folder, KEY)
    spool.open(restart=True)
    for k in range(batches):
        pieces = [spool.write(2 * k, rank, small.touches([(2 * k + rank, 3)] * (k + rank), seed=k)) for rank in range(2)]
        spool.finish_batch(2 * k, 2 * k + 2, pieces)
    return reopened(folder)


def reopened(folder, key=None) -> Spool:
    spool = Spool(folder, key or KEY)
    spool.open()
    return spool


def test_what_was_finished_is_found_again(tmp_path):
    spool = filled(tmp_path)
    assert spool.done == 6
    assert [piece.touches for piece in spool.pieces] == [1, 1, 2, 2, 3]  # none for the empty one
    for piece in spool.pieces:
        assert spool.connections(piece)[:, 2].tolist() == [piece.touches]
        assert set(spool.touches(piece)) == set(COLUMNS)
    assert spool.touches(spool.pieces[-1])[SOURCE].tolist() == [5, 5, 5]


def test_a_batch_without_its_line_is_not_there(tmp_path):
    spool = filled(tmp_path)
    spool.write(6, 0, small.touches([(6, 1)]))
    assert reopened(tmp_path).done == 6


def test_other_options_are_refused_by_name(tmp_path):
    filled(tmp_path)
    with pytest.raises(BadFile, match="another option seed; give its options"):
        reopened(tmp_path, KEY | {"option seed": 2})
    with pytest.raises(BadFile, match="another new"):
        reopened(tmp_path, KEY | {"new": 2})
    fresh = Spool(tmp_path, {})
    fresh.open(restart=True)
    assert (fresh.done, fresh.pieces) == (0, [])


def test_missing_and_short_pieces_are_done_again(tmp_path):
    spool = filled(tmp_path)
    (tmp_path / spool.pieces[2].name).unlink()
    assert reopened(tmp_path).done == 2
    spool = filled(tmp_path)
    path = tmp_path / spool.pieces[-1].name
    path.write_bytes(path.read_bytes()[:-1])
    assert reopened(tmp_path).done == 4
    # What was dropped stays dropped, and new batches follow what is left.
    again = reopened(tmp_path)
    again.finish_batch(4, 6, [again.write(4, 0, small.touches([(4, 0)]))])
    assert [piece.touches for piece in reopened(tmp_path).pieces] == [1, 1, 2, 1]


def test_changed_pieces_are_told(tmp_path):
    spool = filled(tmp_path)
    piece = spool.pieces[-1]
    path = tmp_path / piece.name
    data = bytearray(path.read_bytes())
    data[7] ^= 1
    path.write_bytes(data)
    with pytest.raises(BadFile, match="has changed"):
        spool.touches(piece)
    data[piece.touches * ROW_BYTES + 16] ^= 1  # the number of touches of the connection
    path.write_bytes(data)
    with pytest.raises(BadFile, match="has changed"):
        spool.connections(piece)
    path.unlink()
    with pytest.raises(BadFile, match="cannot be read"):
        spool.touches(piece)


@given(place=st.floats(0.0, 1.0, exclude_max=True), flip=st.integers(1, 255), cut=st.booleans())
@settings(max_examples=80, deadline=None)
def test_a_damaged_journal_never_counts_too_much(tmp_path_factory, place, flip, cut):
    folder = tmp_path_factory.mktemp("spool")
    spool = filled(folder)
    sound = [piece.name for piece in spool.pieces]
    journal = folder / "journal.jsonl"
    data = bytearray(journal.read_bytes())
    at = int(place * len(data))
    if cut:
        del data[at:]
    else:
        data[at] ^= flip
    journal.write_bytes(data)
    try:
        found = reopened(folder)
    except BadFile as error:
        assert "journal" in str(error)
        return
    names = [piece.name for piece in found.pieces]
    assert names == sound[: len(names)]
    assert found.done in (0, 2, 4, 6)


def test_a_full_disk_leaves_no_half_piece(tmp_path, monkeypatch):
    from neuropil.circuit import DiskFull, spool

    kept = filled(tmp_path)

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(spool.os, "fsync", full)
    with pytest.raises(DiskFull, match="make room"):
        kept.write(6, 0, small.touches([(6, 0)]))
    assert not (tmp_path / "batch-000000000006-rank-000000").exists()
    monkeypatch.undo()
    assert reopened(tmp_path).done == 6


def test_connections_of_sorted_touches():
    assert connections_of(small.touches([(0, 1), (0, 1), (0, 2), (3, 0)])).tolist() == [[0, 1, 2], [0, 2, 1], [3, 0, 1]]
    assert connections_of(small.touches([])).shape == (0, 3)
    assert connections_of(small.touches([])).dtype == np.int64
