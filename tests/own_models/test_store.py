# SPDX-License-Identifier: Apache-2.0
"""The folder of compiled models: what is compiled once, and a folder that is damaged, shared or read-only."""

import os
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from neuropil.own_models import building, modules, store
from own_models.test_loading import leak


@pytest.fixture
def compiled(monkeypatch) -> list[str]:
    """Names of the files that were compiled since."""
    names: list[str] = []
    compile_ = building._compile
    monkeypatch.setattr(building, "_compile", lambda *args: (names.append(args[4]), compile_(*args))[1])
    return names


def test_compiled_once_and_again_when_damaged(compiled):
    text = leak("own_damaged")
    place = building.built(text, "a.cpp")
    compiled.clear()
    assert building.built(text, "a.cpp") == place
    assert compiled == []
    place.write_bytes(place.read_bytes()[:1000])
    assert building.built(text, "a.cpp") == place
    assert compiled == ["a.cpp"]
    assert store.is_whole(place)


def test_folder_that_cannot_be_written(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("NEUROPIL_CACHE", str(tmp_path / "file/cache"))
    store.folder.cache_clear()
    try:
        with pytest.warns(UserWarning, match="for this process only"):
            place = store.folder()
        assert place.is_dir()
    finally:
        store.folder.cache_clear()


def test_a_filled_folder_that_is_read_only_is_used(tmp_path, monkeypatch, compiled):
    """Models, headers and modules in it are found, without a warning; a new model takes its headers from there."""
    headers: list[str] = []
    make = building._make
    monkeypatch.setattr(building, "_make", lambda *args: (headers.append(str(args[3])), make(*args))[1])
    source = tmp_path / "kept.cpp"
    source.write_text(leak("own_kept"))
    first = Path(building.built(leak("own_kept"), "kept.cpp"))
    modules.make_module("kept_module", [source])
    compiled.clear()
    headers.clear()

    def refuse(place):
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(store, "_try_to_write", refuse)
    store.folder.cache_clear()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert building.built(leak("own_kept"), "kept.cpp") == first
            assert [entry.name for entry in modules.load_module("kept_module")] == ["own_kept"]
        assert compiled == []
        with pytest.warns(UserWarning, match="for this process only"):
            other = building.built(leak("own_kept", "0.25"), "other.cpp")
        assert other.parent == store.folder() != first.parent
        assert building.built(leak("own_kept", "0.25"), "other.cpp") == other
        assert (compiled, headers) == (["other.cpp"], [])
    finally:
        store.folder.cache_clear()


def test_processes_at_once(tmp_path):
    """Four processes want the same model; each gets it, and nothing is left but the model and its lock."""
    (tmp_path / "m.cpp").write_text(leak("own_shared"))
    program = (
        f"import neuropil as npl; from neuropil.own_models.loading import load_model; print(load_model({str(tmp_path / 'm.cpp')!r}).name)"
    )
    cache = tmp_path / "cache"  # of this test alone: others compile at the same time
    own = {"env": os.environ | {"NEUROPIL_CACHE": str(cache)}, "stdout": subprocess.PIPE, "text": True}
    running = [subprocess.Popen([sys.executable, "-c", program], **own) for _ in range(4)]
    assert [process.communicate()[0].strip() for process in running] == ["own_shared"] * 4
    assert not [path for path in cache.iterdir() if path.name.startswith("tmp")]
