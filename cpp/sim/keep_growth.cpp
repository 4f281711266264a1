// SPDX-License-Identifier: Apache-2.0
/// Structural plasticity in checkpoints: what all ranks know is in the common part, cells are in the shards.
#include <algorithm>

#include "sim/archive_values.hpp"
#include "sim/growing.hpp"

namespace npl::sim {

void Growing::visit(checkpoint::Archive& a) {
  if (!a.has<std::uint64_t>("names")) return;
  a.each("names", names_, [&](std::string& name) { a("of", name); });
  a.each("kinds", kinds_, [&](growth::Kind& k) {
    growth::Curve& c = k.curve;
    a("name", k.name), a("shape", c.shape), a("rate", c.rate), a("eta", c.eta), a("eps", c.eps), a("psi", c.psi);
    a("tau_vacant", c.tau_vacant), a("continuous", c.continuous);
  });
  a.each("rules", rules_, [&](Rule& r) {
    a("pre", r.pre), a("post", r.post), a("autapses", r.call.autapses), a("multapses", r.call.multapses);
    a("pre_element", r.call.pre_element), a("post_element", r.call.post_element);
    a.in("call", [&] { visit_call(a, r.call.synapses); });
    a.each("varied", r.call.synapses.varied_params, [&](auto& v) { a("name", v.first), sim::visit(a, "value", v.second); });
  });
  std::vector<std::pair<std::string, std::vector<Gid>>> holders;
  for (const auto& [name, gids] : holders_) holders.push_back({name, {gids.begin(), gids.end()}});
  a.each("holders", holders, [&](auto& h) { a("name", h.first), a("populations", h.second); });
  for (const auto& [name, gids] : holders) holders_[name] = {gids.begin(), gids.end()};
  a("interval", interval_), a("on", on_), a("updated", updated_), a("changes", changes_);
}

void Growing::save(checkpoint::Columns& to) const {
  std::vector<Gid> gid;
  std::vector<double> calcium, z;
  std::vector<std::int64_t> elements, kind;
  for (const growth::Cell& c : cells_) {
    gid.push_back(c.gid), elements.push_back(static_cast<std::int64_t>(c.elements.size()));
    for (const double x : {c.calcium, c.tau, c.beta, c.at, c.last_spike}) calcium.push_back(x);
    for (const growth::Element& e : c.elements) z.push_back(e.z), kind.push_back(e.kind);
  }
  to.keep("growth/gid", std::move(gid)), to.keep("growth/calcium", std::move(calcium)), to.keep("growth/elements", std::move(elements));
  to.keep("growth/z", std::move(z)), to.keep("growth/kind", std::move(kind));
}

void Growing::load(std::span<const checkpoint::Shard> from) {
  const auto fit = [](bool fits) {
    if (!fits) throw BadCheckpoint("synaptic elements do not fit");
  };
  for (const checkpoint::Shard& shard : from) {
    const auto gid = shard.all<Gid>("growth/gid");
    const auto calcium = shard.all<double>("growth/calcium"), z = shard.all<double>("growth/z");
    const auto elements = shard.all<std::int64_t>("growth/elements"), kind = shard.all<std::int64_t>("growth/kind");
    fit(calcium.size() == 5 * gid.size() && elements.size() == gid.size() && z.size() == kind.size());
    std::size_t at = 0;
    for (std::size_t k = 0; k < gid.size(); ++k) {
      const double* c = &calcium[5 * k];
      growth::Cell cell{gid[k], c[0], c[1], c[2], c[3], c[4], {}};
      fit(gid[k] >= 1 && gid[k] <= n_nodes() && elements[k] >= 0 && at + static_cast<std::size_t>(elements[k]) <= z.size());
      for (const std::size_t end = at + static_cast<std::size_t>(elements[k]); at < end; ++at) {
        fit(kind[at] >= 0 && static_cast<std::size_t>(kind[at]) < kinds_.size());
        cell.elements.push_back({static_cast<std::uint32_t>(kind[at]), 0, z[at]});
      }
      if (populations_.rank_of(gid[k]) == rank()) cells_.push_back(std::move(cell));
    }
  }
  std::sort(cells_.begin(), cells_.end(), [](const auto& a, const auto& b) { return a.gid < b.gid; });
  counted_ = attached_ = false;
}

}  // namespace npl::sim
