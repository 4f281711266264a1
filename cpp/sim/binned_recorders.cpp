// SPDX-License-Identifier: Apache-2.0
/// Recorders of numbers per bin of time.
#include <algorithm>

#include "sim/archive_values.hpp"
#include "sim/fingerprint.hpp"
#include "sim/recorders.hpp"

namespace npl::sim {

using checkpoint::Archive;

namespace {

void check_kind(const std::string& kind) {
  const std::vector<std::string> known = Components::binned_kinds();
  if (std::ranges::find(known, kind) == known.end()) throw UnknownName("kind of record with bins", kind, known);
}

std::size_t checked(int recorder, std::size_t n) {
  if (recorder < 0 || static_cast<std::size_t>(recorder) >= n)
    throw BadParameter("recorder", recorder, "the number of an existing recorder of bins");
  return static_cast<std::size_t>(recorder);
}

void add_up(std::vector<std::int64_t>& to, const std::vector<std::int64_t>& more) {
  to.resize(std::max(to.size(), more.size()));
  for (std::size_t k = 0; k < more.size(); ++k) to[k] += more[k];
}

}  // namespace

int Recorders::record_binned(const connect::NodeSet& nodes, const std::string& kind, Step width) {
  check_kind(kind);
  if (width < 1) throw BadParameter("bin", static_cast<double>(width), "at least one step");
  check_emit(nodes);
  populations_.mark_connected(nodes);
  populations_.mark_tabled(nodes);
  note(fingerprint_of(nodes, std::string_view(kind), width));
  const auto last = std::find_if(binned_recorders_.rbegin(), binned_recorders_.rend(), [&](const auto& r) { return r.kind == kind; });
  const std::size_t number = last == binned_recorders_.rend() ? 0 : last->number + 1;
  binned_recorders_.push_back({kind, nodes, width, (step_ + width - 1) / width, number});
  return static_cast<int>(binned_recorders_.size()) - 1;
}

void Recorders::attach_binned(const BinnedRecorder& r) {
  for (auto& s : slices_) s->binned(r.kind).add(r.nodes, r.width, r.first);
}

/// Sums of the slices of this rank from the first bin on, that which has not ended included.
std::vector<std::int64_t> Recorders::own_bins(const BinnedRecorder& r) const {
  std::vector<std::int64_t> all;
  for (const auto& s : slices_) {
    const std::vector<Bins>& parts = s->binned(r.kind).all();
    if (r.number >= parts.size()) continue;  // not attached yet
    add_up(all, parts[r.number].sums);
  }
  return all;
}

Counted Recorders::binned(int recorder) const {
  const BinnedRecorder& r = binned_recorders_[checked(recorder, binned_recorders_.size())];
  agree("binned", nullptr, fingerprint_of(recorder));
  Counted found{r.first, own_bins(r)};
  found.values.resize(static_cast<std::size_t>(std::max<Step>(0, step_ / r.width - r.first)));
  if (comm_->size() > 1 && !comm_->mirrored()) comm_->allreduce(std::span<std::int64_t>(found.values), comm::Op::sum);
  return found;
}

void Recorders::clear_binned(int recorder) {
  BinnedRecorder& r = binned_recorders_[checked(recorder, binned_recorders_.size())];
  r.first = std::max(r.first, step_ / r.width);
  note(fingerprint_of(std::string_view("clear bins"), recorder));
  for (auto& s : slices_)
    if (std::vector<Bins>& parts = s->binned(r.kind).all(); r.number < parts.size()) parts[r.number].forget(r.first);
}

void Recorders::visit_binned(Archive& a) {
  if (!a.has<std::uint64_t>("binned_recorders")) return;  // former versions
  a.each("binned_recorders", binned_recorders_, [&](BinnedRecorder& r) {
    a("kind", r.kind), sim::visit(a, "nodes", r.nodes), a("width", r.width), a("first", r.first), a("number", r.number);
    if (!a.loading()) return;
    check_kind(r.kind);
    if (r.width < 1 || r.first < 0) throw BadCheckpoint("bins without width or before time 0");
  });
}

/// A sum does not tell its nodes, so the sums of a rank go to one rank, and there to one slice.
void Recorders::save_bins(Archive& a) const {
  a.in("bins", [&] {
    std::int64_t from = rank();
    a("rank", from);
    for (const BinnedRecorder& r : binned_recorders_) {
      std::vector<std::int64_t> sums = own_bins(r);
      a("sums", sums);
    }
  });
}

void Recorders::load_bins(const checkpoint::Shard& shard) {
  Archive a(shard);
  a.in("bins", [&] {
    std::int64_t from = 0;
    a("rank", from);
    for (const BinnedRecorder& r : binned_recorders_) {
      std::vector<std::int64_t> sums;
      a("sums", sums);
      if (from % ranks() != rank()) continue;
      std::vector<Bins>& parts = slices_.front()->binned(r.kind).all();
      if (r.number >= parts.size()) throw BadCheckpoint("recorders of bins that do not fit");
      add_up(parts[r.number].sums, sums);
    }
  });
}

}  // namespace npl::sim
