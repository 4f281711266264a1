# SPDX-License-Identifier: Apache-2.0
"""However one rank ends, the job ends: with an exit code other than 0, and soon. The other ranks wait: in MPI_Finalize or for a signal."""

import signal
import subprocess
import time

import pytest

from mpi import jobs

# Rank 0 waits for ever, rank 2 goes on to MPI_Finalize, where it waits for the others.
PROGRAM = """
import os, signal, sys, time
import neuropil
rank = neuropil.rank()
if rank == 0:
    signal.pause()
if rank == 1:
    print("ends at", time.time(), flush=True)
    {end}
"""
ENDS = {
    "exception": ("raise ValueError('broken on purpose')", "broken on purpose"),
    "exit code": ("sys.exit(3)", "exit code 3"),
    "SystemExit with a text": ("raise SystemExit('no more')", "no more"),
    "Ctrl-C in one rank": ("os.kill(os.getpid(), signal.SIGINT); time.sleep(60)", "KeyboardInterrupt"),
    "SIGTERM": ("os.kill(os.getpid(), signal.SIGTERM)", ""),
    "no goodbye": ("os._exit(4)", ""),
}


def time_of_end(output: str) -> float:
    return float(next(line for line in output.splitlines() if "ends at" in line).split()[-1])


@pytest.mark.parametrize("name", ENDS)
def test_one_rank_ends_all(kind, name):
    end, text = ENDS[name]
    done = jobs.run(kind, 3, jobs.python(PROGRAM.format(end=end)))
    assert done.returncode != 0
    assert time.time() - time_of_end(done.stdout) < jobs.NO_HANG
    assert text in done.stdout + done.stderr
    if name in ("exception", "exit code"):
        assert "rank 1 of 3" in done.stderr


@pytest.mark.parametrize("end", ["raise ValueError('early')", "raise SystemExit('early')"])
def test_an_end_before_mpi_is_opened_ends_all(kind, end):
    """The others wait in MPI_Init."""
    done = jobs.run(
        kind, 3, jobs.python(f"import neuropil\nif neuropil.parallel.ranks.describe().startswith('rank 1 '): {end}\nneuropil.rank()")
    )
    assert done.returncode != 0
    assert "early" in done.stderr
    assert ("rank 1 of 3" in done.stderr) == ("ValueError" in end)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_to_mpiexec_ends_all(kind, number):
    code = "import signal, neuropil\nneuropil.rank()\nprint('ready', flush=True)\nwhile True: signal.pause()"
    line, environment = jobs.command(kind, 3, jobs.python(code))
    with subprocess.Popen(line, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True) as job:
        try:
            assert job.stdout is not None
            ready = 0
            while ready < 3:  # launchers mix lines that ranks print at the same time
                text = job.stdout.readline()
                assert text, "mpiexec ended"
                ready += text.count("ready")
            sent = time.time()
            job.send_signal(number)
            job.communicate(timeout=jobs.LIMIT)
            assert time.time() - sent < jobs.NO_HANG
        finally:
            if job.poll() is None:
                job.kill()
    assert job.returncode != 0


def test_ranks_that_end_well(kind, tmp_path):
    code = "import neuropil; line = f'{neuropil.rank()} of {neuropil.n_ranks()}'"
    assert jobs.lines(kind, 3, code, tmp_path) == ["0 of 3", "1 of 3", "2 of 3"]
