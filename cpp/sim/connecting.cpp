// SPDX-License-Identifier: Apache-2.0
/// connect(): checks, chooses the tables that a projection's edges go to, and keeps what is needed to draw them.
#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/fingerprint.hpp"
#include "sim/network.hpp"
#include "synapses/single.hpp"

namespace npl::sim {
namespace {

using deliver::TableSpec;
using deliver::Weights;

constexpr int most_uniform_tables = 16;  ///< per synapse model and receptor; further constants share a table with explicit weights

bool fits_float(double x) { return static_cast<double>(static_cast<float>(x)) == x; }

/// Values of the parameters of a synapse model: defaults, then what the user gave.
std::vector<double> synapse_parameters(const synapses::SynapseInfo& info, const std::vector<std::pair<std::string, double>>& given) {
  std::vector<double> values;
  std::vector<std::string> known;
  for (const Field& f : info.parameters) values.push_back(f.init), known.push_back(f.name);
  for (const auto& [name, value] : given) {
    const auto at = std::find(known.begin(), known.end(), name);
    if (at == known.end()) throw UnknownName("parameter of " + info.name, name, known);
    const auto k = static_cast<std::size_t>(at - known.begin());
    check_value(info.parameters[k], value);
    values[k] = value;
  }
  return values;
}

/// Range of the weights that a spec can give.
std::pair<double, double> weight_range(const rng::ValueSpec& w, const std::optional<rng::Sampler>& sampler) {
  if (w.kind == rng::Kind::array) {
    const auto [low, high] = std::minmax_element(w.values->begin(), w.values->end());
    return w.values->empty() ? std::pair{0.0, 0.0} : std::pair{*low, *high};
  }
  if (sampler) return {sampler->lowest(), sampler->highest()};
  return {w.a, w.a};
}

Delay delay_in_steps(double ms, double resolution, const std::string& name) {
  const double steps = std::round(ms / resolution);
  if (!std::isfinite(ms) || ms < resolution * (1 - 1e-9) || steps > 65000)
    throw BadDelay(name, ms, "from one step of the resolution (" + std::to_string(resolution) + " ms) to 65000 steps");
  return static_cast<Delay>(steps);
}

void check_array(const rng::ValueSpec& v, const std::string& name, std::int64_t wanted) {
  if (v.kind != rng::Kind::array) return;
  if (wanted < 0) throw BadParameter(name, "an array", "a number or a distribution with this connection rule");
  if (v.values->size() != static_cast<std::size_t>(wanted)) throw BadLength(name, v.values->size(), static_cast<std::size_t>(wanted));
  for (double x : *v.values)
    if (!std::isfinite(x)) throw BadParameter(name, x, "finite");
}

/// Weights and delays of a call, checked; n: length that arrays must have, -1: none are taken.
void take_values(connect::EdgeValues& p, const ConnectCall& call, std::int64_t n, double resolution) {
  check_array(call.weight, "weight", n);
  check_array(call.delay, "delay", n);
  p.weight = call.weight;
  p.delay = call.delay;
  if (p.weight.kind != rng::Kind::array && !p.weight.is_constant()) p.weights.emplace(p.weight);
  if (p.delay.kind == rng::Kind::array) {
    for (std::size_t k = 0; k < p.delay.values->size(); ++k)
      p.delay_values.push_back(delay_in_steps((*p.delay.values)[k], resolution, "delay[" + std::to_string(k) + "]"));
    if (p.delay_values.empty()) return;
    p.lowest_delay = *std::min_element(p.delay_values.begin(), p.delay_values.end());
    p.highest_delay = *std::max_element(p.delay_values.begin(), p.delay_values.end());
    return;
  }
  if (p.delay.is_constant()) {
    p.lowest_delay = p.highest_delay = delay_in_steps(p.delay.a, resolution, "delay");
    return;
  }
  p.delays.emplace(p.delay, resolution);
  p.lowest_delay = p.delays->lowest();
  p.highest_delay = p.delays->highest();
}

Weights weights_kind(const ConnectCall& call, bool plastic) {
  if (call.double_weights) return Weights::f64;
  if (call.weight.kind == rng::Kind::array)
    return std::all_of(call.weight.values->begin(), call.weight.values->end(), fits_float) ? Weights::f32 : plastic ? Weights::f32 : Weights::f64;
  if (!call.weight.is_constant() || plastic) return Weights::f32;
  return Weights::uniform;
}

/// The receptor that a user names: from 1 where one must be chosen, 0 or more where models that count spikes have others; else 0.
int checked_receptor(const nodes::ModelInfo& model, int named, bool device) {
  const int most = model.input == nodes::SpikeInput::ports ? model.receptors : model.input == nodes::SpikeInput::count ? model.receptors - 1 : 0;
  const int least = model.input == nodes::SpikeInput::ports && !device ? 1 : 0;
  if (named < least || named > most)
    throw BadParameter("receptor", named, most ? "from " + std::to_string(least) + " to " + std::to_string(most) : std::string("0 for ") + model.name);
  return model.input == nodes::SpikeInput::ports && named ? named - 1 : named;
}

/// May the two be targets (or sources) of one connect? Targets must take input alike; sources must all travel as spikes or be the same device.
bool alike(const Population& a, const Population& b, bool as_targets) {
  const auto spikes = [](const Population& p) { return p.model || p.devices[0]->info->effect == devices::Effect::emits; };
  if (as_targets && a.model && b.model) return a.model->input == b.model->input && a.model->precise == b.model->precise;
  if (!as_targets && spikes(a) && spikes(b)) return true;
  return !a.model && !b.model && a.devices[0]->info == b.devices[0]->info;
}

}  // namespace

/// All nodes must go together in one connect; returns the first population.
const Population* Network::same_kind(const connect::NodeSet& set, const char* role) const {
  if (set.size() == 0) throw BadParameter(role, "an empty collection", "at least one node");
  const Population* first = nullptr;
  for (const connect::Range& r : set.ranges()) {
    population_of(r.first, role), population_of(r.first + (r.count - 1) * r.stride, role);
    for (const auto& p : populations_) {
      if (!r.meets(p->first, p->first + p->n)) continue;
      if (!first) first = p.get();
      if (!alike(*first, *p, std::string_view(role) == "post"))
        throw IllegalConnection(std::string(role) + " mixes " + model_of(first->first) + " and " + model_of(p->first) + ": connect them one by one");
    }
  }
  return first;
}

int Network::table_for(const ConnectCall& call, const synapses::SynapseInfo& synapse, const std::vector<double>& parameters, int receptor,
                       bool counts, bool by_sign, bool precise, Weights weights) {
  const auto matches = [&](const TableSpec& s) {
    return s.synapse == &synapse && s.parameters == parameters && s.receptor == receptor && s.counts == counts && s.by_sign == by_sign && s.recorder == call.recorder &&
           s.precise == precise &&
           labels_[static_cast<std::size_t>(s.order)] == call.label;
  };
  int uniform = 0;
  for (std::size_t t = 0; t < specs_.size(); ++t) {
    if (!matches(*specs_[t])) continue;
    if (specs_[t]->weights == weights && (weights != Weights::uniform || specs_[t]->uniform == call.weight.a)) return static_cast<int>(t);
    uniform += specs_[t]->weights == Weights::uniform;
  }
  if (weights == Weights::uniform && uniform >= most_uniform_tables)
    return table_for(call, synapse, parameters, receptor, counts, by_sign, precise, fits_float(call.weight.a) ? Weights::f32 : Weights::f64);
  auto spec = std::make_unique<TableSpec>();
  *spec = {&synapse, synapse.prepare(parameters.data(), settings_.resolution), parameters, receptor, counts, weights,
           weights == Weights::uniform ? call.weight.a : 0.0, by_sign, static_cast<int>(specs_.size()), call.recorder, precise,
           synapse.earlier ? synapse.earlier(parameters.data()) : 0.0, settings_.resolution};
  if (call.recorder >= 0 && !spec->plasticity) spec->plasticity = synapses::recorded_static();
  labels_.resize(specs_.size() + 1);
  labels_.back() = call.label;
  specs_.push_back(std::move(spec));
  return static_cast<int>(specs_.size()) - 1;
}

void Network::check_synapse(const std::string& name, const std::vector<std::pair<std::string, double>>& parameters) const {
  const auto& synapse = synapses::find_synapse(name);
  synapse.prepare(synapse_parameters(synapse, parameters).data(), settings_.resolution);
}

std::int64_t Network::connect(ConnectCall call) {
  const double start = seconds_now();
  const std::int64_t number = describe(std::move(call));
  timers_["connect"] += seconds_now() - start;
  return number;
}

/// What a call adds, checked; nothing has changed yet.
struct Network::Sketch {
  std::unique_ptr<connect::Projection> p;
  const synapses::SynapseInfo* synapse;
  std::vector<double> parameters;
  double low, high;  ///< weights
  Weights kind;
  bool counts, by_sign, precise;
  int receptor;  ///< index, where the sign of the weight does not choose
};

std::int64_t Network::describe(ConnectCall call) {
  require_sources("connect");
  const bool parted = call.rule_params.own_targets && ranks() > 1;
  if (parted) count_edges(call);
  const Population* pre = same_kind(call.pre, "pre");
  const Population* post = same_kind(call.post, "post");
  if (!post->model) throw IllegalConnection("post: a " + post->devices[0]->info->name + " cannot receive spikes");
  if (!pre->model && pre->devices[0]->info->effect != devices::Effect::emits) return connect_device(call, *pre, *post);
  Sketch s;
  if (!parted) {
    s = sketch(call, *post);
  } else {
    together("connect", [&] {
      s = sketch(call, *post);
      check_own_targets(call);
    });
    unite(s, call);
  }
  return add_projection(s, call);
}

Network::Sketch Network::sketch(const ConnectCall& call, const Population& post) const {
  rng::check(call.weight, "weight");
  rng::check(call.delay, "delay");
  check_weight_recorder(call.recorder);
  const auto& synapse = synapses::find_synapse(call.synapse);
  const auto parameters = synapse_parameters(synapse, call.synapse_params);
  const bool plastic = synapse.prepare(parameters.data(), settings_.resolution) != nullptr;  // checks relations
  const nodes::SpikeInput input = post.model->input;
  const bool counts = input == nodes::SpikeInput::count, by_sign = input == nodes::SpikeInput::by_sign;
  const int receptor = checked_receptor(*post.model, call.receptor, false);
  const bool by_time = post.model->precise || (synapse.earlier && synapse.earlier(parameters.data()) > 0.0);
  if (call.recorder >= 0 && by_time) throw IllegalConnection("a weight recorder cannot note what arrives between grid points");
  if ((synapse.plastic || plastic) && post.model->precise)
    throw IllegalConnection("post: " + post.model->name + " takes spikes between grid points, which a " + synapse.name + " does not know: use static_synapse");

  auto p = std::make_unique<connect::Projection>();
  const rng::Key key = rng::Key::of(settings_.seed, rng::Purpose::connect, static_cast<std::uint64_t>(n_projections_));
  p->rule = connect::find_rule(call.rule).make({call.pre, call.post, key, call.rule_params});
  take_values(*p, call, p->rule->array_length(), settings_.resolution);
  if (synapse.earlier && synapse.earlier(parameters.data()) > 0.0 && p->lowest_delay < 2)
    throw BadDelay("delay", settings_.resolution - synapse.earlier(parameters.data()), "at least one step of the resolution");
  const auto [low, high] = weight_range(call.weight, p->weights);
  const Weights kind = weights_kind(call, synapse.plastic);
  const double largest = std::max(std::abs(low), std::abs(high));
  if (kind == Weights::f32 && largest > std::numeric_limits<float>::max())
    throw BadParameter("weight", largest, "numbers that a float32 can hold, unless double_weights are asked for");
  check_memory(p->rule->expected_edges() / ranks() * deliver::payload_per_synapse(kind, deliver::Layout::runs), "connect");
  return {std::move(p), &synapse, parameters, low, high, kind, counts, by_sign, post.model->precise, receptor};
}

/// With own targets: that all ranks call alike but for their edges, and how many edges there are.
void Network::count_edges(ConnectCall& call) const {
  agree("connect", nullptr, fingerprint_of_call(call));
  double n = static_cast<double>(call.rule_params.n_listed());
  comm_->allreduce({&n, 1}, comm::Op::sum);
  call.rule_params.edges_of_all_ranks = n;
}

void Network::check_own_targets(const ConnectCall& call) const {
  const auto& targets = call.rule_params.listed_targets();
  for (std::size_t k = 0; k < targets.size(); ++k)
    if (const Gid gid = call.post[targets[k]]; rank_of(gid) != rank())
      throw BadParameter("targets[" + std::to_string(k) + "]", "node " + std::to_string(gid) + " of rank " + std::to_string(rank_of(gid)),
                         "with own_targets, a node of rank " + std::to_string(rank()) + ", which gives the edge");
}

/// Tables and scales are the same on all ranks: they go by the edges of all of them. Ranks without edges have no say.
void Network::unite(Sketch& s, const ConnectCall& call) const {
  constexpr double none = std::numeric_limits<double>::infinity();
  const bool some = call.rule_params.n_listed() > 0;
  double least[5] = {some ? s.low : none, some ? -s.high : none, some ? static_cast<double>(s.p->lowest_delay) : none,
                     some ? -static_cast<double>(s.p->highest_delay) : none, s.kind == Weights::f64 ? -1.0 : 0.0};
  comm_->allreduce(std::span<double>(least), comm::Op::min);
  if (least[4] < 0) s.kind = Weights::f64;
  if (least[0] == none) return;
  s.low = least[0], s.high = -least[1];
  s.p->lowest_delay = static_cast<Delay>(least[2]), s.p->highest_delay = static_cast<Delay>(-least[3]);
}

std::int64_t Network::add_projection(Sketch& s, ConnectCall& call) {
  auto& p = s.p;
  const auto& synapse = *s.synapse;
  const auto& [low, high, kind, counts, by_sign, precise] = std::tie(s.low, s.high, s.kind, s.counts, s.by_sign, s.precise);
  p->largest_weight = std::max(std::abs(low), std::abs(high));
  p->table = table_for(call, synapse, s.parameters, by_sign && high < 0 ? 1 : s.receptor, counts, by_sign, precise, kind);
  if (by_sign && low < 0 && high >= 0) p->negative_table = table_for(call, synapse, s.parameters, 1, counts, by_sign, precise, kind);
  if (synapse.plastic) p->largest_weight = std::max(p->largest_weight, specs_[static_cast<std::size_t>(p->table)]->plasticity->largest_weight());
  for (int t : {p->table, p->negative_table})
    if (t >= 0 && !counts) note_largest(specs_[static_cast<std::size_t>(t)]->receptor, p->largest_weight * (synapse.plastic ? 16.0 : 1.0));
  const bool earlier = specs_[static_cast<std::size_t>(p->table)]->earlier > 0.0;
  const auto shortest = static_cast<Delay>(p->lowest_delay - earlier);
  min_delay_ = min_delay_ ? std::min(min_delay_, shortest) : shortest;
  max_delay_ = std::max(max_delay_, p->highest_delay);
  mark_connected(call.pre);
  mark_connected(call.post);
  note_call(call);
  routed_ = false;
  p->pre = std::move(call.pre);
  p->post = std::move(call.post);
  projections_.push_back(std::move(p));
  return n_projections_++;
}

void Network::mark_connected(const connect::NodeSet& set) {
  for (const connect::Range& r : set.ranges())
    for (auto& p : populations_)
      if (r.meets(p->first, p->first + p->n)) p->connected = true;
}

std::int64_t Network::connect_device(ConnectCall& call, const Population& pre, const Population& post) {
  rng::check(call.weight, "weight");
  rng::check(call.delay, "delay");
  const devices::DeviceInfo& info = *pre.devices[0]->info;
  if (!info.make_part) throw IllegalConnection("pre: a " + info.name + " sends nothing");
  const nodes::SpikeInput input = post.model->input;
  const bool counts = input == nodes::SpikeInput::count, by_sign = input == nodes::SpikeInput::by_sign;
  if (info.effect == devices::Effect::current && counts) throw IllegalConnection(post.model->name + " takes no current from a " + info.name);
  const bool pairs = call.rule == "one_to_one";
  if (!pairs && call.rule != "all_to_all") throw IllegalConnection("a " + info.name + " can be connected by all_to_all or one_to_one, not by " + call.rule);
  const std::int64_t n_pre = call.pre.size(), n_post = call.post.size();
  if (pairs && n_pre != n_post) throw BadLength("post", static_cast<std::size_t>(n_post), static_cast<std::size_t>(n_pre));
  if (call.recorder >= 0) throw IllegalConnection("weights of connections from a " + info.name + " cannot be recorded: it sends through no synapse table");
  if (call.synapse != "static_synapse") throw IllegalConnection("a " + info.name + " connects through static_synapse, not " + call.synapse);
  const int receptor = checked_receptor(*post.model, call.receptor, true);
  auto link = std::make_unique<Link>();
  take_values(link->values, call, pairs ? n_post : n_pre * n_post, settings_.resolution);
  for (std::int64_t d = 0; d < n_pre; ++d) {
    const Population& p = population_of(call.pre[d], "pre");
    link->devices.push_back(p.devices[static_cast<std::size_t>(call.pre[d] - p.first)].get());
  }
  link->pairs = pairs;
  link->key = rng::Key::of(settings_.seed, rng::Purpose::connect, static_cast<std::uint64_t>(n_projections_));
  link->receptor = by_sign ? -1 : receptor;
  link->count = counts;
  link->precise = post.model->precise;
  link->number = static_cast<std::uint64_t>(n_projections_);
  note_weights(*link);
  mark_connected(call.pre);
  mark_connected(call.post);
  note_call(call);
  link->targets = std::move(call.post);
  links_.push_back(std::move(link));
  return n_projections_++;
}

namespace {

/// Extremes of the factors by which devices multiply weights, and 0 and 1.
struct Factors {
  double low = 0.0, high = 1.0;
  void include(const devices::Device& device) {
    for (std::size_t k = 0; k < device.info->vectors.size(); ++k)
      if (device.info->vectors[k].name == std::string_view("spike_weights"))
        for (const double factor : device.history.back().vectors[k]) low = std::min(low, factor), high = std::max(high, factor);
  }
};

}  // namespace

/// The scales must hold what a link sends.
void Network::note_weights(const Link& link) {
  if (link.devices.front()->info->effect != devices::Effect::spikes || link.count) return;
  Factors factors;
  for (const devices::Device* d : link.devices) factors.include(*d);
  const double largest = std::max(-factors.low, factors.high);
  auto [low, high] = weight_range(link.values.weight, link.values.weights);
  if (factors.low < 0.0 && link.receptor < 0) {  // products of either sign: each receptor may get the largest
    const double most = std::max(std::abs(low), std::abs(high)) * largest;
    note_largest(0, most), note_largest(1, most);
    return;
  }
  low *= largest, high *= largest;
  if (link.receptor >= 0 || low < 0) note_largest(link.receptor >= 0 ? link.receptor : 1, link.receptor >= 0 ? std::max(std::abs(low), std::abs(high)) : -low);
  if (link.receptor < 0 && high >= 0) note_largest(0, high);
}

void Network::relink(std::int64_t number, const rng::ValueSpec& weight, const rng::ValueSpec& delay) {
  const auto same = [&](const auto& link) { return static_cast<std::int64_t>(link->number) == number; };
  const auto at = std::find_if(links_.begin(), links_.end(), same);
  if (at == links_.end()) throw BadParameter("number", static_cast<double>(number), "the number of a device's connections");
  Link& old = **at;
  ConnectCall call;
  call.weight = weight, call.delay = delay;
  auto link = std::make_unique<Link>(Link{old.devices, old.targets, old.pairs, {}, old.key, old.receptor, old.count, old.precise, old.number});
  const std::int64_t n = old.targets.size();
  take_values(link->values, call, old.pairs ? n : n * static_cast<std::int64_t>(old.devices.size()), settings_.resolution);
  note_weights(*link);
  if (ranks() > 1) note(fingerprint_of(std::string_view("relink"), number, weight, delay));
  if (static_cast<std::size_t>(at - links_.begin()) >= n_links_attached_) {
    *at = std::move(link);
    return;
  }
  for (auto& s : slices_) s->end_parts(old.number, step_);
  links_.erase(at), --n_links_attached_;
  links_.push_back(std::move(link));
}

/// With every value of every array: ranks that drew their own ones differ.
void Network::note_call(const ConnectCall& call) {
  if (ranks() > 1) note(fingerprint_of_call(call));
}

/// What all ranks must give alike: without the arrays of edges that are each rank's own.
std::uint64_t Network::fingerprint_of_call(const ConnectCall& call) {
  rng::ValueSpec weight = call.weight, delay = call.delay;
  if (call.rule_params.own_targets) weight.values.reset(), delay.values.reset();
  return fingerprint_of(call.pre, call.post, call.rule, call.rule_params, call.synapse, call.synapse_params, weight, delay, call.receptor, call.recorder);
}

void Network::note_largest(int receptor, double weight) {
  double& largest = largest_[static_cast<std::size_t>(receptor)];
  largest = std::max(largest, weight);
}

/// Drawn values are a function of (projection; target, device).
std::pair<double, Delay> Network::Link::value(std::int64_t d, std::int64_t k, Gid gid) const {
  const auto at = static_cast<std::size_t>(pairs ? d : k * static_cast<std::int64_t>(devices.size()) + d);
  double weight = values.weight.a;
  Delay delay = values.lowest_delay;
  if (values.weight.kind == rng::Kind::array) weight = (*values.weight.values)[at];
  if (!values.delay_values.empty()) delay = values.delay_values[at];
  if (!values.weights && !values.delays) return {weight, delay};
  const rng::Words w = rng::draw(key, static_cast<std::uint64_t>(gid), static_cast<std::uint64_t>(d));
  if (values.weights) values.weights->draw({&w[1], 1}, &weight);
  if (values.delays) values.delays->draw({&w[2], 1}, &delay);
  return {weight, delay};
}

}  // namespace npl::sim
