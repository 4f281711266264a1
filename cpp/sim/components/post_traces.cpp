// SPDX-License-Identifier: Apache-2.0
#include "sim/components/post_traces.hpp"

#include <algorithm>

namespace npl::sim {

/// The trace of a time constant; made when there is none.
template <class Trace>
Trace* PostTraces::trace_of(std::vector<std::unique_ptr<Trace>>& traces, double tau) {
  for (auto& t : traces)
    if (t->tau_minus() == tau) return t.get();
  traces.push_back(std::make_unique<Trace>(host_.nodes.size(), tau, host_.dt));
  return traces.back().get();
}

void PostTraces::keep_for(const synapses::Plasticity& rule) {
  const auto keep = [&](auto& traces) {
    if (rule.tau_minus() > 0) trace_of(traces, rule.tau_minus());
    if (rule.tau_minus_triplet() > 0) trace_of(traces, rule.tau_minus_triplet());
  };
  rule.takes() == synapses::Takes::moments ? keep(exact_) : keep(on_grid_);
}

void PostTraces::carry(double tau, const std::map<Local, double>& from, Undo& undo) {
  const std::vector<bool> read = read_of(tau, SIZE_MAX);
  const auto carry_in = [&](auto& traces) {
    for (const auto& [node, before] : from) {
      const auto at = std::ranges::find_if(traces, [tau = before](const auto& t) { return t->tau_minus() == tau; });
      if (at == traces.end() || read[node]) continue;
      auto *source = at->get(), *to = trace_of(traces, tau);
      if constexpr (requires { source->add_unread(); }) source->add_unread(), to->add_unread();
      undo.note([to, node = node, kept = to->history(node)]() mutable { to->replace(node, std::move(kept)); });
      to->replace(node, source->history(node));
    }
  };
  carry_in(on_grid_), carry_in(exact_);
}

void PostTraces::lend(const tables::TableSpec& spec, pathways::Surroundings& around) {
  if (!spec.plasticity) return;
  const double tau = spec.plasticity->tau_minus(), tau_triplet = spec.plasticity->tau_minus_triplet();
  if (spec.plasticity->takes() == synapses::Takes::moments) {
    if (tau > 0) around.exact_post = trace_of(exact_, tau);
    if (tau_triplet > 0) around.exact_triplet = trace_of(exact_, tau_triplet);
    return;
  }
  if (tau > 0) around.post = trace_of(on_grid_, tau);
  if (tau_triplet > 0) around.post_triplet = trace_of(on_grid_, tau_triplet);
}

void PostTraces::prepare() {
  for (auto& t : on_grid_) t->resize(host_.nodes.size());
  for (auto& t : exact_) t->resize(host_.nodes.size());
  if (!on_grid_.empty() && !read_by_.are_of(host_.pathways)) find_read();
}

void PostTraces::read_all() {
  for (auto& t : on_grid_) t->set_read({});
  read_by_.forget();
}

/// Traces are up to date only for nodes with synapses that read these: relays may send most of the spikes, and have none.
void PostTraces::find_read() {
  read_by_.forget();
  constexpr std::size_t many = 64;
  for (auto& t : on_grid_) t->set_read(read_of(t->tau_minus(), many));
  read_by_.take(host_.pathways);
}

/// [nodes] whether synapses read the trace of this time constant. Tables with more than `many` synapses per node are taken to have some of
/// all nodes.
std::vector<bool> PostTraces::read_of(double tau, std::size_t many) const {
  const std::size_t n = host_.nodes.size();
  std::vector<bool> read(n);
  for (const auto& p : host_.pathways) {
    const tables::EdgeTable& t = p->table();
    const auto* rule = t.spec->plasticity.get();
    if (!rule || (rule->tau_minus() != tau && rule->tau_minus_triplet() != tau)) continue;
    if (t.n_synapses() / many > n) return std::vector<bool>(n, true);
    for (const std::uint16_t node : t.target) read[node] = true;
  }
  return read;
}

void PostTraces::after(Step, const SourcedSpikes& out, std::size_t first) {
  for (std::size_t i = first, end = first; i < out.spikes.size() && !on_grid_.empty(); i = end) {
    while (end < out.spikes.size() && out.spikes[end] == out.spikes[i]) ++end;  // relays repeat all spikes of a step
    for (auto& t : on_grid_) t->add(out.sources[i], static_cast<std::int32_t>(out.spikes[i].step + 1), end - i);
  }
  for (auto& t : exact_)  // spikes of neurons on the grid may have no offsets, and no synapse reads their exact traces
    for (std::size_t i = first; i < std::min(out.spikes.size(), out.offsets.size()); ++i)
      t->add(out.sources[i], {out.spikes[i].step + 1, out.offsets[i]});
}

void PostTraces::end(const PartSteps& part, SourcedSpikes&) {
  const auto forget = [&](auto& traces) {
    for (auto& t : traces) {
      if (t->kept() < forget_at_) continue;
      Step oldest = part.settled - host_.looked_back;
      for (const auto& p : host_.pathways) oldest = std::min(oldest, p->oldest_needed(t.get(), part.settled));
      t->forget(static_cast<std::int32_t>(std::clamp<Step>(oldest, 0, INT32_MAX)));
      forget_at_ = std::max(forget_at_, 2 * t->kept());
    }
  };
  forget(on_grid_), forget(exact_);
}

void PostTraces::resemble(const PostTraces& other) {
  for (const auto& t : other.on_grid_) on_grid_.push_back(std::make_unique<synapses::PostTrace>(0, t->tau_minus(), host_.dt));
  for (const auto& t : other.exact_) exact_.push_back(std::make_unique<synapses::ExactTrace>(0, t->tau_minus(), host_.dt));
}

void PostTraces::add_bytes(SliceBytes& bytes) const {
  for (const auto& t : on_grid_) bytes.traces += t->bytes();
  for (const auto& t : exact_) bytes.traces += t->bytes();
}

}  // namespace npl::sim
