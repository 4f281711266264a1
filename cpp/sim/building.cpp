// SPDX-License-Identifier: Apache-2.0
/// build(): tables of what was connected since the last build, devices' parts, recorders; scales of the fixed point.
#include <algorithm>
#include <chrono>
#include <map>
#include <thread>

#include "sim/network.hpp"

namespace npl::sim {

/// The targets of device d of a link that live in a slice, by receptor and delay.
std::map<std::pair<int, Delay>, devices::Targets> Network::local_targets(const Slice& slice, const Link& link, std::int64_t d) {
  std::map<std::pair<int, Delay>, devices::Targets> parts;
  const bool current = link.devices.front()->info->effect == devices::Effect::current;
  const bool one_weight = link.values.weight.is_constant() && link.values.weight.kind != rng::Kind::array;
  const connect::NodeSet targets = link.pairs ? connect::NodeSet({{link.targets[d], 1, 1}}) : link.targets;
  targets.for_each_in(slice.nodes(), [&](std::int64_t k, Gid gid, Local local) {
    const auto [weight, delay] = link.value(d, k, gid);
    devices::Targets& t = parts[{current ? 0 : link.receptor >= 0 ? link.receptor : weight < 0 ? 1 : 0, delay}];
    t.local.push_back(local);
    t.gid.push_back(gid);
    if (!one_weight || t.weight.empty()) t.weight.push_back(weight);
  });
  return parts;
}

void Network::attach_link(Slice& slice, const Link& link) const {
  for (std::size_t d = 0; d < link.devices.size(); ++d) {
    const devices::Device& device = *link.devices[d];
    for (auto& [key, targets] : local_targets(slice, link, static_cast<std::int64_t>(d))) {
      targets.local.shrink_to_fit(), targets.gid.shrink_to_fit(), targets.weight.shrink_to_fit();
      targets.delay = key.second;
      targets.since = step_;
      targets.count = link.count;
      targets.precise = link.precise;
      targets.receptor = key.first;
      targets.link = link.number;
      targets.seed = settings_.seed;
      const bool current = device.info->effect == devices::Effect::current;
      slice.add_part({device.info->make_part(device, std::move(targets)), key.first, current, link.number, key.second + (current ? 1 : 0)});
    }
  }
}

void Network::attach_links() {
  for (; n_links_attached_ < links_.size(); ++n_links_attached_) {
    const Link& link = *links_[n_links_attached_];
    team_.run([&](int thread) { for_own_slices(thread, [&](Slice& slice) { attach_link(slice, link); }); });
  }
  for (auto& p : populations_)
    for (auto& d : p->devices)
      if (d->info->effect == devices::Effect::emits && !emitting_.contains(d->gid)) {
        for (auto& s : slices_)
          if (s->nodes().local(d->gid) != Residents::none) s->add_emitter(d.get());
        emitting_.insert(d->gid);
      }
}

void Network::attach_recorders() {
  for (; spike_recorders_attached_ < spike_recorders_.size(); ++spike_recorders_attached_) {
    const SpikeRecorder& r = spike_recorders_[spike_recorders_attached_];
    for (auto& s : slices_) {
      auto track = std::make_unique<record::SpikeTrack>(r.start, r.stop);
      r.nodes.for_each_in(s->nodes(), [&](std::int64_t, Gid, Local local) { track->add_node(local, s->nodes().size()); });
      s->spike_tracks().push_back(std::move(track));
    }
  }
  for (; state_recorders_attached_ < state_recorders_.size(); ++state_recorders_attached_) {
    const StateRecorder& r = state_recorders_[state_recorders_attached_];
    for (auto& s : slices_) s->state_tracks().push_back(std::make_unique<record::StateTrack>(r.sampling));
    for (std::size_t i = 0; i < r.gids.size(); ++i) {
      const Population& p = population_of(r.gids[i], "nodes");
      const Seat seat = seat_of(r.gids[i], p);
      if (!seat.group) continue;
      for (std::size_t k = 0; k < r.names.size(); ++k)
        for (std::size_t q = 0; q < p.model->state.size(); ++q)
          if (p.model->state[q].name == r.names[k])
            seat.slice->state_tracks().back()->add(&seat.group->state(q)[seat.at], i * r.names.size() + k);
    }
  }
}

/// Returns false when poll asked to stop; the tables are made all the same.
/// @param pools by thread: memory for edges that are being sorted, left for those who come after
bool Network::build_tables(const Poll& poll, std::vector<SlabPool>& pools) {
  tables_before_.clear();
  for (const auto& s : slices_) tables_before_.push_back(s->deliverers().size());
  if (projections_.empty()) return true;
  double expected = 0;
  for (const auto& p : projections_) expected += p->rule->expected_edges();
  std::atomic<std::uint64_t> done{0};
  std::atomic<int> running{team_.size()};
  std::vector<PhaseTimer<connect::BuildPhase>> timers(static_cast<std::size_t>(team_.size()));
  std::vector<std::vector<std::unique_ptr<deliver::EdgeTable>>> tables(slices_.size());
  const Gid stride = distribution_->stride(ranks());
  const deliver::SourceOrder order{stride, (n_nodes() + stride - 1) / stride};
  const auto threads = static_cast<SliceId>(team_.size());
  const auto work = [&](int thread) {
    try {
      SlabPool& pool = pools[static_cast<std::size_t>(thread)];
      for_own_slices(thread, [&](Slice& slice) {
        connect::SliceBuilder builder(slice.nodes(), projections_, specs_, {settings_.layout, settings_.sorted, order, &pool, slice.id() + threads >= n_slices()});
        tables[slice.id()] = builder.build(done, timers[static_cast<std::size_t>(thread)]);
      });
    } catch (...) {
      running.fetch_sub(1);
      throw;
    }
    running.fetch_sub(1);
  };
  bool wanted = true;
  run_watched(work, running, [&] { wanted = (!poll || poll("building", done.load(), static_cast<std::uint64_t>(2 * expected))) && wanted; });
  for (std::size_t s = 0; s < slices_.size(); ++s)
    for (auto& t : tables[s]) slices_[s]->add_table(std::move(t));
  for (auto& s : slices_) choose_in(*s);
  static constexpr const char* names[] = {"build_count", "build_place", "build_fill", "build_sort"};
  for (std::size_t k = 0; k < 4; ++k) {
    double sum = 0;
    for (const auto& t : timers) sum += t[static_cast<connect::BuildPhase>(k)];
    timers_[names[k]] += sum / team_.size();
  }
  projections_.clear();
  return wanted;
}

/// Runs work on the team while the caller's thread polls: the caller may not be part of the work, since it must answer signals.
void Network::run_watched(const std::function<void(int)>& work, std::atomic<int>& running, const std::function<void()>& poll) {
  std::exception_ptr error;
  std::thread runner([&] {
    try {
      team_.run(work);
    } catch (...) {
      error = std::current_exception();
    }
  });
  double last = seconds_now();
  while (running.load() > 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (seconds_now() - last < 0.05) continue;
    last = seconds_now();
    poll();
  }
  runner.join();
  if (error) std::rethrow_exception(error);
}

bool Network::build(const Poll& poll) {
  const double start = seconds_now();
  const bool routes_stale = !routed_ || n_nodes() != routed_nodes_;
  if (settings_.counting) throw IllegalConnection("build: this network only counts what is described");
  std::vector<SlabPool> pools;
  bool wanted = true;
  if (routes_stale) check_build();
  together("build", [&] {
    pools = std::vector<SlabPool>(static_cast<std::size_t>(team_.size()));
    prepared_ = true;
    wanted = build_tables(poll, pools);
    release_heap();  // lists of sources that grew, before routes need as much
    const double tables = seconds_now();
    prepare_slices();
    attach_links();
    const double devices = seconds_now();
    attach_recorders();
    prepare_slices();
    timers_["build_devices"] += devices - tables;
    timers_["build_prepare"] += seconds_now() - devices;
  });
  if (routes_stale) or_abort("while routes are made", [&] { route(pools[0]); });
  pools.clear();
  release_heap();  // lists that routes were made from: half as much as what stays
  timers_["build"] += seconds_now() - start;
  if (ranks() == 1 || !routes_stale) return wanted;
  wanted = wanted && (!poll || poll("building", 1, 1));
  RunVerdict verdict;
  or_abort("at the end of a build", [&] { verdict = agree_on_end(*comm_, {.stopped = !wanted}, "build", settings_.resolution); });
  if (verdict.error) std::rethrow_exception(verdict.error);
  return wanted;
}

void Network::prepare_slices() {
  team_.run([&](int thread) { for_own_slices(thread, [&](Slice& s) { s.prepare(largest_); }); });
}

Mirror Network::mirror() const {
  std::vector<MirroredPopulation> all;
  for (const auto& p : populations_) all.push_back({p->first, p->n});
  return {*distribution_, std::move(all), slices_, ranks()};
}

/// Tells the ranks of the sources what this rank wants to hear (Jordan 2018, section 3.1.3), and counts the synapses of all ranks.
void Network::route(SlabPool& pool) {
  const double start = seconds_now();
  routed_nodes_ = n_nodes();
  count_synapses();
  if (comm_->mirrored()) exchanger_.set_mirror(mirror());
  levels_.build(slices_, {[this](Gid gid) { return rank_of(gid); }, distribution_->stride(ranks()), rank()}, distribution_->group(rank(), ranks()),
                {rhythm().longest_part(), n_nodes(), precise(), team_, pool}, exchanger_);
  routed_ = true;
  if (!settings_.keep_sources && ranks() > 1 && exchanger_.directed() && (!levels_.local() || levels_.local()->directed())) drop_sources();
  timers_["build_route"] += seconds_now() - start;
}

/// Spikes of other ranks come with the address of their rows, so that only the sources of this rank are looked up.
void Network::drop_sources() {
  sources_kept_ = false;
  for (auto& s : slices_)
    for (auto& d : s->deliverers()) {
      deliver::SourceIndex& sources = d.table->sources;
      sources.by_rank() ? sources.keep_rank(rank()) : sources.keep_only([this](Gid gid) { return rank_of(gid) == rank(); });
    }
}

void Network::require_sources(const char* what) const {
  if (!sources_kept_) throw IllegalConnection(std::string(what) + " is not possible after the first run of a network with keep_sources = false");
}

}  // namespace npl::sim
