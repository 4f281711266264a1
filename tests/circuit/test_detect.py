# SPDX-License-Identifier: Apache-2.0
"""From a circuit to an edge file: the same bytes in any way of doing it, nothing lost when a run is killed, bad input told before or without loss."""

import hashlib
import signal
import subprocess
import sys
from pathlib import Path

import bluepysnap
import numpy as np
import pytest

from circuit import small
from neuropil.circuit import BadFile, Connections, DiskFull, EdgeFile, NodeFile, Plan, Selection, TouchOptions, detect_touches, read_config
from neuropil.circuit.columns import COLUMNS, SOURCE, TARGET
from neuropil.circuit.detect import config_beside
from neuropil.circuit.morphologies import APICAL, AXON, BASAL, Shelf
from neuropil.circuit.notes import Notes
from neuropil.circuit.placing import placed
from neuropil.errors import BadParameter, UnknownName
from thread_ranks import on_ranks, the_same


def found(config, folder, options=None, name="edges.h5", **given) -> dict[str, np.ndarray]:
    run = detect_touches(config, folder / name, options, ranks=None, **given)
    return EdgeFile(run.path).read(list(COLUMNS))


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def pairs(touches) -> list[tuple[int, int]]:
    return list(zip(touches[SOURCE].tolist(), touches[TARGET].tolist(), strict=True))


@pytest.mark.parametrize("spine", [0.0, 2.5])
@pytest.mark.parametrize("mode", ["tapered", "capsule"])
def test_crossing_sticks_touch_once(tmp_path, spine, mode):
    n, spacing = 10, 20.0
    touches = found(small.sticks(tmp_path, n, spacing), tmp_path, TouchOptions(spine_length=spine, mode=mode))
    assert pairs(touches) == [(a, n + b) for a in range(n) for b in range(n)]
    places = spacing * (np.arange(n) - (n - 1) / 2.0)
    # Without spines the overlap is shorter than any distance of boutons: the touch is in its middle. With them it is anywhere in the overlap.
    near = 1e-3 if spine == 0.0 else np.sqrt((0.6 + spine) ** 2 - 0.5**2) + 1e-3
    for side, height in (("efferent", 0.0), ("afferent", 0.5)):
        assert touches[f"{side}_center_x"] == pytest.approx(np.repeat(places, n), abs=1e-3 if side == "efferent" else near)
        assert touches[f"{side}_center_y"] == pytest.approx(height, abs=1e-3)
        assert touches[f"{side}_center_z"] == pytest.approx(np.tile(places, n), abs=1e-3 if side == "afferent" else near)
    assert (touches["efferent_section_type"] == AXON).all()
    assert (touches["afferent_section_type"] == BASAL).all()
    assert (touches["efferent_section_id"] == 1).all()
    assert (touches["spine_length"] <= spine + 1e-5).all()
    assert spine or not touches["spine_length"].any()  # the shapes themselves overlap: 0.5 um apart, radii 0.2 and 0.4
    # The axon of a cell begins at half the grid below its soma: that is where its path is counted from.
    assert touches["efferent_distance_soma"] == pytest.approx(np.tile(places, n) + spacing * n / 2.0, abs=near)


def test_touches_are_where_their_sections_are(column, column_edges):
    touches = EdgeFile(column_edges).read(list(COLUMNS))
    nodes = read_config(column).population()
    file = NodeFile(nodes)
    cells = file.read(range(file.n))
    shapes = Shelf(nodes.morphologies, Notes()).get(cells.morphologies)
    for k in np.linspace(0, len(touches[SOURCE]) - 1, 200).astype(int):
        for side, name, kinds in (("efferent", SOURCE, (AXON,)), ("afferent", TARGET, (1, BASAL, APICAL))):
            gid = int(touches[name][k])
            shape = shapes[cells.morphology[gid]]
            centre = [touches[f"{side}_center_{axis}"][k] for axis in "xyz"]
            assert touches[f"{side}_section_type"][k] in kinds
            section, segment = int(touches[f"{side}_section_id"][k]) - 1, int(touches[f"{side}_segment_id"][k])
            if section < 0:
                assert np.allclose(centre, cells.position[gid] + shape.soma_centre, atol=1e-3)
                continue
            assert shape.kind[section] == touches[f"{side}_section_type"][k]
            points = placed(shape, cells.rotation[gid], cells.position[gid])[shape.begin[section] : shape.begin[section + 1]]
            step = np.linalg.norm(np.diff(points, axis=0), axis=1)
            offset = touches[f"{side}_segment_offset"][k]
            assert -1e-3 <= offset <= step[segment] + 1e-3
            assert np.allclose(centre, points[segment] + (points[segment + 1] - points[segment]) * offset / step[segment], atol=2e-3)
            along = step[:segment].sum() + offset
            assert touches[f"{side}_section_pos"][k] == pytest.approx(along / step.sum(), abs=1e-4)
            lengths, path, up = shape.section_lengths(), along, shape.parent[section]
            while up >= 0:
                path, up = path + lengths[up], shape.parent[up]
            assert touches[f"{side}_distance_soma"][k] == pytest.approx(path, abs=1e-2)


