// SPDX-License-Identifier: Apache-2.0
#include "sim/slice.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/memory.hpp"
#include "base/run_error.hpp"

namespace npl::sim {
namespace {

constexpr std::size_t piece_size = 1024;  ///< neurons whose sums stay in the L1 cache

devices::Stretch stretch_of(const nodes::Group& g, std::size_t begin, std::size_t n) {
  const Local from = g.first_local() + static_cast<Local>(begin);
  return {from, from + static_cast<Local>(n)};
}

}  // namespace

Slice::Slice(SliceId id, double dt_ms, std::uint64_t seed, bool sources_on_grid)
    : id_(id), dt_(dt_ms), seed_(seed), sources_on_grid_(sources_on_grid), steps_per_check_(std::max<Step>(1, std::lround(1.0 / dt_ms))) {}

void Slice::add_population(Gid first, Members members, const nodes::ModelInfo* model) {
  if (model) {
    hold(static_cast<std::size_t>(model->receptors));
    groups_.push_back(std::make_unique<nodes::Group>(*model, members, nodes_.size(), dt_));
  }
  nodes_.add(first, std::move(members));
}

/// Gives values to so many receptors.
void Slice::hold(std::size_t receptors) {
  if (receptors <= scales_.size()) return;
  sums_.resize(receptors), sums_of_group_.resize(receptors), scales_of_group_.resize(receptors);
  for (Largest* values : {&scaled_for_, &most_, &largest_, &outbox_[0].largest, &outbox_[1].largest}) values->resize(receptors);
  scales_.resize(receptors);  // last: if memory runs out, the next call goes on
}

void Slice::shrink(const Extent& to) noexcept {
  groups_.resize(to.groups);
  while (nodes_.blocks().size() > to.blocks) nodes_.drop_last();
  sums_.resize(to.receptors), sums_of_group_.resize(to.receptors), scales_of_group_.resize(to.receptors), scales_.resize(to.receptors);
  for (Largest* values : {&scaled_for_, &most_, &largest_, &outbox_[0].largest, &outbox_[1].largest}) values->resize(to.receptors);
}

void Slice::reshape(std::size_t group, const nodes::ModelInfo& model) {
  hold(static_cast<std::size_t>(model.receptors));
  const nodes::Group& before = *groups_[group];
  auto after = std::make_unique<nodes::Group>(model, before.nodes(), before.first_local(), dt_);
  after->inherit(before);
  groups_[group] = std::move(after);
}

void Slice::drop_last_population(bool neurons) {
  if (neurons) groups_.pop_back();
  nodes_.drop_last();
}

void Slice::prepare(const Largest& largest, const Largest& most, Delay max_delay) {
  hold(largest.size());
  std::copy(most.begin(), most.end(), most_.begin());
  rescale(largest);
  has_current_ = std::any_of(parts_.begin(), parts_.end(), [](const AttachedPart& p) { return p.current; });
  const Local n = nodes_.size();
  int receptors = 1;
  for (const auto& g : groups_) receptors = std::max(receptors, g->model().receptors);
  rows_ = takes_steps_one_by_one() ? 1 : steps_at_once(n);
  const std::size_t cells = static_cast<std::size_t>(std::max(rows_, wave_rows_)) * n;
  for (std::size_t r = 0; r < static_cast<std::size_t>(receptors); ++r) make_sums(r, cells);
  make_port_currents(cells);
  for (auto& t : traces_) t->resize(n);
  for (auto& t : exact_traces_) t->resize(n);
  if (has_current_ && current_.size() < cells) current_ = Buffer<double>(cells);
  for (auto& g : groups_) g->prepare();
  prepare_histories(max_delay);
  wakes_.assign(parts_.size(), 0);
  silent_until_ = 0;
  for (Emitter& e : emitters_) e.silent_until = 0;
  feeds_.clear();
  if (pathways_.size() >= pathways::SourceRows::few) source_rows_.prepare(pathways_);
  if (spike_tracks_.size() > 1 && track_index_.tracks() != spike_tracks_.size()) track_index_.make(spike_tracks_, n);
}

/// Where the input of a step depends on spikes of the one before (plasticity), or is a list of events, or values.
bool Slice::takes_steps_one_by_one() const {
  const auto one_by_one = [](const nodes::ModelInfo& m) {
    return m.precise || m.history || m.continuous || m.receptors > max_receptors || m.current_ports > 1;
  };
  return std::any_of(groups_.begin(), groups_.end(), [&](const auto& g) { return one_by_one(g->model()); }) ||
         std::any_of(pathways_.begin(), pathways_.end(), [](const auto& p) { return p->table().spec->plasticity; });
}

/// Steps from `step` on are taken at once until this one: states are looked at only at the end of it.
Step Slice::end_of_stretch(Step step, Step until) const {
  if (rows_ == 1) return step + 1;
  Step end = std::min(until, step + rows_);
  for (const auto& t : state_tracks_) end = std::min(end, t->sampling().next(step + 1));
  return end;
}

void Slice::list_feeds() {
  feeds_.assign(groups_.size(), {});
  for (AttachedPart& p : parts_) {
    p.stretch = p.part->stretch();
    for (std::size_t k = 0; k < groups_.size(); ++k)
      if (!p.stretch.within(stretch_of(*groups_[k], 0, groups_[k]->size())).empty()) feeds_[k].push_back(&p);
  }
}

namespace {

/// The events of a group.
std::span<const PreciseEvent> events_of(const std::vector<PreciseEvent>& events, const nodes::Group& g) {
  const auto before = [](const PreciseEvent& e, Local target) { return e.target < target; };
  const auto first = std::lower_bound(events.begin(), events.end(), g.first_local(), before);
  return {first, std::lower_bound(first, events.end(), g.first_local() + static_cast<Local>(g.size()), before)};
}

/// Local indices of the sources of the spikes that a group has just emitted.
void note_sources(const nodes::Group& g, SourcedSpikes& out) {
  for (std::size_t i = out.sources.size(); i < out.spikes.size(); ++i)
    out.sources.push_back(g.first_local() + static_cast<Local>(g.nodes().below(out.spikes[i].gid)));
}

}  // namespace

void Slice::update(Step from, Step until, std::size_t row, SourcedSpikes& out, RunClock& clock) {
  if (!precise_events_.empty()) sort_canonically(precise_events_);
  for (std::size_t k = 0; k < groups_.size(); ++k) {
    nodes::Group& g = *groups_[k];
    if (g.size() == 0) continue;
    nodes::GroupInput in = input_of(g, from, row);
    in.spikes = &out.spikes;
    in.steps = static_cast<std::size_t>(until - from), in.stride = nodes_.size();
    if (g.model().precise) {
      out.offsets.resize(out.spikes.size());
      in.events = events_of(precise_events_, g), in.offsets = &out.offsets;
    }
    if (channels_) in.taken = channels_->take(k, g, from);
    update(g, in, feeds_[k], clock);
    if (channels_) channels_->send(k, g, from);
    note_sources(g, out);
  }
  precise_events_.clear();
}

/// What parts send piece by piece is added to the sums just before these are used.
void Slice::update(nodes::Group& g, const nodes::GroupInput& in, const std::vector<AttachedPart*>& feeds, RunClock& clock) {
  if (feeds.empty()) return g.update(in);
  const std::size_t piece = g.in_pieces() ? piece_size : g.size();
  for (std::size_t begin = 0; begin < g.size(); begin += piece) {
    const std::size_t n = std::min(piece, g.size() - begin);
    for (AttachedPart* p : feeds)
      if (const auto here = p->stretch.within(stretch_of(g, begin, n)); p->sends && !here.empty()) p->part->add(here, input_of(*p, 0));
    if (is_loaded()) check_sums(g, begin, n, in.step, 0);
    clock.lap(RunPhase::devices);
    g.update(in, begin, n);
    clock.lap(RunPhase::update);
  }
}

void Slice::add_emitter(const devices::Device* device) {
  const bool of_itself = device->info->effect == devices::Effect::emits;
  emitters_.push_back({.device = device, .own = of_itself ? nullptr : std::make_unique<devices::OwnTrain>(*device, seed_)});
  silent_until_ = 0;
}

void Slice::emit(Step from, Step until, SourcedSpikes& out) {
  if (until <= silent_until_) return;
  silent_until_ = INT64_MAX;
  for (auto& [e, silent_until, memory, own] : emitters_) {
    if (until > silent_until) {
      const std::size_t before = out.spikes.size();
      silent_until = own ? own->emit(from, until, out) : e->info->emit(*e, from, until, memory, out.spikes);
      if (out.spikes.size() > before) note_emitted(*e, from, until, before, out);
    }
    silent_until_ = std::min(silent_until_, silent_until);
  }
}

/// Completes the spikes that a device has emitted, those from index `before` on.
void Slice::note_emitted(const devices::Device& d, Step from, Step until, std::size_t before, SourcedSpikes& out) const {
  out.sources.resize(out.spikes.size(), nodes_.local(d.gid));
  if (!d.info->offsets) return;
  const std::size_t known = out.offsets.size();
  out.offsets.resize(before);
  if (!d.info->offsets(d, from, until, out.offsets)) out.offsets.resize(std::min(known, before));
}

void Slice::note_calcium(const SourcedSpikes& out, std::size_t from) {
  for (std::size_t i = from; i < out.spikes.size(); ++i) {
    const Local local = out.sources[i];
    if (local >= calcium_.size() || !calcium_[local]) continue;
    const double offset = i < out.offsets.size() ? out.offsets[i] : 0.0;
    calcium_[local]->spike(static_cast<double>(out.spikes[i].step + 1) * dt_ - offset, *kinds_);
  }
}

void Slice::note(Diverged found) {
  if (!diverged_ || found.before(*diverged_)) diverged_ = std::move(found);
}

void Slice::check_states(Step stamp) {
  for (const auto& g : groups_)
    if (const auto found = g->diverged()) {
      note({stamp, g->nodes()[static_cast<std::int64_t>(found->index)], g->model().name, found->state, found->value});
      for (const std::size_t i : g->freeze_diverged()) stopped_.emplace_back(g.get(), i);
    }
}

void Slice::release_diverged() {
  for (const auto& [group, i] : stopped_) group->freeze(i, false);
  stopped_.clear();
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

void Slice::advance(Step from, Step until, int parity, Step settled, RunClock& clock) {
  Outbox& out = outbox(parity);
  out.clear();
  if (feeds_.size() != groups_.size()) list_feeds();
  std::size_t look = many_spikes;
  Step check = from / steps_per_check_ * steps_per_check_ + steps_per_check_ - 1;  // no division in every step
  for (Step step = from; step < until;) {
    const Step end = wave_rows_ ? step + 1 : end_of_stretch(step, std::min(until, check + 1));
    if (!wave_rows_) collect_input(step, end, clock);
    const std::size_t before = out.spikes.size();
    update(step, end, wave_rows_ ? static_cast<std::size_t>(step - from) * nodes_.size() : 0, out, clock);
    note_post_spikes(out, before);
    if (!calcium_.empty()) note_calcium(out, before);
    if (!histories_.all().empty()) record_histories(end);
    if (out.spikes.size() >= look) look = check_emitted(out);
    if (end > check) check_states(end), check += steps_per_check_;
    clock.lap(RunPhase::update);
    for (auto& t : state_tracks_) t->sample(end);
    if (!state_tracks_.empty()) clock.lap(RunPhase::record);
    step = end;
  }
  emit(from, until, out);
  if (spike_tracks_.size() == 1)
    spike_tracks_.front()->take(out, out.sources);
  else
    track_index_.take(spike_tracks_, out, out.sources);
  n_spikes_ += out.spikes.size();
  out.largest = largest_;
  forget_old_traces(settled);
  if (!histories_.all().empty()) forget_old_histories(settled);
  if (!volumes_.empty()) forget_heard(settled);
  clock.lap(RunPhase::record);
}

void Slice::schedule(const Emitted& emitted) {
  if (pathways_.size() < pathways::SourceRows::few)
    for (auto& p : pathways_) p->schedule(emitted);
  else
    source_rows_.schedule(pathways_, emitted);
  if (!volumes_.empty())
    for (const Spike& s : emitted.spikes) hear(s.gid, s.step);
}

void Slice::rescale(const Largest& largest) {
  for (std::size_t r = 0; r < largest.size(); ++r)
    if (largest[r] > scaled_for_[r]) {
      scaled_for_[r] = largest[r];
      scales_[r] = FixedScale::for_largest(largest[r]);
    }
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
  for (const auto& t : traces_) b.traces += t->bytes();
  for (const auto& t : exact_traces_) b.traces += t->bytes();
  for (const auto& h : histories_.all()) b.traces += h.bytes();
  for (const auto& v : volumes_) b.traces += v->bytes();
  for (const auto& p : parts_) b.devices += p.part->bytes();
  for (const auto& t : spike_tracks_) b.recordings += t->bytes();
  b.recordings += track_index_.bytes();
  for (const auto& t : state_tracks_) b.recordings += t->bytes();
  for (const auto& s : sums_) b.input += s.cells.bytes();
  b.input += current_.bytes();
  for (const auto& c : port_currents_) b.input += c.cells.bytes();
  b.in_flight += late_.capacity() * sizeof(Late);
  for (const auto& o : outbox_) b.in_flight += o.bytes();
  b.in_flight += precise_events_.capacity() * sizeof(PreciseEvent);
  return b;
}

}  // namespace npl::sim
