// SPDX-License-Identifier: Apache-2.0
/// connect(): checks the call, selects the table specs of the edges, stores the projection for the next build.
#include <algorithm>
#include <cmath>
#include <limits>

#include "connect/listed.hpp"
#include "connect/vary.hpp"
#include "sim/edge_values.hpp"
#include "sim/fingerprint.hpp"
#include "sim/sketch.hpp"
#include "sim/slice_count.hpp"
#include "sim/varied.hpp"
#include "synapses/registry.hpp"

namespace npl::sim {
namespace {

using tables::TableSpec;
using tables::Weights;

/// @param floats float32 holds explicit weights exactly; @param codes coded weights can be stored as codes
Weights weights_kind(const ConnectCall& call, bool plastic, bool floats, bool codes) {
  if (call.double_weights) return Weights::f64;
  if (call.weight.bits && codes) return Weights::coded;
  if (call.weight.kind == rng::Kind::array) return floats || plastic ? Weights::f32 : Weights::f64;
  if (!call.weight.is_constant() || plastic) return Weights::f32;
  return Weights::uniform;
}

tables::TargetInput target_input(nodes::SpikeInput input) {
  using tables::TargetInput;
  return input == nodes::SpikeInput::count     ? TargetInput::counts
         : input == nodes::SpikeInput::by_sign ? TargetInput::by_sign
                                               : TargetInput::weights;
}

/// True when both may be targets (or sources) of one connect. Targets must take the same kind of input; sources must all send spikes
/// through tables, or be devices of one model.
bool alike(const Population& a, const Population& b, bool as_targets) {
  const auto spikes = [](const Population& p) { return p.model || p.devices->info().effect == devices::Effect::emits; };
  if (as_targets && a.model && b.model) return a.model->input == b.model->input && a.model->precise == b.model->precise;
  if (!as_targets && spikes(a) && spikes(b)) return true;
  return !a.model && !b.model && &a.devices->info() == &b.devices->info();
}

bool hears(const synapses::Plasticity* rule) { return rule && rule->hears().tau > 0.0; }

/// Throws BadParameter unless a rule that hears a transmitter is given one. @param is_one(gid): the node is a volume_transmitter
template <class IsOne>
void check_transmitter(const std::string& synapse, const synapses::Plasticity* rule, IsOne&& is_one) {
  if (!hears(rule)) return;
  const Gid gid = rule->hears().transmitter;
  if (gid == 0 || !is_one(gid))
    throw BadParameter("volume_transmitter", static_cast<double>(gid),
                       "a node of model volume_transmitter, which every " + synapse + " needs: its spikes are the third factor");
}

}  // namespace

/// The first population of a set. Throws IllegalConnection if its populations cannot be connected by one call.
const Population* Description::same_kind(const connect::NodeSet& set, const char* role) const {
  if (set.size() == 0) throw BadParameter(role, "an empty collection", "at least one node");
  const bool as_targets = std::string_view(role) == "post";
  const Population* first = nullptr;
  for (const connect::Range& r : set.ranges()) {
    populations_.of(r.first, role), populations_.of(last_gid(r), role);
    populations_.for_each_met(r, [&](const Population& p) {
      if (!first) first = &p;
      if (!alike(*first, p, as_targets))
        throw IllegalConnection(std::string(role) + " has nodes of " + populations_.model_of(first->first) + " and of " +
                                populations_.model_of(p.first) + ": connect the nodes of each model in a call of their own");
    });
  }
  return first;
}

/// Expected bytes of the synapses of a projection on this rank, without row overhead.
double Description::least_bytes(const connect::Projection& p, Weights kind) const {
  TableSpec spec;
  spec.varied.resize(p.varied.size());
  spec.weights = kind;
  return p.rule->expected_edges() / ranks() * tables::expected_bytes(spec, tables::Layout::runs, tables::Per::synapse);
}

void Description::check_synapse(const std::string& name, const std::vector<std::pair<std::string, double>>& parameters) const {
  const auto& synapse = synapses::find_synapse(name);
  synapse.rule(synapse_parameters(synapse, parameters).data(), settings_.resolution);
}

namespace {

/// Whether ranks give edges of their own, so that they must know of each other before they can describe them.
bool is_parted(const ConnectCall& call, int ranks) {
  const bool formulas = call.weight.kind == rng::Kind::formula || call.delay.kind == rng::Kind::formula;
  return (connect::lists_own_targets(call.rule_params) || formulas) && ranks > 1;
}

/// Whether this rank gives edges of the call.
bool has_edges(const connect::Projection& p, const ConnectCall& call) {
  return p.has_formula() ? p.range.edges > 0 : !connect::lists_own_targets(call.rule_params) || connect::n_listed(call.rule_params) > 0;
}

/// Whether the range of weights or delays is known. Not so where every edge has one of its own and this rank has no edge.
bool is_known(const rng::ValueSpec& values, const connect::Projection& p, const ConnectCall& call) {
  return (values.kind != rng::Kind::array && values.kind != rng::Kind::formula) || has_edges(p, call);
}

}  // namespace

Description::Kept Description::keep() const {
  return {tables_.keep(), projections_.size(),    links_.size(),   drawn_.size(), progress_.projections, min_delay_, max_delay_,
          pending_bytes_, agreement_.described(), channels_stale_, routed_,       book_.size()};
}

void Description::restore(Kept& kept) noexcept {
  while (projections_.size() > kept.projections) projections_.pop_back();
  while (links_.size() > kept.links) links_.pop_back();
  while (drawn_.size() > kept.drawn) drawn_.pop_back();
  to_list_.clear();
  tables_.restore(kept.tables), book_.restore(kept.book);
  progress_.projections = kept.number;
  min_delay_ = kept.min_delay, max_delay_ = kept.max_delay, pending_bytes_ = kept.pending_bytes;
  channels_stale_ = kept.channels_stale, routed_ = kept.routed;
  agreement_.forget(kept.described);
}

std::int64_t Description::connect(ConnectCall call) {
  const double start = seconds_now();
  const bool parted = is_parted(call, ranks());
  if (call.check_only && !parted) return describe(call);
  std::int64_t number = -1;
  Undo undo;
  const auto change = [&] {
    timers_["connect"];  // from here on it is there
    undo.note([this, kept = keep()]() mutable { restore(kept); });
    number = describe(call);
  };
  if (parted) {
    agree("connect", nullptr, fingerprint_of_call(call));
    agreement_.throughout("connect", change);
  } else {
    together("connect", change);
  }
  undo.forget();
  if (number >= 0) mark_nodes(number);
  timers_["connect"] += seconds_now() - start;
  return number;
}

/// The call of this number, the last one, is described. Allocates nothing.
void Description::mark_nodes(std::int64_t number) {
  listed_.merge(to_list_);
  to_list_.clear();
  if (!links_.empty() && links_.back()->number == static_cast<std::uint64_t>(number)) {
    populations_.mark_connected(links_.back()->devices), populations_.mark_connected(links_.back()->targets);
    return;
  }
  const connect::Projection& p = *projections_.back();
  populations_.mark_connected(p.pre), populations_.mark_connected(p.post);
  populations_.mark_tabled(p.pre);
}

std::int64_t Description::describe(ConnectCall& call) {
  require_sources("connect");
  const bool parted = is_parted(call, ranks());
  if (parted) count_edges(call);
  const Population* pre = same_kind(call.pre, "pre");
  const Population* post = same_kind(call.post, "post");
  if (!post->model) throw IllegalConnection("post: a " + post->devices->info().name + " cannot receive spikes");
  const auto& synapse = synapses::find_synapse(call.synapse);
  check_values_sent(call, synapse);
  const bool own_train = !pre->model && devices::has_own_train(pre->devices->info()) && call.synapse != "static_synapse";
  if (!pre->model && pre->devices->info().effect != devices::Effect::emits && !own_train && !synapse.continuous)
    return connect_device(call, *pre, *post);
  Sketch s = sketch(call, *post);
  if (parted) check_own_targets(call), unite(s, call);
  if (call.check_only) return check_range(s), -1;
  return add_projection(s, call);
}

/// Throws BadParameter, IllegalConnection where this model cannot be the target of these synapses.
void Description::check_partners(const synapses::SynapseInfo& synapse, const synapses::Plasticity* plasticity,
                                 const nodes::ModelInfo& post) const {
  if (hears(plasticity) && post.input == nodes::SpikeInput::by_sign) {
    const synapses::WeightBounds bounds = plasticity->weight_bounds();
    if (bounds.low < 0.0 && bounds.high > 0.0)
      throw BadParameter("Wmin", bounds.low, "of the same sign as Wmax: the sign of a weight chooses the receptor of " + post.name);
  }
  check_transmitter(synapse.name, plasticity,
                    [&](Gid gid) { return gid <= n_nodes() && populations_.model_of(gid) == std::string_view("volume_transmitter"); });
  if ((synapse.plastic || plasticity) && post.precise && !synapse.prepare_exact && !synapse.continuous)
    throw IllegalConnection("post: " + post.name + " takes spikes between grid points, which " + synapse.name + " does not support");
  if (synapse.history && (!post.history || post.history->what != std::string_view(synapse.history)))
    throw IllegalConnection("post: " + post.name + " does not record its " + synapse.history + ", which " + synapse.name + " needs");
}

/// Throws BadParameter where the network has another model of this name, which was loaded before.
void Description::refuse_another(const synapses::SynapseInfo& synapse) const {
  if (synapse.digest.empty()) return;  // no model that is loaded has the name of one that is built in
  for (const auto& spec : specs_)
    if (spec->synapse->name == synapse.name && spec->synapse->digest != synapse.digest)
      throw BadParameter("synapse", synapse.name, "the model that this network has by that name; another one was loaded since");
}

std::map<std::string, std::string> Description::loaded_synapses() const {
  std::map<std::string, std::string> digests;
  for (const auto& spec : specs_)
    if (!spec->synapse->digest.empty()) digests[spec->synapse->name] = spec->synapse->digest;
  return digests;
}

Description::Sketch Description::sketch(const ConnectCall& call, const Population& post) const {
  samplers_.check_weight(call.weight);
  samplers_.check_delay(call.delay, settings_.resolution);
  recorders_.check_weight_recorder(call.recorder);
  const auto& synapse = synapses::find_synapse(call.synapse);
  refuse_another(synapse);
  const bool varies = !call.varied_params.empty();
  const auto parameters = synapse_parameters(synapse, call.synapse_params);
  const auto plasticity = varies ? nullptr : synapse.rule(parameters.data(), settings_.resolution);  // checks relations
  check_partners(synapse, plasticity.get(), *post.model);
  const double sub_step = synapse.sub_step_delay ? synapse.sub_step_delay(parameters.data()) : 0.0;
  const int receptor = synapse.continuous ? call.receptor : checked_receptor(*post.model, call.receptor, false);
  auto p = std::make_unique<connect::Projection>();
  const rng::Key key = rng::Key::of(settings_.seed, rng::Purpose::connect, static_cast<std::uint64_t>(progress_.projections));
  p->rule = connect::find_rule(call.rule).make({call.pre, call.post, key, call.rule_params, call.edges_of_all_ranks});
  take_values(*p, call, p->rule->array_length(), settings_.resolution, samplers_);
  p->delay.values.reset();  // the steps stand for them, in half the memory
  if (p->has_formula()) take_formulas(*p, call);
  const bool delays_known = is_known(call.delay, *p, call), weights_known = is_known(call.weight, *p, call);
  if (delays_known && sub_step > 0.0 && p->lowest_delay < 2)
    throw BadDelay("delay", settings_.resolution - sub_step, "at least one step of the resolution");
  const auto [low, high] = weight_range(*p);
  if (plasticity && weights_known && (settings_.strict_weights || !call.weight.is_drawn()))
    check_plastic_weights(plasticity->weight_bounds(), low, high, settings_.strict_weights, !p->weight.is_constant());
  Varied varied;
  if (varies) {
    varied = check_varied(call, synapse, *p, settings_, samplers_, weights_known);
  } else {
    varied.parameters = parameters, varied.never_positive = plasticity && plasticity->weight_bounds().high == 0.0;
    varied.largest_weight = plasticity ? plasticity->largest_weight() : 0.0;
  }
  if (delays_known) check_axonal(synapse, *p, varied, settings_.resolution);
  p->varied = std::move(varied.values);
  p->varied_key = rng::Key::of(settings_.seed, rng::Purpose::parameter, static_cast<std::uint64_t>(progress_.projections));
  const bool codes = call.weight.bits && !synapse.plastic && !plasticity && tables_.book->fits(p->weights->book());
  Weights kind = weights_kind(call, synapse.plastic, p->given_weights.floats, codes && !synapse.continuous);
  if (synapse.continuous && kind != Weights::uniform) kind = Weights::f64;
  const double largest = std::max(std::abs(low), std::abs(high));
  if (kind != Weights::f64 && kind != Weights::uniform && largest > std::numeric_limits<float>::max())
    throw BadParameter("weight", largest, "numbers in the range of float32 (3.4e38), or connected with double_weights");
  check_memory(least_bytes(*p, kind), "connect");
  hold_floats(*p);
  return {std::move(p),
          &synapse,
          varied.parameters,
          varied.indices,
          varied.largest_weight,
          low,
          high,
          kind,
          synapse.continuous ? tables::TargetInput::values : target_input(post.model->input),
          post.model->precise && !synapse.continuous,
          receptor,
          varied.never_positive};
}

/// own_targets: sums the number of edges over all ranks; their calls differ only in the edges. Formulas: agrees on the call.
void Description::count_edges(ConnectCall& call) const {
  if (!connect::lists_own_targets(call.rule_params)) return;
  double n = static_cast<double>(connect::n_listed(call.rule_params));
  comm_->allreduce({&n, 1}, comm::Op::sum);
  call.edges_of_all_ranks = n;
}

void Description::check_own_targets(const ConnectCall& call) const {
  if (!connect::lists_own_targets(call.rule_params)) return;
  const auto& targets = connect::listed_targets(call.rule_params);
  for (std::size_t k = 0; k < targets.size(); ++k)
    if (const Gid gid = call.post[targets[k]]; populations_.rank_of(gid) != rank())
      throw BadParameter("targets[" + std::to_string(k) + "]",
                         "node " + std::to_string(gid) + " of rank " + std::to_string(populations_.rank_of(gid)),
                         "with own_targets, a node of rank " + std::to_string(rank()) + ", which gives the edge");
}

/// own_targets: the common range of weights and delays of all ranks with edges, because table specs and scales must be the same on all
/// ranks.
void Description::unite(Sketch& s, const ConnectCall& call) const {
  constexpr double none = std::numeric_limits<double>::infinity();
  const bool some = has_edges(*s.p, call);
  double least[] = {some ? s.low : none,
                    some ? -s.high : none,
                    some ? static_cast<double>(s.p->lowest_delay) : none,
                    some ? -static_cast<double>(s.p->highest_delay) : none,
                    s.kind == Weights::f64 ? -1.0 : 0.0,
                    -s.largest_allowed,
                    some && !s.never_positive ? 0.0 : 1.0};
  comm_->allreduce(std::span<double>(least), comm::Op::min);
  if (least[4] < 0) s.kind = Weights::f64;
  s.largest_allowed = -least[5];
  if (least[0] == none) return;
  s.low = least[0], s.high = -least[1], s.never_positive = least[6] > 0.0;
  s.p->lowest_delay = static_cast<Delay>(least[2]), s.p->highest_delay = static_cast<Delay>(-least[3]);
}

/// Throws BadParameter when the weights do not fit into one scale with those that the receptors know, or when there are too many
/// projections with parameters per synapse for one build, whose keys count them.
void Description::check_range(const Sketch& s) const {
  if (!s.varied.empty() && projections_.size() >= connect::most_projections)
    throw BadParameter("projections", static_cast<double>(projections_.size() + 1),
                       "at most " + std::to_string(connect::most_projections) +
                           " before a build, when synapses differ in their parameters: run, build or query between");
  if (s.input == tables::TargetInput::counts || s.input == tables::TargetInput::values) return;
  tables_.of(s.inhibits() ? 1 : s.receptor).check(s.largest(), s.margin());
  if (s.has_both_signs()) tables_.of(1).check(s.largest(), s.margin());
}

std::int64_t Description::add_projection(Sketch& s, ConnectCall& call) {
  check_range(s);
  populations_.make_room_for_marks(call.pre);
  auto& p = s.p;
  TableSpec spec;
  spec.synapse = s.synapse, spec.parameters = s.parameters, spec.varied = s.varied, spec.input = s.input, spec.weights = s.kind;
  spec.recorder = call.recorder, spec.off_grid = s.off_grid, spec.resolution = settings_.resolution;
  spec.uniform = s.kind == Weights::uniform ? call.weight.a : 0.0;
  spec.receptor = s.inhibits() ? 1 : s.receptor;
  if (s.kind == Weights::coded) spec.book = tables_.book, p->first_code = tables_.book->add(p->weights->book());
  p->largest_weight = s.largest();
  const int layer = layer_of(call, spec, *p);
  p->table = tables_.table_for(spec, call.label, layer);
  if (s.has_both_signs()) spec.receptor = 1, p->negative_table = tables_.table_for(spec, call.label, layer);
  const TableSpec& made = *specs_[static_cast<std::size_t>(p->table)];
  for (int t : {p->table, p->negative_table})
    if (t >= 0 && made.scaled()) {
      WeightRange& range = tables_.of(specs_[static_cast<std::size_t>(t)]->receptor);
      range.note(p->largest_weight, s.margin());
      if (s.largest_allowed > 0.0) range.note_bound(s.largest_allowed);
    }
  channels_stale_ = channels_stale_ || made.continuous();
  if (!made.continuous() || made.synapse->continuous->delayed)
    note_delays(static_cast<Delay>(p->lowest_delay - (made.sub_step_delay > 0.0)), p->highest_delay);
  note_call(call);
  routed_ = false;
  keep_call(*p, call);
  p->pre = std::move(call.pre);
  p->post = std::move(call.post);
  pending_bytes_ += least_bytes(*p, s.kind);
  projections_.push_back(std::move(p));
  return progress_.projections++;
}

/// The layer of the tables of a call. @param spec of one of them
int Description::layer_of(const ConnectCall& call, const TableSpec& spec, const connect::Projection& made) {
  const ProjectionIdentity& id = call.identity;
  if (!id.kept) return 0;
  if (id.first >= 0) return book_.at(id.first).layer;
  const bool all = id.sources.size() == 0 || id.targets.size() == 0;
  const auto &sources = all ? call.pre : id.sources, &targets = all ? call.post : id.targets;
  ProjectionEntry entry{progress_.projections, ProjectionKind::of(spec, call.label), 0, sources, targets, all && call.rule == "one_to_one"};
  if (all && made.lowest_delay == made.highest_delay) entry.delay = made.lowest_delay;
  if (all && spec.weights == Weights::uniform) entry.weight = spec.uniform;
  return book_.add(std::move(entry), id.one_of_many ? ProjectionBook::most_of_many : ProjectionBook::most_layers);
}

/// The fingerprint covers all values of arrays, so that ranks with different arrays are detected.
void Description::note_call(const ConnectCall& call) {
  if (ranks() > 1) note(fingerprint_of_call(call));
}

/// Fingerprint of the arguments that must be the same on all ranks; excludes the arrays of own_targets, which differ by rank. Allocates
/// nothing.
std::uint64_t Description::fingerprint_of_call(const ConnectCall& call) {
  Fingerprint f(fingerprint_of(call.pre, call.post, call.rule, call.synapse, call.synapse_params, call.receptor, call.recorder));
  f.add(synapses::digest_of(call.synapse)).add(connect::find_rule(call.rule), call.rule_params);
  const bool arrays = !connect::lists_own_targets(call.rule_params);
  for (const auto& [name, spec] : call.varied_params) f.add(std::string_view(name)).add(spec, arrays);
  return f.add(call.weight, arrays).add(call.delay, arrays).value();
}

double Description::expected_edges() const {
  double expected = 0;
  for (const auto& p : projections_) expected += p->rule->expected_edges();
  return expected;
}

Work Description::input_work(double built) const {
  Work all{.interval = static_cast<double>(std::max<Delay>(min_delay_, 1))};
  for (const auto& l : links_) all += work_of_devices(static_cast<double>(l->devices.size()), static_cast<double>(l->n_edges()));
  for (const auto& p : projections_) all.shared += p->rule->expected_edges() * work_of_synapse(*specs_[static_cast<std::size_t>(p->table)]);
  double most = 0;
  for (const auto& s : specs_) most = std::max(most, work_of_synapse(*s));
  return all += {built * most};
}

bool Description::precise() const {
  return populations_.precise() || std::any_of(specs_.begin(), specs_.end(), [](const auto& s) { return s->keeps_offsets(); });
}

}  // namespace npl::sim
