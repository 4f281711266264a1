// SPDX-License-Identifier: Apache-2.0
/// Records of synapses in checkpoints, beside the tables themselves. Each is declared once, by a function visit(): it saves and loads.
#pragma once
#include "checkpoint/archive.hpp"
#include "pathways/pathway.hpp"
#include "pathways/weight_log.hpp"
#include "sim/slice.hpp"
#include "synapses/exact_trace.hpp"
#include "synapses/post_history.hpp"
#include "synapses/target_history.hpp"
#include "synapses/volume.hpp"

namespace npl::sim {

/// @param exact some table is of plastic synapses onto neurons that spike between grid points
inline void visit(checkpoint::Archive& a, pathways::Flight& f, bool exact) {
  static_assert(synapses::PreValues::most == 2);
  Step stamp = f.stamp();
  a("row", f.at), a("sent", f.sent), a("stamp", stamp), a("last", f.before.last);
  a("value0", f.before.value[0]), a("value1", f.before.value[1]), a("repeat", f.before.repeat), a("offset", f.offset);
  if (exact) a("last_offset", f.before.offset);
}

/// A recorded weight.
inline void visit(checkpoint::Archive& a, pathways::WeightEvent& e) {
  a("weight", e.weight), a("source", e.source), a("target", e.target), a("stamp", e.stamp), a("position", e.position), a("delay", e.delay);
}

/// Spikes in flight of one table whose rows are those of another distribution when it is drawn again.
struct Flights {
  std::int32_t spec = 0;
  std::vector<Gid> source;
  std::vector<Step> sent;
  std::vector<double> offset;

  void visit(checkpoint::Archive& a) {
    std::uint64_t n = source.size();
    a("spec", spec), a("n", n), a.values("source", source, n), a.values("sent", sent, n), a.values("offset", offset, n);
  }
};

/// Late input; its target by gid.
struct KeptLate {
  Gid target = 0;
  Late late{};

  void visit(checkpoint::Archive& a) {
    a("target", target), a("due", late.due), a("receptor", late.receptor), a("counts", late.counts), a("value", late.value);
    a("off_grid", late.off_grid), a("offset", late.offset);
  }
};

/// The spikes of a postsynaptic neuron, with its trace.
inline void visit(checkpoint::Archive& a, synapses::PostHistory& h) {
  auto n = static_cast<std::uint32_t>(h.stamp.size());
  a("spikes", n), a.values("stamp", h.stamp, n), a.values("trace", h.trace, n);
}
inline void visit(checkpoint::Archive& a, synapses::ExactHistory& h) {
  auto n = static_cast<std::uint32_t>(h.stamp.size());
  a("spikes", n), a.values("stamp", h.stamp, n), a.values("before", h.before, n), a.values("trace", h.trace, n);
}

/// What a neuron recorded for its synapses.
struct KeptTarget {
  Gid gid = 0;
  Step now = 0;
  synapses::KeptHistory kept;

  void visit(checkpoint::Archive& a) {
    std::uint64_t contributions = kept.contributions.stamp.size(), levels = kept.levels.size(), waiting = kept.waiting.size();
    a("gid", gid), a("now", now), a("contributions", contributions), a("levels", levels), a("waiting", waiting);
    a.values("stamp", kept.contributions.stamp, contributions), a.values("contribution", kept.contributions.value, contributions);
    a.values("level", kept.levels, levels), a.values("waited", kept.waiting, waiting);
  }
};

/// The spikes of a transmitter, with its concentration.
struct KeptVolume {
  synapses::Hearing of;
  std::vector<std::int32_t> stamps;
  std::vector<double> levels;

  void visit(checkpoint::Archive& a) { a("transmitter", of.transmitter), a("tau", of.tau), a("stamp", stamps), a("level", levels); }
};

}  // namespace npl::sim
