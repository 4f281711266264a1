# SPDX-License-Identifier: Apache-2.0
"""`neuropil report`: charts hold the numbers of the run, and the page needs nothing but itself."""

import base64
import html.parser
import json
import re

import numpy as np
import pytest

import neuropil as npl
from neuropil.report import activity, charts, costs, write_report
from neuropil.report.folder import read

RNG = np.random.default_rng(1)


def poisson(n, rate, stop, first=1):
    """Spikes of n independent Poisson processes."""
    counts = RNG.poisson(rate * 1e-3 * stop, n)
    times = np.round(RNG.uniform(0.0, stop, counts.sum()), 1) + 0.1
    return npl.results.Spikes(times, np.repeat(np.arange(first, first + n), counts), np.arange(first, first + n), 0.0, stop + 1.0)


def values(text):
    return np.frombuffer(base64.b64decode(text), "<f4")


def content(page):
    """The charts of a page, by title."""
    text = page.read_text()
    found = json.loads(re.search(r"id='charts'>(.*?)</script>", text, re.S)[1])
    return text, {chart["title"]: chart for chart in found}


class Tags(html.parser.HTMLParser):
    """Raises nothing: counts what opens and closes, and keeps what would be loaded."""

    def __init__(self):
        super().__init__()
        self.open, self.loaded = [], []

    def handle_starttag(self, tag, attrs):
        if tag not in ("meta", "br", "link", "img"):
            self.open.append(tag)
        self.loaded += [value for name, value in attrs if name in ("src", "href") and not value.startswith("#")]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("run")
    poisson(50, 20.0, 2000.0).save(path / "exc<b>.npz")
    net = npl.Network(seed=1, threads=1)
    cells = net.create("iaf_psc_exp", 20, I_e=400.0)
    plastic = net.connect(cells, cells, npl.fixed_indegree(5), weight=npl.normal(20.0, 2.0), synapse=npl.stdp())
    trace, rate = net.record(cells[:3], "V_m"), net.record(cells, "rate", bin=5.0)
    weight, spikes = net.record(plastic, "weight", interval=50.0), net.record(cells, to=path / "streamed")
    net.run(200.0)
    for name, record in (("trace", trace), ("bins", rate), ("synapses", weight)):
        record.save(path / f"{name}.npz")
    return path, trace, spikes


def test_a_folder_of_results_becomes_one_page(folder):
    path, trace, spikes = folder
    page = write_report(path)
    assert page == path / "report.html"
    text, found = content(page)
    tags = Tags()
    tags.feed(text)
    assert tags.open == []
    assert tags.loaded == []
    assert "http" not in re.sub(r"<script type=.*?</script>", "", text, flags=re.S)
    assert {"Raster", "Mean rate", "Intervals between spikes", "CV of intervals", "Correlation of spike counts"} <= set(found)
    assert {"V_m", "Rates in bins", "synapses: weight", "Spectrum of the population rate"} <= set(found)
    raster = {each["name"]: each for each in found["Raster"]["series"]}
    assert set(raster) == {"exc<b>", "streamed"}
    assert values(raster["streamed"]["x"]) == pytest.approx(spikes.load().times)
    assert values(raster["streamed"]["y"]).min() >= 50  # below the 50 rows of the other
    assert values(found["V_m"]["series"][1]["y"]) == pytest.approx(trace["V_m"][:, 1])
    rates = dict(zip(found["Mean rate"]["names"], found["Mean rate"]["series"][0]["values"], strict=True))
    assert rates["exc<b>"] == pytest.approx(20.0, rel=0.1)
    assert page.stat().st_size < 5e6


def test_one_file_is_enough(folder, tmp_path):
    path, _, _ = folder
    _, found = content(write_report(path / "trace.npz", tmp_path / "page.html"))
    assert set(found) == {"V_m"}


def test_what_is_no_run_is_refused(tmp_path):
    with pytest.raises(npl.errors.BadParameter, match=r"result\.json"):
        write_report(tmp_path)
    with pytest.raises(FileNotFoundError, match="nowhere"):
        write_report(tmp_path / "nowhere")
    (tmp_path / "result.json").write_text("{")
    with pytest.raises(npl.errors.BadFile, match=r"result\.json"):
        write_report(tmp_path)


