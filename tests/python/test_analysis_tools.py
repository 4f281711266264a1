# SPDX-License-Identifier: Apache-2.0
"""Results as objects of pandas, xarray, Arrow, Neo and Elephant: every spike, its node and its time are in them, and these libraries can use them."""

import numpy as np
import pytest
from bench import analysis_tools
from bench.sides import Settings

import neuropil as npl


@pytest.fixture(scope="module")
def spikes():
    """Poisson spikes of 50 nodes in 1 s, on the grid, some of them on edges of bins; one node is silent."""
    rng = np.random.default_rng(3)
    gids, steps = rng.integers(10, 59, 4000), rng.integers(1, 10_001, 4000)
    return npl.results.Spikes(steps * 0.1, gids, nodes=np.arange(10, 60), stop=1000.0, resolution=0.1, seed=7)


@pytest.fixture(scope="module")
def kinds():
    net = npl.Network(seed=1, threads=1)
    cells = net.create("iaf_psc_exp", 10, I_e=npl.uniform(400.0, 600.0))
    sent = net.record_weights()
    plastic = net.connect(cells, cells, npl.fixed_indegree(3), weight=10.0, synapse="stdp_synapse", weight_recorder=sent)
    kinds = {"spikes": net.record(cells), "trace": net.record(cells[:2], "V_m"), "bins": net.record(cells, "rate", bin=1.0)}
    kinds |= {"synapses": net.record(plastic, "weight", interval=5.0), "weights": sent}
    net.run(50.0)
    assert all(len(record) > 5 for record in kinds.values())
    return kinds


@pytest.mark.parametrize("kind", ["spikes", "trace", "bins", "synapses", "weights"])
def test_a_table_of_arrow_is_that_of_a_parquet_file(kinds, kind, tmp_path):
    import pyarrow as pa
    from pyarrow import parquet

    record = kinds[kind]
    table = record.to_arrow()
    assert table.num_rows == len(record) and pa.table(record).equals(table)
    record.save(tmp_path / "saved.parquet")
    saved = parquet.read_table(tmp_path / "saved.parquet")
    assert saved.equals(table) and saved.schema.metadata == table.schema.metadata
    parquet.write_table(table, tmp_path / "by_arrow.parquet")
    assert npl.open_results(tmp_path / "by_arrow.parquet").to_arrow().equals(table)


def test_arrow_shares_memory(spikes):
    table = spikes.to_arrow()
    assert table["time_ms"].chunk(0).buffers()[1].address == spikes.times.ctypes.data
    assert table["gid"].chunk(0).buffers()[1].address == spikes.gids.ctypes.data


def test_neo_takes_trains_as_objects_or_as_arrays(spikes):
    objects, arrays = spikes.to_neo(objects=True).spiketrains, spikes.to_neo().spiketrains
    assert len(objects) == len(arrays) == 50
    for gid, own, by_neo in zip(spikes.watched, objects, arrays, strict=True):
        assert np.array_equal(own.magnitude, by_neo.magnitude) and own.units == by_neo.units
        assert own.annotations["channel_id"] == by_neo.annotations["channel_id"] == gid
        assert (own.t_start, own.t_stop) == (by_neo.t_start, by_neo.t_stop)
    assert objects.segment is not None and len(objects[-1]) == 0


def test_neo_of_synapses_and_of_what_they_sent(kinds):
    trace, sent = kinds["synapses"], kinds["weights"]
    (signal,) = trace.to_neo().analogsignals
    assert np.array_equal(signal.magnitude, trace.values) and np.array_equal(signal.annotations["source"], trace.source)
    assert np.allclose(signal.times.rescale("ms").magnitude, trace.times)
    (events,) = sent.to_neo().events
    assert np.array_equal(events.rescale("ms").magnitude, sent.times)
    for name in ("source", "target", "weight", "receptor"):
        assert np.array_equal(events.array_annotations[name], getattr(sent, name))
    with pytest.raises(ValueError, match="read-only"):
        sent.times[0] = 1.0


def test_elephant_takes_counts_and_finds_what_it_finds_in_trains(spikes):
    """Elephant's bins hold their beginning, ours their end: trains that are a hair earlier have the same counts in both."""
    import quantities as pq
    from elephant import conversion, spike_train_correlation

    binned = spikes.to_elephant(5.0)
    assert np.array_equal(binned.to_array().T, npl.analysis.bin_counts(spikes, 5.0)[1]) and isinstance(binned, conversion.BinnedSpikeTrain)
    assert (float(binned.t_start), float(binned.t_stop), float(binned.bin_size)) == (0.0, 1000.0, 5.0)
    earlier = npl.results.Spikes(spikes.times - 1e-3, spikes.gids, spikes.watched, stop=1000.0)
    theirs = conversion.BinnedSpikeTrain(list(earlier.to_neo(objects=True).spiketrains), bin_size=5.0 * pq.ms)
    assert np.array_equal(theirs.to_array(), binned.to_array())
    some = slice(0, 5)
    ours, by_elephant = (spike_train_correlation.covariance(each[some]) for each in (binned, theirs))
    assert np.allclose(ours, by_elephant) and np.allclose(ours, np.cov(binned.to_array()[some]))


def test_elephant_of_a_part_and_of_no_time(spikes):
    part = spikes.select(spikes.watched[::-2], start=100.0, stop=303.0)
    binned = part.to_elephant(10.0)
    assert binned.shape == (25, 20) and np.array_equal(binned.to_array().T, npl.analysis.bin_counts(part, 10.0)[1])
    assert float(binned.t_start) == 100.0 and spikes.to_elephant().shape == (50, 200)
    with pytest.raises(npl.errors.BadParameter, match="width = 5000"):
        spikes.to_elephant(5000.0)


def test_the_benchmark_measures_every_tool(tmp_path):
    """Few spikes; processes of their own are the slow test's."""
    found = analysis_tools.measured("to_pandas", 1000, 10)
    assert found["seconds"] > 0.0 and found["kept"] >= 0 and {*found} == {"seconds", "kept", "peak"}
    assert {"to_pandas", "to_xarray", "to_arrow", "to_neo", "to_elephant"} <= {verb for verb, _ in analysis_tools.TOOLS.values()}


@pytest.mark.slow
def test_the_table_of_the_benchmark(tmp_path):
    section = analysis_tools.run(Settings(tmp_path, quick=True, repeats=1, threads=1))
    assert not section.errors and [len(table.rows) for table in section.tables] == [len(analysis_tools.TOOLS)]
