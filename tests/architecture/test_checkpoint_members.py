# SPDX-License-Identifier: Apache-2.0
"""Every member of the classes that make up a network's state is saved in checkpoints, or is known to follow from what is saved."""

import re

import pytest

from architecture.sources import CPP

# header: {class: (saved, derived)}; what is derived says why, in a word: "layout" (of memory, by the settings of the new network), "cache",
# "settings" (of the new network), "built" (when the network is built or attached again), "result" (times and the like, which decide nothing)
MEMBERS = {
    "sim/agreement.hpp": {
        "Progress": ("nodes projections step", {}),
        "Agreement": (
            "described_",
            {"comm_": "settings", "ranks_": "settings", "progress_": "saved as Progress", "reserve_": "empty again"},
        ),
    },
    "sim/context.hpp": {
        "Context": (
            "settings progress agreement slices waveform",
            {
                "channels_stale": "made anew",
                "comm": "settings",
                "guard": "settings",
                "changes": "of snapshots",
                "distribution": "settings",
                "team": "settings",
                "timers": "result",
                "pending_bytes": "nothing is pending: it is built",
                "prepared": "built",
                "stale": "built",
                "revalued": "built",
                "routed": "built",
                "sources_kept": "refused otherwise",
            },
        )
    },
    "sim/populations.hpp": {
        "Population": (
            "first n model devices area connected uniform varied",
            {"block": "layout", "group": "layout", "before": "layout", "work": "layout", "attached": "built"},
        ),
        "Populations": ("populations_", {"grouped_": "layout", "emitting_": "built", "opened_": "layout"}),
    },
    "devices/device.hpp": {
        "Setting": ("from values vectors frozen", {}),
        "Device": ("info gid created history tabled", {"resolution": "settings"}),
        "Targets": ("gid weight delay since count precise receptor by_sign link seed", {"local": "layout"}),
        "PartState": ("common width each", {}),
        "EmitterMemory": ("", {"window": "cache", "next": "cache"}),
    },
    "devices/device_set.hpp": {"DeviceSet": ("common_ objects_", {"mutex_": "none"})},
    "devices/own_train.hpp": {
        "OwnTrain": (
            "part_ next_ applied_ count_ current_",
            {"device_": "by gid", "events_": "of the step that was computed last, which is done"},
        )
    },
    "nodes/group.hpp": {
        "Group": (
            "model_ nodes_ parameters_ state_ frozen_",
            {
                "first_local_": "layout",
                "n_": "layout",
                "dt_": "settings",
                "changed_begin_": "built",
                "changed_end_": "built",
                "derived_": "built",
                "derived_columns_": "built",
                "uniform_": "built",
                "state_pointers_": "layout",
                "derived_pointers_": "layout",
                "held_": "cache",
                "ports_": "cache",
                "fast_": "built",
                "settling_": "cache",
            },
        )
    },
    "synapses/post_trace.hpp": {
        "PostTrace": (
            "tau_minus_ history_",
            {
                "decay_": "built",
                "lines_": "built",
                "kept_": "built",
                "read_": "cache",
                "unread_": "added to history_",
                "arrivals_": "cache",
            },
        )
    },
    "synapses/exact_trace.hpp": {
        "ExactHistory": ("stamp before trace", {}),
        "ExactTrace": ("tau_minus_ history_", {"decay_": "built", "kept_": "built"}),
    },
    "synapses/post_history.hpp": {"PostHistory": ("stamp trace", {})},
    "synapses/target_history.hpp": {
        "Contributions": ("stamp value", {}),
        "KeptHistory": ("contributions levels waiting", {}),
        "TargetHistory": (
            "now_ level_ waiting_ contributions_",
            {
                "first_": "layout",
                "n_": "layout",
                "quantities_": "of the model",
                "levels_": "built",
                "rows_": "of the model",
                "waits_": "built",
                "digests_": "computed from the levels when asked for",
                "kept_": "built",
                "constants_": "built",
                "are_alike_": "built",
            },
        ),
        "TargetHistories": ("all_", {}),
    },
    "synapses/rule.hpp": {"PreValues": ("last value repeat offset", {})},
    "tables/table_spec.hpp": {
        "TableSpec": (
            "synapse parameters varied receptor input weights uniform book order recorder off_grid resolution",
            {"plasticity": "built", "sub_step_delay": "built"},
        )
    },
    "tables/codebook.hpp": {
        "Codebook": ("values_ parts_", {"by_bits_": "built", "guard_": "cache", "in_fixed_": "cache"}),
    },
    "tables/edge_table.hpp": {
        "Run": ("delay length", {}),
        "EdgeTable": ("spec layout sources rows one_delay runs", {"run_begin": "built"}),
    },
    "pathways/pathway.hpp": {
        "Pathway": (
            "slice_ table_",
            {
                "longest_": "built",
                "busy_until_": "built",
                "declined_": "cache",
                "one_delay_": "built",
                "due_": "built",
                "always_": "built",
                "id_": "of the process",
            },
        ),
        "Flight": (
            "at sent before offset",
            {"early": "of edits", "emission": "of edits", "due": "of edits"},
        ),
    },
    "pathways/queued.hpp": {"Queued": ("calendar_", {})},
    "pathways/weight_log.hpp": {
        "WeightEvent": ("weight source target stamp position delay", {}),
        "WeightNote": ("weight position stamp", {}),
        "WeightLog": ("earlier notes", {"rows": "built", "targets": "built"}),
    },
    "record/recorded_spikes.hpp": {
        "Short": ("gid step", {}),
        "RecordedSpikes": ("short_list_ wide_list_", {"wide_": "of the recorder"}),
    },
    "record/spike_recorder.hpp": {
        "SpikeTrack": (
            "spikes_ offsets_",
            {"start_": "of the recorder", "stop_": "of the recorder", "first_": "built", "recorded_": "built", "restored_": "by load"},
        )
    },
    "record/state_recorder.hpp": {
        "Sampling": ("interval offset", {}),
        "StateTrack": ("values_", {"sampling_": "of the recorder", "sources_": "layout", "columns_": "built"}),
    },
    "sim/recorders.hpp": {
        "SpikeRecorder": ("nodes start stop target devices", {}),
        "StateRecorder": ("gids names sampling since target devices", {}),
        "DeviceOutput": ("node own next values spikes", {"device": "built"}),
        "WeightRecorder": ("sources targets", {}),
        "BinnedRecorder": ("kind nodes width first number", {}),
        "Recorders": (
            "spike_recorders_ state_recorders_ weight_recorders_ binned_recorders_",
            {"populations_": "saved there", "attached_": "built"},
        ),
    },
    "sim/table_specs.hpp": {
        "WeightRange": ("largest_ smallest_ smallest_static_ bounds_", {}),
        "TableSpecs": ("all book labels layers widened weights", {"by_hash": "cache", "hashed": "cache"}),
    },
    "sim/projection_book.hpp": {
        "ProjectionKind": ("synapse label receptor", {}),
        "ProjectionEntry": ("number kind layer sources targets pairs delay weight", {}),
        "ProjectionBook": ("entries_ has_unknown_", {"kinds_": "cache"}),
    },
    "sim/description.hpp": {
        "DeviceLink": (
            "devices targets pairs n_listed values key receptor count precise number projection",
            {"info": "of the devices", "listed": "of the parts", "at_once": "of the targets' model"},
        ),
        "DrawnCall": ("call number seed table negative_table first_code built", {}),
        "ConnectCall": (
            "pre post rule rule_params synapse synapse_params weight delay receptor double_weights label",
            {
                "varied_params": "never of drawn calls",
                "recorder": "never of drawn calls",
                "check_only": "never of drawn calls",
                "edges_of_all_ranks": "never of drawn calls",
                "identity": "of book_",
            },
        ),
        "Description": (
            "tables_ book_ links_ drawn_ listed_ turns_ min_delay_ max_delay_",
            {
                "populations_": "saved there",
                "recorders_": "saved there",
                "specs_": "of tables_",
                "labels_": "of tables_",
                "projections_": "all are built",
                "n_edges_": "all are built",
                "n_edges_of_all_": "all are built",
                "n_links_attached_": "all are attached",
                "samplers_": "cache",
                "to_list_": "empty between calls",
            },
        ),
    },
    "sim/slice.hpp": {
        "Slice": (
            "nodes_ groups_ pathways_ edited_ input_ components_ events_ n_spikes_",
            {
                "id_": "layout",
                "seed_": "settings",
                "sources_on_grid_": "settings",
                "host_": "of the members",
                "source_rows_": "built",
                "rows_": "built",
                "wave_rows_": "built",
                "iteration_": "of an iteration",
                "checks_": "refused otherwise",
                "outbox_": "delivered at the end of a run",
                "spare_": "room for outbox_",
                "emission_limit_": "settings",
            },
        ),
    },
    "sim/slice_input.hpp": {
        "SliceInput": (
            "scaled_for_ largest_",
            {
                "sums_": "zero between steps",
                "load_": "of the step that is done",
                "precise_events_": "empty between steps",
                "current_": "of the step that is done",
                "has_current_": "built",
                "scales_": "of scaled_for_",
                "most_": "built",
                "port_currents_": "of the step that is done",
                "currents_of_group_": "of the step that is done",
                "sums_of_group_": "of the step that is done",
                "scales_of_group_": "of the step that is done",
            },
        )
    },
    "sim/state_checks.hpp": {
        "StateChecks": ("", {"interval_": "settings", "found_": "refused otherwise", "stopped_": "empty between runs"})
    },
    "sim/binned.hpp": {
        "Bins": ("sums", {"width": "of the recorder", "first": "of the recorder"}),
        "Binned": ("all_", {"group_of_": "built", "groups_": "built", "sizes_": "built"}),
    },
    "sim/component.hpp": {
        "Host": (
            "nodes groups pathways input",
            {"dt": "settings", "looked_back": "built", "channels": "built"},
        ),
        "Component": ("", {"host_": "of the slice"}),
    },
    "sim/components/calcium.hpp": {"Calcium": ("", {"by_local_": "of Growing", "kinds_": "of Growing", "decay_": "cache"})},
    "sim/components/device_parts.hpp": {
        "AttachedPart": ("part receptor current link lag device turn until", {"stretch": "cache", "sends": "of the step that is done"}),
        "DeviceParts": ("all_", {"wakes_": "cache", "feeds_": "cache"}),
    },
    "sim/components/emitters.hpp": {
        "Emitter": ("device own", {"silent_until": "cache", "memory": "cache"}),
        "Emitters": ("all_", {"silent_until_": "cache"}),
    },
    "sim/components/group_histories.hpp": {
        "GroupHistories": ("all_", {"contributed_": "of the step that is done", "wait_": "built", "forget_at_": "cache"})
    },
    "sim/components/late_input.hpp": {
        "Late": ("due target receptor counts value off_grid offset", {}),
        "LateInput": ("all_", {}),
    },
    "sim/components/post_traces.hpp": {"PostTraces": ("on_grid_ exact_", {"read_by_": "cache", "forget_at_": "cache"})},
    "sim/components/spike_tracks.hpp": {"SpikeTracks": ("all_", {"index_": "built", "longest_part_": "of spikes since"})},
    "sim/components/state_tracks.hpp": {"StateTracks": ("all_", {"samplers_": "cache", "firsts_": "cache", "mapped_": "cache"})},
    "sim/components/third_factors.hpp": {"ThirdFactors": ("all_", {"forget_at_": "cache"})},
    "sim/runner.hpp": {
        "Runner": (
            "agreed_largest_",
            {
                "parts_": "saved there",
                "exchanger_": "built",
                "levels_": "built",
                "routed_nodes_": "built",
                "pace_": "settings",
                "paced_slices_": "settings",
                "times_": "result",
                "run_time_": "result",
                "clocks_": "result",
                "intervals_": "result",
                "failed_": "refused otherwise",
            },
        )
    },
    "growth/curve.hpp": {"Curve": ("shape rate eta eps psi tau_vacant continuous", {})},
    "growth/cell.hpp": {
        "Kind": ("name curve", {}),
        "Element": ("kind z", {"connected": "counted"}),
        "Cell": ("gid calcium tau beta at last_spike elements", {}),
    },
    "sim/growing.hpp": {
        "GrowCall": ("pre_element post_element autapses multapses synapses", {}),
        "Growing": (
            "names_ kinds_ holders_ rules_ cells_ interval_ on_ updated_ changes_",
            {
                "populations_": "saved there",
                "description_": "saved there",
                "connections_": "saved there",
                "post_": "made at construction",
                "kind_numbers_": "cache",
                "counted_": "cache",
                "attached_": "built",
            },
        ),
    },
    "connect/rule_params.hpp": {"RuleParams": ("values_", {})},
    "rng/distribution.hpp": {
        "ValueSpec": ("kind a b limit min max values shift factor bits", {"formula": "refused for devices, never of drawn calls"})
    },
}
NO_MEMBER = re.compile(r"^(using|friend|template|static|enum|struct|class|typedef|public|private|protected|explicit|virtual)\b")


