// SPDX-License-Identifier: Apache-2.0
/// Populations, parameters and states of nodes in checkpoints. Neurons are stored by model, each with its gid: so they find their places
/// on any number of ranks and threads.
#include <algorithm>
#include <limits>

#include "sim/archive_values.hpp"
#include "sim/fingerprint.hpp"
#include "sim/node_values.hpp"

namespace npl::sim {
namespace {

void visit_device(checkpoint::Archive& a, devices::Device& d) {
  a("created", d.created), a("tabled", d.tabled);
  a.each("history", d.history,
         [&](devices::Setting& s) { a("from", s.from), a("values", s.values), a("vectors", s.vectors), a("frozen", s.frozen); });
  if (!a.loading()) return;
  const devices::DeviceInfo& info = *d.info;
  for (const devices::Setting& s : d.history)
    if (s.values.size() != info.parameters.size() || s.vectors.size() != info.vectors.size())
      throw BadCheckpoint("other parameters of " + info.name);
  if (d.history.empty()) throw BadCheckpoint("a device without parameters");
}

/// Up to version 0.2.0 every device was stored, without the number of a first one.
void visit_devices(checkpoint::Archive& a, Population& p) {
  std::vector<Gid> gids;
  bool common = p.devices != nullptr;
  const bool all = a.loading() && !a.has<std::uint8_t>("common");
  if (!a.loading() && common)
    for (const devices::Device* d : p.devices->different()) gids.push_back(d->gid);
  std::uint64_t devices = gids.size();
  if (!all) a("common", common);
  a("devices", devices);
  if (a.loading() &&
      ((all ? devices > 0 : common) != (p.devices != nullptr) || (all && devices > 0 && devices != static_cast<std::uint64_t>(p.n))))
    throw BadCheckpoint("devices that do not fit");
  a.in("device", [&] {
    if (all) {
      for (std::uint64_t k = 0; k < devices; ++k)
        visit_device(a, k == 0 ? p.devices->common() : p.devices->object(p.first + static_cast<Gid>(k)));
      return;
    }
    if (common) visit_device(a, p.devices->common());
    for (std::uint64_t k = 0; k < devices; ++k) {
      Gid gid = a.loading() ? 0 : gids[k];
      a("gid", gid);
      if (gid < p.first || gid >= p.first + p.n) throw BadCheckpoint("a device that does not exist");
      visit_device(a, p.devices->object(gid));
    }
  });
}

std::string path_of(const nodes::ModelInfo& model, const std::string& name) { return "neurons/" + model.name + "/" + name; }

}  // namespace

/// Checkpoints up to version 0.2.0 say nothing of the input: it may be much.
void Populations::visit(checkpoint::Archive& a, Work input) {
  std::vector<std::unique_ptr<Population>> loaded;
  a.each("populations", a.loading() ? loaded : populations_, [&](std::unique_ptr<Population>& p) {
    if (a.loading()) p = std::make_unique<Population>();
    std::string model = a.loading() ? "" : model_of(p->first);
    a("model", model), a("first", p->first), a("n", p->n), a("area", p->area), a("connected", p->connected);
    a("uniform", p->uniform), a("varied", p->varied);
    const devices::DeviceInfo* info = a.loading() ? find_kind(model, *p) : nullptr;
    if (info) p->devices = std::make_unique<devices::DeviceSet>(devices::Device{info, p->first, 0, settings_.resolution, {}, false});
    visit_devices(a, *p);
  });
  for (auto& p : loaded) {
    if (p->first != n_nodes() + 1 || p->n < 1 || (p->model && p->uniform.size() != p->model->parameters.size()))
      throw BadCheckpoint("populations that do not fit");
    distribution_->place(p->first, area_of(p->area));
    Undo undo;
    take_place(*p, undo);
    undo.forget();
    progress_.nodes += p->n;
    populations_.push_back(std::move(p));
  }
  if (a.loading()) input.shared = std::numeric_limits<double>::max();
  if (!a.loading() || a.has<double>("input_work")) a("input_work", input.shared);
  if (!a.loading() || a.has<double>("input_repeated")) a("input_repeated", input.repeated), a("input_interval", input.interval);
  if (!a.loading()) return;
  deal_for(input);
  join_groups();
}

/// Parameters and states that are stored per neuron: names of columns. Parameters only where some population has different ones.
std::vector<std::string> Populations::columns_of(const nodes::ModelInfo& model) const {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < model.parameters.size(); ++k)
    if (std::any_of(populations_.begin(), populations_.end(), [&](const auto& p) { return p->model == &model && p->varied[k]; }))
      names.push_back(model.parameters[k].name);
  for (const Field& f : model.state) names.push_back(f.name);
  return names;
}

