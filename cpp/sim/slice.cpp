// SPDX-License-Identifier: Apache-2.0
#include "sim/slice.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/memory.hpp"
#include "base/run_error.hpp"

namespace npl::sim {
namespace {

constexpr std::size_t piece_size = 1024;  ///< neurons whose sums stay in the L1 cache

}  // namespace

Slice::Slice(SliceId id, double dt_ms, std::uint64_t seed, bool sources_on_grid)
    : id_(id),
      seed_(seed),
      sources_on_grid_(sources_on_grid),
      host_{nodes_, groups_, pathways_, input_, dt_ms},
      components_(host_),
      checks_(dt_ms) {}

void Slice::add_population(Gid first, Members members, const nodes::ModelInfo* model) {
  if (model) {
    hold(static_cast<std::size_t>(model->receptors));
    groups_.push_back(std::make_unique<nodes::Group>(*model, members, nodes_.size(), host_.dt));
  }
  nodes_.add(first, std::move(members));
}

/// Gives values to so many receptors.
void Slice::hold(std::size_t receptors) {
  if (receptors <= input_.receptors()) return;
  for (Outbox& out : outbox_) out.largest.resize(receptors);
  input_.hold(receptors);  // last: if memory runs out, the next call goes on
}

void Slice::shrink(const Extent& to) noexcept {
  groups_.resize(to.groups);
  while (nodes_.blocks().size() > to.blocks) nodes_.drop_last();
  input_.shrink(to.receptors);
  for (Outbox& out : outbox_) out.largest.resize(to.receptors);
}

void Slice::reshape(std::size_t group, const nodes::ModelInfo& model) {
  hold(static_cast<std::size_t>(model.receptors));
  const nodes::Group& before = *groups_[group];
  auto after = std::make_unique<nodes::Group>(model, before.nodes(), before.first_local(), host_.dt);
  after->inherit(before);
  groups_[group] = std::move(after);
}

void Slice::drop_last_population(bool neurons) {
  if (neurons) groups_.pop_back();
  nodes_.drop_last();
}

void Slice::prepare(const Largest& largest, const Largest& most, Delay max_delay) {
  hold(largest.size());
  input_.set_most(most);
  rescale(largest);
  rows_ = takes_steps_one_by_one() ? 1 : steps_at_once(nodes_.size());
  input_.make(groups_, room());
  for (auto& g : groups_) g->prepare();
  host_.looked_back = std::max<Step>(host_.looked_back, 2 * Step{max_delay} + 1);
  components_.prepare();
  if (pathways_.size() >= pathways::SourceRows::few) source_rows_.prepare(pathways_);
}

SliceInput::Room Slice::room() const {
  const auto& devices = components_.get<DeviceParts>();
  const auto rows = static_cast<std::size_t>(std::max(rows_, wave_rows_));
  return {nodes_.size(), rows, wave_rows_ > 0, devices.sends_current(), devices.largest_port()};
}

/// Where the input of a step depends on spikes of the one before (plasticity), or is a list of events, or values.
bool Slice::takes_steps_one_by_one() const {
  const auto one_by_one = [](const nodes::ModelInfo& m) {
    return m.precise || m.history || m.continuous || m.receptors > max_receptors || m.current_ports > 1;
  };
  return std::any_of(groups_.begin(), groups_.end(), [&](const auto& g) { return one_by_one(g->model()); }) ||
         std::any_of(pathways_.begin(), pathways_.end(), [](const auto& p) { return p->table().spec->plasticity; });
}

namespace {

/// The events of a group.
std::span<const PreciseEvent> events_of(const std::vector<PreciseEvent>& events, const nodes::Group& g) {
  const auto before = [](const PreciseEvent& e, Local target) { return e.target < target; };
  const auto first = std::lower_bound(events.begin(), events.end(), g.first_local(), before);
  return {first, std::lower_bound(first, events.end(), g.first_local() + static_cast<Local>(g.size()), before)};
}

}  // namespace

void Slice::update(Step from, Step until, std::size_t row, SourcedSpikes& out, RunClock& clock) {
  std::vector<PreciseEvent>& events = input_.precise_events();
  if (!events.empty()) sort_canonically(events);
  const auto& devices = components_.get<DeviceParts>();
  for (std::size_t k = 0; k < groups_.size(); ++k) {
    nodes::Group& g = *groups_[k];
    if (g.size() == 0) continue;
    nodes::GroupInput in = input_of(g, from, row);
    in.spikes = &out;
    in.steps = static_cast<std::size_t>(until - from), in.stride = nodes_.size();
    if (in.steps > 1) in.sampler = components_.get<StateTracks>().sampler(k);
    if (g.model().precise) {
      out.offsets.resize(out.spikes.size());
      in.events = events_of(events, g), in.offsets = &out.offsets;
    }
    if (host_.channels) in.taken = host_.channels->take(k, g, from);
    devices.feeds(k).empty() ? g.update(in) : update_in_pieces(k, in, clock);
    if (host_.channels) host_.channels->send(k, g, from);
  }
  events.clear();
}

/// What devices send piece by piece is added to the sums just before these are used.
void Slice::update_in_pieces(std::size_t group, const nodes::GroupInput& in, RunClock& clock) {
  nodes::Group& g = *groups_[group];
  DeviceParts& devices = components_.get<DeviceParts>();
  const std::size_t piece = g.in_pieces() && !g.model().integrated ? piece_size : g.size();
  for (std::size_t begin = 0; begin < g.size(); begin += piece) {
    const std::size_t n = std::min(piece, g.size() - begin);
    for (const AttachedPart* p : devices.feeds(group)) devices.feed(*p, stretch_of(g, begin, n));
    if (input_.is_loaded()) check_sums(g, begin, n, in.step, 0);
    clock.lap(RunPhase::devices);
    g.update(in, begin, n);
    clock.lap(RunPhase::update);
  }
}

namespace {
constexpr std::size_t many_spikes = std::size_t{1} << 20;
}

/// Checks the memory of emitted spikes: neurons that relay spikes to one another can multiply them within a part. Returns the number of
/// spikes at which to check again.
std::size_t Slice::check_emitted(const Emitted& out) const {
  const auto needed = 2.0 * static_cast<double>(out.bytes());
  double left = available_memory();
  if (emission_limit_ > 0) left = std::min(left, emission_limit_);
  if (needed > left)
    throw TooLarge("run: " + std::to_string(out.spikes.size()) + " spikes emitted within one minimal delay; to go on it", needed, left);
  return 2 * out.spikes.size();
}

/// Sources whose rows lie side by side are looked up one after the other: so they are in cache, where many spike.
void Slice::sort_by_source(SourcedSpikes& out) {
  constexpr std::size_t few = 1024, rare = 16;  // spikes; nodes per spike
  if (out.spikes.size() >= few && out.spikes.size() * rare >= nodes_.size()) out.sort_by_source(nodes_.size(), spare_);
}

void Slice::advance(Step from, Step until, int parity, Step settled, RunClock& clock) {
  Outbox& out = outbox(parity);
  out.clear();
  components_.get<DeviceParts>().begin();
  std::size_t look = many_spikes;
  Step check = checks_.first_from(from);  // no division in every step
  for (Step step = from; step < until;) {
    const Step end = wave_rows_ ? step + 1 : std::min({until, check + 1, step + rows_});
    const bool one_step = end == step + 1;
    if (!wave_rows_) collect_input(step, end, clock);
    if (!one_step) components_.get<StateTracks>().begin(step, end);
    const std::size_t first = out.spikes.size();
    update(step, end, wave_rows_ ? static_cast<std::size_t>(step - from) * nodes_.size() : 0, out, clock);
    for (Component* c : components_.in(after_stretch)) c->after(end, out, first);
    if (out.spikes.size() >= look) look = check_emitted(out);
    if (end > check) checks_.look(groups_, end), check += checks_.interval();
    clock.lap(RunPhase::update);
    if (one_step) sample(end, clock);
    step = end;
  }
  for (Component* c : components_.in(end_of_part)) c->end({from, until, settled}, out);
  if (until - from > 1) sort_by_source(out);
  n_spikes_ += out.spikes.size();
  out.largest = input_.largest();
  clock.lap(RunPhase::record);
}

void Slice::sample(Step stamp, RunClock& clock) {
  const Components::Called called = components_.in(sampling);
  if (called.empty()) return;
  for (Component* c : called) c->sample(stamp);
  clock.lap(RunPhase::record);
}

void Slice::schedule(const Emitted& emitted) {
  if (pathways_.size() < pathways::SourceRows::few)
    for (auto& p : pathways_) p->schedule(emitted);
  else
    source_rows_.schedule(pathways_, emitted);
  for (Component* c : components_.in(arrival)) c->arrive(emitted);
}

Slice::Bytes Slice::bytes() const {
  Bytes b;
  for (const auto& g : groups_) b.neurons += g->bytes();
  for (const auto& p : pathways_) {
    b.synapses += p->table().payload_bytes();
    b.index += p->table().index_bytes();
    b.in_flight += p->bytes();
    if (p->log()) b.recordings += p->log()->bytes();
  }
  b.index += source_rows_.bytes();
  b.in_flight += source_rows_.buffer_bytes();
  b.input += input_.bytes();
  for (const auto& o : outbox_) b.in_flight += o.bytes();
  b.in_flight += spare_.bytes();
  b.in_flight += input_.event_bytes();
  components_.add_bytes(b);
  return b;
}

}  // namespace npl::sim
