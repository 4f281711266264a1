# SPDX-License-Identifier: Apache-2.0
"""CRC-32 of bytes that follow one another, from the CRC-32 of each part: a piece is read once for its own checksum and for that of the whole.

A CRC is a polynomial over GF(2) modulo `_POLYNOMIAL` with its bits reversed; n bytes behind it multiply it by x^(8n).
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

__all__ = ["joined"]

_POLYNOMIAL = 0xEDB88320
_ONE = 1 << 31


def joined(parts: Iterable[tuple[int, int]]) -> int:
    """CRC-32 of the parts one after the other, each given as (CRC-32, number of bytes)."""
    total = 0
    for checksum, size in parts:
        total = _product(_power(size), total) ^ checksum
    return total


def _product(a: int, b: int) -> int:
    found, bit = 0, _ONE
    while bit:
        if a & bit:
            found ^= b
        bit >>= 1
        b = (b >> 1) ^ (_POLYNOMIAL if b & 1 else 0)
    return found


@lru_cache(maxsize=64)
def _power(size: int) -> int:
    """x^(8 size)."""
    found, square = _ONE, 1 << 23  # x^0, x^8
    while size:
        if size & 1:
            found = _product(square, found)
        square = _product(square, square)
        size >>= 1
    return found