def test_names_cannot_end_the_script(tmp_path):
    chart = charts.bars("</script><script>alert(1)", "x", {"a": 1.0})
    from neuropil.report import page

    text = json.dumps(chart.plain()).translate(page._SCRIPT)
    assert "<" not in text
    assert json.loads(text)["title"] == chart.title


def test_thinned_lines_keep_their_peaks():
    x = np.arange(100_000.0)
    y = np.zeros_like(x)
    y[[12_345, 99_999]] = 5.0, -7.0
    thin_x, thin_y = charts.thinned(x, y)
    assert len(thin_x) <= charts.MOST_POINTS + 2
    assert (thin_x[thin_y == 5.0], thin_x[thin_y == -7.0]) == (12_345.0, 99_999.0)
    assert (np.diff(thin_x) > 0).all()


def test_histograms_are_shares_of_each_series():
    chart = charts.histogram("t", "x", {"a": [1.0, 1.0, 3.0, np.nan], "b": [2.0], "none": [np.nan]}, outer=0.0)
    assert [each["name"] for each in chart.series] == ["a", "b"]
    first = values(chart.series[0]["y"])
    assert first[[0, -1]] == pytest.approx([2 / 3, 1 / 3])
    assert values(chart.series[0]["x"])[[0, -1]] == pytest.approx([1.0, 3.0])


def test_the_spectrum_is_1_for_poisson_and_peaks_at_a_rhythm():
    _, power = activity.spectrum(poisson(100, 20.0, 20_000.0))
    assert power.mean() == pytest.approx(1.0, abs=0.1)
    times = np.tile(np.arange(20.0, 5000.0, 20.0), 10)
    regular = npl.results.Spikes(times, np.repeat(np.arange(1, 11), 249), np.arange(1, 11), 0.0, 5000.0, resolution=0.1)
    frequencies, power = activity.spectrum(regular)
    peaks = frequencies[power > 0.5 * power.max()]
    assert peaks % 50.0 == pytest.approx(np.zeros(len(peaks)), abs=1e-6)


def test_the_cv_of_regular_trains_is_0_not_a_rounding_error():
    times = 30.1 * np.arange(1, 20)
    regular = npl.results.Spikes(np.tile(times, 2), np.repeat([1, 2], len(times)), [1, 2], 0.0, 600.0)
    assert npl.analysis.cv_isi(regular).max() > 0.0
    bars = {chart.title: chart for chart in activity.rates({"E": regular}, {})}["Mean CV of intervals"]
    assert bars.series[0]["values"] == [0.0]


def test_correlations_are_of_pairs_that_spike():
    times = np.array([10.0, 50.0, 90.0])
    same = npl.results.Spikes(np.tile(times, 3), np.repeat([1, 2, 3], 3), [1, 2, 3, 4], 0.0, 200.0)
    assert activity.correlations(same) == pytest.approx(np.ones(3))


def test_the_raster_leaves_out_neurons_not_times(monkeypatch):
    monkeypatch.setattr(activity, "MOST_DOTS", 100)
    spikes = poisson(40, 20.0, 1000.0)
    chart = activity.raster({"a": spikes})
    stride = -(-len(spikes) // 100)
    assert chart.note == f"one of {stride} neurons"
    assert len(values(chart.series[0]["x"])) == len(spikes.select(spikes.watched[::stride]))


def test_phases_and_loads_are_told_by_rank():
    result = {
        "timers_by_rank": {"run": [1.0, 1.0], "run_update": [0.5, 0.7], "run_wait": [0.0, 0.0], "build_fill": [0.1, 0.2]},
        "memory": {"synapses": 3_000_000, "traces": 0, "total": 3_000_000},
        "loads": {"synapses": [10.0, 30.0], "events": [0.0, 0.0]},
    }
    found = {chart.title: chart for _, chart in costs.costs(result)}
    assert found["Running"].series == [{"name": "update", "values": [0.5, 0.7]}]
    assert found["Memory of the network by kind, all ranks"].more["names"] == ["synapses"]
    assert found["Imbalance: largest load over mean"].series[0]["values"] == [1.5]
    assert set(found) == {"Building", "Running", "Memory of the network by kind, all ranks", "Imbalance: largest load over mean"} | {
        "Load: synapses, over the mean"
    }


def test_files_of_other_programs_are_left_alone(folder):
    path, _, _ = folder
    (path / "notes.txt").write_text("mine")
    assert set(read(path).spikes) == {"exc<b>", "streamed"}
