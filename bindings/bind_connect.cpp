// SPDX-License-Identifier: Apache-2.0
/// Kernel: connect and the drawing of edges. connect and draw_edges are collective.
#include "kernel.hpp"

namespace npl::bindings {
namespace {

/// A value of the type that a rule's parameter has. Throws TypeError.
template <class T>
T rule_value(const connect::RuleParam& p, nb::handle given) {
  T value;
  if (!nb::try_cast(given, value)) throw nb::type_error((std::string(p.name) + " must be " + connect::allowed_text(p)).c_str());
  return value;
}

connect::RuleValue to_rule_value(const connect::RuleParam& p, nb::handle given) {
  switch (p.type) {
    case connect::ParamType::count: return rule_value<std::int64_t>(p, given);
    case connect::ParamType::flag: return rule_value<bool>(p, given);
    case connect::ParamType::positions: return to_vector(rule_value<In<std::int64_t>>(p, given));
    case connect::ParamType::edges:
      return std::shared_ptr<const connect::EdgeList>(rule_value<std::shared_ptr<connect::EdgeList>>(p, given));
    default: return rule_value<double>(p, given);
  }
}

/// Parameters of a rule by their names. Throws UnknownName for a parameter that the rule does not have, TypeError.
connect::RuleParams to_rule_params(const nb::dict& given, const connect::RuleInfo& rule) {
  connect::RuleParams p;
  for (auto [key, value] : given) {
    const auto name = nb::cast<std::string>(key);
    p.set(name, to_rule_value(connect::find_parameter(rule.name, rule.parameters, name), value));
  }
  return p;
}

/// Parameters of the synapse model by their names: numbers, or specs of those that differ from synapse to synapse. Throws TypeError.
void take_parameters(const nb::dict& given, sim::ConnectCall& call) {
  std::map<std::string, nb::object> by_name;
  for (auto [key, value] : given) by_name[nb::cast<std::string>(key)] = nb::borrow(value);
  for (const auto& [name, value] : by_name) {
    if (nb::isinstance<nb::tuple>(value))
      call.varied_params.emplace_back(name, to_spec(nb::cast<nb::tuple>(value)));
    else if (double number = 0.0; nb::try_cast(value, number))
      call.synapse_params.emplace_back(name, number);
    else
      throw nb::type_error(("synapse_params: " + name + " has a wrong type").c_str());
  }
}

/// Number of the first call of a projection (-1: this one), ends of all its calls (None: those of this one), whether it may be one of many.
using Identity = std::tuple<std::int64_t, std::optional<Rows>, std::optional<Rows>, bool>;

sim::ProjectionIdentity to_identity(const Identity& given) {
  const auto& [first, sources, targets, one_of_many] = given;
  return {true, one_of_many, first, Chosen(sources).nodes, Chosen(targets).nodes};
}

/// Arguments of connect by their names, and whether the nodes are among them. Throws TypeError, UnknownName, BadParameter, BadLength.
sim::ConnectCall to_connect_call(const nb::dict& given, bool nodes) {
  Arguments a(given);
  sim::ConnectCall call;
  if (nodes) {
    call.pre = to_node_set(a.get<Rows>("pre"));
    call.post = to_node_set(a.get<Rows>("post"));
  }
  call.rule = a.get<std::string>("rule");
  call.rule_params = to_rule_params(a.get<nb::dict>("rule_params", nb::dict()), connect::find_rule(call.rule));
  call.synapse = a.get<std::string>("synapse", call.synapse);
  take_parameters(a.get<nb::dict>("synapse_params", nb::dict()), call);
  call.weight = to_spec(a.get<nb::tuple>("weight"));
  call.delay = to_spec(a.get<nb::tuple>("delay"));
  call.receptor = a.get<int>("receptor", 0);
  call.double_weights = a.get<bool>("double_weights", false);
  call.label = a.get<int>("label", 0);
  call.recorder = a.get<int>("recorder", -1);
  call.check_only = a.get<bool>("check_only", false);
  if (const auto identity = a.maybe<Identity>("projection")) call.identity = to_identity(*identity);
  a.check_all_known();
  return call;
}

}  // namespace

void bind_connect(nb::module_& m, nb::class_<Network>& kernel) {
  nb::class_<sim::ConnectCall>(m, "PreparedConnect");  // what connect takes but for the nodes, checked as far as it can be
  kernel
      .def("connect",
           [](Network& n, const nb::kwargs& given) {
             sim::ConnectCall call = to_connect_call(given, true);
             return unlocked([&] { return n.connect(std::move(call)); });  // collective: the ranks may be threads of this process
           })
      .def_static("prepared", [](const nb::kwargs& given) { return to_connect_call(given, false); })
      .def(
          "connect_prepared",
          [](Network& n, const sim::ConnectCall& prepared, const Rows& pre, const Rows& post, std::optional<double> weight,
             std::optional<double> delay, std::shared_ptr<connect::EdgeList> edges) {
            sim::ConnectCall call = prepared;
            call.pre = to_node_set(pre), call.post = to_node_set(post);
            if (weight) call.weight = {.a = *weight};
            if (delay) call.delay = {.a = *delay};
            if (edges) call.rule_params.set("list", std::shared_ptr<const connect::EdgeList>(std::move(edges)));
            return unlocked([&] { return n.connect(std::move(call)); });
          },
          "call"_a, "pre"_a, "post"_a, "weight"_a = nb::none(), "delay"_a = nb::none(), "edges"_a = nb::none())
      .def(
          "draw_edges",
          [](const Network& n, const Rows& pre, const Rows& post, const std::string& rule, const nb::dict& params) {
            const auto from = to_node_set(pre), to = to_node_set(post);
            const auto given = to_rule_params(params, connect::find_rule(rule));
            sim::DrawnEdges edges = unlocked([&] { return n.draw_edges(from, to, rule, given); });
            return nb::make_tuple(to_numpy(std::move(edges.source)), to_numpy(std::move(edges.target)), to_numpy(std::move(edges.key)),
                                  to_numpy(std::move(edges.index)));
          },
          "pre"_a, "post"_a, "rule"_a, "rule_params"_a)
      .def("set_seed", &Network::set_seed, "seed"_a)
      .def(
          "relink",
          [](Network& n, std::int64_t number, const nb::tuple& weight, const nb::tuple& delay, bool check_only) {
            const rng::ValueSpec w = to_spec(weight), d = to_spec(delay);
            unlocked([&] { n.relink(number, w, d, check_only); });
          },
          "number"_a, "weight"_a, "delay"_a, "check_only"_a = false)
      .def(
          "check_synapse",
          [](const Network& n, const std::string& name, const std::map<std::string, double>& parameters) {
            n.check_synapse(name, {parameters.begin(), parameters.end()});
          },
          "name"_a, "parameters"_a);
}

}  // namespace npl::bindings
