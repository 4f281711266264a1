// SPDX-License-Identifier: Apache-2.0
#include "sim/varied.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "connect/listed.hpp"
#include "sim/edge_values.hpp"

namespace npl::sim {
namespace {

constexpr std::uint32_t n_probes = 64;  ///< values of a distribution that are checked besides its ends

int find_varied(const synapses::SynapseInfo& info, const std::string& name) {
  const int at = find_field(info.parameters, name);
  if (at < 0) throw UnknownName("parameter of " + info.name, name, field_names(info.parameters));
  if (!info.prepare_varied)
    throw BadParameter(name, "a value per synapse", "one number: synapses of a " + info.name + " cannot differ in their parameters");
  if (!info.may_vary(name))
    throw BadParameter(name, "a value per synapse", "one number: all synapses of a target share the trace that it belongs to");
  return at;
}

/// Calls f(all parameters, parameters that differ, index in arrays) for what synapses may have.
class Combinations {
 public:
  Combinations(const Varied& v, std::int64_t n) : v_(v), all_(v.parameters), own_(v.indices.size()) {
    for (std::size_t j = 0; j < own_.size(); ++j) (v.values[j].sampler ? drawn_ : listed_).push_back(j);
    n_ = listed_.empty() ? 1 : static_cast<std::size_t>(n);
  }
  /// All ends of the distributions together with each value of the arrays.
  template <class F>
  void for_ends(F&& f) {
    for (std::size_t i = 0; i < n_; ++i) {
      for (const std::size_t j : listed_) set(j, (*v_.values[j].values.values)[i]);
      for (std::uint32_t corner = 0; corner < std::uint32_t{1} << drawn_.size(); ++corner) {
        for (std::size_t k = 0; k < drawn_.size(); ++k) {
          const rng::Sampler& s = *v_.values[drawn_[k]].sampler;
          set(drawn_[k], corner >> k & 1 ? s.highest() : s.lowest());
        }
        f(all_, own_, i);
      }
    }
  }
  /// Values between the ends of each distribution, with the last values of the others.
  template <class F>
  void for_probes(F&& f) {
    for (const std::size_t j : drawn_) {
      const double last = own_[j];
      for (std::uint32_t k = 0; n_ > 0 && k < n_probes; ++k) {
        const std::uint32_t word = k * (std::numeric_limits<std::uint32_t>::max() / n_probes) + 0x1234567;
        double x = 0.0;
        v_.values[j].sampler->draw({&word, 1}, &x);
        set(j, x), f(all_);
      }
      set(j, last);
    }
  }

 private:
  void set(std::size_t j, double x) { all_[static_cast<std::size_t>(v_.indices[j])] = own_[j] = x; }

