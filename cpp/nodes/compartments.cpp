// SPDX-License-Identifier: Apache-2.0
/// Shapes of neurons with compartments: their fields, and the values derived from parameters.
#include "nodes/compartments.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include "base/error.hpp"
#include "base/math.hpp"

namespace npl::nodes::compartments {
namespace {

constexpr std::array<std::string_view, 4> kinds{"AMPA", "GABA", "NMDA", "AMPA_NMDA"};
constexpr std::size_t most_compartments = 4096;

[[noreturn]] void refuse(const std::string& shape, const char* allowed) { throw BadParameter("shape", shape, allowed); }

/// The parts of a text between separators; none of an empty one.
std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

bool read(std::string_view text, int& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

void read_parents(Tree& tree, std::string_view text, const std::string& shape) {
  for (const std::string_view part : split(text, ',')) {
    int parent = 0;
    const bool root = tree.parent.empty();
    if (!read(part, parent) || (root ? parent != -1 : parent < 0 || parent >= static_cast<int>(tree.parent.size())))
      refuse(shape, "a list of parents: -1 of the root, which is the first compartment, and earlier compartments of the others");
    tree.parent.push_back(root ? 0 : static_cast<std::size_t>(parent));
  }
  if (tree.parent.empty() || tree.parent.size() > most_compartments) refuse(shape, "a tree of 1 to 4096 compartments");
}

void read_receptors(Tree& tree, std::string_view text, const std::string& shape) {
  for (const std::string_view part : split(text, ',')) {
    const std::size_t colon = std::min(part.find(':'), part.size());
    int compartment = 0;
    const auto kind = std::find(kinds.begin(), kinds.end(), part.substr(std::min(colon + 1, part.size())));
    if (!read(part.substr(0, colon), compartment) || compartment < 0 || compartment >= static_cast<int>(tree.parent.size()) ||
        kind == kinds.end())
      refuse(shape, "a list of receptors: an existing compartment, ':', and AMPA, GABA, NMDA or AMPA_NMDA");
    tree.receptors.push_back({static_cast<std::size_t>(compartment), static_cast<Kind>(kind - kinds.begin()), 0, 0, 0});
  }
  if (tree.receptors.size() > static_cast<std::size_t>(most_receptors)) refuse(shape, "at most 4096 receptors");
}

/// Fields of the compartments and receptors of a tree.
class Fields {
 public:
  explicit Fields(Tree& tree) : tree_(&tree) {
    parameters.push_back({"V_th", "mV", -55.0, "Potential of the root at which a spike is sent", Bound::any});
    for (std::size_t c = 0; c < tree.parent.size(); ++c) compartment(std::to_string(c));
    n_derived = OfDerived::at + OfDerived::each * tree.parent.size();
    for (std::size_t r = 0; r < tree.receptors.size(); ++r) receptor(tree.receptors[r], std::string("_").append(std::to_string(r)));
  }
  std::vector<Field> parameters, state;
  std::size_t n_derived = 0;

 private:
  void parameter(const std::string& name, const char* unit, double init, const char* doc, Bound bound = Bound::any) {
    parameters.push_back({tree_->keep(name), unit, init, doc, bound});
  }
  void variable(const std::string& name, const char* unit, double init, const char* doc) {
    state.push_back({tree_->keep(name), unit, init, doc, Bound::any});
  }
  void compartment(const std::string& c) {
    parameter("C_m_" + c, "nF", 1.0, "Capacitance of the compartment", Bound::positive);
    parameter("g_C_" + c, "uS", 0.01, "Coupling to the parent", Bound::non_negative);
    parameter("g_L_" + c, "uS", 0.1, "Leak conductance", Bound::non_negative);
    parameter("e_L_" + c, "mV", -70.0, "Leak reversal potential");
    parameter("gbar_Na_" + c, "uS", 0.0, "Largest conductance of the Na+ channel", Bound::non_negative);
    parameter("e_Na_" + c, "mV", 50.0, "Reversal potential of the Na+ channel");
    parameter("gbar_K_" + c, "uS", 0.0, "Largest conductance of the K+ channel", Bound::non_negative);
    parameter("e_K_" + c, "mV", -85.0, "Reversal potential of the K+ channel");
    variable("v_comp" + c, "mV", -70.0, "Potential of the compartment");
    variable("m_Na_" + c, "", 0.029206589826988972, "Activation of the Na+ channel");
    variable("h_Na_" + c, "", 0.691352849518855, "Inactivation of the Na+ channel");
    variable("n_K_" + c, "", 0.00026041581596238274, "Activation of the K+ channel");
  }
  void conductance(const std::string& kind, const std::string& prefix, const std::string& r, double decay) {
    parameter("tau_r_" + kind + r, "ms", 0.2, "Rise time constant of the conductance", Bound::positive);
    parameter("tau_d_" + kind + r, "ms", decay, "Decay time constant of the conductance", Bound::positive);
    variable("g_r_" + prefix + kind + r, "uS", 0.0, "Rising part of the conductance");
    variable("g_d_" + prefix + kind + r, "uS", 0.0, "Decaying part of the conductance");
  }
  void receptor(Receptor& made, const std::string& r) {
    made.parameter = parameters.size(), made.state = state.size(), made.derived = n_derived;
    const std::string kind(kinds[static_cast<std::size_t>(made.kind)]);
    parameter("e_" + kind + r, "mV", made.kind == Kind::GABA ? -80.0 : 0.0, "Reversal potential of the receptor");
    if (made.kind != Kind::AMPA_NMDA) {
      conductance(kind, "", r, made.kind == Kind::AMPA ? 3.0 : made.kind == Kind::GABA ? 10.0 : 43.0);
      n_derived += 4;
      return;
    }
    conductance("AMPA", "AN_", r, 3.0), conductance("NMDA", "AN_", r, 43.0);
    parameter("NMDA_ratio" + r, "", 2.0, "Conductance of NMDA relative to AMPA", Bound::non_negative);
    n_derived += 8;
  }
  Tree* tree_;
};

/// Decays of g_r and g_d within dt, and their jump at a spike of weight 1.
double* put_conductance(const double* tau, double dt, double* derived) {
  const double peak = tau[0] * tau[1] / (tau[1] - tau[0]) * math::log(tau[1] / tau[0]);  // time of the peak
  derived[0] = math::exp(-dt / tau[0]), derived[1] = math::exp(-dt / tau[1]);
  derived[2] = 1.0 / (math::exp(-peak / tau[1]) - math::exp(-peak / tau[0]));
  return derived + 3;
}

void derive(const Tree& tree, const double* parameters, double dt, double* derived) {
  using P = OfParameters;
  using D = OfDerived;
  derived[D::V_th] = parameters[P::V_th], derived[D::dt] = dt;
  for (std::size_t c = 0; c < tree.parent.size(); ++c) {
    const double* p = parameters + P::at + c * P::each;
    double* d = derived + D::at + c * D::each;
    std::copy(p + P::g_C, p + P::each, d + D::g_C);  // the same order
    d[D::diagonal] = p[P::C_m] / dt + 0.5 * p[P::g_L];
  }
  for (std::size_t c = 1; c < tree.parent.size(); ++c) {
    const double half = 0.5 * parameters[P::at + c * P::each + P::g_C];
    derived[D::at + c * D::each + D::diagonal] += half, derived[D::at + tree.parent[c] * D::each + D::diagonal] += half;
  }
  for (const Receptor& r : tree.receptors) {
    const double* p = parameters + r.parameter;
    double* d = derived + r.derived;
    d[0] = p[0];
    d = put_conductance(p + 1, dt, d + 1);
    if (r.kind == Kind::AMPA_NMDA) put_conductance(p + 3, dt, d)[0] = p[5];
  }
}

void check(const Tree& tree, const std::vector<Field>& fields, const double* parameters) {
  for (const Receptor& r : tree.receptors)
    for (std::size_t k = r.parameter + 1; k < r.parameter + (r.kind == Kind::AMPA_NMDA ? 5 : 3); k += 2)
      if (parameters[k] >= parameters[k + 1]) throw BadParameter(fields[k].name, parameters[k], std::string("below ") + fields[k + 1].name);
}

}  // namespace

ModelInfo model(const std::string& shape) {
  const auto tree = std::make_shared<Tree>();
  const std::size_t end = std::min(shape.find(';'), shape.size());
  read_parents(*tree, std::string_view(shape).substr(0, end), shape);
  read_receptors(*tree, std::string_view(shape).substr(std::min(end + 1, shape.size())), shape);
  Fields fields(*tree);
  ModelInfo info{};
  info.name = "cm_default";
  info.doc = "Tree of compartments with Na+ and K+ channels and receptors on any of them; a weight is the peak of a conductance.";
  info.receptors = static_cast<int>(tree->receptors.size());
  info.input = SpikeInput::ports;
  info.current_ports = static_cast<int>(tree->parent.size()), info.currents_at_once = true;
  info.parameters = fields.parameters, info.state = fields.state, info.n_derived = fields.n_derived;
  info.derive = [tree](const double* p, double dt, double* d) { derive(*tree, p, dt, d); };
  info.check = [tree, names = fields.parameters](const double* p) { check(*tree, names, p); };
  info.update = update;
  info.sane.assign(info.state.size(), Range{});
  for (std::size_t c = 0; c < tree->parent.size(); ++c) info.sane[OfState::at + c * OfState::each] = sane_potential;
  info.shape = tree;
  info.face.keys = "compartments=[] receptors=[]";
  info.shaped = model;
  return info;
}

}  // namespace npl::nodes::compartments
