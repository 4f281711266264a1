# SPDX-License-Identifier: Apache-2.0
"""Checkpoints whose bytes have changed in random ways: read as they were or refused, never a crash, never other data.

`python -m fuzz.checkpoints SEED N` prints what came of N of them; a tenth has a new index with a right digest, as an attacker would make it, and a
tenth are pickles.
"""

import collections
import hashlib
import json
import os
import re
import resource
import sys
from pathlib import Path

import numpy as np

from neuropil.checkpoint.container import Reader, Writer
from neuropil.checkpoint.disk import Disk
from neuropil.checkpoint.pickling import dumped, loaded
from neuropil.errors import BadCheckpoint

ARRAYS = {
    "common/a": np.arange(40, dtype="<i8"),
    "shard/b": np.linspace(0, 1, 50).astype("<f4"),
    "shard/c": np.arange(40, dtype="<i8")[::-1],  # as long as a, for columns that change places
    "shard/empty": np.empty(0, "<f8"),
    "front/names": np.array(["L4E", "L23I"]),
}
ABOUT = {"id": "0123456789abcdef", "rank": 0, "ranks": 1, "base": "run.npc"}
TRAILER = re.compile(rb"neuropil checkpoint +\d+ ([0-9a-f]{16}) ([0-9a-f]{16}) ([0-9a-f]{32})\n$")


def whole(path: Path) -> bytes:
    writer = Writer(Disk(), path, piece=96)
    for name, values in ARRAYS.items():
        writer.array(name, values)
    writer.finish("checkpoint", ABOUT)
    writer.close()
    return path.read_bytes()


def changed(rng, content: bytes) -> bytes:
    data = bytearray(content)
    for _ in range(int(rng.choice([1, 1, 1, 2, 3]))):
        n = len(data)
        kind = int(rng.integers(9)) if n else 8
        at, size = int(rng.integers(n or 1)), int(rng.choice([1, 2, 8, 64, 500]))
        other = int(rng.integers(n or 1))
        if kind < 3:
            data[at] ^= 1 << int(rng.integers(8))
        elif kind == 3:
            data[at : at + size] = rng.bytes(len(data[at : at + size]))
        elif kind == 4:
            del data[at:]
        elif kind == 5:
            del data[at : at + size]
        elif kind == 6:
            data[at:at] = data[other : other + size]
        elif kind == 7:  # two places change their contents
            a, b = sorted((at, other))
            size = min(size, b - a, n - b)
            data[a : a + size], data[b : b + size] = data[b : b + size], data[a : a + size]
        else:
            data += rng.bytes(size)
    return bytes(data)


def with_other_index(rng, content: bytes) -> bytes:
    """One value of the index is another one, and the digest is right."""
    offset, size = (int(number, 16) for number in TRAILER.search(content).groups()[:2])
    index = json.loads(content[offset : offset + size])
    odd = [
        -1,
        0,
        1,
        7,
        2**31,
        2**63,
        10**30,
        1.5,
        "",
        "x",
        "<i8",
        "|O",
        "<V8",
        "<U0",
        ",".join(["i4"] * 3),
        None,
        True,
        [],
        [[]],
        {},
        [1, 2],
    ]
    where = [index]
    while isinstance(where[-1], dict | list) and len(where[-1]) and (len(where) < 2 or rng.random() < 0.8):
        keys = [*where[-1]] if isinstance(where[-1], dict) else range(len(where[-1]))
        key = keys[int(rng.integers(len(keys)))]
        last = where[-1], key
        where.append(where[-1][key])
    if rng.random() < 0.2 and isinstance(last[0], list):
        last[0].append(odd[int(rng.integers(len(odd)))])
    else:
        last[0][last[1]] = odd[int(rng.integers(len(odd)))]
    text = json.dumps(index).encode()
    digest = hashlib.blake2b(text, digest_size=16).hexdigest()
    return content[:offset] + text + b"neuropil checkpoint     1 %016x %016x %s\n" % (offset, len(text), digest.encode())


def read(path: Path) -> dict[str, np.ndarray]:
    with Reader(path, "checkpoint") as reader:
        assert isinstance(reader.about, dict)
        return {name: reader.array(name) for name in reader.columns}


def pickled(rng) -> bytes:
    value = {"a": [1, 2.5, "x", None, (3, {4})], "b": np.arange(3), "c": np.float32(2), "d": {"e": b"xyz", 5: complex(1, 2)}}
    content, _ = dumped(value, None)
    return changed(rng, content)


def main(seed: int, count: int) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))  # what asks for all the memory there is gets a MemoryError
    rng, outcomes = np.random.default_rng(seed), collections.Counter()
    folder = Path("/dev/shm") if Path("/dev/shm").is_dir() else Path(os.environ.get("TMPDIR", "/tmp"))
    path = folder / f"neuropil-fuzz-{os.getpid()}.npc"
    try:
        good = whole(path)
        path.unlink()
        for _ in range(count):
            kind = rng.random()
            if kind < 0.1:
                try:
                    loaded(pickled(rng), [np.arange(3)], None)
                    outcomes["pickle read"] += 1
                except ValueError:
                    outcomes["pickle refused"] += 1
                continue
            path.write_bytes(with_other_index(rng, good) if kind < 0.2 else changed(rng, good))
            try:
                found = read(path)
            except BadCheckpoint:
                outcomes["index refused" if kind < 0.2 else "refused"] += 1
                continue
            outcomes["index read" if kind < 0.2 else "read"] += 1
            if kind >= 0.2:
                assert [*found] == [*ARRAYS]
                assert all(np.array_equal(found[name], ARRAYS[name]) for name in ARRAYS)
    finally:
        path.unlink(missing_ok=True)
    print(count, "files", dict(outcomes))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