  const Varied& v_;
  std::vector<double> all_, own_;
  std::vector<std::size_t> drawn_, listed_;
  std::size_t n_ = 1;
};

/// Checks the values of one parameter against its bound.
connect::VariedParameter checked(const Field& field, const rng::ValueSpec& spec, std::int64_t n, rng::SamplerCache& samplers) {
  check_array(spec, field.name, n);
  if (spec.kind == rng::Kind::array) {
    for (const double x : *spec.values) check_value(field, x);
    return {spec, nullptr};
  }
  rng::check(spec, field.name);
  auto sampler = samplers.weights(spec);
  for (const double x : {sampler->lowest(), sampler->highest()}) check_value(field, x);
  return {spec, std::move(sampler)};
}

}  // namespace

std::vector<double> synapse_parameters(const synapses::SynapseInfo& info, const std::vector<std::pair<std::string, double>>& given) {
  std::vector<double> values;
  values.reserve(info.parameters.size());
  for (const Field& f : info.parameters) values.push_back(f.init);
  for (const auto& [name, value] : given) {
    const int at = find_field(info.parameters, name);
    if (at < 0) throw UnknownName("parameter of " + info.name, name, field_names(info.parameters));
    const auto k = static_cast<std::size_t>(at);
    check_value(info.parameters[k], value);
    values[k] = value;
  }
  return values;
}

namespace {
void check_axonal(double axonal_ms, Step delay, double resolution) {
  if (!(axonal_ms / resolution < static_cast<double>(delay) - 0.5))  // an infinite one, too
    throw BadParameter(synapses::Axonal::name, axonal_ms, "at least one step of the resolution below the delay");
}
}  // namespace

void check_axonal(const synapses::SynapseInfo& info, const std::vector<double>& parameters, Step delay, double resolution) {
  const int at = find_field(info.parameters, synapses::Axonal::name);
  if (at >= 0) check_axonal(parameters[static_cast<std::size_t>(at)], delay, resolution);
}

void check_axonal(const synapses::SynapseInfo& info, const connect::Projection& p, const Varied& v, double resolution) {
  const int at = find_field(info.parameters, synapses::Axonal::name);
  const auto column = std::find(v.indices.begin(), v.indices.end(), at);
  if (at < 0 || column == v.indices.end()) return check_axonal(info, v.parameters, p.lowest_delay, resolution);
  const connect::VariedParameter& axonal = v.values[static_cast<std::size_t>(column - v.indices.begin())];
  if (axonal.sampler) return check_axonal(axonal.sampler->highest(), p.lowest_delay, resolution);
  const auto& values = *axonal.values.values;
  for (std::size_t i = 0; i < values.size(); ++i)
    check_axonal(values[i], p.delay_values.size() == values.size() ? p.delay_values[i] : p.lowest_delay, resolution);
}

Varied check_varied(const ConnectCall& call, const synapses::SynapseInfo& info, const connect::Projection& p, const Settings& settings,
                    rng::SamplerCache& samplers, bool weights_known) {
  const std::int64_t n = p.rule->array_length();
  const bool strict = settings.strict_weights;
  Varied v;
  v.parameters = synapse_parameters(info, call.synapse_params);
  std::vector<std::pair<int, const rng::ValueSpec*>> given;
  for (const auto& [name, spec] : call.varied_params) given.emplace_back(find_varied(info, name), &spec);
  std::sort(given.begin(), given.end());
  for (const auto& [at, spec] : given) {
    v.indices.push_back(at);
    v.values.push_back(checked(info.parameters[static_cast<std::size_t>(at)], *spec, n, samplers));
  }
  if (connect::lists_own_targets(call.rule_params) && call.has_varied_array())
    for (const auto& value : v.values)
      if (value.sampler) throw BadParameter("synapse parameters", "distributions beside arrays", "all arrays with own_targets");
  const auto rule = info.prepare_varied(v.parameters, v.indices, settings.resolution);
  const bool listed = p.weight.kind == rng::Kind::array, known = listed || p.weight.is_constant();
  const auto [low, high] = weight_range(p);
  Combinations all(v, n);
  v.never_positive = true;
  all.for_ends([&, low = low, high = high](const std::vector<double>& parameters, const std::vector<double>& own, std::size_t i) {
    info.check_relations(parameters.data());
    const synapses::WeightBounds bounds = rule->bounds_of(own.data());
    v.never_positive = v.never_positive && bounds.high == 0.0;
    for (const double bound : {bounds.low, bounds.high})
      if (std::isfinite(bound)) v.largest_weight = std::max(v.largest_weight, std::abs(bound));
    const double w = listed && call.has_varied_array() ? (*p.weight.values)[i] : low;
    if (weights_known && (strict || known))
      check_plastic_weights(bounds, w, listed && call.has_varied_array() ? w : high, strict, !p.weight.is_constant());
  });
  all.for_probes([&](const std::vector<double>& parameters) { info.check_relations(parameters.data()); });
  if (v.never_positive && v.largest_weight == 0.0) v.never_positive = false;  // no edge here
  return v;
}

}  // namespace npl::sim