def body_of(text: str, name: str) -> str:
    """What stands between the braces of a class."""
    found = re.search(rf"\b(?:class|struct)(?:\s+alignas\(\w+\))?\s+{name}\b[^;{{]*{{", text)
    assert found, name
    depth, at = 1, found.end()
    while depth:
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        at += 1
    return text[found.end() : at - 1]


def statements(body: str) -> list[str]:
    """Declarations of a class, without what stands in braces."""
    found, now, depth = [], "", 0
    for c in body:
        if c == "{":
            depth += 1
            now += "{" if depth == 1 else ""
        elif c == "}":
            depth -= 1
            now += "}" if depth == 0 else ""
            head = now[: now.rindex("{")]
            if depth == 0 and "(" in head and head.count("(") == head.count(")"):  # a function; else an initial value or a type
                now = ""
        elif depth == 0 and c == ";":
            found.append(now.strip())
            now = ""
        elif depth == 0:
            now += c
    return found


def members(text: str, name: str) -> set[str]:
    text = re.sub(r"//[^\n]*", "", text)
    names = set()
    for statement in statements(body_of(text, name)):
        statement = re.sub(r"^(public|private|protected)\s*:", "", re.sub(r"\s+", " ", statement)).strip()
        head = re.split(r"[={]", statement)[0]
        if not statement or "(" in head or (NO_MEMBER.match(statement) and not re.search(r"}\s*\w+$", statement)):
            continue
        plain = re.sub(r"\[[^]]*\]", "", statement)
        while (shorter := re.sub(r"<[^<>]*>|{[^{}]*}|\([^()]*\)", "", plain)) != plain:
            plain = shorter
        for declared in plain.split(","):
            names.add(re.search(r"(\w+)\s*$", declared.split("=")[0].strip())[1])
    return names


@pytest.mark.parametrize(("header", "name"), [(header, name) for header, classes in MEMBERS.items() for name in classes])
def test_every_member_is_saved_or_derived(header, name):
    saved, derived = MEMBERS[header][name]
    assert members((CPP / header).read_text(), name) == {*saved.split(), *derived}


def test_columns_of_tables_save_themselves():
    """All columns are declared, and saving is a loop over the declarations."""
    text = (CPP / "tables/columns.hpp").read_text()
    declared = set(re.findall(r'>\{"(\w+)"', text))
    assert declared == members(text, "Columns")
    assert "for_declared<Columns>" in (CPP / "tables/stored.cpp").read_text()
