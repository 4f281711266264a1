# SPDX-License-Identifier: Apache-2.0
"""Files of several ranks: at any moment, and after any failure, there is a good checkpoint; and no more files than needed."""

import contextlib
import errno
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from checkpoint.disks import Dead, Failing, Mortal, save, tag_of
from neuropil.checkpoint import container
from neuropil.checkpoint.disk import Disk
from neuropil.checkpoint.loading import Checkpoint
from neuropil.errors import BadCheckpoint
from thread_ranks import on_ranks


@pytest.fixture(autouse=True)
def many_writes(monkeypatch):
    """Small columns are written one by one, so that there are more moments at which a process can die."""
    monkeypatch.setattr(container, "_GATHERED", 0)


RANKS = [1, 3]


def save_on(path, ranks, tag, disks=None, keep=1):
    """Results or errors, one per rank."""
    if ranks == 1:
        try:
            return [save(path, tag, disk=disks[0] if disks else None, keep=keep)]
        except BaseException as error:
            return [error]
    return on_ranks(ranks, lambda comm: save(path, tag, comm, disks[comm.rank] if disks else None, keep))


def good(results):
    assert not [r for r in results if isinstance(r, BaseException)], results
    assert len(set(results)) == 1


def names(folder):
    return sorted(re.sub(r"\.[0-9a-f]{16}\.", ".ID.", path.name) for path in folder.iterdir())


@pytest.mark.parametrize("ranks", RANKS)
def test_saved_again_and_again_there_is_one(tmp_path, ranks):
    for tag in (1, 2, 3):
        good(save_on(tmp_path / "run.npc", ranks, tag))
        assert tag_of(tmp_path / "run.npc") == tag
    assert names(tmp_path) == ["run.npc", *(f"run.npc.ID.{r}" for r in range(1, ranks))]


@pytest.mark.parametrize("ranks", RANKS)
def test_keep_some(tmp_path, ranks):
    for tag in (1, 2, 3, 4, 5):
        good(save_on(tmp_path / "run.npc", ranks, tag, keep=3))
        there = [tag_of(tmp_path / f"run.npc{k}") for k in ("", ".1", ".2")[:tag]]
        assert there == [tag, tag - 1, tag - 2][:tag]
    assert len(names(tmp_path)) == 3 * ranks
    for tag in (6, 7):
        good(save_on(tmp_path / "run.npc", ranks, tag, keep=1))
    assert [tag_of(tmp_path / f"run.npc{k}") for k in ("", ".1", ".2")] == [7, 4, 3]
    assert len(names(tmp_path)) == 3 * ranks


def test_other_numbers_of_ranks_after_one_another(tmp_path):
    for tag, ranks in enumerate([4, 1, 2, 3]):
        good(save_on(tmp_path / "run.npc", ranks, tag))
        assert tag_of(tmp_path / "run.npc") == tag
        assert len(names(tmp_path)) == ranks


def test_files_of_others_stay(tmp_path):
    others = [
        "run.npc.txt",
        "run.npc.0123456789abcdef.1",
        "run2.npc.0123456789abcdef.3.part",
        "run.npc.0123.3.part",
        "xrun.npc",
        ".run.npc.part",
    ]
    for name in others:
        (tmp_path / name).write_text("mine")
    for tag in (1, 2):
        good(save_on(tmp_path / "run.npc", 2, tag))
    assert [name for name in others if (tmp_path / name).read_text() == "mine"] == others


@pytest.mark.parametrize("power", [False, True])
@pytest.mark.parametrize("keep", [1, 2])
@pytest.mark.parametrize("ranks", RANKS)
def test_death_at_any_operation_leaves_a_good_checkpoint(tmp_path, ranks, keep, power):
    """A process (of all ranks, the first one to get there) ends before operation k; then a new one saves."""
    at, done = 0, False
    while not done:
        folder = tmp_path / str(at)
        folder.mkdir()
        path = folder / "run.npc"
        good(save_on(path, ranks, 1, keep=keep))
        good(save_on(path, ranks, 2, keep=keep))
        disk = Mortal(at, power)  # one for all ranks
        result = save_on(path, ranks, 3, [disk] * ranks, keep)
        done = not any(isinstance(r, BaseException) for r in result)
        assert done or any(isinstance(r, Dead) for r in result), result
        tags = [tag_of(path), *([tag_of(folder / "run.npc.1")] if keep == 2 else [])]
        assert tags in ([2, 1][:keep], [2, 2][:keep], [3, 2][:keep])
        assert not done or tags[0] == 3
        good(save_on(path, ranks, 4, keep=keep))
        good(save_on(path, ranks, 5, keep=keep))
        assert tag_of(path) == 5
        assert len(names(folder)) == keep * ranks, names(folder)
        shutil.rmtree(folder)
        at += 1
    assert at > 8 * ranks


