// SPDX-License-Identifier: Apache-2.0
/// Reading and setting parameters and state of nodes.
#include <algorithm>

#include "comm/collect.hpp"
#include "sim/fingerprint.hpp"
#include "sim/first_refusal.hpp"
#include "sim/new_parameters.hpp"

namespace npl::sim {

/// Updates Population::varied: the parameters that get a column, by the rule of Column.
void Populations::note_columns(Population& p, bool everyone, const Values& values, const std::vector<NodeDraw>& draws) {
  for (const NodeDraw& d : draws)
    if (const int k = find_field(p.model->parameters, d.name); k >= 0) p.varied[static_cast<std::size_t>(k)] = 1;
  for (const auto& [name, v] : values) {
    const int found = find_field(p.model->parameters, name);
    if (found < 0) continue;
    const auto k = static_cast<std::size_t>(found);
    if (everyone && v.size() == 1)
      p.uniform[k] = v[0], p.varied[k] = 0;
    else if (std::any_of(v.begin(), v.end(), [&](double x) { return x != p.uniform[k]; }))
      p.varied[k] = 1;
  }
}

/// Value of a parameter in a plan without nodes: the common value of the population, or the last common value if nodes differ.
double Populations::counted_value(const Population& p, const std::string& name) {
  const int k = find_field(p.model->parameters, name);
  return k >= 0 ? p.uniform[static_cast<std::size_t>(k)] : field_of(*p.model, name).init;
}

/// Checks names, lengths, bounds and the combination of parameters of each node. @param gids null: a population that is being created
void Populations::check_values(const Population& p, const std::vector<Gid>* gids, std::size_t n, const Values& values) const {
  const nodes::ModelInfo& m = *p.model;
  check_fields(m, n, values);
  bool per_node = false;
  NewParameters all(m);
  for (const auto& [name, v] : values) all.give(name, v), per_node |= v.size() > 1 && is_parameter(m, name);
  if (!gids)
    for (std::size_t i = 0; i < (per_node ? n : 1); ++i) all.check(nullptr, 0, i);
  FirstRefusal refusal;
  for (std::size_t i = 0; gids && i < n; ++i)
    if (const Seat seat = seat_of((*gids)[i], p); seat.group)  // by its owner
      refusal.check((*gids)[i], [&] { all.check(seat.group, seat.at, i); });
  refusal.rethrow();
}

namespace {

/// All nodes of a population, each once.
bool is_everyone(const Population& p, const std::vector<Gid>& gids) {
  return gids.size() == static_cast<std::size_t>(p.n) && std::adjacent_find(gids.begin(), gids.end(), std::greater_equal<>()) == gids.end();
}

}  // namespace

/// Allocates all that assign() of these values will need, and changes nothing: what follows the check cannot fail.
void Populations::make_room(Population& p, const std::vector<Gid>& gids, const Values& values) {
  if (settings_.counting) return;
  const bool everyone = is_everyone(p, gids);
  std::vector<int> parameters;  // of the values; -1: of the state
  for (const auto& value : values) parameters.push_back(find_field(p.model->parameters, value.first));
  for (std::size_t i = 0; i < gids.size(); ++i) {
    const Seat seat = seat_of(gids[i], p);
    if (!seat.group) continue;
    if (p.model->settle) seat.group->make_room();
    const bool whole = everyone && seat.group->size() == share_of(*seat.slice, p).n;
    for (std::size_t v = 0; v < values.size(); ++v)
      if (const auto& given = values[v].second; parameters[v] >= 0 && !(whole && given.size() == 1))
        seat.group->make_room(static_cast<std::size_t>(parameters[v]), value_at(given, i));
  }
}

void Populations::assign(Population& p, const std::vector<Gid>* gids, const Values& values) {
  const bool everyone = !gids || is_everyone(p, *gids);
  note_columns(p, everyone, values, {});
  if (settings_.counting) return;
  put_values(p, gids, values, everyone);
  if (!p.model->settle) return;
  if (everyone)
    for (auto& s : slices_) {
      const Share own = share_of(*s, p);
      own.group->settle(own.begin, own.n);
    }
  else
    for (const Gid gid : *gids)
      if (const Seat seat = seat_of(gid, p); seat.group) seat.group->settle(seat.at, 1);
}

void Populations::put_values(Population& p, const std::vector<Gid>* gids, const Values& values, bool everyone) {
  const auto n = gids ? gids->size() : static_cast<std::size_t>(p.n);
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
      const Share own = share_of(*s, p);
      nodes::Group& g = *own.group;
      if (parameter >= 0 && v.size() == 1)
        g.set_parameters(static_cast<std::size_t>(parameter), own.begin, own.n, v[0]);
      else
        for (std::size_t i = own.begin; i < own.begin + own.n; ++i)
          put(g, i, value_at(v, static_cast<std::size_t>(g.nodes()[static_cast<std::int64_t>(i)] - p.first)));
    }
  }
}

/// The new setting of a device, checked and not yet applied. @param i index in `values`
void Populations::add_setting(devices::Device& d, const Values& values, std::size_t i, const Values& arrays, std::vector<NewSetting>& out) {
  devices::Setting s = d.history.back();
  take_values(*d.info, values, i, s);
  take_arrays(*d.info, arrays, s);
  devices::check_setting(d, s);
  out.emplace_back(&d, std::move(s));
}

