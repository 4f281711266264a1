// SPDX-License-Identifier: Apache-2.0
/// build(): tables of what was connected since the last build, devices' parts, recorders; scales of the fixed point.
#include <algorithm>
#include <chrono>
#include <map>
#include <thread>

#include "sim/runner.hpp"

namespace npl::sim {

/// The order of rows in tables whose edges are sorted.
tables::SourceOrder Connections::source_order() const {
  const Gid stride = distribution_->stride(ranks());
  return {stride, (n_nodes() + stride - 1) / stride};
}

/// @param pools by thread: memory for edges that are being sorted, left for those who come after
void Connections::build_tables(const Poll& poll, std::vector<SlabPool>& pools) {
  if (projections_.empty()) return;
  double expected = 0;
  for (const auto& p : projections_) expected += p->rule->expected_edges();
  std::atomic<std::uint64_t> done{0};
  std::atomic<int> running{team_.size()};
  std::vector<PhaseTimer<connect::BuildPhase>> timers(static_cast<std::size_t>(team_.size()));
  std::vector<std::vector<std::unique_ptr<tables::EdgeTable>>> tables(slices_.size());
  const tables::SourceOrder order = source_order();
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
  run_watched(work, running, [&] { return !poll || poll("building", done.load(), static_cast<std::uint64_t>(2 * expected)); });
  team_.run([&](int thread) {  // merged by the thread that will use them
    for_own_slices(thread, [&](Slice& slice) {
      slice.unite_pathways({.order = order, .layout = settings_.layout}, step_);
      for (auto& t : tables[slice.id()]) {
        const std::size_t pathway = slice.pathway_of(*t->spec);
        slice.edit(pathway, {.added = std::move(t), .order = order, .layout = settings_.layout}, step_);
      }
    });
  });
  for (auto& s : slices_) recorders_.choose_in(*s);
  static constexpr const char* names[] = {"build_count", "build_place", "build_fill", "build_sort"};
  for (std::size_t k = 0; k < 4; ++k) {
    double sum = 0;
    for (const auto& t : timers) sum += t[static_cast<connect::BuildPhase>(k)];
    timers_[names[k]] += sum / team_.size();
  }
  projections_.clear();
  pending_bytes_ = 0;
}

/// Runs work on the team while the caller's thread polls: the caller may not be part of the work, since it must answer signals.
void Connections::run_watched(const std::function<void(int)>& work, std::atomic<int>& running, const std::function<bool()>& poll) {
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

void Runner::build(const Poll& poll) {
  const double start = seconds_now();
  const bool routes_stale = !built();
  if (settings_.counting) throw IllegalConnection("build: this network only counts what is described");
  std::vector<SlabPool> pools(static_cast<std::size_t>(team_.size()));
  together("build", [&] {
    parts_.planner.check_build();
    prepared_ = true;
    parts_.connections.build_tables(poll, pools);
    release_heap();  // lists of sources that grew, before routes need as much
    const double tables = seconds_now();
    prepare_slices();
    parts_.description.attach_links();
    parts_.populations.attach_emitters();
    const double devices = seconds_now();
    parts_.recorders.attach();
    prepare_slices();
    timers_["build_devices"] += devices - tables;
    timers_["build_prepare"] += seconds_now() - devices;
  });
  if (routes_stale) route(pools[0]);
  pools.clear();
  release_heap();  // lists that routes were made from: half as much as what stays
  timers_["build"] += seconds_now() - start;
}

void Runner::prepare_slices() {
  team_.run([&](int thread) { for_own_slices(thread, [&](Slice& s) { s.prepare(parts_.description.specs().largest); }); });
}

EmulatedRanks Runner::emulated_ranks() const {
  std::vector<EmulatedPopulation> all;
  for (const auto& p : parts_.populations) all.push_back({p->first, p->n});
  return {*distribution_, std::move(all), slices_, ranks()};
}

/// Tells the ranks of the sources what this rank wants to hear (Jordan 2018, section 3.1.3), and counts the synapses of all ranks.
void Runner::route(SlabPool& pool) {
  const double start = seconds_now();
  routed_nodes_ = n_nodes();
  parts_.connections.count_synapses();
  if (comm_->mirrored()) exchanger_.set_emulated(emulated_ranks());
  levels_.build(slices_, {[this](Gid gid) { return parts_.populations.rank_of(gid); }, distribution_->stride(ranks()), rank()}, distribution_->group(rank(), ranks()),
                {longest_part(), n_nodes(), parts_.description.precise(), team_, pool}, exchanger_);
  routed_ = true;
  if (!settings_.keep_sources && ranks() > 1 && exchanger_.directed() && (!levels_.local() || levels_.local()->directed())) parts_.connections.drop_sources();
  timers_["build_route"] += seconds_now() - start;
}

/// Spikes of other ranks come with the address of their rows, so that only the sources of this rank are looked up.
void Connections::drop_sources() {
  sources_kept_ = false;
  for (auto& s : slices_)
    for (auto& p : s->pathways()) {
      tables::SourceIndex& sources = p->table().sources;
      sources.by_rank() ? sources.keep_rank(rank()) : sources.keep_only([this](Gid gid) { return populations_.rank_of(gid) == rank(); });
    }
}

}  // namespace npl::sim
