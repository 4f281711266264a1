# SPDX-License-Identifier: Apache-2.0
"""From the text of a model file to a shared object, compiled once per content, compiler and instruction set."""

from __future__ import annotations

import hashlib
import re
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

from ..errors import ModelError
from . import sources, store
from .compilers import Compiler, compiler, level

__all__ = ["built", "digest_of"]

_MOST_PARTS = 4  # folders of precompiled headers that are kept, 80 MB each
_WANTED_LINES = 12
_LOADED, _PARTS = (
    "".join(f'#include "{module}/{file}"\n' for module in ("nodes", "synapses")) for file in ("loaded.hpp", "loaded_parts.hpp")
)


def digest_of(text: str) -> str:
    """Hash of a model's source: networks compare it between ranks, checkpoints carry it."""
    return hashlib.sha256(text.encode()).hexdigest()


def built(text: str, name: str) -> Path:
    """The shared object of a model file, compiled unless it was before. name : of the file, for messages.

    Raises MissingCompiler, and ModelError with the messages of the compiler. Not collective: ranks of one machine wait for the first.
    """
    how = compiler()
    flags = how.flags(level())
    parts_key = _key(sources.fingerprint(), how.version, " ".join([*how.command, *flags]))
    for base in store.places():
        place = base / f"{_key(parts_key, text)}.so"
        if store.is_whole(place):
            return place
    with store.locked(place.stem[:1]):
        if not store.is_whole(place):
            _compile(how, flags, _parts(how, flags, parts_key), text, name, place)
    return place


def _key(*texts: str) -> str:
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:32]


def _parts(how: Compiler, flags: list[str], key: str) -> Path:
    """Folder with what all models share: the headers, precompiled, and what is not in headers, as an object file."""
    header_name = f"loaded.hpp{how.precompiles}"
    needed = [header_name, "parts.o"] if how.precompiles else ["parts.o"]
    for base in store.places():
        place = base / f"parts-{key}"
        if all(store.is_whole(place / name) for name in needed):
            with suppress(OSError):  # the common folder may be read-only
                place.touch()
            return place
    header, objects = place / header_name, place / "parts.o"
    with store.locked(place.name):
        if sys.stderr.isatty():
            print("neuropil: compiling the headers that all models share; once, about half a minute", file=sys.stderr)
        place.mkdir(exist_ok=True)
        (place / "loaded.hpp").write_text(_LOADED)
        jobs = [(objects, ["-ffunction-sections", "-c", "-x", "c++"], _PARTS)]
        if how.precompiles:
            jobs.append((header, ["-x", "c++-header"], _LOADED))
        with ThreadPoolExecutor() as pool:
            list(pool.map(lambda job: _make(how, [*flags, *job[1]], job[2], job[0]), jobs))
    store.recent_only("parts-*", _MOST_PARTS)
    return place


@contextmanager
def _text_in(folder: Path, text: str) -> Iterator[tuple[Path, Path]]:
    """A file with this text, and one for what becomes of it, in a folder of their own."""
    with tempfile.TemporaryDirectory(dir=folder) as own:
        given = Path(own) / "text.cpp"
        given.write_text(text)
        yield given, Path(own) / "made"


def _make(how: Compiler, arguments: list[str], text: str, place: Path) -> None:
    """Compiles a text of neuropil itself."""
    with _text_in(store.folder(), text) as (given, made):
        done = how.run([*arguments, f"-I{sources.folder()}", "-o", made, given], given.parent)
        if done.returncode:
            raise ModelError(f"{how.version} cannot compile the headers of neuropil:\n{done.stderr[:2000]}")
        store.put(made, place)


def _compile(how: Compiler, flags: list[str], parts: Path, text: str, name: str, place: Path) -> None:
    arguments = [*flags, f"-I{parts}", f"-I{sources.folder()}", "-include", "loaded.hpp", "-shared", "-Wl,--gc-sections"]
    with _text_in(store.folder(), f'#line 1 "{name}"\n{text}') as (given, made):
        done = how.run([*arguments, "-o", made, given, parts / "parts.o"], given.parent)
        if done.returncode:
            raise ModelError(f"{name} does not compile:\n{_first_errors(done.stderr)}")
        store.put(made, place)


def _first_errors(messages: str) -> str:
    """The errors themselves with what they point at: a compiler says much about where a template was used."""
    lines = messages.splitlines()
    at = [k for k, line in enumerate(lines) if re.search(r"\berror:|undefined reference", line)]
    shown = [line for k in at[:3] for line in lines[k : k + 3]]
    return "\n".join((shown or lines)[:_WANTED_LINES])
