// SPDX-License-Identifier: Apache-2.0
/// Synapses leave a slice; what they have sent before still arrives.
#include <algorithm>
#include <utility>

#include "sim/slice.hpp"

namespace npl::sim {
namespace {

/// A spike reaches one plastic synapse before its time, as all that its change depends on is known. Returns its input. [unit of the weight]
/// @param sums [nodes] zeros, and zeros again afterwards
double bring(Deliverer& d, const deliver::Owed& o, const FixedScale& scale, double* largest, std::vector<Fixed>& sums) {
  deliver::EdgeTable& t = *d.table;
  const bool doubles = t.spec->weights == deliver::Weights::f64;
  const auto delay = static_cast<Delay>(o.due + 1 - o.stamp);
  synapses::PlasticRun run{1, &t.target[o.synapse], nullptr, o.stamp, {o.before.last, o.before.value[0]}, delay, d.post, sums.data(), scale.to_fixed, largest, t.spec->counts};
  if (auto* single = d.agenda.single()) {
    single->bring(t, o, run);
  } else {
    run.weight = doubles ? static_cast<void*>(&t.weight64[o.synapse]) : &t.weight32[o.synapse];
    t.spec->plasticity->process(run, doubles);
  }
  return fixed_to_double(std::exchange(sums[t.target[o.synapse]], 0)) * scale.to_double;
}

}  // namespace

std::vector<deliver::Owed> Slice::settle(std::size_t table, const std::vector<char>& out, Step sent, Step now) {
  Deliverer& d = deliverers_[table];
  const deliver::TableSpec& spec = *d.table->spec;
  const auto r = static_cast<std::size_t>(spec.receptor);
  std::vector<Fixed> sums(spec.plasticity ? nodes_.size() : 0);
  std::vector<deliver::Owed> since;
  for (const deliver::Owed& o : d.agenda.owed(*d.table, out, now)) {
    if (o.stamp > sent) {
      since.push_back(o);
      continue;
    }
    const double value = spec.plasticity ? bring(d, o, scales_[r], &largest_[r], sums) : d.table->weight(o.synapse);
    if (spec.plasticity && spec.counts && value == 0.0) continue;  // it sent nothing
    late_.push_back({o.due, d.table->target[o.synapse], spec.receptor, spec.counts, value, spec.precise, o.offset});
  }
  std::stable_sort(late_.begin(), late_.end(), [](const Late& a, const Late& b) { return a.due > b.due; });
  return since;
}

void Slice::erase(std::size_t table, const std::vector<char>& out, Step now) {
  Deliverer& d = deliverers_[table];
  deliver::Remainder left = deliver::without(*d.table, out);
  d.agenda.move(*d.table, left, now);
  d.table = std::move(left.table);
}

void Slice::drop_empty_tables() {
  std::erase_if(deliverers_, [](const Deliverer& d) {
    return d.table->n_synapses() == 0 && (!d.agenda.single() || d.agenda.single()->log().events.empty());
  });
}

}  // namespace npl::sim
