// SPDX-License-Identifier: Apache-2.0
/// set_each(): sets common or drawn values of neurons given as ranges, in time O(nodes of this rank).
#include <algorithm>

#include "rng/node_values.hpp"
#include "sim/fingerprint.hpp"
#include "sim/first_refusal.hpp"
#include "sim/new_parameters.hpp"

namespace npl::sim {
namespace {

/// Nodes of a set in one population of a slice, with their drawn values.
struct Chosen {
  std::vector<Gid> gids;
  std::vector<std::size_t> at;               ///< index in the population's share of a group
  std::vector<std::vector<double>> columns;  ///< [draw][node]
};

std::vector<Chosen> choose(const Slice& slice, const connect::NodeSet& nodes, std::size_t populations, const std::vector<NodeDraw>& draws,
                           std::uint64_t seed) {
  std::vector<Chosen> chosen(populations);
  nodes.for_each_in(slice.nodes(), [&](std::int64_t, Gid gid, Local local) {
    const std::size_t b = slice.nodes().block_of(gid);
    chosen[b].gids.push_back(gid);
    chosen[b].at.push_back(local - slice.nodes().blocks()[b].first_local);
  });
  for (Chosen& c : chosen)
    for (const NodeDraw& d : draws) {
      c.columns.emplace_back(c.gids.size());
      rng::draw_node_values(d.spec, seed, d.stream, c.gids, c.columns.back().data());
    }
  return chosen;
}

void check_chosen(const Populations::Share& share, const Chosen& c, const Values& values, const std::vector<NodeDraw>& draws,
                  FirstRefusal& refusal) {
  const nodes::ModelInfo& m = share.group->model();
  NewParameters all(m);
  for (const auto& [name, v] : values) all.give(name, v);
  for (std::size_t k = 0; k < draws.size(); ++k) all.give(draws[k].name, c.columns[k]);
  const auto check = [&](std::size_t i) {
    for (std::size_t k = 0; k < draws.size(); ++k) check_value(field_of(m, draws[k].name), c.columns[k][i]);
    all.check(share.group, share.begin + c.at[i], i);
  };
  const std::size_t different = draws.empty() && share.group->all_alike() ? std::min<std::size_t>(c.at.size(), 1) : c.at.size();
  for (std::size_t i = 0; i < different; ++i) refusal.check(c.gids[i], [&] { check(i); });
}

/// Allocates all that set_chosen() will need.
void make_room_for(const Populations::Share& share, const Chosen& c, const Values& values, const std::vector<NodeDraw>& draws) {
  nodes::Group& group = *share.group;
  const nodes::ModelInfo& m = group.model();
  if (m.settle) group.make_room();
  for (const auto& [name, v] : values)
    if (const int k = find_field(m.parameters, name); k >= 0 && !(c.at.size() == share.n && share.all()))
      group.make_room(static_cast<std::size_t>(k), v[0]);
  for (std::size_t d = 0; d < draws.size(); ++d)
    if (const int k = find_field(m.parameters, draws[d].name); k >= 0)
      for (const double x : c.columns[d]) group.make_room(static_cast<std::size_t>(k), x);
}

void set_chosen(const Populations::Share& share, const Chosen& c, const Values& values, const std::vector<NodeDraw>& draws) {
  nodes::Group& group = *share.group;
  const nodes::ModelInfo& m = group.model();
  const auto put = [&](const std::string& name, auto&& value) {
    const int parameter = find_field(m.parameters, name), state = find_field(m.state, name);
    for (std::size_t i = 0; i < c.at.size(); ++i)
      if (parameter >= 0)
        group.set_parameter(static_cast<std::size_t>(parameter), share.begin + c.at[i], value(i));
      else
        group.state(static_cast<std::size_t>(state))[share.begin + c.at[i]] = value(i);
  };
  const bool everyone = c.at.size() == share.n;
  for (const auto& [name, v] : values) {
    const double x = v[0];
    if (const int k = find_field(m.parameters, name); everyone && k >= 0)
      group.set_parameters(static_cast<std::size_t>(k), share.begin, share.n, x);  // takes no column if it is the whole group
    else
      put(name, [&](std::size_t) { return x; });
  }
  for (std::size_t k = 0; k < draws.size(); ++k) put(draws[k].name, [&](std::size_t i) { return c.columns[k][i]; });
  if (m.settle)
    for (const std::size_t at : c.at) group.settle(share.begin + at, 1);
}

/// Whether one of the gids of a range, of positive stride, belongs to a population.
bool meets(const connect::Range& r, const Population& p) {
  const Gid skipped = p.first > r.first ? (p.first - r.first + r.stride - 1) / r.stride : 0;
  return skipped < r.count && r.first + skipped * r.stride < p.first + p.n;
}

}  // namespace

/// Checks everything that is the same on all ranks: the nodes are neurons; names, bounds of values, distributions.
void Populations::check_each(const connect::NodeSet& nodes, const Values& values, const std::vector<NodeDraw>& draws) const {
  for (const NodeDraw& d : draws) rng::check_node_values(d.spec, d.name);
  for (const connect::Range& r : nodes.ranges()) {
    const Gid last = r.first + (r.count - 1) * r.stride;
    of(r.first, "gids"), of(last, "gids");
    for (const auto& p : populations_) {
      if (!meets(r, *p)) continue;
      if (!p->model) throw IllegalConnection("values of devices are set one by one");
      check_fields(*p->model, 1, values);
      for (const NodeDraw& d : draws) field_of(*p->model, d.name);
    }
  }
}

void Populations::set_each(const connect::NodeSet& nodes, const Values& values, const std::vector<NodeDraw>& draws) {
  std::vector<std::vector<Chosen>> chosen;  // by slice and population
  const auto for_groups = [&](auto&& f) {
    for (std::size_t s = 0; s < slices_.size(); ++s)
      for (std::size_t p = 0; p < chosen[s].size(); ++p)
        if (!chosen[s][p].gids.empty()) f(share_of(*slices_[s], *populations_[p]), chosen[s][p]);
  };
  Fingerprint arguments(fingerprint_of(nodes, values));
  for (const NodeDraw& d : draws) arguments.add(std::string_view(d.name)).add(d.spec).add(d.stream);
  together(
      "set",
      [&] {
        check_each(nodes, values, draws);
        for (auto& s : slices_) chosen.push_back(choose(*s, nodes, populations_.size(), draws, settings_.seed));
        FirstRefusal refusal;
        for_groups([&](const Share& s, const Chosen& c) { check_chosen(s, c, values, draws, refusal); });
        refusal.rethrow();
        for_groups([&](const Share& s, const Chosen& c) { make_room_for(s, c, values, draws); });
      },
      arguments.value());
  for_groups([&](const Share& s, const Chosen& c) { set_chosen(s, c, values, draws); });
  for (const connect::Range& r : nodes.ranges())
    for (auto& p : populations_)
      if (meets(r, *p)) note_columns(*p, r.stride == 1 && r.first <= p->first && r.first + r.count >= p->first + p->n, values, draws);
}

}  // namespace npl::sim
