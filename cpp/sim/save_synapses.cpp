// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <tuple>

#include "sim/kept_synapses.hpp"
#include "sim/stored_synapses.hpp"

namespace npl::sim {
namespace {

using checkpoint::Archive;
using checkpoint::Columns;
using checkpoint::saved;

Flights flights_of(const pathways::Pathway& p, int spec, Step now) {
  auto queued = p.queued(now);
  Flights made{spec, {}, {}, {}};
  if (queued.empty()) return made;
  std::vector<Gid> sources(p.table().n_rows());
  p.table().sources.for_each([&](std::uint32_t row, Gid gid) { sources[row] = gid; });
  const auto key = [&](const auto& q) { return std::tuple(sources[q.at], q.sent, q.offset); };
  std::sort(queued.begin(), queued.end(), [&](const auto& x, const auto& y) { return key(x) < key(y); });
  for (const auto& q : queued) made.source.push_back(sources[q.at]), made.sent.push_back(q.sent), made.offset.push_back(q.offset);
  return made;
}

bool is_exact(const Slice& slice) {
  return !slice.exact_traces().empty() || std::any_of(slice.pathways().begin(), slice.pathways().end(), [](const auto& p) {
    return p->table().spec->plasticity && p->table().spec->off_grid;
  });
}

/// Saves what the slices of a rank hold of synapses.
class SynapseSaver {
 public:
  SynapseSaver(Slices& slices, Step now, Columns& to) : slices_(slices), now_(now), to_(to), archive_(to) {
    for (const auto& slice : slices) volumes_ |= !slice->volumes().empty(), exact_ |= is_exact(*slice);
  }

  /// @param drawn [specs] 1: only spikes in flight
  void save(const TableSpecs& specs, const std::vector<std::uint8_t>& drawn) {
    for (std::size_t s = 0; s < slices_.size(); ++s) {
      save_nodes(*slices_[s]);
      for (const auto& p : slices_[s]->pathways()) {
        const int spec = specs.index_of(p->table().spec);
        if (!drawn[static_cast<std::size_t>(spec)])
          save_table(s, spec, *p);
        else if (Flights some = flights_of(*p, spec, now_); !some.source.empty())
          flights_.push_back(std::move(some));
      }
      save_late(*slices_[s]);
      save_traces("slices/traces", "traces", *slices_[s], slices_[s]->traces());
      save_histories(*slices_[s]);
      if (volumes_) save_volumes(*slices_[s]);
      if (exact_) save_traces("slices/exact_traces", "exact", *slices_[s], slices_[s]->exact_traces());
    }
    archive_.records("flights", flights_, flights_.size(), [this](Flights& f) { f.visit(archive_); });
    archive_.each("tables", tables_, [this](StoredTableOf& t) { t.visit(archive_); });
    archive_.finish();
  }

 private:
  void save_nodes(const Slice& slice) {
    to_.keep<std::uint64_t>("slices/nodes", {slice.nodes().size()});
    to_.make<Gid>("slices/gid", slice.nodes().size(), [&slice](std::uint64_t begin, std::uint64_t n, Gid* out) {
      for (std::uint64_t k = 0; k < n; ++k) out[k] = slice.nodes().gid(static_cast<Local>(begin + k));
    });
  }
  void save_table(std::size_t slice, int spec, pathways::Pathway& p) {
    auto queued = p.queued(now_);
    std::vector<pathways::WeightEvent> sent;
    if (p.log()) p.log()->for_each(p.table(), slices_[slice]->nodes(), [&](const pathways::WeightEvent& e) { sent.push_back(e); });
    tables_.push_back({static_cast<int>(slice), spec, p.seed(), tables::StoredTable::of(p.table()), queued.size(), sent.size()});
    tables::save(p.table(), to_);
    archive_.records("queue", queued, queued.size(), [this](auto& f) { visit(archive_, f, exact_); });
    if (!sent.empty()) archive_.records("sent", sent, sent.size(), [this](auto& e) { visit(archive_, e); });
  }
  void save_late(const Slice& slice) {
    std::vector<KeptLate> late;
    for (const Late& l : slice.late()) late.push_back({slice.nodes().gid(l.target), l});
    archive_.each("late", late, [this](KeptLate& l) { l.visit(archive_); });
  }
  template <class Traces>
  void save_traces(const char* number, const char* name, const Slice& slice, const Traces& traces) {
    std::uint64_t n = traces.size();
    archive_(number, n);
    archive_.in(name, [&] {
      for (const auto& t : traces) {
        double tau = t->tau_minus();
        if constexpr (requires { t->add_unread(); }) t->add_unread();
        archive_("tau", tau);
        for (Local i = 0; i < slice.nodes().size(); ++i) visit(archive_, saved(t->history(i)));
      }
    });
  }
  void save_histories(Slice& slice) {
    archive_.in("histories", [&] {
      for (const synapses::TargetHistory& h : slice.histories())
        for (std::size_t i = 0; i < h.size(); ++i) {
          const Local node = h.first() + static_cast<Local>(i);
          KeptTarget kept{slice.nodes().gid(node), h.now(), h.kept_of(node)};
          kept.visit(archive_);
        }
    });
  }
  /// Of every slice, once some slice has any.
  void save_volumes(const Slice& slice) {
    std::uint64_t volumes = slice.volumes().size();
    archive_("slices/volumes", volumes);
    archive_.in("volumes", [&] {
      for (const auto& v : slice.volumes()) KeptVolume{v->of(), v->stamps(), v->levels()}.visit(archive_);
    });
  }

  Slices& slices_;
  const Step now_;
  Columns& to_;
  Archive archive_;
  bool volumes_ = false, exact_ = false;
  std::vector<StoredTableOf> tables_;
  std::vector<Flights> flights_;
};

}  // namespace

void mark_stored(const Slices& slices, const TableSpecs& specs, std::span<std::int64_t> edited, std::span<std::int64_t> stored) {
  for (const auto& slice : slices) {
    for (const tables::TableSpec* spec : slice->edited()) edited[static_cast<std::size_t>(specs.index_of(spec))] = 1;
    for (const auto& p : slice->pathways())
      if (p->table().sources.repeats()) stored[static_cast<std::size_t>(specs.index_of(p->table().spec))] = 1;
  }
}

void save_synapses(Slices& slices, const TableSpecs& specs, const std::vector<std::uint8_t>& drawn, Step now, Columns& to) {
  SynapseSaver(slices, now, to).save(specs, drawn);
}

}  // namespace npl::sim
