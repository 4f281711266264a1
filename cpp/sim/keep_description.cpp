// SPDX-License-Identifier: Apache-2.0
/// Table specs, device links and calls that draw static synapses in checkpoints. Everything that was described is built when one is made.
#include <algorithm>

#include "connect/listed.hpp"
#include "sim/archive_values.hpp"
#include "sim/edge_values.hpp"
#include "sim/sketch.hpp"

namespace npl::sim {

namespace {

/// Fewer edges take less than the call that makes them.
constexpr double fewest_edges = 300.0;

/// True when the edges of a call follow from numbers alone.
bool is_drawn(const ConnectCall& call) {
  const auto by_numbers = [](const rng::ValueSpec& v) { return v.is_constant() || v.is_drawn(); };
  const auto& rule = connect::find_rule(call.rule).parameters;
  return by_numbers(call.weight) && by_numbers(call.delay) && call.varied_params.empty() && call.recorder < 0 &&
         std::none_of(rule.begin(), rule.end(), [](const connect::RuleParam& p) { return connect::is_list(p); });
}

/// A parameter as it is stored: a number, a whole number or a flag.
struct KeptParam {
  std::string name;
  double number = 0.0;
  std::int64_t whole = 0;
};

KeptParam kept_param(const std::string& name, const connect::RuleValue& value) {
  if (const auto* number = std::get_if<double>(&value)) return {name, *number};
  if (const auto* flag = std::get_if<bool>(&value)) return {name, 0.0, *flag};
  return {name, 0.0, std::get<std::int64_t>(value)};
}

connect::RuleValue param_value(const KeptParam& kept, connect::ParamType type) {
  if (type == connect::ParamType::count) return kept.whole;
  if (type == connect::ParamType::flag) return kept.whole != 0;
  return kept.number;
}

/// What calls were stored with before rules declared their parameters: one probability, one count and two flags.
connect::RuleParams load_former_params(checkpoint::Archive& a, const connect::RuleInfo& rule) {
  double p = 0.0;
  std::int64_t n = 0;
  bool autapses = true, multapses = true;
  a("p", p), a("n", n), a("allow_autapses", autapses), a("allow_multapses", multapses);
  connect::RuleParams params;
  for (const connect::RuleParam& q : rule.parameters) {
    if (q.type == connect::ParamType::probability) params.set(q.name, p);
    if (q.type == connect::ParamType::count) params.set(q.name, n);
    if (q.name == std::string_view("allow_autapses")) params.set(q.name, autapses);
    if (q.name == std::string_view("allow_multapses")) params.set(q.name, multapses);
  }
  return params;
}

void visit_params(checkpoint::Archive& a, const connect::RuleInfo& rule, connect::RuleParams& params) {
  if (a.loading() && a.has<double>("p")) {
    params = load_former_params(a, rule);
    return;
  }
  std::vector<KeptParam> all;
  for (const auto& [name, value] : params.values()) all.push_back(kept_param(name, value));
  a.each("rule_params", all, [&](KeptParam& p) { a("name", p.name), a("number", p.number), a("whole", p.whole); });
  if (!a.loading()) return;
  for (const KeptParam& p : all) params.set(p.name, param_value(p, connect::find_parameter(rule.name, rule.parameters, p.name).type));
}

}  // namespace

/// Up to version 0.2.0 they were a list.
void visit_link_devices(checkpoint::Archive& a, connect::NodeSet& devices) {
  if (!a.loading() || !a.has<std::uint64_t>("devices#")) return visit(a, "sources", devices);
  std::vector<Gid> gids;
  a("devices", gids);
  std::vector<connect::Range> ranges;
  for (const Gid gid : gids)
    if (ranges.empty() || last_gid(ranges.back()) + 1 != gid)
      ranges.push_back({gid, 1, 1});
    else
      ++ranges.back().count;
  devices = connect::NodeSet(std::move(ranges));
}

namespace {

/// Number of listed edges, and the ranges of their values, which are returned: those of all ranks.
connect::EdgeValues visit_ranges(checkpoint::Archive& a, DeviceLink& l) {
  if (a.has<std::int64_t>("n_listed")) a("n_listed", l.n_listed);
  connect::EdgeValues ranges;
  ranges.given_weights = l.values.given_weights;
  ranges.lowest_delay = l.values.lowest_delay, ranges.highest_delay = l.values.highest_delay;
  if (l.n_listed < 0) return ranges;
  a("low", ranges.given_weights.low), a("high", ranges.given_weights.high);
  a("shortest", ranges.lowest_delay), a("longest", ranges.highest_delay);
  return ranges;
}

}  // namespace

void visit_call(checkpoint::Archive& a, ConnectCall& c) {
  visit(a, "pre", c.pre), visit(a, "post", c.post), visit(a, "weight", c.weight), visit(a, "delay", c.delay);
  a("rule", c.rule);
  visit_params(a, connect::find_rule(c.rule), c.rule_params);
  a("synapse", c.synapse), a("receptor", c.receptor), a("double_weights", c.double_weights), a("label", c.label);
  a.each("synapse_params", c.synapse_params, [&](std::pair<std::string, double>& p) { a("name", p.first), a("value", p.second); });
}

void Description::keep_call(const connect::Projection& p, const ConnectCall& call) {
  if (is_drawn(call) && p.rule->expected_edges() >= fewest_edges) {
    drawn_.push_back({call, progress_.projections, settings_.seed, p.table, p.negative_table, p.first_code});
  } else {
    to_list_.insert(p.table);
    if (p.negative_table >= 0) to_list_.insert(p.negative_table);
  }
}

void Description::note_listed(std::span<const std::int64_t> tables) {
  for (std::size_t k = 0; k < tables.size(); ++k)
    if (tables[k]) listed_.insert(static_cast<int>(k));
}

std::vector<std::uint8_t> Description::drawn_again(std::span<const std::int64_t> stored) const {
  std::vector<std::uint8_t> drawn(specs_.size());
  const auto of = [&](int table) -> std::uint8_t& { return drawn[static_cast<std::size_t>(table)]; };
  for (const DrawnCall& d : drawn_)
    for (const int table : {d.table, d.negative_table})
      if (table >= 0) of(table) = !specs_[static_cast<std::size_t>(table)]->plasticity;
  for (const int table : listed_) of(table) = 0;
  for (std::size_t k = 0; k < stored.size(); ++k) drawn[k] = drawn[k] && !stored[k];
  // Spikes that were sent before a call was built are not for its synapses: none may be in flight any more.
  const auto settled = [&](const DrawnCall& d) { return d.built <= 0 || d.built + max_delay_ < step_; };
  for (bool changed = true; changed;) {
    changed = false;
    for (const DrawnCall& d : drawn_) {
      const bool both = of(d.table) && (d.negative_table < 0 || of(d.negative_table)) && settled(d);
      for (const int table : {d.table, d.negative_table})
        if (!both && table >= 0 && of(table)) of(table) = 0, changed = true;
    }
  }
  return drawn;
}

void Description::draw_again(const std::vector<std::uint8_t>& drawn) {
  const std::int64_t projections = progress_.projections;
  const std::uint64_t seed = settings_.seed;
  for (const DrawnCall& d : drawn_) {
    if (!drawn.at(static_cast<std::size_t>(d.table))) continue;
    progress_.projections = d.number, settings_.seed = d.seed;
    Sketch s = sketch(d.call, *same_kind(d.call.post, "post"));
    connect::Projection& p = *s.p;
    p.table = d.table, p.negative_table = d.negative_table, p.first_code = d.first_code, p.largest_weight = s.largest();
    p.pre = d.call.pre, p.post = d.call.post;
    pending_bytes_ += least_bytes(p, s.kind);
    projections_.push_back(std::move(s.p));
  }
  progress_.projections = projections, settings_.seed = seed;
}

void Description::visit(checkpoint::Archive& a) {
  a("min_delay", min_delay_), a("max_delay", max_delay_), a("turns", turns_);
  a.in("tables", [&] { tables_.visit(a); });
  a.in("book", [&] { book_.visit(a); });
  a.each("links", links_, [&](std::unique_ptr<DeviceLink>& link) {
    if (a.loading()) link = std::make_unique<DeviceLink>();
    DeviceLink& l = *link;
    ConnectCall values;
    values.weight = l.values.weight, values.delay = l.values.delay;
    if (l.listed) values.weight.values = values.delay.values = nullptr;  // each rank has its own, and its parts save them
    visit_link_devices(a, l.devices), sim::visit(a, "targets", l.targets), a("pairs", l.pairs), sim::visit(a, "weight", values.weight);
    sim::visit(a, "delay", values.delay), sim::visit(a, "key", l.key), a("receptor", l.receptor), a("count", l.count);
    a("precise", l.precise), a("number", l.number);
    if (a.loading()) l.projection = static_cast<std::int64_t>(l.number);  // former versions
    if (a.has<std::int64_t>("projection")) a("projection", l.projection);
    const connect::EdgeValues ranges = visit_ranges(a, l);
    if (!a.loading()) return;
    if (l.devices.size() == 0) throw BadCheckpoint("a device link without devices");
    populations_.check_nodes(l.devices, "gid");
    const Population& from = populations_.of(l.devices[0], "gid");
    if (from.model) throw BadCheckpoint("a device link of a neuron");
    l.info = &from.devices->info();
    if (l.targets.size() > 0 && l.info->effect == devices::Effect::current)
      l.at_once = populations_.of(l.targets[0], "targets").model->currents_at_once;
    take_values(l.values, values, l.n_listed >= 0 ? 0 : l.n_edges(), settings_.resolution, samplers_);
    if (l.n_listed < 0) return;
    l.values.given_weights = ranges.given_weights;
    l.values.lowest_delay = ranges.lowest_delay, l.values.highest_delay = ranges.highest_delay;
  });
  if (a.loading()) n_links_attached_ = links_.size();
  std::vector<int> listed(listed_.begin(), listed_.end());
  a("listed", listed);
  listed_ = {listed.begin(), listed.end()};
  a.each("drawn", drawn_, [&](DrawnCall& d) {
    visit_call(a, d.call);
    a("number", d.number), a("seed", d.seed), a("table", d.table), a("negative_table", d.negative_table), a("first_code", d.first_code);
    a("built", d.built);
    tables_.at(d.table);
  });
}

}  // namespace npl::sim
