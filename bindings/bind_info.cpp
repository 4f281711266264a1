// SPDX-License-Identifier: Apache-2.0
/// Lists of models, devices, rules and synapses; SIMD level, version, memory; draws of node values.
#include "base/memory.hpp"
#include "base/shared_object.hpp"
#include "base/simd.hpp"
#include "convert.hpp"
#include "nodes/loading.hpp"
#include "rng/node_values.hpp"
#include "synapses/loading.hpp"

namespace npl::bindings {
namespace {

/// What a face says beside its defaults.
nb::dict face_of(const Face& f) {
  const Face plain;
  nb::dict d;
  const auto text = [&](const char* name, const char* Face::* member) {
    if (*(f.*member)) d[name] = f.*member;
  };
  const auto flag = [&](const char* name, bool Face::* member) {
    if (f.*member != plain.*member) d[name] = f.*member;
  };
  text("keys", &Face::keys), text("fixed_keys", &Face::fixed_keys), text("defaults", &Face::defaults);
  text("receptors", &Face::receptors), text("compartments", &Face::compartments), text("own_synapse", &Face::own_synapse);
  text("restarts", &Face::restarts), text("bad_value", &Face::bad_value);
  text("element_type", &Face::element_type), text("not_default", &Face::not_default);
  flag("archives", &Face::archives), flag("ignores", &Face::ignores), flag("silent", &Face::silent), flag("binary", &Face::binary);
  flag("second_receptor", &Face::second_receptor), flag("receptors_from_1", &Face::receptors_from_1);
  flag("no_currents", &Face::no_currents), flag("off_grid", &Face::off_grid), flag("sampled", &Face::sampled);
  flag("draws", &Face::draws), flag("scales", &Face::scales), flag("common", &Face::common), flag("one_sided", &Face::one_sided);
  return d;
}

nb::dict model_entry(const nodes::ModelInfo& m) {
  static const char* const inputs[] = {"by_sign", "single", "count", "ports"};  // of SpikeInput
  nb::dict d;
  d["name"] = m.name;
  d["doc"] = m.doc;
  d["kind"] = "neuron";
  d["receptors"] = m.receptor_names;
  d["input"] = inputs[static_cast<std::size_t>(m.input)];
  d["precise"] = m.precise;
  d["digest"] = m.digest;
  d["parameters"] = field_list(m.parameters);
  d["state"] = field_list(m.state);
  d["history"] = m.history ? m.history->what : "";
  d["current_ports"] = m.current_ports;
  nb::list sends, takes;
  if (m.continuous) {
    for (const auto& sent : m.continuous->sends) sends.append(sent.what);
    for (const auto& taken : m.continuous->takes) takes.append(taken.what);
  }
  d["sends"] = sends, d["takes"] = takes, d["spikes"] = m.spikes();
  d["face"] = face_of(m.face);
  return d;
}

nb::list model_list() {
  nb::list out;
  for (const auto* m : nodes::models()) out.append(model_entry(*m));
  return out;
}

nb::list device_list() {
  static const char* const effects[] = {"spikes", "current", "emits", "values"};  // of Effect
  nb::list out;
  for (const auto* info : devices::devices()) {
    nb::dict d;
    d["name"] = info->name;
    d["doc"] = info->doc;
    d["kind"] = "stimulator";
    d["effect"] = effects[static_cast<std::size_t>(info->effect)];
    d["parameters"] = field_list(info->parameters);
    d["recorded"] = field_list(devices::recordables(*info));
    nb::list vectors;
    for (const auto& v : info->vectors) vectors.append(nb::make_tuple(v.name, v.unit, v.doc));
    d["vectors"] = vectors;
    d["face"] = face_of(info->face);
    out.append(d);
  }
  return out;
}

/// Tuples as those of field_list(); instead of a bound the type.
nb::list param_list(const std::vector<connect::RuleParam>& parameters) {
  nb::list out;
  for (const connect::RuleParam& p : parameters) {
    nb::object init = nb::none();
    if (const auto* flag = p.init ? std::get_if<bool>(&*p.init) : nullptr) init = nb::bool_(*flag);
    if (const auto* number = p.init ? std::get_if<double>(&*p.init) : nullptr) init = nb::float_(*number);
    if (const auto* count = p.init ? std::get_if<std::int64_t>(&*p.init) : nullptr) init = nb::int_(*count);
    out.append(nb::make_tuple(p.name, p.unit, init, p.doc, connect::name_of(p.type)));
  }
  return out;
}

nb::list rule_list() {
  nb::list out;
  for (const auto* r : connect::rules()) {
    nb::dict d;
    d["name"] = r->name;
    d["doc"] = r->doc;
    d["parameters"] = param_list(r->parameters);
    d["rows"] = nb::make_tuple();
    if (!r->rows.empty()) d["rows"] = nb::make_tuple(r->rows[0], r->rows[1]);
    out.append(d);
  }
  return out;
}

nb::dict synapse_entry(const synapses::SynapseInfo& s) {
  nb::dict d;
  d["name"] = s.name;
  d["doc"] = s.doc;
  d["kind"] = "synapse";
  d["plastic"] = s.plastic;
  d["parameters"] = field_list(s.parameters);
  d["state"] = field_list(s.state);
  nb::list varied;
  for (const Field& f : s.parameters)
    if (s.may_vary(f.name)) varied.append(f.name);
  d["varied"] = varied;
  d["carries"] = s.continuous ? s.continuous->what : "";
  d["delayed"] = !s.continuous || s.continuous->delayed;
  d["digest"] = s.digest;
  d["history"] = s.history ? s.history : "";
  d["face"] = face_of(s.face);
  return d;
}

nb::list synapse_list() {
  nb::list out;
  for (const auto* s : synapses::synapses()) out.append(synapse_entry(*s));
  return out;
}

/// The neuron or synapse model that a compiled file describes. Throws BadParameter.
nb::dict load_model(const std::string& path, const std::string& digest) {
  if (const auto* model = nodes::load_model(path, digest)) return model_entry(*model);
  if (const auto* synapse = synapses::load_synapse(path, digest)) return synapse_entry(*synapse);
  throw BadParameter("path", path, compiled_model_text("it has neither a neuron nor a synapse model"));
}

bool choose_simd(const std::string& name) {
  for (Isa level : {Isa::baseline, Isa::v3, Isa::v4})
    if (isa_name(level) == name) return set_isa(level);
  throw UnknownName("SIMD level", name, {"baseline", "v3", "v4"});
}

nb::list names_of(bool (*has)(Isa)) {
  nb::list out;
  for (Isa level : {Isa::baseline, Isa::v3, Isa::v4})
    if (has(level)) out.append(std::string(isa_name(level)));
  return out;
}

/// Levels that this build compiled, and those that this machine can execute.
nb::dict simd_levels() {
  nb::dict d;
  d["build"] = names_of([](Isa level) { return has_isa(level); });
  d["machine"] = names_of([](Isa level) { return level <= machine_isa(); });
  return d;
}

}  // namespace

void bind_info(nb::module_& m) {
  m.def("models", model_list);
  m.def("model", [](const std::string& name) { return model_entry(nodes::find_model(name)); });
  m.def("load_model", load_model, "path"_a, "digest"_a);
  m.def("devices", device_list);
  m.def("rules", rule_list);
  m.def("synapses", synapse_list);
  m.def("version", [] { return NEUROPIL_VERSION; });
  m.def("simd", [] { return std::string(isa_name(isa())); });
  m.def("set_simd", choose_simd, "level"_a);
  m.def("simd_levels", simd_levels);
  m.def("available_memory", [] { return static_cast<std::int64_t>(available_memory()); });
  m.def(
      "draw_values",
      [](const nb::tuple& spec, std::uint64_t seed, std::uint64_t stream, const In<std::int64_t>& gids) {
        const rng::ValueSpec s = to_spec(spec);
        rng::check_node_values(s, "value");
        auto out = zeros_in_pages<double>(gids.shape(0));
        rng::draw_node_values(s, seed, stream, {gids.data(), gids.shape(0)}, out.data());
        return to_numpy(std::move(out));
      },
      "spec"_a, "seed"_a, "stream"_a, "gids"_a);
}

}  // namespace npl::bindings