def test_touches_are_sorted_and_never_of_a_cell_with_itself(column_edges):
    touches = EdgeFile(column_edges).read([SOURCE, TARGET])
    assert pairs(touches) == sorted(pairs(touches))
    assert (touches[SOURCE] != touches[TARGET]).all()
    assert len(Connections(EdgeFile(column_edges))) == len(set(pairs(touches))) > 100


# --- one result


@pytest.mark.parametrize("ranks", [2, 3, 4, 8])
@pytest.mark.parametrize("exchange", ["alltoallv", "neighbor", "nbx"])
def test_bytes_do_not_depend_on_ranks(column, column_edges, tmp_path, ranks, exchange):
    plan = Plan(threads=1, exchange=exchange, batch_size=23)
    the_same(on_ranks(ranks, lambda comm: detect_touches(column, tmp_path / "edges.h5", plan=plan, ranks=comm).touches))
    assert digest(tmp_path / "edges.h5") == digest(column_edges)
    assert config_beside(tmp_path / "edges.h5").exists()


@pytest.mark.parametrize("plan", [Plan(batch_size=1), Plan(batch_size=17, threads=2), Plan(batch_size=1000, memory_limit=1e6)])
def test_bytes_do_not_depend_on_batches_and_threads(column, column_edges, tmp_path, plan):
    detect_touches(column, tmp_path / "edges.h5", plan=plan, ranks=None)
    assert digest(tmp_path / "edges.h5") == digest(column_edges)


KILLED = """
import os, signal, sys
from neuropil import circuit
done = 0
def watch(state):
    global done
    if state.phase == "detecting":
        done += 1
        if done == {after}:
            os.kill(os.getpid(), signal.SIGKILL)
circuit.detect_touches({config!r}, {output!r}, plan=circuit.Plan(batch_size=9), watch=watch, ranks=None)
"""


