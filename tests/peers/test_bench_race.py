# SPDX-License-Identifier: Apache-2.0
"""The race: published runs of the full-scale microcircuit beside ours, without a run of it."""

import json

import pytest
from bench import programs, race, run
from bench.sides import Settings

GENOA = {"cpu": "AMD EPYC", "cores": 2, "caches": {"L2 Unified": "1024K"}, "simd": ["avx2", "avx512f"]}
MILAN = {"cpu": "AMD EPYC", "cores": 2, "caches": {"L2 Unified": "512K"}, "simd": ["avx2"]}


def report(scale, factors, machine):
    section = {"name": "microcircuit", "commands": [f"neuropil job microcircuit --scale {scale} --seed 1"]}
    return json.dumps({"machine": machine, "sections": [section | {"runs": {"neuropil": [{"real_time_factor": x} for x in factors]}}]})


def test_published_runs_are_complete():
    entries = race.published()
    assert len(entries) == len(set(entries)) == 13
    assert all((e.cores is not None) == (e.kind == "cpu") for e in entries)
    assert all(2018 <= e.year <= 2026 and 0.01 < e.real_time_factor < 100.0 for e in entries)
    best = min((e for e in entries if e.kind == "cpu"), key=lambda e: e.real_time_factor)
    assert (best.study, best.cores, best.real_time_factor) == ("Kurth 2022", 256, 0.53)
    assert best.core_seconds == pytest.approx(135.68)


def test_our_entries_are_the_full_scale_runs_of_the_results(tmp_path):
    (tmp_path / "2027-01-02-genoa.json").write_text(report("1.0", [1.5, 1.25], GENOA))
    (tmp_path / "2026-01-02-fifth.json").write_text(report("0.2", [0.1], GENOA))
    (tmp_path / "2026-01-02-milan.json").write_text(report("1.0", [3.0], MILAN))
    found = [(e.year, e.hardware, e.cores, e.real_time_factor, e.core_seconds) for e in race.stored(tmp_path)]
    assert found == [(2026, "EPYC Milan", 2, 3.0, 6.0), (2027, "EPYC Genoa", 2, 1.5, 3.0), (2027, "EPYC Genoa", 2, 1.25, 2.5)]
    assert race.stored(), "bench/results has full-scale runs"


def test_processors_are_named():
    assert race.chip(GENOA) == "EPYC Genoa"
    assert race.chip(GENOA | {"cpu": "Other"}) == race.chip(MILAN | {"cpu": "Other"}) == "Other"
    assert race.chip({"cpu": "AMD EPYC", "caches": {}, "simd": []}) == "AMD EPYC"


def test_the_race_is_drawn_without_a_run(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(programs, "execute", lambda *_: pytest.fail("a program was started"))
    assert run.main(["race", "--output", str(tmp_path)]) == 0
    (section,) = json.loads((tmp_path / "bench.json").read_text())["sections"]
    assert len(section["tables"][0]["rows"]) == len(race.published()) + len(race.stored())
    factors = [factor for row in section["rows"] for factor in row["neuropil"]]
    assert sorted(factors) == sorted(e.real_time_factor for e in race.stored())
    assert (tmp_path / "race" / "race.png").stat().st_size > 20_000
    assert "--measure" in capsys.readouterr().out


@pytest.mark.parametrize("quick", [False, True])
def test_a_measured_run_is_the_full_model(tmp_path, monkeypatch, quick):
    asked = []

    def runs(job, options, output):
        asked.append((job, options["scale"], options["threads"]))
        return {"real_time_factor": 2.5}

    monkeypatch.setattr(programs, "run_neuropil", runs)
    section = race.run(Settings(tmp_path, quick, 2, 3, say=lambda text: None, measure=True))
    assert asked == [("microcircuit", 1.0, 3)] * 2
    assert section.rows[-1].quantity.startswith("this run") and section.rows[-1].neuropil == [2.5, 2.5]
    assert section.tables[0].rows[-1][-3:] == [2.5, "3", 7.5]
