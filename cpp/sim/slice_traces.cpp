// SPDX-License-Identifier: Apache-2.0
/// Postsynaptic traces of a slice: made for the rules that read them, fed with spikes, trimmed.
#include <algorithm>

#include "sim/slice.hpp"
#include "synapses/exact.hpp"

namespace npl::sim {
namespace {

/// The trace of a time constant; made when there is none.
template <class Trace>
Trace* trace_of(std::vector<std::unique_ptr<Trace>>& traces, double tau_minus, std::size_t nodes, double dt) {
  for (auto& t : traces)
    if (t->tau_minus() == tau_minus) return t.get();
  traces.push_back(std::make_unique<Trace>(nodes, tau_minus, dt));
  return traces.back().get();
}

}  // namespace

void Slice::keep_traces(const synapses::Plasticity& rule) {
  const auto keep = [&](auto& traces) {
    if (rule.tau_minus() > 0) trace_of(traces, rule.tau_minus(), nodes_.size(), dt_);
    if (rule.single() && rule.single()->tau_minus_triplet() > 0) trace_of(traces, rule.single()->tau_minus_triplet(), nodes_.size(), dt_);
  };
  rule.single() && rule.single()->exact() ? keep(exact_traces_) : keep(traces_);
}

void Slice::keep_traces(double tau, double where) {
  const auto keep = [&](auto& traces) {
    if (std::ranges::any_of(traces, [&](const auto& t) { return t->tau_minus() == where; })) trace_of(traces, tau, nodes_.size(), dt_);
  };
  keep(traces_), keep(exact_traces_);
}

void Slice::carry_trace(Local node, double from, double to) {
  const auto carry = [&](auto& traces) {
    const auto at = std::ranges::find_if(traces, [&](const auto& t) { return t->tau_minus() == from; });
    if (at == traces.end() || from == to) return;
    const auto& source = **at;
    trace_of(traces, to, nodes_.size(), dt_)->replace(node, source.history(node));
  };
  carry(traces_), carry(exact_traces_);
}

/// Surroundings of a pathway, with the postsynaptic traces that its rule needs.
pathways::Surroundings Slice::surroundings(const tables::TableSpec& spec) {
  pathways::Surroundings around{nodes_, nullptr, nullptr, seed_};
  if (!spec.plasticity) return around;
  const synapses::SinglePlasticity* single = spec.single();
  const double tau = spec.plasticity->tau_minus(), tau_triplet = single ? single->tau_minus_triplet() : 0.0;
  if (single && single->exact()) {
    if (tau > 0) around.exact_post = trace_of(exact_traces_, tau, nodes_.size(), dt_);
    if (tau_triplet > 0) around.exact_triplet = trace_of(exact_traces_, tau_triplet, nodes_.size(), dt_);
    around.sources_on_grid = sources_on_grid_;
    return around;
  }
  if (tau > 0) around.post = trace_of(traces_, tau, nodes_.size(), dt_);
  if (tau_triplet > 0) around.post_triplet = trace_of(traces_, tau_triplet, nodes_.size(), dt_);
  if (single && single->reads_history()) around.histories = &histories_;
  if (single && single->hears().transmitter) around.volume = volume(single->hears());
  return around;
}

void Slice::note_post_spikes(const SourcedSpikes& out, std::size_t from) {
  for (auto& t : traces_)
    for (std::size_t i = from; i < out.spikes.size(); ++i) t->add(out.sources[i], static_cast<std::int32_t>(out.spikes[i].step + 1));
  for (auto& t : exact_traces_)  // neurons on the grid may be without offsets, and nothing reads what these leave here
    for (std::size_t i = from; i < std::min(out.spikes.size(), out.offsets.size()); ++i)
      t->add(out.sources[i], {out.spikes[i].step + 1, out.offsets[i]});
}

/// Drops old postsynaptic spikes that no row needs any more, nor a connection made later would, once there are many. They are kept for
/// synapses with silent sources.
void Slice::forget_old_traces(Step settled) {
  const auto forget = [&](auto& traces) {
    for (auto& t : traces) {
      if (t->kept() < forget_at_) continue;
      Step oldest = settled - looked_back_;
      for (const auto& p : pathways_) oldest = std::min(oldest, p->oldest_needed(t.get(), settled));
      t->forget(static_cast<std::int32_t>(std::clamp<Step>(oldest, 0, INT32_MAX)));
      forget_at_ = std::max(forget_at_, 2 * t->kept());
    }
  };
  forget(traces_), forget(exact_traces_);
}

}  // namespace npl::sim
