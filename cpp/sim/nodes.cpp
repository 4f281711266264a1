// SPDX-License-Identifier: Apache-2.0
/// Creating nodes, their parameters and state.
#include <algorithm>
#include <cmath>

#include "sim/network.hpp"

namespace npl::sim {
namespace {

std::vector<std::string> visible_names(const nodes::ModelInfo& m) {
  std::vector<std::string> names;
  for (const auto& f : m.parameters) names.push_back(f.name);
  for (const auto& f : m.state)
    if (f.name[0] != '_') names.push_back(f.name);
  return names;
}

int find_field(const std::vector<Field>& fields, const std::string& name) {
  for (std::size_t k = 0; k < fields.size(); ++k)
    if (fields[k].name == name) return static_cast<int>(k);
  return -1;
}

/// The field that a name means, or UnknownName; parameters first.
const Field& field_of(const nodes::ModelInfo& m, const std::string& name) {
  if (const int k = find_field(m.parameters, name); k >= 0) return m.parameters[static_cast<std::size_t>(k)];
  if (const int k = find_field(m.state, name); k >= 0) return m.state[static_cast<std::size_t>(k)];
  throw UnknownName("parameter of " + m.name, name, visible_names(m));
}

std::vector<std::string> field_names(const std::vector<Field>& fields) {
  std::vector<std::string> names;
  for (const auto& f : fields) names.push_back(f.name);
  return names;
}

void check_lengths(const Values& values, std::size_t n) {
  for (const auto& [name, v] : values)
    if (v.size() != 1 && v.size() != n) throw BadLength(name, v.size(), n);
}

double value_at(const std::vector<double>& v, std::size_t i) { return v[v.size() == 1 ? 0 : i]; }

/// Entry i of every named value into a device's setting; checks names and bounds.
void take_values(const devices::DeviceInfo& info, const Values& values, std::size_t i, devices::Setting& s) {
  for (const auto& [name, v] : values) {
    const int k = find_field(info.parameters, name);
    if (k < 0) throw UnknownName("parameter of " + info.name, name, field_names(info.parameters));
    check_value(info.parameters[static_cast<std::size_t>(k)], value_at(v, i));
    s.values[static_cast<std::size_t>(k)] = value_at(v, i);
  }
}

}  // namespace

Network::Network(const Settings& s) : settings_(s), team_(s.threads) {
  slices_.resize(static_cast<std::size_t>(s.threads));
  make_slices(static_cast<SliceId>(s.threads));
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

SliceId Network::wanted_slices(std::int64_t nodes) const {
  const auto limit = settings_.block_size > 0 ? std::min<std::int64_t>(settings_.block_size, max_slice_nodes) : static_cast<std::int64_t>(max_slice_nodes);
  auto n = static_cast<std::int64_t>(slices_.size());
  while ((nodes + n - 1) / n > limit) n *= 2;
  return static_cast<SliceId>(n);
}

void Network::make_slices(SliceId n) {
  slices_.clear();
  for (SliceId s = 0; s < n; ++s) slices_.push_back(std::make_unique<Slice>(s, n, settings_.resolution, settings_.seed));
}

/// Deals the nodes again when there are too many for the slices; only before the first build.
void Network::ensure_slices(std::int64_t nodes) {
  const SliceId n = prepared_ ? n_slices() : wanted_slices(nodes);
  if (n == n_slices()) return;
  auto old = std::move(slices_);
  make_slices(n);
  for (const auto& p : populations_) {
    if (!p->model) continue;
    for (auto& s : slices_) s->add_group(*p->model, p->first, p->n);
    for (Gid g = p->first; g < p->first + p->n; ++g) {
      const Slice& from_slice = *old[static_cast<std::size_t>((g - 1) % static_cast<Gid>(old.size()))];
      nodes::Group& from = *const_cast<Slice&>(from_slice).groups()[p->group];
      nodes::Group& to = group_of(g, *p);
      const std::size_t i = from_slice.local(g) - from.first_local(), j = slice_of(g).local(g) - to.first_local();
      for (std::size_t k = 0; k < p->model->parameters.size(); ++k) to.set_parameter(k, j, from.parameter(k, i));
      for (std::size_t k = 0; k < p->model->state.size(); ++k) to.state(k)[j] = from.state(k)[i];
    }
  }
}

/// Checks names, lengths, bounds and the combination of parameters per node; gids null means a population not yet there.
void Network::check_values(const Population& p, const std::vector<Gid>* gids, std::size_t n, const Values& values) const {
  const nodes::ModelInfo& m = *p.model;
  check_lengths(values, n);
  bool per_node = gids != nullptr;
  for (const auto& [name, v] : values) {
    const Field& f = field_of(m, name);
    for (double x : v) check_value(f, x);
    per_node |= v.size() > 1 && find_field(m.parameters, name) >= 0;
  }
  std::vector<double> parameters;
  for (std::size_t i = 0; i < (per_node ? n : 1); ++i) {
    parameters.clear();
    for (std::size_t k = 0; k < m.parameters.size(); ++k) {
      double x = m.parameters[k].init;
      if (gids) {
        const nodes::Group& g = group_of((*gids)[i], p);
        x = g.parameter(k, slice_of((*gids)[i]).local((*gids)[i]) - g.first_local());
      }
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
  for (const auto& [name, v] : values) {
    const int parameter = find_field(p.model->parameters, name);
    const int state = find_field(p.model->state, name);
    if (parameter >= 0 && everyone && v.size() == 1) {
      for (auto& s : slices_) s->groups()[p.group]->set_parameter_all(static_cast<std::size_t>(parameter), v[0]);
      continue;
    }
    for (std::size_t i = 0; i < n; ++i) {
      const Gid gid = gids ? (*gids)[i] : p.first + static_cast<Gid>(i);
      nodes::Group& g = group_of(gid, p);
      const std::size_t at = slice_of(gid).local(gid) - g.first_local();
      if (parameter >= 0)
        g.set_parameter(static_cast<std::size_t>(parameter), at, value_at(v, i));
      else
        g.state(static_cast<std::size_t>(state))[at] = value_at(v, i);
    }
  }
}

void Network::make_devices(Population& p, const devices::DeviceInfo& info, const Values& values) {
  const auto n = static_cast<std::size_t>(p.n);
  check_lengths(values, n);
  for (std::size_t i = 0; i < n; ++i) {
    auto d = std::make_unique<devices::Device>();
    *d = {&info, p.first + static_cast<Gid>(i), step_, settings_.resolution, {}};
    devices::Setting s;
    for (const Field& f : info.parameters) s.values.push_back(f.init);
    s.vectors.resize(info.vectors.size());
    take_values(info, values, i, s);
    info.check(*d, s);
    d->history.push_back(std::move(s));
    p.devices.push_back(std::move(d));
  }
}

/// A neuron model (put into p) or a device (returned).
const devices::DeviceInfo* Network::find_kind(const std::string& model, Population& p) {
  std::vector<std::string> known;
  const devices::DeviceInfo* device = nullptr;
  for (const auto* d : devices::devices()) {
    known.push_back(d->name);
    if (d->name == model) device = d;
  }
  for (const auto* m : nodes::models()) {
    known.push_back(m->name);
    if (m->name == model) p.model = m;
  }
  if (!device && !p.model) throw UnknownName("model", model, known);
  return device;
}

Gid Network::create(const std::string& model, std::int64_t n, const Values& values) {
  if (n < 1) throw BadParameter("n", static_cast<double>(n), "at least 1");
  if (n > (std::int64_t{1} << 40) - next_gid_) throw BadParameter("n", static_cast<double>(n), "such that gids stay below 2^40");
  auto p = std::make_unique<Population>();
  p->first = next_gid_;
  p->n = n;
  const devices::DeviceInfo* device = find_kind(model, *p);
  const std::int64_t total = next_gid_ - 1 + n;
  if (prepared_ && total > static_cast<std::int64_t>(max_slice_nodes) * n_slices())
    throw BadParameter("n", static_cast<double>(n), "at most " + std::to_string(static_cast<std::int64_t>(max_slice_nodes) * n_slices() - next_gid_ + 1) + " once the network was built: create all nodes before the first run");
  if (device) {
    check_memory(static_cast<double>(n) * 400.0, std::to_string(n) + " devices");
    make_devices(*p, *device, values);
    ensure_slices(total);
  } else {
    check_values(*p, nullptr, static_cast<std::size_t>(n), values);
    check_memory(static_cast<double>(n) * 8.0 * static_cast<double>(p->model->state.size() + 3), std::to_string(n) + " neurons");
    ensure_slices(total);
    p->group = slices_[0]->groups().size();
    for (auto& s : slices_) s->add_group(*p->model, p->first, n);
    assign(*p, nullptr, values);
  }
  next_gid_ += n;
  populations_.push_back(std::move(p));
  return populations_.back()->first;
}

void Network::undo_create(Gid first) {
  if (populations_.empty() || populations_.back()->first != first || populations_.back()->connected || emitting_.contains(first)) return;
  if (populations_.back()->model)
    for (auto& s : slices_) s->drop_last_group();
  next_gid_ = first;
  populations_.pop_back();
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
  check_lengths(values, gids.size());
  auto parts = pieces(gids, values);
  std::vector<NewSetting> settings;
  for (Piece& p : parts)
    if (p.population->model)
      check_values(*p.population, &p.gids, p.gids.size(), p.values);
    else
      add_settings(p, settings);
  for (Piece& p : parts)
    if (p.population->model) assign(*p.population, &p.gids, p.values);
  for (auto& [device, setting] : settings) adopt(*device, std::move(setting));
}

std::vector<double> Network::get(const std::vector<Gid>& gids, const std::string& name) const {
  std::vector<double> out;
  for (Gid gid : gids) {
    const Population& p = population_of(gid, "gids");
    if (!p.model) {
      const devices::Device& d = *p.devices[static_cast<std::size_t>(gid - p.first)];
      const int k = find_field(d.info->parameters, name);
      if (k < 0) throw UnknownName("parameter of " + d.info->name, name, field_names(d.info->parameters));
      out.push_back(d.history.back().values[static_cast<std::size_t>(k)]);
      continue;
    }
    field_of(*p.model, name);
    nodes::Group& g = group_of(gid, p);
    const std::size_t at = slice_of(gid).local(gid) - g.first_local();
    const int k = find_field(p.model->parameters, name);
    out.push_back(k >= 0 ? g.parameter(static_cast<std::size_t>(k), at) : g.state(static_cast<std::size_t>(find_field(p.model->state, name)))[at]);
  }
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
