// SPDX-License-Identifier: Apache-2.0
/// How many elements are part of synapses, from the tables of the synapses that grow.
#include <algorithm>
#include <numeric>

#include "sim/growing.hpp"

namespace npl::sim {
namespace {

struct Connected {
  Gid gid;
  std::int64_t n;
};

/// Sends each rank what is for it: parts[r] goes to rank r. Collective.
std::vector<Connected> dealt_out(comm::Communicator& comm, const std::vector<std::vector<Connected>>& parts) {
  const auto n = static_cast<std::size_t>(comm.size());
  std::vector<std::size_t> send(n), receive(n);
  std::vector<Connected> all;
  for (std::size_t r = 0; r < n; ++r)
    send[r] = parts[r].size() * sizeof(Connected), all.insert(all.end(), parts[r].begin(), parts[r].end());
  comm.alltoall(send.data(), sizeof(std::size_t), receive.data());
  std::vector<Connected> arrived(std::accumulate(receive.begin(), receive.end(), std::size_t{0}) / sizeof(Connected));
  comm.alltoallv(all.data(), send, arrived.data(), receive);
  return arrived;
}

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
  std::vector<std::vector<Connected>> parts(static_cast<std::size_t>(comm_->size()));
  for (auto& slice : slices_)
    for (const auto& p : slice->pathways()) {
      const tables::EdgeTable& t = p->table();
      if (description_.specs().label_of(*t.spec) != rule.call.synapses.label) continue;
      t.sources.for_each([&](std::uint32_t row, Gid gid) {
        parts[static_cast<std::size_t>(populations_.rank_of(gid))].push_back({gid, t.rows[row].end - t.rows[row].begin});
      });
    }
  for (const Connected& c : ranks() > 1 ? dealt_out(*comm_, parts) : parts[0]) add(c.gid, rule.pre, c.n);
}

/// Collective.
void Growing::count() {
  for (growth::Cell& cell : cells_)
    for (growth::Element& e : cell.elements) e.connected = 0;
  for (const Rule& rule : rules_) count_targets(rule), count_sources(rule);
  counted_ = true;
}

}  // namespace npl::sim
