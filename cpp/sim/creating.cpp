// SPDX-License-Identifier: Apache-2.0
/// Creation of nodes. Drawn values are computed and checked only by the rank that owns the node (law 3). Ranks create all or nothing.
#include <algorithm>

#include "nodes/registry.hpp"
#include "rng/node_values.hpp"
#include "sim/fingerprint.hpp"
#include "sim/first_refusal.hpp"
#include "sim/node_values.hpp"

namespace npl::sim {
namespace {

constexpr double least_of_a_device = 16.0, most_of_a_device = 400.0;  ///< bytes: its place in a slice; with values of its own

}  // namespace

/// Finds the neuron model (stored in p) or the device (returned) of this name.
const devices::DeviceInfo* Populations::find_kind(const std::string& model, Population& p) const {
  for (const auto* d : devices::devices())
    if (d->name == model) return d;
  const std::string family = nodes::family_of(model);
  const auto all = nodes::models();
  if (std::ranges::none_of(all, [&](const auto* m) { return m->name == family; })) {
    std::vector<std::string> known;
    for (const auto* d : devices::devices()) known.push_back(d->name);
    for (const auto* m : all) known.push_back(m->name);
    throw UnknownName("model", model, known);
  }
  p.model = &nodes::find_model(model);
  if (!p.model->digest.empty()) refuse_another(*p.model);
  return nullptr;
}

/// Throws BadParameter where the network has another model of this name, which was loaded before.
void Populations::refuse_another(const nodes::ModelInfo& model) const {
  for (const auto& p : populations_)
    if (p->model && p->model->digest != model.digest && nodes::family_of(p->model->name) == nodes::family_of(model.name))
      throw BadParameter("model", model.name, "the model that this network has by that name; another one was loaded since");
}

void Populations::make_devices(Population& p, const devices::DeviceInfo& info, const Values& values) const {
  const auto n = static_cast<std::size_t>(p.n);
  check_lengths(values, n);
  const auto set = [&](devices::Device& d, std::size_t i) {
    devices::Setting s;
    for (const Field& f : info.parameters) s.values.push_back(f.init);
    s.vectors.resize(info.vectors.size());
    take_values(info, values, i, s);
    devices::check_setting(d, s);
    d.history.assign(1, std::move(s));
  };
  devices::Device first{&info, p.first, step_, settings_.resolution, {}, false};
  set(first, 0);
  p.devices = std::make_unique<devices::DeviceSet>(std::move(first));
  if (std::all_of(values.begin(), values.end(), [](const auto& v) { return v.second.size() == 1; })) return;
  check_memory(static_cast<double>(n) * most_of_a_device, std::to_string(n) + " devices that differ");
  for (std::size_t i = 1; i < n; ++i) set(p.devices->object(p.first + static_cast<Gid>(i)), i);
}

/// Index of an area, or -1 for none. Without areas any name is accepted, so that a program runs with all distributions.
int Populations::area_of(const std::string& name) const {
  std::vector<std::string> known;
  for (const auto& [area, share] : settings_.areas) {
    if (area == name) return static_cast<int>(known.size());
    known.push_back(area);
  }
  if (!name.empty() && !known.empty()) throw UnknownName("area", name, known);
  return -1;
}

namespace {

std::uint64_t fingerprint_of_create(const std::string& model, std::int64_t n, const Values& values, const std::vector<NodeDraw>& draws,
                                    const std::string& area) {
  Fingerprint print(fingerprint_of(model, n, values, area));
  print.add(nodes::digest_of(model));
  for (const NodeDraw& d : draws) print.add(fingerprint_of(d.name, d.spec, d.stream));
  return print.value();
}

}  // namespace

Gid Populations::create(const std::string& model, std::int64_t n, const Values& values, const std::vector<NodeDraw>& draws,
                        const std::string& area) {
  const double start = seconds_now();
  const std::uint64_t arguments = ranks() > 1 ? fingerprint_of_create(model, n, values, draws, area) : 0;
  Undo undo;
  const auto change = [&] {
    timers_["create"];  // from here on it is there
    auto p = checked_population(model, n, values, draws, area);
    take_place(*p, undo);
    if (p->model) assign_all(*p, values, draws);
    undo.note([this, before = populations_.size()] { populations_.resize(before); });
    populations_.push_back(std::move(p));
  };
  together("create", change, draws.empty() ? 0 : arguments);  // only the owners of the nodes know whether drawn values are right
  undo.forget();
  progress_.nodes += n;
  if (ranks() > 1) note(arguments);
  timers_["create"] += seconds_now() - start;
  return populations_.back()->first;
}

/// What create() is about to add. Changes nothing that can be seen.
std::unique_ptr<Population> Populations::checked_population(const std::string& model, std::int64_t n, const Values& values,
                                                            const std::vector<NodeDraw>& draws, const std::string& area) {
  require_sources("create");
  if (n < 1) throw BadParameter("n", static_cast<double>(n), "at least 1");
  if (n > (std::int64_t{1} << 40) - (n_nodes() + 1))
    throw BadParameter("n", static_cast<double>(n), "small enough that the network has fewer than 2^40 nodes");
  auto p = std::make_unique<Population>();
  p->first = n_nodes() + 1, p->n = n, p->area = area;
  const devices::DeviceInfo* device = find_kind(model, *p);
  distribution_->place(p->first, area_of(area));
  for (const NodeDraw& d : draws) rng::check_node_values(d.spec, d.name);
  if (!device) {
    check_new_neurons(*p, values, draws);
    return p;
  }
  check_memory(static_cast<double>(n) / ranks() * least_of_a_device, std::to_string(n) + " devices");
  Values all = values;
  for (const NodeDraw& d : draws) all.emplace_back(d.name, drawn(d, Members(p->first, 1, n)));
  make_devices(*p, *device, all);
  return p;
}

/// Gives the nodes of a new population their slices.
void Populations::take_place(Population& p, Undo& undo) {
  p.block = slices_[0]->nodes().blocks().size();
  p.group = slices_[0]->groups().size();
  undo.note([this] { close_slices(); });
  make_room(p);
  for (auto& s : slices_) undo.note([slice = s.get(), before = s->extent()] { slice->shrink(before); });
  fill_slices(p.n, [&](Slice& s) { s.add_population(p.first, share_in(p, s.id()), p.model); });
}

void Populations::assign_all(Population& p, const Values& values, const std::vector<NodeDraw>& draws) {
  for (const Field& f : p.model->parameters) p.uniform.push_back(f.init), p.varied.push_back(0);
  assign(p, nullptr, values), assign_drawn(p, draws);
}

/// The values that are the same on all ranks, then the drawn ones of the nodes of this rank.
void Populations::check_new_neurons(const Population& p, const Values& values, const std::vector<NodeDraw>& draws) const {
  const auto n = static_cast<std::size_t>(p.n);
  check_fields(*p.model, n, values);
  for (const NodeDraw& d : draws) field_of(*p.model, d.name);
  if (std::none_of(draws.begin(), draws.end(), [&](const NodeDraw& d) { return is_parameter(*p.model, d.name); }))
    check_values(p, nullptr, n, values);
  check_memory(static_cast<double>(p.n) / ranks() * static_cast<double>(nodes::Group::bytes_per_neuron(*p.model, 0)),
               "a population of " + std::to_string(p.n) + " neurons");
  if (!draws.empty()) check_drawn(p, values, draws);
}

void Populations::undo_create(Gid first) {
  if (populations_.empty() || populations_.back()->first != first || populations_.back()->connected || populations_.back()->attached ||
      !sources_kept_ || populations_.size() == grouped_)
    return;
  for (auto& s : slices_) s->drop_last_population(populations_.back()->model != nullptr);
  close_slices();
  progress_.nodes = first - 1;
  populations_.pop_back();
  note(fingerprint_of(std::string_view("undo"), first));
}

/// The model with the new shape of a population. Changes nothing.
const nodes::ModelInfo& Populations::checked_shape(const Population& p, const std::string& model) const {
  const auto kept = static_cast<std::size_t>(
      std::find_if(populations_.begin(), populations_.end(), [&](const auto& q) { return q.get() == &p; }) - populations_.begin());
  if (!p.model || nodes::family_of(p.model->name) != nodes::family_of(model)) throw UnknownName("shape", model, {model_of(p.first)});
  if (kept < grouped_) throw BadParameter("first_gid", static_cast<double>(p.first), "of nodes that were not simulated yet");
  const nodes::ModelInfo& shaped = nodes::find_model(model);
  const bool smaller =
      std::any_of(p.model->state.begin(), p.model->state.end(), [&](const Field& f) { return find_field(shaped.state, f.name) < 0; });
  if (p.connected && (smaller || shaped.receptors < p.model->receptors))
    throw BadParameter("first_gid", static_cast<double>(p.first), "of nodes that are not connected, where a shape loses parts");
  return shaped;
}

namespace {

/// The device with the entries of another that have the same names.
devices::Device remade(const devices::Device& old, const devices::DeviceInfo& info) {
  devices::Device d{&info, old.gid, old.created, old.resolution, {}, false};
  const devices::Setting& before = old.history.back();
  devices::Setting s;
  for (const Field& f : info.parameters) {
    const int k = find_field(old.info->parameters, f.name);
    s.values.push_back(k < 0 ? f.init : before.values[static_cast<std::size_t>(k)]);
  }
  for (const auto& v : info.vectors) {
    const auto at = std::find_if(old.info->vectors.begin(), old.info->vectors.end(), [&](const auto& w) { return w.name == v.name; });
    s.vectors.push_back(at == old.info->vectors.end() ? std::vector<double>{}
                                                      : before.vectors[static_cast<std::size_t>(at - old.info->vectors.begin())]);
  }
  devices::check_setting(d, s);
  d.history.push_back(std::move(s));
  return d;
}

}  // namespace

void Populations::reshape(Gid first, const std::string& model) {
  require_sources("reshape");
  Population& p = of(first, "first_gid");
  if (p.first != first) throw BadParameter("first_gid", static_cast<double>(first), "the first gid of a create");
  if (p.devices) {
    Population other{};
    const devices::DeviceInfo* info = find_kind(model, other);
    if (!info || p.connected || p.attached)
      throw BadParameter("first_gid", static_cast<double>(first), "of devices that are not connected, which become other devices");
    auto made = std::make_unique<devices::DeviceSet>(remade(p.devices->common(), *info));
    for (const devices::Device* d : p.devices->different()) made->object(d->gid) = remade(*d, *info);
    p.devices = std::move(made);
    if (ranks() > 1) note(fingerprint_of(std::string_view("reshape"), first, model));
    return;
  }
  const nodes::ModelInfo& shaped = checked_shape(p, model);
  fill_slices(p.n, [&](Slice& s) { s.reshape(p.group, shaped); });
  const auto uniform = std::exchange(p.uniform, {});
  const auto varied = std::exchange(p.varied, {});
  for (const Field& f : shaped.parameters) {
    const int k = find_field(p.model->parameters, f.name);
    p.uniform.push_back(k < 0 ? f.init : uniform[static_cast<std::size_t>(k)]);
    p.varied.push_back(k < 0 ? 0 : varied[static_cast<std::size_t>(k)]);
  }
  p.model = &shaped;
  if (ranks() > 1) note(fingerprint_of(std::string_view("reshape"), first, model));
}

std::vector<double> Populations::drawn(const NodeDraw& d, const Members& members) const {
  std::vector<Gid> gids(static_cast<std::size_t>(members.size()));
  for (std::size_t i = 0; i < gids.size(); ++i) gids[i] = members[static_cast<std::int64_t>(i)];
  std::vector<double> values(gids.size());
  rng::draw_node_values(d.spec, settings_.seed, d.stream, gids, values.data());
  return values;
}

/// Checks the drawn values of the nodes of this rank: bounds, and the combination of parameters of each node.
void Populations::check_drawn(const Population& p, const Values& values, const std::vector<NodeDraw>& draws) const {
  const nodes::ModelInfo& m = *p.model;
  const bool combine = std::any_of(draws.begin(), draws.end(), [&](const NodeDraw& d) { return is_parameter(m, d.name); });
  std::vector<double> parameters;
  FirstRefusal refusal;
  for (SliceId s = 0; s < n_slices(); ++s) {
    const Members members = members_of(p, s, n_slices());
    std::vector<std::vector<double>> columns;
    for (const NodeDraw& d : draws) columns.push_back(drawn(d, members));
    const auto check = [&](std::size_t i, Gid gid) {
      for (std::size_t k = 0; k < draws.size(); ++k) check_value(field_of(m, draws[k].name), columns[k][i]);
      if (!combine) return;
      parameters.clear();
      for (const Field& f : m.parameters) {
        double x = f.init;
        for (const auto& [name, v] : values)
          if (name == f.name) x = value_at(v, static_cast<std::size_t>(gid - p.first));
        for (std::size_t k = 0; k < draws.size(); ++k)
          if (draws[k].name == f.name) x = columns[k][i];
        parameters.push_back(x);
      }
      m.check(parameters.data());
    };
    for (std::int64_t i = 0; i < members.size(); ++i) refusal.check(members[i], [&] { check(static_cast<std::size_t>(i), members[i]); });
  }
  refusal.rethrow();
}

void Populations::assign_drawn(Population& p, const std::vector<NodeDraw>& draws) {
  note_columns(p, true, {}, draws);
  team_.run([&](int thread) {
    for_own_slices(thread, [&](Slice& s) {
      nodes::Group& g = *s.groups()[p.group];
      for (const NodeDraw& d : draws) {
        const auto values = drawn(d, g.nodes());
        const int parameter = find_field(p.model->parameters, d.name), state = find_field(p.model->state, d.name);
        for (std::size_t i = 0; i < values.size(); ++i)
          if (parameter >= 0)
            g.set_parameter(static_cast<std::size_t>(parameter), i, values[i]);
          else
            g.state(static_cast<std::size_t>(state))[i] = values[i];
      }
      g.settle(0, g.size());
    });
  });
}

}  // namespace npl::sim
