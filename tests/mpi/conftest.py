# SPDX-License-Identifier: Apache-2.0
"""Tests under mpiexec; with both MPIs if both are installed. Where one is missing: skipped, with the reason, in CI failed."""

from pathlib import Path

import pytest

from mpi import jobs

# What the second MPI runs in every check; the rest of it is slow: run once a week.
OF_BOTH = {
    "test_every_verb",
    "test_persistent_collectives_made_of_messages",
    "test_off_makes_each_process_a_run_of_its_own",
    "test_the_flavour_can_be_chosen",
    "test_a_library_that_does_not_know_the_launcher_is_an_error",
    "test_own_parts_make_the_whole",
    "test_an_exit_code_of_one_rank_ends_a_run_of_the_others",
}


@pytest.fixture(params=jobs.KINDS)
def any_mpi(request) -> str:
    return request.param


@pytest.fixture
def kind(any_mpi) -> str:
    return jobs.need(any_mpi)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    first = next(iter(jobs.installations()), jobs.KINDS[0])
    here = [item for item in items if item.path.is_relative_to(Path(__file__).parent) and hasattr(item, "callspec")]
    for item in here:
        if item.callspec.params.get("any_mpi", first) != first and item.originalname not in OF_BOTH:
            item.add_marker(pytest.mark.slow)
