// SPDX-License-Identifier: Apache-2.0
#include "sim/levels.hpp"

#include <algorithm>
#include <limits>
#include <new>

namespace npl::sim {
namespace {

constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t intervals_without_others = 16;  ///< window without synapses between groups: ranks must still agree on stopping

/// Minimal delays of the synapses of this rank with sources inside and outside of the group.
struct Reach {
  std::int64_t inside = never, outside = never;
};

Reach reach_of(const Slices& slices, const Owners& owners, RankRange group) {
  Reach reach;
  for (const auto& s : slices)
    for (const auto& p : s->pathways())
      p->table().sources.for_each([&](std::uint32_t row, Gid gid) {
        std::int64_t& least = group.has(owners.rank(gid)) ? reach.inside : reach.outside;
        least = std::min<std::int64_t>(least, p->table().first_delay(row) - (p->table().spec->sub_step_delay > 0.0));
      });
  return reach;
}

}  // namespace

ExchangeSettings inside_groups(const ExchangeSettings& settings) {
  ExchangeSettings s = settings;
  if (settings.local.empty()) return s;
  s.strategy = settings.local;
  s.phases = 1;
  s.conservation = exchange::Conservation::allreduce;
  s.buffer_bytes = 0;
  return s;
}

Levels::Levels(std::shared_ptr<comm::Communicator> comm, const ExchangeSettings& settings)
    : world_(std::move(comm)), settings_(inside_groups(settings)) {}

/// Sets window_ and local_interval_; returns the minimal delay inside this group [steps].
std::int64_t Levels::measure(const Slices& slices, const Owners& owners, RankRange group) {
  const Reach mine = reach_of(slices, owners, group);
  std::int64_t inside = mine.inside, all[] = {mine.outside, mine.inside};
  group_->allreduce(std::span<std::int64_t>(&inside, 1), comm::Op::min);
  world_->allreduce(std::span<std::int64_t>(all), comm::Op::min);
  const auto [outside, least] = all;
  window_ = 0;
  // Transmitters must be heard with the spikes of any source; values are exchanged by all ranks.
  const bool hears = !slices.empty() && (!slices.front()->volumes().empty() || slices.front()->sends_values());
  if (least == never || outside < 2 * least || hears) return inside;  // one level needs as few exchanges of all ranks
  window_ = static_cast<Step>(outside == never ? intervals_without_others * least : outside / least * least);
  local_interval_ = static_cast<Step>(std::min<std::int64_t>(inside, window_));
  return inside;
}

void Levels::build(const Slices& slices, const Owners& owners, RankRange group, const Router::Making& making, Router& all) {
  const int me = world_->rank();
  talks_ = false;
  window_ = 0;
  if (group.size() == world_->size()) return all.build(slices, owners, making);
  if (!group_) group_ = world_->split(group.first);
  const std::int64_t inside = measure(slices, owners, group);
  if (!two()) return all.build(slices, owners, making);
  kept_.resize(slices.size());
  local_.emplace(*group_, settings_);
  talks_ = local_->active() && inside != never;
  // Each level treats the sources of the other level as local, so that it makes no routes for them.
  const auto in_group = [&](Gid gid) {
    const int rank = owners.rank(gid);
    return (group.has(rank) ? rank : me) - group.first;
  };
  if (talks_) build_local(slices, {in_group, 1, me - group.first}, making);
  const auto elsewhere = [&](Gid gid) {
    const int rank = owners.rank(gid);
    return group.has(rank) ? me : rank;
  };
  all.build(slices, {elsewhere, 1, me}, {window_, making.highest, making.precise, making.team, making.pool}, group);
}

/// Ranks of other groups do not take part in the messages of this one, so a failure in here would leave its ranks waiting.
void Levels::build_local(const Slices& slices, const Owners& owners, const Router::Making& making) {
  try {
    local_->build(slices, owners, {local_interval_, making.highest, making.precise, making.team, making.pool});
  } catch (const std::bad_alloc&) {
    world_->abort(1, "out of memory while routes inside groups of ranks are made");
  }
}

Step Levels::end_of_part(Step from) const {
  const Step begin = from / window_ * window_;
  return std::min(begin + ((from - begin) / local_interval_ + 1) * local_interval_, begin + window_);
}

void Levels::keep(Slice& slice, int parity) { kept_[slice.id()].append(slice.outbox(parity)); }

void Levels::exchange(const Slices& slices, int parity, Step from, Step until) {
  if (!talks_) return;
  local_->start(slices, parity, from, until);
  local_->finish();
}

void Levels::schedule(Slice& slice) const {
  if (talks_) local_->schedule(slice);
}

std::size_t Levels::bytes() const {
  std::size_t total = talks_ ? local_->bytes() : 0;
  for (const auto& spikes : kept_) total += spikes.bytes();
  return total;
}

}  // namespace npl::sim
