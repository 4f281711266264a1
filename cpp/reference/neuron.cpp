// SPDX-License-Identifier: Apache-2.0
#include "reference/neuron.hpp"

#include <vector>

#include "base/error.hpp"

namespace npl::reference {
namespace {

const std::vector<std::string> models{"iaf_psc_delta", "iaf_psc_exp", "iaf_psc_alpha", "parrot_neuron"};

const Values defaults{{"E_L", -70.0},     {"C_m", 250.0},    {"tau_m", 10.0},     {"t_ref", 2.0},      {"V_th", -55.0},
                      {"V_reset", -70.0}, {"V_min", -1e300}, {"tau_syn_ex", 2.0}, {"tau_syn_in", 2.0}, {"I_e", 0.0},
                      {"V_m", -70.0},     {"I_syn_ex", 0.0}, {"I_syn_in", 0.0}};

}  // namespace

Neuron::Neuron(const std::string& model, const Values& values, double resolution_ms) : p_(defaults) {
  if (model == "iaf_psc_delta")
    kind_ = Kind::delta;
  else if (model == "iaf_psc_exp")
    kind_ = Kind::exponential;
  else if (model == "iaf_psc_alpha")
    kind_ = Kind::alpha;
  else if (model == "parrot_neuron")
    kind_ = Kind::parrot;
  else
    throw UnknownName("model of the reference kernel", model, models);
  for (const auto& [name, value] : values) {
    if (!p_.contains(name)) throw UnknownName("parameter of the reference kernel", name, {});
    p_[name] = value;
  }
  y_ = {p_["V_m"] - p_["E_L"], p_["I_syn_ex"], 0, p_["I_syn_in"], 0, 0};
  propagator_ = exponential(equations(), static_cast<long double>(resolution_ms));
  refractory_steps_ = std::llround(p_["t_ref"] / resolution_ms);
}

Matrix<Neuron::size> Neuron::equations() const {
  Matrix<size> a{};
  a[V][V] = -1.0L / p_.at("tau_m");
  a[V][I_ex] = a[V][I_in] = a[V][I] = 1.0L / p_.at("C_m");
  a[I_ex][I_ex] = a[dI_ex][dI_ex] = -1.0L / p_.at("tau_syn_ex");
  a[I_in][I_in] = a[dI_in][dI_in] = -1.0L / p_.at("tau_syn_in");
  a[I_ex][dI_ex] = a[I_in][dI_in] = 1;
  return a;
}

void Neuron::receive(int receptor, double weight) {
  arrived_[static_cast<std::size_t>(receptor)] += weight;
  ++n_arrived_;
}

void Neuron::integrate() {
  y_[I] = p_["I_e"] + injected_;
  std::array<double, size> next{};
  for (std::size_t i = 0; i < size; ++i) {
    long double sum = 0;
    for (std::size_t j = 0; j < size; ++j) sum += propagator_[i][j] * y_[j];
    next[i] = static_cast<double>(sum);
  }
  y_ = next;
}

void Neuron::take_spikes() {
  const double e = std::exp(1.0);
  if (kind_ == Kind::delta) {
    y_[V] += arrived_[0] + arrived_[1];
  } else if (kind_ == Kind::exponential) {
    y_[I_ex] += arrived_[0];
    y_[I_in] += arrived_[1];
  } else {
    y_[dI_ex] += arrived_[0] * e / p_["tau_syn_ex"];
    y_[dI_in] += arrived_[1] * e / p_["tau_syn_in"];
  }
}

int Neuron::advance(Step step) {
  const int repeated = n_arrived_;
  const double V_before = y_[V];
  if (kind_ != Kind::parrot) {
    integrate();
    take_spikes();
  }
  arrived_ = {};
  n_arrived_ = 0;
  injected_ = 0;
  if (kind_ == Kind::parrot) return repeated;
  y_[V] = step < free_at_ ? V_before : std::fmax(y_[V], p_["V_min"] - p_["E_L"]);
  if (y_[V] + p_["E_L"] < p_["V_th"]) return 0;
  y_[V] = p_["V_reset"] - p_["E_L"];
  free_at_ = step + 1 + refractory_steps_;
  return 1;
}

double Neuron::state(const std::string& name) const {
  if (name == "V_m") return y_[V] + p_.at("E_L");
  if (name == "I_syn_ex") return y_[I_ex];
  if (name == "I_syn_in") return y_[I_in];
  throw UnknownName("state of the reference kernel", name, {"V_m", "I_syn_ex", "I_syn_in"});
}

}  // namespace npl::reference