namespace {

/// Models of neurons, in order of their first populations.
std::vector<const nodes::ModelInfo*> models_in_use(const Populations& populations) {
  std::vector<const nodes::ModelInfo*> found;
  for (const auto& p : populations)
    if (p->model && std::find(found.begin(), found.end(), p->model) == found.end()) found.push_back(p->model);
  return found;
}

}  // namespace

void Populations::save_neurons(checkpoint::Columns& to) const {
  std::vector<Gid> frozen;
  for (const nodes::ModelInfo* model : models_in_use(*this))
    for (const auto& slice : slices_)
      for (const auto& group : slice->groups()) {
        const nodes::Group& g = *group;
        if (&g.model() != model) continue;
        for (const std::size_t i : g.frozen()) frozen.push_back(g.nodes()[static_cast<std::int64_t>(i)]);
        to.make<Gid>(path_of(*model, "gid"), g.size(), [&g](std::uint64_t begin, std::uint64_t n, Gid* out) {
          for (std::uint64_t k = 0; k < n; ++k) out[k] = g.nodes()[static_cast<std::int64_t>(begin + k)];
        });
        for (const std::string& name : columns_of(*model)) {
          const int parameter = find_field(model->parameters, name), state = find_field(model->state, name);
          if (parameter < 0)
            to.refer(path_of(*model, name), g.state(static_cast<std::size_t>(state)));
          else
            to.make<double>(path_of(*model, name), g.size(), [&g, parameter](std::uint64_t begin, std::uint64_t n, double* out) {
              for (std::uint64_t k = 0; k < n; ++k) out[k] = g.parameter(static_cast<std::size_t>(parameter), begin + k);
            });
        }
      }
  to.keep("neurons/frozen", std::move(frozen));
}

/// Returns the number of neurons of this rank that were found.
std::int64_t Populations::load_neurons(const nodes::ModelInfo& model, const checkpoint::Shard& from) {
  constexpr std::uint64_t piece = 1 << 16;
  std::vector<Gid> gids(piece);
  std::vector<double> values(piece);
  std::vector<std::pair<std::size_t, Seat>> mine;
  std::int64_t found = 0;
  const std::uint64_t total = from.size<Gid>(path_of(model, "gid"));
  for (std::uint64_t begin = 0; begin < total; begin += piece) {
    const std::uint64_t n = std::min(piece, total - begin);
    from.read(path_of(model, "gid"), begin, std::span(gids).first(n));
    mine.clear();
    for (std::size_t k = 0; k < n; ++k) {
      const Population& p = of(gids[k], "gid");
      if (p.model != &model) throw BadCheckpoint("neurons of " + model.name + " that are of another model");
      if (const Seat seat = seat_of(gids[k], p); seat.group) mine.emplace_back(k, seat);
    }
    found += static_cast<std::int64_t>(mine.size());
    for (const std::string& name : columns_of(model)) {
      if (mine.empty()) continue;
      from.read(path_of(model, name), begin, std::span(values).first(n));
      const int parameter = find_field(model.parameters, name), state = find_field(model.state, name);
      for (const auto& [k, seat] : mine)
        if (parameter >= 0)
          seat.group->set_parameter(static_cast<std::size_t>(parameter), seat.at, values[k]);
        else
          seat.group->state(static_cast<std::size_t>(state))[seat.at] = values[k];
    }
  }
  return found;
}

void Populations::load_neurons(std::span<const checkpoint::Shard> from) {
  std::int64_t found = 0, wanted = 0;
  for (const auto& p : populations_) {
    if (!p->model) continue;
    for (auto& s : slices_) {
      const Share own = share_of(*s, *p);
      wanted += static_cast<std::int64_t>(own.n);
      for (std::size_t k = 0; k < p->uniform.size(); ++k)
        if (!p->varied[k]) own.group->set_parameters(k, own.begin, own.n, p->uniform[k]);
    }
  }
  for (const checkpoint::Shard& shard : from) {
    for (const nodes::ModelInfo* model : models_in_use(*this)) found += load_neurons(*model, shard);
    for (const Gid gid : shard.all<Gid>("neurons/frozen"))
      if (const Seat seat = seat_of(gid, of(gid, "gid")); seat.group) seat.group->freeze(seat.at, true);
  }
  if (found != wanted) throw BadCheckpoint("the states of " + std::to_string(wanted - found) + " neurons are missing");
}

}  // namespace npl::sim