/// Those of the devices of a piece.
void Populations::add_settings(const Piece& piece, const Values& arrays, std::vector<NewSetting>& out) {
  const Population& p = *piece.population;
  const bool alike = std::all_of(piece.values.begin(), piece.values.end(), [](const auto& v) { return v.second.size() == 1; });
  if (alike && is_everyone(p, piece.gids))
    return p.devices->for_all([&](devices::Device& d) { add_setting(d, piece.values, 0, arrays, out); });
  for (std::size_t i = 0; i < piece.gids.size(); ++i) add_setting(p.devices->object(piece.gids[i]), piece.values, i, arrays, out);
}

/// Applies a setting to the future output of a device. @param next must outlive `undo`
void Populations::adopt(NewSetting& next, Undo& undo) const {
  devices::Setting& s = next.second;
  auto* device = next.first;
  std::vector<devices::Setting>& history = device->history;
  s.from = step_;
  const bool replaces = history.back().from == step_ || step_ == device->created;
  if (!replaces) history.reserve(history.size() + 1);
  undo.note([&history, &s, replaces] { replaces ? std::swap(history.back(), s) : history.pop_back(); });
  replaces ? std::swap(history.back(), s) : history.push_back(std::move(s));
}

std::vector<Populations::Piece> Populations::pieces(const std::vector<Gid>& gids, const Values& values) {
  std::vector<Piece> out;
  for (std::size_t i = 0; i < gids.size(); ++i) {
    Population* p = &of(gids[i], "gids");
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

void Populations::set(const std::vector<Gid>& gids, const Values& values, const Values& arrays, const std::function<void(Undo&)>& follow) {
  std::vector<Piece> parts;
  std::vector<NewSetting> settings;
  Undo undo;
  together(
      "set",
      [&] {
        check_lengths(values, gids.size());
        parts = pieces(gids, values);
        for (Piece& p : parts) {
          const nodes::ModelInfo* model = p.population->model;
          if (model && !arrays.empty()) throw UnknownName("array parameter of " + model->name, arrays[0].first, {});
          model ? check_values(*p.population, &p.gids, p.gids.size(), p.values) : add_settings(p, arrays, settings);
        }
        for (Piece& p : parts)
          if (p.population->model) make_room(*p.population, p.gids, p.values);
        for (NewSetting& next : settings) adopt(next, undo);
        follow(undo);
      },
      fingerprint_of(gids, values, arrays));
  undo.forget();
  for (Piece& p : parts)
    if (p.population->model) assign(*p.population, &p.gids, p.values);
}

void Populations::freeze(const std::vector<Gid>& gids, bool frozen) {
  std::vector<NewSetting> settings;
  Undo undo;
  together(
      "freeze",
      [&] {
        for (const Gid gid : gids) {
          Population& p = of(gid, "gids");
          if (!p.model)
            add_settings({&p, {gid}, {}}, {}, settings);
          else if (const Seat seat = seat_of(gid, p); seat.group)
            seat.group->make_room(gids.size());
        }
        for (NewSetting& next : settings) next.second.frozen = frozen, adopt(next, undo);
      },
      fingerprint_of(gids, std::string(frozen ? "freeze" : "thaw")));
  undo.forget();
  for (const Gid gid : gids) {
    const Population& p = of(gid, "gids");
    if (!p.model) continue;
    if (const Seat seat = seat_of(gid, p); seat.group) seat.group->freeze(seat.at, frozen);
  }
}

/// Value of a parameter of a device; 0 for those of other ranks.
double Populations::value_of(Gid gid, const Population& p, const std::string& name) const {
  const devices::Device& d = p.devices->look(gid);
  const int k = find_field(d.info->parameters, name);
  if (k < 0) throw UnknownName("parameter of " + d.info->name, name, field_names(d.info->parameters));
  return settings_.counting || rank_of(gid) == rank() ? d.history.back().values[static_cast<std::size_t>(k)] : 0.0;
}

/// Values of a parameter or state variable of neurons of a population; 0 for those of other ranks.
void Populations::read(const Population& p, std::span<const Gid> gids, const std::string& name, double* out) const {
  field_of(*p.model, name);
  const int parameter = find_field(p.model->parameters, name), state = find_field(p.model->state, name);
  for (std::size_t i = 0; i < gids.size(); ++i) {
    if (settings_.counting) {
      out[i] = counted_value(p, name);
      continue;
    }
    const Seat seat = seat_of(gids[i], p);
    if (!seat.group) continue;
    const nodes::Group& group = *seat.group;
    out[i] = parameter >= 0 ? group.parameter(static_cast<std::size_t>(parameter), seat.at)
                            : group.state(static_cast<std::size_t>(state))[seat.at];
  }
}

std::vector<double> Populations::get(const std::vector<Gid>& gids, const std::string& name) const {
  std::vector<double> out(gids.size());
  together(
      "get",
      [&] {
        for (std::size_t i = 0, end = 0; i < gids.size(); i = end) {
          const Population& p = of(gids[i], "gids");
          for (end = i + 1; end < gids.size() && p.model && gids[end] >= p.first && gids[end] < p.first + p.n;) ++end;
          p.model ? read(p, std::span(gids).subspan(i, end - i), name, &out[i]) : void(out[i] = value_of(gids[i], p, name));
        }
      },
      fingerprint_of(gids, name));
  comm::merge(*comm_, out);
  return out;
}

std::vector<double> Populations::get_vector(Gid gid, const std::string& name) const {
  const Population& p = of(gid, "gid");
  if (!p.model) {
    const devices::Device& d = p.devices->look(gid);
    for (std::size_t k = 0; k < d.info->vectors.size(); ++k)
      if (d.info->vectors[k].name == name) return d.history.back().vectors[k];
  }
  throw UnknownName("array parameter of " + model_of(gid), name, {});
}

}  // namespace npl::sim
