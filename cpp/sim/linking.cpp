// SPDX-License-Identifier: Apache-2.0
/// Device links: checks, weights and delays, and the parts of devices in slices.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "comm/collect.hpp"
#include "connect/listed.hpp"
#include "sim/edge_values.hpp"
#include "sim/fingerprint.hpp"

namespace npl::sim {

namespace {

/// The edges that a call lists. Throws BadParameter, BadLength.
std::shared_ptr<const connect::EdgeList> checked_list(const ConnectCall& call) {
  const connect::RuleParams& p = call.rule_params;
  connect::find_rule(call.rule).make({call.pre, call.post, {}, p});  // checks positions
  std::shared_ptr<const connect::EdgeList> list;
  connect::list_of(p) ? list = p.edges("list") : list = connect::ascending_edges(p.positions("sources"), p.positions("targets"));
  bool ascends = list != nullptr;
  for (std::size_t k = 0; ascends && k < list->target.size(); ++k) {
    const auto first = list->source.begin() + static_cast<std::ptrdiff_t>(list->begin[k]);
    const auto last = list->source.begin() + static_cast<std::ptrdiff_t>(list->begin[k + 1]);
    ascends = std::adjacent_find(first, last, std::greater_equal<>()) == last;
  }
  if (!ascends) throw BadParameter("sources", "edges in another order", "edges of devices by target, then by source, each once");
  return list;
}

}  // namespace

std::int64_t Description::connect_device(ConnectCall& call, const Population& pre, const Population& post) {
  samplers_.check_weight(call.weight);
  samplers_.check_delay(call.delay, settings_.resolution);
  const devices::DeviceInfo& info = pre.devices->info();
  if (!info.make_part) throw IllegalConnection("pre: a " + info.name + " sends nothing");
  if (call.synapse != "static_synapse")
    throw IllegalConnection(
        "a " + info.name + " connects through static_synapse, not " + call.synapse +
        (info.effect == devices::Effect::current ? ": a current has no spikes" : ": its spikes have weights of their own"));
  const nodes::SpikeInput input = post.model->input;
  const bool counts = input == nodes::SpikeInput::count, by_sign = input == nodes::SpikeInput::by_sign;
  if (info.effect == devices::Effect::current && (counts || post.model->current_ports == 0))
    throw IllegalConnection(post.model->name + " takes no current from a " + info.name);
  const bool pairs = call.rule == "one_to_one", listed = connect::lists_own_targets(call.rule_params);
  if (!pairs && !listed && call.rule != "all_to_all")
    throw IllegalConnection("a " + info.name + " can be connected through static_synapse by all_to_all or one_to_one, not by " + call.rule);
  const std::int64_t n_pre = call.pre.size(), n_post = call.post.size();
  if (pairs && n_pre != n_post)
    throw BadLength("post", static_cast<std::size_t>(n_post), static_cast<std::size_t>(n_pre), "the number of nodes in pre");
  if (call.recorder >= 0)
    throw IllegalConnection("weights of connections from a " + info.name + " cannot be recorded: it sends through no synapse table");
  const bool current = info.effect == devices::Effect::current;
  const int receptor = current && post.model->current_ports > 1 ? checked_current_port(*post.model, call.receptor)
                                                                : checked_receptor(*post.model, call.receptor, true);
  if (call.weight.kind == rng::Kind::formula || call.delay.kind == rng::Kind::formula)
    throw BadParameter("weight", "a formula", "a number, a distribution or an array with connections from a " + info.name);
  auto link = std::make_unique<DeviceLink>();
  if (listed) link->listed = checked_list(call), check_own_targets(call);
  const std::int64_t n_own = listed ? static_cast<std::int64_t>(link->listed->size()) : pairs ? n_post : n_pre * n_post;
  take_values(link->values, call, n_own, settings_.resolution, samplers_);
  if (listed) link->n_listed = ranks() > 1 ? static_cast<std::int64_t>(call.edges_of_all_ranks) : n_own, unite(*link);
  link->info = &info, link->devices = call.pre;
  link->pairs = pairs;
  link->key = rng::Key::of(settings_.seed, rng::Purpose::connect, static_cast<std::uint64_t>(progress_.projections));
  link->receptor = by_sign ? -1 : current && post.model->current_ports == 1 ? 0 : receptor;
  link->count = counts;
  link->precise = post.model->precise;
  link->at_once = current && post.model->currents_at_once;
  link->number = static_cast<std::uint64_t>(progress_.projections);
  link->projection = call.identity.first >= 0 ? call.identity.first : progress_.projections;
  if (call.check_only) return check_weights(*link), -1;
  note_weights(*link);
  note_call(call);
  link->targets = std::move(call.post);
  links_.push_back(std::move(link));
  return progress_.projections++;
}

namespace {

/// Range of the factors by which devices multiply weights, including 0 and 1.
struct Factors {
  double low = 0.0, high = 1.0;
  void include(const devices::Device& device) {
    for (std::size_t k = 0; k < device.info->vectors.size(); ++k)
      if (device.info->vectors[k].name == std::string_view("spike_weights"))
        for (const double factor : device.history.back().vectors[k]) low = std::min(low, factor), high = std::max(high, factor);
  }
};

}  // namespace

/// Largest weights that a link sends to the receptors 0 and 1 (by sign of the weight) or to its own one; 0: none.
Largest Description::sent_by(const DeviceLink& link) const {
  Largest sent(static_cast<std::size_t>(std::max(2, link.receptor + 1)));
  if (link.info->effect != devices::Effect::spikes || link.count) return sent;
  Factors factors;
  for (const connect::Range& r : link.devices.ranges())
    populations_.for_each_met(
        r, [&](const Population& p) { p.devices->for_kept(r.first, last_gid(r), [&](const devices::Device& d) { factors.include(d); }); });
  const double largest = std::max(-factors.low, factors.high);
  auto [low, high] = weight_range(link.values);
  const double most = std::max(std::abs(low), std::abs(high)) * largest;
  if (link.receptor >= 0)
    sent[static_cast<std::size_t>(link.receptor)] = most;
  else if (factors.low < 0.0)  // products of either sign: each receptor may get the largest
    sent[0] = sent[1] = most;
  else
    sent[0] = std::max(high, 0.0) * largest, sent[1] = std::max(-low, 0.0) * largest;
  return sent;
}

/// Throws BadParameter when the weights of a link do not fit into one scale with those that the receptors know.
void Description::check_weights(const DeviceLink& link) const {
  const auto sent = sent_by(link);
  for (std::size_t r = 0; r < sent.size(); ++r)
    if (sent[r] > 0.0) tables_.of(static_cast<int>(r)).check(sent[r]);
}

/// Updates the bound of weights with those of a link, for the fixed-point scales. Throws as check_weights(); nothing has changed then.
void Description::note_weights(const DeviceLink& link) {
  check_weights(link);
  const auto sent = sent_by(link);
  for (std::size_t r = 0; r < sent.size(); ++r)
    if (sent[r] > 0.0) tables_.of(static_cast<int>(r)).note(sent[r]);
}

std::vector<std::unique_ptr<DeviceLink>>::iterator Description::link_of(std::int64_t number) {
  return std::find_if(links_.begin(), links_.end(), [&](const auto& link) { return static_cast<std::int64_t>(link->number) == number; });
}

/// The common range of the weights and delays of listed edges: scales must be the same on all ranks. Collective.
void Description::unite(DeviceLink& link) const {
  constexpr double none = std::numeric_limits<double>::infinity();
  connect::EdgeValues& v = link.values;
  const bool some = link.listed->size() > 0;
  const auto [low, high] = weight_range(v);
  double least[] = {some ? low : none, some ? -high : none, some ? static_cast<double>(v.lowest_delay) : none,
                    some ? -static_cast<double>(v.highest_delay) : none};
  if (ranks() > 1) comm_->allreduce(std::span<double>(least), comm::Op::min);
  if (least[0] == none) return;
  v.given_weights.low = least[0], v.given_weights.high = -least[1];
  v.lowest_delay = static_cast<Delay>(least[2]), v.highest_delay = static_cast<Delay>(-least[3]);
}

/// A link with other values: arrays as relink() takes them. Changes nothing.
std::unique_ptr<DeviceLink> Description::relinked(const DeviceLink& old, const rng::ValueSpec& weight, const rng::ValueSpec& delay) const {
  ConnectCall call;
  call.weight = weight, call.delay = delay;
  auto link = std::make_unique<DeviceLink>(old);
  link->values = {};
  take_values(link->values, call, old.n_edges(), settings_.resolution, samplers_);
  return link;
}

void Description::relink(std::int64_t number, const rng::ValueSpec& weight, const rng::ValueSpec& delay, bool check_only) {
  std::unique_ptr<DeviceLink> link;
  const auto check = [&] {
    const auto at = link_of(number);
    if (at == links_.end()) throw BadParameter("number", static_cast<double>(number), "the number of a device's connections");
    link = relinked(**at, weight, delay);
  };
  if (check_only) return check();
  Undo undo;
  const std::uint64_t arguments = ranks() > 1 ? fingerprint_of(std::string_view("relink"), number, weight, delay) : 0;
  const auto change = [&] {
    undo.note([this, kept = keep()]() mutable { restore(kept); });
    note_weights(*link);
  };
  together("relink", [&] { check(), change(); }, arguments);
  if (link->listed) agreement_.throughout("relink", [&] { keep_own(*link); });
  undo.forget();
  if (ranks() > 1) note(arguments);
  replace(std::move(link));
}

/// Allocates nothing.
void Description::replace(std::unique_ptr<DeviceLink> link) noexcept {
  const auto at = link_of(static_cast<std::int64_t>(link->number));
  if (static_cast<std::size_t>(at - links_.begin()) >= n_links_attached_) {
    *at = std::move(link);
    return;
  }
  for (auto& s : slices_) s->end_parts(link->number, step_);
  std::rotate(at, at + 1, links_.end());
  links_.back() = std::move(link);
  --n_links_attached_;
}

void Description::note_factors(const std::vector<Gid>& devices, const Values& arrays, Undo& undo) {
  if (std::none_of(arrays.begin(), arrays.end(), [](const auto& a) { return a.first == "spike_weights"; })) return;
  undo.note([this, kept = tables_.keep()]() mutable { tables_.restore(kept); });
  for (const auto& link : links_)
    if (std::any_of(devices.begin(), devices.end(), [&](Gid gid) { return link->devices.position(gid) >= 0; })) note_weights(*link);
}

/// Drawn values are a function of (projection; target, device).
std::pair<double, Delay> DeviceLink::value(std::int64_t d, Gid target, std::int64_t at) const {
  const auto place = static_cast<std::size_t>(at);
  double weight = values.weight.a;
  Delay delay = values.lowest_delay;
  if (values.weight.kind == rng::Kind::array) weight = (*values.weight.values)[place];
  if (!values.delay_values.empty()) delay = values.delay_values[place];
  if (!values.weights && !values.delays) return {weight, delay};
  const rng::Words w = rng::draw(key, static_cast<std::uint64_t>(target), static_cast<std::uint64_t>(d));
  if (values.weights) values.weights->draw({&w[1], 1}, &weight);
  if (values.delays) values.delays->draw({&w[2], 1}, &delay);
  return {weight, delay};
}

/// One connection of a device.
struct Description::Drive {
  Gid source, target;
  std::int64_t call, index, delay;
  double weight;
};

std::vector<Description::Drive> Description::own_drives(std::int64_t projection) const {
  std::vector<Drive> all;
  for (const auto& link : links_) {
    if (link->projection != projection) continue;
    for (const auto& slice : slices_)
      link->for_each_in(slice->nodes(), [&](std::int64_t d, Gid target, Local, std::int64_t at) {
        const auto [weight, delay] = link->value(d, target, at);
        all.push_back({link->devices[d], target, static_cast<std::int64_t>(link->number), at, delay, weight});
      });
  }
  return all;
}

/// By source, target and call. Indices of listed edges are those on their rank.
std::vector<Description::Drive> Description::sorted_drives(std::int64_t projection, bool gather) const {
  std::vector<Drive> all = own_drives(projection);
  if (gather && ranks() > 1) all = comm::gather(*comm_, all);
  std::sort(all.begin(), all.end(), [](const Drive& a, const Drive& b) {
    return std::tie(a.source, a.target, a.call, a.index) < std::tie(b.source, b.target, b.call, b.index);
  });
  return all;
}

DriveColumns Description::drives(std::int64_t projection, bool gather) const {
  if (gather) agree("drives", nullptr, fingerprint_of(projection));
  std::map<std::int64_t, std::int64_t> next;  // index, of each call whose edges are listed
  for (const auto& link : links_)
    if (link->listed) next[static_cast<std::int64_t>(link->number)] = 0;
  DriveColumns c;
  for (const Drive& d : sorted_drives(projection, gather)) {
    c.source.push_back(d.source), c.target.push_back(d.target), c.weight.push_back(d.weight), c.delay.push_back(d.delay);
    const auto listed = next.find(d.call);
    c.call.push_back(d.call), c.index.push_back(listed == next.end() ? d.index : listed->second++);
  }
  return c;
}

/// Of arrays that relink() was given, keeps the values of the listed edges of this rank. Collective.
void Description::keep_own(DeviceLink& link) const {
  connect::EdgeValues& v = link.values;
  const bool weights = v.weight.kind == rng::Kind::array, delays = !v.delay_values.empty();
  if (!weights && !delays) return;
  std::vector<double> own_weights(weights ? link.listed->size() : 0);
  std::vector<Delay> own_delays(delays ? link.listed->size() : 0);
  std::size_t given = 0;
  for (const Drive& d : sorted_drives(link.projection, true)) {
    if (d.call != static_cast<std::int64_t>(link.number)) continue;
    const auto at = static_cast<std::size_t>(d.index);
    const bool own = populations_.rank_of(d.target) == rank();
    if (own && weights) own_weights[at] = (*v.weight.values)[given];
    if (own && delays) own_delays[at] = v.delay_values[given];
    ++given;
  }
  if (weights) v.weight.values = std::make_shared<const std::vector<double>>(std::move(own_weights));
  v.delay_values = std::move(own_delays), v.delay.values.reset();
}

void Description::list_attached() {
  std::map<std::uint64_t, std::vector<Drive>> all;  // by link; source, target: positions
  for (const auto& link : links_)
    if (link->n_listed >= 0) all[link->number];
  for (const auto& slice : slices_)
    for (const AttachedPart& p : slice->parts()) {
      const auto found = p.until == INT64_MAX ? all.find(p.link) : all.end();
      if (found == all.end()) continue;
      const DeviceLink& link = **link_of(static_cast<std::int64_t>(p.link));
      const devices::Targets& t = p.part->targets();
      for (std::size_t k = 0; k < t.local.size(); ++k)
        found->second.push_back({link.devices.position(p.device), link.targets.position(slice->nodes().gid(t.local[k])), 0, 0,
                                 t.delay + link.at_once, t.weight[t.weight.size() == 1 ? 0 : k]});
    }
  for (auto& [number, edges] : all) relist(**link_of(static_cast<std::int64_t>(number)), edges);
}

void Description::relist(DeviceLink& link, std::vector<Drive>& edges) {
  const auto place = [](const Drive& d) { return std::pair(d.target, d.source); };
  std::sort(edges.begin(), edges.end(), [&](const Drive& a, const Drive& b) { return place(a) < place(b); });
  // Where the sign of a product chooses the receptor, two parts have the same edges.
  edges.erase(std::unique(edges.begin(), edges.end(), [&](const Drive& a, const Drive& b) { return place(a) == place(b); }), edges.end());
  auto list = std::make_shared<connect::EdgeList>();
  std::vector<double> weights;
  for (const Drive& d : edges) {
    list->add(d.target, d.source);
    if (link.values.weight.kind == rng::Kind::array) weights.push_back(d.weight);
    if (link.values.delay.kind == rng::Kind::array) link.values.delay_values.push_back(static_cast<Delay>(d.delay));
  }
  link.listed = std::move(list), link.values.weight.values = std::make_shared<const std::vector<double>>(std::move(weights));
}

namespace {

/// Targets of a device in a slice, by receptor and delay.
using LocalTargets = std::map<std::pair<int, Delay>, devices::Targets>;

/// @param d index of the device @param at of the edge, in arrays of values
void add_target(LocalTargets& to, const DeviceLink& link, std::int64_t d, std::int64_t at, Gid gid, Local local) {
  const bool current = link.info->effect == devices::Effect::current;
  const bool one_weight = link.values.weight.is_constant() && link.values.weight.kind != rng::Kind::array;
  const auto [weight, delay] = link.value(d, gid, at);
  devices::Targets& t = to[{current ? std::max(0, link.receptor) : link.receptor >= 0 ? link.receptor : weight < 0 ? 1 : 0, delay}];
  t.local.push_back(local);
  t.gid.push_back(gid);
  if (!one_weight || t.weight.empty()) t.weight.push_back(weight);
}

}  // namespace

/// Makes the parts of the devices of a link that have targets in a slice, in order of the devices; no others become objects (law 3).
void Description::attach_link(Slice& slice, const DeviceLink& link, std::uint64_t turn) const {
  if (link.pairs || link.listed) {
    std::vector<std::tuple<std::int64_t, std::int64_t, Gid, Local>> here;
    link.for_each_in(slice.nodes(), [&](std::int64_t d, Gid gid, Local local, std::int64_t at) { here.emplace_back(d, at, gid, local); });
    std::sort(here.begin(), here.end());
    for (auto it = here.begin(); it != here.end();) {
      LocalTargets targets;
      const std::int64_t device = std::get<0>(*it);
      for (; it != here.end() && std::get<0>(*it) == device; ++it) {
        const auto [d, at, gid, local] = *it;
        add_target(targets, link, d, at, gid, local);
      }
      attach_device(slice, link, device, targets, turn);
    }
    return;
  }
  if (link.targets.count_in(slice.nodes()) == 0) return;
  for (std::int64_t d = 0; d < link.devices.size(); ++d) {
    LocalTargets targets;
    link.targets.for_each_in(slice.nodes(), [&](std::int64_t k, Gid gid, Local local) {
      add_target(targets, link, d, k * link.devices.size() + d, gid, local);
    });
    attach_device(slice, link, d, targets, turn);
  }
}

/// @param turn of the first device of the link
void Description::attach_device(Slice& slice, const DeviceLink& link, std::int64_t d, std::map<std::pair<int, Delay>, devices::Targets>& of,
                                std::uint64_t turn) const {
  const Gid gid = link.devices[d];
  const devices::Device& device = populations_.device(gid, populations_.of(gid, "pre"));
  const bool current = link.info->effect == devices::Effect::current;
  for (auto& [place, targets] : of) {
    const auto key = place;  // not a structured binding, which clang 14 cannot capture
    targets.local.shrink_to_fit(), targets.gid.shrink_to_fit(), targets.weight.shrink_to_fit();
    targets.delay = static_cast<Delay>(key.second - link.at_once);
    targets.since = step_;
    targets.count = link.count;
    targets.precise = link.precise;
    targets.by_sign = link.receptor < 0;
    targets.link = link.number;
    targets.seed = settings_.seed;
    const auto add = [&](devices::Targets t, int receptor) {
      t.receptor = receptor;
      slice.add_part({link.info->make_part(device, std::move(t)), receptor, current, link.number,
                      key.second - link.at_once + (current ? 1 : 0), gid, turn + static_cast<std::uint64_t>(d)});
    };
    if (targets.by_sign && link.info->signed_factors) add(targets, 1 - key.first);  // for products whose factor is negative
    add(std::move(targets), key.first);
  }
}

void Description::attach_links() {
  if (n_links_attached_ == links_.size()) return;
  team_.run([&](int thread) {
    for_own_slices(thread, [&](Slice& slice) {
      std::uint64_t turn = turns_;
      for (std::size_t k = n_links_attached_; k < links_.size(); turn += static_cast<std::uint64_t>(links_[k++]->devices.size()))
        attach_link(slice, *links_[k], turn);
    });
  });
  for (std::size_t k = n_links_attached_; k < links_.size(); ++k) turns_ += static_cast<std::uint64_t>(links_[k]->devices.size());
  n_links_attached_ = links_.size();
}

}  // namespace npl::sim
