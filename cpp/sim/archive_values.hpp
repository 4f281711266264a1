// SPDX-License-Identifier: Apache-2.0
/// Values of several modules in checkpoints.
#pragma once
#include "checkpoint/archive.hpp"
#include "connect/node_set.hpp"
#include "rng/distribution.hpp"
#include "rng/philox.hpp"

namespace npl::sim {

inline void visit(checkpoint::Archive& a, const char* name, connect::NodeSet& set) {
  std::vector<Gid> flat;
  for (const connect::Range& r : set.ranges()) flat.insert(flat.end(), {r.first, r.count, r.stride});
  a(name, flat);
  if (!a.loading()) return;
  std::vector<connect::Range> ranges;
  if (flat.size() % 3 != 0) throw BadCheckpoint(std::string("ranges of nodes that do not fit: ") + name);
  for (std::size_t k = 0; k < flat.size(); k += 3) ranges.push_back({flat[k], flat[k + 1], flat[k + 2]});
  set = connect::NodeSet(std::move(ranges));
}

inline void visit(checkpoint::Archive& a, const char* name, rng::ValueSpec& v) {
  a.in(name, [&] {
    std::vector<double> values;
    if (v.values) values = *v.values;
    a("kind", v.kind), a("a", v.a), a("b", v.b), a("limit", v.limit), a("min", v.min), a("max", v.max);
    a("shift", v.shift), a("factor", v.factor), a("bits", v.bits), a("values", values);
    if (a.loading() && v.kind == rng::Kind::array) v.values = std::make_shared<const std::vector<double>>(std::move(values));
  });
}

inline void visit(checkpoint::Archive& a, const char* name, rng::Key& key) {
  a.in(name, [&] { a("k0", key.k0), a("k1", key.k1); });
}

/// A value per receptor; the first version had max_receptors of them, without their number.
inline void visit_per_receptor(checkpoint::Archive& a, const std::string& name, std::vector<double>& values) {
  if (a.has<std::uint64_t>((name + "#").c_str())) return a(name.c_str(), values);
  values.resize(max_receptors);
  for (double& value : values) a(name.c_str(), value);
}

}  // namespace npl::sim
