// SPDX-License-Identifier: Apache-2.0
/// build(): tables of new projections, parts of devices, recorders, fixed-point scales.
#include <algorithm>
#include <map>

#include "sim/runner.hpp"

namespace npl::sim {

/// The order of rows in tables whose edges are sorted.
tables::SourceOrder Connections::source_order() const {
  const Gid stride = distribution_->stride(ranks());
  return {stride, (n_nodes() + stride - 1) / stride};
}

std::vector<const Residents*> Connections::nodes_of_slices() const {
  std::vector<const Residents*> all;
  for (const auto& s : slices_) all.push_back(&s->nodes());
  return all;
}

/// Builds every slice in the thread that will use it (first touch). Thread 0, the caller's, also polls for signals and reports progress.
bool Connections::build_tables(const Poll& poll, std::vector<SlabPool>& pools) {
  if (projections_.empty()) return true;
  const double expected = description_.expected_edges();
  std::atomic<std::uint64_t> done{0};
  std::vector<PhaseTimer<connect::BuildPhase>> timers(static_cast<std::size_t>(team_.size()));
  std::vector<std::vector<std::unique_ptr<tables::EdgeTable>>> tables(slices_.size());
  const tables::SourceOrder order = source_order();
  const auto threads = static_cast<SliceId>(team_.size());
  bool wanted = true;
  double last = seconds_now();
  const auto watch = [&] {
    if (!poll || seconds_now() - last < poll_every) return;
    last = seconds_now();
    wanted = poll("building", done.load(), static_cast<std::uint64_t>(2 * expected)) && wanted;
  };
  connect::InDegrees in_degrees(projections_, ranks() > 1 ? nodes_of_slices() : std::vector<const Residents*>{});
  if (!in_degrees.empty()) team_.run([&](int) { in_degrees.draw(); });
  const auto work = [&](int thread) {
    SlabPool& pool = pools[static_cast<std::size_t>(thread)];
    for_own_slices(thread, [&](Slice& slice) {
      connect::BuildOptions options{settings_.layout, settings_.sorted, order, &pool, &in_degrees, slice.id() + threads >= n_slices()};
      if (thread == 0) options.watch = watch;
      connect::SliceBuilder builder(slice.nodes(), projections_, specs_, std::move(options));
      tables[slice.id()] = builder.build(done, timers[static_cast<std::size_t>(thread)]);
    });
  };
  team_.run(work, watch);
  team_.run([&](int thread) { for_own_slices(thread, [&](Slice& slice) { add_tables(slice, tables[slice.id()]); }); });
  for (auto& s : slices_) recorders_.choose_in(*s);
  note_timers(timers);
  return wanted;
}

/// All slices hear all transmitters and keep all postsynaptic traces from the build on in which a synapse needs them first. Those of a
/// slice must not begin with its own first synapse, which depends on what else is in the slice (law 1).
void Connections::keep_for_all() {
  for (const auto& spec : specs_) {
    if (!spec->plasticity) continue;
    for (auto& s : slices_) s->keep_traces(*spec->plasticity);
    if (spec->plasticity->hears().transmitter)
      for (auto& s : slices_) s->volume(spec->plasticity->hears());
  }
}

/// Merges new tables into those of the slice.
void Connections::add_tables(Slice& slice, std::vector<std::unique_ptr<tables::EdgeTable>>& tables) const {
  slice.unite_pathways({.order = source_order(), .layout = settings_.layout}, step_);
  for (auto& t : tables) {
    const std::size_t pathway = slice.pathway_of(*t->spec);
    t->begin(step_);
    slice.edit(pathway, {.added = std::move(t), .order = source_order(), .layout = settings_.layout}, step_);
  }
}

void Connections::note_timers(const std::vector<PhaseTimer<connect::BuildPhase>>& timers) {
  static constexpr const char* names[] = {"build_count", "build_place", "build_fill", "build_sort"};
  for (std::size_t k = 0; k < std::size(names); ++k) {
    double sum = 0;
    for (const auto& t : timers) sum += t[static_cast<connect::BuildPhase>(k)];
    timers_[names[k]] += sum / team_.size();
  }
}

constexpr double many_edges = 1e5;  ///< of a network, from which its temporary lists are worth the time that it takes to return them

bool Runner::build(const Poll& poll) {
  if (up_to_date()) {
    if (revalued_) prepare_slices();
    return true;
  }
  const double start = seconds_now();
  const bool routes_stale = !built();
  const double edges = parts_.description.expected_edges() + static_cast<double>(parts_.connections.n_synapses());
  const bool trims = routes_stale && edges >= many_edges;
  if (settings_.counting) throw IllegalConnection("build: this network only counts what is described");
  std::vector<SlabPool> pools;
  bool wanted = true;
  if (routes_stale) parts_.planner.check_build();
  const bool described = !parts_.description.projections().empty();
  Undo undo;
  together("build", [&] {
    timers_["build"];  // from here on it is there
    pools = std::vector<SlabPool>(static_cast<std::size_t>(team_.size()));
    parts_.populations.deal_for(parts_.description.input_work(0));
    prepared_ = true;
    parts_.populations.join_groups();
    keep_slices(undo);
    wanted = parts_.connections.build_tables(poll, pools);
    parts_.connections.keep_for_all();
    if (trims) release_heap();  // frees the lists of sources before routes allocate as much
    attach();
  });
  undo.forget();
  if (described) parts_.description.note_built();
  pending_bytes_ = 0;
  if (channels_stale_ || (parts_.routes.channels.any() && n_nodes() != routed_nodes_))
    all_or_nothing("build", [&](Undo& again) {
      again.note([this] { channels_stale_ = true; });
      make_channels();
    });
  if (routes_stale) {
    std::vector<tables::SourceIndex> own;
    all_or_nothing("build", [&](Undo& again) {
      again.note([this] { routed_ = false; });
      route(pools[0]);
      if (drops_sources()) own = parts_.connections.own_sources();
    });
    if (drops_sources()) parts_.connections.drop_sources(std::move(own));
  }
  pools.clear();
  if (trims) release_heap();  // frees the temporary lists of the routes: half the size of the routes
  timers_["build"] += seconds_now() - start;
  stale_ = false;
  return routes_stale ? agree_on_stop(poll, wanted) : wanted;
}

/// @param undo takes back tables, parts of devices and recordings that the build adds to the slices
void Runner::keep_slices(Undo& undo) {
  for (const auto& s : slices_) undo.note([slice = s.get(), kept = s->keep()]() mutable { slice->restore(kept); });
  undo.note([this, links = parts_.description.attached(), recorders = parts_.recorders.attached()] {
    parts_.description.set_attached(links), parts_.recorders.set_attached(recorders);
  });
}

/// Makes the parts of new devices and the recordings of new recorders in the slices.
void Runner::attach() {
  const double tables = seconds_now();
  prepare_slices();
  parts_.description.attach_links();
  parts_.populations.attach_emitters();
  parts_.growing.attach();
  const double devices = seconds_now();
  parts_.recorders.attach();
  prepare_slices();
  timers_["build_devices"] += devices - tables;
  timers_["build_prepare"] += seconds_now() - devices;
}

/// True when all ranks continue after a build. Throws RankError if another rank asked to stop.
bool Runner::agree_on_stop(const Poll& poll, bool wanted) {
  if (ranks() == 1) return wanted;
  wanted = wanted && (!poll || poll("building", 1, 1));
  RunVerdict verdict;
  const Reserve::Scope scope(agreement_.reserve());
  or_abort("at the end of a build", [&] { verdict = agree_on_end(*comm_, {.stopped = !wanted}, "build", settings_.resolution); });
  if (verdict.error) std::rethrow_exception(verdict.error);
  return wanted;
}

void Runner::prepare_slices() {
  const Largest scales = parts_.description.specs().scales(), most = parts_.description.specs().most();
  const Delay max_delay = parts_.description.max_delay();
  team_.run([&](int thread) { for_own_slices(thread, [&](Slice& s) { s.prepare(scales, most, max_delay); }); });
  revalued_ = false;
}

/// Spikes of other ranks carry the addresses of their rows, so only sources of this rank need to be looked up by gid.
bool Runner::drops_sources() const {
  return !settings_.keep_sources && ranks() > 1 && exchanger_.directed() && (!levels_.local() || levels_.local()->directed());
}

EmulatedRanks Runner::emulated_ranks() const {
  std::vector<EmulatedPopulation> all;
  for (const auto& p : parts_.populations) all.push_back({p->first, p->n});
  return {*distribution_, std::move(all), slices_, ranks()};
}

/// Makes the routes: requests spikes from the ranks of the sources (Jordan et al. 2018, section 3.1.3). Counts the synapses of all ranks.
void Runner::route(SlabPool& pool) {
  const double start = seconds_now();
  routed_nodes_ = n_nodes();
  parts_.connections.count_synapses();
  if (comm_->mirrored()) exchanger_.set_emulated(emulated_ranks());
  levels_.build(slices_, {[this](Gid gid) { return parts_.populations.rank_of(gid); }, distribution_->stride(ranks()), rank()},
                distribution_->group(rank(), ranks()), {rhythm().longest_part(), n_nodes(), parts_.description.precise(), team_, pool},
                exchanger_);
  routed_ = true;
  timers_["build_route"] += seconds_now() - start;
}

std::vector<tables::SourceIndex> Connections::own_sources() const {
  std::vector<tables::SourceIndex> own;
  for (const auto& s : slices_)
    for (const auto& p : s->pathways()) {
      if (p->table().spec->continuous()) continue;
      const tables::SourceIndex& sources = p->table().sources;
      own.push_back(sources.by_rank() ? sources.of_rank(rank())
                                      : sources.only([this](Gid gid) { return populations_.rank_of(gid) == rank(); }));
    }
  return own;
}

void Connections::drop_sources(std::vector<tables::SourceIndex> own) noexcept {
  sources_kept_ = false;
  auto next = own.begin();
  for (auto& s : slices_)
    for (auto& p : s->pathways()) {
      if (p->table().spec->continuous()) continue;
      tables::SourceIndex& all = p->table().sources;
      if (next->bytes() < all.bytes()) all.keep(std::move(*next));  // a bit for each gid may take less than the rows of some
      ++next;
    }
}

void Connections::count_synapses() {
  std::int64_t n = 0;
  for (const auto& s : slices_)
    for (const auto& p : s->pathways()) n += static_cast<std::int64_t>(p->table().n_synapses());
  if (ranks() > 1) comm_->allreduce(std::span<std::int64_t>(&n, 1), comm::Op::sum);
  n_synapses_ = static_cast<std::uint64_t>(n);
}

}  // namespace npl::sim
