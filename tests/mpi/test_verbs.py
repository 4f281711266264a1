# SPDX-License-Identifier: Apache-2.0
"""All verbs of the communicator over MPI, compared with the answers (tests/cpp/comm/verbs.hpp)."""

import pytest

from mpi import jobs

PROGRAM = jobs.BUILD / "tests" / "mpi" / "mpi_verbs"
PLUGINS = jobs.BUILD / "mpi_plugins"


@pytest.fixture
def verbs(any_mpi):
    """Runs bodies on some ranks and returns the line that the program prints."""
    kind = jobs.need(any_mpi, PLUGINS)
    if not PROGRAM.exists():
        pytest.skip(f"{PROGRAM} is not built: ./check does")

    def run(ranks: int, *bodies: str, **variables: str) -> str:
        done = jobs.run(kind, ranks, [str(PROGRAM), *bodies], NEUROPIL_MPI_DIR=str(PLUGINS), **variables)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run


@pytest.mark.parametrize("ranks", [1, 2, 3, pytest.param(4, marks=pytest.mark.slow)])
def test_every_verb(verbs, ranks):
    out = verbs(ranks)
    assert f"on {ranks} ranks of mpi (" in out
    assert "1 libmpi" in out


@pytest.mark.parametrize("ranks", [1, 3])
def test_persistent_collectives_made_of_messages(verbs, ranks):
    assert "1 bodies" in verbs(ranks, "persistent_collectives", NEUROPIL_MPI_PERSISTENT="messages")


@pytest.mark.slow
def test_a_message_of_more_than_2_gib(verbs):
    assert "1 bodies" in verbs(2, "large_blocks")
