// SPDX-License-Identifier: Apache-2.0
/// Recorders of transmitted weights: selection of synapses, and reading.
#include <algorithm>
#include <tuple>

#include "comm/collect.hpp"
#include "sim/fingerprint.hpp"
#include "sim/recorders.hpp"

namespace npl::sim {
namespace {

/// A logged event, before sorting.
struct Noted {
  pathways::WeightEvent event;
  std::int32_t order, receptor, label, table;
  std::int64_t slice;
};

bool comes_before(const Noted& a, const Noted& b) {
  const pathways::WeightEvent &x = a.event, &y = b.event;
  return std::tie(x.stamp, x.source, x.target, a.order, x.delay, a.table, x.position) <
         std::tie(y.stamp, y.source, y.target, b.order, y.delay, b.table, y.position);
}

SentWeights columns(const std::vector<Noted>& all) {
  SentWeights w;
  for (const Noted& n : all) {
    w.stamp.push_back(n.event.stamp);
    w.source.push_back(n.event.source);
    w.target.push_back(n.event.target);
    w.weight.push_back(n.event.weight);
    w.delay.push_back(n.event.delay);
    w.receptor.push_back(n.receptor);
    w.label.push_back(n.label);
    w.order.push_back(n.order);
    w.slice.push_back(n.slice);
    w.table.push_back(n.table);
    w.position.push_back(n.event.position);
  }
  return w;
}

std::optional<connect::NodeSet> chosen(const connect::NodeSet* nodes) { return nodes ? std::optional(*nodes) : std::nullopt; }

}  // namespace

void Recorders::check_weight_recorder(int recorder) const {
  if (recorder < -1 || recorder >= static_cast<int>(weight_recorders_.size()))
    throw BadParameter("recorder", recorder, "the number of an existing recorder of weights");
}

int Recorders::record_weights(const connect::NodeSet* sources, const connect::NodeSet* targets) {
  weight_recorders_.emplace_back();
  try {
    choose_weights(static_cast<int>(weight_recorders_.size()) - 1, sources, targets);
  } catch (...) {
    weight_recorders_.pop_back();
    throw;
  }
  return static_cast<int>(weight_recorders_.size()) - 1;
}

void Recorders::choose_weights(int recorder, const connect::NodeSet* sources, const connect::NodeSet* targets) {
  check_weight_recorder(recorder);
  for (const auto* set : {sources, targets})
    if (set) populations_.check_nodes(*set, "nodes");
  Fingerprint what;
  for (const auto* set : {sources, targets}) set ? what.add(*set) : what.add(std::int64_t{-1});
  note(what.add(recorder).value());
  weight_recorders_.at(static_cast<std::size_t>(recorder)) = {chosen(sources), chosen(targets)};
  for (auto& s : slices_) choose_in(*s);
}

/// Marks recorded rows and targets.
void Recorders::choose_in(Slice& slice) const {
  for (auto& p : slice.pathways()) {
    if (!p->log()) continue;
    const WeightRecorder& r = weight_recorders_[static_cast<std::size_t>(p->table().spec->recorder)];
    pathways::WeightLog& log = *p->log();
    log.rows.clear(), log.targets.clear();
    if (r.sources)
      for (const Gid gid : p->table().row_source) log.rows.push_back(r.sources->position(gid) >= 0);
    if (!r.targets) continue;
    log.targets.assign(slice.nodes().size(), 0);
    r.targets->for_each_in(slice.nodes(), [&](std::int64_t, Gid, Local local) { log.targets[local] = 1; });
  }
}

SentWeights Recorders::sent_weights(int recorder, const std::vector<int>& labels, bool gather) const {
  check_weight_recorder(recorder);
  if (gather) agree("sent_weights", nullptr, fingerprint_of(recorder));
  std::vector<Noted> all;
  for (const auto& s : slices_)
    for (std::size_t t = 0; t < s->pathways().size(); ++t) {
      const pathways::Pathway& p = *s->pathways()[t];
      const tables::TableSpec& spec = *p.table().spec;
      if (spec.recorder != recorder || recorder < 0) continue;
      p.log()->for_each(p.table(), s->nodes(), [&](const pathways::WeightEvent& e) {
        all.push_back({e, spec.order, spec.receptor, labels[static_cast<std::size_t>(spec.order)], static_cast<std::int32_t>(t),
                       slice_handle(rank(), s->id())});
      });
    }
  if (gather && ranks() > 1) all = comm::gather(*comm_, all);
  std::stable_sort(all.begin(), all.end(), comes_before);
  return columns(all);
}

std::int64_t Recorders::weight_count(int recorder, bool gather) const {
  check_weight_recorder(recorder);
  if (gather) agree("weight_count", nullptr, fingerprint_of(recorder));
  std::int64_t n = 0;
  for (const auto& s : slices_)
    for (const auto& p : s->pathways())
      if (recorder >= 0 && p->table().spec->recorder == recorder) n += static_cast<std::int64_t>(p->log()->size());
  if (gather && ranks() > 1) comm_->allreduce(std::span<std::int64_t>(&n, 1), comm::Op::sum);
  return n;
}

void Recorders::clear_weights(int recorder) {
  check_weight_recorder(recorder);
  for (auto& s : slices_)
    for (auto& p : s->pathways())
      if (recorder >= 0 && p->table().spec->recorder == recorder) p->log()->clear();
}

}  // namespace npl::sim