@pytest.mark.parametrize("ranks", RANKS)
def test_failure_at_any_operation_is_told_on_all_ranks(tmp_path, ranks):
    for bad in range(ranks):
        at, done = 0, False
        while not done:
            folder = tmp_path / f"{bad}-{at}"
            folder.mkdir()
            path = folder / "run.npc"
            good(save_on(path, ranks, 1, keep=2))
            before = names(folder)
            disks = [Failing(at) if rank == bad else Disk() for rank in range(ranks)]
            result = save_on(path, ranks, 2, disks, keep=2)
            errors = [r for r in result if isinstance(r, BaseException)]
            done = not errors and disks[bad].count <= at
            if errors:
                assert len(errors) == ranks
                assert all(isinstance(e, BadCheckpoint) and "run.npc" in str(e) and "No space left" in str(e) for e in errors), errors
                assert len({str(e) for e in errors}) == 1
                assert disks[bad].log[at][0] != "remove"
            assert tag_of(path) in (1, 2)
            assert errors or tag_of(path) == 2
            if errors and disks[bad].log[at][0] in ("create", "write", "sync"):
                assert names(folder) == before
            shutil.rmtree(folder)
            at += 1


def test_errors_of_missing_and_mixed_shards(tmp_path):
    for run in ("a", "b"):
        (tmp_path / run).mkdir()
        good(save_on(tmp_path / run / "run.npc", 3, 1))
    shards = {run: sorted((tmp_path / run).glob("run.npc.*.[12]")) for run in ("a", "b")}
    path = tmp_path / "a" / "run.npc"
    original = shards["a"][0].read_bytes()

    def error():
        with pytest.raises(BadCheckpoint) as found, Checkpoint(path) as checkpoint:
            checkpoint.check()
        assert found.value.file == str(path)
        return str(found.value)

    shards["a"][0].unlink()
    assert "shard 1 of 3" in error()
    assert "is missing" in error()
    shards["a"][0].write_bytes(shards["b"][0].read_bytes())
    assert "of another checkpoint" in error()
    shards["a"][0].write_bytes(shards["a"][1].read_bytes())
    assert "of another rank" in error()
    shards["a"][0].write_bytes(path.read_bytes())
    assert "is a checkpoint, not a shard" in error()
    shards["a"][0].write_bytes(original[:-10])
    assert "cut off" in error()
    shards["a"][0].write_bytes(original)
    assert tag_of(path) == 1


def test_moved_and_renamed_together(tmp_path):
    good(save_on(tmp_path / "run.npc", 2, 1))
    with Checkpoint(tmp_path / "run.npc") as found:
        files = found.files()
    (tmp_path / "there").mkdir()
    for file in files:
        shutil.move(file, tmp_path / "there" / file.name)
    (tmp_path / "there" / "run.npc").rename(tmp_path / "there" / "best.npc")
    assert tag_of(tmp_path / "there" / "best.npc") == 1


def test_a_folder_that_is_none(tmp_path):
    for path, text in [(tmp_path / "no" / "run.npc", "folder does not exist"), (tmp_path, "this is a folder")]:
        for result in save_on(path, 2, 1):
            assert isinstance(result, BadCheckpoint)
            assert text in str(result)


def test_too_little_room_is_told_before_writing(tmp_path):
    class Small(Disk):
        def free(self, folder):
            return 1000

    (error,) = save_on(tmp_path / "run.npc", 1, 1, [Small()])
    assert "are free" in str(error)
    assert names(tmp_path) == []


def test_one_who_still_writes_is_left_alone(tmp_path):
    """Two jobs save to one path: a slow one, and one that saves while the first is at it."""
    path = tmp_path / "run.npc"
    good(save_on(path, 2, 1))

    class Slow(Disk):
        def __init__(self):
            super().__init__()
            self.others = 0

        def sync(self, file):
            if not self.others:
                self.others += 1
                good(save_on(path, 2, 2))
                good(save_on(path, 2, 3))
            super().sync(file)

    good(save_on(path, 2, 4, [Slow(), Disk()]))
    assert tag_of(path) == 4
    assert len(names(tmp_path)) == 2


