// SPDX-License-Identifier: Apache-2.0
/// How many elements are part of synapses, from the tables of the synapses that grow.
#include "sim/growing.hpp"

namespace npl::sim {
namespace {

struct Connected {
  Gid gid;
  std::int64_t n;
};

}  // namespace

void Growing::add(Gid gid, int name, std::int64_t n) {
  growth::Cell* cell = find(gid);
  growth::Element* element = cell ? cell->find(name, kinds_) : nullptr;
  if (element) element->connected += static_cast<std::int32_t>(n);
}

void Growing::count_targets(const Rule& rule) {
  for (auto& slice : slices_) {
    std::vector<std::int64_t> n(slice->nodes().size());
    bool some = false;
    for (const auto& p : slice->pathways()) {
      const tables::EdgeTable& t = p->table();
      if (description_.specs().label_of(*t.spec) != rule.call.synapses.label) continue;
      for (std::size_t i = 0; i < t.n_synapses(); ++i) ++n[t.target[i]];
      some = true;
    }
    for (Local local = 0; some && local < n.size(); ++local)
      if (n[local]) add(slice->nodes().gid(local), rule.post, n[local]);
  }
}

void Growing::count_sources(const Rule& rule) {
  std::vector<Connected> found;
  for_tables(rule, [&](const Slice&, const tables::EdgeTable& t) {
    t.sources.for_each([&](std::uint32_t row, Gid gid) { found.push_back({gid, t.rows[row].end - t.rows[row].begin}); });
  });
  for (const Connected& c : post_.deal(
           std::move(found), [&](const Connected& c) { return populations_.rank_of(c.gid); },
           [&](Connected& c, int rank) { c.gid = populations_.mirrored(c.gid, rank); }))
    add(c.gid, rule.pre, c.n);
}

/// Collective.
void Growing::count() {
  for (growth::Cell& cell : cells_)
    for (growth::Element& e : cell.elements) e.connected = 0;
  for (const Rule& rule : rules_) count_targets(rule), count_sources(rule);
  counted_ = true;
}

}  // namespace npl::sim
