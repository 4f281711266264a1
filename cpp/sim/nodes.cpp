// SPDX-License-Identifier: Apache-2.0
/// Where nodes are; reading and setting their parameters and state.
#include <algorithm>
#include <cmath>

#include "comm/collect.hpp"
#include "sim/fingerprint.hpp"
#include "sim/node_values.hpp"

namespace npl::sim {
namespace {

void check_areas(const Settings& s, const DistributionInfo& info, bool dry) {
  if (info.wants_areas != !s.areas.empty())
    throw BadParameter("areas", s.areas.empty() ? "none" : "areas", info.wants_areas ? "at least one area with the distribution by_area" : "left out but with the distribution by_area");
  std::set<std::string> names;
  for (const auto& [name, share] : s.areas) {
    if (!(share > 0 && std::isfinite(share))) throw BadParameter("share of area " + name, share, "a finite number above 0");
    if (!names.insert(name).second) throw BadParameter("areas", name, "names that differ");
  }
  if (info.wants_areas && s.exchange.halves) throw BadParameter("halves", "true", "false with the distribution by_area, which has intervals of its own");
  if (info.wants_areas && dry) throw BadParameter("distribution", "by_area", "another one in a dry run, in which all ranks are alike");
}

}  // namespace

Network::Network(const Settings& s)
    : settings_(s), comm_(s.comm ? s.comm : comm::single()), exchanger_(*comm_, s.exchange), levels_(comm_, s.exchange), team_(s.counting ? 1 : s.threads) {
  const DistributionInfo& info = find_distribution(s.distribution);
  if (info.wants_map != !s.rank_map.empty())
    throw BadParameter("rank_map", s.rank_map.empty() ? "none" : "an array", info.wants_map ? "an array with the distribution by_map" : "left out but with the distribution by_map");
  for (std::int32_t r : s.rank_map)
    if (r < 0 || r >= ranks()) throw BadParameter("rank_map", r, "from 0 to " + std::to_string(ranks() - 1));
  check_areas(s, info, dry());
  distribution_ = info.make(s.seed, s.rank_map, {s.areas, ranks()});
  exchanger_.check();
  if (!s.exchange.local.empty()) Router(*comm_, inside_groups(s.exchange)).check();
  note(fingerprint_of_settings());
  deal(static_cast<SliceId>(s.counting ? 1 : std::max(s.threads, s.slices)));
}

Network::~Network() = default;

const Population& Network::population_of(Gid gid, const char* parameter) const {
  if (gid < 1 || gid >= next_gid_) throw BadParameter(parameter, static_cast<double>(gid), "the gid of an existing node, 1 to " + std::to_string(next_gid_ - 1));
  const auto after = std::upper_bound(populations_.begin(), populations_.end(), gid, [](Gid g, const auto& p) { return g < p->first; });
  return **(after - 1);
}

Population& Network::population_of(Gid gid, const char* parameter) { return const_cast<Population&>(std::as_const(*this).population_of(gid, parameter)); }

std::string Network::model_of(Gid gid) const {
  const Population& p = population_of(gid, "gid");
  return p.model ? p.model->name : p.devices[0]->info->name;
}

int Network::rank_of(Gid gid) const {
  const Population& p = population_of(gid, "gid");
  return distribution_->rank_of(gid, p.first, p.n, ranks());
}

namespace {

/// The slice that has a node of a population, and the node's index among the members there.
std::pair<Slice*, std::size_t> find_node(const Slices& slices, Gid gid, const Population& p) {
  for (const auto& s : slices)
    if (const std::int64_t k = s->nodes().blocks()[p.block].members.find(gid); k >= 0) return {s.get(), static_cast<std::size_t>(k)};
  return {};
}

}  // namespace

Network::Seat Network::seat_of(Gid gid, const Population& p) const {
  const auto [slice, at] = find_node(slices_, gid, p);
  return slice ? Seat{slice->groups()[p.group].get(), at, slice} : Seat{};
}

Members Network::members_of(const Population& p, SliceId slice, SliceId slices) const {
  return settings_.counting ? Members() : distribution_->members(p.first, p.n, {rank(), ranks(), slice, slices});
}

/// Most nodes that a slice of this rank would have with `slices` slices, the population not yet there included.
std::int64_t Network::largest_slice(SliceId slices, const Population& added) const {
  std::int64_t most = 0;
  for (SliceId s = 0; s < slices; ++s) {
    std::int64_t n = members_of(added, s, slices).size();
    if (slices == n_slices())
      n += slices_[s]->nodes().size();
    else
      for (const auto& p : populations_) n += members_of(*p, s, slices).size();
    most = std::max(most, n);
  }
  return most;
}

/// Deals all nodes to n new slices.
void Network::deal(SliceId n) {
  const Slices old = std::exchange(slices_, {});
  for (SliceId s = 0; s < n; ++s) slices_.push_back(std::make_unique<Slice>(s, settings_.resolution, settings_.seed));
  for (const auto& p : populations_)
    for (auto& s : slices_) {
      s->add_population(p->first, members_of(*p, s->id(), n), p->model);
      if (!p->model) continue;
      nodes::Group& to = *s->groups()[p->group];
      for (std::size_t i = 0; i < to.size(); ++i) {
        const auto [from_slice, j] = find_node(old, to.nodes()[static_cast<std::int64_t>(i)], *p);
        nodes::Group& from = *from_slice->groups()[p->group];
        for (std::size_t k = 0; k < p->model->parameters.size(); ++k) to.set_parameter(k, i, from.parameter(k, j));
        for (std::size_t k = 0; k < p->model->state.size(); ++k) to.state(k)[i] = from.state(k)[j];
      }
    }
}

/// Checks names, lengths, bounds and the combination of parameters per node; gids null means a population not yet there.
void Network::check_values(const Population& p, const std::vector<Gid>* gids, std::size_t n, const Values& values) const {
  const nodes::ModelInfo& m = *p.model;
  check_fields(m, n, values);
  bool per_node = gids != nullptr;
  for (const auto& [name, v] : values) per_node |= v.size() > 1 && is_parameter(m, name);
  std::vector<double> parameters;
  for (std::size_t i = 0; i < (per_node ? n : 1); ++i) {
    parameters.clear();
    const Seat seat = gids ? seat_of((*gids)[i], p) : Seat{};
    if (gids && !seat.group) continue;  // its owner checks
    for (std::size_t k = 0; k < m.parameters.size(); ++k) {
      double x = m.parameters[k].init;
      if (gids && seat.group) x = seat.group->parameter(k, seat.at);
      for (const auto& [name, v] : values)
        if (name == m.parameters[k].name) x = value_at(v, i);
      parameters.push_back(x);
    }
    m.check(parameters.data());
  }
}

void Network::assign(Population& p, const std::vector<Gid>* gids, const Values& values) {
  const auto n = gids ? gids->size() : static_cast<std::size_t>(p.n);
  const bool everyone = n == static_cast<std::size_t>(p.n) && (!gids || std::adjacent_find(gids->begin(), gids->end(), std::greater_equal<>()) == gids->end());
  note_columns(p, everyone, values, {});
  if (settings_.counting) return;
  for (const auto& [name, v] : values) {
    const int parameter = find_field(p.model->parameters, name);
    const int state = find_field(p.model->state, name);
    const auto put = [&](nodes::Group& g, std::size_t at, double x) {
      if (parameter >= 0)
        g.set_parameter(static_cast<std::size_t>(parameter), at, x);
      else
        g.state(static_cast<std::size_t>(state))[at] = x;
    };
    if (!everyone) {
      for (std::size_t i = 0; i < n; ++i)
        if (const Seat seat = seat_of((*gids)[i], p); seat.group) put(*seat.group, seat.at, value_at(v, i));
      continue;
    }
    for (auto& s : slices_) {
      nodes::Group& g = *s->groups()[p.group];
      if (parameter >= 0 && v.size() == 1)
        g.set_parameter_all(static_cast<std::size_t>(parameter), v[0]);
      else
        for (std::size_t i = 0; i < g.size(); ++i) put(g, i, value_at(v, static_cast<std::size_t>(g.nodes()[static_cast<std::int64_t>(i)] - p.first)));
    }
  }
}

/// The settings of a piece's devices after the call, checked, not yet in force.
void Network::add_settings(const Piece& piece, std::vector<NewSetting>& out) const {
  for (std::size_t i = 0; i < piece.gids.size(); ++i) {
    devices::Device& d = *piece.population->devices[static_cast<std::size_t>(piece.gids[i] - piece.population->first)];
    devices::Setting s = d.history.back();
    take_values(*d.info, piece.values, i, s);
    d.info->check(d, s);
    out.emplace_back(&d, std::move(s));
  }
}

/// Puts a setting in force for what is sent from now on.
void Network::adopt(devices::Device& d, devices::Setting s) const {
  s.from = step_;
  if (d.history.back().from == step_ || step_ == d.created) d.history.pop_back();
  d.history.push_back(std::move(s));
}

std::vector<Network::Piece> Network::pieces(const std::vector<Gid>& gids, const Values& values) {
  std::vector<Piece> out;
  for (std::size_t i = 0; i < gids.size(); ++i) {
    Population* p = &population_of(gids[i], "gids");
    auto piece = std::find_if(out.rbegin(), out.rend(), [&](const Piece& q) { return q.population == p; });
    if (piece == out.rend()) {
      out.push_back({p, {}, {}});
      for (const auto& [name, v] : values) out.back().values.emplace_back(name, v.size() == 1 ? v : std::vector<double>{});
      piece = out.rbegin();
    }
    piece->gids.push_back(gids[i]);
    for (std::size_t k = 0; k < values.size(); ++k)
      if (values[k].second.size() > 1) piece->values[k].second.push_back(values[k].second[i]);
  }
  return out;
}

void Network::set(const std::vector<Gid>& gids, const Values& values) {
  std::vector<Piece> parts;
  std::vector<NewSetting> settings;
  together("set", [&] {
    check_lengths(values, gids.size());
    parts = pieces(gids, values);
    for (Piece& p : parts)
      if (p.population->model)
        check_values(*p.population, &p.gids, p.gids.size(), p.values);
      else
        add_settings(p, settings);
  }, fingerprint_of(gids, values));
  for (Piece& p : parts)
    if (p.population->model) assign(*p.population, &p.gids, p.values);
  for (auto& [device, setting] : settings) adopt(*device, std::move(setting));
}

void Network::freeze(const std::vector<Gid>& gids, bool frozen) {
  together("freeze", [&] {
    for (const Gid gid : gids) population_of(gid, "gids");
  }, fingerprint_of(gids, std::string(frozen ? "freeze" : "thaw")));
  for (const Gid gid : gids) {
    const Population& p = population_of(gid, "gids");
    if (!p.model) {
      devices::Device& d = *p.devices[static_cast<std::size_t>(gid - p.first)];
      devices::Setting s = d.history.back();
      s.frozen = frozen;
      adopt(d, std::move(s));
    } else if (const Seat seat = seat_of(gid, p); seat.group) {
      seat.group->freeze(seat.at, frozen);
    }
  }
}

/// Value of a parameter or state variable of a node; 0 when it is a neuron of another rank.
double Network::value_of(Gid gid, const std::string& name) const {
  const Population& p = population_of(gid, "gids");
  if (!p.model) {
    const devices::Device& d = *p.devices[static_cast<std::size_t>(gid - p.first)];
    const int k = find_field(d.info->parameters, name);
    if (k < 0) throw UnknownName("parameter of " + d.info->name, name, field_names(d.info->parameters));
    return settings_.counting || rank_of(gid) == rank() ? d.history.back().values[static_cast<std::size_t>(k)] : 0.0;
  }
  field_of(*p.model, name);
  if (settings_.counting) return counted_value(p, name);
  const Seat seat = seat_of(gid, p);
  if (!seat.group) return 0.0;
  const int k = find_field(p.model->parameters, name);
  return k >= 0 ? seat.group->parameter(static_cast<std::size_t>(k), seat.at) : seat.group->state(static_cast<std::size_t>(find_field(p.model->state, name)))[seat.at];
}

std::vector<double> Network::get(const std::vector<Gid>& gids, const std::string& name) const {
  std::vector<double> out;
  together("get", [&] {
    for (Gid gid : gids) out.push_back(value_of(gid, name));
  }, fingerprint_of(gids, name));
  comm::merge(*comm_, out);
  return out;
}

void Network::set_vector(Gid gid, const std::string& name, const std::vector<double>& values) {
  set_vectors(gid, {{name, values}});
}

void Network::set_vectors(Gid gid, const Values& values) {
  Population& p = population_of(gid, "gid");
  if (values.empty()) return;
  if (p.model) throw UnknownName("array parameter of " + p.model->name, values[0].first, {});
  devices::Device& d = *p.devices[static_cast<std::size_t>(gid - p.first)];
  devices::Setting s = d.history.back();
  for (const auto& [name, v] : values) {
    std::vector<std::string> known;
    for (const auto& f : d.info->vectors) known.push_back(f.name);
    const auto k = std::find(known.begin(), known.end(), name);
    if (k == known.end()) throw UnknownName("array parameter of " + d.info->name, name, known);
    s.vectors[static_cast<std::size_t>(k - known.begin())] = v;
  }
  d.info->check(d, s);
  adopt(d, std::move(s));
  if (std::any_of(values.begin(), values.end(), [](const auto& v) { return v.first == "spike_weights"; }))
    for (const auto& link : links_)
      if (std::find(link->devices.begin(), link->devices.end(), &d) != link->devices.end()) note_weights(*link);
  note(fingerprint_of(gid, values));
}

std::vector<double> Network::get_vector(Gid gid, const std::string& name) const {
  const Population& p = population_of(gid, "gid");
  if (!p.model) {
    const devices::Device& d = *p.devices[static_cast<std::size_t>(gid - p.first)];
    for (std::size_t k = 0; k < d.info->vectors.size(); ++k)
      if (d.info->vectors[k].name == name) return d.history.back().vectors[k];
  }
  throw UnknownName("array parameter of " + model_of(gid), name, {});
}

}  // namespace npl::sim