def test_two_who_save_all_the_time(tmp_path):
    """Processes, one with one rank, one with three and two kept; there is a good one at any time, of one of them."""
    path = tmp_path / "run.npc"
    good(save_on(path, 1, 1))
    code = (
        "import sys; sys.path[:0] = [sys.argv[1]]\n"
        "from pathlib import Path; from checkpoint.test_files import good, save_on\n"
        "for tag in range(25): good(save_on(Path(sys.argv[2]), int(sys.argv[3]), tag, keep=int(sys.argv[3]) // 2 + 1))\n"
    )
    where = [str(Path(__file__).parents[1]), str(path)]
    jobs = [subprocess.Popen([sys.executable, "-c", code, *where, str(ranks)], stderr=subprocess.PIPE) for ranks in (1, 3)]
    while any(job.poll() is None for job in jobs):
        try:
            tag_of(path)
        except BadCheckpoint as error:
            assert "missing" in str(error)  # shards of one that was read just before another took its place
    for job in jobs:
        assert job.wait() == 0, job.stderr.read().decode()
    good(save_on(path, 1, 99))
    assert tag_of(path) == 99


def test_full_disk(tmp_path):
    """A limit for the size of files stands for the disk."""
    code = (
        "import sys, resource, signal; sys.path[:0] = [sys.argv[1]]\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "from pathlib import Path; from checkpoint.disks import save, tag_of; from neuropil.errors import BadCheckpoint\n"
        "path = Path(sys.argv[2]); save(path, 1)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))\n"
        "try: save(path, 2)\n"
        "except BadCheckpoint as error: print(error)\n"
        "assert tag_of(path) == 1\n"
    )
    where = [str(Path(__file__).parents[1]), str(tmp_path / "run.npc")]
    done = subprocess.run([sys.executable, "-c", code, *where], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "run.npc: not saved: File too large" in done.stdout
    assert names(tmp_path) == ["run.npc"]


@pytest.fixture
def small_disk(tmp_path):
    """One of 1 MiB, where this process may mount it."""
    folder = tmp_path / "small"
    folder.mkdir()
    if os.geteuid() or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder], capture_output=True).returncode:
        pytest.skip("no small disk can be mounted")
    yield folder
    subprocess.run(["umount", folder], check=True)


@pytest.mark.parametrize("ranks", RANKS)
def test_a_disk_that_becomes_full(small_disk, ranks):
    """Others write to it meanwhile: that there was enough room in the beginning does not help."""
    path = small_disk / "run.npc"
    good(save_on(path, ranks, 1))

    class Shared(Disk):
        def free(self, folder):
            with (folder / "other").open("wb") as file, contextlib.suppress(OSError):
                file.write(bytes(1 << 20))
            return 1 << 30

    disks = [Shared() if rank == 0 else Disk() for rank in range(ranks)]
    errors = save_on(path, ranks, 2, disks)
    assert all(isinstance(error, BadCheckpoint) for error in errors)
    assert any("No space left" in str(error) or "are free" in str(error) for error in errors)
    (small_disk / "other").unlink()
    assert tag_of(path) == 1
    assert len(names(small_disk)) == ranks
    good(save_on(path, ranks, 3))


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes to any folder")
def test_read_only_folder(tmp_path):
    tmp_path.chmod(0o500)
    (error,) = save_on(tmp_path / "run.npc", 1, 1)
    assert "not saved: Permission denied" in str(error)


def test_read_only_file_system(tmp_path):
    for result in save_on(tmp_path / "run.npc", 2, 1, [Failing(0, errno.EROFS), Disk()]):
        assert isinstance(result, BadCheckpoint)
        assert "Read-only file system" in str(result)


def test_columns_as_the_kernel_asks_for_them(tmp_path):
    good(save_on(tmp_path / "run.npc", 2, 1))
    with Checkpoint(tmp_path / "run.npc") as found:
        assert found.shards == 2
        assert found.columns(-1) == [("tag", "<i8", 1)]
        assert found.columns(0) == [("x", "<i8", 1000), ("y", "<i8", 1)]
        assert found.columns(1) == [("x", "<i8", 1000), ("y", "<i8", 2)]
        out = np.empty(3, np.int64)
        found.read(1, "x", 990, out)
        assert out.tolist() == [101, 101, 101]
