# SPDX-License-Identifier: Apache-2.0
"""Ranks that agree: on values, and on what failed."""

import pytest

from neuropil.circuit import BadFile
from neuropil.circuit.errors import bad_file
from neuropil.circuit.team import Team, share
from neuropil.errors import RankError
from thread_ranks import on_ranks, the_same


class StubbornError(Exception):
    """Cannot be made again from what pickle keeps of it."""

    def __init__(self, a: int, b: int) -> None:
        super().__init__(f"{a} and {b}")


def test_values_are_gathered_in_the_order_of_ranks():
    found = on_ranks(3, lambda comm: Team(comm).gather({"rank": comm.rank}))
    assert the_same(found) == [{"rank": 0}, {"rank": 1}, {"rank": 2}]
    assert the_same(on_ranks(3, lambda comm: Team(comm).first(lambda: f"from {comm.rank}"))) == "from 0"
    assert Team(None).gather(5) == [5]


@pytest.mark.parametrize("guilty", [0, 2])
def test_an_error_of_one_rank_is_raised_on_all(guilty):
    def program(comm):
        def action():
            if comm.rank == guilty:
                raise bad_file("a.swc", "line 7", "is broken")

        Team(comm).together(action)

    results = on_ranks(3, program)
    assert [(type(error), error.file, error.place, error.agreed) for error in results] == [(BadFile, "a.swc", "line 7", True)] * 3


def test_errors_that_cannot_travel_are_told_by_their_words():
    def program(comm):
        def action():
            if comm.rank == 1:
                raise StubbornError(1, 2)

        Team(comm).together(action)

    results = on_ranks(2, program)
    assert [type(error) for error in results] == [RankError] * 2
    assert str(results[0]) == "StubbornError: 1 and 2"


def test_one_rank_alone_raises_its_own_error():
    with pytest.raises(StubbornError):
        Team(None).together(lambda: (_ for _ in ()).throw(StubbornError(1, 2)))


def test_shares_are_all_and_even():
    for n in (0, 1, 7, 1000):
        for size in (1, 3, 8):
            parts = [share(n, rank, size) for rank in range(size)]
            assert [k for part in parts for k in part] == list(range(n))
            assert max(map(len, parts)) - min(map(len, parts)) <= 1
