// SPDX-License-Identifier: Apache-2.0
/// build(): tables of what was connected since the last build, devices' parts, recorders; scales of the fixed point.
#include <algorithm>
#include <chrono>
#include <map>
#include <thread>

#include "sim/network.hpp"

namespace npl::sim {

namespace {

/// The targets of a link that live in one slice, by receptor and delay.
std::map<std::pair<int, Delay>, devices::Targets> local_targets(const Slice& slice, SliceId slices, const std::vector<double>& weights,
                                                                 const std::vector<Delay>& delays, int receptor, const connect::NodeSet& targets) {
  std::map<std::pair<int, Delay>, devices::Targets> parts;
  const bool one_weight = weights.size() == 1, one_delay = delays.size() == 1;
  targets.for_slice(slice.id(), slices, [&](std::int64_t k, Gid gid) {
    const double w = weights[one_weight ? 0 : static_cast<std::size_t>(k)];
    const Delay d = delays[one_delay ? 0 : static_cast<std::size_t>(k)];
    devices::Targets& t = parts[{receptor >= 0 ? receptor : w < 0 ? 1 : 0, d}];
    t.local.push_back(slice.local(gid));
    t.gid.push_back(gid);
    if (!one_weight || t.weight.empty()) t.weight.push_back(w);
  });
  return parts;
}

}  // namespace

void Network::attach_links() {
  for (; n_links_attached_ < links_.size(); ++n_links_attached_) {
    const Link& link = *links_[n_links_attached_];
    const bool current = link.device->info->effect == devices::Effect::current;
    team_.run([&](int thread) {
      for_own_slices(thread, [&](Slice& slice) {
        for (auto& [key, targets] : local_targets(slice, n_slices(), link.weights, link.delays, current ? 0 : link.receptor, link.targets)) {
          targets.delay = key.second;
          targets.since = step_;
          targets.count = link.count;
          targets.link = link.number;
          targets.seed = settings_.seed;
          slice.add_part({link.device->info->make_part(*link.device, std::move(targets)), key.first, current});
        }
      });
    });
  }
  for (auto& p : populations_)
    for (auto& d : p->devices)
      if (d->info->effect == devices::Effect::emits && !emitting_.contains(d->gid)) {
        slice_of(d->gid).add_emitter(d.get());
        emitting_.insert(d->gid);
      }
}

void Network::attach_recorders() {
  for (; spike_recorders_attached_ < spike_recorders_.size(); ++spike_recorders_attached_) {
    const SpikeRecorder& r = spike_recorders_[spike_recorders_attached_];
    for (auto& s : slices_) {
      auto track = std::make_unique<record::SpikeTrack>(r.start, r.stop);
      r.nodes.for_slice(s->id(), n_slices(), [&](std::int64_t, Gid gid) { track->add_node(s->local(gid)); });
      s->spike_tracks().push_back(std::move(track));
    }
  }
  for (; state_recorders_attached_ < state_recorders_.size(); ++state_recorders_attached_) {
    const StateRecorder& r = state_recorders_[state_recorders_attached_];
    for (auto& s : slices_) s->state_tracks().push_back(std::make_unique<record::StateTrack>(r.sampling));
    for (std::size_t i = 0; i < r.gids.size(); ++i) {
      const Population& p = population_of(r.gids[i], "nodes");
      Slice& s = slice_of(r.gids[i]);
      nodes::Group& g = group_of(r.gids[i], p);
      for (std::size_t k = 0; k < r.names.size(); ++k)
        for (std::size_t q = 0; q < p.model->state.size(); ++q)
          if (p.model->state[q].name == r.names[k])
            s.state_tracks().back()->add(&g.state(q)[s.local(r.gids[i]) - g.first_local()], i * r.names.size() + k);
    }
  }
}

void Network::build_tables(const Poll& poll) {
  if (projections_.empty()) return;
  double expected = 0;
  for (const auto& p : projections_) expected += p->rule->expected_edges();
  std::atomic<std::uint64_t> done{0};
  std::atomic<int> running{team_.size()};
  std::vector<PhaseTimer<connect::BuildPhase>> timers(static_cast<std::size_t>(team_.size()));
  std::vector<std::vector<std::unique_ptr<deliver::EdgeTable>>> tables(slices_.size());
  const auto work = [&](int thread) {
    try {
      for_own_slices(thread, [&](Slice& slice) {
        connect::SliceBuilder builder({slice.id(), n_slices()}, projections_, specs_, settings_.layout);
        tables[slice.id()] = builder.build(done, timers[static_cast<std::size_t>(thread)]);
      });
    } catch (...) {
      running.fetch_sub(1);
      throw;
    }
    running.fetch_sub(1);
  };
  run_watched(work, running, [&] { return !poll || poll("building", done.load(), static_cast<std::uint64_t>(2 * expected)); });
  for (std::size_t s = 0; s < slices_.size(); ++s)
    for (auto& t : tables[s]) slices_[s]->add_table(std::move(t));
  static constexpr const char* names[] = {"build_count", "build_place", "build_fill", "build_sort"};
  for (std::size_t k = 0; k < 4; ++k) {
    double sum = 0;
    for (const auto& t : timers) sum += t[static_cast<connect::BuildPhase>(k)];
    timers_[names[k]] += sum / team_.size();
  }
  projections_.clear();
}

/// Runs work on the team while the caller's thread polls: the caller may not be part of the work, since it must answer signals.
void Network::run_watched(const std::function<void(int)>& work, std::atomic<int>& running, const std::function<bool()>& poll) {
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

void Network::build(const Poll& poll) {
  const double start = seconds_now();
  prepared_ = true;
  build_tables(poll);
  prepare_slices();
  attach_links();
  attach_recorders();
  prepare_slices();
  timers_["build"] += seconds_now() - start;
}

void Network::prepare_slices() {
  const auto most = static_cast<Local>((n_nodes() + n_slices() - 1) / n_slices());
  team_.run([&](int thread) { for_own_slices(thread, [&](Slice& s) { s.prepare(largest_, most); }); });
}

}  // namespace npl::sim
