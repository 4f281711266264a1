# SPDX-License-Identifier: Apache-2.0
"""The records of a zip file whose members are stored as they are (APPNOTE 6.3.10), so that numpy, unzip and everyone else can open it."""

from __future__ import annotations

import struct
from typing import NamedTuple

__all__ = ["Member", "directory", "local_header"]

_FULL = 0xFFFFFFFF  # stands for a number that is in the zip64 field
_FULL_COUNT = 0xFFFF
_VERSION, _UTF8, _STORED = 45, 0x0800, 0
_DATE = (1 << 5) | 1  # 1980-01-01: what a file holds decides its bytes
_PADDING = 0x4E50  # number of an extra field of ours, which others skip


class Member(NamedTuple):
    """One file in the zip: where its local header is, bytes of its content, CRC-32 of that."""

    name: str
    offset: int
    size: int
    checksum: int


def local_header(member: Member, data_after: int, align: int) -> bytes:
    """What is before the content. It is as long as needed for what lies `data_after` bytes behind it to lie on a multiple of `align`."""
    name = member.name.encode()
    large = member.size >= _FULL
    extra = struct.pack("<HHQQ", 1, 16, member.size, member.size) if large else b""
    begin = member.offset + 30 + len(name) + len(extra) + 4 + data_after
    padding = -begin % align
    extra += struct.pack("<HH", _PADDING, padding) + bytes(padding)
    size = _FULL if large else member.size
    head = struct.pack("<4sHHHHHIIIHH", b"PK\3\4", _VERSION, _UTF8, _STORED, 0, _DATE, member.checksum, size, size, len(name), len(extra))
    return head + name + extra


def directory(members: list[Member], at: int, comment: bytes) -> bytes:
    """The central directory, which begins at `at` and ends the file with a comment."""
    entries = b"".join(_entry(member) for member in members)
    size, count = len(entries), len(members)
    end = at + size
    wide = struct.pack("<4sQHHIIQQQQ", b"PK\6\6", 44, _VERSION, _VERSION, 0, 0, count, count, size, at)
    locator = struct.pack("<4sIQI", b"PK\6\7", 0, end, 1)
    narrow = min(count, _FULL_COUNT), min(count, _FULL_COUNT), min(size, _FULL), min(at, _FULL)
    is_wide = count >= _FULL_COUNT or size >= _FULL or at >= _FULL
    last = struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, *narrow, len(comment)) + comment
    return entries + (wide + locator if is_wide else b"") + last


def _entry(member: Member) -> bytes:
    """Numbers that are too large go to the zip64 field, in this order: size, stored size, offset."""
    name, wide = member.name.encode(), []
    size = offset = _FULL
    if member.size >= _FULL:
        wide += [member.size, member.size]
    else:
        size = member.size
    if member.offset >= _FULL:
        wide.append(member.offset)
    else:
        offset = member.offset
    extra = struct.pack(f"<HH{len(wide)}Q", 1, 8 * len(wide), *wide) if wide else b""
    fixed = _VERSION, _VERSION, _UTF8, _STORED, 0, _DATE, member.checksum, size, size, len(name), len(extra), 0, 0, 0, 0, offset
    return struct.pack("<4sHHHHHHIIIHHHHHII", b"PK\1\2", *fixed) + name + extra
