// SPDX-License-Identifier: Apache-2.0
/// Continuous connections in the network: which nodes they may connect, and their channels, made of the built tables.
#include "sim/fingerprint.hpp"
#include "sim/runner.hpp"

namespace npl::sim {
namespace {

bool sends(const Population& p, const char* what) {
  if (!p.model) return p.devices->info().value && std::string_view(what) == "rate";
  if (!p.model->continuous) return false;
  const auto& all = p.model->continuous->sends;
  return std::any_of(all.begin(), all.end(), [&](const nodes::Sent& s) { return std::string_view(s.what) == what; });
}

/// Number of receptors that take this value; 0: none does.
int receptors_for(const Population& p, const char* what) {
  if (p.model && p.model->continuous)
    for (const nodes::Taken& t : p.model->continuous->takes)
      if (std::string_view(t.what) == what) return t.receptors;
  return 0;
}

bool spikes(const Population& p) { return p.model ? p.model->spikes() : p.devices->info().effect != devices::Effect::values; }

}  // namespace

/// Throws IllegalConnection, BadParameter, BadDelay unless the nodes of a call send and take what the connections carry: spikes or values.
void Description::check_values_sent(const ConnectCall& call, const synapses::SynapseInfo& synapse) const {
  const auto each = [&](const connect::NodeSet& set, auto&& f) {
    for (const connect::Range& r : set.ranges()) populations_.for_each_met(r, f);
  };
  const auto refuse = [&](const Population& p, const std::string& why) {
    throw IllegalConnection(populations_.model_of(p.first) + why + ", which " + synapse.name + " transmits");
  };
  if (!synapse.continuous) {
    each(call.pre, [&](const Population& p) { return spikes(p) ? void() : refuse(p, " sends no spikes"); });
    each(call.post, [&](const Population& p) { return spikes(p) ? void() : refuse(p, " takes no spikes"); });
    return;
  }
  const char* what = synapse.continuous->what;
  each(call.pre, [&](const Population& p) {
    if (!sends(p, what)) refuse(p, std::string(" sends no ") + what);
    if (!p.model && !synapse.continuous->delayed)
      throw IllegalConnection(p.devices->info().name + " sends values by connections with a delay only, and those of " + synapse.name +
                              " have none");
  });
  each(call.post, [&](const Population& p) {
    const int receptors = std::min(receptors_for(p, what), synapse.continuous->factors ? 1 : max_receptors);
    if (receptors == 0) refuse(p, std::string(" takes no ") + what);
    if (call.receptor < 0 || call.receptor >= receptors)
      throw BadParameter("receptor", call.receptor, receptors > 1 ? "from 0 to " + std::to_string(receptors - 1) : std::string("0"));
  });
  if (call.recorder >= 0) throw IllegalConnection("weights of connections that carry no spikes cannot be recorded");
  if (!synapse.continuous->delayed && (!call.delay.is_constant() || call.delay.a != settings_.resolution))
    throw BadDelay("delay", call.delay.a, "left out, or one step of the resolution: connections of " + synapse.name + " have no delay");
}

void Runner::set_waveform(const continuous::Waveform& w) {
  if (!(w.tolerance >= 0.0)) throw BadParameter("wfr_tol", w.tolerance, "a number >= 0");
  if (!(w.interval >= settings_.resolution)) throw BadParameter("wfr_comm_interval", w.interval, "at least one step of the resolution");
  if (w.most_iterations < 1) throw BadParameter("wfr_max_iterations", w.most_iterations, "at least 1");
  if (w.order != 0 && w.order != 1 && w.order != 3) throw BadParameter("wfr_interpolation_order", w.order, "0, 1 or 3");
  note(fingerprint_of(w.used, w.tolerance, w.interval, w.most_iterations, w.order));
  waveform_ = w;
  channels_stale_ = channels_stale_ || parts_.routes.channels.any();
}

/// Throws IllegalConnection where parts would be repeated that have lists of events.
void Runner::check_waveform() const {
  if (parts_.description.specs().has_no_delay() && waveform_.used && parts_.description.precise())
    throw IllegalConnection(
        "connections without delay cannot be combined with spikes between grid points, unless waveform relaxation is off: "
        "net.relax_waveforms(False), use_wfr");
}

/// The same on all ranks, which have the same specs.
void Runner::make_channels() {
  for (auto& s : slices_) s->set_channels(nullptr, 0);  // the parts of before are gone if this fails
  std::vector<continuous::SliceView> views;
  for (const auto& s : slices_) {
    views.push_back({&s->groups(), {}});
    for (const auto& p : s->pathways())
      if (p->table().spec->continuous()) views.back().tables.push_back(&p->table());
  }
  Populations& populations = parts_.populations;
  const continuous::Surroundings nodes{[&](Gid gid) { return populations.rank_of(gid); },
                                       [&](Gid gid) { return !populations.of(gid, "pre").model; },
                                       [&](Gid gid, Step step) {
                                         const devices::Device& d = populations.device(gid, populations.of(gid, "pre"));
                                         return d.info->value(d, step);
                                       }};
  const Step part = rhythm().interval;
  continuous::Channels& channels = parts_.routes.channels;
  channels.build(parts_.description.specs().continuous_kinds(), views, nodes,
                 {parts_.description.min_delay(), parts_.description.max_delay() + part + 1, part, step_}, waveform_);
  for (std::size_t s = 0; s < slices_.size(); ++s)
    slices_[s]->set_channels(channels.any() ? channels.part(s) : nullptr, channels.iterates() ? part : 0);
  prepare_slices();
  channels_stale_ = false;
}

}  // namespace npl::sim
