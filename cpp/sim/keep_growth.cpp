// SPDX-License-Identifier: Apache-2.0
/// Structural plasticity in checkpoints: what all ranks know is in the common part, cells are in the shards.
#include <algorithm>

#include "sim/archive_values.hpp"
#include "sim/growing.hpp"

namespace npl::sim {
namespace {

using checkpoint::Archive;

void visit_cell(Archive& a, growth::Cell& c) {
  auto n = static_cast<std::int64_t>(c.elements.size());
  a("gid", c.gid), a("elements", n);
  for (double* value : {&c.calcium, &c.tau, &c.beta, &c.at, &c.last_spike}) a("calcium", *value);
  a.items(c.elements, static_cast<std::uint64_t>(n), [&](growth::Element& e) {
    auto kind = static_cast<std::int64_t>(e.kind);
    a("z", e.z), a("kind", kind);
    e.kind = kind < 0 || kind > UINT32_MAX ? UINT32_MAX : static_cast<std::uint32_t>(kind);  // what is no kind is refused by load()
  });
}

}  // namespace

void Growing::visit(Archive& a) {
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
  Archive a(to);
  a.records("growth", checkpoint::saved(cells_), cells_.size(), [&](growth::Cell& c) { visit_cell(a, c); });
  a.finish();
}

void Growing::load(std::span<const checkpoint::Shard> from) {
  const auto fits = [&](const growth::Cell& c) {
    return c.gid >= 1 && c.gid <= n_nodes() &&
           std::all_of(c.elements.begin(), c.elements.end(), [&](const auto& e) { return e.kind < kinds_.size(); });
  };
  for (const checkpoint::Shard& shard : from) {
    Archive a(shard);
    std::vector<growth::Cell> found;
    a.records("growth", found, a.left<Gid>("growth/gid"), [&](growth::Cell& c) { visit_cell(a, c); });
    for (growth::Cell& c : found) {
      if (!fits(c)) throw BadCheckpoint("synaptic elements do not fit");
      if (populations_.rank_of(c.gid) == rank()) cells_.push_back(std::move(c));
    }
  }
  std::sort(cells_.begin(), cells_.end(), [](const auto& a, const auto& b) { return a.gid < b.gid; });
  counted_ = attached_ = false;
}

}  // namespace npl::sim