@pytest.mark.parametrize(("after", "ranks"), [(1, 1), (3, 1), (3, 3)])
def test_a_killed_run_goes_on_where_it_was(column, column_edges, tmp_path, after, ranks):
    output = tmp_path / "edges.h5"
    code = KILLED.format(after=after, config=str(column), output=str(output))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert not output.exists()
    plan = Plan(batch_size=7, threads=1)
    if ranks == 1:
        run = detect_touches(column, output, plan=plan, ranks=None)
        results = [(run.resumed, run.batches)]
    else:
        runs = on_ranks(ranks, lambda comm: detect_touches(column, output, plan=plan, ranks=comm))
        results = [(run.resumed, run.batches) for run in runs]
    assert set(results) == {(9 * after, -(-(60 - 9 * after) // 7))}
    assert digest(output) == digest(column_edges)
    assert not output.with_name("edges.h5.spool").exists()


def test_a_run_that_was_killed_while_writing_only_writes(column, column_edges, tmp_path, monkeypatch):
    from neuropil.circuit import detect

    def killed(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(detect, "write_edges", killed)
        with pytest.raises(KeyboardInterrupt):
            detect_touches(column, tmp_path / "edges.h5", ranks=None)
    run = detect_touches(column, tmp_path / "edges.h5", ranks=None)
    assert (run.resumed, run.batches) == (60, 0)
    assert digest(tmp_path / "edges.h5") == digest(column_edges)


def test_a_full_disk_keeps_what_was_done(column, column_edges, tmp_path, monkeypatch):
    from neuropil.circuit import spool

    write, calls = spool.Spool.write, []

    def until_full(self, *given):
        calls.append(given)
        if len(calls) > 2:
            raise DiskFull("no room")
        return write(self, *given)

    with monkeypatch.context() as patch:
        patch.setattr(spool.Spool, "write", until_full)
        with pytest.raises(DiskFull):
            detect_touches(column, tmp_path / "edges.h5", plan=Plan(batch_size=20), ranks=None)
    run = detect_touches(column, tmp_path / "edges.h5", plan=Plan(batch_size=20), ranks=None)
    assert (run.resumed, run.batches) == (40, 1)
    assert digest(tmp_path / "edges.h5") == digest(column_edges)


LIMITED = """
import resource, sys
from neuropil import circuit
circuit.EdgeFile, circuit.detect_touches
import neuropil.circuit.edge_writer
resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))
try:
    circuit.detect_touches({config!r}, {output!r}, ranks=None)
except circuit.DiskFull as error:
    print("full:", error)
"""


def test_what_the_system_says_about_full_disks_is_told(column, tmp_path):
    code = LIMITED.format(config=str(column), output=str(tmp_path / "edges.h5"), limit=20_000)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.stdout.startswith("full:"), done.stdout + done.stderr
    assert "give the same command again" in done.stdout
    assert [path.name for path in tmp_path.iterdir()] == ["edges.h5.spool"]


def test_another_run_with_the_same_output_is_refused(column, tmp_path, monkeypatch):
    from neuropil.circuit import detect

    with monkeypatch.context() as patch:
        patch.setattr(detect, "write_edges", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            detect_touches(column, tmp_path / "edges.h5", ranks=None)
    with pytest.raises(BadFile, match="belongs to a run with another option seed"):
        detect_touches(column, tmp_path / "edges.h5", TouchOptions(seed=2), ranks=None)
    run = detect_touches(column, tmp_path / "edges.h5", TouchOptions(seed=2), plan=Plan(restart=True), ranks=None)
    assert (run.resumed, run.cells) == (0, 60)


# --- what is asked for


def test_selections_and_spaces(column, column_edges, tmp_path):
    everything = EdgeFile(column_edges).read([SOURCE, TARGET])
    file = NodeFile(read_config(column).population())
    sources, targets = file.of_mtypes(["L23_PC"]), file.of_mtypes(["L4_SS", "L5_TTPC"])
    some = found(column, tmp_path, pre=Selection(mtypes=["L23_PC"]), post=Selection(ids=targets))
    expected = [(s, t) for s, t in pairs(everything) if s in sources and t in targets]
    assert pairs(some) == expected
    autaptic = found(column, tmp_path, TouchOptions("autaptic"), "b.h5")
    mine = autaptic[SOURCE] == autaptic[TARGET]
    assert mine.any()
    assert [pair for pair, own in zip(pairs(autaptic), mine, strict=True) if not own] == pairs(everything)
    somata = found(column, tmp_path, TouchOptions(post=["soma"]), "c.h5")
    assert (somata["afferent_section_type"] == 1).all()
    dendrites = found(column, tmp_path, TouchOptions("dendrodendritic"), "d.h5")
    assert set(dendrites["efferent_section_type"]) <= {BASAL, APICAL}


def test_longer_spines_reach_further(column, column_edges, tmp_path):
    usual = EdgeFile(column_edges).n
    none = found(column, tmp_path, TouchOptions(spine_length=0.0))
    longer = found(column, tmp_path, TouchOptions(spines={"L5_TTPC": 4.0}), "b.h5")
    assert len(none[SOURCE]) < usual < len(longer[SOURCE])
    usual_touches = EdgeFile(column_edges).read([TARGET, "spine_length"])
    assert usual_touches["spine_length"].max() <= 2.5 + 1e-4
    ttpc = NodeFile(read_config(column).population()).of_mtypes(["L5_TTPC"])
    others = np.isin(longer[TARGET], ttpc, invert=True)
    assert longer["spine_length"][others].max() <= 2.5 + 1e-4
    assert 2.5 < longer["spine_length"][~others].max() <= 4.0 + 1e-4


def test_bluepysnap_opens_circuit_and_touches(column, column_edges):
    circuit = bluepysnap.Circuit(str(config_beside(column_edges)))
    edges = circuit.edges["All__All__chemical"]
    touches = EdgeFile(column_edges).read([SOURCE, TARGET, "afferent_section_id"])
    assert edges.size == len(touches[SOURCE])
    some = edges.get([0, 7], ["@source_node", "@target_node", "afferent_section_id"])
    assert some["@source_node"].tolist() == touches[SOURCE][[0, 7]].tolist()
    assert some["afferent_section_id"].tolist() == touches["afferent_section_id"][[0, 7]].tolist()
    target = int(touches[TARGET][0])
    assert edges.afferent_edges(target).tolist() == np.flatnonzero(touches[TARGET] == target).tolist()
    assert circuit.nodes["All"].size == 60
    assert circuit.nodes["All"].ids({"mtype": "L4_SS"}).tolist() == NodeFile(read_config(column).population()).of_mtypes(["L4_SS"]).tolist()


# --- bad input


@pytest.mark.parametrize("ranks", [1, 3])
def test_a_broken_morphology_ends_the_run_on_all_ranks(tmp_path, ranks):
    config = small.circuit(tmp_path, small.nodes(3, morphology=["ball", "none", "ball"]))
    results = on_ranks(ranks, lambda comm: detect_touches(config, tmp_path / "edges.h5", plan=Plan(threads=1), ranks=comm))
    for result in results:
        assert isinstance(result, BadFile)
        assert "none.swc: there is no such morphology" in str(result)
    assert not (tmp_path / "edges.h5").exists()


def test_what_is_wrong_is_told_before_the_work(column, tmp_path):
    for given, kind in (
        ({"population": "Al"}, UnknownName),
        ({"options": TouchOptions(spines={"L4_SX": 1.0})}, UnknownName),
        ({"pre": Selection(mtypes=["L4_SX"])}, UnknownName),
        ({"pre": Selection(node_set="Nobody")}, UnknownName),
        ({"post": Selection(ids=[60])}, BadParameter),
    ):
        with pytest.raises(kind):
            detect_touches(column, tmp_path / "edges.h5", ranks=None, **given)
    assert list(tmp_path.iterdir()) == []


def test_warnings_are_counted_and_strict_makes_them_errors(tmp_path):
    shapes = {"ball": small.BALL + "6 3 0 60 0 0.5 5\n", "bare": "1 1 0 0 0 5 -1\n2 3 0 5 0 0.5 1\n3 3 0 60 0 0.5 2\n"}
    columns = small.nodes(4, morphology=["ball", "bare", "ball", "bare"], orientation_w=np.array([1.0, 1.0, 1.0, 2.0]))
    config = small.circuit(tmp_path, columns, shapes)
    expected = [
        "1 morphology without axon in bare.swc",
        "1 quaternions that are not of length 1 (normalised) in nodes.h5, /nodes/All/0/orientation_w, node 3",
        "1 segments of zero length in ball.swc, first in section 2",
    ]
    for ranks in (1, 2):
        runs = on_ranks(ranks, lambda comm: detect_touches(config, tmp_path / "edges.h5", plan=Plan(threads=1), ranks=comm))
        assert the_same([run.notes for run in runs]) == expected
    with pytest.raises(BadFile, match="strict"):
        detect_touches(config, tmp_path / "strict.h5", plan=Plan(strict=True), ranks=None)
    assert not (tmp_path / "strict.h5").exists()


def test_cells_without_axons_find_nothing(tmp_path):
    config = small.circuit(tmp_path, small.nodes(2), {"ball": "1 1 0 0 0 5 -1\n2 3 0 5 0 0.5 1\n3 3 0 60 0 0.5 2\n"})
    run = detect_touches(config, tmp_path / "edges.h5", ranks=None)
    assert (run.touches, EdgeFile(run.path).n) == (0, 0)
    assert run.notes == ["1 morphology without axon in ball.swc"]


def test_more_ranks_than_cells(tmp_path):
    config = small.sticks(tmp_path, 1)
    the_same(on_ranks(5, lambda comm: detect_touches(config, tmp_path / "edges.h5", plan=Plan(threads=1), ranks=comm).touches))
    assert pairs(EdgeFile(tmp_path / "edges.h5").read([SOURCE, TARGET])) == [(0, 1)]


def test_the_run_tells_what_it_did(column, tmp_path):
    states = []
    run = detect_touches(column, tmp_path / "edges.h5", plan=Plan(batch_size=25), watch=states.append, ranks=None)
    assert [(state.cells, state.of) for state in states if state.phase == "detecting"] == [(25, 60), (50, 60), (60, 60)]
    assert states[-1].touches == run.touches == EdgeFile(run.path).n
    assert set(run.seconds) == {"reading", "indexing", "detecting", "spooling", "writing"}
    assert run.counters[0]["segments"] > 0
    assert repr(run).startswith(f"<TouchRun: {run.touches} touches of 60")
