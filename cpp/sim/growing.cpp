// SPDX-License-Identifier: Apache-2.0
/// Elements and calcium as users set and read them.
#include "sim/growing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "comm/collect.hpp"
#include "connect/listed.hpp"
#include "sim/fingerprint.hpp"
#include "sim/node_values.hpp"
#include "sim/varied.hpp"

namespace npl::sim {
namespace {

const std::vector<std::string>& value_names() {
  static const std::vector<std::string> names{"growth_rate", "eta", "eps", "psi", "tau_vacant", "continuous", "z"};
  return names;
}

/// The curve and z of neuron k. Throws BadParameter, UnknownName.
std::pair<growth::Curve, double> curve_of(const NamedElements& e, std::size_t k) {
  growth::Curve c{.shape = growth::find_shape(e.curve)};
  double z = 0.0;
  for (const auto& [name, values] : e.values) {
    const double v = value_at(values, k);
    const auto at = std::find(value_names().begin(), value_names().end(), name) - value_names().begin();
    switch (at) {
      case 0: c.rate = v; break;
      case 1: c.eta = v; break;
      case 2: c.eps = v; break;
      case 3: c.psi = v; break;
      case 4: c.tau_vacant = v; break;
      case 5: c.continuous = v != 0.0; break;
      case 6: z = v; break;
      default: throw UnknownName("parameter of synaptic elements", name, value_names());
    }
  }
  c.check();
  if (!(z >= 0.0 && z <= 1e9)) throw BadParameter("z", z, "from 0 to 1e9 elements");
  return {c, z};
}

std::uint64_t fingerprint(const connect::NodeSet& nodes, const std::vector<NamedElements>& elements) {
  Fingerprint f;
  f.add(nodes);
  for (const NamedElements& e : elements) f.add(std::string_view(e.name)).add(std::string_view(e.curve)).add(e.values);
  return f.value();
}

void check_calcium(const std::string& name, double v) {
  if (name == "Ca" && !(v >= 0.0 && std::isfinite(v))) throw BadParameter(name, v, "at least 0");
  if (name == "tau_Ca" && !(v > 0.0 && std::isfinite(v))) throw BadParameter(name, v, "positive");
  if (name == "beta_Ca" && !(v >= 0.0 && std::isfinite(v))) throw BadParameter(name, v, "at least 0");
}

}  // namespace

int Growing::name_number(const std::string& name) {
  const auto at = std::find(names_.begin(), names_.end(), name) - names_.begin();
  if (at == static_cast<std::ptrdiff_t>(names_.size())) names_.push_back(name);
  return static_cast<int>(at);
}

std::uint32_t Growing::kind_number(const growth::Kind& kind) {
  while (kind_numbers_.size() < kinds_.size())  // after a checkpoint
    kind_numbers_.emplace(kinds_[kind_numbers_.size()], static_cast<std::uint32_t>(kind_numbers_.size()));
  const auto [at, fresh] = kind_numbers_.emplace(kind, static_cast<std::uint32_t>(kinds_.size()));
  if (fresh) kinds_.push_back(kind);
  return at->second;
}

growth::Cell* Growing::find(Gid gid) const {
  const auto at = std::lower_bound(cells_.begin(), cells_.end(), gid, [](const growth::Cell& c, Gid g) { return c.gid < g; });
  return at != cells_.end() && at->gid == gid ? &*at : nullptr;
}

void Growing::check_growth() const {
  if (settings_.counting)
    throw IllegalConnection("growth: this network only counts what is described, and synapses that grow are known only after a run");
}

void Growing::check_neurons(const std::vector<Gid>& gids) const {
  check_growth();
  for (const Gid gid : gids)
    if (!populations_.of(gid, "gids").model)
      throw BadParameter("gids", static_cast<double>(gid), "neurons: a " + populations_.model_of(gid) + " does not grow");
}

/// First gids of the populations of nodes. Throws BadParameter unless these are neurons.
std::set<Gid> Growing::populations_of(const connect::NodeSet& nodes) const {
  check_growth();
  populations_.check_nodes(nodes, "gids");
  std::set<Gid> all;
  for (const connect::Range& r : nodes.ranges())
    populations_.for_each_met(r, [&](const Population& p) {
      if (!p.model) check_neurons(std::vector<Gid>{sim::next(std::max(p.first, r.first), r.first, r.stride)});
      all.insert(p.first);
    });
  return all;
}

/// Neurons of this rank, by position.
std::vector<Growing::Member> Growing::own(const connect::NodeSet& nodes) const {
  std::vector<Member> all;
  for (const auto& slice : slices_)
    nodes.for_each_in(slice->nodes(), [&](std::int64_t position, Gid gid, Local) { all.emplace_back(position, gid); });
  std::sort(all.begin(), all.end());
  return all;
}

/// Throws what connect() would throw for targets of these populations.
void Growing::check_targets(const GrowCall& call, const std::set<Gid>& populations) const {
  for (const Gid first : populations) {
    ConnectCall one = call.synapses;
    one.rule = "explicit", one.rule_params = connect::listing({0}, {0});
    one.pre = one.post = connect::NodeSet({{first, 1, 1}});
    one.check_only = true;
    description_.connect(std::move(one));
  }
}

/// Adds a cell, which has the calcium concentration and the elements, for each neuron that has none yet.
void Growing::add_cells(const std::vector<Member>& neurons) {
  std::vector<growth::Cell> more;
  for (const auto& [position, gid] : neurons)
    if (!find(gid)) more.push_back({.gid = gid, .at = now()});
  if (more.empty()) return;
  const auto by_gid = [](const growth::Cell& a, const growth::Cell& b) { return a.gid < b.gid; };
  std::sort(more.begin(), more.end(), by_gid);
  more.erase(std::unique(more.begin(), more.end(), [](const auto& a, const auto& b) { return a.gid == b.gid; }), more.end());
  const auto middle = static_cast<std::ptrdiff_t>(cells_.size());
  cells_.insert(cells_.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  std::inplace_merge(cells_.begin(), cells_.begin() + middle, cells_.end(), by_gid);
  attached_ = false;
}

void Growing::set_elements(const connect::NodeSet& nodes, const std::vector<NamedElements>& elements) {
  std::set<Gid> populations;
  const auto differ = [&](const NamedElements& e) {  // how many
    const bool each = std::any_of(e.values.begin(), e.values.end(), [](const auto& v) { return v.second.size() > 1; });
    return static_cast<std::size_t>(each ? nodes.size() : 1);
  };
  together(
      "set_elements",
      [&] {
        populations = populations_of(nodes);
        for (const NamedElements& e : elements) {
          check_lengths(e.values, static_cast<std::size_t>(nodes.size()));
          for (std::size_t k = 0; k < differ(e); ++k) curve_of(e, k);
          if (e.name.empty()) throw BadParameter("synaptic_elements", "\"\"", "names of at least one letter");
          for (const Rule& r : rules_)
            if (r.call.post_element == e.name) check_targets(r.call, populations);
        }
      },
      fingerprint(nodes, elements));
  const std::vector<Member> here = own(nodes);
  add_cells(here);
  std::vector<std::vector<growth::Element>> fresh(here.size());
  for (const NamedElements& e : elements) holders_[e.name].insert(populations.begin(), populations.end());
  for (const NamedElements& e : elements) {
    const std::size_t n = differ(e);
    for (std::size_t k = 0, j = 0; k < n; ++k) {  // all ranks number all kinds
      const auto [curve, z] = curve_of(e, k);
      const growth::Element element{kind_number({name_number(e.name), curve}), 0, z};
      for (; j < here.size() && (n == 1 || here[j].first == static_cast<std::int64_t>(k)); ++j) fresh[j].push_back(element);
    }
  }
  for (std::size_t j = 0; j < here.size(); ++j) {
    growth::Cell& cell = *find(here[j].second);
    cell.advance(now(), kinds_);
    cell.elements = std::move(fresh[j]);
  }
  counted_ = false;
}

std::vector<ElementColumns> Growing::elements(const std::vector<Gid>& gids) const {
  together("elements", [&] { check_neurons(gids); }, fingerprint_of(gids));
  if (!counted_) const_cast<Growing*>(this)->count();
  std::vector<ElementColumns> columns;
  for (const std::string& name : names_) columns.push_back({name, std::vector<double>(gids.size() * element_fields)});
  for (std::size_t k = 0; k < gids.size(); ++k) {
    const growth::Cell* known = find(gids[k]);
    if (!known) continue;
    growth::Cell cell = *known;
    cell.advance(now(), kinds_);
    for (const growth::Element& e : cell.elements) {
      const auto& [name, c] = kinds_[e.kind];
      const double values[] = {1.0, static_cast<double>(c.shape),    c.rate, c.eta, c.eps, c.psi, c.tau_vacant, c.continuous ? 1.0 : 0.0,
                               e.z, static_cast<double>(e.connected)};
      std::copy(std::begin(values), std::end(values), &columns[static_cast<std::size_t>(name)].values[k * element_fields]);
    }
  }
  for (ElementColumns& c : columns) comm::merge(*comm_, c.values);
  return columns;
}

void Growing::set_calcium(const connect::NodeSet& nodes, const Values& values) {
  static const std::vector<std::string> known{"Ca", "tau_Ca", "beta_Ca"};
  together(
      "set_calcium",
      [&] {
        populations_of(nodes);
        check_lengths(values, static_cast<std::size_t>(nodes.size()));
        for (const auto& [name, v] : values) {
          if (std::find(known.begin(), known.end(), name) == known.end()) throw UnknownName("parameter of calcium", name, known);
          for (const double x : v) check_calcium(name, x);
        }
      },
      fingerprint_of(nodes, values));
  const std::vector<Member> here = own(nodes);
  add_cells(here);
  for (const auto& [position, gid] : here) {
    growth::Cell& cell = *find(gid);
    cell.advance(now(), kinds_);
    for (const auto& [name, v] : values)
      (name == "Ca" ? cell.calcium : name == "tau_Ca" ? cell.tau : cell.beta) = value_at(v, static_cast<std::size_t>(position));
  }
}

std::vector<double> Growing::calcium(const std::vector<Gid>& gids, const std::string& name) const {
  static const std::vector<std::string> known{"Ca", "tau_Ca", "beta_Ca", "t_spike"};
  std::vector<double> out(gids.size());
  together(
      "calcium",
      [&] {
        check_neurons(gids);
        if (std::find(known.begin(), known.end(), name) == known.end()) throw UnknownName("value of calcium", name, known);
      },
      fingerprint_of(gids, name));
  for (std::size_t k = 0; k < gids.size(); ++k) {
    if (populations_.rank_of(gids[k]) != rank()) continue;
    const growth::Cell* known_cell = find(gids[k]);
    growth::Cell cell = known_cell ? growth::Cell{*known_cell} : growth::Cell{.calcium = std::numeric_limits<double>::quiet_NaN()};
    cell.elements.clear();
    if (known_cell) cell.advance(now(), kinds_);
    out[k] = !known_cell         ? std::numeric_limits<double>::quiet_NaN()
             : name == "Ca"      ? cell.calcium
             : name == "tau_Ca"  ? cell.tau
             : name == "beta_Ca" ? cell.beta
                                 : cell.last_spike;
  }
  comm::merge(*comm_, out);
  return out;
}

void Growing::grow(GrowCall call) {
  require_sources("grow");
  check_neurons({});
  if (call.pre_element.empty() || call.post_element.empty())
    throw BadParameter("element", "\"\"", "names of the elements of sources and of targets");
  const auto checked = [](const char* name, const rng::ValueSpec& v) {
    if (!v.is_constant() && !v.is_drawn()) throw BadParameter(name, "an array or an expression", "a number or a distribution");
    rng::check(v, name);
  };
  checked("weight", call.synapses.weight), checked("delay", call.synapses.delay);
  for (const auto& [name, v] : call.synapses.varied_params) checked(name.c_str(), v);
  description_.check_synapse(call.synapses.synapse, call.synapses.synapse_params);
  const rng::DelaySampler delays(call.synapses.delay, settings_.resolution);
  if (const auto at = holders_.find(call.post_element); at != holders_.end()) check_targets(call, at->second);
  note(fingerprint_of(std::string_view("grow"), std::string_view(call.pre_element), std::string_view(call.post_element),
                      call.synapses.weight, call.synapses.delay, std::string_view(call.synapses.synapse), call.synapses.synapse_params,
                      std::int64_t{call.autapses}, std::int64_t{call.multapses}, call.synapses.label));
  description_.note_delays(delays.lowest(), delays.highest());
  const int pre = name_number(call.pre_element), post = name_number(call.post_element);
  call.synapses.rule = "explicit", call.synapses.rule_params = {};
  rules_.push_back({pre, post, std::move(call)});
  counted_ = attached_ = routed_ = false;
}

std::vector<const GrowCall*> Growing::calls() const {
  std::vector<const GrowCall*> all;
  for (const Rule& r : rules_) all.push_back(&r.call);
  return all;
}

void Growing::forget() {
  rules_.clear();
  counted_ = false;
  note(fingerprint_of(std::string_view("forget")));
}

void Growing::set_updates(Step interval, bool on) {
  if (interval < 1)
    throw BadParameter("interval", static_cast<double>(interval) * settings_.resolution, "at least one step of the resolution");
  interval_ = interval, on_ = on;
  note(fingerprint_of(std::string_view("set_updates"), interval, std::int64_t{on}));
}

void Growing::drop(Gid first) {
  std::erase_if(cells_, [&](const growth::Cell& c) { return c.gid >= first; });
  for (auto& [name, gids] : holders_) gids.erase(gids.lower_bound(first), gids.end());
  attached_ = false;
}

void Growing::keep_traces() {
  for (const Rule& rule : rules_) {
    const synapses::SynapseInfo& synapse = synapses::find_synapse(rule.call.synapses.synapse);
    const auto plasticity = synapse.rule(synapse_parameters(synapse, rule.call.synapses.synapse_params).data(), settings_.resolution);
    for (auto& slice : slices_)
      if (plasticity) slice->keep_traces(*plasticity);
    if (!plasticity || !synapse.prepare_exact || !description_.precise()) continue;
    const auto exact = synapse.prepare_exact(synapse_parameters(synapse, rule.call.synapses.synapse_params), {}, settings_.resolution);
    for (auto& slice : slices_) slice->keep_traces(*exact);
  }
}

/// Cells move when others are added, and neurons may have got other places.
void Growing::attach() {
  if (attached_) return;
  keep_traces();
  for (auto& slice : slices_) {
    std::vector<growth::Cell*> by_local;
    for (growth::Cell& cell : cells_) {
      const Local local = slice->nodes().local(cell.gid);
      if (local == Residents::none) continue;
      by_local.resize(slice->nodes().size());
      by_local[local] = &cell;
    }
    slice->follow_calcium(std::move(by_local), &kinds_);
  }
  attached_ = true;
}

}  // namespace npl::sim
