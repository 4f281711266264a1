// SPDX-License-Identifier: Apache-2.0
#include "reference/stdp.hpp"

#include <cmath>

#include "base/error.hpp"

namespace npl::reference {

Synapse::Synapse(const std::string& model, const std::map<std::string, double>& values, double resolution_ms) : h_(resolution_ms) {
  if (model == "static_synapse") {
    kind_ = Kind::fixed;
  } else if (model == "stdp_synapse") {
    kind_ = Kind::guetig;
    p_ = {{"tau_plus", 20.0}, {"tau_minus", 20.0}, {"lambda", 0.01}, {"alpha", 1.0}, {"mu_plus", 1.0}, {"mu_minus", 1.0}, {"Wmax", 100.0}};
  } else if (model == "stdp_pl_synapse_hom") {
    kind_ = Kind::power_law;
    p_ = {{"tau_plus", 20.0}, {"tau_minus", 20.0}, {"lambda", 0.1}, {"alpha", 1.0}, {"mu", 0.4}};
  } else {
    throw UnknownName("synapse of the reference kernel", model, {"static_synapse", "stdp_synapse", "stdp_pl_synapse_hom"});
  }
  for (const auto& [name, value] : values) {
    if (!p_.contains(name)) throw UnknownName("parameter of " + model, name, {});
    p_[name] = value;
  }
}

double Synapse::potentiated(double w, double sum) const {
  if (kind_ == Kind::power_law) return w + p("lambda") * std::pow(w, p("mu")) * sum;
  const double limit = p("Wmax"), x = w / limit;
  return limit * std::fmin(1.0, x + p("lambda") * std::pow(1.0 - x, p("mu_plus")) * sum);
}

double Synapse::depressed(double w, double sum) const {
  if (kind_ == Kind::power_law) return std::fmax(0.0, w - p("lambda") * p("alpha") * w * sum);
  const double limit = p("Wmax"), x = w / limit;
  return limit * std::fmax(0.0, x - p("lambda") * p("alpha") * std::pow(x, p("mu_minus")) * sum);
}

double Synapse::updated(double weight, const std::vector<Step>& pre, std::size_t n, const std::vector<Step>& post, Step delay) const {
  for (Step t : post) {
    const Step met = t + delay;  // when the postsynaptic spike reaches the synapse
    if (n == 0 || met <= pre[n - 1] || met > pre[n]) continue;
    double sum = 0;
    for (std::size_t j = 0; j < n; ++j) sum += std::exp(static_cast<double>(pre[j] - met) * h_ / p("tau_plus"));
    weight = potentiated(weight, sum);
  }
  double sum = 0;
  for (Step t : post)
    if (t + delay < pre[n]) sum += std::exp(static_cast<double>(t + delay - pre[n]) * h_ / p("tau_minus"));
  return depressed(weight, sum);
}

}  // namespace npl::reference
